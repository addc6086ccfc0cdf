/* grow.h: arrays that grow by doubling. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

/* Room for one more item in an array from malloc; kg_arena_grow does the same in an arena.
 * array      address of the pointer to `count` items of `size` bytes; the pointer is NULL as long as
 *            the capacity is 0. Set to the array's new place, which the caller frees
 * capacity   items that there is room for; updated
 * returns false where memory is out: array and capacity are as before */
bool kg_grow(void *array, size_t count, size_t *capacity, size_t size);

/* The capacity after this one. */
size_t kg_grown(size_t capacity);
