#include <math.h>
#include <string.h>

#include "device/ceilings.h"
#include "device/code.h"
#include "device/code/ceilings.h"
#include "measure/case_result.h"
#include "measure/clock.h"
#include "measure/gpu_hold.h"
#include "measure/gpu_plan.h"
#include "measure/gpu_timer.h"

#define MIB ((size_t)1 << 20)

/* A ceiling's samples go on for so long, or until there are enough of them. */
static const double CEILING_NS = 250e6;
enum { SAMPLES_LEAST = 5, SAMPLES_MOST = 60 };
/* A millisecond or two a launch, and every sum below 2^24, so that each is exact. */
enum { FMA_ITERATIONS = 512, TENSOR_ITERATIONS = 1024, EMPTY_LAUNCHES = KG_GPU_HELD_MOST };

struct measuring {
    struct kg_gpu_timer *timer;
    struct kg_arena *arena;
    void *module;
    struct kg_ceilings *ceilings;
    uint64_t source, target, notes; /* device memory; 0: none */
    size_t bytes;                   /* of source and target each */
};

/* A kernel with its launch. */
struct launch {
    struct kg_gpu_timer *timer;
    void *function; /* NULL: the timer's empty kernel */
    unsigned blocks;
    void *parameters[4];
    struct kg_error err; /* of the first that failed */
    bool failed;
};

double kg_ceiling_rate(double amount, double time_ns)
{
    if (!(amount > 0) || !(time_ns > 0) || isinf(amount) || isinf(time_ns))
        return NAN;
    return amount / time_ns * 1e9;
}

