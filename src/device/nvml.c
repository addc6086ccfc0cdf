/* Prototypes follow NVIDIA's NVML API reference. Types are reduced to the ABI: enums as int, device
 * handles as pointers. */
#include "device/nvml.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/library.h"
#include "base/memory.h"
#include "device/driver_process.h"

enum { SUCCESS = 0, NO_PERMISSION = 4, INSUFFICIENT_SIZE = 7, GPU_IS_LOST = 15 };
enum { CLOCK_SM = 1, CLOCK_MEMORY = 2 };
enum { POLICY_POWER = 0, POLICY_THERMAL = 1 };
enum { SENSOR_GPU = 0, THRESHOLD_SLOWDOWN = 1 };

struct utilization {
    unsigned gpu;
    unsigned memory;
};

/* Throttled time by one policy. */
struct violation {
    unsigned long long at_us;
    unsigned long long held_ns;
};

struct kg_nvml_calls {
    int (*init)(void);
    int (*shutdown)(void);
    const char *(*error_string)(int);
    int (*driver_version)(char *, unsigned);
    int (*count)(unsigned *);
    int (*handle)(unsigned, void **);
    int (*handle_by_uuid)(const char *, void **);
    int (*index)(void *, unsigned *);
    int (*whole)(void *, void **); /* the GPU of an instance */
    int (*name)(void *, char *, unsigned);
    int (*uuid)(void *, char *, unsigned);
    int (*persistence)(void *, int *);
    int (*clock)(void *, int, unsigned *);
    int (*clock_most)(void *, int, unsigned *);
    int (*clock_application)(void *, int, unsigned *);
    int (*temperature)(void *, int, unsigned *);
    int (*temperature_threshold)(void *, int, unsigned *);
    int (*power)(void *, unsigned *);
    int (*power_limit)(void *, unsigned *);
    int (*violation)(void *, int, struct violation *);
    int (*clocks_lock)(void *, unsigned, unsigned);
    int (*clocks_reset)(void *);
    int (*energy)(void *, unsigned long long *);
    int (*mig)(void *, unsigned *, unsigned *);
    int (*throttle)(void *, unsigned long long *);
    int (*utilization)(void *, struct utilization *);
    int (*processes)(void *, unsigned *, void *);
    int (*processes_newer)(void *, unsigned *, void *);
};

enum { PROCESSES_MOST = 256 };

/* Records of the functions for running processes. `process` belongs to the first function, whose
 * name has no number; since CUDA 11 that name still takes this record. Some drivers of the 535
 * series fill larger "_v3" records than others, so kgate does not call "_v3". If the first function
 * is missing, kgate calls "_v2". */
struct process {
    unsigned pid;
    unsigned long long memory_bytes;
};
struct process_newer {
    unsigned pid;
    unsigned long long memory_bytes;
    unsigned gpu_instance;
    unsigned compute_instance;
};

#define CALL(member) offsetof(struct kg_nvml_calls, member)
static const struct kg_symbol symbols[] = {
    {"nvmlInit_v2", NULL, CALL(init), false},
    {"nvmlShutdown", NULL, CALL(shutdown), false},
    {"nvmlErrorString", NULL, CALL(error_string), false},
    {"nvmlSystemGetDriverVersion", NULL, CALL(driver_version), true},
    {"nvmlDeviceGetCount_v2", NULL, CALL(count), false},
    {"nvmlDeviceGetHandleByIndex_v2", NULL, CALL(handle), false},
    {"nvmlDeviceGetHandleByUUID", NULL, CALL(handle_by_uuid), true},
    {"nvmlDeviceGetIndex", NULL, CALL(index), true},
    {"nvmlDeviceGetDeviceHandleFromMigDeviceHandle", NULL, CALL(whole), true},
    {"nvmlDeviceGetName", NULL, CALL(name), true},
    {"nvmlDeviceGetUUID", NULL, CALL(uuid), true},
    {"nvmlDeviceGetPersistenceMode", NULL, CALL(persistence), true},
    {"nvmlDeviceGetClockInfo", NULL, CALL(clock), true},
    {"nvmlDeviceGetMaxClockInfo", NULL, CALL(clock_most), true},
    {"nvmlDeviceGetApplicationsClock", NULL, CALL(clock_application), true},
    {"nvmlDeviceGetTemperature", NULL, CALL(temperature), true},
    {"nvmlDeviceGetTemperatureThreshold", NULL, CALL(temperature_threshold), true},
    {"nvmlDeviceGetPowerUsage", NULL, CALL(power), true},
    {"nvmlDeviceSetGpuLockedClocks", NULL, CALL(clocks_lock), true},
    {"nvmlDeviceResetGpuLockedClocks", NULL, CALL(clocks_reset), true},
    {"nvmlDeviceGetEnforcedPowerLimit", NULL, CALL(power_limit), true},
    {"nvmlDeviceGetViolationStatus", NULL, CALL(violation), true},
    {"nvmlDeviceGetTotalEnergyConsumption", NULL, CALL(energy), true},
    {"nvmlDeviceGetMigMode", NULL, CALL(mig), true},
    {"nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons",
     CALL(throttle), true},
    {"nvmlDeviceGetUtilizationRates", NULL, CALL(utilization), true},
    {"nvmlDeviceGetComputeRunningProcesses", NULL, CALL(processes), true},
    {"nvmlDeviceGetComputeRunningProcesses_v2", NULL, CALL(processes_newer), true},
};
enum { SYMBOL_COUNT = sizeof symbols / sizeof *symbols };

