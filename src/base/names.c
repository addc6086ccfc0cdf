#include "base/names.h"

#include <string.h>

#include "base/hash.h"

enum { CAPACITY_FIRST = 64 };

/* The place of the name, or the empty place for it. There is always an empty place. */
static struct kg_names_place *place_find(const struct kg_names *names, const char *name,
                                         size_t length, uint64_t hash)
{
    const size_t mask = names->capacity - 1;
    for (size_t i = (size_t)hash & mask;; i = (i + 1) & mask) {
        struct kg_names_place *place = &names->places[i];
        if (!place->name ||
            (place->hash == hash && place->length == length && !memcmp(place->name, name, length)))
            return place;
    }
}

/* FNV's low bits come from the last bytes, and names often end alike. */
static uint64_t hash_of(const char *name, size_t length)
{
    const uint64_t hash = kg_hash_bytes(KG_HASH_START, name, length);
    return hash ^ hash >> 32;
}

static void grow(struct kg_arena *arena, struct kg_names *names)
{
    struct kg_names larger = {.count = names->count,
                              .capacity = names->capacity ? 2 * names->capacity : CAPACITY_FIRST};
    larger.places = kg_arena_alloc(arena, larger.capacity, sizeof *larger.places);
    for (size_t i = 0; i < names->capacity; i++) {
        const struct kg_names_place *place = &names->places[i];
        if (place->name)
            *place_find(&larger, place->name, place->length, place->hash) = *place;
    }
    *names = larger;
}

const size_t *kg_names_find(const struct kg_names *names, const char *name, size_t length)
{
    if (!names->count)
        return NULL;
    const struct kg_names_place *place = place_find(names, name, length, hash_of(name, length));
    return place->name ? &place->number : NULL;
}

void kg_names_set(struct kg_arena *arena, struct kg_names *names, const char *name, size_t length,
                  size_t number)
{
    const uint64_t hash = hash_of(name, length);
    if (2 * names->count >= names->capacity)
        grow(arena, names);
    struct kg_names_place *place = place_find(names, name, length, hash);
    names->count += !place->name;
    *place = (struct kg_names_place){name, length, hash, number};
}
