#include "why/observe/hot_steps.h"

#include <math.h>
#include <string.h>

#include "base/statistics/stats.h"
#include "run/case_worker.h"
#include "run/counting/count_tool.h"
#include "run/pass.h"
#include "why/observe/hot_pass.h"
#include "why/observe/line_count.h"

/* After the first call has warmed the caches, each further call moves the same lines. Counting
 * several calls makes the harness's own lines a small part. */
enum { LINE_CALLS_MOST = 8 };

/* Work divided among threads may be rounded up per thread. */
static const double SAME_WORK = 0.01;

struct pass {
    const struct kg_session *session;
    struct kg_count_tool tool;
    struct kg_error *err;
};

/* --- Selection of cases ----------------------------------------------------------------------- */

static bool looked_at(const struct kg_session *session, size_t index)
{
    return session->plan->cases[index].device == KGATE_DEVICE_CPU &&
           kg_pass_observes(session, index);
}

/* Whether the case may use several threads. Programs of their own choose their threads
 * themselves, and on a single CPU more threads make no difference. */
static bool alone_wanted(const struct kg_session *session, size_t index)
{
    return looked_at(session, index) && session->results->cases[index].threads > 1 &&
           !kg_session_own_process(session, index) && kg_case_pin(session, index) < 0;
}

static bool lines_wanted(const struct kg_session *session, size_t index)
{
    return looked_at(session, index) &&
           session->results->cases[index].metrics & 1u << KG_METRIC_INSTRUCTIONS;
}

/* --- Observing -------------------------------------------------------------------------------- */

static void reason_add(struct pass *pass, size_t index, const char *reason)
{
    struct kg_results *results = pass->session->results;
    const char **kept = &results->cases[index].look.reason;
    if (!reason)
        return;
    *kept = *kept ? kg_arena_printf(&results->arena, "%s; %s", *kept, reason) : reason;
}

/* Whether the workload's work differs between one thread and all threads. If each thread adds
 * work, the time of one thread does not show the gain of the others. Bytes may include workspace
 * per thread, so they count only if nothing else is described.
 * reason  the difference; NULL: the same work, or no description */
static void other_work(struct kg_arena *arena, const struct kg_case_work *all,
                       const struct kg_case_work *alone, const char **reason)
{
    const struct {
        const char *name;
        double all, alone;
    } amounts[] = {{"flops", all->flops, alone->flops},
                   {"items", all->items, alone->items},
                   {"bytes", all->bytes, alone->bytes}};
    enum { AMOUNTS = sizeof amounts / sizeof amounts[0], BYTES = AMOUNTS - 1 };
    bool described = false;
    *reason = NULL;
    for (size_t i = 0; i < AMOUNTS && !(described && i == BYTES); i++) {
        if (isnan(amounts[i].all) || isnan(amounts[i].alone))
            continue;
        described = true;
        if (fabs(amounts[i].all - amounts[i].alone) <= SAME_WORK * amounts[i].all)
            continue;
        *reason =
            kg_arena_printf(arena, "with one thread it does other work: %.9g %s instead of %.9g",
                            amounts[i].alone, amounts[i].name, amounts[i].all);
        return;
    }
}

/* Measures a round with one thread or with all.
 * time_ns  NaN: no result, or the round did other work */
static bool round_time(struct pass *pass, size_t index, uint64_t threads, double *time_ns)
{
    struct kg_results *results = pass->session->results;
    const struct kg_task_options options = {.task = KG_TASK_ROUND,
                                            .patience = 1,
                                            .threads = threads,
                                            .what = "measured it with one thread"};
    struct kg_answer answer;
    const char *reason = NULL;
    *time_ns = NAN;
    if (!kg_worker_ask(pass->session, index, &options, &results->arena, &answer, pass->err))
        return false;
    const bool good = answer.response.good && answer.response.round_count == 1;
    if (good)
        other_work(&results->arena, &results->cases[index].work, &answer.response.work, &reason);
    if (good && !reason)
        *time_ns = answer.response.rounds[0].median_ns;
    reason_add(pass, index, reason);
    reason_add(pass, index, answer.reason);
    return true;
}

/* Maximum number of a case's rounds that count. */
enum { ROUNDS_MOST = 64 };

static double median_of_rounds(const struct kg_case_result *result, bool busy)
{
    double values[ROUNDS_MOST], scratch[ROUNDS_MOST];
    const size_t count = result->round_count < ROUNDS_MOST ? result->round_count : ROUNDS_MOST;
    for (size_t i = 0; i < count; i++)
        values[i] = busy ? result->rounds[i].cpu_ns / result->rounds[i].mean_ns
                         : result->rounds[i].median_ns;
    return count ? kg_median_of(values, count, scratch) : NAN;
}

/* Measures the time with one thread. Rounds with one thread and with all threads are
 * interleaved, so that fast and slow moments affect both equally. Their ratio times the case's
 * median is the result. If no second CPU is busy, one round with one thread is enough. */
