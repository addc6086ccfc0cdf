#include "run/pass.h"

#include <stdio.h>

#include "run/case_worker.h"

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

/* "its cache lines were not counted; no thread could be started"; unchanged where memory is out. */
static void reason_add(struct kg_results *results, struct kg_look *look, const char *reason)
{
    const char *joined = look->reason
                             ? kg_arena_printf(&results->arena, "%s; %s", look->reason, reason)
                             : kg_arena_copy(&results->arena, reason);
    look->reason = joined ? joined : look->reason;
}

void kg_pass_look(const struct kg_pass *pass, struct kg_measurement *measurement, void *user,
                  struct kg_advice *advice)
{
    struct kg_results *results = &measurement->results;
    const char *first = NULL;
    char missing[256];
    struct kg_error why, err;
    size_t failed = 0;
    for (size_t i = 0; i < results->case_count && !kg_interrupt_caught(); i++) {
        if (!pass->wanted(measurement, i) || case_do(pass, measurement, i, user, &err) ||
            kg_interrupt_caught())
            continue;
        reason_add(results, &results->cases[i].look, err.message);
        if (!failed++) {
            first = results->cases[i].id;
            why = err;
        }
    }
    snprintf(missing, sizeof missing,
             failed > 1 ? "no profile of '%.120s' and %zu more" : "no profile of '%.120s'",
             first ? first : "", failed - 1);
    kg_advice_take(advice, !failed, missing, &why);
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
