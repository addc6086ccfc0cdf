/* file_lock.h: a lock on a file, for one process at a time (flock(2)). The lock ends with its
 * process, however that ends. */
#pragma once
#include "base/error.h"

/* Called once, just before kgate notes on standard error that it waits for another process. */
struct kg_lock_wait {
    void (*begins)(void *user); /* NULL: no call */
    void *user;
};

/* Seconds that kgate waits for a lock: 60, or KGATE_LOCK_SECONDS of the environment. */
double kg_lock_seconds(void);

/* Takes an exclusive lock on the file `path`; makes the file if it is missing, and refuses a
 * symbolic link. A wait of more than a second is noted on standard error, with the process that
 * holds the lock.
 * seconds  longest wait
 * wait     NULL: no call
 * returns  a descriptor for kg_file_unlock; -1 with err (KG_ERROR_SYSTEM) if another process still
 *          holds the lock, or if it cannot be made */
int kg_file_lock(const char *path, double seconds, const struct kg_lock_wait *wait,
                 struct kg_error *err);
void kg_file_unlock(int lock);
