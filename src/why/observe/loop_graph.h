/* loop_graph.h: the loops of a function's instructions. Pure. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "why/observe/disassembly.h"

/* The instructions of the innermost loop around instruction `at`, as indices in the order of
 * addresses, in `arena`.
 * found    of them; 0: it is in no loop
 * returns  false where memory is out */
bool kg_loop_around(struct kg_arena *arena, const struct kg_instruction *code, size_t count,
                    size_t at, size_t **loop, size_t *found);

/* The index of the instruction at an address, or of the one that it lies in; count: none. */
size_t kg_instruction_at(const struct kg_instruction *code, size_t count, uint64_t address);
