/* count_tool.h: the tool that counts instructions and cache lines on this machine: perf_event if
 * this process may use it, else Valgrind's Callgrind. */
#pragma once

#include "run/case_worker.h"
#include "run/timing/counting.h"

enum kg_count_source { KG_COUNT_BY_PERF, KG_COUNT_BY_CALLGRIND, KG_COUNT_BY_NOTHING };
extern const char *const kg_count_source_names[4]; /* "perf", "callgrind", "none" */

enum { KG_COUNT_PATH_BYTES = 4096, KG_COUNT_ARGUMENTS = 16, KG_COUNT_REASON_BYTES = 512 };

struct kg_count_tool {
    enum kg_count_source source;
    char reason[KG_COUNT_REASON_BYTES]; /* KG_COUNT_BY_NOTHING: why there is no tool */
    char valgrind[KG_COUNT_PATH_BYTES];
    char folder[KG_COUNT_PATH_BYTES]; /* folder of Callgrind's files */
    char output[KG_COUNT_PATH_BYTES + 40];
    const char *arguments[KG_COUNT_ARGUMENTS]; /* arguments of the latest options */
};

/* Finds the tool. Without one, or without a folder for Callgrind's files, nothing is counted. */
void kg_count_tool_open(struct kg_count_tool *tool);
/* Finds Callgrind only, which counts by line and simulates branches. */
void kg_count_tool_simulate(struct kg_count_tool *tool);
void kg_count_tool_close(struct kg_count_tool *tool);

/* Turns `options` into those of a process that counts a case. The caller has set `batch`,
 * `count_lines` and `count_options`. The new options refer to the tool, and are valid until its next
 * use. */
void kg_count_tool_apply(struct kg_count_tool *tool, const struct kg_session *session, size_t index,
                         struct kg_task_options *options);

/* An addition to the reason of a failed answer; "" if there is none. */
const char *kg_count_tool_hint(const struct kg_count_tool *tool, const struct kg_answer *answer);

/* The counts per call of such a process. They come from its response, or from its files, which the
 * function removes. */
struct kg_counts kg_count_tool_take(const struct kg_count_tool *tool,
                                    const struct kg_session *session, size_t index,
                                    const struct kg_task_options *options,
                                    const struct kg_response *response);
