/* profiler.h: a recording that runs.
 *
 * Programs include kgate/profiler.h. The reader of recordings (src/profiler/read) also includes
 * three files of this folder. recording.h and pack.h define the file's format; losses.h adds up
 * losses. */
#pragma once
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "kgate/profiler.h"
#include "profiler/record/thread.h"

struct kgate_profiler {
    int enabled;        /* instances only; kgate_profiling of the process-wide one */
    uint32_t slot;      /* 0: the process-wide one */
    uint32_t recording; /* unique number of the recording; 0: never started; all threads read it,
                           atomically */
    uint32_t epoch; /* changes with each recording and each parallel region, so that threads look
                           at them; of the process-wide profiler */
    struct kg_recorder recorder;
    /* under the registry's lock */
    bool ended;
    struct kgate_profiler_options options; /* complete; the recorder owns the strings */
    struct kgate_profiler_thread *threads;
    uint32_t thread_count; /* number of threads so far */
};

extern KG_HIDDEN struct kgate_profiler kg_process_wide;

/* NULL: the process-wide one. */
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

static inline uint32_t kg_profiler_epoch(const struct kgate_profiler *profiler)
{
    return __atomic_load_n(&profiler->epoch, __ATOMIC_RELAXED);
}

/* The calling thread's struct for the profiler, made at the thread's first scope. NULL if memory is
 * out or the profiler has ended. */
struct kgate_profiler_thread *kg_profiler_thread(struct kgate_profiler *profiler);

/* Counts an end of a scope that no struct of the calling thread has. The process-wide profiler gets
 * the count. */
void kg_profiler_unbalanced(void);

/* The absolute path of the recording's file; false without a file, or if the file has no name. */
bool kg_profiler_path(const struct kgate_profiler *profiler, char *path, size_t bytes);

/* The recording so far, in a descriptor that the caller must close, and the losses. -1 with err if
 * nothing was recorded. */
int kg_profiler_file(struct kgate_profiler *profiler, struct kgate_profile_losses *losses,
                     struct kg_error *err);

/* recordings.c: the running recordings and the threads that record into them: how they start and end,
 * also after a fork. */

/* The lock protects all fields except `unbalanced`, which is atomic. */
struct kg_registry {
    pthread_mutex_t lock;
    struct kgate_profiler *profilers[KG_SLOTS]; /* that record, or whose threads are listed */
    uint32_t recordings;                        /* number of recordings so far */
    bool prepared;
    pthread_key_t key; /* set in threads that record: its destructor ends them */
    uint64_t unbalanced;
    double scope_cost_ns;
};
extern struct kg_registry kg_registry;

/* Locks the registry, and disables cancellation of the thread: a cancelled thread would keep the lock
 * for ever. Returns the argument for kg_registry_unlock. */
int kg_registry_lock(void);
void kg_registry_unlock(int cancel);

/* Registers the handlers for the end of a thread and for a fork. Once, before the first recording. */
bool kg_registry_prepare(void);

/* Takes the thread off its profiler's list. Under the lock. */
void kg_registry_unlist(struct kgate_profiler *profiler, struct kgate_profiler_thread *thread);
