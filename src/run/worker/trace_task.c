#include "run/worker/trace_task.h"

#include <math.h>

#include "run/worker/activity.h"
#include "run/worker/cupti.h"
#include "run/worker/cupti_counters.h"
#include "run/worker/gpu_inspect.h"

struct task {
    struct kg_gpu_timer *timer;
    const struct kg_gpu_call *call;
    struct kg_arena *arena;
    struct kg_response *response;
    const char *uncounted; /* why the hardware counted nothing; NULL where it did */
    struct kg_error *err;
};

/* What could not be done is a reason, unless memory is out. */
static bool reason_keep(struct task *task, const struct kg_error *why, const char **reason)
{
    if (why->kind == KG_ERROR_MEMORY)
        return kg_error_memory(task->err);
    *reason = kg_arena_copy(task->arena, why->message);
    return *reason ? true : kg_error_memory(task->err);
}

static bool seen_take(struct task *task, const struct kg_cupti *cupti, struct kg_trace *seen)
{
    struct kg_activities activities;
    struct kg_error why = {0};
    if (!kg_cupti_trace(cupti, &task->timer->driver, task->call, &activities, &why))
        return reason_keep(task, &why, &seen->reason);
    const bool good = kg_activities_summarize(&activities, task->arena, seen, task->err);
    kg_activities_free(&activities);
    return good;
}

static bool counters_take(struct task *task, const struct kg_cupti *cupti)
{
    struct kg_response *response = task->response;
    struct kg_error why = {0};
    response->reported = kg_arena_alloc(task->arena, KG_CUPTI_METRICS, sizeof *response->reported);
    if (!response->reported)
        return kg_error_memory(task->err);
    if (kg_cupti_count(cupti, &task->timer->driver, task->timer->context, task->call,
                       response->reported, &response->reported_count, &why))
        return true;
    response->reported_count = 0;
    return reason_keep(task, &why, &task->uncounted);
}

static bool by_cupti(struct task *task, const char *library, struct kg_trace *seen)
{
    struct kg_cupti cupti;
    struct kg_error why = {0};
    char words[256];
    if (kg_cupti_open(library, task->timer->driver.version, &cupti, words, sizeof words))
        return seen_take(task, &cupti, seen) && counters_take(task, &cupti);
    kg_error_set(&why, KG_ERROR_MEASURE, "%s", words);
    return reason_keep(task, &why, &seen->reason);
}

static bool by_graph(struct task *task, struct kg_trace *recorded)
{
    struct kg_error why = {0};
    if (kg_gpu_inspect(&task->timer->driver, task->timer->device, task->timer->stream, task->call,
                       task->arena, recorded, &why))
        return true;
    *recorded = (struct kg_trace)KG_TRACE_NONE;
    return reason_keep(task, &why, &recorded->reason);
}

/* Only now: until here both views call a kernel by the name in its code, and are joined by it. */
static bool names_shorten(struct task *task, struct kg_trace *trace)
{
    for (size_t i = 0; i < trace->kernel_count; i++) {
        trace->kernels[i].name = kg_kernel_name(task->arena, trace->kernels[i].name);
        if (!trace->kernels[i].name)
            return kg_error_memory(task->err);
    }
    return true;
}

/* The trace's reason says everything that could not be found out. */
static bool uncounted_join(struct task *task, struct kg_trace *trace)
{
    if (!task->uncounted)
        return true;
    trace->reason = trace->reason
                        ? kg_arena_printf(task->arena, "%s; %s", trace->reason, task->uncounted)
                        : task->uncounted;
    return trace->reason ? true : kg_error_memory(task->err);
}

bool kg_trace_task(struct kg_gpu_timer *timer, const char *cupti_library,
                   const struct kg_gpu_call *call, struct kg_arena *arena,
                   struct kg_response *response, struct kg_error *err)
{
    struct task task = {timer, call, arena, response, NULL, err};
    struct kg_trace seen = KG_TRACE_NONE, recorded = KG_TRACE_NONE;
    /* The first call may load code and allocate memory, which later calls do not. */
    call->run(call->state);
    return kg_driver_good(&timer->driver, timer->driver.context_synchronize(),
                          "a call failed on the device", err) &&
           by_cupti(&task, cupti_library, &seen) && by_graph(&task, &recorded) &&
           kg_traces_join(&recorded, &seen, arena, &response->trace, err) &&
           uncounted_join(&task, &response->trace) && names_shorten(&task, &response->trace);
}