size_t kg_ceiling_buffer_bytes(size_t l2_bytes, size_t free_bytes)
{
    const size_t wanted = 8 * l2_bytes > 512 * MIB ? 8 * l2_bytes : 512 * MIB;
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

static bool good(const struct measuring *measuring, int code, const char *what,
                 struct kg_error *err)
{
    return kg_driver_good(&measuring->timer->driver, code, what, err);
}

static void launch_run(void *state)
{
    struct launch *launch = state;
    const struct kg_driver *driver = &launch->timer->driver;
    if (launch->failed)
        return;
    if (!launch->function) {
        launch->failed = !kg_gpu_nothing(launch->timer, &launch->err);
        return;
    }
    const int code = driver->launch(launch->function, launch->blocks, 1, 1, KG_CEILING_THREADS, 1,
                                    1, 0, launch->timer->stream, launch->parameters, NULL);
    launch->failed = !kg_driver_good(driver, code, "cannot launch a kernel", &launch->err);
}

static bool launch_good(const struct launch *launch, struct kg_error *err)
{
    if (launch->failed)
        *err = launch->err;
    return !launch->failed;
}

static bool once(struct launch *launch, struct kg_error *err)
{
    launch_run(launch);
    return launch_good(launch, err) && kg_gpu_wait(launch->timer, err);
}

/* The kernel `name`, in as many blocks as are on the device together where `blocks` is 0. */
static bool launch_find(const struct measuring *measuring, const char *name, size_t blocks,
                        struct launch *launch, struct kg_error *err)
{
    const struct kg_driver *driver = &measuring->timer->driver;
    int together = 0;
    *launch = (struct launch){.timer = measuring->timer, .blocks = (unsigned)blocks};
    if (!good(measuring, driver->module_function(&launch->function, measuring->module, name),
              "cannot find the kernels that measure what the GPU can do", err))
        return false;
    if (blocks)
        return true;
    if (!good(measuring,
              driver->occupancy_blocks(&together, launch->function, KG_CEILING_THREADS, 0),
              "cannot ask for the occupancy", err))
        return false;
    launch->blocks =
        (unsigned)(together > 0 ? together : 1) *
        (unsigned)(measuring->timer->multiprocessors > 0 ? measuring->timer->multiprocessors : 1);
    return true;
}

/* The shortest time of a launch, of samples of `batch`; the clock is that of the same sample. */
static bool best_find(struct launch *launch, uint64_t batch, double *best_ns, double *clock_hz,
                      struct kg_error *err)
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

/* --- Memory --- */

static bool notes_clear(const struct measuring *measuring, struct kg_error *err)
{
    const struct kg_driver *driver = &measuring->timer->driver;
    return good(measuring,
                driver->memset_async(measuring->notes, 0, sizeof(struct kg_ceiling_found) / 4,
                                     measuring->timer->stream),
                "cannot clear device memory", err);
}

static bool download(const struct measuring *measuring, void *host, size_t bytes,
                     struct kg_error *err)
{
    const struct kg_driver *driver = &measuring->timer->driver;
    return good(measuring,
                driver->copy_to_host_async(host, measuring->notes, bytes, measuring->timer->stream),
                "cannot read device memory", err) &&
           kg_gpu_wait(measuring->timer, err);
}

static bool memory_open(struct measuring *measuring, struct kg_error *err)
{
    const struct kg_driver *driver = &measuring->timer->driver;
    size_t free_bytes = 0, total_bytes = 0;
    int l2_bytes = 0;
    if (!good(measuring, driver->memory_info(&free_bytes, &total_bytes),
              "cannot ask for the free device memory", err) ||
        !good(measuring,
              driver->device_attribute(&l2_bytes, KG_ATTRIBUTE_L2_BYTES, measuring->timer->device),
              "cannot ask for the size of the L2 cache", err))
        return false;
    const size_t bytes = kg_ceiling_buffer_bytes(l2_bytes > 0 ? (size_t)l2_bytes : 0, free_bytes);
    if (!bytes)
        return kg_error_set(err, KG_ERROR_MEASURE,
                            "too little device memory is free to measure its bandwidth: %zu MiB",
                            free_bytes / MIB);
    if (!good(measuring, driver->memory_allocate(&measuring->source, bytes),
              "cannot allocate device memory", err)) {
        measuring->source = 0;
        return false;
    }
    if (!good(measuring, driver->memory_allocate(&measuring->target, bytes),
              "cannot allocate device memory", err)) {
        measuring->target = 0;
        return false;
    }
    measuring->bytes = bytes;
    return true;
}

static bool source_fill(const struct measuring *measuring, struct kg_error *err)
{
    struct launch fill;
    uint64_t source = measuring->source, words = measuring->bytes / 4;
    if (!launch_find(measuring, "kg_ceiling_fill", 0, &fill, err))
        return false;
    fill.parameters[0] = &source;
    fill.parameters[1] = &words;
    return once(&fill, err);
}

/* Whether the target has what the source has. It is poisoned first. */
static bool copy_checked(const struct measuring *measuring, struct launch *copy,
                         struct kg_error *err)
{
    const struct kg_driver *driver = &measuring->timer->driver;
    struct launch check;
    struct kg_ceiling_found found = {0};
    uint64_t target = measuring->target, words = measuring->bytes / 4, notes = measuring->notes;
    if (!good(measuring, driver->memset_async(target, 0xffffffff, words, measuring->timer->stream),
              "cannot clear device memory", err) ||
        !notes_clear(measuring, err) || !once(copy, err) ||
        !launch_find(measuring, "kg_ceiling_check", 0, &check, err))
        return false;
    check.parameters[0] = &target;
    check.parameters[1] = &words;
    check.parameters[2] = &notes;
    if (!once(&check, err) || !download(measuring, &found, sizeof found, err))
        return false;
    return found.words == words && found.wrong == 0
               ? true
               : kg_error_set(err, KG_ERROR_MEASURE,
                              "a copy within the GPU's memory is wrong: of %llu words %llu were "
                              "looked at, and %llu are not what was copied",
                              (unsigned long long)words, (unsigned long long)found.words,
                              (unsigned long long)found.wrong);
}

static bool copy_measure(struct measuring *measuring, struct kg_error *err)
{
    static const char *const kernels[] = {"kg_ceiling_copy", "kg_ceiling_copy_streaming"};
    enum { BATCH = 4 };
    uint64_t source = measuring->source, target = measuring->target;
    double best_ns, clock_hz;
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        struct launch copy;
        if (!launch_find(measuring, kernels[i], measuring->bytes / KG_CEILING_TILE_BYTES, &copy,
                         err))
            return false;
        copy.parameters[0] = &source;
        copy.parameters[1] = &target;
        if (!copy_checked(measuring, &copy, err) ||
            !best_find(&copy, BATCH, &best_ns, &clock_hz, err))
            return false;
        const double rate = kg_ceiling_rate(2.0 * (double)measuring->bytes, best_ns);
        measuring->ceilings->copy_bytes_per_s = fmax(measuring->ceilings->copy_bytes_per_s, rate);
    }
    return true;
}

