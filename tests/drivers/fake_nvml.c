/* A management library without a GPU, under the name of the real one, told by the environment:
 *   FAKE_NVML_DEVICES=2                how many (default: 1)
 *   FAKE_NVML_FAIL=init:18             the code of nvmlInit, or lost: no device answers, hang
 *   FAKE_NVML_MIG=1                    split into instances
 *   FAKE_NVML_SM_MHZ=1980,1200         a value for each call; the last one holds for the rest
 *   FAKE_NVML_MEMORY_MHZ, _TEMPERATURE, _POWER (mW), _THROTTLE (bits), _UTILIZATION: likewise
 *   FAKE_NVML_POWER_HELD, _THERMAL_HELD (ns): likewise; default: not told
 *   FAKE_NVML_POWER_LIMIT=700000       mW
 *   FAKE_NVML_LOCKS=FILE               locks and resets of clocks are written there, a line each
 *   FAKE_NVML_LOCK_CODE=4              what locking returns
 *   FAKE_NVML_ENERGY=-                 not told; else a joule more at each call
 *   FAKE_NVML_PROCESSES=12,34          process numbers, always all of them
 *   FAKE_NVML_INSTANCE_PROCESSES=34    those of each instance
 * A figure that is set to "-" is not supported. UUIDs are those of the fake CUDA driver. */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

enum { DEVICES_MOST = 64 };
enum {
    SUCCESS = 0,
    INVALID_ARGUMENT = 2,
    NOT_SUPPORTED = 3,
    NOT_FOUND = 6,
    INSUFFICIENT_SIZE = 7,
    GPU_IS_LOST = 15,
};
enum { CLOCK_SM = 1, CLOCK_MEMORY = 2, THRESHOLD_SLOWDOWN = 1 };

static char devices[DEVICES_MOST];   /* a handle is the address of one */
static char instances[DEVICES_MOST]; /* the MIG instance of each */

static const char *setting(const char *name, const char *otherwise)
{
    const char *value = getenv(name);
    return value && *value ? value : otherwise;
}

static int device_count(void)
{
    return atoi(setting("FAKE_NVML_DEVICES", "1"));
}

/* The next value of a list of which each call takes one. */
static int figure(const char *name, const char *otherwise, unsigned *calls,
                  unsigned long long *value)
{
    const char *list = setting(name, otherwise);
    for (unsigned i = 0; i < *calls; i++) {
        const char *comma = strchr(list, ',');
        list = comma ? comma + 1 : list;
    }
    ++*calls;
    if (*list == '-')
        return NOT_SUPPORTED;
    *value = strtoull(list, NULL, 0);
    return SUCCESS;
}

static int figure_small(const char *name, const char *otherwise, unsigned *calls, unsigned *value)
{
    unsigned long long large = 0;
    const int code = figure(name, otherwise, calls, &large);
    *value = (unsigned)large;
    return code;
}

EXPORT int nvmlInit_v2(void)
{
    const char *told = setting("FAKE_NVML_FAIL", "");
    while (!strcmp(told, "hang"))
        pause();
    return !strncmp(told, "init:", 5) ? atoi(told + 5) : SUCCESS;
}

EXPORT int nvmlShutdown(void)
{
    return SUCCESS;
}

EXPORT const char *nvmlErrorString(int code)
{
    return code == 18 ? "Driver/library version mismatch" : "Unknown Error";
}

EXPORT int nvmlSystemGetDriverVersion(char *version, unsigned length)
{
    snprintf(version, length, "%s", setting("FAKE_NVML_DRIVER", "580.65.06"));
    return SUCCESS;
}

EXPORT int nvmlDeviceGetCount_v2(unsigned *count)
{
    *count = (unsigned)device_count();
    return SUCCESS;
}

EXPORT int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device)
{
    if (index >= (unsigned)device_count())
        return INVALID_ARGUMENT;
    if (!strcmp(setting("FAKE_NVML_FAIL", ""), "lost"))
        return GPU_IS_LOST;
    *device = &devices[index];
    return SUCCESS;
}

static void uuid_format(const char *kind, int which, char *text, size_t bytes)
{
    unsigned char b[16];
    for (int i = 0; i < 16; i++)
        b[i] = (unsigned char)(0x10 * (which + 1) + i);
    snprintf(text, bytes, "%s-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x",
             kind, b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12],
             b[13], b[14], b[15]);
}

EXPORT int nvmlDeviceGetHandleByUUID(const char *uuid, void **device)
{
    char text[64];
    for (int i = 0; i < device_count(); i++) {
        uuid_format("GPU", i, text, sizeof text);
        *device = &devices[i];
        if (!strcmp(text, uuid))
            return SUCCESS;
        uuid_format("MIG", i, text, sizeof text);
        *device = &instances[i];
        if (!strcmp(text, uuid))
            return SUCCESS;
    }
    return NOT_FOUND;
}

/* Of instances the real one does not tell it. */
EXPORT int nvmlDeviceGetIndex(void *device, unsigned *index)
{
    const char *handle = device;
    if (handle < devices || handle >= devices + DEVICES_MOST)
        return INVALID_ARGUMENT;
    *index = (unsigned)(handle - devices);
    return SUCCESS;
}

EXPORT int nvmlDeviceGetDeviceHandleFromMigDeviceHandle(void *instance, void **device)
{
    const char *handle = instance;
    if (handle < instances || handle >= instances + DEVICES_MOST)
        return INVALID_ARGUMENT;
    *device = &devices[handle - instances];
    return SUCCESS;
}

EXPORT int nvmlDeviceGetName(void *device, char *name, unsigned length)
{
    (void)device;
    snprintf(name, length, "Simulated GPU");
    return SUCCESS;
}

