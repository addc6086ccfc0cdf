/* number_map.h: numbers by numbers, by open addressing. Zeros make an empty one. Not thread-safe. */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct kg_map_item {
    uint64_t key;
    uint64_t value; /* 0: the place is empty */
};

struct kg_map {
    struct kg_map_item *items;
    size_t count;
    size_t capacity; /* 0, or a power of two */
};

/* The value of a key; 0 if it has none. */
uint64_t kg_map_get(const struct kg_map *map, uint64_t key);

/* The place of a key's value, valid until the next call. A new value is 0; the caller must set it to
 * another number before the next call. NULL if memory is out. */
uint64_t *kg_map_at(struct kg_map *map, uint64_t key);

/* Forgets all keys and keeps the memory. */
void kg_map_clear(struct kg_map *map);
void kg_map_free(struct kg_map *map);
