#include "profiler/record/gpu_driver.h"

#include <pthread.h>
#include <stddef.h>

#include "base/library.h"
#include "profiler/record/ticks.h"

/* The second version of cuEventElapsedTime (CUDA 12.8) does not look for errors of pending work. */
#define CALL(member) offsetof(struct kg_cuda, member)
static const struct kg_symbol symbols[] = {
    {"cuCtxGetCurrent", NULL, CALL(context_current), false},
    {"cuCtxPushCurrent_v2", NULL, CALL(context_push), false},
    {"cuCtxPopCurrent_v2", NULL, CALL(context_pop), false},
    {"cuCtxGetId", NULL, CALL(context_id), true},
    {"cuStreamCreate", NULL, CALL(stream_create), false},
    {"cuStreamDestroy_v2", NULL, CALL(stream_destroy), false},
    {"cuStreamIsCapturing", NULL, CALL(stream_capturing), false},
    {"cuEventCreate", NULL, CALL(event_create), false},
    {"cuEventDestroy_v2", NULL, CALL(event_destroy), false},
    {"cuEventRecord", NULL, CALL(event_record), false},
    {"cuEventQuery", NULL, CALL(event_query), false},
    {"cuEventElapsedTime_v2", "cuEventElapsedTime", CALL(event_elapsed), false},
    {"cuMemGetInfo_v2", NULL, CALL(memory_info), true},
    {"cuThreadExchangeStreamCaptureMode", NULL, CALL(capture_mode), true},
};
enum { SYMBOL_COUNT = sizeof symbols / sizeof *symbols };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct kg_cuda driver;
static bool driver_found;
static unsigned forks; /* changed in a child before it has a second thread */
static uint64_t opened_ticks, opened_ns;

static void forked(void)
{
    forks++;
}

static void driver_open(void)
{
    void *library = kg_library_open("libcuda.so.1", NULL, 0);
    if (!library || kg_library_symbols(library, symbols, SYMBOL_COUNT, &driver))
        return;
    kg_ticks_pair(&opened_ticks, &opened_ns);
    driver.ticks_per_ns = 1 / kg_ticks_estimate();
    driver_found = pthread_atfork(NULL, NULL, forked) == 0;
}

const struct kg_cuda *kg_cuda_open(void)
{
    pthread_once(&once, driver_open);
    return driver_found ? &driver : NULL;
}

bool kg_cuda_gone(int code)
{
    return code == KG_CUDA_NOT_INITIALIZED || code == KG_CUDA_DEINITIALIZED ||
           code == KG_CUDA_CONTEXT_IS_DESTROYED;
}

bool kg_cuda_captured(int code)
{
    return code >= KG_CUDA_CAPTURE_FIRST && code <= KG_CUDA_CAPTURE_LAST;
}

unsigned kg_cuda_forks(void)
{
    return forks;
}

enum { CAPTURE_MODE_RELAXED = 2 };

int kg_cuda_relaxed(const struct kg_cuda *cuda)
{
    int mode = CAPTURE_MODE_RELAXED;
    if (!cuda->capture_mode || cuda->capture_mode(&mode) != KG_CUDA_SUCCESS)
        return -1;
    return mode;
}

void kg_cuda_strict(const struct kg_cuda *cuda, int mode)
{
    if (mode >= 0)
        cuda->capture_mode(&mode);
}

double kg_cuda_ns_per_tick(void)
{
    uint64_t ticks, clock_ns;
    kg_ticks_pair(&ticks, &clock_ns);
    if (ticks == opened_ticks)
        return 1 / driver.ticks_per_ns;
    return (double)(clock_ns - opened_ns) / (double)(ticks - opened_ticks);
}
