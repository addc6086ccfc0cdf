/* names.h: maps names to numbers, by open addressing in an arena. A zeroed map is empty. Not
 * thread-safe. */
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

struct kg_names_place {
    const char *name; /* `length` bytes; NULL: the place is empty */
    size_t length;
    uint64_t hash;
    size_t number;
};

struct kg_names {
    struct kg_names_place *places;
    size_t count;
    size_t capacity; /* 0, or a power of two */
};

/* The number of the name of `length` bytes; NULL if it has none. */
const size_t *kg_names_find(const struct kg_names *names, const char *name, size_t length);

/* Gives a name its number, instead of an earlier one. `name` is borrowed until the arena is
 * freed. */
void kg_names_set(struct kg_arena *arena, struct kg_names *names, const char *name, size_t length,
                  size_t number);