static enum kg_nvml_status start(struct kg_nvml *nvml, char *why, size_t why_bytes)
{
    unsigned count = 0;
    const char *missing = kg_library_symbols(nvml->library, symbols, SYMBOL_COUNT, nvml->calls);
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
    *nvml = (struct kg_nvml){.library = kg_library_open(library, NULL, 0)};
    if (!nvml->library) {
        snprintf(why, why_bytes, "%s", "no NVIDIA driver");
        return KG_NVML_MISSING;
    }
    enum kg_nvml_status status = KG_NVML_FAILED;
    nvml->calls = kg_alloc(1, sizeof *nvml->calls);
    status = start(nvml, why, why_bytes);
    if (status == KG_NVML_GOOD)
        return status;
    free(nvml->calls);
    kg_library_close(nvml->library);
    *nvml = (struct kg_nvml){0};
    return status;
}

void kg_nvml_close(struct kg_nvml *nvml)
{
    if (!nvml->calls)
        return;
    nvml->calls->shutdown();
    free(nvml->calls);
    kg_library_close(nvml->library);
    *nvml = (struct kg_nvml){0};
}

/* The number from a query that takes an enumerator; -1 if unknown. */
static int number(int (*query)(void *, int, unsigned *), void *handle, int which)
{
    unsigned value = 0;
    return query && query(handle, which, &value) == SUCCESS ? (int)value : -1;
}

/* Fills `pids` with the processes that have a context on the device; returns their number, or -1 if
 * unknown. */
static int processes_read(const struct kg_nvml_calls *calls, void *handle, unsigned *pids)
{
    struct process older[PROCESSES_MOST] = {0};
    struct process_newer newer[PROCESSES_MOST] = {0};
    unsigned count = PROCESSES_MOST;
    int code = -1;
    if (calls->processes)
        code = calls->processes(handle, &count, older);
    else if (calls->processes_newer)
        code = calls->processes_newer(handle, &count, newer);
    if (code == INSUFFICIENT_SIZE) /* too many for the array, which NVML then leaves empty */
        return -1;
    if (code != SUCCESS || count > PROCESSES_MOST)
        return -1;
    for (unsigned i = 0; i < count; i++)
        pids[i] = calls->processes ? older[i].pid : newer[i].pid;
    return (int)count;
}

/* Number of processes unrelated to this process; -1 if unknown. */
static int others_count(const struct kg_nvml_calls *calls, void *handle)
{
    unsigned pids[PROCESSES_MOST];
    const int count = processes_read(calls, handle, pids);
    int others = 0;
    bool unseen = count < 0;
    for (int i = 0; i < count; i++) {
        const enum kg_kinship kinship = kg_kinship((long)pids[i]);
        others += kinship == KG_KINSHIP_OTHER;
        unseen = unseen || kinship == KG_KINSHIP_UNSEEN;
    }
    return unseen && !others ? -1 : others;
}

static int64_t throttle_read(const struct kg_nvml_calls *calls, void *handle)
{
    unsigned long long reasons = 0;
    if (!calls->throttle || calls->throttle(handle, &reasons) != SUCCESS)
        return -1;
    return (int64_t)(reasons & INT64_MAX);
}

static int utilization_read(const struct kg_nvml_calls *calls, void *handle)
{
    struct utilization utilization = {0};
    if (!calls->utilization || calls->utilization(handle, &utilization) != SUCCESS)
        return -1;
    return (int)utilization.gpu;
}

static void clocks_read(const struct kg_nvml_calls *calls, void *handle,
                        struct kg_nvml_device *device)
{
    device->sm_mhz = number(calls->clock, handle, CLOCK_SM);
    device->sm_most_mhz = number(calls->clock_most, handle, CLOCK_SM);
    device->sm_application_mhz = number(calls->clock_application, handle, CLOCK_SM);
    device->memory_mhz = number(calls->clock, handle, CLOCK_MEMORY);
    device->memory_most_mhz = number(calls->clock_most, handle, CLOCK_MEMORY);
    device->throttle = throttle_read(calls, handle);
}

