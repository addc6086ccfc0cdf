/* callgrind_lines.h: reads what Callgrind counted by line of source and by call from its files: the
 * format of Valgrind's manual, "Callgrind Format Specification", with its names and positions that
 * are cut short. What does not fit the format is passed over. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "model/results.h"

/* callgrind_sums.c: what Callgrind counted, summed by line of source and by call, and the dearest
 * of it. Filled by callgrind_lines.c. */

/* What a line is ranked by: instructions, and for each of these as many more. They are about the
 * cycles that one costs on today's processors. */
enum { KG_COST_LINE_MISS = 10, KG_COST_MEMORY_MISS = 100, KG_COST_MISPREDICTED = 10 };

enum kg_line_amount {
    KG_LINE_INSTRUCTIONS,
    KG_LINE_LOADS,
    KG_LINE_BRANCHES,
    KG_LINE_MISPREDICTED,
    KG_LINE_MISSES,
    KG_LINE_MEMORY_MISSES,
    KG_LINE_AMOUNTS
};

/* Texts are "" where not known. */
struct kg_line_sum {
    const char *function, *file, *object;
    uint64_t line; /* 0: not known */
    double amounts[KG_LINE_AMOUNTS];
};

struct kg_edge_sum {
    const char *caller, *callee;
    double calls, instructions;
};

/* Sums over files; a line or a call may be there several times. Zero-initialise. */
struct kg_callgrind_lines {
    struct kg_arena arena; /* owns what follows */
    struct kg_line_sum *lines;
    size_t line_count, line_capacity;
    struct kg_edge_sum *edges;
    size_t edge_count, edge_capacity;
};

/* The sums as they are kept: of a call, the dearest lines and calls, in `arena`.
 * calls    that were counted
 * counted  amounts, lines and edges are filled; `source` and `reason` stay */
void kg_callgrind_lines_take(struct kg_callgrind_lines *lines, double calls, struct kg_arena *arena,
                             struct kg_counted *counted);

void kg_callgrind_lines_free(struct kg_callgrind_lines *lines);

/* Adds a file. kgate's own functions, which make the calls, are left out.
 * returns  false where it cannot be read, has no event that is known: then it
 *          adds nothing or a part */
bool kg_callgrind_lines_add(struct kg_callgrind_lines *lines, const char *path);
