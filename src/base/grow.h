/* grow.h: arrays that grow by doubling. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

/* Room for one more item in an array from malloc; kg_arena_grow does the same in an arena.
 * array     address of the pointer to `count` items of `size` bytes. If the capacity is 0, the
 *           pointer is NULL. Set to the array's new place, which the caller frees
 * capacity  items that the array has room for; updated
 * returns   false if memory is out: array and capacity are as before */
bool kg_grow(void *array, size_t count, size_t *capacity, size_t size);

/* The next capacity of a growing array. */
size_t kg_grown(size_t capacity);
