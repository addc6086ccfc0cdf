#include "run/timing/gpu_timer.h"

#include <stdlib.h>
#include <string.h>

#include "base/statistics/stats.h"
#include "device/device_code.h"
#include "run/timing/gpu_hold.h"
#include "run/timing/gpu_plan.h"

/* Assumed size of the L2 cache if the driver does not give it: larger than any so far. */
static const size_t L2_UNKNOWN_BYTES = (size_t)256 << 20;
static const double CALIBRATION_LIMIT_NS = 10e6;

static bool good(const struct kg_gpu_timer *timer, int code, const char *what, struct kg_error *err)
{
    return kg_driver_good(&timer->driver, code, what, err);
}

/* Reports whether a call made a thing. After a failure *thing must not be destroyed, so it is NULL. */
static bool made(const struct kg_gpu_timer *timer, int code, void **thing, const char *what,
                 struct kg_error *err)
{
    if (code == KG_DRIVER_SUCCESS && *thing)
        return true;
    *thing = NULL;
    good(timer, code == KG_DRIVER_SUCCESS ? KG_DRIVER_OUT_OF_MEMORY : code, what, err);
    return false;
}

static bool context_open(struct kg_gpu_timer *timer, struct kg_error *err)
{
    const struct kg_driver *driver = &timer->driver;
    if (!good(timer, driver->device_get(&timer->device, 0), "cannot open the device", err))
        return false;
    return made(timer, driver->context_retain(&timer->context, timer->device), &timer->context,
                "cannot make a CUDA context", err) &&
           good(timer, driver->context_use(timer->context), "cannot use the CUDA context", err);
}

static bool functions_open(struct kg_gpu_timer *timer, const void *code, struct kg_error *err)
{
    static const struct {
        const char *name;
        size_t offset;
    } functions[] = {
        {"kg_hold", offsetof(struct kg_gpu_timer, hold_function)},
        {"kg_stamp", offsetof(struct kg_gpu_timer, stamp_function)},
        {"kg_empty", offsetof(struct kg_gpu_timer, empty_function)},
        {"kg_busy", offsetof(struct kg_gpu_timer, busy_function)},
        {"kg_clean", offsetof(struct kg_gpu_timer, clean_function)},
    };
    const struct kg_driver *driver = &timer->driver;
    if (!made(timer, driver->module_load(&timer->module, code), &timer->module,
              "cannot load kgate's device code", err))
        return false;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *function = NULL;
        if (!good(timer, driver->module_function(&function, timer->module, functions[i].name),
                  "cannot find kgate's device code", err))
            return false;
        memcpy((char *)timer + functions[i].offset, &function, sizeof function);
    }
    return true;
}

static bool memory_open(struct kg_gpu_timer *timer, struct kg_error *err)
{
    const struct kg_driver *driver = &timer->driver;
    int l2_bytes = 0;
    void *shared = NULL;
    if (!made(timer, driver->host_allocate(&shared, sizeof *timer->shared, KG_HOST_ALLOC_MAPPED),
              &shared, "cannot allocate page-locked memory", err))
        return false;
    timer->shared = shared;
    memset(timer->shared, 0, sizeof *timer->shared);
    if (!good(timer, driver->host_device_address(&timer->shared_address, shared, 0),
              "cannot map page-locked memory", err) ||
        !good(timer,
              driver->device_attribute(&timer->multiprocessors, KG_ATTRIBUTE_MULTIPROCESSORS,
                                       timer->device),
              "cannot count the multiprocessors", err) ||
        !good(timer, driver->device_attribute(&l2_bytes, KG_ATTRIBUTE_L2_BYTES, timer->device),
              "cannot ask for the size of the L2 cache", err))
        return false;
    timer->flush_bytes = l2_bytes > 0 ? 2 * (size_t)l2_bytes : L2_UNKNOWN_BYTES;
    if (!good(timer, driver->memory_allocate(&timer->flush_address, 2 * timer->flush_bytes),
              "cannot allocate memory to flush the L2 cache with", err)) {
        timer->flush_address = 0;
        return false;
    }
    return good(timer,
                driver->memset_async(timer->flush_address + timer->flush_bytes, 0,
                                     timer->flush_bytes / sizeof(uint32_t), timer->stream),
                "cannot clear memory to flush the L2 cache with", err);
}

static bool stream_open(struct kg_gpu_timer *timer, struct kg_error *err)
{
    const struct kg_driver *driver = &timer->driver;
    return made(timer, driver->stream_create(&timer->stream, KG_STREAM_DEFAULT), &timer->stream,
                "cannot make a stream", err) &&
           made(timer, driver->event_create(&timer->start, KG_EVENT_DEFAULT), &timer->start,
                "cannot make an event", err) &&
           made(timer, driver->event_create(&timer->stop, KG_EVENT_DEFAULT), &timer->stop,
                "cannot make an event", err);
}

