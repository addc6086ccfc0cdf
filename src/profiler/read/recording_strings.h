/* recording_strings.h: texts of recordings, each kept once, so that equal ones have equal addresses. Not
 * thread-safe. */
#pragma once
#include <stddef.h>

#include "base/arena.h"
#include "profiler/read/number_map.h"

/* Zero-initialise but for the arena, which owns the texts. */
struct kg_strings {
    struct kg_arena *arena;
    const char **items;
    size_t count, capacity;
    struct kg_map map; /* by hash, to index + 1 */
};

/* The one copy of a text, up to its first zero byte; what is not UTF-8 becomes U+FFFD.
 * returns NULL where memory is out */
const char *kg_strings_keep(struct kg_strings *strings, const char *bytes, size_t length);
void kg_strings_free(struct kg_strings *strings);
