#include "run/worker/cupti_counters.h"

#include <stdlib.h>

#include "base/library.h"
#include "base/memory.h"
#include "run/worker/cupti_abi.h"

static const double SHARE = 0.01; /* of a hundred */
/* Each pass is a call, so metrics that need many passes are left out. Above all these are the
 * throughputs of DRAM and of the multiprocessors: kgate derives both from times and peaks.
 * tests/cuda/cupti_host.c counts the passes. */
const struct kg_cupti_metric kg_cupti_metrics[KG_CUPTI_METRICS] = {
    {"dram_read_bytes", "dram__bytes_read.sum", 1, KG_BETTER_LOWER},
    {"dram_write_bytes", "dram__bytes_write.sum", 1, KG_BETTER_LOWER},
    {"warps_active", "sm__warps_active.avg.pct_of_peak_sustained_active", SHARE, KG_BETTER_HIGHER},
    {"l2_hit_rate", "lts__t_sector_hit_rate.pct", SHARE, KG_BETTER_HIGHER},
    {"warp_instructions", "smsp__inst_executed.sum", 1, KG_BETTER_LOWER},
};

enum { PASSES_MOST = 64 };

enum step {
    INITIALIZE,
    CHIP,
    HOST_INITIALIZE,
    ADD_METRICS,
    CONFIG_SIZE,
    CONFIG,
    ENABLE,
    DATA_SIZE,
    DATA_INITIALIZE,
    SET_CONFIG,
    START,
    PUSH,
    POP,
    STOP,
    DECODE,
    EVALUATE,
    DISABLE,
    HOST_END,
    END,
    STEPS,
};

static const char *const step_symbols[STEPS] = {
    [INITIALIZE] = "cuptiProfilerInitialize",
    [CHIP] = "cuptiDeviceGetChipName",
    [HOST_INITIALIZE] = "cuptiProfilerHostInitialize",
    [ADD_METRICS] = "cuptiProfilerHostConfigAddMetrics",
    [CONFIG_SIZE] = "cuptiProfilerHostGetConfigImageSize",
    [CONFIG] = "cuptiProfilerHostGetConfigImage",
    [ENABLE] = "cuptiRangeProfilerEnable",
    [DATA_SIZE] = "cuptiRangeProfilerGetCounterDataSize",
    [DATA_INITIALIZE] = "cuptiRangeProfilerCounterDataImageInitialize",
    [SET_CONFIG] = "cuptiRangeProfilerSetConfig",
    [START] = "cuptiRangeProfilerStart",
    [PUSH] = "cuptiRangeProfilerPushRange",
    [POP] = "cuptiRangeProfilerPopRange",
    [STOP] = "cuptiRangeProfilerStop",
    [DECODE] = "cuptiRangeProfilerDecodeData",
    [EVALUATE] = "cuptiProfilerHostEvaluateToGpuValues",
    [DISABLE] = "cuptiRangeProfilerDisable",
    [HOST_END] = "cuptiProfilerHostDeinitialize",
    [END] = "cuptiProfilerDeInitialize",
};

struct counting {
    const struct kg_cupti *cupti;
    const struct kg_driver *driver;
    const struct kg_gpu_call *call;
    int (*of[STEPS])(void *parameters);
    bool initialized;
    void *host;
    void *profiler;
    uint8_t *config; /* CUPTI's image of the counters to read */
    size_t config_bytes;
    uint8_t *data; /* CUPTI's image of the counts */
    size_t data_bytes;
    size_t chosen[KG_CUPTI_METRICS]; /* the metrics that this device has */
    const char *names[KG_CUPTI_METRICS];
    size_t count;
    struct kg_error *err;
};

static bool symbols_find(struct counting *counting)
{
    for (size_t i = 0; i < STEPS; i++) {
        const struct kg_symbol symbol = {.name = step_symbols[i]};
        if (kg_library_symbols(counting->cupti->library, &symbol, 1, &counting->of[i]))
            return kg_error_set(
                counting->err, KG_ERROR_MEASURE,
                "no hardware counters: this CUPTI has no range profiler (CUDA 12.6 has it)");
    }
    return true;
}

static bool step_do(struct counting *counting, enum step step, void *parameters)
{
    if (kg_cupti_good(counting->cupti, counting->of[step](parameters), step_symbols[step],
                      counting->err))
        return true;
    return kg_error_wrap(counting->err, "no hardware counters");
}

