/* build_change.h: the difference between two builds, by their files of machine code. Pure except
 * for the arena; thread-safe. */
#pragma once
#include "base/arena.h"
#include "model/hot_code.h"

/* Changes of compiler, options and checks: "built without -O2", "built with assertions, linked
 * to libasan.so.8".
 * returns  text in `arena`; NULL if no difference affects speed, or if a side is unknown */
const char *kg_build_made(struct kg_arena *arena, const struct kg_sampled *base,
                          const struct kg_sampled *candidate);

/* Changes of other options, libraries and size, which may have no effect: "built with
 * -fstack-protector-strong, linked to libfast.so.1; machine code grew from 190 KiB to 260 KiB".
 * NULL: no difference, or a side is unknown. */
const char *kg_build_parts(struct kg_arena *arena, const struct kg_sampled *base,
                           const struct kg_sampled *candidate);
