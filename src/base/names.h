/* names.h: numbers by names, by open addressing in an arena. Zeros make an empty one. Not thread-safe. */
#pragma once
#include <stdbool.h>
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

/* Gives a name its number, in the place of one it had. `name` is borrowed for as long as the arena is. */
void kg_names_set(struct kg_arena *arena, struct kg_names *names, const char *name, size_t length,
                  size_t number);
