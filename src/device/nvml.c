/* The prototypes are those of NVIDIA's NVML API reference, with the types reduced to what the ABI
 * passes: enums as int, device handles as pointers. */
#include "device/nvml.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUCCESS = 0, INSUFFICIENT_SIZE = 7 };
enum { CLOCK_SM = 1, CLOCK_MEMORY = 2 };
enum { SENSOR_GPU = 0, THRESHOLD_SLOWDOWN = 1 };

struct utilization {
    unsigned gpu;
    unsigned memory;
};

struct kg_nvml_calls {
    int (*init)(void);
    int (*shutdown)(void);
    const char *(*error_string)(int);
    int (*count)(unsigned *);
    int (*handle)(unsigned, void **);
    int (*name)(void *, char *, unsigned);
    int (*uuid)(void *, char *, unsigned);
    int (*persistence)(void *, int *);
    int (*clock)(void *, int, unsigned *);
    int (*clock_most)(void *, int, unsigned *);
    int (*clock_application)(void *, int, unsigned *);
    int (*temperature)(void *, int, unsigned *);
    int (*temperature_threshold)(void *, int, unsigned *);
    int (*throttle)(void *, unsigned long long *);
    int (*utilization)(void *, struct utilization *);
    int (*processes)(void *, unsigned *, void *);
};

struct symbol {
    const char *name;
    const char *older; /* what drivers from before it was renamed call it; NULL where the same */
    size_t offset;     /* of the pointer in struct kg_nvml_calls */
    bool needed;
};

#define CALL(member) offsetof(struct kg_nvml_calls, member)
static const struct symbol symbols[] = {
    {"nvmlInit_v2", NULL, CALL(init), true},
    {"nvmlShutdown", NULL, CALL(shutdown), true},
    {"nvmlErrorString", NULL, CALL(error_string), true},
    {"nvmlDeviceGetCount_v2", NULL, CALL(count), true},
    {"nvmlDeviceGetHandleByIndex_v2", NULL, CALL(handle), true},
    {"nvmlDeviceGetName", NULL, CALL(name), false},
    {"nvmlDeviceGetUUID", NULL, CALL(uuid), false},
    {"nvmlDeviceGetPersistenceMode", NULL, CALL(persistence), false},
    {"nvmlDeviceGetClockInfo", NULL, CALL(clock), false},
    {"nvmlDeviceGetMaxClockInfo", NULL, CALL(clock_most), false},
    {"nvmlDeviceGetApplicationsClock", NULL, CALL(clock_application), false},
    {"nvmlDeviceGetTemperature", NULL, CALL(temperature), false},
    {"nvmlDeviceGetTemperatureThreshold", NULL, CALL(temperature_threshold), false},
    {"nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons",
     CALL(throttle), false},
    {"nvmlDeviceGetUtilizationRates", NULL, CALL(utilization), false},
    {"nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses",
     CALL(processes), false},
};
enum { SYMBOL_COUNT = sizeof symbols / sizeof *symbols };

/* The name of a needed symbol that is not there, or NULL. */
static const char *symbols_find(void *library, struct kg_nvml_calls *calls)
{
    for (size_t i = 0; i < SYMBOL_COUNT; i++) {
        void *address = dlsym(library, symbols[i].name);
        if (!address && symbols[i].older)
            address = dlsym(library, symbols[i].older);
        if (!address && symbols[i].needed)
            return symbols[i].name;
        /* C has no cast from a data pointer to a function pointer; POSIX gives them one size. */
        memcpy((char *)calls + symbols[i].offset, &address, sizeof address);
    }
    return NULL;
}

static enum kg_nvml_status start(struct kg_nvml *nvml, char *why, size_t why_bytes)
{
    unsigned count = 0;
    const char *missing = symbols_find(nvml->library, nvml->calls);
    if (missing) {
        snprintf(why, why_bytes, "the library has no %s", missing);
        return KG_NVML_FAILED;
    }
    int code = nvml->calls->init();
    if (code != SUCCESS) {
        snprintf(why, why_bytes, "%s", nvml->calls->error_string(code));
        return KG_NVML_FAILED;
    }
    code = nvml->calls->count(&count);
    if (code != SUCCESS) {
        snprintf(why, why_bytes, "%s", nvml->calls->error_string(code));
        nvml->calls->shutdown();
        return KG_NVML_FAILED;
    }
    nvml->device_count = count;
    return KG_NVML_GOOD;
}

