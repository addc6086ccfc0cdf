/* The graphs of gpu_timer.h. */
#include "run/timing/gpu_hold.h"
#include "run/timing/gpu_timer.h"

/* Captures the work of `calls` calls; *graph is NULL on failure. An invalid capture must end, too:
 * only then the stream is usable again. */
static bool calls_record(struct kg_gpu_timer *timer, const struct kg_gpu_call *call, uint64_t calls,
                         void **graph, struct kg_error *err)
{
    const struct kg_driver *driver = &timer->driver;
    *graph = NULL;
    if (!kg_driver_good(driver,
                        driver->stream_capture_begin(timer->stream, KG_CAPTURE_THREAD_LOCAL),
                        "cannot begin to record a graph", err))
        return false;
    for (uint64_t i = 0; i < calls; i++)
        call->run(call->state);
    const int code = driver->stream_capture_end(timer->stream, graph);
    if (code != KG_DRIVER_SUCCESS)
        *graph = NULL;
    return kg_driver_good(driver, code, "the call cannot be recorded into a graph", err);
}

bool kg_gpu_graph_record(struct kg_gpu_timer *timer, const struct kg_gpu_call *call, uint64_t calls,
                         struct kg_gpu_graph *graph, struct kg_error *err)
{
    const struct kg_driver *driver = &timer->driver;
    void *recorded;
    *graph = (struct kg_gpu_graph){.calls = calls};
    if (!calls_record(timer, call, calls, &recorded, err))
        return false;
    if (driver->graph_nodes(recorded, NULL, &graph->nodes) != KG_DRIVER_SUCCESS)
        graph->nodes = 1; /* not known: as good as something */
    const int code = driver->graph_instantiate(&graph->executable, recorded, 0);
    driver->graph_destroy(recorded);
    if (code != KG_DRIVER_SUCCESS)
        graph->executable = NULL;
    if (!kg_driver_good(driver, code, "the recorded graph cannot be made ready", err))
        return false;
    /* The first launch uploads the graph, which is impossible while the device is held. */
    if (kg_driver_good(driver, driver->graph_launch(graph->executable, timer->stream),
                       "cannot launch the graph", err) &&
        kg_gpu_wait(timer, err))
        return true;
    kg_gpu_graph_free(timer, graph);
    return false;
}

void kg_gpu_graph_free(struct kg_gpu_timer *timer, struct kg_gpu_graph *graph)
{
    if (graph->executable)
        timer->driver.graph_executable_destroy(graph->executable);
    *graph = (struct kg_gpu_graph){0};
}
