/* count_tool.h: the tool that counts instructions and cache lines on this machine: perf_event where
 * it is allowed, else Valgrind's Callgrind. */
#pragma once
#include <stdbool.h>

#include "run/case_worker.h"
#include "run/timing/counting.h"

enum kg_count_source { KG_COUNT_BY_PERF, KG_COUNT_BY_CALLGRIND, KG_COUNT_BY_NOTHING };
extern const char *const kg_count_source_names[4]; /* "perf", "callgrind", "none" */

enum { KG_COUNT_PATH_BYTES = 4096, KG_COUNT_ARGUMENTS = 16, KG_COUNT_REASON_BYTES = 512 };

struct kg_count_tool {
    enum kg_count_source source;
    char reason[KG_COUNT_REASON_BYTES]; /* why nothing is counted: KG_COUNT_BY_NOTHING */
    char valgrind[KG_COUNT_PATH_BYTES];
    char folder[KG_COUNT_PATH_BYTES]; /* of Callgrind's files */
    char output[KG_COUNT_PATH_BYTES + 40];
    const char *arguments[KG_COUNT_ARGUMENTS]; /* of the latest options */
};

/* Finds the tool. Without one, or without a folder for Callgrind's files, nothing is counted. */
void kg_count_tool_open(struct kg_count_tool *tool);
/* The same of Callgrind alone, which counts by line and simulates branches. */
void kg_count_tool_simulate(struct kg_count_tool *tool);
void kg_count_tool_close(struct kg_count_tool *tool);

/* Turns `options`, in which `batch`, `count_lines` and `count_options` are set, into those of a
 * process that counts a case. They refer to the tool, and are good until its next use. */
void kg_count_tool_apply(struct kg_count_tool *tool, const struct kg_session *session, size_t index,
                         struct kg_task_options *options);

/* What may be added to the reason of an answer that is not good; "" where there is nothing. */
const char *kg_count_tool_hint(const struct kg_count_tool *tool, const struct kg_answer *answer);

/* What such a process counted, for one call: from its response, or from its files, which are
 * removed. */
struct kg_counts kg_count_tool_take(const struct kg_count_tool *tool,
                                    const struct kg_session *session, size_t index,
                                    const struct kg_task_options *options,
                                    const struct kg_response *response);
