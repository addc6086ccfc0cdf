/* loops.h: the hot loops of machine code, and what their instructions say of why they take long. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "why/observe/addresses.h"

/* The loops around the hottest addresses, at most KG_HOT_LOOPS_MOST, the hottest first; those that
 * are in the same loop count together. Around an address in no loop it is the whole function, which
 * is then called often.
 * addresses  by share, the hottest first; those of files that cannot be read, or that are not of
 *            x86-64, are left out
 * loops      in `arena`, as all that they point to
 * returns    false where memory is out */
bool kg_loops_find(struct kg_arena *arena, const struct kg_hot_address *addresses, size_t count,
                   struct kg_hot_loop **loops, size_t *loop_count, struct kg_error *err);
