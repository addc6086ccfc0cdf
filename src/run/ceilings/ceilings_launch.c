#include <math.h>

#include "base/clock.h"
#include "device/code/ceilings_code.h"
#include "run/ceilings/ceilings_parts.h"
#include "run/timing/gpu_hold.h"
#include "run/timing/gpu_plan.h"

/* A ceiling's samples go on for so long, or until there are enough of them. */
static const double CEILING_NS = 250e6;
enum { SAMPLES_LEAST = 5, SAMPLES_MOST = 60 };

static void launch_run(void *state)
{
    struct kg_ceiling_launch *launch = state;
    const struct kg_driver *driver = &launch->timer->driver;
    if (launch->failed)
        return;
    if (!launch->function) {
        launch->failed = !kg_gpu_nothing(launch->timer, &launch->err);
        return;
    }
    const int code =
        driver->launch(launch->function, launch->blocks, 1, 1, KG_CEILING_THREADS, 1, 1,
                       launch->shared_bytes, launch->timer->stream, launch->parameters, NULL);
    launch->failed = !kg_driver_good(driver, code, "cannot launch a kernel", &launch->err);
}

static bool launch_good(const struct kg_ceiling_launch *launch, struct kg_error *err)
{
    if (launch->failed)
        *err = launch->err;
    return !launch->failed;
}

bool kg_ceiling_once(struct kg_ceiling_launch *launch, struct kg_error *err)
{
    launch_run(launch);
    return launch_good(launch, err) && kg_gpu_wait(launch->timer, err);
}

bool kg_ceiling_find(const struct kg_measuring *measuring, const char *name, size_t blocks,
                     unsigned shared_bytes, struct kg_ceiling_launch *launch, struct kg_error *err)
{
    const struct kg_driver *driver = &measuring->timer->driver;
    int together = 0;
    *launch = (struct kg_ceiling_launch){
        .timer = measuring->timer, .blocks = (unsigned)blocks, .shared_bytes = shared_bytes};
    if (!kg_driver_good(driver, driver->module_function(&launch->function, measuring->module, name),
                        "cannot find the kernels that measure the GPU's peaks", err))
        return false;
    if (blocks)
        return true;
    if (!kg_driver_good(
            driver,
            driver->occupancy_blocks(&together, launch->function, KG_CEILING_THREADS, shared_bytes),
            "cannot ask for the occupancy", err))
        return false;
    launch->blocks =
        (unsigned)(together > 0 ? together : 1) *
        (unsigned)(measuring->timer->multiprocessors > 0 ? measuring->timer->multiprocessors : 1);
    return true;
}

bool kg_ceiling_best(struct kg_ceiling_launch *launch, uint64_t batch, double *best_ns,
                     double *clock_hz, struct kg_error *err)
{
    const struct kg_gpu_call call = {launch_run, launch};
    const uint64_t held = batch < KG_GPU_HELD_MOST ? batch : KG_GPU_HELD_MOST;
    const uint64_t start = kg_clock_ns();
    *best_ns = *clock_hz = NAN;
    for (int i = 0; i < SAMPLES_MOST; i++) {
        struct kg_gpu_sample sample;
        if (i >= SAMPLES_LEAST && (double)(kg_clock_ns() - start) > CEILING_NS)
            break;
        if (!kg_gpu_hot(launch->timer, &call, batch, held, &sample, err) ||
            !launch_good(launch, err))
            return false;
        if (!(sample.time_ns > 0) || (isfinite(*best_ns) && sample.time_ns >= *best_ns))
            continue;
        *best_ns = sample.time_ns;
        *clock_hz = sample.sm_clock_hz;
    }
    return true;
}
