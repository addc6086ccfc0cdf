#include "run/extra_passes.h"

#include <math.h>

#include "model/series.h"
#include "run/case_counters.h"
#include "run/case_worker.h"
#include "run/counting/count_tool.h"
#include "run/pass.h"

/* Counts of equal work are usually equal. Three counts show whether they are. If not, a statistical
 * test needs more. */
enum { COUNTS = 3, COUNTS_MOST = 12 };
static const double REPEATS = 1e-3;

struct pass {
    const struct kg_session *session;
    struct kg_count_tool tool;
    struct kg_error *err;
};

/* Notes why there is no count. The case is not FAILED for it: its check has passed, and only the
 * counting tool failed. */
static void not_counted(const struct pass *pass, size_t index, const struct kg_answer *answer,
                        struct kg_series *counter)
{
    struct kg_results *results = pass->session->results;
    const char **note = &results->cases[index].note;
    counter->reason = kg_arena_printf(
        &results->arena, "its instructions were not counted%s%s%s", answer->reason ? ": " : "",
        answer->reason ? answer->reason : "", kg_count_tool_hint(&pass->tool, answer));
    *note = *note ? kg_arena_printf(&results->arena, "%s; %s", *note, counter->reason)
                  : counter->reason;
}

/* Counts a case once. *counted is false on failure: the counter then has the reason. */
static bool count_once(struct pass *pass, size_t index, struct kg_series *counter, bool *counted)
{
    const struct kg_session *session = pass->session;
    struct kg_task_options options = {.what = "counted them"};
    struct kg_answer answer;
    *counted = false;
    kg_count_tool_apply(&pass->tool, session, index, &options);
    if (!kg_worker_ask(session, index, &options, &session->results->arena, &answer, pass->err))
        return false;
    const double instructions =
        kg_count_tool_take(&pass->tool, session, index, &options, &answer.response).instructions;
    if (answer.ending == KG_ENDED_INTERRUPT)
        return true;
    *counted = answer.response.good && !isnan(instructions);
    if (*counted)
        kg_case_value_append(session, counter, instructions);
    else if (!counter->value_count) /* values of earlier counts are kept */
        not_counted(pass, index, &answer, counter);
    return true;
}

/* A further counter of a case. */
static struct kg_series *counter_add(struct pass *pass, size_t index)
{
    const struct kg_session *session = pass->session;
    struct kg_case_result *result = &session->results->cases[index];
    struct kg_series *series = kg_series_grow(&session->results->arena, result, 1);
    struct kg_series *added = &series[result->series_count++];
    *added = (struct kg_series){
        .name = kg_metric_kind_names[KG_METRIC_INSTRUCTIONS],
        .source = kg_count_source_names[pass->tool.source],
        .better = kg_metric_rows[KG_METRIC_INSTRUCTIONS].better,
        .threshold = session->plan->cases[index].spec->settings.thresholds[KG_METRIC_INSTRUCTIONS]};
    if (pass->tool.source == KG_COUNT_BY_NOTHING)
        added->reason = kg_arena_copy(&session->results->arena, pass->tool.reason);
    return added;
}

static bool repeats(const struct kg_series *counter)
{
    for (size_t i = 1; i < counter->value_count; i++)
        if (fabs(counter->values[i] / counter->values[0] - 1) > REPEATS)
            return false;
    return true;
}

static bool case_count(const struct kg_session *session, size_t index, void *user,
                       struct kg_error *err)
{
    struct pass *pass = user;
    pass->err = err;
    struct kg_series *counter = counter_add(pass, index);
    bool counted = pass->tool.source != KG_COUNT_BY_NOTHING;
    (void)session;
    for (int i = 0;
         counted && !kg_interrupt_caught() && i < (repeats(counter) ? COUNTS : COUNTS_MOST); i++)
        if (!count_once(pass, index, counter, &counted))
            return false;
    return true;
}

static bool wanted(const struct kg_session *session, size_t index)
{
    const struct kg_case_result *result = &session->results->cases[index];
    /* of work on the GPU the processor executes only the launches */
    return result->metrics & 1u << KG_METRIC_INSTRUCTIONS && kg_case_measurable(result) &&
           !kg_case_on_stream(&session->plan->cases[index]);
}

bool kg_count_pass(const struct kg_session *session, struct kg_error *err)
{
    static const struct kg_pass pass = {
        .verb = "counting instructions of", .wanted = wanted, .each = case_count, .stored = true};
    struct pass own = {.session = session};
    if (kg_pass_first(session, wanted) == session->results->case_count)
        return true;
    kg_count_tool_open(&own.tool);
    const bool good = kg_pass_run(&pass, session, &own, err);
    kg_count_tool_close(&own.tool);
    return good;
}
