#include "profiler/read/paths.h"

#include <stdlib.h>

#include "base/grow.h"
#include "base/hash.h"

/* The identity of a path. The place in the source does not count. */
struct identity {
    size_t parent;
    const char *name, *device, *backend;
    size_t kind;
    size_t span;
};

static struct identity identity_of(const struct kg_profile_path *path, size_t parent)
{
    return (struct identity){.parent = parent,
                             .name = path->name,
                             .device = path->device,
                             .backend = path->backend,
                             .kind = path->kind,
                             .span = path->span};
}

static bool is_same(const struct kg_paths *paths, size_t index, const struct identity *wanted)
{
    const struct kg_profile_path *path = &paths->items[index];
    const size_t parent = path->parent == index ? KG_PATH_NONE : path->parent;
    return parent == wanted->parent && path->name == wanted->name &&
           path->device == wanted->device && path->backend == wanted->backend &&
           path->kind == wanted->kind && path->span == wanted->span;
}

static bool make_room(struct kg_paths *paths, struct kg_error *err)
{
    if (paths->count == KG_PATHS_MOST)
        return kg_error_set(err, KG_ERROR_USAGE, "more than %d different paths", KG_PATHS_MOST);
    return kg_grow(&paths->items, paths->count, &paths->capacity, sizeof *paths->items) ||
           kg_error_memory(err);
}

static bool add(struct kg_paths *paths, const struct kg_profile_path *path, uint64_t hash,
                size_t *index, struct kg_error *err)
{
    const bool outermost = path->parent == KG_PATH_NONE;
    const size_t depth = outermost ? 0 : paths->items[path->parent].depth + 1;
    if (depth == KG_PATH_DEPTH_MOST)
        return kg_error_set(err, KG_ERROR_USAGE, "scopes nested more than %d deep",
                            KG_PATH_DEPTH_MOST);
    if (!make_room(paths, err))
        return false;
    uint64_t *place = kg_map_at(&paths->map, hash);
    if (!place)
        return kg_error_memory(err);
    *index = paths->count++;
    *place = *index + 1;
    paths->items[*index] = *path;
    paths->items[*index].depth = depth;
    if (outermost)
        paths->items[*index].parent = *index;
    return true;
}

bool kg_paths_find(struct kg_paths *paths, const struct kg_profile_path *path, size_t *index,
                   bool *fresh, struct kg_error *err)
{
    const struct identity wanted = identity_of(path, path->parent);
    /* Of two paths with one hash the second is found at the next number. */
    for (uint64_t hash = kg_hash_bytes(KG_HASH_START, &wanted, sizeof wanted);; hash++) {
        const uint64_t found = kg_map_get(&paths->map, hash);
        *fresh = !found;
        if (!found)
            return add(paths, path, hash, index, err);
        *index = found - 1;
        if (is_same(paths, *index, &wanted))
            return true;
    }
}

void kg_paths_free(struct kg_paths *paths)
{
    free(paths->items);
    kg_map_free(&paths->map);
    *paths = (struct kg_paths){0};
}
