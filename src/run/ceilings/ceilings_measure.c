#include <math.h>

#include "device/code/ceilings_code.h"
#include "device/device_code.h"
#include "model/results.h"
#include "run/ceilings/ceilings_parts.h"
#include "run/timing/gpu_plan.h"

enum { EMPTY_LAUNCHES = KG_GPU_HELD_MOST };

double kg_ceiling_rate(double amount, double time_ns)
{
    if (!(amount > 0) || !(time_ns > 0) || isinf(amount) || isinf(time_ns))
        return NAN;
    return amount / time_ns * 1e9;
}

static bool launch_measure(struct kg_measuring *measuring, struct kg_error *err)
{
    struct kg_ceiling_launch empty = {.timer = measuring->timer};
    double best_ns, clock_hz;
    if (!kg_ceiling_best(&empty, EMPTY_LAUNCHES, &best_ns, &clock_hz, err))
        return false;
    measuring->ceilings->launch_ns = best_ns;
    return true;
}

static bool begin(struct kg_measuring *measuring, struct kg_error *err)
{
    const struct kg_driver *driver = &measuring->timer->driver;
    const void *code = kg_device_code("ceilings", NULL);
    if (!code)
        return kg_error_set(err, KG_ERROR_MEASURE, "this kgate was built without CUDA");
    if (!kg_driver_good(driver, driver->module_load(&measuring->module, code),
                        "cannot load the kernels that measure the GPU's peaks", err)) {
        measuring->module = NULL;
        return false;
    }
    if (kg_driver_good(driver,
                       driver->memory_allocate(&measuring->notes, sizeof(struct kg_ceiling_found)),
                       "cannot allocate device memory", err))
        return true;
    measuring->notes = 0;
    return false;
}

static void end(struct kg_measuring *measuring)
{
    const struct kg_driver *driver = &measuring->timer->driver;
    const uint64_t addresses[] = {measuring->source, measuring->target, measuring->notes};
    for (size_t i = 0; i < sizeof addresses / sizeof *addresses; i++)
        if (addresses[i])
            driver->memory_free(addresses[i]);
    if (measuring->module)
        driver->module_unload(measuring->module);
}

static void look(const struct kg_ceilings_watch *watch, struct kg_ceilings_seen *seen)
{
    struct kg_nvml_telemetry telemetry;
    if (watch->read && watch->read(watch->state, &telemetry))
        kg_ceilings_see(seen, &telemetry);
}

/* Joins the words of `seen` and the doubt into the note; NULL if there is neither. */
static void note_make(const struct kg_measuring *measuring, const struct kg_ceilings_seen *seen)
{
    const char *words = kg_ceilings_seen_words(seen, measuring->arena);
    const char **note = &measuring->ceilings->note;
    *note = words ? words : measuring->doubt;
    if (words && measuring->doubt)
        *note = kg_arena_printf(measuring->arena, "%s; %s", words, measuring->doubt);
}

/* Multiply-adds run once before they count, because clocks take some time to rise from idle. wgmma
 * comes last: no other kernel uses it, and after a fault the device can do nothing more. */
bool kg_ceilings_measure(struct kg_gpu_timer *timer, const struct kg_ceilings_watch *watch,
                         struct kg_arena *arena, struct kg_ceilings *ceilings, struct kg_error *err)
{
    static bool (*const parts[])(struct kg_measuring * measuring, struct kg_error * err) = {
        kg_ceiling_fma, kg_ceiling_fma,    kg_ceiling_tensor,
        launch_measure, kg_ceiling_memory, kg_ceiling_wgmma};
    struct kg_measuring measuring = {.timer = timer, .arena = arena, .ceilings = ceilings};
    struct kg_ceilings_seen seen = {0};
    struct kg_error later;
    *ceilings = (struct kg_ceilings)KG_CEILINGS_NONE;
    const bool begun = begin(&measuring, err);
    bool all = begun;
    look(watch, &seen);
    for (size_t i = 0; begun && i < sizeof parts / sizeof *parts; i++) {
        if (!parts[i](&measuring, all ? err : &later))
            all = false;
        look(watch, &seen); /* at once: an idle device soon reports no throttling any more */
    }
    end(&measuring);
    ceilings->measured = kg_timestamp(arena);
    note_make(&measuring, &seen);
    return all;
}
