/* recording_strings.h: the texts of recordings, each stored once: equal texts have equal addresses. Not
 * thread-safe. */
#pragma once
#include <stddef.h>

#include "base/arena.h"
#include "profiler/read/number_map.h"

/* Zero-initialise except the arena, which owns the texts. */
struct kg_strings {
    struct kg_arena *arena;
    const char **items;
    size_t count, capacity;
    struct kg_map map; /* by hash, to index + 1 */
};

/* The one copy of a text, up to its first zero byte. Invalid UTF-8 becomes U+FFFD.
 * returns NULL if memory is out */
const char *kg_strings_keep(struct kg_strings *strings, const char *bytes, size_t length);
void kg_strings_free(struct kg_strings *strings);