enum kg_nvml_status kg_nvml_open(const char *library, struct kg_nvml *nvml, char *why,
                                 size_t why_bytes)
{
    *nvml = (struct kg_nvml){.library = dlopen(library, RTLD_NOW | RTLD_LOCAL)};
    if (!nvml->library) {
        snprintf(why, why_bytes, "%s", "no NVIDIA driver");
        return KG_NVML_MISSING;
    }
    enum kg_nvml_status status = KG_NVML_FAILED;
    nvml->calls = calloc(1, sizeof *nvml->calls);
    if (nvml->calls)
        status = start(nvml, why, why_bytes);
    else
        snprintf(why, why_bytes, "%s", "out of memory");
    if (status == KG_NVML_GOOD)
        return status;
    free(nvml->calls);
    dlclose(nvml->library);
    *nvml = (struct kg_nvml){0};
    return status;
}

void kg_nvml_close(struct kg_nvml *nvml)
{
    if (!nvml->calls)
        return;
    nvml->calls->shutdown();
    free(nvml->calls);
    dlclose(nvml->library);
    *nvml = (struct kg_nvml){0};
}

/* One of the queries that take an enumerator and give a number; -1 where it is not told. */
static int number(int (*query)(void *, int, unsigned *), void *handle, int which)
{
    unsigned value = 0;
    return query && query(handle, which, &value) == SUCCESS ? (int)value : -1;
}

/* With no room given, NVML only counts: no layout of its process record is needed. */
static int processes_count(const struct kg_nvml_calls *calls, void *handle)
{
    unsigned count = 0;
    const int code = calls->processes ? calls->processes(handle, &count, NULL) : -1;
    return code == SUCCESS || code == INSUFFICIENT_SIZE ? (int)count : -1;
}

static void clocks_read(const struct kg_nvml_calls *calls, void *handle,
                        struct kg_nvml_device *device)
{
    unsigned long long reasons = 0;
    device->sm_mhz = number(calls->clock, handle, CLOCK_SM);
    device->sm_most_mhz = number(calls->clock_most, handle, CLOCK_SM);
    device->sm_application_mhz = number(calls->clock_application, handle, CLOCK_SM);
    device->memory_mhz = number(calls->clock, handle, CLOCK_MEMORY);
    device->memory_most_mhz = number(calls->clock_most, handle, CLOCK_MEMORY);
    if (calls->throttle && calls->throttle(handle, &reasons) == SUCCESS)
        device->throttle = (int64_t)(reasons & INT64_MAX);
}

bool kg_nvml_device_read(const struct kg_nvml *nvml, size_t index, struct kg_nvml_device *device)
{
    const struct kg_nvml_calls *calls = nvml->calls;
    struct utilization utilization = {0};
    void *handle = NULL;
    *device = (struct kg_nvml_device){
        .persistence = -1,
        .sm_mhz = -1,
        .sm_most_mhz = -1,
        .sm_application_mhz = -1,
        .memory_mhz = -1,
        .memory_most_mhz = -1,
        .temperature_c = -1,
        .slowdown_c = -1,
        .utilization_percent = -1,
        .compute_processes = -1,
        .throttle = -1,
    };
    if (!calls || calls->handle((unsigned)index, &handle) != SUCCESS)
        return false;
    if (!calls->name || calls->name(handle, device->name, sizeof device->name) != SUCCESS)
        snprintf(device->name, sizeof device->name, "GPU %zu", index);
    if (!calls->uuid || calls->uuid(handle, device->uuid, sizeof device->uuid) != SUCCESS)
        device->uuid[0] = '\0';
    if (calls->persistence && calls->persistence(handle, &device->persistence) != SUCCESS)
        device->persistence = -1;
    clocks_read(calls, handle, device);
    device->temperature_c = number(calls->temperature, handle, SENSOR_GPU);
    device->slowdown_c = number(calls->temperature_threshold, handle, THRESHOLD_SLOWDOWN);
    if (calls->utilization && calls->utilization(handle, &utilization) == SUCCESS)
        device->utilization_percent = (int)utilization.gpu;
    device->compute_processes = processes_count(calls, handle);
    return true;
}

void kg_nvml_gpus_read(const char *library, struct kg_nvml_gpus *gpus)
{
    struct kg_nvml nvml;
    *gpus = (struct kg_nvml_gpus){0};
    gpus->status = kg_nvml_open(library, &nvml, gpus->why, sizeof gpus->why);
    if (gpus->status != KG_NVML_GOOD)
        return;
    for (size_t i = 0; i < nvml.device_count && gpus->count < KG_NVML_DEVICES_MOST; i++)
        if (kg_nvml_device_read(&nvml, i, &gpus->devices[gpus->count]))
            gpus->count++;
    kg_nvml_close(&nvml);
}