/* Metrics that this device does not have are left out. */
static bool metrics_add(struct counting *counting)
{
    for (size_t i = 0; i < KG_CUPTI_METRICS; i++) {
        const char *name = kg_cupti_metrics[i].metric;
        struct kg_cupti_add_metrics add = {.size =
                                               KG_CUPTI_SIZE(struct kg_cupti_add_metrics, count),
                                           .host = counting->host,
                                           .names = &name,
                                           .count = 1};
        const int code = counting->of[ADD_METRICS](&add);
        if (code == KG_CUPTI_INVALID_METRIC_NAME)
            continue;
        if (!kg_cupti_good(counting->cupti, code, step_symbols[ADD_METRICS], counting->err))
            return kg_error_wrap(counting->err, "no hardware counters");
        counting->chosen[counting->count] = i;
        counting->names[counting->count++] = name;
    }
    return counting->count
               ? true
               : kg_error_set(counting->err, KG_ERROR_MEASURE,
                              "no hardware counters: this device has no counter that kgate uses");
}

static bool host_begin(struct counting *counting)
{
    struct kg_cupti_initialize initialize = {
        .size = KG_CUPTI_SIZE(struct kg_cupti_initialize, reserved)};
    struct kg_cupti_chip chip = {.size = KG_CUPTI_SIZE(struct kg_cupti_chip, name)};
    struct kg_cupti_host_initialize begin = {
        .size = KG_CUPTI_SIZE(struct kg_cupti_host_initialize, host),
        .profiler = KG_CUPTI_RANGE_PROFILER};
    if (!step_do(counting, INITIALIZE, &initialize))
        return false;
    counting->initialized = true;
    if (!step_do(counting, CHIP, &chip))
        return false;
    begin.chip = chip.name;
    if (!step_do(counting, HOST_INITIALIZE, &begin))
        return false;
    counting->host = begin.host;
    return true;
}

static bool config_make(struct counting *counting)
{
    struct kg_cupti_config_size size = {.size = KG_CUPTI_SIZE(struct kg_cupti_config_size, bytes),
                                        .host = counting->host};
    if (!step_do(counting, CONFIG_SIZE, &size))
        return false;
    counting->config = kg_alloc(size.bytes, 1);
    counting->config_bytes = size.bytes;
    struct kg_cupti_config config = {.size = KG_CUPTI_SIZE(struct kg_cupti_config, image),
                                     .host = counting->host,
                                     .bytes = counting->config_bytes,
                                     .image = counting->config};
    return step_do(counting, CONFIG, &config);
}

static bool data_make(struct counting *counting)
{
    struct kg_cupti_data_size size = {.size = KG_CUPTI_SIZE(struct kg_cupti_data_size, bytes),
                                      .profiler = counting->profiler,
                                      .names = counting->names,
                                      .count = counting->count,
                                      .ranges_most = 1,
                                      .range_nodes_most = 1};
    if (!step_do(counting, DATA_SIZE, &size))
        return false;
    counting->data = kg_alloc(size.bytes, 1);
    counting->data_bytes = size.bytes;
    struct kg_cupti_data_initialize data = {
        .size = KG_CUPTI_SIZE(struct kg_cupti_data_initialize, image),
        .profiler = counting->profiler,
        .bytes = counting->data_bytes,
        .image = counting->data};
    return step_do(counting, DATA_INITIALIZE, &data);
}

static bool profiler_begin(struct counting *counting, void *context)
{
    struct kg_cupti_enable enable = {.size = KG_CUPTI_SIZE(struct kg_cupti_enable, profiler),
                                     .context = context};
    if (!step_do(counting, ENABLE, &enable))
        return false;
    counting->profiler = enable.profiler;
    if (!data_make(counting))
        return false;
    struct kg_cupti_set_config set = {.size = KG_CUPTI_SIZE(struct kg_cupti_set_config, level),
                                      .profiler = counting->profiler,
                                      .config_bytes = counting->config_bytes,
                                      .config = counting->config,
                                      .data_bytes = counting->data_bytes,
                                      .data = counting->data,
                                      .range = KG_CUPTI_USER_RANGE,
                                      .replay = KG_CUPTI_USER_REPLAY,
                                      .ranges_most = 1,
                                      .levels = 1,
                                      .level_least = 1,
                                      .level = 1};
    return step_do(counting, SET_CONFIG, &set);
}

