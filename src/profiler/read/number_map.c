#include "profiler/read/number_map.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { CAPACITY_FIRST = 64 };

/* Multiplicative hashing (Knuth, The Art of Computer Programming 3, 6.4); the high half is the
 * mixed one. */
static size_t place_of(const struct kg_map *map, uint64_t key)
{
    const uint64_t mixed = (key ^ key >> 32) * UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(mixed >> 32) & (map->capacity - 1);
}

static struct kg_map_item *item_of(const struct kg_map *map, uint64_t key)
{
    size_t place = place_of(map, key);
    while (map->items[place].value && map->items[place].key != key)
        place = (place + 1) & (map->capacity - 1);
    return &map->items[place];
}

uint64_t kg_map_get(const struct kg_map *map, uint64_t key)
{
    return map->capacity ? item_of(map, key)->value : 0;
}

static bool grow(struct kg_map *map)
{
    struct kg_map larger = {.count = map->count,
                            .capacity = map->capacity ? 2 * map->capacity : CAPACITY_FIRST};
    larger.items = kg_alloc(larger.capacity, sizeof *larger.items);
    if (!larger.items)
        return false;
    for (size_t i = 0; i < map->capacity; i++)
        if (map->items[i].value)
            *item_of(&larger, map->items[i].key) = map->items[i];
    free(map->items);
    *map = larger;
    return true;
}

uint64_t *kg_map_at(struct kg_map *map, uint64_t key)
{
    if (2 * (map->count + 1) > map->capacity && !grow(map))
        return NULL;
    struct kg_map_item *item = item_of(map, key);
    if (!item->value) {
        item->key = key;
        map->count++;
    }
    return &item->value;
}

void kg_map_clear(struct kg_map *map)
{
    if (map->count)
        memset(map->items, 0, map->capacity * sizeof *map->items);
    map->count = 0;
}

void kg_map_free(struct kg_map *map)
{
    free(map->items);
    *map = (struct kg_map){0};
}