bool kg_nvml_device_read(const struct kg_nvml *nvml, size_t index, struct kg_nvml_device *device)
{
    const struct kg_nvml_calls *calls = nvml->calls;
    unsigned pids[PROCESSES_MOST], mode = 0, pending = 0;
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
        .mig = -1,
        .throttle = -1,
    };
    const int code = calls ? calls->handle((unsigned)index, &handle) : -1;
    device->lost = code == GPU_IS_LOST;
    if (code != SUCCESS)
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
    device->utilization_percent = utilization_read(calls, handle);
    device->compute_processes = processes_read(calls, handle, pids);
    if (calls->mig && calls->mig(handle, &mode, &pending) == SUCCESS)
        device->mig = mode == 1;
    return true;
}

bool kg_nvml_find(struct kg_nvml *nvml, const char *uuid, size_t *index)
{
    const struct kg_nvml_calls *calls = nvml->calls;
    struct kg_nvml_device device;
    void *handle = NULL, *whole = NULL;
    unsigned number = 0;
    if (!calls)
        return false;
    if (calls->handle_by_uuid && calls->handle_by_uuid(uuid, &handle) == SUCCESS) {
        if (!strncmp(uuid, "MIG-", 4) && calls->whole && calls->whole(handle, &whole) == SUCCESS) {
            nvml->instance = handle;
            handle = whole;
        }
        if (calls->index && calls->index(handle, &number) == SUCCESS) {
            *index = number;
            return true;
        }
    }
    for (size_t i = 0; i < nvml->device_count; i++)
        if (kg_nvml_device_read(nvml, i, &device) && !strcmp(device.uuid, uuid)) {
            *index = i;
            return true;
        }
    return false;
}

double kg_nvml_energy_read(const struct kg_nvml *nvml, size_t index)
{
    const struct kg_nvml_calls *calls = nvml->calls;
    void *handle = NULL;
    unsigned long long millijoules;
    if (!calls || !calls->energy || calls->handle((unsigned)index, &handle) != SUCCESS ||
        calls->energy(handle, &millijoules) != SUCCESS)
        return NAN;
    return (double)millijoules * 1e-3;
}

/* The sum of throttled time by a policy; NaN if unknown. */
static double held_read(const struct kg_nvml_calls *calls, void *handle, int policy)
{
    struct violation violation = {0};
    if (!calls->violation || calls->violation(handle, policy, &violation) != SUCCESS)
        return NAN;
    return (double)violation.held_ns;
}

static int power_limit_read(const struct kg_nvml_calls *calls, void *handle)
{
    unsigned limit = 0;
    return calls->power_limit && calls->power_limit(handle, &limit) == SUCCESS ? (int)limit : -1;
}

bool kg_nvml_telemetry_read(const struct kg_nvml *nvml, size_t index,
                            struct kg_nvml_telemetry *telemetry)
{
    const struct kg_nvml_calls *calls = nvml->calls;
    void *handle = NULL;
    unsigned power = 0;
    *telemetry = (struct kg_nvml_telemetry){
        .sm_mhz = -1,
        .memory_mhz = -1,
        .temperature_c = -1,
        .power_mw = -1,
        .utilization_percent = -1,
        .other_processes = -1,
        .throttle = -1,
        .power_limit_mw = -1,
        .power_held_ns = NAN,
        .thermal_held_ns = NAN,
    };
    if (!calls || calls->handle((unsigned)index, &handle) != SUCCESS)
        return false;
    telemetry->sm_mhz = number(calls->clock, handle, CLOCK_SM);
    telemetry->memory_mhz = number(calls->clock, handle, CLOCK_MEMORY);
    telemetry->temperature_c = number(calls->temperature, handle, SENSOR_GPU);
    if (calls->power && calls->power(handle, &power) == SUCCESS)
        telemetry->power_mw = (int)power;
    telemetry->throttle = throttle_read(calls, handle);
    telemetry->power_limit_mw = power_limit_read(calls, handle);
    telemetry->power_held_ns = held_read(calls, handle, POLICY_POWER);
    telemetry->thermal_held_ns = held_read(calls, handle, POLICY_THERMAL);
    telemetry->utilization_percent = utilization_read(calls, handle);
    telemetry->other_processes = others_count(calls, nvml->instance ? nvml->instance : handle);
    return true;
}

bool kg_nvml_clocks_lock(const struct kg_nvml *nvml, size_t index, char *why, size_t why_bytes)
{
    /* NVML_CLOCK_LIMIT_ID_TDP stands for the base clock */
    static const unsigned CLOCK_TDP = 0xffffff01;
    const struct kg_nvml_calls *calls = nvml->calls;
    void *handle = NULL;
    if (!calls || !calls->clocks_lock || !calls->clocks_reset) {
        snprintf(why, why_bytes, "the driver has no function for it");
        return false;
    }
    int code = calls->handle((unsigned)index, &handle);
    if (code == SUCCESS)
        code = calls->clocks_lock(handle, CLOCK_TDP, CLOCK_TDP);
    if (code == SUCCESS)
        return true;
    snprintf(why, why_bytes, "%s%s", calls->error_string(code),
             code == NO_PERMISSION ? "; only root may" : "");
    return false;
}

