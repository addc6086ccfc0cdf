/* cpu_caches.h: the caches of some CPUs, as the kernel describes them. Thread-safe. */
#pragma once
#include <sched.h>
#include <stddef.h>

#include "results/cpu_ceilings.h"

struct kg_cpu_cache {
    double bytes; /* of one; NaN where there is none, or its size is not told */
    double count; /* so many different ones the CPUs have; NaN likewise */
};

struct kg_cpu_caches {
    struct kg_cpu_cache levels[KG_LEVEL_MEMORY]; /* for data */
    int apart[2]; /* two of the CPUs, of two cores; -1 where all are of one, or that is not told */
};

/* Of the CPUs in `set`, by the files of /sys below `root` ("": this machine's; there what these do
 * not tell is asked of the C library). */
void kg_cpu_caches_read(const char *root, const cpu_set_t *set, struct kg_cpu_caches *caches);
