/* The commands that show more about a case: external tools around `kgate run` of only this case. */
#include <string.h>

#include "base/escape.h"
#include "why/explanation.h"

/* A tool should see mainly the workload's calls. LONG measures only the time, because counting
 * instructions may be a simulation. It measures for long, because the tool also sees the set-up. */
static const char FEW_CALLS[] = " --set rounds.min=1 --set trace=no";
static const char LONG[] = KG_DEEPER_LONG;

/* The tools. Each must follow the processes that kgate starts: perf and nsys do so by default,
 * ncu by an option. The number of rounds is minimal, because a run under a tool is no
 * measurement. */
static const struct tool {
    const char *device; /* device of its cases; NULL: all cases */
    const char *shows;
    const char *before; /* text before `kgate run …` */
    const char *settings;
    const char *after;
    bool kernel;   /* shows one kernel by name: the kernel with the most time */
    bool profiles; /* records a profile */
} tools[] = {
    {NULL, "time by scopes", "", FEW_CALLS, " --profile && kgate report deeper.json --format tree",
     false, true},
    {"cpu", "instructions, branches and cache misses, including set-up and check", "perf stat -d ",
     LONG, "", false, false},
    {"cpu", "functions with their callers, including set-up and check",
     "perf record -g -o deeper.perf ", LONG, " && perf report -i deeper.perf", false, false},
    {"cuda", "host, launches, copies and kernels on one timeline",
     "nsys profile --trace=cuda,nvtx,osrt --force-overwrite=true -o deeper ", FEW_CALLS, "", false,
     false},
    {"cuda", "stalls, caches, occupancy and roofline of each kernel",
     "ncu --target-processes all --set full --launch-count 20 --force-overwrite -o deeper ",
     FEW_CALLS, "", true, false},
};
enum { TOOL_COUNT = sizeof tools / sizeof *tools };

/* Appends "--kernel-name regex:copy_plain " for "ns::copy_plain<float, 4>", which the tool names
 * differently. */
static void kernel_append(const struct kg_case_result *result, struct kg_text *text)
{
    static const char IDENTIFIER[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    const struct kg_kernel_use *most = kg_trace_main_kernel(&result->trace);
    if (!most)
        return;
    const size_t whole = strcspn(most->name, "<(");
    size_t from = whole;
    while (from && strchr(IDENTIFIER, most->name[from - 1]))
        from--;
    if (from < whole)
        kg_text_printf(text, "--kernel-name regex:%.*s ", (int)(whole - from), most->name + from);
}

bool kg_deeper_possible(const struct kg_results *results)
{
    return results->suite_path && *results->suite_path;
}

void kg_deeper_run(const struct kg_results *results, const struct kg_case_result *result,
                   const char *settings, struct kg_text *text)
{
    kg_text_append(text, "kgate run -c ");
    kg_shell_quote(text, results->suite_path);
    kg_text_append(text, " --filter ");
    kg_shell_quote_glob(text, result->id);
    if (!strcmp(result->device, "cuda") && results->machine.gpu_chosen)
        kg_text_printf(text, " --device cuda:%zu", results->machine.gpu_chosen);
    kg_text_printf(text, "%s -o deeper.json", settings);
}

/* The tool's phrase, with a warning if the workload's own metrics override the command's
 * settings. */
static const char *shows(const struct tool *tool, const struct kg_case_result *result,
                         struct kg_arena *arena)
{
    const bool counted = result->metrics & 1U << KG_METRIC_INSTRUCTIONS;
    return tool->settings == LONG && counted
               ? kg_arena_printf(
                     arena,
                     "%s (includes kgate's counting, if the workload itself sets `metrics` with "
                     "instructions)",
                     tool->shows)
               : tool->shows;
}

void kg_deeper_find(const struct kg_results *results, const struct kg_case_result *result,
                    struct kg_arena *arena, struct kg_deeper **deeper, size_t *count)
{
    *count = 0;
    *deeper = kg_arena_alloc(arena, TOOL_COUNT, sizeof **deeper);
    const size_t tool_count = kg_deeper_possible(results) ? TOOL_COUNT : 0;
    for (size_t i = 0; i < tool_count; i++) {
        struct kg_text text = {0};
        if ((tools[i].device && strcmp(tools[i].device, result->device) != 0) ||
            (tools[i].profiles && (results->profile || results->no_profile))) /* already done */
            continue;
        kg_text_append(&text, tools[i].before);
        if (tools[i].kernel)
            kernel_append(result, &text);
        kg_deeper_run(results, result, tools[i].settings, &text);
        kg_text_append(&text, tools[i].after);
        const char *command = kg_arena_copy(arena, kg_text_string(&text));
        kg_text_free(&text);
        const char *phrase = shows(&tools[i], result, arena);
        (*deeper)[(*count)++] = (struct kg_deeper){phrase, command};
    }
}
