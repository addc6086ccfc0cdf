/* parallel.h: divides a calculation among threads of its own. kgate does not link OpenMP. */
#pragma once
#include <stddef.h>

/* Calls `run` once for each part from 0 to count - 1, by one thread per CPU of this process, the
 * calling thread included. Returns after the last part. Parts run in no fixed order, so a part must
 * not depend on another. If no thread can be started, the calling thread does all parts. */
void kg_parallel(size_t count, void (*run)(void *user, size_t part), void *user);
