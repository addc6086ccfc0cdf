/* The warming of gpu_timer.h. */
#include "base/clock.h"
#include "run/timing/gpu_hold.h"
#include "run/timing/gpu_plan.h"
#include "run/timing/gpu_timer.h"

/* Time of a reading: long enough for an accurate clock. Several readings show whether it is steady. */
static const double READING_NS = 2e6;

/* The clock of the busy device; NaN if it cannot be read. */
static bool reading_take(struct kg_gpu_timer *timer, double *clock_hz, struct kg_error *err)
{
    const struct kg_stamps *stamps = timer->shared->stamps;
    if (!kg_gpu_stamp(timer, KG_STAMPS_BEFORE, err) || !kg_gpu_busy(timer, READING_NS, err) ||
        !kg_gpu_stamp(timer, KG_STAMPS_AFTER, err) || !kg_gpu_wait(timer, err))
        return false;
    *clock_hz =
        kg_stamps_clock_hz(&stamps[KG_STAMPS_BEFORE], &stamps[KG_STAMPS_AFTER], KG_STAMPS_LEAST_NS);
    return true;
}

bool kg_gpu_warm(struct kg_gpu_timer *timer, struct kg_error *err)
{
    const uint64_t start = kg_clock_ns();
    double clocks[KG_GPU_STEADY_READINGS];
    const double most_ns = kg_gpu_busy_most_ns(timer->unsteady);
    double elapsed_ns;
    size_t taken = 0;
    do {
        if (!reading_take(timer, &clocks[taken++ % KG_GPU_STEADY_READINGS], err))
            return false;
        elapsed_ns = (double)(kg_clock_ns() - start);
    } while (!kg_gpu_clock_settled(elapsed_ns, most_ns, !timer->warm, clocks, taken));
    timer->unsteady = elapsed_ns >= most_ns ? timer->unsteady + 1 : 0;
    timer->warm = true;
    return true;
}
