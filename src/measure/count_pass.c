#include "measure/count_pass.h"

#include <math.h>
#include <string.h>

#include "measure/case_counters.h"
#include "measure/count_tool.h"

/* Counts repeat; three show where they do not, and then there are as many as a test needs. */
enum { COUNTS = 3, COUNTS_MOST = 12 };
static const double REPEATS = 1e-3;

struct pass {
    struct kg_measurement *measurement;
    struct kg_count_tool tool;
    struct kg_error *err;
};

/* One count of a case; NaN where the worker gave none. */
static bool count_once(struct pass *pass, size_t index, double *instructions)
{
    struct kg_measurement *measurement = pass->measurement;
    struct kg_arena arena = {0};
    struct kg_response response = {0};
    struct kg_task_options options = {0};
    kg_count_tool_apply(&pass->tool, measurement, index, &options);
    bool good = kg_case_worker_run(measurement, index, &options, &arena, &response, pass->err);
    *instructions = NAN;
    if (good)
        *instructions =
            kg_count_tool_take(&pass->tool, measurement, index, &options, &response).instructions;
    if (good && response.good && isnan(*instructions))
        good = kg_case_fail(measurement, index, "its instructions were not counted", "", pass->err);
    kg_arena_free(&arena);
    return good;
}

/* A further counter of a case. */
static struct kg_counter *counter_add(struct pass *pass, size_t index)
{
    struct kg_measurement *measurement = pass->measurement;
    struct kg_case_result *result = &measurement->results.cases[index];
    struct kg_counter *counters =
        kg_arena_alloc(&measurement->results.arena, result->counter_count + 1, sizeof *counters);
    if (!counters) {
        kg_error_memory(pass->err);
        return NULL;
    }
    if (result->counter_count)
        memcpy(counters, result->counters, result->counter_count * sizeof *counters);
    result->counters = counters;
    counters[result->counter_count] = (struct kg_counter){
        .name = kg_metric_kind_names[KG_METRIC_INSTRUCTIONS],
        .source = kg_count_source_names[pass->tool.source],
        .better = KG_BETTER_LOWER,
        .threshold = measurement->plan->cases[index].spec->settings.instructions_threshold};
    if (pass->tool.source == KG_COUNT_BY_NOTHING)
        counters[result->counter_count].reason = KG_COUNT_NOTHING_WORDS;
    return &counters[result->counter_count++];
}

static bool repeats(const struct kg_counter *counter)
{
    for (size_t i = 1; i < counter->value_count; i++)
        if (fabs(counter->values[i] / counter->values[0] - 1) > REPEATS)
            return false;
    return true;
}

static bool case_count(struct pass *pass, size_t index)
{
    struct kg_measurement *measurement = pass->measurement;
    struct kg_case_result *result = &measurement->results.cases[index];
    struct kg_counter *counter = counter_add(pass, index);
    double instructions;
    if (!counter)
        return false;
    for (int i = 0; pass->tool.source != KG_COUNT_BY_NOTHING && !kg_interrupt_caught() &&
                    i < (repeats(counter) ? COUNTS : COUNTS_MOST);
         i++) {
        if (!count_once(pass, index, &instructions))
            return false;
        if (!kg_case_measurable(result))
            return true;
        if (!isnan(instructions) &&
            !kg_case_value_append(measurement, counter, instructions, pass->err))
            return false;
    }
    return !measurement->journaled ||
           kg_journal_case(&measurement->journal, index, result, pass->err);
}

static bool wanted(const struct kg_measurement *measurement, size_t index)
{
    const struct kg_case_result *result = &measurement->results.cases[index];
    /* of work on the GPU the processor only sees the launching */
    return result->metrics & 1u << KG_METRIC_INSTRUCTIONS && kg_case_measurable(result) &&
           !kg_case_on_stream(&measurement->plan->cases[index]);
}

bool kg_count_pass(struct kg_measurement *measurement, struct kg_error *err)
{
    struct pass pass = {.measurement = measurement, .err = err};
    const struct kg_results *results = &measurement->results;
    size_t first = 0;
    while (first < results->case_count && !wanted(measurement, first))
        first++;
    if (first == results->case_count)
        return true;
    bool good = kg_count_tool_open(&pass.tool, err);
    for (size_t i = first; i < results->case_count && good && !kg_interrupt_caught(); i++) {
        if (!wanted(measurement, i))
            continue;
        kg_measurement_progress(measurement, results->cases[i].id);
        good = case_count(&pass, i);
    }
    kg_count_tool_close(&pass.tool);
    return good;
}
