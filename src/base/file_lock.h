/* file_lock.h: a lock that processes take on a file, one at a time. flock(2): it ends with its process,
 * however that ends. */
#pragma once
#include "base/error.h"

/* Called once, before the wait for a lock that another process holds is noted on standard error. */
struct kg_lock_wait {
    void (*begins)(void *user); /* NULL: nobody is called */
    void *user;
};

/* How long kgate waits for a lock: a minute, or KGATE_LOCK_SECONDS of the environment. */
double kg_lock_seconds(void);

/* Takes an exclusive lock on the file `path`, which is made if it is missing. A symbolic link is
 * refused. A wait of more than a second is noted on standard error, with the process that holds it.
 * seconds  how long to wait at most
 * wait     NULL: nobody is called
 * returns  a descriptor for kg_file_unlock; -1 with err (KG_ERROR_SYSTEM) if another process still
 *          holds it, or it cannot be made */
int kg_file_lock(const char *path, double seconds, const struct kg_lock_wait *wait,
                 struct kg_error *err);
void kg_file_unlock(int lock);
