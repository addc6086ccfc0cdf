/* line_count.h: counts a few calls of a case, line by line, on the processor that Callgrind
 * simulates. Counted are instructions, loads and stores, branches and mispredicted branches,
 * misses of two levels of cache, and calls between functions. */
#pragma once
#include <stdbool.h>

#include "why/observe/hot_step.h"

/* Counts a case in a process of its own. `look` of the case gets instructions and cache lines
 * too, unless it has them or the count is partial.
 * whole    true: all calls, however long they take. False: about two seconds under Callgrind,
 *          which simulate some twenty milliseconds
 * counted  filled. `reason`: nothing was counted, or only a part of a call; then `calls` is NaN
 *          and amounts are of that part
 * returns  false if no process could be started */
bool kg_line_count(const struct kg_session *session, size_t index, bool whole,
                   struct kg_counted *counted, struct kg_error *err);

/* Counts the calls of the case's sampled sites in one call of the workload, on each side for which
 * Callgrind needs less than half a second. Both sides run at once: simulated counts do not depend
 * on other processes. Fills `calls` of the sites. Without a count they keep NaN.
 * counted  per side, filled with all calls; its `calls` is NaN without a count
 * returns  false if no process could be started */
bool kg_calls_count(const struct kg_session *const sides[2], size_t index,
                    struct kg_counted counted[2], struct kg_error *err);

/* A step of the hot pass: counts the lines of a case. It counts all calls if instructions are a
 * metric of the case. */
kg_hot_step kg_lines_step;
