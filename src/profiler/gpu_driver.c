#include "profiler/gpu_driver.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

#include "profiler/ticks.h"

struct symbol {
    const char *name;
    const char *older; /* what drivers from before it was renamed call it; NULL where the same */
    size_t offset;     /* of the pointer in struct kg_cuda */
    bool needed;
};

/* The second version of cuEventElapsedTime (CUDA 12.8) does not look for errors of pending work. */
#define CALL(member) offsetof(struct kg_cuda, member)
static const struct symbol symbols[] = {
    {"cuCtxGetCurrent", NULL, CALL(context_current), true},
    {"cuCtxPushCurrent_v2", NULL, CALL(context_push), true},
    {"cuCtxPopCurrent_v2", NULL, CALL(context_pop), true},
    {"cuCtxGetId", NULL, CALL(context_id), false},
    {"cuStreamCreate", NULL, CALL(stream_create), true},
    {"cuStreamDestroy_v2", NULL, CALL(stream_destroy), true},
    {"cuStreamIsCapturing", NULL, CALL(stream_capturing), true},
    {"cuEventCreate", NULL, CALL(event_create), true},
    {"cuEventDestroy_v2", NULL, CALL(event_destroy), true},
    {"cuEventRecord", NULL, CALL(event_record), true},
    {"cuEventQuery", NULL, CALL(event_query), true},
    {"cuEventElapsedTime_v2", "cuEventElapsedTime", CALL(event_elapsed), true},
    {"cuThreadExchangeStreamCaptureMode", NULL, CALL(capture_mode), false},
};
enum { SYMBOL_COUNT = sizeof symbols / sizeof *symbols };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct kg_cuda driver;
static bool driver_found;
static unsigned forks; /* changed in a child before it has a second thread */
static uint64_t opened_ticks, opened_ns;

static bool symbols_find(void *library)
{
    for (size_t i = 0; i < SYMBOL_COUNT; i++) {
        void *address = dlsym(library, symbols[i].name);
        if (!address && symbols[i].older)
            address = dlsym(library, symbols[i].older);
        if (!address && symbols[i].needed)
            return false;
        /* C has no cast from a data pointer to a function pointer; POSIX gives them one size. */
        memcpy((char *)&driver + symbols[i].offset, &address, sizeof address);
    }
    return true;
}

static void forked(void)
{
    forks++;
}

static void driver_open(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library || !symbols_find(library))
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
