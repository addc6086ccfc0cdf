/* callgrind_lines.h: reads Callgrind's counts per line of source and per call from its files.
 * The format is in Valgrind's manual, "Callgrind Format Specification", with compressed names
 * and positions. Lines that do not fit the format are skipped. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "model/results.h"

/* callgrind_sums.c: sums Callgrind's counts by line of source and by call, and keeps the most
 * expensive. callgrind_lines.c fills the sums. */

/* A line's rank is its instructions plus these weights per miss. The weights are approximate
 * costs in cycles on current processors. */
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

/* Unknown texts are "". */
struct kg_line_sum {
    const char *function, *file, *object;
    uint64_t line; /* 0: unknown */
    double amounts[KG_LINE_AMOUNTS];
};

struct kg_edge_sum {
    const char *caller, *callee;
    const char *caller_file, *callee_file;
    double calls, instructions;
};

/* Sums over files, in which a line or a call may occur several times. The caller
 * zero-initialises it. */
struct kg_callgrind_lines {
    struct kg_arena arena; /* owns all arrays and texts */
    struct kg_line_sum *lines;
    size_t line_count, line_capacity;
    struct kg_edge_sum *edges;
    size_t edge_count, edge_capacity;
    size_t edges_most; /* edges to keep; 0: as many as lines */
};

/* Takes the sums per call of the workload: the most expensive lines and calls, in `arena`.
 * calls    number of calls counted
 * counted  amounts, lines and edges are filled; `source` and `reason` stay */
void kg_callgrind_lines_take(struct kg_callgrind_lines *lines, double calls, struct kg_arena *arena,
                             struct kg_counted *counted);

void kg_callgrind_lines_free(struct kg_callgrind_lines *lines);

/* Adds a file, without kgate's own functions that make the calls.
 * returns  false if the file cannot be read or has no known event; then it adds nothing or a
 *          part */
bool kg_callgrind_lines_add(struct kg_callgrind_lines *lines, const char *path);
