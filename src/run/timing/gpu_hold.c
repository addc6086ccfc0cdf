#include "run/timing/gpu_hold.h"

#include "run/timing/gpu_plan.h"

/* Faster than any GPU's clock. While the device's timer moves, the limit in time therefore comes before
 * the limit in cycles. */
static const double CYCLES_PER_NS_MOST = 4;
/* Two microseconds at a usual clock, twice the longest step of the timer that is known of devices
 * in servers. */
static const uint64_t STEP_CYCLES_MOST = 4096;

enum { VECTOR_BYTES = 16 };

static bool launch(struct kg_gpu_timer *timer, void *function, unsigned blocks, unsigned threads,
                   void **parameters, const char *what, struct kg_error *err)
{
    const struct kg_driver *driver = &timer->driver;
    return kg_driver_good(
        driver,
        driver->launch(function, blocks, 1, 1, threads, 1, 1, 0, timer->stream, parameters, NULL),
        what, err);
}

bool kg_gpu_hold(struct kg_gpu_timer *timer, double limit_ns, struct kg_error *err)
{
    uint32_t number = ++timer->held;
    uint64_t limit = (uint64_t)limit_ns, limit_cycles = (uint64_t)(limit_ns * CYCLES_PER_NS_MOST);
    uint64_t gate = timer->shared_address + offsetof(struct kg_gpu_shared, gate);
    void *parameters[] = {&gate, &number, &limit, &limit_cycles};
    return launch(timer, timer->hold_function, 1, 1, parameters,
                  "cannot launch the blocking kernel", err);
}

void kg_gpu_release(struct kg_gpu_timer *timer)
{
    /* A store of one aligned word, which the device sees whole: its volatile load is a relaxed one
     * at system scope. Release order is more than it needs: it reads nothing else of the host's. */
    __atomic_store_n(&timer->shared->gate.released, timer->held, __ATOMIC_RELEASE);
}

bool kg_gpu_hold_ran_out(const struct kg_gpu_timer *timer)
{
    return __atomic_load_n(&timer->shared->gate.timed_out, __ATOMIC_ACQUIRE) == timer->held;
}

bool kg_gpu_stamp(struct kg_gpu_timer *timer, enum kg_gpu_stamps which, struct kg_error *err)
{
    struct kg_stamps *stamps = &timer->shared->stamps[which];
    uint64_t address =
        timer->shared_address + (uint64_t)((char *)stamps->of - (char *)timer->shared);
    uint64_t number = ++timer->stamped;
    uint64_t cycles_most = STEP_CYCLES_MOST;
    void *parameters[] = {&address, &number, &cycles_most};
    stamps->number = number;
    stamps->count = timer->multiprocessors < KG_STAMPS_MOST ? (size_t)timer->multiprocessors
                                                            : (size_t)KG_STAMPS_MOST;
    return launch(timer, timer->stamp_function, (unsigned)stamps->count, 1, parameters,
                  "cannot read the device's clocks", err);
}

static unsigned blocks_everywhere(const struct kg_gpu_timer *timer)
{
    return KG_BUSY_BLOCKS * (timer->multiprocessors > 0 ? (unsigned)timer->multiprocessors : 1);
}

/* Writing alone would leave the cache full of modified lines. The next kernel would need time to write
 * them back. */
bool kg_gpu_flush(struct kg_gpu_timer *timer, struct kg_error *err)
{
    static const char what[] = "cannot flush the L2 cache";
    const struct kg_driver *driver = &timer->driver;
    uint64_t clean = timer->flush_address + timer->flush_bytes;
    uint64_t vectors = timer->flush_bytes / VECTOR_BYTES;
    uint64_t never = timer->shared_address + offsetof(struct kg_gpu_shared, never);
    void *parameters[] = {&clean, &vectors, &never};
    return kg_driver_good(driver,
                          driver->memset_async(timer->flush_address, 0,
                                               timer->flush_bytes / sizeof(uint32_t),
                                               timer->stream),
                          what, err) &&
           launch(timer, timer->clean_function, blocks_everywhere(timer), KG_BUSY_THREADS,
                  parameters, what, err);
}

bool kg_gpu_nothing(struct kg_gpu_timer *timer, struct kg_error *err)
{
    return launch(timer, timer->empty_function, 1, 1, NULL, "cannot launch a kernel", err);
}

bool kg_gpu_busy(struct kg_gpu_timer *timer, double ns, struct kg_error *err)
{
    uint64_t limit = (uint64_t)ns, limit_cycles = (uint64_t)(ns * CYCLES_PER_NS_MOST);
    uint64_t never = timer->shared_address + offsetof(struct kg_gpu_shared, never);
    float half = 0.5F;
    void *parameters[] = {&never, &half, &limit, &limit_cycles};
    return launch(timer, timer->busy_function, blocks_everywhere(timer), KG_BUSY_THREADS,
                  parameters, "cannot keep the device busy", err);
}

bool kg_gpu_wait(struct kg_gpu_timer *timer, struct kg_error *err)
{
    const struct kg_driver *driver = &timer->driver;
    return kg_driver_good(driver, driver->stream_synchronize(timer->stream), "the device failed",
                          err);
}

bool kg_gpu_elapsed_ns(struct kg_gpu_timer *timer, double *ns, struct kg_error *err)
{
    const struct kg_driver *driver = &timer->driver;
    float milliseconds = 0;
    if (!kg_driver_good(driver, driver->event_elapsed(&milliseconds, timer->start, timer->stop),
                        "cannot read the time between two events", err))
        return false;
    *ns = 1e6 * (double)milliseconds;
    return true;
}
