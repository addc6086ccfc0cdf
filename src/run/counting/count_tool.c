#include "run/counting/count_tool.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "run/counting/callgrind.h"

/* Callgrind slows code down about fifty times; a hundred times if it simulates caches too. */
static const double CALLGRIND_PATIENCE = 50, CALLGRIND_LINES_PATIENCE = 100;

const char *const kg_count_source_names[4] = {"perf", "callgrind", "none", NULL};
static const char NOTHING[] =
    "this machine does not allow counting instructions (perf_event), and valgrind is not installed";
static const char NO_LINES[] =
    "counting instructions by line needs valgrind, which is not installed";

static void folder_make(struct kg_count_tool *tool)
{
    struct kg_error err;
    if (kg_directory_temporary("count", tool->folder, sizeof tool->folder, &err)) {
        snprintf(tool->output, sizeof tool->output, "--callgrind-out-file=%s/%%p", tool->folder);
        return;
    }
    tool->source = KG_COUNT_BY_NOTHING;
    snprintf(tool->reason, sizeof tool->reason, "no folder for Callgrind's files: %.400s",
             err.message);
}

void kg_count_tool_simulate(struct kg_count_tool *tool)
{
    *tool = (struct kg_count_tool){.source = KG_COUNT_BY_NOTHING};
    if (!kg_callgrind_find(tool->valgrind, sizeof tool->valgrind)) {
        snprintf(tool->reason, sizeof tool->reason, "%s", NO_LINES);
        return;
    }
    tool->source = KG_COUNT_BY_CALLGRIND;
    folder_make(tool);
}

void kg_count_tool_open(struct kg_count_tool *tool)
{
    *tool = (struct kg_count_tool){.source = KG_COUNT_BY_PERF};
    if (kg_counting_perf_usable())
        return;
    kg_count_tool_simulate(tool);
    if (!strcmp(tool->reason, NO_LINES))
        snprintf(tool->reason, sizeof tool->reason, "%s", NOTHING);
}

const char *kg_count_tool_hint(const struct kg_count_tool *tool, const struct kg_answer *answer)
{
    return tool->source == KG_COUNT_BY_CALLGRIND && answer->ending == KG_ENDED_SIGNAL &&
                   answer->code == SIGILL
               ? "; Valgrind does not know all instructions of this processor, such as AVX-512"
               : "";
}

void kg_count_tool_close(struct kg_count_tool *tool)
{
    if (tool->source == KG_COUNT_BY_CALLGRIND) {
        kg_callgrind_take(tool->folder, false);
        rmdir(tool->folder);
    }
    tool->source = KG_COUNT_BY_NOTHING;
}

/* The worker runs under Callgrind, which counts only between the worker's commands. If each call is a
 * process of its own, the worker starts that process under Callgrind instead. */
static void callgrind_apply(struct kg_count_tool *tool, const struct kg_session *session,
                            size_t index, struct kg_task_options *options)
{
    const char **arguments = tool->arguments;
    size_t count = 0;
    options->patience = options->count_lines ? CALLGRIND_LINES_PATIENCE : CALLGRIND_PATIENCE;
    if (kg_session_own_process(session, index)) {
        options->count_directory = tool->folder;
        return;
    }
    arguments[count++] = "valgrind";
    arguments[count++] = "--tool=callgrind";
    arguments[count++] = "--quiet";
    arguments[count++] = "--instr-atstart=no";
    arguments[count++] = tool->output;
    for (size_t i = 0; i < options->count_option_count; i++)
        arguments[count++] = options->count_options[i];
    arguments[count++] = session->launcher->program;
    arguments[count++] = "worker";
    arguments[count] = NULL;
    options->program = tool->valgrind;
    options->arguments = (char *const *)arguments;
}

void kg_count_tool_apply(struct kg_count_tool *tool, const struct kg_session *session, size_t index,
                         struct kg_task_options *options)
{
    options->task = KG_TASK_COUNT;
    options->patience = 1;
    options->count_source = kg_count_source_names[tool->source];
    if (tool->source == KG_COUNT_BY_CALLGRIND)
        callgrind_apply(tool, session, index, options);
}

struct kg_counts kg_count_tool_take(const struct kg_count_tool *tool,
                                    const struct kg_session *session, size_t index,
                                    const struct kg_task_options *options,
                                    const struct kg_response *response)
{
    const bool process = kg_session_own_process(session, index);
    const uint64_t batch = options->batch ? options->batch : session->launcher->batch[index];
    const double calls = process ? 1 : (double)batch;
    if (tool->source != KG_COUNT_BY_CALLGRIND)
        return (struct kg_counts){
            .instructions = kg_reported_find(response, KG_COUNTED_INSTRUCTIONS),
            .line_bytes = kg_reported_find(response, KG_COUNTED_LINE_BYTES),
            .memory_line_bytes = kg_reported_find(response, KG_COUNTED_MEMORY_LINE_BYTES)};
    const struct kg_counts sums = kg_callgrind_take(tool->folder, !process);
    return (struct kg_counts){sums.instructions / calls, sums.line_bytes / calls,
                              sums.memory_line_bytes / calls};
}
