#include "run/extra_passes.h"

#include <math.h>
#include <string.h>

#include "model/series.h"
#include "run/case_counters.h"
#include "run/group.h"
#include "run/pass.h"
#include "run/worker/cupti_counters.h"

struct pass {
    const struct kg_session *session;
    struct kg_group group; /* CUPTI and the context are loaded once for all cases */
    size_t hung;           /* cases in a row, up to the last, that timed out */
    struct kg_error *err;
};

/* One case may be slow under CUPTI by itself. Two in a row: whatever comes next is likely to hang for
 * the same reason, and each costs a time limit. */
enum { HUNG_MOST = 2 };

static bool wanted(const struct kg_session *session, size_t index)
{
    return kg_case_on_stream(&session->plan->cases[index]) && kg_pass_observes(session, index);
}

/* A trace without figures. */
static void reason_set(struct pass *pass, size_t index, const char *reason)
{
    struct kg_trace *trace = &pass->session->results->cases[index].trace;
    *trace = (struct kg_trace)KG_TRACE_NONE;
    trace->reason = reason;
}

/* The case's series with room for all of the hardware's counters. */
static struct kg_series *counters_grow(struct pass *pass, struct kg_case_result *result)
{
    return kg_series_grow(&pass->session->results->arena, result, KG_CUPTI_METRICS);
}

/* Adds the hardware's counts. A count that the hardware did not give is left out: a counter without
 * a value would mean a failed comparison. */
static void counters_add(struct pass *pass, size_t index, const struct kg_response *response)
{
    struct kg_case_result *result = &pass->session->results->cases[index];
    struct kg_series *counters = counters_grow(pass, result);
    for (size_t i = 0; i < KG_CUPTI_METRICS; i++) {
        const double value = kg_reported_find(response, kg_cupti_metrics[i].name);
        if (!kg_series_value_good(value))
            continue;
        struct kg_series *counter = &counters[result->series_count++];
        *counter = (struct kg_series){.name = kg_cupti_metrics[i].name,
                                      .source = KG_SERIES_OF_CUPTI,
                                      .better = kg_cupti_metrics[i].better,
                                      .threshold = NAN};
        kg_case_value_append(pass->session, counter, value);
    }
}

/* An answer counts even if the process crashes at its end: tools that hook into the driver are known
 * to crash when it is unloaded. */
static bool case_trace(struct pass *pass, size_t index)
{
    const struct kg_task_options options = {
        .task = KG_TASK_TRACE, .patience = 1, .what = "traced a call"};
    struct kg_results *results = pass->session->results;
    struct kg_answer answer;
    if (!kg_group_ask(&pass->group, pass->session, index, &options, &results->arena, &answer,
                      pass->err))
        return false;
    pass->hung = answer.ending == KG_ENDED_TIMEOUT ? pass->hung + 1 : 0;
    if (answer.reason)
        reason_set(pass, index, answer.reason);
    if (answer.response.good) {
        results->cases[index].trace = answer.response.trace;
        counters_add(pass, index, &answer.response);
    }
    return true;
}

static bool same_pairs(const struct kg_case *a, const struct kg_case *b)
{
    if (a->param_count != b->param_count)
        return false;
    for (size_t i = 0; i < a->param_count; i++)
        if (strcmp(a->params[i].name, b->params[i].name) != 0 ||
            strcmp(a->params[i].value, b->params[i].value) != 0)
            return false;
    return true;
}

/* An earlier case whose calls put equal work on the device; `index` itself if there is none. Cases
 * that differ only in their timing are neighbours in the plan. */
static size_t twin_find(const struct kg_session *session, size_t index)
{
    const struct kg_case *cases = session->plan->cases;
    for (size_t i = index; i-- > 0 && cases[i].spec == cases[index].spec;)
        if (wanted(session, i) && cases[i].device == cases[index].device &&
            same_pairs(&cases[i], &cases[index]))
            return i;
    return index;
}

/* Takes over the twin's trace and counters; both live as long as the results. */
static void twin_copy(struct pass *pass, size_t from, size_t to)
{
    struct kg_results *results = pass->session->results;
    const struct kg_case_result *twin = &results->cases[from];
    struct kg_case_result *result = &results->cases[to];
    struct kg_series *counters = counters_grow(pass, result);
    for (size_t i = 0; i < twin->series_count; i++)
        if (!strcmp(twin->series[i].source, KG_SERIES_OF_CUPTI))
            counters[result->series_count++] = twin->series[i];
    result->trace = twin->trace;
}

static bool case_do(const struct kg_session *session, size_t index, void *user,
                    struct kg_error *err)
{
    struct pass *pass = user;
    pass->session = session;
    const size_t twin = twin_find(session, index);
    pass->err = err;
    if (twin != index) {
        twin_copy(pass, twin, index);
        return true;
    }
    if (pass->hung < HUNG_MOST)
        return case_trace(pass, index);
    reason_set(pass, index, "not traced: the processes that traced two cases before it timed out");
    return true;
}

static void pass_end(void *state)
{
    kg_group_end(&((struct pass *)state)->group);
}

const struct kg_observer kg_trace_observer = {
    .pass = {.verb = "tracing", .wanted = wanted, .each = case_do, .stored = true},
    .state_bytes = sizeof(struct pass),
    .end = pass_end};
