/* build_change.h: the difference between two builds by their files of machine code. Pure but for the arena;
 * thread-safe. */
#pragma once
#include "base/arena.h"
#include "model/hot_code.h"

/* How the builds were made: "built without -O2", "built with assertions, linked to libasan.so.8".
 * returns  text in `arena`; NULL if nothing differs that decides about speed, or a side is not known */
const char *kg_build_made(struct kg_arena *arena, const struct kg_sampled *base,
                          const struct kg_sampled *candidate);

/* What they consist of: "linked to libfast.so.1, no longer to libslow.so.1; machine code grew from 190 KiB to
 * 260 KiB". NULL likewise. Nothing of it need have an effect. */
const char *kg_build_parts(struct kg_arena *arena, const struct kg_sampled *base,
                           const struct kg_sampled *candidate);
