/* line_count.h: counts what a few calls of a case do, line by line, on the processor that Callgrind
 * simulates: instructions, loads and stores, branches and those mispredicted, misses of two levels
 * of cache, and which function calls which. */
#pragma once
#include <stdbool.h>

#include "why/observe/hot_step.h"

/* Counts a case in a process of its own.
 * whole    all of the calls, however long they take; else those of about two seconds, of which
 *          Callgrind makes some twenty milliseconds
 * counted  filled; `reason` where nothing was counted, or a part of a call: `calls` is then NaN,
 *          and amounts are of that part
 * The case's `look` gets instructions and cache lines too, unless it has them, but not of a part.
 * returns  false where no process could be started */
bool kg_line_count(const struct kg_session *session, size_t index, bool whole,
                   struct kg_counted *counted, struct kg_error *err);

/* Counts the calls of the case's sampled sites in one call of the workload, if Callgrind needs less than half a
 * second for it. Fills `calls` of the sites; without a count they keep NaN.
 * returns  false if no process could be started */
bool kg_call_count(const struct kg_session *session, size_t index, struct kg_error *err);

/* Counts the lines of a case that is looked into: all calls where its instructions are a metric. */
kg_hot_step kg_lines_step;