static bool alone_look(struct pass *pass, size_t index)
{
    enum { TURNS = 5 };
    static const double CORES_SHARED = 1.1;
    struct kg_case_result *result = &pass->session->results->cases[index];
    const bool shared = median_of_rounds(result, true) >= CORES_SHARED;
    double ratios[TURNS], scratch[TURNS], alone = NAN, all = NAN;
    size_t count = 0;
    for (size_t i = 0; i < (shared ? TURNS : 1) && !kg_interrupt_caught(); i++) {
        if (!round_time(pass, index, 1, &alone) ||
            (shared && alone > 0 && !round_time(pass, index, 0, &all)))
            return false;
        if (!(alone > 0) || (shared && !(all > 0)))
            break;
        ratios[count++] = shared ? alone / all : alone;
    }
    if (count)
        result->look.alone_ns =
            kg_median_of(ratios, count, scratch) * (shared ? median_of_rounds(result, false) : 1);
    return true;
}

static const char *lines_missing(const struct kg_counts *counts)
{
    if (isnan(counts->instructions))
        return "its cache lines were not counted";
    if (isnan(counts->line_bytes))
        return "this processor does not count the lines that enter its first level of cache";
    return isnan(counts->memory_line_bytes)
               ? "this processor does not count the lines that come from memory"
               : NULL;
}

static void lines_take(struct pass *pass, size_t index, const struct kg_counts *counts)
{
    struct kg_look *look = &pass->session->results->cases[index].look;
    look->instructions = counts->instructions;
    look->line_bytes = counts->line_bytes;
    look->memory_line_bytes = counts->memory_line_bytes;
    if (!isnan(counts->instructions))
        look->source = kg_count_source_names[pass->tool.source];
    reason_add(pass, index, lines_missing(counts));
}

/* By hardware counters. */
static bool lines_by_perf(struct pass *pass, size_t index)
{
    const struct kg_session *session = pass->session;
    const uint64_t batch = session->launcher->batch[index];
    struct kg_task_options options = {.batch = batch < LINE_CALLS_MOST ? batch : LINE_CALLS_MOST,
                                      .count_lines = true,
                                      .what = "counted its cache lines"};
    struct kg_answer answer;
    kg_count_tool_apply(&pass->tool, session, index, &options);
    if (!kg_worker_ask(session, index, &options, &session->results->arena, &answer, pass->err))
        return false;
    const struct kg_counts counts =
        kg_count_tool_take(&pass->tool, session, index, &options, &answer.response);
    if (answer.response.good)
        lines_take(pass, index, &counts);
    else
        reason_add(pass, index, answer.reason);
    return true;
}

/* By Callgrind. If the case is profiled, hot_pass.c counts these figures together with its
 * lines. */
static bool lines_by_callgrind(struct pass *pass, size_t index)
{
    struct kg_counted counted = {0};
    if (kg_hot_wanted(pass->session, index))
        return true;
    if (!kg_line_count(pass->session, index, true, &counted, pass->err))
        return false;
    reason_add(pass, index, counted.reason);
    return true;
}

static bool lines_look(struct pass *pass, size_t index)
{
    switch (pass->tool.source) {
    case KG_COUNT_BY_PERF:
        return lines_by_perf(pass, index);
    case KG_COUNT_BY_CALLGRIND:
        return lines_by_callgrind(pass, index);
    case KG_COUNT_BY_NOTHING:
        break;
    }
    reason_add(pass, index, kg_arena_copy(&pass->session->results->arena, pass->tool.reason));
    return true;
}

static bool wanted(const struct kg_session *session, size_t index)
{
    return alone_wanted(session, index) || lines_wanted(session, index);
}

static bool case_look(const struct kg_session *session, size_t index, void *user,
                      struct kg_error *err)
{
    struct pass *pass = user;
    pass->err = err;
    session->results->cases[index].look = (struct kg_look)KG_LOOK_NONE;
    return (!alone_wanted(session, index) || alone_look(pass, index)) &&
           (!lines_wanted(session, index) || kg_interrupt_caught() || lines_look(pass, index));
}

/* --- The observer ----------------------------------------------------------------------------- */

static void begin(const struct kg_session *session, void *state)
{
    struct pass *pass = state;
    pass->session = session;
    pass->tool.source = KG_COUNT_BY_NOTHING;
    if (kg_pass_first(session, lines_wanted) < session->results->case_count)
        kg_count_tool_open(&pass->tool);
}

static void end(void *state)
{
    kg_count_tool_close(&((struct pass *)state)->tool);
}

const struct kg_observer kg_cpu_counters_observer = {
    .pass = {.verb = "counting", .wanted = wanted, .each = case_look, .stored = true},
    .state_bytes = sizeof(struct pass),
    .begin = begin,
    .end = end};
