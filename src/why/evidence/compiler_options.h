/* compiler_options.h: the difference between the compilers of two builds, as debug information names them. Pure
 * but for the arena; thread-safe. */
#pragma once
#include "base/arena.h"

/* "built without -O2"; "built with -fsanitize=address". Options for debug
 * information, language standards and position-independent code are not compared.
 * base, candidate  DW_AT_producer of each side; NULL: not known
 * returns          text in `arena`; NULL if nothing differs or a side is not known */
const char *kg_compiler_change(struct kg_arena *arena, const char *base, const char *candidate);
