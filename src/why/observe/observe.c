#include "why/observe/observe.h"

#include "base/process/guard.h"
#include "run/ceilings_pass.h"
#include "run/extra_passes.h"
#include "why/observe/hot_pass.h"
#include "why/observe/hot_steps.h"

void kg_observe(struct kg_measurement *measurement, struct kg_advice *advice)
{
    struct kg_error err;
    kg_guard_watch(true); /* the passes below trace workloads */
    kg_advice_take(advice, kg_ceilings_pass(measurement, &err), "no ceilings of the GPU", &err);
    kg_cpu_counters_pass(measurement, advice);
    kg_hot_pass(measurement, advice);
    kg_trace_pass(measurement, advice);
    kg_guard_watch(false);
}
