/* compiler_options.h: the difference between the compilers of two builds, from debug
 * information. Pure except for the arena; thread-safe. */
#pragma once
#include "base/arena.h"

/* Differences such as "built without -O2" or "built with -fsanitize=address". Not compared:
 * options for debug information, language standards and position-independent code.
 * base, candidate  DW_AT_producer of each side; NULL: unknown
 * returns          text in `arena`; NULL if nothing differs or a side is unknown */
const char *kg_compiler_change(struct kg_arena *arena, const char *base, const char *candidate);
