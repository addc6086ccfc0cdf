/* loops.h: the hot loops of machine code, with the reasons for their time that their
 * instructions show. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/code/elf.h"
#include "base/error.h"
#include "why/observe/addresses.h"
#include "why/observe/disassembly.h"

/* machine_code.c: functions in an x86-64 ELF file: bounds, bytes, and names of callees. Not
 * thread-safe. */

struct kg_machine_code {
    struct kg_elf elf;
    void *bytes; /* mapped */
    size_t length;
};

/* Returns false if the file cannot be read or has another format. Then the caller closes
 * nothing. */
bool kg_machine_code_open(const char *path, struct kg_machine_code *code);
void kg_machine_code_close(struct kg_machine_code *code);

struct kg_function {
    const char *name;           /* borrowed from the file; NULL: no symbol */
    const unsigned char *bytes; /* borrowed from the file */
    size_t length;
    uint64_t address;
};

/* Finds the function around an address: by symbols, or by the unwind table (.eh_frame_hdr). If
 * neither has it: the section's code from the address on, at most KG_FUNCTION_UNKNOWN_MOST
 * bytes. */
enum { KG_FUNCTION_UNKNOWN_MOST = 4096 };
bool kg_machine_code_function(const struct kg_machine_code *code, uint64_t address,
                              struct kg_function *function);

/* The name of the function called at an address, directly or through the procedure linkage
 * table. NULL: unknown. */
const char *kg_machine_code_callee(const struct kg_machine_code *code, uint64_t target);
/* The name of the function whose pointer is at address `table` in the global offset table. NULL:
 * unknown. */
const char *kg_machine_code_imported(const struct kg_machine_code *code, uint64_t table);

/* loop_graph.c: the loops of a function's instructions. Pure. */

/* The innermost loop around instruction `at`, as indices of its instructions in the order of
 * addresses, in `arena`.
 * returns  number of instructions; 0: `at` is in no loop */
size_t kg_loop_around(struct kg_arena *arena, const struct kg_instruction *code, size_t count,
                      size_t at, size_t **loop);

/* Index of the instruction at or around an address; count: none. */
size_t kg_instruction_at(const struct kg_instruction *code, size_t count, uint64_t address);

/* loop_flow.c: the flow of values through a loop from iteration to iteration, and so its
 * dependency chains. It executes some iterations on symbols instead of numbers. Branches inside
 * count as not taken. Pure. */

/* Counts over the instructions of one iteration. */
struct kg_loop_flow {
    size_t address_loads; /* loads whose address depends on the same load's previous result */
    size_t chained;       /* arithmetic that needs its own previous result; no counters */
    size_t forwarded;     /* loads of bytes that the loop just stored, wider or at an offset */
    double chain_cycles;  /* cycles from one iteration to the next, by latencies alone */
};

enum { KG_LOOP_FLOW_MOST = 512 };

/* Analyses a loop.
 * code, loop  `count` instructions, by their indices; more than KG_LOOP_FLOW_MOST are not
 *             analysed
 * returns     all 0 and NaN if the loop was not analysed */
struct kg_loop_flow kg_loop_flow(struct kg_arena *arena, const struct kg_instruction *code,
                                 const size_t *loop, size_t count);

/* Finds the loops around the hottest addresses: at most KG_HOT_LOOPS_MOST, hottest first.
 * Addresses in one loop count together. For an address in no loop the whole function counts,
 * because it is then called often.
 * addresses  by share, hottest first; addresses in unreadable files, or of other architectures,
 *            are skipped
 * loops      in `arena`, with all their strings */
void kg_loops_find(struct kg_arena *arena, const struct kg_hot_address *addresses, size_t count,
                   struct kg_hot_loop **loops, size_t *loop_count);
