#include "run/worker/trace_task.h"

#include "base/code/symbol_name.h"
#include "run/worker/activity.h"
#include "run/worker/cupti.h"
#include "run/worker/cupti_counters.h"
#include "run/worker/gpu_inspect.h"

struct task {
    struct kg_gpu_timer *timer;
    const struct kg_gpu_call *call;
    struct kg_arena *arena;
    struct kg_response *response;
    const char *uncounted; /* why the hardware counted nothing; NULL if it counted */
};

static void seen_take(const struct task *task, const struct kg_cupti *cupti, struct kg_trace *seen)
{
    struct kg_activities activities;
    struct kg_error why = {0};
    if (!kg_cupti_trace(cupti, &task->timer->driver, task->call, &activities, &why)) {
        seen->reason = kg_arena_copy(task->arena, why.message);
        return;
    }
    kg_activities_summarize(&activities, task->arena, seen);
    kg_activities_free(&activities);
}

static void counters_take(struct task *task, const struct kg_cupti *cupti)
{
    struct kg_response *response = task->response;
    struct kg_error why = {0};
    response->reported = kg_arena_alloc(task->arena, KG_CUPTI_METRICS, sizeof *response->reported);
    if (kg_cupti_count(cupti, &task->timer->driver, task->timer->context, task->call,
                       response->reported, &response->reported_count, &why))
        return;
    response->reported_count = 0;
    task->uncounted = kg_arena_copy(task->arena, why.message);
}

static void by_cupti(struct task *task, struct kg_tracer *tracer, struct kg_trace *seen)
{
    if (!tracer->searched)
        tracer->found = kg_cupti_open(tracer->library, task->timer->driver.version, &tracer->cupti,
                                      tracer->why, sizeof tracer->why);
    tracer->searched = true;
    if (!tracer->found) {
        seen->reason = kg_arena_copy(task->arena, tracer->why);
        return;
    }
    seen_take(task, &tracer->cupti, seen);
    counters_take(task, &tracer->cupti);
}

/* False if no graph could be recorded. */
static bool by_graph(const struct task *task, struct kg_trace *recorded)
{
    struct kg_error why = {0};
    if (kg_gpu_inspect(&task->timer->driver, task->timer->device, task->timer->stream, task->call,
                       task->arena, recorded, &why))
        return true;
    *recorded = (struct kg_trace)KG_TRACE_NONE;
    recorded->reason = kg_arena_copy(task->arena, why.message);
    return false;
}

/* Only now: until here both views call a kernel by the name in its code, and are joined by it. */
static void names_shorten(struct kg_arena *arena, struct kg_trace *trace)
{
    for (size_t i = 0; i < trace->kernel_count; i++)
        trace->kernels[i].name = kg_symbol_name(arena, trace->kernels[i].name);
}

/* The trace's reason says everything that could not be found out. */
static void uncounted_join(const struct task *task, struct kg_trace *trace)
{
    if (!task->uncounted)
        return;
    trace->reason = trace->reason
                        ? kg_arena_printf(task->arena, "%s; %s", trace->reason, task->uncounted)
                        : task->uncounted;
}

bool kg_trace_task(struct kg_gpu_timer *timer, struct kg_tracer *tracer,
                   const struct kg_gpu_call *call, struct kg_arena *arena,
                   struct kg_response *response, struct kg_error *err)
{
    struct task task = {timer, call, arena, response, NULL};
    struct kg_trace seen = KG_TRACE_NONE, recorded = KG_TRACE_NONE;
    /* The first call may load code and allocate memory, which later calls do not. */
    call->run(call->state);
    if (!kg_driver_good(&timer->driver, timer->driver.context_synchronize(),
                        "a call failed on the device", err))
        return false;
    by_cupti(&task, tracer, &seen);
    response->last = !by_graph(&task, &recorded);
    kg_traces_join(&recorded, &seen, arena, &response->trace);
    uncounted_join(&task, &response->trace);
    names_shorten(arena, &response->trace);
    return true;
}
