/* CUPTI without a device: hands over what the test says that the device did, counts with a range
 * profiler that needs three passes, and refuses what it is told to. */
#include "fake_cupti.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fake_cuda.h"

#include "run/worker/cupti_abi.h"

enum { RECORDS_MOST = 4096, KINDS = 64, PASSES = 3, FIRST_NS = 1000000, STEP_NS = 1000000 };
enum { SUCCESS = 0, MAX_LIMIT_REACHED = 12, INVALID_OPERATION = 7, FAKE_VERSION = 130001 };

/* A record is as long as NVIDIA's, so that what walks them must ask. */
struct record {
    _Alignas(8) unsigned char bytes[256];
};

static struct fake_cupti_counts counts;
static struct record records[RECORDS_MOST];
static size_t record_count;
static bool enabled[KINDS];
static uint64_t now_ns;
static uint32_t correlation;
static size_t dropped, to_drop;
static char refused[64], missing[128];
static int refusal;
static void (*requested)(uint8_t **buffer, size_t *bytes, size_t *most);
static void (*completed)(void *context, uint32_t stream, uint8_t *buffer, size_t bytes,
                         size_t valid_bytes);

#define EXPORT __attribute__((visibility("default")))
#define REFUSE_IF_TOLD()                                                                           \
    do {                                                                                           \
        if (!strcmp(refused, __func__))                                                            \
            return refusal;                                                                        \
    } while (0)

/* --- CUPTI's functions: activity -------------------------------------------------------------- */

EXPORT int cuptiGetVersion(uint32_t *version)
{
#ifdef FAKE_CUPTI_OLDER
    *version = 18;
#else
    *version = FAKE_VERSION;
#endif
    return SUCCESS;
}

EXPORT int cuptiGetResultString(int code, const char **text)
{
    *text = code == SUCCESS ? "CUPTI_SUCCESS" : "CUPTI_ERROR_OF_THE_FAKE";
    return SUCCESS;
}

static void kernel(const char *name, uint64_t start_ns, uint64_t end_ns);

/* Of the fake driver, in all; 0 where it is not loaded. */
static unsigned launches_count(void)
{
    const struct fake_cuda *(*controls)(void) = NULL;
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    void *address = library ? dlsym(library, "fake_cuda") : NULL;
    memcpy(&controls, &address, sizeof controls);
    return controls ? controls()->counts->launches : 0;
}

/* What was launched since the last time stamp ran right after it. */
static void launches_take(void)
{
    static unsigned before;
    const unsigned count = launches_count();
    for (unsigned i = 0; before && i < count - before; i++)
        kernel("work", 1000 + 3000 * (uint64_t)i, 3000 + 3000 * (uint64_t)i);
    before = count;
}

EXPORT int cuptiGetTimestamp(uint64_t *ns)
{
    REFUSE_IF_TOLD();
    launches_take();
    *ns = now_ns += STEP_NS;
    return SUCCESS;
}

EXPORT int cuptiActivityRegisterCallbacks(void (*ask)(uint8_t **, size_t *, size_t *),
                                          void (*give)(void *, uint32_t, uint8_t *, size_t, size_t))
{
    REFUSE_IF_TOLD();
    requested = ask;
    completed = give;
    return SUCCESS;
}

static bool fault(const char *name)
{
    const char *told = getenv("FAKE_CUPTI");
    return told && !strcmp(told, name);
}

/* For the first process of all that can make the file. */
static bool hangs_once(void)
{
    const char *path = getenv("FAKE_CUPTI_HANGS_ONCE");
    return path && open(path, O_CREAT | O_EXCL, 0600) >= 0;
}

EXPORT int cuptiActivityEnable(int kind)
{
    REFUSE_IF_TOLD();
    if (fault("crash"))
        abort();
    while (fault("hang") || hangs_once())
        pause();
    counts.enabled += !enabled[kind];
    enabled[kind] = true;
    return SUCCESS;
}

EXPORT int cuptiActivityDisable(int kind)
{
    counts.enabled -= enabled[kind];
    enabled[kind] = false;
    return SUCCESS;
}

/* Buffers of at most two records, the last first: they come in any order. */
EXPORT int cuptiActivityFlushAll(uint32_t flags)
{
    (void)flags;
    REFUSE_IF_TOLD();
    for (size_t left = record_count; left > 0;) {
        uint8_t *buffer = NULL;
        size_t bytes = 0, most = 0;
        const size_t count = left > 1 ? 2 : 1;
        requested(&buffer, &bytes, &most);
        left -= count;
        if (!buffer || bytes < count * sizeof *records) {
            dropped += count;
            continue;
        }
        memcpy(buffer, &records[left], count * sizeof *records);
        completed(NULL, 0, buffer, bytes, count * sizeof *records);
    }
    record_count = 0;
    return SUCCESS;
}

EXPORT int cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid_bytes, void **record)
{
    uint8_t *next = *record ? (uint8_t *)*record + sizeof *records : buffer;
    if ((size_t)(next - buffer) >= valid_bytes)
        return MAX_LIMIT_REACHED;
    *record = next;
    return SUCCESS;
}