void kg_nvml_clocks_reset(const struct kg_nvml *nvml, size_t index)
{
    const struct kg_nvml_calls *calls = nvml->calls;
    void *handle = NULL;
    if (calls->handle((unsigned)index, &handle) == SUCCESS)
        calls->clocks_reset(handle);
}

void kg_nvml_driver_version(const struct kg_nvml *nvml, char *version, size_t bytes)
{
    const struct kg_nvml_calls *calls = nvml->calls;
    if (!calls || !calls->driver_version ||
        calls->driver_version(version, (unsigned)bytes) != SUCCESS)
        version[0] = '\0';
}

/* Bits of `throttle` that count. An idle GPU, or one with fixed clocks, sets other bits: they are
 * no disturbance. */
static const struct {
    int bit;
    const char *name;
} throttles[] = {
    {KG_NVML_POWER_CAP, "the power limit"},
    {KG_NVML_SLOWDOWN, "a hardware slowdown"},
    {KG_NVML_SYNC_BOOST, "sync boost with another GPU"},
    {KG_NVML_THERMAL_SOFTWARE, "temperature (driver)"},
    {KG_NVML_THERMAL_HARDWARE, "temperature (hardware)"},
    {KG_NVML_POWER_BRAKE, "the power brake"},
};
enum { THROTTLE_COUNT = sizeof throttles / sizeof *throttles };

bool kg_nvml_throttled(int64_t bits)
{
    for (size_t i = 0; i < THROTTLE_COUNT; i++)
        if (bits > 0 && bits & throttles[i].bit)
            return true;
    return false;
}

void kg_nvml_throttle_words(int64_t bits, char *text, size_t bytes)
{
    size_t length = 0;
    text[0] = '\0';
    for (size_t i = 0; i < THROTTLE_COUNT && length < bytes; i++)
        if (bits > 0 && bits & throttles[i].bit)
            length += (size_t)snprintf(text + length, bytes - length, "%s%s", length ? ", " : "",
                                       throttles[i].name);
}

int64_t kg_nvml_throttle_between(const struct kg_nvml_telemetry *before,
                                 const struct kg_nvml_telemetry *after, double elapsed_ns)
{
    static const double SHARE_LEAST = 0.01;
    const int64_t thermal = KG_NVML_THERMAL_SOFTWARE | KG_NVML_THERMAL_HARDWARE;
    const struct {
        double held_ns;
        int64_t bits; /* all bits of the policy */
        int64_t bit;  /* set if the sum grew, and no such bit is set */
    } policies[] = {
        {after->power_held_ns - before->power_held_ns, KG_NVML_POWER_CAP, KG_NVML_POWER_CAP},
        {after->thermal_held_ns - before->thermal_held_ns, thermal, KG_NVML_THERMAL_SOFTWARE},
    };
    int64_t bits = after->throttle;
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
        if (isnan(policies[i].held_ns))
            continue;
        bits = bits < 0 ? 0 : bits;
        if (policies[i].held_ns < SHARE_LEAST * elapsed_ns)
            bits &= ~policies[i].bits;
        else if (!(bits & policies[i].bits))
            bits |= policies[i].bit;
    }
    return bits;
}

/* A kg_apart_work; its argument is the library's name. */
static void gpus_ask(const void *library, int pipe)
{
    static struct kg_nvml_gpus gpus; /* too large for a stack */
    struct kg_nvml nvml;
    gpus.status = kg_nvml_open(library, &nvml, gpus.why, sizeof gpus.why);
    for (size_t i = 0; i < nvml.device_count && gpus.count < KG_NVML_DEVICES_MOST; i++)
        if (kg_nvml_device_read(&nvml, i, &gpus.devices[gpus.count]))
            gpus.count++;
    kg_apart_answer(pipe, &gpus, sizeof gpus);
    kg_nvml_close(&nvml);
}

void kg_nvml_gpus_read(const char *library, int timeout_ms, struct kg_nvml_gpus *gpus)
{
    const struct kg_apart apart = {.work = gpus_ask, .argument = library, .timeout_ms = timeout_ms};
    char ending[sizeof gpus->why];
    *gpus = (struct kg_nvml_gpus){0};
    if (kg_apart_run(&apart, gpus, sizeof *gpus, ending, sizeof ending) == sizeof *gpus)
        return;
    *gpus = (struct kg_nvml_gpus){.status = KG_NVML_FAILED};
    memcpy(gpus->why, ending, sizeof gpus->why);
}
