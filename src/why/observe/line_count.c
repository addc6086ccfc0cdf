#include "why/observe/line_count.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run/case_worker.h"
#include "run/counting/callgrind.h"
#include "run/counting/count_tool.h"
#include "why/observe/callgrind_lines.h"

/* More calls make the simulated caches and branch predictors steadier, and show calls that
 * differ. */
enum { CALLS_MOST = 64, PATH_BYTES = KG_COUNT_PATH_BYTES + 260 };
/* SLOWDOWN: Callgrind takes 50 to 100 times as long. BUDGET_NS: limit for short calls. */
static const double SLOWDOWN = 80, BUDGET_NS = 0.8e9;
/* SIDE_NS: limit for a side of two builds with simulated caches. Without them it takes half of that. */
static const double SIDE_NS = 0.8e9;
/* CUT_NS: longer calls are cut. END_NS: a process that hangs is ended. A command is never cut,
 * because it may be in the middle of a file. It is not counted if it would take longer than
 * COMMAND_NS. */
static const double CUT_NS = 1.8e9, END_NS = 10e9, COMMAND_NS = 2.5e9, COMMAND_END_NS = 60e9;

struct line_count {
    const struct kg_session *session;
    size_t index;
    bool whole;
    bool calls_only; /* neither caches nor branches are simulated; the case's `look` stays */
    struct kg_count_tool tool;
    struct kg_task_options options;
    struct kg_counted *counted;
    struct kg_asked asked;
};

/* --- Amount of work --------------------------------------------------------------------------- */

static bool own_process(const struct line_count *count)
{
    return kg_session_own_process(count->session, count->index);
}

/* CPU time of a call over all threads, because Callgrind runs threads one after the other. */
static double call_ns(const struct line_count *count)
{
    const struct kg_case_result *result = &count->session->results->cases[count->index];
    const struct kg_round *last =
        result->round_count ? &result->rounds[result->round_count - 1] : NULL;
    return last ? fmax(last->cpu_ns, last->median_ns / SLOWDOWN) : NAN;
}

/* Number of calls that fit into the budget.
 * cold  set if no warm-up call fits as well */
static uint64_t calls_choose(const struct line_count *count, bool *cold)
{
    const double fit = BUDGET_NS / (SLOWDOWN * call_ns(count)); /* may be NaN */
    *cold = !count->whole && fit < 2;
    return fit - 1 < 1 || isnan(fit) ? 1 : fit - 1 < CALLS_MOST ? (uint64_t)(fit - 1) : CALLS_MOST;
}

/* Part of the last level of cache that the case's threads can use. It may consist of parts for
 * some cores each. NaN: unknown. */
static double last_level_bytes(const struct kg_session *session, size_t index)
{
    const struct kg_cpu_ceilings *ceilings = &session->results->cpu_ceilings;
    const double threads = (double)session->results->cases[index].threads;
    if (isnan(ceilings->l3_bytes))
        return ceilings->l2_bytes;
    return ceilings->l3_count > threads ? ceilings->l3_bytes / ceilings->l3_count * threads
                                        : ceilings->l3_bytes;
}

/* --- Results of the count --------------------------------------------------------------------- */

static void reason_set(struct line_count *count, const char *reason)
{
    count->counted->reason = reason;
}

/* Reads the same files that kg_callgrind_take sums. */
static bool files_read(struct line_count *count, struct kg_callgrind_lines *lines)
{
    char path[PATH_BYTES];
    bool any = false;
    DIR *directory = opendir(count->tool.folder);
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
        const bool asked_for = strchr(entry->d_name, '.') != NULL;
        if (entry->d_name[0] == '.' || asked_for == own_process(count))
            continue;
        snprintf(path, sizeof path, "%s/%s", count->tool.folder, entry->d_name);
        any |= kg_callgrind_lines_add(lines, path);
    }
    if (directory)
        closedir(directory);
    return any && lines->line_count;
}

static void look_fill(struct line_count *count, const struct kg_counts *sums, double calls)
{
    struct kg_look *look = &count->session->results->cases[count->index].look;
    if (look->source || isnan(calls) || isnan(sums->instructions))
        return;
    look->instructions = sums->instructions / calls;
    look->line_bytes = sums->line_bytes / calls;
    look->memory_line_bytes = sums->memory_line_bytes / calls;
    look->source = kg_count_source_names[KG_COUNT_BY_CALLGRIND];
}

/* Takes the files of the process.
 * any  whether there were any counts */
static void files_take(struct line_count *count, bool cut, uint64_t batch, bool *any)
{
    enum {
        EDGES_MOST = 4096
    }; /* a rare call is the difference, if the other side makes it often */
    struct kg_callgrind_lines lines = {.edges_most = count->calls_only ? EDGES_MOST : 0};
    const double calls = cut ? NAN : own_process(count) ? 1 : (double)batch;
    *any = files_read(count, &lines);
    if (*any)
        kg_callgrind_lines_take(&lines, cut ? 1 : calls, &count->session->results->arena,
                                count->counted);
    kg_callgrind_lines_free(&lines);
    const struct kg_counts sums = kg_callgrind_take(count->tool.folder, !own_process(count));
    if (!*any)
        return;
    count->counted->calls = calls;
    count->counted->source = kg_count_source_names[KG_COUNT_BY_CALLGRIND];
    if (!count->calls_only)
        look_fill(count, &sums, calls);
}

