/* The fake driver's devices, told by the environment, so that whole processes can be tested:
 *   FAKE_CUDA_DEVICES=2          how many (default: 1)
 *   FAKE_CUDA_NAMES=A;B          their models, over and over
 *   FAKE_CUDA_CAPABILITY=7.5     of all
 *   FAKE_CUDA_MIG=1              instances instead of whole GPUs
 *   FAKE_CUDA_VERSION=12040
 *   FAKE_CUDA_LOST=FILE          while there is such a file there is no device
 *   FAKE_CUDA_HUNG=FILE          while there is such a file cuInit never ends
 *   FAKE_CUDA_FAIL=init:803      what goes wrong: the code of cuInit
 *                  context:999   of the primary context
 *                  device:1      of all questions about device 1
 *                  busy, prohibited, memory (the context's codes, with the compute mode to match)
 *                  crash, hang, exit (in cuInit), crash-context, hang-context
 * CUDA_VISIBLE_DEVICES is honoured as the real one does. */
#include "fake_cuda.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { DEVICES_MOST = 64 };
enum {
    SUCCESS = 0,
    INVALID_VALUE = 1,
    OUT_OF_MEMORY = 2,
    NOT_INITIALIZED = 3,
    DEVICE_UNAVAILABLE = 46,
    NO_DEVICE = 100,
    INVALID_DEVICE = 101,
};
enum { MODE_DEFAULT = 0, MODE_PROHIBITED = 2, MODE_EXCLUSIVE = 3 };

#define EXPORT __attribute__((visibility("default")))

static bool initialised;
static size_t visible_count;
static int visible[DEVICES_MOST]; /* which of all: their number before CUDA_VISIBLE_DEVICES */
static void *primary[DEVICES_MOST];
static unsigned retained[DEVICES_MOST];

static const char *setting(const char *name, const char *otherwise)
{
    const char *value = getenv(name);
    return value && *value ? value : otherwise;
}

static bool fails(const char *how)
{
    return !strcmp(setting("FAKE_CUDA_FAIL", ""), how);
}

/* The number after "what:", or `otherwise`. */
static int failure(const char *what, int otherwise)
{
    const char *told = setting("FAKE_CUDA_FAIL", "");
    const size_t length = strlen(what);
    return !strncmp(told, what, length) && told[length] == ':' ? atoi(told + length + 1)
                                                               : otherwise;
}

static uint64_t clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static _Noreturn void hang(void)
{
    for (;;)
        pause();
}

static void uuid_fill(int which, unsigned char uuid[16])
{
    for (int i = 0; i < 16; i++)
        uuid[i] = (unsigned char)(0x10 * (which + 1) + i);
}

static bool uuid_begins(int which, const char *text, size_t length)
{
    unsigned char b[16];
    char uuid[48];
    uuid_fill(which, b);
    snprintf(uuid, sizeof uuid,
             "%s-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x",
             *setting("FAKE_CUDA_MIG", "0") == '1' ? "MIG" : "GPU", b[0], b[1], b[2], b[3], b[4],
             b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]);
    return !strncmp(uuid, text, length);
}

/* Devices in the order of CUDA_VISIBLE_DEVICES, up to the first that there is none of. */
static void visible_find(void)
{
    const bool lost = access(setting("FAKE_CUDA_LOST", "/nowhere"), F_OK) == 0;
    const int all = lost ? 0 : atoi(setting("FAKE_CUDA_DEVICES", "1"));
    const char *list = getenv("CUDA_VISIBLE_DEVICES");
    visible_count = 0;
    for (int i = 0; !list && i < all && i < DEVICES_MOST; i++)
        visible[visible_count++] = i;
    while (list && *list && visible_count < DEVICES_MOST) {
        const size_t length = strcspn(list, ",");
        int found = *list >= '0' && *list <= '9' && atoi(list) < all ? atoi(list) : -1;
        for (int i = 0; *list > '9' && i < all && found < 0; i++)
            if (uuid_begins(i, list, length))
                found = i;
        if (found < 0)
            return;
        visible[visible_count++] = found;
        list += length + (list[length] == ',');
    }
}

EXPORT int cuInit(unsigned flags)
{
    const int code = failure("init", SUCCESS);
    if (fails("crash"))
        raise(SIGSEGV);
    if (fails("exit"))
        _exit(7);
    if (fails("hang") || access(setting("FAKE_CUDA_HUNG", "/nowhere"), F_OK) == 0)
        hang();
    if (flags)
        return INVALID_VALUE;
    if (code)
        return code;
    visible_find();
    if (!visible_count)
        return NO_DEVICE;
    if (!initialised)
        fake_cuda()->restart(clock_ns, 1, 0);
    initialised = true;
    return SUCCESS;
}

EXPORT int cuDriverGetVersion(int *version)
{
    *version = atoi(setting("FAKE_CUDA_VERSION", "13000"));
    return SUCCESS;
}

