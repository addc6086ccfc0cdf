/* paths.h: the paths of all threads and processes of a recording, each once. Not thread-safe. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "profiler/read/number_map.h"
#include "profiler/read/profile.h"

enum {
    KG_PATHS_MOST = 1 << 20,
    KG_PATH_DEPTH_MOST = 512, /* deeper than any recorded path */
};

/* The parent of an outermost path. */
#define KG_PATH_NONE ((size_t)-1)

/* Zero-initialise before first use. */
struct kg_paths {
    struct kg_profile_path *items;
    size_t count;
    size_t capacity;
    struct kg_map map; /* hash to index + 1 */
};

/* Finds a path, or adds it.
 * path   the wanted path. Its strings are of one kg_strings; its parent is KG_PATH_NONE or an index;
 *        its depth is ignored.
 * index  receives the path's index on success.
 * fresh  receives on success whether the path was added.
 * err    KG_ERROR_USAGE if there are too many paths, or the path is too deep. */
bool kg_paths_find(struct kg_paths *paths, const struct kg_profile_path *path, size_t *index,
                   bool *fresh, struct kg_error *err);
void kg_paths_free(struct kg_paths *paths);
