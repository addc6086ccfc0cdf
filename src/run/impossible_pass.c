#include "run/extra_passes.h"

#include "run/case_worker.h"
#include "run/cpu_ceilings_pass.h"
#include "run/run.h"

enum { REASON_BYTES = 256 };

/* The first from `index` on that is faster than the machine; all of them where none is. */
static size_t impossible_next(const struct kg_measurement *measurement,
                              const struct kg_cpu_ceilings *cpu, size_t index,
                              char reason[REASON_BYTES])
{
    const struct kg_results *results = &measurement->results;
    for (; index < results->case_count; index++) {
        const struct kg_case_result *result = &results->cases[index];
        if (result->status == KG_STATUS_OK &&
            !measurement->plan->cases[index].spec->setting.format &&
            kg_case_impossible(cpu, &results->ceilings, result, reason, REASON_BYTES))
            break;
    }
    return index;
}

bool kg_impossible_refuse(struct kg_measurement *measurement, struct kg_error *err)
{
    char reason[REASON_BYTES];
    struct kg_cpu_ceilings cpu;
    const size_t count = measurement->results.case_count;
    kg_measurement_summarize(measurement);
    kg_cpu_ceilings_known(measurement, &cpu);
    size_t i = impossible_next(measurement, &cpu, 0, reason);
    if (i == count || kg_interrupt_caught())
        return true;
    if (!kg_cpu_ceilings_renew(measurement, i, &cpu, err))
        return false;
    kg_measurement_summarize(measurement);
    for (i = 0; (i = impossible_next(measurement, &cpu, i, reason)) < count; i++)
        if (!kg_case_fail(measurement, i, reason, "", err))
            return false;
    kg_measurement_summarize(measurement);
    return true;
}
