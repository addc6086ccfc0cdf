/* recordings.h: the recordings that run, and the threads that record into them: how these come, end,
 * and are told apart after a fork. */
#pragma once
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "profiler/record/profiler.h"

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
