/* paths.h: the paths of all threads and processes of a recording, each once. Not thread-safe. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "profiler/read/number_map.h"
#include "profiler/read/profile.h"

enum {
    KG_PATHS_MOST = 1 << 20,
    KG_PATH_DEPTH_MOST = 512, /* beyond what is ever recorded */
};

/* The parent of an outermost path. */
#define KG_PATH_NONE ((size_t)-1)

/* Zero-initialise before first use. */
struct kg_paths {
    struct kg_profile_path *items;
    size_t count;
    size_t capacity;
    struct kg_map map; /* by hash, to index + 1 */
};

/* Finds a path, or adds it.
 * path   what it is to be: its strings from one kg_strings; its parent KG_PATH_NONE or an index;
 *        its depth is not read
 * index  on success which one it is
 * fresh  on success whether it was added
 * err    KG_ERROR_USAGE where there are too many, or it is too deep */
bool kg_paths_find(struct kg_paths *paths, const struct kg_profile_path *path, size_t *index,
                   bool *fresh, struct kg_error *err);
void kg_paths_free(struct kg_paths *paths);
