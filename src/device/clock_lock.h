/* clock_lock.h: locks the clock of a GPU's multiprocessors while kgate measures. A process of its own holds the lock
 * and resets the clocks as soon as kgate has ended, however that was: by itself, by a signal, by SIGKILL. */
#pragma once
#include <stdbool.h>

#include "base/error.h"

struct kg_clock_lock {
    long pid; /* of the process that holds the lock; 0: none */
    int pipe; /* its end closes with kgate */
};

/* Locks the clock to the highest that the GPU can always hold within its power limit: NVIDIA's base clock. Needs root.
 * Only one lock per process.
 * library  KG_NVML_LIBRARY, or a path
 * uuid     as CUDA names the device
 * returns  false if the clocks cannot be locked; then nothing is to be undone */
bool kg_clocks_lock(const char *library, const char *uuid, struct kg_clock_lock *lock,
                    struct kg_error *err);
/* Resets the clocks to the driver's own choice, even if somebody had locked them before, and waits until it is done.
 * Also accepts a lock without a process. */
void kg_clocks_unlock(struct kg_clock_lock *lock);