EXPORT int nvmlDeviceGetUUID(void *device, char *uuid, unsigned length)
{
    uuid_format("GPU", (int)((const char *)device - devices), uuid, length);
    return SUCCESS;
}

EXPORT int nvmlDeviceGetPersistenceMode(void *device, int *mode)
{
    (void)device;
    *mode = 1;
    return SUCCESS;
}

EXPORT int nvmlDeviceGetMigMode(void *device, unsigned *current, unsigned *pending)
{
    (void)device;
    *current = *pending = *setting("FAKE_NVML_MIG", "0") == '1';
    return SUCCESS;
}

EXPORT int nvmlDeviceGetClockInfo(void *device, int type, unsigned *mhz)
{
    static unsigned sm, memory;
    (void)device;
    if (type == CLOCK_SM)
        return figure_small("FAKE_NVML_SM_MHZ", "1980", &sm, mhz);
    if (type == CLOCK_MEMORY)
        return figure_small("FAKE_NVML_MEMORY_MHZ", "2619", &memory, mhz);
    return INVALID_ARGUMENT;
}

EXPORT int nvmlDeviceGetMaxClockInfo(void *device, int type, unsigned *mhz)
{
    (void)device;
    *mhz = type == CLOCK_SM ? 1980 : 2619;
    return SUCCESS;
}

EXPORT int nvmlDeviceGetTemperature(void *device, int sensor, unsigned *celsius)
{
    static unsigned calls;
    (void)device;
    return sensor ? INVALID_ARGUMENT : figure_small("FAKE_NVML_TEMPERATURE", "45", &calls, celsius);
}

EXPORT int nvmlDeviceGetTemperatureThreshold(void *device, int which, unsigned *celsius)
{
    (void)device;
    *celsius = 89;
    return which == THRESHOLD_SLOWDOWN ? SUCCESS : NOT_SUPPORTED;
}

EXPORT int nvmlDeviceGetPowerUsage(void *device, unsigned *milliwatts)
{
    static unsigned calls;
    (void)device;
    return figure_small("FAKE_NVML_POWER", "120000", &calls, milliwatts);
}

EXPORT int nvmlDeviceGetEnforcedPowerLimit(void *device, unsigned *milliwatts)
{
    static unsigned calls;
    (void)device;
    return figure_small("FAKE_NVML_POWER_LIMIT", "700000", &calls, milliwatts);
}

static void lock_note(const char *line)
{
    const char *path = setting("FAKE_NVML_LOCKS", "");
    FILE *file = *path ? fopen(path, "ae") : NULL;
    if (!file)
        return;
    fprintf(file, "%s\n", line);
    fclose(file);
}

EXPORT int nvmlDeviceSetGpuLockedClocks(void *device, unsigned least_mhz, unsigned most_mhz)
{
    char line[64];
    const int code = atoi(setting("FAKE_NVML_LOCK_CODE", "0"));
    (void)device;
    snprintf(line, sizeof line, "lock %x %x", least_mhz, most_mhz);
    if (code == SUCCESS)
        lock_note(line);
    return code;
}

EXPORT int nvmlDeviceResetGpuLockedClocks(void *device)
{
    (void)device;
    lock_note("reset");
    return SUCCESS;
}

struct violation {
    unsigned long long at_us;
    unsigned long long held_ns;
};

EXPORT int nvmlDeviceGetViolationStatus(void *device, int policy, struct violation *violation)
{
    static unsigned power, thermal;
    (void)device;
    violation->at_us = 0;
    if (policy > 1)
        return INVALID_ARGUMENT;
    return policy ? figure("FAKE_NVML_THERMAL_HELD", "-", &thermal, &violation->held_ns)
                  : figure("FAKE_NVML_POWER_HELD", "-", &power, &violation->held_ns);
}

/* A joule more at each call. */
EXPORT int nvmlDeviceGetTotalEnergyConsumption(void *device, unsigned long long *millijoules)
{
    static unsigned calls;
    (void)device;
    if (!strcmp(setting("FAKE_NVML_ENERGY", "yes"), "-"))
        return NOT_SUPPORTED;
    *millijoules = 5000000 + 1000ull * calls++;
    return SUCCESS;
}

EXPORT int nvmlDeviceGetCurrentClocksEventReasons(void *device, unsigned long long *reasons)
{
    static unsigned calls;
    (void)device;
    return figure("FAKE_NVML_THROTTLE", "0", &calls, reasons);
}

struct utilization {
    unsigned gpu;
    unsigned memory;
};

EXPORT int nvmlDeviceGetUtilizationRates(void *device, struct utilization *utilization)
{
    static unsigned calls;
    (void)device;
    utilization->memory = 0;
    return figure_small("FAKE_NVML_UTILIZATION", "0", &calls, &utilization->gpu);
}

struct process {
    unsigned pid;
    unsigned long long memory_bytes;
};

EXPORT int nvmlDeviceGetComputeRunningProcesses(void *device, unsigned *count,
                                                struct process *processes)
{
    const bool instance = (char *)device >= instances && (char *)device < instances + DEVICES_MOST;
    const char *list =
        setting(instance ? "FAKE_NVML_INSTANCE_PROCESSES" : "FAKE_NVML_PROCESSES", "");
    const unsigned room = *count;
    if (*list == '-')
        return NOT_SUPPORTED;
    for (*count = 0; *list; ++*count) {
        char *end = NULL;
        const unsigned long pid = strtoul(list, &end, 10);
        if (*count < room)
            processes[*count] = (struct process){.pid = (unsigned)pid, .memory_bytes = 1 << 20};
        list = end + (*end == ',');
    }
    return *count > room ? INSUFFICIENT_SIZE : SUCCESS;
}
