#include "why/observe/observe.h"

#include "base/process/guard.h"
#include "run/extra_passes.h"
#include "why/observe/hot_pass.h"
#include "why/observe/hot_steps.h"

/* In this order: the function profile takes over counts of the counters. */
static const struct kg_observer *const observers[] = {
    &kg_ceilings_observer, &kg_cpu_counters_observer, &kg_hot_observer, &kg_trace_observer};

void kg_observe(const struct kg_session *session, struct kg_advice *advice)
{
    kg_guard_watch(true); /* observers trace workloads */
    for (size_t i = 0; i < sizeof observers / sizeof *observers; i++)
        kg_observer_run(observers[i], session, advice);
    kg_guard_watch(false);
}
