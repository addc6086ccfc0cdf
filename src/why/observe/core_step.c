#include "why/observe/hot_steps.h"

#include <math.h>
#include <string.h>

#include "run/case_worker.h"
#include "run/counting/count_tool.h"

/* Long enough for multiplexed counters, which alternate every few milliseconds. */
static const double COUNTED_NS = 100e6, CALLS_MOST = 1e6;
/* Instructions that the widest current core retires per cycle, with a margin for fused pairs. */
static const double PER_CYCLE_MOST = 10;

/* Stores the counts in the form of results. If they contradict each other, `core` gets a reason
 * and no counts.
 * counts  per call; NaN: not counted */
static void counts_take(const double counts[KG_CORE_EVENTS], struct kg_core_counts *core)
{
    const struct kg_topdown topdown = kg_topdown_of(counts);
    if (!(counts[KG_CORE_CYCLES] > 0) ||
        counts[KG_CORE_INSTRUCTIONS] > PER_CYCLE_MOST * counts[KG_CORE_CYCLES] ||
        counts[KG_CORE_MISPREDICTED] > counts[KG_CORE_BRANCHES] ||
        counts[KG_CORE_BRANCHES] > counts[KG_CORE_INSTRUCTIONS]) {
        core->reason = "the processor's counters contradict each other";
        return;
    }
    *core = (struct kg_core_counts){.source = kg_count_source_names[KG_COUNT_BY_PERF],
                                    .cycles = counts[KG_CORE_CYCLES],
                                    .instructions = counts[KG_CORE_INSTRUCTIONS],
                                    .branches = counts[KG_CORE_BRANCHES],
                                    .mispredicted = counts[KG_CORE_MISPREDICTED],
                                    .cache_references = counts[KG_CORE_CACHE_REFERENCES],
                                    .cache_misses = counts[KG_CORE_CACHE_MISSES],
                                    .stalled_frontend = counts[KG_CORE_STALLED_FRONTEND],
                                    .stalled_backend = counts[KG_CORE_STALLED_BACKEND],
                                    .retiring = topdown.retiring,
                                    .bad_speculation = topdown.bad_speculation,
                                    .frontend_bound = topdown.frontend_bound,
                                    .backend_bound = topdown.backend_bound,
                                    .memory_bound = topdown.memory_bound};
}

static void response_read(const struct kg_response *response, double counts[KG_CORE_EVENTS])
{
    for (size_t event = 0; event < KG_CORE_EVENTS; event++) {
        counts[event] = NAN;
        for (size_t i = 0; i < response->reported_count; i++)
            if (!strcmp(response->reported[i].name, kg_core_event_names[event]))
                counts[event] = response->reported[i].value;
    }
}

static uint64_t calls_choose(const struct kg_case_result *result)
{
    const double call_ns =
        result->round_count ? result->rounds[result->round_count - 1].median_ns : NAN;
    const double calls = COUNTED_NS / call_ns;
    return calls >= 1 ? (uint64_t)fmin(calls, CALLS_MOST) : 1;
}

bool kg_core_step(const struct kg_session *session, size_t index, struct kg_hot_look *look,
                  struct kg_error *err)
{
    struct kg_case_result *result = &session->results->cases[index];
    const struct kg_task_options options = {.task = KG_TASK_COUNT,
                                            .patience = 1,
                                            .batch = calls_choose(result),
                                            .count_source = kg_count_source_names[KG_COUNT_BY_PERF],
                                            .count_core = true,
                                            .what = "counted its processor events"};
    double counts[KG_CORE_EVENTS];
    struct kg_answer answer;
    (void)look;
    if (!kg_counting_perf_usable())
        return true;
    if (!kg_worker_ask(session, index, &options, &session->results->arena, &answer, err))
        return false;
    result->hot.core.reason = answer.reason;
    if (!answer.response.good)
        return true;
    response_read(&answer.response, counts);
    counts_take(counts, &result->hot.core);
    return true;
}
