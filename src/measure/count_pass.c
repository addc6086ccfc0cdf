#include "measure/count_pass.h"

#include <math.h>
#include <signal.h>
#include <string.h>

#include "measure/case_attempt.h"
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

/* Why there is no count. The check has passed, and rounds that fail will say so themselves: what
 * fails under a tool alone is no fault of the case. */
static bool not_counted(struct pass *pass, size_t index, const struct kg_attempt *attempt,
                        struct kg_counter *counter)
{
    struct kg_results *results = &pass->measurement->results;
    const char **note = &results->cases[index].note;
    const bool unknown = pass->tool.source == KG_COUNT_BY_CALLGRIND && attempt->signal == SIGILL;
    const char *reason = kg_arena_printf(
        &results->arena, "its instructions were not counted%s%s%s", attempt->reason ? ": " : "",
        attempt->reason ? attempt->reason : "",
        unknown ? "; Valgrind does not know all that this processor can do, such as AVX-512" : "");
    *note = *note && reason ? kg_arena_printf(&results->arena, "%s; %s", *note, reason) : reason;
    counter->reason = reason;
    return *note ? true : kg_error_memory(pass->err);
}

/* One count of a case. *counted  whether there was one; else the counter says why not */
static bool count_once(struct pass *pass, size_t index, struct kg_counter *counter, bool *counted)
{
    struct kg_measurement *measurement = pass->measurement;
    struct kg_task_options options = {0};
    struct kg_attempt attempt;
    *counted = false;
    kg_count_tool_apply(&pass->tool, measurement, index, &options);
    if (!kg_case_attempt(measurement, index, &options, "counted them", &attempt, pass->err))
        return false;
    const double instructions =
        kg_count_tool_take(&pass->tool, measurement, index, &options, &attempt.response)
            .instructions;
    if (attempt.interrupted)
        return true;
    *counted = attempt.response.good && !isnan(instructions);
    if (*counted)
        return kg_case_value_append(measurement, counter, instructions, pass->err);
    /* what was counted before that stays */
    return counter->value_count || not_counted(pass, index, &attempt, counter);
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
    bool counted = pass->tool.source != KG_COUNT_BY_NOTHING;
    if (!counter)
        return false;
    for (int i = 0;
         counted && !kg_interrupt_caught() && i < (repeats(counter) ? COUNTS : COUNTS_MOST); i++)
        if (!count_once(pass, index, counter, &counted))
            return false;
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