/* Runs each kernel once before any hold. The first launch of a kernel may load a module and wait for
 * the device; behind a hold it would wait for that hold. If launches always wait, the hold runs out,
 * and `holds` is false. */
static bool everything_once(struct kg_gpu_timer *timer, struct kg_error *err)
{
    enum { TRIES = 4 };
    if (!kg_gpu_nothing(timer, err) || !kg_gpu_stamp(timer, KG_STAMPS_BEFORE, err) ||
        !kg_gpu_flush(timer, err))
        return false;
    /* The first launch waits for its module. Each later try shows whether holds work, unless the host
     * was preempted every time. */
    for (int i = 0; i < TRIES; i++) {
        if (!kg_gpu_hold(timer, CALIBRATION_LIMIT_NS, err))
            return false;
        kg_gpu_release(timer);
        if (!kg_gpu_wait(timer, err))
            return false;
        timer->holds = !kg_gpu_hold_ran_out(timer);
        if (i > 0 && timer->holds)
            break;
    }
    return true;
}

/* Takes the events' time around nothing, or around a kernel that does nothing. The order on the stream
 * is that of a sample. */
static bool events_time(struct kg_gpu_timer *timer, bool kernel, double *ns, struct kg_error *err)
{
    const struct kg_driver *driver = &timer->driver;
    const bool put = (!timer->holds || kg_gpu_hold(timer, CALIBRATION_LIMIT_NS, err)) &&
                     kg_gpu_stamp(timer, KG_STAMPS_BEFORE, err) &&
                     good(timer, driver->event_record(timer->start, timer->stream),
                          "cannot record an event", err) &&
                     (!kernel || kg_gpu_nothing(timer, err)) &&
                     good(timer, driver->event_record(timer->stop, timer->stream),
                          "cannot record an event", err);
    kg_gpu_release(timer);
    return put && kg_gpu_wait(timer, err) && kg_gpu_elapsed_ns(timer, ns, err);
}

/* Measures the overhead and the resolution of event times. The device must be warm, as for samples:
 * at an idle clock events take up to five times as long. kgate subtracts the overhead from every
 * sample of the process.
 *
 * Events around nothing show the timer's own time; all times together show its steps. Around a
 * kernel, the second event waits for the kernel's end, which may hide part of the overhead. So kgate
 * subtracts only the overhead of events around nothing. */
static bool calibrate(struct kg_gpu_timer *timer, struct kg_error *err)
{
    enum { NOTHINGS = 101, KERNELS = 50, READINGS = NOTHINGS + KERNELS };
    double times[READINGS];
    for (int i = 0; i < READINGS; i++)
        if (!events_time(timer, i >= NOTHINGS, &times[i], err))
            return false;
    kg_sort(times, NOTHINGS);
    timer->overhead_ns = kg_median_sorted(times, NOTHINGS);
    timer->resolution_ns = kg_gpu_resolution_ns(times, READINGS);
    return true;
}

bool kg_gpu_timer_open(const char *library, struct kg_gpu_timer *timer, struct kg_error *err)
{
    char why[512];
    const void *code = kg_device_code("timing", NULL);
    *timer = (struct kg_gpu_timer){0};
    unsetenv("CUDA_LAUNCH_BLOCKING");
    if (!code)
        return kg_error_set(err, KG_ERROR_MEASURE, "this kgate was built without CUDA");
    if (!kg_driver_open(library ? library : KG_DRIVER_LIBRARY, &timer->driver, why, sizeof why)) {
        *timer = (struct kg_gpu_timer){0};
        return kg_error_set(err, KG_ERROR_MEASURE, "%s", why);
    }
    if (context_open(timer, err) && stream_open(timer, err) && functions_open(timer, code, err) &&
        memory_open(timer, err) && everything_once(timer, err) && kg_gpu_warm(timer, err) &&
        calibrate(timer, err))
        return true;
    kg_gpu_timer_close(timer);
    return false;
}

/* Closing goes on if a step fails: the process's end frees the rest. */
void kg_gpu_timer_close(struct kg_gpu_timer *timer)
{
    const struct kg_driver *driver = &timer->driver;
    if (timer->shared)
        kg_gpu_release(timer);
    if (timer->stream)
        driver->stream_synchronize(timer->stream);
    if (timer->start)
        driver->event_destroy(timer->start);
    if (timer->stop)
        driver->event_destroy(timer->stop);
    if (timer->flush_address)
        driver->memory_free(timer->flush_address);
    if (timer->shared)
        driver->host_free(timer->shared);
    if (timer->module)
        driver->module_unload(timer->module);
    if (timer->stream)
        driver->stream_destroy(timer->stream);
    if (timer->context) {
        driver->context_use(NULL);
        driver->context_release(timer->device);
    }
    *timer = (struct kg_gpu_timer){0};
}
