#include "measure/pass.h"

#include "measure/case_worker.h"

static bool case_do(const struct kg_pass *pass, struct kg_measurement *measurement, size_t index,
                    void *user, struct kg_error *err)
{
    const struct kg_case_result *result = &measurement->results.cases[index];
    kg_measurement_progress(measurement, result->id);
    if (!pass->each(measurement, index, user, err))
        return false;
    return !pass->stored || !measurement->journaled ||
           kg_journal_case(&measurement->journal, index, result, err);
}

bool kg_pass_run(const struct kg_pass *pass, struct kg_measurement *measurement, void *user,
                 struct kg_error *err)
{
    const struct kg_results *results = &measurement->results;
    for (size_t i = 0; i < results->case_count && !kg_interrupt_caught(); i++)
        if (pass->wanted(measurement, i) && !case_do(pass, measurement, i, user, err))
            return kg_error_wrap(err, "%s '%s'", pass->verb, results->cases[i].id);
    return true;
}

size_t kg_pass_first(const struct kg_measurement *measurement,
                     bool (*wanted)(const struct kg_measurement *measurement, size_t index))
{
    size_t i = 0;
    while (i < measurement->results.case_count && !wanted(measurement, i))
        i++;
    return i;
}

bool kg_pass_observes(const struct kg_measurement *measurement, size_t index)
{
    return measurement->plan->cases[index].spec->settings.trace == KG_TRACING_YES &&
           kg_case_measurable(&measurement->results.cases[index]);
}