static bool pass_run(struct counting *counting, bool *all)
{
    struct kg_cupti_profiler same = {.size = KG_CUPTI_SIZE(struct kg_cupti_profiler, profiler),
                                     .profiler = counting->profiler};
    struct kg_cupti_push push = {.size = KG_CUPTI_SIZE(struct kg_cupti_push, name),
                                 .profiler = counting->profiler,
                                 .name = "call"};
    struct kg_cupti_stop stop = {.size = KG_CUPTI_SIZE(struct kg_cupti_stop, all_passes_done),
                                 .profiler = counting->profiler};
    if (!step_do(counting, START, &same) || !step_do(counting, PUSH, &push))
        return false;
    counting->call->run(counting->call->state);
    const bool ran =
        kg_driver_good(counting->driver, counting->driver->context_synchronize(),
                       "no hardware counters: a call failed on the device", counting->err);
    if (!ran || !step_do(counting, POP, &same) || !step_do(counting, STOP, &stop))
        return false;
    *all = stop.all_passes_done;
    return true;
}

static bool passes_run(struct counting *counting)
{
    struct kg_cupti_decode decode = {.size = KG_CUPTI_SIZE(struct kg_cupti_decode, ranges_dropped),
                                     .profiler = counting->profiler};
    bool all = false;
    for (int pass = 0; pass < PASSES_MOST && !all; pass++)
        if (!pass_run(counting, &all))
            return false;
    if (!all)
        return kg_error_set(counting->err, KG_ERROR_MEASURE,
                            "no hardware counters: they need more than %d calls", PASSES_MOST);
    if (!step_do(counting, DECODE, &decode))
        return false;
    return decode.ranges_dropped ? kg_error_set(counting->err, KG_ERROR_MEASURE,
                                                "no hardware counters: CUPTI lost the counts")
                                 : true;
}

static bool values_take(struct counting *counting, struct kg_reported *reported)
{
    double values[KG_CUPTI_METRICS] = {0};
    struct kg_cupti_evaluate evaluate = {.size = KG_CUPTI_SIZE(struct kg_cupti_evaluate, values),
                                         .host = counting->host,
                                         .data = counting->data,
                                         .data_bytes = counting->data_bytes,
                                         .names = counting->names,
                                         .count = counting->count,
                                         .values = values};
    if (!step_do(counting, EVALUATE, &evaluate))
        return false;
    for (size_t i = 0; i < counting->count; i++) {
        const struct kg_cupti_metric *metric = &kg_cupti_metrics[counting->chosen[i]];
        reported[i] = (struct kg_reported){metric->name, metric->scale * values[i]};
    }
    return true;
}

/* A failure here shows when the next call is counted, if it matters. */
static void counting_end(struct counting *counting)
{
    struct kg_cupti_profiler profiler = {.size = KG_CUPTI_SIZE(struct kg_cupti_profiler, profiler),
                                         .profiler = counting->profiler};
    struct kg_cupti_host host = {.size = KG_CUPTI_SIZE(struct kg_cupti_host, host),
                                 .host = counting->host};
    struct kg_cupti_initialize end = {.size = KG_CUPTI_SIZE(struct kg_cupti_initialize, reserved)};
    if (counting->profiler)
        counting->of[DISABLE](&profiler);
    if (counting->host)
        counting->of[HOST_END](&host);
    if (counting->initialized)
        counting->of[END](&end);
    free(counting->config);
    free(counting->data);
}

bool kg_cupti_count(const struct kg_cupti *cupti, const struct kg_driver *driver, void *context,
                    const struct kg_gpu_call *call, struct kg_reported *reported, size_t *count,
                    struct kg_error *err)
{
    struct counting counting = {.cupti = cupti, .driver = driver, .call = call, .err = err};
    const bool good = symbols_find(&counting) && host_begin(&counting) && metrics_add(&counting) &&
                      config_make(&counting) && profiler_begin(&counting, context) &&
                      passes_run(&counting) && values_take(&counting, reported);
    counting_end(&counting);
    *count = good ? counting.count : 0;
    return good;
}