static const struct {
    int code;
    const char *name;
    const char *words;
} errors[] = {
    {SUCCESS, "CUDA_SUCCESS", "no error"},
    {INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {DEVICE_UNAVAILABLE, "CUDA_ERROR_DEVICE_UNAVAILABLE",
     "CUDA-capable device(s) is/are busy or unavailable"},
    {NO_DEVICE, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {201, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {209, "CUDA_ERROR_NO_BINARY_FOR_GPU", "no kernel image is available for execution"},
    {400, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {500, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {600, "CUDA_ERROR_NOT_READY", "device not ready"},
    {700, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {719, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {802, "CUDA_ERROR_SYSTEM_NOT_READY", "system not yet initialized"},
    {803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH",
     "system has unsupported display driver / cuda driver combination"},
    {804, "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE",
     "forward compatibility was attempted on non supported HW"},
    {900, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED",
     "operation not permitted when stream is capturing"},
    {901, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED",
     "operation failed due to a previous error during capture"},
    {999, "CUDA_ERROR_UNKNOWN", "unknown error"},
};

EXPORT int cuGetErrorString(int code, const char **text)
{
    *text = NULL;
    for (size_t i = 0; i < sizeof errors / sizeof *errors && !*text; i++)
        if (errors[i].code == code)
            *text = errors[i].words;
    return *text ? SUCCESS : INVALID_VALUE;
}

EXPORT int cuGetErrorName(int code, const char **text)
{
    *text = NULL;
    for (size_t i = 0; i < sizeof errors / sizeof *errors && !*text; i++)
        if (errors[i].code == code)
            *text = errors[i].name;
    return *text ? SUCCESS : INVALID_VALUE;
}

/* Device handles are ordinals here, as they are in the real one. */
static int device_check(int device)
{
    if (!initialised)
        return NOT_INITIALIZED;
    if (device < 0 || (size_t)device >= visible_count)
        return INVALID_DEVICE;
    return failure("device", -1) == device ? 999 : SUCCESS;
}

EXPORT int cuDeviceGetCount(int *count)
{
    *count = (int)visible_count;
    return initialised ? SUCCESS : NOT_INITIALIZED;
}

EXPORT int cuDeviceGet(int *device, int ordinal)
{
    const int code = device_check(ordinal);
    *device = ordinal;
    return code;
}

EXPORT int cuDeviceGetName(char *name, int bytes, int device)
{
    const char *names = setting("FAKE_CUDA_NAMES", "Simulated GPU");
    const char *mig = *setting("FAKE_CUDA_MIG", "0") == '1' ? " MIG 1g.10gb" : "";
    const char *from = names;
    const int code = device_check(device);
    if (code)
        return code;
    for (int i = 0; i < visible[device]; i++) {
        const char *end = strchr(from, ';');
        from = end ? end + 1 : names;
    }
    snprintf(name, (size_t)bytes, "%.*s%s", (int)strcspn(from, ";"), from, mig);
    return SUCCESS;
}

EXPORT int cuDeviceGetUuid_v2(unsigned char uuid[16], int device)
{
    const int code = device_check(device);
    if (!code)
        uuid_fill(visible[device], uuid);
    return code;
}

EXPORT int cuDeviceTotalMem_v2(size_t *bytes, int device)
{
    *bytes = (size_t)80 << 30;
    return device_check(device);
}

EXPORT int cuDeviceGetPCIBusId(char *text, int bytes, int device)
{
    const int code = device_check(device);
    if (!code)
        snprintf(text, (size_t)bytes, "0000:%02x:00.0", visible[device] + 1);
    return code;
}

static int compute_mode(void)
{
    return fails("busy") ? MODE_EXCLUSIVE : fails("prohibited") ? MODE_PROHIBITED : MODE_DEFAULT;
}

/* The attributes of an H100, as NVIDIA publishes them; the capability may be told otherwise. */
EXPORT int cuDeviceGetAttribute(int *value, int attribute, int device)
{
    static const struct {
        int attribute;
        int value;
    } fixed[] = {
        {1, 1024},      /* threads of a block */
        {10, 32},       /* of a warp */
        {13, 1980000},  /* kHz */
        {16, 132},      /* multiprocessors */
        {18, 0},        /* integrated */
        {32, 1},        /* ECC */
        {36, 2619000},  /* kHz of the memory */
        {37, 5120},     /* bits of its bus */
        {38, 52428800}, /* of the L2 cache */
        {39, 2048},     /* threads of a multiprocessor */
        {81, 233472},   /* shared memory of one */
    };
    const char *capability = setting("FAKE_CUDA_CAPABILITY", "9.0");
    const char *dot = strchr(capability, '.');
    const int code = device_check(device);
    if (code)
        return code;
    if (attribute == 20 || attribute == 75 || attribute == 76) {
        *value = attribute == 20   ? compute_mode()
                 : attribute == 75 ? atoi(capability)
                                   : atoi(dot ? dot + 1 : "0");
        return SUCCESS;
    }
    if (attribute == 33) {
        *value = visible[device] + 1;
        return SUCCESS;
    }
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        if (fixed[i].attribute == attribute) {
            *value = fixed[i].value;
            return SUCCESS;
        }
    return INVALID_VALUE;
}

EXPORT int cuDevicePrimaryCtxRetain(void **context, int device)
{
    int code = device_check(device);
    if (fails("crash-context"))
        raise(SIGSEGV);
    if (fails("hang-context"))
        hang();
    if (fails("busy") || fails("prohibited"))
        code = DEVICE_UNAVAILABLE;
    if (fails("memory"))
        code = OUT_OF_MEMORY;
    if (!code)
        code = failure("context", SUCCESS);
    if (code)
        return code;
    if (!retained[device]++)
        primary[device] = fake_cuda()->context_new();
    *context = primary[device];
    return SUCCESS;
}

EXPORT int cuDevicePrimaryCtxRelease_v2(int device)
{
    const int code = device_check(device);
    if (code || !retained[device])
        return code ? code : 201;
    if (!--retained[device])
        fake_cuda()->context_end(primary[device]);
    return SUCCESS;
}