static bool read_measure(struct measuring *measuring, struct kg_error *err)
{
    enum { BATCH = 8 };
    struct launch read;
    uint64_t source = measuring->source, tiles = measuring->bytes / KG_CEILING_TILE_BYTES,
             notes = measuring->notes;
    uint32_t sum = 0;
    double best_ns, clock_hz;
    if (!launch_find(measuring, "kg_ceiling_read", 0, &read, err) || !notes_clear(measuring, err))
        return false;
    read.parameters[0] = &source;
    read.parameters[1] = &tiles;
    read.parameters[2] = &notes;
    if (!once(&read, err) || !download(measuring, &sum, sizeof sum, err))
        return false;
    if (sum != kg_ceiling_words_sum(measuring->bytes / 4))
        return kg_error_set(err, KG_ERROR_MEASURE,
                            "what the GPU read from its memory has a wrong sum");
    if (!best_find(&read, BATCH, &best_ns, &clock_hz, err))
        return false;
    measuring->ceilings->read_bytes_per_s = kg_ceiling_rate((double)measuring->bytes, best_ns);
    return true;
}

static bool memory_measure(struct measuring *measuring, struct kg_error *err)
{
    return memory_open(measuring, err) && source_fill(measuring, err) &&
           copy_measure(measuring, err) && read_measure(measuring, err);
}

/* --- Arithmetic --- */

/* A kernel that leaves the sum of each thread. */
struct arithmetic {
    const char *kernel;
    uint32_t iterations;
    float thread_sum;    /* that each must come to */
    double thread_flops; /* that it takes */
};

/* Chain c begins at c, and grows by 1 a step. */
enum { FMA_STARTS_SUM = KG_CEILING_CHAINS * (KG_CEILING_CHAINS - 1) / 2 };
static const struct arithmetic fma_chains = {
    .kernel = "kg_ceiling_fma",
    .iterations = FMA_ITERATIONS,
    .thread_sum = FMA_STARTS_SUM + KG_CEILING_CHAINS * KG_CEILING_CHAIN_STEPS * FMA_ITERATIONS,
    .thread_flops = 2.0 * KG_CEILING_CHAINS * KG_CEILING_CHAIN_STEPS * FMA_ITERATIONS,
};
/* A warp's 16 by 8 sums are four a thread; each grows by 16 a step. */
static const struct arithmetic tensor_tiles = {
    .kernel = "kg_ceiling_tensor",
    .iterations = TENSOR_ITERATIONS,
    .thread_sum = 4.0F * 16 * KG_CEILING_TILES * KG_CEILING_TILE_STEPS * TENSOR_ITERATIONS,
    .thread_flops =
        2.0 * 16 * 8 * 16 / 32 * KG_CEILING_TILES * KG_CEILING_TILE_STEPS * TENSOR_ITERATIONS,
};

static bool sums_checked(const struct measuring *measuring, const struct arithmetic *arithmetic,
                         struct launch *launch, uint64_t results, struct kg_error *err)
{
    const struct kg_driver *driver = &measuring->timer->driver;
    const size_t count = (size_t)launch->blocks * KG_CEILING_THREADS;
    float *sums = kg_arena_alloc(measuring->arena, count, sizeof *sums);
    if (!sums)
        return kg_error_memory(err);
    if (!good(measuring, driver->memset_async(results, 0xffffffff, count, launch->timer->stream),
              "cannot clear device memory", err) ||
        !once(launch, err) ||
        !good(
            measuring,
            driver->copy_to_host_async(sums, results, count * sizeof *sums, launch->timer->stream),
            "cannot read device memory", err) ||
        !kg_gpu_wait(launch->timer, err))
        return false;
    for (size_t i = 0; i < count; i++)
        if (sums[i] != arithmetic->thread_sum)
            return kg_error_set(err, KG_ERROR_MEASURE,
                                "%s on the GPU is wrong: the sum of thread %zu is %g, not %g",
                                arithmetic->kernel, i, (double)sums[i],
                                (double)arithmetic->thread_sum);
    return true;
}

