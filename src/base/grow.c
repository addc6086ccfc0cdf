#include "base/grow.h"

#include <stdint.h>
#include <string.h>

#include "base/memory.h"

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
        return kg_memory_out();
    /* The caller's pointer may have any type. It is copied as bytes, since a void ** may not point
     * to it. */
    void *items;
    memcpy(&items, array, sizeof items);
    items = kg_realloc(items, kg_grown(*capacity) * size);
    if (!items)
        return false;
    memcpy(array, &items, sizeof items);
    *capacity = kg_grown(*capacity);
    return true;
}