static void answer_take(struct line_count *count, const struct kg_answer *answer)
{
    struct kg_arena *arena = &count->session->results->arena;
    const bool cut =
        !answer->whole && answer->ending == KG_ENDED_EXIT && answer->code == KG_WORKER_COUNT_CUT;
    const uint64_t done = answer->response.batch; /* fewer if they took too long */
    const uint64_t batch = done ? done : count->options.batch;
    bool any = false;
    if (answer->response.good || cut)
        files_take(count, cut, batch, &any);
    if (answer->ending == KG_ENDED_INTERRUPT)
        return;
    if (cut && any) {
        reason_set(count, kg_arena_printf(arena,
                                          "Callgrind was stopped after %.2g s: the amounts cover a "
                                          "part of a call",
                                          CUT_NS / 1e9));
        return;
    }
    if (any)
        return;
    reason_set(count, answer->reason ? kg_arena_printf(arena, "%s%s", answer->reason,
                                                       kg_count_tool_hint(&count->tool, answer))
                                     : "Callgrind wrote no file with its counts");
}

/* --- Counting --------------------------------------------------------------------------------- */

static bool count_start(struct line_count *count, struct kg_error *err)
{
    const struct kg_session *session = count->session;
    const double timeout_ns = session->plan->cases[count->index].spec->settings.timeout_ns;
    char last_level[64];
    const char *simulation[] = {"--cache-sim=yes", "--simulate-wb=yes",  "--branch-sim=yes",
                                "--dump-instr=no", "--collect-jumps=no", last_level};
    enum { SIMULATION = sizeof simulation / sizeof *simulation };
    kg_callgrind_last_level(last_level_bytes(session, count->index), last_level, sizeof last_level);
    count->options =
        (struct kg_task_options){.count_lines = true,
                                 .count_options = simulation,
                                 .count_option_count = *last_level ? SIMULATION : SIMULATION - 1,
                                 .count_time_ns = count->whole || own_process(count) ? 0 : CUT_NS,
                                 .what = "counted its lines"};
    if (count->calls_only)
        count->options.count_option_count = 0;
    count->options.batch = count->calls_only ? 1 : calls_choose(count, &count->options.count_cold);
    kg_count_tool_apply(&count->tool, session, count->index, &count->options);
    if (!count->whole)
        count->options.patience = (own_process(count) ? COMMAND_END_NS : END_NS) / timeout_ns;
    return kg_worker_start(session, count->index, &count->options, &count->asked, err);
}

static void count_finish(struct line_count *count)
{
    struct kg_answer answer;
    kg_worker_answer(&count->asked, &count->session->results->arena, &answer);
    answer_take(count, &answer);
}

/* Whether a command would run too long under Callgrind. If the suite asks for its instructions,
 * it is counted anyway. */
static bool too_long(const struct line_count *count)
{
    return own_process(count) && !count->whole && SLOWDOWN * call_ns(count) > COMMAND_NS;
}

static void too_long_set(struct line_count *count)
{
    reason_set(count, kg_arena_printf(&count->session->results->arena,
                                      "not counted: a call would take about %.2g s under "
                                      "Callgrind, and kgate cannot cut a command short. To count "
                                      "it: `metrics: [time, instructions]`",
                                      SLOWDOWN * call_ns(count) / 1e9));
}

bool kg_line_count(const struct kg_session *session, size_t index, bool whole,
                   struct kg_counted *counted, struct kg_error *err)
{
    struct line_count count = {
        .session = session, .index = index, .whole = whole, .counted = counted};
    kg_count_tool_simulate(&count.tool);
    bool good = true;
    if (count.tool.source == KG_COUNT_BY_NOTHING)
        reason_set(&count, kg_arena_copy(&session->results->arena, count.tool.reason));
    else if (too_long(&count))
        too_long_set(&count);
    else if ((good = count_start(&count, err)))
        count_finish(&count);
    kg_count_tool_close(&count.tool);
    return good;
}

/* Starts to count the calls of a side, unless that takes too long.
 * started  whether there is something to finish */
static bool side_start(struct line_count *count, bool *started, struct kg_error *err)
{
    *started = false;
    if (!(SLOWDOWN * call_ns(count) <= SIDE_NS))
        return true;
    kg_count_tool_simulate(&count->tool);
    if (count->tool.source == KG_COUNT_BY_NOTHING)
        return true;
    return *started = count_start(count, err);
}

bool kg_calls_count(const struct kg_session *const sides[2], size_t index,
                    struct kg_counted counted[2], struct kg_error *err)
{
    struct line_count counts[2];
    bool started[2] = {false, false}, good = true;
    for (size_t side = 0; side < 2; side++) {
        counted[side] = (struct kg_counted){.calls = NAN};
        counts[side] = (struct line_count){
            .session = sides[side], .index = index, .calls_only = true, .counted = &counted[side]};
        good = good && side_start(&counts[side], &started[side], err);
    }
    for (size_t side = 0; side < 2; side++) {
        if (started[side])
            count_finish(&counts[side]);
        kg_count_tool_close(&counts[side].tool);
        kg_counted_sites(&counted[side], &sides[side]->results->cases[index].hot.sampled);
    }
    return good;
}

bool kg_lines_step(const struct kg_session *session, size_t index, struct kg_hot_look *look,
                   struct kg_error *err)
{
    struct kg_case_result *result = &session->results->cases[index];
    const bool whole = result->metrics & 1u << KG_METRIC_INSTRUCTIONS;
    (void)look;
    const bool good = kg_line_count(session, index, whole, &result->hot.counted, err);
    kg_counted_sites(&result->hot.counted, &result->hot.sampled);
    return good;
}
