/* profiler.h: a recording that runs.
 *
 * Programs include kgate/profiler.h. The reader of recordings (src/profiler/read) also includes
 * recording.h and pack.h, the file's format, and losses.h, counts of what was not recorded. */
#pragma once
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "kgate/profiler.h"
#include "profiler/record/thread.h"

struct kgate_profiler {
    int enabled;        /* of the process-wide one: kgate_profiling instead */
    uint32_t slot;      /* 0: the process-wide one */
    uint32_t recording; /* a number that no recording before it had; 0: never started; read by
                           everybody, atomically */
    struct kg_recorder recorder;
    /* under the registry's lock */
    bool ended;
    struct kgate_profiler_options options; /* nothing left at 0; the strings are the recorder's */
    struct kgate_profiler_thread *threads;
    uint32_t thread_count; /* that there have been */
};

extern KG_HIDDEN struct kgate_profiler kg_process_wide;

/* The process-wide one where NULL is given. */
static inline struct kgate_profiler *kg_profiler_of(struct kgate_profiler *profiler)
{
    return profiler ? profiler : &kg_process_wide;
}

static inline bool kg_profiler_enabled(const struct kgate_profiler *profiler)
{
    return __atomic_load_n(profiler->slot ? &profiler->enabled : &kgate_profiling,
                           __ATOMIC_RELAXED);
}
void kg_profiler_enabled_set(struct kgate_profiler *profiler, bool enabled);
static inline uint32_t kg_profiler_recording(const struct kgate_profiler *profiler)
{
    return __atomic_load_n(&profiler->recording, __ATOMIC_RELAXED);
}

/* The calling thread's struct for the profiler, made at its first scope; NULL where memory is out
 * or the profiler has ended. */
struct kgate_profiler_thread *kg_profiler_thread(struct kgate_profiler *profiler);

/* Counts an end that belonged to no open scope of any thread's that can be told: of the
 * process-wide profiler. */
void kg_profiler_unbalanced(void);

/* The path of the recording's file, absolute; false where it has no name, or there is none. */
bool kg_profiler_path(const struct kgate_profiler *profiler, char *path, size_t bytes);

/* The recording so far, in a descriptor to be closed, and what was lost; -1 with err where nothing
 * was recorded. */
int kg_profiler_file(struct kgate_profiler *profiler, struct kgate_profile_losses *losses,
                     struct kg_error *err);

/* recordings.c: the recordings that run, and the threads that record into them: how these come, end,
 * and are told apart after a fork. */

/* Everything but `unbalanced`, which is atomic, under the lock. */
struct kg_registry {
    pthread_mutex_t lock;
    struct kgate_profiler *profilers[KG_SLOTS]; /* those that record, or whose threads are listed */
    uint32_t recordings;                        /* so far */
    bool prepared;
    pthread_key_t key; /* of threads that record: its destructor ends them */
    uint64_t unbalanced;
    double scope_cost_ns;
};
extern struct kg_registry kg_registry;

/* A thread that is cancelled while it holds the lock would hold it for ever: it is not, meanwhile.
 * Returns what unlocking needs. */
int kg_registry_lock(void);
void kg_registry_unlock(int cancel);

/* Once, before the first recording: what is done when a thread ends and when the process forks. */
bool kg_registry_prepare(void);

/* Takes the thread off its profiler's list. Under the lock. */
void kg_registry_unlist(struct kgate_profiler *profiler, struct kgate_profiler_thread *thread);