EXPORT int cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream, size_t *count)
{
    (void)context;
    (void)stream;
    *count = dropped;
    dropped = 0;
    return SUCCESS;
}

/* --- CUPTI's functions: the range profiler ---------------------------------------------------- */

static int host, profiler; /* their addresses are the handles */
static bool initialized, started, pushed;

/* False, and counted, where the caller's structure is not what the function expects. */
static bool sized(const void *parameters, size_t size)
{
    size_t says;
    memcpy(&says, parameters, sizeof says);
    counts.misuse += says != size;
    return says == size;
}

#define PARAMETERS(type, last)                                                                     \
    struct type *with = parameters;                                                                \
    REFUSE_IF_TOLD();                                                                              \
    if (!sized(with, KG_CUPTI_SIZE(struct type, last)))                                            \
        return INVALID_OPERATION;
#define NEEDS(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            counts.misuse++;                                                                       \
            return INVALID_OPERATION;                                                              \
        }                                                                                          \
    } while (0)

EXPORT int cuptiProfilerInitialize(void *parameters)
{
    PARAMETERS(kg_cupti_initialize, reserved)
    (void)with;
    initialized = true;
    counts.open++;
    return SUCCESS;
}

EXPORT int cuptiProfilerDeInitialize(void *parameters)
{
    PARAMETERS(kg_cupti_initialize, reserved)
    (void)with;
    NEEDS(initialized);
    initialized = false;
    counts.open--;
    return SUCCESS;
}

EXPORT int cuptiDeviceGetChipName(void *parameters)
{
    PARAMETERS(kg_cupti_chip, name)
    with->name = "FAKE100";
    return SUCCESS;
}

EXPORT int cuptiProfilerHostInitialize(void *parameters)
{
    PARAMETERS(kg_cupti_host_initialize, host)
    NEEDS(initialized && !strcmp(with->chip, "FAKE100") &&
          with->profiler == KG_CUPTI_RANGE_PROFILER);
    with->host = &host;
    counts.open++;
    return SUCCESS;
}

EXPORT int cuptiProfilerHostDeinitialize(void *parameters)
{
    PARAMETERS(kg_cupti_host, host)
    NEEDS(with->host == &host);
    counts.open--;
    return SUCCESS;
}

EXPORT int cuptiProfilerHostConfigAddMetrics(void *parameters)
{
    PARAMETERS(kg_cupti_add_metrics, count)
    NEEDS(with->host == &host && with->count == 1);
    return *missing && !strcmp(with->names[0], missing) ? KG_CUPTI_INVALID_METRIC_NAME : SUCCESS;
}

EXPORT int cuptiProfilerHostGetConfigImageSize(void *parameters)
{
    PARAMETERS(kg_cupti_config_size, bytes)
    NEEDS(with->host == &host);
    with->bytes = 24;
    return SUCCESS;
}

EXPORT int cuptiProfilerHostGetConfigImage(void *parameters)
{
    PARAMETERS(kg_cupti_config, image)
    NEEDS(with->host == &host && with->bytes == 24);
    memset(with->image, 7, with->bytes);
    return SUCCESS;
}

EXPORT int cuptiRangeProfilerEnable(void *parameters)
{
    PARAMETERS(kg_cupti_enable, profiler)
    if (fault("denied"))
        return KG_CUPTI_INSUFFICIENT_PRIVILEGES;
    with->profiler = &profiler;
    counts.passes = 0;
    counts.open++;
    return SUCCESS;
}

EXPORT int cuptiRangeProfilerDisable(void *parameters)
{
    PARAMETERS(kg_cupti_profiler, profiler)
    NEEDS(with->profiler == &profiler);
    counts.open--;
    return SUCCESS;
}

EXPORT int cuptiRangeProfilerGetCounterDataSize(void *parameters)
{
    PARAMETERS(kg_cupti_data_size, bytes)
    NEEDS(with->profiler == &profiler && with->ranges_most == 1);
    with->bytes = 40;
    return SUCCESS;
}

EXPORT int cuptiRangeProfilerCounterDataImageInitialize(void *parameters)
{
    PARAMETERS(kg_cupti_data_initialize, image)
    NEEDS(with->profiler == &profiler && with->bytes == 40);
    memset(with->image, 0, with->bytes);
    return SUCCESS;
}

EXPORT int cuptiRangeProfilerSetConfig(void *parameters)
{
    PARAMETERS(kg_cupti_set_config, level)
    NEEDS(with->profiler == &profiler && with->config_bytes == 24 && with->config[23] == 7 &&
          with->data_bytes == 40 && with->range == KG_CUPTI_USER_RANGE &&
          with->replay == KG_CUPTI_USER_REPLAY && with->levels == 1 && with->level_least == 1 &&
          with->level == 1 && with->pass == 0 && with->ranges_most == 1);
    return SUCCESS;
}

EXPORT int cuptiRangeProfilerStart(void *parameters)
{
    PARAMETERS(kg_cupti_profiler, profiler)
    NEEDS(with->profiler == &profiler && !started);
    started = true;
    return SUCCESS;
}

