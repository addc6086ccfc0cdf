/* cpu_caches.h: the sizes of the caches of some CPUs, from /sys. Thread-safe. */
#pragma once
#include <sched.h>
#include <stddef.h>

/* The levels that data may lie in. */
enum kg_cache_level { KG_LEVEL_L1, KG_LEVEL_L2, KG_LEVEL_L3, KG_LEVEL_MEMORY, KG_LEVEL_COUNT };
extern const char *const kg_level_names[KG_LEVEL_COUNT + 1]; /* "L1", "L2", "L3", "memory" */

struct kg_cpu_cache {
    double bytes; /* size of one cache; NaN where there is none, or its size is unknown */
    double count; /* how many different caches the CPUs have; NaN likewise */
};

struct kg_cpu_caches {
    struct kg_cpu_cache levels[KG_LEVEL_MEMORY]; /* for data */
    int apart[2]; /* two CPUs that are on different cores; -1 where there are none, or unknown */
};

/* Reads the caches of the CPUs in `set` from the files of /sys below `root`. "" is this machine, where
 * the C library is asked for what the files do not tell. */
void kg_cpu_caches_read(const char *root, const cpu_set_t *set, struct kg_cpu_caches *caches);
