#include <math.h>

#include "device/code/ceilings_code.h"
#include "run/ceilings/ceilings_parts.h"
#include "run/timing/gpu_hold.h"

static const size_t MIB = (size_t)1 << 20;

size_t kg_ceiling_buffer_bytes(size_t l2_bytes, size_t free_bytes)
{
    /* At the end of a copy the cache holds at most a sixteenth of the data. Only this part makes the
     * next copy faster. */
    const size_t wanted = 16 * l2_bytes > 1024 * MIB ? 16 * l2_bytes : 1024 * MIB;
    const size_t most = free_bytes / 4;
    const size_t bytes = (wanted < most ? wanted : most) / MIB * MIB;
    return bytes >= 4 * l2_bytes ? bytes : 0;
}

uint32_t kg_ceiling_words_sum(uint64_t count)
{
    /* sum of i below count, by the even one of the two factors */
    const uint64_t before = count ? count - 1 : 0;
    const uint64_t pairs = count % 2 ? before / 2 * count : count / 2 * before;
    const uint32_t first = kg_ceiling_word(0), factor = kg_ceiling_word(1) - first;
    return (uint32_t)pairs * factor + (uint32_t)count * first;
}

static bool notes_clear(const struct kg_measuring *measuring, struct kg_error *err)
{
    const struct kg_driver *driver = &measuring->timer->driver;
    return kg_driver_good(driver,
                          driver->memset_async(measuring->notes, 0,
                                               sizeof(struct kg_ceiling_found) / 4,
                                               measuring->timer->stream),
                          "cannot clear device memory", err);
}

static bool download(const struct kg_measuring *measuring, void *host, size_t bytes,
                     struct kg_error *err)
{
    const struct kg_driver *driver = &measuring->timer->driver;
    return kg_driver_good(
               driver,
               driver->copy_to_host_async(host, measuring->notes, bytes, measuring->timer->stream),
               "cannot read device memory", err) &&
           kg_gpu_wait(measuring->timer, err);
}

static bool memory_open(struct kg_measuring *measuring, struct kg_error *err)
{
    const struct kg_driver *driver = &measuring->timer->driver;
    size_t free_bytes = 0, total_bytes = 0;
    int l2_bytes = 0;
    if (!kg_driver_good(driver, driver->memory_info(&free_bytes, &total_bytes),
                        "cannot ask for the free device memory", err) ||
        !kg_driver_good(
            driver,
            driver->device_attribute(&l2_bytes, KG_ATTRIBUTE_L2_BYTES, measuring->timer->device),
            "cannot ask for the size of the L2 cache", err))
        return false;
    const size_t bytes = kg_ceiling_buffer_bytes(l2_bytes > 0 ? (size_t)l2_bytes : 0, free_bytes);
    if (!bytes)
        return kg_error_set(err, KG_ERROR_MEASURE,
                            "too little device memory is free to measure its bandwidth: %zu MiB",
                            free_bytes / MIB);
    if (!kg_driver_good(driver, driver->memory_allocate(&measuring->source, bytes),
                        "cannot allocate device memory", err)) {
        measuring->source = 0;
        return false;
    }
    if (!kg_driver_good(driver, driver->memory_allocate(&measuring->target, bytes),
                        "cannot allocate device memory", err)) {
        measuring->target = 0;
        return false;
    }
    measuring->bytes = bytes;
    return true;
}

static bool source_fill(const struct kg_measuring *measuring, struct kg_error *err)
{
    struct kg_ceiling_launch fill;
    uint64_t source = measuring->source, words = measuring->bytes / 4;
    if (!kg_ceiling_find(measuring, "kg_ceiling_fill", 0, 0, &fill, err))
        return false;
    fill.parameters[0] = &source;
    fill.parameters[1] = &words;
    return kg_ceiling_once(&fill, err);
}

/* Checks that a copy makes the target equal to the source. The target is poisoned first. */
static bool copy_checked(const struct kg_measuring *measuring, struct kg_ceiling_launch *copy,
                         struct kg_error *err)
{
    const struct kg_driver *driver = &measuring->timer->driver;
    struct kg_ceiling_launch check;
    struct kg_ceiling_found found = {0};
    uint64_t target = measuring->target, words = measuring->bytes / 4, notes = measuring->notes;
    if (!kg_driver_good(driver,
                        driver->memset_async(target, 0xffffffff, words, measuring->timer->stream),
                        "cannot clear device memory", err) ||
        !notes_clear(measuring, err) || !kg_ceiling_once(copy, err) ||
        !kg_ceiling_find(measuring, "kg_ceiling_check", 0, 0, &check, err))
        return false;
    check.parameters[0] = &target;
    check.parameters[1] = &words;
    check.parameters[2] = &notes;
    if (!kg_ceiling_once(&check, err) || !download(measuring, &found, sizeof found, err))
        return false;
    return found.words == words && found.wrong == 0
               ? true
               : kg_error_set(err, KG_ERROR_MEASURE,
                              "a copy within the GPU's memory is wrong: of %llu words kgate "
                              "checked %llu, and %llu differ",
                              (unsigned long long)words, (unsigned long long)found.words,
                              (unsigned long long)found.wrong);
}

static bool copy_measure(struct kg_measuring *measuring, struct kg_error *err)
{
    static const char *const kernels[] = {"kg_ceiling_copy", "kg_ceiling_copy_streaming"};
    enum { BATCH = 4 };
    uint64_t source = measuring->source, target = measuring->target;
    double best_ns, clock_hz;
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        struct kg_ceiling_launch copy;
        if (!kg_ceiling_find(measuring, kernels[i], measuring->bytes / KG_CEILING_TILE_BYTES, 0,
                             &copy, err))
            return false;
        copy.parameters[0] = &source;
        copy.parameters[1] = &target;
        if (!copy_checked(measuring, &copy, err) ||
            !kg_ceiling_best(&copy, BATCH, &best_ns, &clock_hz, err))
            return false;
        const double rate = kg_ceiling_rate(2.0 * (double)measuring->bytes, best_ns);
        measuring->ceilings->copy_bytes_per_s = fmax(measuring->ceilings->copy_bytes_per_s, rate);
    }
    return true;
}

static bool read_measure(struct kg_measuring *measuring, struct kg_error *err)
{
    enum { BATCH = 8 };
    struct kg_ceiling_launch read;
    uint64_t source = measuring->source, tiles = measuring->bytes / KG_CEILING_TILE_BYTES,
             notes = measuring->notes;
    uint32_t sum = 0;
    double best_ns, clock_hz;
    if (!kg_ceiling_find(measuring, "kg_ceiling_read", 0, 0, &read, err) ||
        !notes_clear(measuring, err))
        return false;
    read.parameters[0] = &source;
    read.parameters[1] = &tiles;
    read.parameters[2] = &notes;
    if (!kg_ceiling_once(&read, err) || !download(measuring, &sum, sizeof sum, err))
        return false;
    if (sum != kg_ceiling_words_sum(measuring->bytes / 4))
        return kg_error_set(err, KG_ERROR_MEASURE, "a read of the GPU's memory has a wrong sum");
    if (!kg_ceiling_best(&read, BATCH, &best_ns, &clock_hz, err))
        return false;
    measuring->ceilings->read_bytes_per_s = kg_ceiling_rate((double)measuring->bytes, best_ns);
    return true;
}

bool kg_ceiling_memory(struct kg_measuring *measuring, struct kg_error *err)
{
    return memory_open(measuring, err) && source_fill(measuring, err) &&
           copy_measure(measuring, err) && read_measure(measuring, err);
}
