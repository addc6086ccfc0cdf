#include "base/grow.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST = 16 };

size_t kg_grown(size_t capacity)
{
    return capacity ? 2 * capacity : FIRST;
}

bool kg_grow(void *array, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity)
        return true;
    if (*capacity > SIZE_MAX / 2 / size)
        return false;
    /* The caller's pointer is of its own type: copied as bytes, as a void ** may not point to it. */
    void *items;
    memcpy(&items, array, sizeof items);
    items = realloc(items, kg_grown(*capacity) * size);
    if (!items)
        return false;
    memcpy(array, &items, sizeof items);
    *capacity = kg_grown(*capacity);
    return true;
}
