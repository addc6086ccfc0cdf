/* compiler_options.h: the difference between the compilers of two builds, from debug
 * information. Pure except for the arena; thread-safe. */
#pragma once
#include "base/arena.h"

/* Differences that change speed much: optimisation level, sanitizers, link-time optimisation,
 * processor, vectors, mathematics, inlining, unrolling, another compiler or version. Examples:
 * "built without -O2", "built with -fsanitize=address".
 * base, candidate  DW_AT_producer of each side; NULL: unknown
 * returns          text in `arena`; NULL if nothing differs or a side is unknown */
const char *kg_compiler_change(struct kg_arena *arena, const char *base, const char *candidate);

/* Differences in all other options: "built with -fstack-protector-strong". Not compared: options
 * for debug information, language standards and position-independent code. Parameters and
 * result as above. */
const char *kg_compiler_other_options(struct kg_arena *arena, const char *base,
                                      const char *candidate);
