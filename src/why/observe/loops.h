/* loops.h: the hot loops of machine code, and what their instructions say of why they take long. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/code/elf.h"
#include "base/error.h"
#include "why/observe/addresses.h"
#include "why/observe/disassembly.h"

/* machine_code.c: functions in an ELF file of x86-64: where one begins and ends, its bytes, and the
 * names of those that it calls. Not thread-safe. */

struct kg_machine_code {
    struct kg_elf elf;
    void *bytes; /* mapped */
    size_t length;
};

/* false where it cannot be read or is no such file; nothing is to be closed then. */
bool kg_machine_code_open(const char *path, struct kg_machine_code *code);
void kg_machine_code_close(struct kg_machine_code *code);

struct kg_function {
    const char *name;           /* of the file's bytes; NULL where there is no symbol */
    const unsigned char *bytes; /* likewise */
    size_t length;
    uint64_t address;
};

/* The function around an address, by symbols, or else by the table that exceptions are unwound by
 * (.eh_frame_hdr), or else the section's code from there on, of `KG_FUNCTION_UNKNOWN_MOST` bytes. */
enum { KG_FUNCTION_UNKNOWN_MOST = 4096 };
bool kg_machine_code_function(const struct kg_machine_code *code, uint64_t address,
                              struct kg_function *function);

/* The name of what is called at an address of the file: of a function, or of what an entry of the
 * procedure linkage table leads to. NULL where it is not known. */
const char *kg_machine_code_callee(const struct kg_machine_code *code, uint64_t target);
/* Likewise by the address of the entry in the global offset table that holds where it is. */
const char *kg_machine_code_imported(const struct kg_machine_code *code, uint64_t table);

/* loop_graph.c: the loops of a function's instructions. Pure. */

/* The instructions of the innermost loop around instruction `at`, as indices in the order of
 * addresses, in `arena`.
 * returns  how many; 0: it is in no loop */
size_t kg_loop_around(struct kg_arena *arena, const struct kg_instruction *code, size_t count,
                      size_t at, size_t **loop);

/* The index of the instruction at an address, or of the one that it lies in; count: none. */
size_t kg_instruction_at(const struct kg_instruction *code, size_t count, uint64_t address);

/* loop_flow.c: how values go through a loop from turn to turn: its chains, by carrying out some turns
 * with symbols in place of numbers. Branches inside of it are taken as not taken. Pure. */

/* Of the instructions in a turn. */
struct kg_loop_flow {
    size_t address_loads; /* loads whose address depends on what the same load gave a turn before */
    size_t chained;       /* arithmetic that needs its own result of the turn before; no counters */
    size_t forwarded;     /* loads of bytes that the loop has just stored, wider or elsewhere */
    double chain_cycles;  /* that a turn takes longer than the one before, by latencies alone */
};

enum { KG_LOOP_FLOW_MOST = 512 };

/* code, loop  `count` instructions, by their indices; more than KG_LOOP_FLOW_MOST are not looked at
 * returns     all 0 and NaN if they were not looked at */
struct kg_loop_flow kg_loop_flow(struct kg_arena *arena, const struct kg_instruction *code,
                                 const size_t *loop, size_t count);

/* The loops around the hottest addresses, at most KG_HOT_LOOPS_MOST, the hottest first; those that
 * are in the same loop count together. Around an address in no loop it is the whole function, which
 * is then called often.
 * addresses  by share, the hottest first; those of files that cannot be read, or that are not of
 *            x86-64, are left out
 * loops      in `arena`, as all that they point to */
void kg_loops_find(struct kg_arena *arena, const struct kg_hot_address *addresses, size_t count,
                   struct kg_hot_loop **loops, size_t *loop_count);
