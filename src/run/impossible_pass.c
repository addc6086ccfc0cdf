#include "run/extra_passes.h"

#include "run/case_worker.h"
#include "run/cpu_ceilings_pass.h"
#include "run/run.h"

enum { REASON_BYTES = 256 };

/* The first case from `index` on that is impossibly fast; the number of cases if there is none. */
static size_t impossible_next(const struct kg_session *session, const struct kg_cpu_ceilings *cpu,
                              size_t index, char reason[REASON_BYTES])
{
    const struct kg_results *results = session->results;
    for (; index < results->case_count; index++) {
        const struct kg_case_result *result = &results->cases[index];
        if (result->status == KG_STATUS_OK && !session->plan->cases[index].spec->setting.format &&
            kg_case_impossible(cpu, &results->ceilings, result, reason, REASON_BYTES))
            break;
    }
    return index;
}

bool kg_impossible_refuse(struct kg_run *run, struct kg_error *err)
{
    char reason[REASON_BYTES];
    struct kg_cpu_ceilings cpu;
    const struct kg_session session = kg_run_session(run);
    const size_t count = run->results.case_count;
    kg_run_summarize(run);
    kg_cpu_ceilings_known(&session, &cpu);
    size_t i = impossible_next(&session, &cpu, 0, reason);
    if (i == count || kg_interrupt_caught())
        return true;
    if (!kg_cpu_ceilings_renew(&session, i, &cpu, err))
        return false;
    kg_run_summarize(run);
    for (i = 0; (i = impossible_next(&session, &cpu, i, reason)) < count; i++)
        if (!kg_case_fail(&session, i, reason, "", err))
            return false;
    kg_run_summarize(run);
    return true;
}