EXPORT int cuptiRangeProfilerPushRange(void *parameters)
{
    PARAMETERS(kg_cupti_push, name)
    NEEDS(with->profiler == &profiler && started && with->name);
    pushed = true;
    return SUCCESS;
}

EXPORT int cuptiRangeProfilerPopRange(void *parameters)
{
    PARAMETERS(kg_cupti_profiler, profiler)
    NEEDS(with->profiler == &profiler && pushed);
    pushed = false;
    return SUCCESS;
}

EXPORT int cuptiRangeProfilerStop(void *parameters)
{
    PARAMETERS(kg_cupti_stop, all_passes_done)
    NEEDS(with->profiler == &profiler && started && !pushed);
    started = false;
    with->all_passes_done = ++counts.passes >= PASSES;
    return SUCCESS;
}

EXPORT int cuptiRangeProfilerDecodeData(void *parameters)
{
    PARAMETERS(kg_cupti_decode, ranges_dropped)
    NEEDS(with->profiler == &profiler && counts.passes == PASSES);
    with->ranges_dropped = 0;
    return SUCCESS;
}

/* Of metric i it counts 10 * (i + 1). */
EXPORT int cuptiProfilerHostEvaluateToGpuValues(void *parameters)
{
    PARAMETERS(kg_cupti_evaluate, values)
    NEEDS(with->host == &host && with->data_bytes == 40 && with->range == 0);
    for (size_t i = 0; i < with->count; i++)
        with->values[i] = 10.0 * (double)(i + 1);
    return SUCCESS;
}

/* --- The test's ------------------------------------------------------------------------------- */

static void restart(void)
{
    memset(enabled, 0, sizeof enabled);
    counts = (struct fake_cupti_counts){0};
    record_count = dropped = to_drop = 0;
    now_ns = FIRST_NS;
    correlation = 0;
    refused[0] = missing[0] = '\0';
    initialized = started = pushed = false;
}

static void append(int kind, const void *record, size_t size)
{
    if (!enabled[kind])
        return;
    if (to_drop || record_count == RECORDS_MOST) {
        to_drop -= to_drop > 0;
        dropped++;
        return;
    }
    memcpy(records[record_count++].bytes, record, size);
}

static uint64_t absolute(uint64_t ns)
{
    return ns ? now_ns + ns : 0;
}

static void kernel(const char *name, uint64_t start_ns, uint64_t end_ns)
{
    const struct kg_cupti_kernel_record record = {.kind = KG_CUPTI_CONCURRENT_KERNEL,
                                                  .registers = 32,
                                                  .start_ns = absolute(start_ns),
                                                  .end_ns = absolute(end_ns),
                                                  .grid = {4, 2, 1},
                                                  .block = {64, 2, 1},
                                                  .static_shared_bytes = 1024,
                                                  .dynamic_shared_bytes = 512,
                                                  .local_bytes = 16,
                                                  .correlation = ++correlation,
                                                  .name = name};
    append(KG_CUPTI_CONCURRENT_KERNEL, &record, sizeof record);
}

/* As one does that has pageable memory at the host and 3, that of the device, at the other end. */
static void copy(int copy_kind, uint64_t bytes, uint64_t start_ns, uint64_t end_ns)
{
    const bool to_device = copy_kind == KG_CUPTI_HOST_TO_DEVICE;
    const bool to_host = copy_kind == KG_CUPTI_DEVICE_TO_HOST;
    const struct kg_cupti_copy_record record = {.kind = KG_CUPTI_MEMCPY,
                                                .copy_kind = (uint8_t)copy_kind,
                                                .source_kind = to_device ? KG_CUPTI_PAGEABLE : 3,
                                                .target_kind = to_host ? KG_CUPTI_PAGEABLE : 3,
                                                .bytes = bytes,
                                                .start_ns = absolute(start_ns),
                                                .end_ns = absolute(end_ns),
                                                .correlation = ++correlation};
    append(KG_CUPTI_MEMCPY, &record, sizeof record);
}

static void fill(uint64_t bytes, uint64_t start_ns, uint64_t end_ns)
{
    const struct kg_cupti_fill_record record = {.kind = KG_CUPTI_MEMSET,
                                                .bytes = bytes,
                                                .start_ns = absolute(start_ns),
                                                .end_ns = absolute(end_ns),
                                                .correlation = ++correlation};
    append(KG_CUPTI_MEMSET, &record, sizeof record);
}

static void drop(unsigned how_many)
{
    to_drop = how_many;
}

static void refuse(const char *function, int code)
{
    refused[0] = '\0';
    if (function)
        strncat(refused, function, sizeof refused - 1);
    refusal = code;
}

static void without(const char *metric)
{
    missing[0] = '\0';
    if (metric)
        strncat(missing, metric, sizeof missing - 1);
}

EXPORT const struct fake_cupti *fake_cupti(void)
{
    static const struct fake_cupti controls = {
        .counts = &counts,
        .restart = restart,
        .kernel = kernel,
        .copy = copy,
        .fill = fill,
        .drop = drop,
        .refuse = refuse,
        .without = without,
    };
    return &controls;
}
