/* cpu_caches.h: the sizes of the caches of some CPUs, from /sys. Thread-safe. */
#pragma once
#include <sched.h>

/* The levels that can hold data. */
enum kg_cache_level { KG_LEVEL_L1, KG_LEVEL_L2, KG_LEVEL_L3, KG_LEVEL_MEMORY, KG_LEVEL_COUNT };
extern const char *const kg_level_names[KG_LEVEL_COUNT + 1]; /* "L1", "L2", "L3", "memory" */

struct kg_cpu_cache {
    double bytes; /* bytes of one cache; NaN: no cache, or unknown size */
    double count; /* number of different caches of the CPUs; NaN: as above */
};

struct kg_cpu_caches {
    struct kg_cpu_cache levels[KG_LEVEL_MEMORY]; /* for data */
    int apart[2]; /* two CPUs on different cores; -1: none, or unknown */
};

/* Reads the caches of the CPUs in `set` from the files of /sys below `root`. "" is this machine;
 * there the C library fills gaps in the files. */
void kg_cpu_caches_read(const char *root, const cpu_set_t *set, struct kg_cpu_caches *caches);
