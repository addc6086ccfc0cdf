#include "base/names.h"

#include <string.h>

#include "base/hash.h"

enum { CAPACITY_FIRST = 64 };

/* Where the name is, or would be. There is an empty place always. */
static struct kg_names_place *place_find(const struct kg_names *names, const char *name,
                                         uint64_t hash)
{
    const size_t mask = names->capacity - 1;
    for (size_t i = (size_t)hash & mask;; i = (i + 1) & mask) {
        struct kg_names_place *place = &names->places[i];
        if (!place->name || (place->hash == hash && !strcmp(place->name, name)))
            return place;
    }
}

/* FNV's low bits are those of the last bytes, and names often end alike. */
static uint64_t hash_of(const char *name)
{
    const uint64_t hash = kg_hash_string(KG_HASH_START, name);
    return hash ^ hash >> 32;
}

static bool grow(struct kg_arena *arena, struct kg_names *names)
{
    struct kg_names larger = {.count = names->count,
                              .capacity = names->capacity ? 2 * names->capacity : CAPACITY_FIRST};
    larger.places = kg_arena_alloc(arena, larger.capacity, sizeof *larger.places);
    if (!larger.places)
        return false;
    for (size_t i = 0; i < names->capacity; i++)
        if (names->places[i].name)
            *place_find(&larger, names->places[i].name, names->places[i].hash) = names->places[i];
    *names = larger;
    return true;
}

const size_t *kg_names_find(const struct kg_names *names, const char *name)
{
    if (!names->count)
        return NULL;
    const struct kg_names_place *place = place_find(names, name, hash_of(name));
    return place->name ? &place->number : NULL;
}

bool kg_names_set(struct kg_arena *arena, struct kg_names *names, const char *name, size_t number)
{
    const uint64_t hash = hash_of(name);
    if (2 * names->count >= names->capacity && !grow(arena, names))
        return false;
    struct kg_names_place *place = place_find(names, name, hash);
    names->count += !place->name;
    *place = (struct kg_names_place){name, hash, number};
    return true;
}