/* With memory for the results: NaN stays where something fails. */
static bool arithmetic_time(struct measuring *measuring, const struct arithmetic *arithmetic,
                            struct launch *launch, double *flops_per_s, double *clock_hz,
                            struct kg_error *err)
{
    const struct kg_driver *driver = &measuring->timer->driver;
    const size_t threads = (size_t)launch->blocks * KG_CEILING_THREADS;
    uint64_t results = 0;
    double best_ns = NAN;
    if (!good(measuring, driver->memory_allocate(&results, threads * sizeof(float)),
              "cannot allocate device memory", err))
        return false;
    launch->parameters[0] = &results;
    const bool timed = sums_checked(measuring, arithmetic, launch, results, err) &&
                       best_find(launch, 1, &best_ns, clock_hz, err);
    launch->parameters[0] = NULL;
    driver->memory_free(results);
    *flops_per_s = kg_ceiling_rate((double)threads * arithmetic->thread_flops, best_ns);
    return timed;
}

static bool fma_measure(struct measuring *measuring, struct kg_error *err)
{
    struct launch launch;
    uint32_t iterations = fma_chains.iterations;
    float one = 1, other_one = 1;
    if (!launch_find(measuring, fma_chains.kernel, 0, &launch, err))
        return false;
    launch.parameters[1] = &iterations;
    launch.parameters[2] = &one;
    launch.parameters[3] = &other_one;
    return arithmetic_time(measuring, &fma_chains, &launch, &measuring->ceilings->fma_flops_per_s,
                           &measuring->ceilings->sm_clock_hz, err);
}

static bool tensor_measure(struct measuring *measuring, struct kg_error *err)
{
    struct launch launch;
    uint32_t iterations = tensor_tiles.iterations, ones = 0x3f803f80; /* two of 1.0 in bf16 */
    double clock_hz;
    if (!launch_find(measuring, tensor_tiles.kernel, 0, &launch, err))
        return false;
    launch.parameters[1] = &iterations;
    launch.parameters[2] = &ones;
    return arithmetic_time(measuring, &tensor_tiles, &launch,
                           &measuring->ceilings->tensor_flops_per_s, &clock_hz, err);
}

/* --- All of it --- */

static bool launch_measure(struct measuring *measuring, struct kg_error *err)
{
    struct launch empty = {.timer = measuring->timer};
    double best_ns, clock_hz;
    if (!best_find(&empty, EMPTY_LAUNCHES, &best_ns, &clock_hz, err))
        return false;
    measuring->ceilings->launch_ns = best_ns;
    return true;
}

static bool begin(struct measuring *measuring, struct kg_error *err)
{
    const struct kg_driver *driver = &measuring->timer->driver;
    const void *code = kg_device_code("ceilings", NULL);
    if (!code)
        return kg_error_set(err, KG_ERROR_MEASURE, "this kgate was built without CUDA");
    if (!good(measuring, driver->module_load(&measuring->module, code),
              "cannot load the kernels that measure what the GPU can do", err)) {
        measuring->module = NULL;
        return false;
    }
    if (good(measuring, driver->memory_allocate(&measuring->notes, sizeof(struct kg_ceiling_found)),
             "cannot allocate device memory", err))
        return true;
    measuring->notes = 0;
    return false;
}

static void end(struct measuring *measuring)
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

/* Multiply-adds first once for nothing: clocks take some time to rise from idle. */
bool kg_ceilings_measure(struct kg_gpu_timer *timer, const struct kg_ceilings_watch *watch,
                         struct kg_arena *arena, struct kg_ceilings *ceilings, struct kg_error *err)
{
    static bool (*const parts[])(struct measuring * measuring, struct kg_error * err) = {
        fma_measure, fma_measure, tensor_measure, launch_measure, memory_measure};
    struct measuring measuring = {.timer = timer, .arena = arena, .ceilings = ceilings};
    struct kg_ceilings_seen seen = {0};
    struct kg_error later;
    *ceilings = (struct kg_ceilings)KG_CEILINGS_NONE;
    const bool begun = begin(&measuring, err);
    bool all = begun;
    look(watch, &seen);
    for (size_t i = 0; begun && i < sizeof parts / sizeof *parts; i++) {
        if (!parts[i](&measuring, all ? err : &later))
            all = false;
        look(watch, &seen); /* at once: what holds an idle device back is soon forgotten */
    }
    end(&measuring);
    ceilings->measured = kg_timestamp(arena);
    ceilings->note = kg_ceilings_seen_words(&seen, arena);
    return all && !ceilings->measured ? kg_error_memory(err) : all;
}
