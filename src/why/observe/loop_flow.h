/* loop_flow.h: how values go through a loop from turn to turn: its chains, by carrying out some turns
 * with symbols in place of numbers. Branches inside of it are taken as not taken. Pure. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "why/observe/disassembly.h"

/* Of the instructions in a turn. */
struct kg_loop_flow {
    size_t address_loads; /* loads whose address depends on what the same load gave a turn before */
    size_t chained;       /* arithmetic that needs its own result of the turn before; no counters */
    size_t forwarded;     /* loads of bytes that the loop has just stored, wider or elsewhere */
    double chain_cycles;  /* that a turn takes longer than the one before, by latencies alone */
};

enum { KG_LOOP_FLOW_MOST = 512 };

/* code, loop  `count` instructions, by their indices; more than KG_LOOP_FLOW_MOST are not looked at
 * returns     false where memory is out, or they were not looked at: all 0 and NaN then */
bool kg_loop_flow(struct kg_arena *arena, const struct kg_instruction *code, const size_t *loop,
                  size_t count, struct kg_loop_flow *flow);
