/* Work for the fake driver (tests/drivers), to test kgate's handling of a GPU on a machine without
 * one: simulated kernels and copies on the plugin's stream, and every way to fail. */
#include "kgate/plugin.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum param { NS, COLD_NS, LAUNCHES, SYNCHRONISES, TRANSFER_BYTES, ALLOCATE_BYTES, HOST_NS, FAIL };
enum fail {
    FAIL_NONE,
    FAIL_CRASH,
    FAIL_WRONG,
    FAIL_HANG,
    FAIL_FAULT,
    FAIL_UNAVAILABLE,
    FAIL_SET_UP
};

/* The last error of a CUDA runtime of the plugin's own: it stays until somebody asks for it. */
static int last_error;

/* Says in the file of GPU_PLUGIN_ENDED that its process came to an end of its own. */
__attribute__((destructor)) static void ended(void)
{
    const char *path = getenv("GPU_PLUGIN_ENDED");
    FILE *file = path ? fopen(path, "ae") : NULL;
    if (!file)
        return;
    fprintf(file, "%ld\n", (long)getpid());
    fclose(file);
}

static const char *const no_yes[] = {"no", "yes", NULL};
static const char *const failures[] = {"none",  "crash",       "wrong",  "hang",
                                       "fault", "unavailable", "set_up", NULL};

static const struct kgate_param params[] = {
    [NS] = {.name = "ns",
            .type = KGATE_PARAM_REAL,
            .default_text = "50000",
            .minimum = 0,
            .maximum = 1e12,
            .help = "what each kernel takes"},
    [COLD_NS] = {.name = "cold_ns",
                 .type = KGATE_PARAM_REAL,
                 .default_text = "0",
                 .minimum = 0,
                 .maximum = 1e12,
                 .help = "and more where the L2 cache was flushed"},
    [LAUNCHES] = {.name = "launches",
                  .type = KGATE_PARAM_INTEGER,
                  .default_text = "1",
                  .minimum = 0,
                  .maximum = 1e6,
                  .help = "kernels a call"},
    [SYNCHRONISES] = {.name = "synchronises",
                      .type = KGATE_PARAM_CHOICE,
                      .default_text = "no",
                      .choices = no_yes,
                      .help = "whether a call waits for the device"},
    [TRANSFER_BYTES] = {.name = "transfer_bytes",
                        .type = KGATE_PARAM_SIZE,
                        .default_text = "0B",
                        .minimum = 0,
                        .maximum = 1e9,
                        .help = "copied to the device and back, a call"},
    [ALLOCATE_BYTES] = {.name = "allocate_bytes",
                        .type = KGATE_PARAM_SIZE,
                        .default_text = "0B",
                        .minimum = 0,
                        .maximum = 1e12,
                        .help = "of device memory, besides"},
    [HOST_NS] = {.name = "host_ns",
                 .type = KGATE_PARAM_REAL,
                 .default_text = "0",
                 .minimum = 0,
                 .maximum = 1e12,
                 .help = "that a call takes the host, besides"},
    [FAIL] = {.name = "fail",
              .type = KGATE_PARAM_CHOICE,
              .default_text = "none",
              .choices = failures,
              .help = "how it fails"},
};
enum { PARAM_COUNT = sizeof params / sizeof *params };

/* Functions of kgate's open driver. */
struct driver {
    int (*module_load)(void **module, const void *image);
    int (*module_unload)(void *module);
    int (*function)(void **function, void *module, const char *name);
    int (*launch)(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                  unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                  void *stream, void **parameters, void **extra);
    int (*synchronize)(void *stream);
    int (*to_device)(uint64_t target, const void *source, size_t bytes, void *stream);
    int (*to_host)(void *target, uint64_t source, size_t bytes, void *stream);
};

struct gpu_work {
    struct driver driver;
    struct kgate_value values[PARAM_COUNT];
    void *stream, *module, *function;
    unsigned char *sent, *received;
    void *on_device, *allocated;
};

static bool refuse(struct kgate_context *context, const char *message)
{
    snprintf(context->message, sizeof context->message, "%s", message);
    return false;
}

static bool driver_find(struct driver *driver)
{
    static const struct {
        const char *name;
        size_t offset;
    } symbols[] = {
        {"cuModuleLoadData", offsetof(struct driver, module_load)},
        {"cuModuleUnload", offsetof(struct driver, module_unload)},
        {"cuModuleGetFunction", offsetof(struct driver, function)},
        {"cuLaunchKernel", offsetof(struct driver, launch)},
        {"cuStreamSynchronize", offsetof(struct driver, synchronize)},
        {"cuMemcpyHtoDAsync_v2", offsetof(struct driver, to_device)},
        {"cuMemcpyDtoHAsync_v2", offsetof(struct driver, to_host)},
    };
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    if (!library || !dlsym(library, "fake_cuda"))
        return false;
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        void *address = dlsym(library, symbols[i].name);
        memcpy((char *)driver + symbols[i].offset, &address, sizeof address);
    }
    return true;
}

static bool describe(struct kgate_context *context, struct kgate_work *work)
{
    work->items = 1;
    work->bytes = 2 * (double)context->values[TRANSFER_BYTES].integer;
    return true;
}

static bool buffers_make(struct kgate_context *context, struct gpu_work *work)
{
    const size_t transfer = (size_t)work->values[TRANSFER_BYTES].integer;
    const size_t allocate = (size_t)work->values[ALLOCATE_BYTES].integer;
    if (allocate && !(work->allocated = context->allocate_device(context, allocate)))
        return refuse(context, "the device is out of memory");
    if (!transfer)
        return true;
    work->sent = context->allocate_pinned(context, transfer);
    work->received = context->allocate_pinned(context, transfer);
    work->on_device = context->allocate_device(context, transfer);
    if (!work->sent || !work->received || !work->on_device)
        return refuse(context, "out of memory");
    for (size_t i = 0; i < transfer; i++)
        work->sent[i] = (unsigned char)(i * 31 + 7);
    memset(work->received, 0, transfer);
    return true;
}

/* Whether a case that fails does so in this process. With GPU_PLUGIN_LATE, a path, the first two processes of the case
 * are good: those that check it in two builds. */
static bool fails_here(int64_t fail)
{
    enum { GOOD = 2, MOST = 64 };
    const char *path = getenv("GPU_PLUGIN_LATE");
    char name[4096];
    long seen[MOST + 1], count = 0, process;
    if (!path)
        return true;
    snprintf(name, sizeof name, "%s.%ld", path, (long)fail);
    FILE *file = fopen(name, "a+e");
    while (file && count < MOST && fscanf(file, "%ld", &process) == 1)
        if (!count || seen[count - 1] != process)
            seen[count++] = process;
    if (file) {
        fprintf(file, "%ld\n", (long)getpid());
        fclose(file);
    }
    return count > GOOD || (count == GOOD && seen[count - 1] != (long)getpid());
}

static bool set_up(struct kgate_context *context, void **state)
{
    static const char image[] = "by name";
    const int64_t asked = context->values[FAIL].integer;
    const int64_t fail = asked && fails_here(asked) ? asked : FAIL_NONE;
    struct gpu_work *work = context->allocate(context, sizeof *work);
    if (!work)
        return refuse(context, "out of memory");
    *state = work;
    if (last_error)
        return refuse(context, "a call before left an error in the CUDA runtime");
    if (fail == FAIL_SET_UP)
        return refuse(context, "told to fail");
    if (fail == FAIL_UNAVAILABLE) {
        context->unavailable = true;
        return refuse(context, "told to be unavailable");
    }
    work->stream = context->stream;
    memcpy(work->values, context->values, sizeof work->values);
    work->values[FAIL].integer = fail;
    if (!driver_find(&work->driver)) {
        context->unavailable = true;
        return refuse(context, "needs the fake driver");
    }
    if (work->driver.module_load(&work->module, image) != 0 ||
        work->driver.function(&work->function, work->module,
                              fail == FAIL_FAULT ? "fault" : "work") != 0)
        return refuse(context, "the fake driver has no such function");
    return buffers_make(context, work);
}

static void host_spend(double ns)
{
    struct timespec start, now;
    double passed = 0;
    clock_gettime(CLOCK_MONOTONIC, &start);
    while (passed < ns) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        passed = 1e9 * (double)(now.tv_sec - start.tv_sec) + (double)(now.tv_nsec - start.tv_nsec);
    }
}

static void run(void *state)
{
    struct gpu_work *work = state;
    const struct driver *driver = &work->driver;
    const size_t transfer = (size_t)work->values[TRANSFER_BYTES].integer;
    void *parameters[] = {&work->values[NS].real, &work->values[COLD_NS].real};
    if (work->values[FAIL].integer == FAIL_CRASH)
        raise(SIGSEGV);
    while (work->values[FAIL].integer == FAIL_HANG)
        pause();
    host_spend(work->values[HOST_NS].real);
    if (transfer)
        driver->to_device((uint64_t)(uintptr_t)work->on_device, work->sent, transfer, work->stream);
    for (int64_t i = 0; i < work->values[LAUNCHES].integer; i++)
        driver->launch(work->function, 132, 1, 1, 256, 1, 1, 0, work->stream, parameters, NULL);
    if (transfer)
        driver->to_host(work->received, (uint64_t)(uintptr_t)work->on_device, transfer,
                        work->stream);
    if (work->values[SYNCHRONISES].integer && driver->synchronize(work->stream) != 0)
        last_error = 1;
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    const struct gpu_work *work = state;
    const size_t transfer = (size_t)work->values[TRANSFER_BYTES].integer;
    if (work->driver.synchronize(work->stream) != 0)
        return refuse(context, "the device failed");
    check->error = work->values[FAIL].integer == FAIL_WRONG ||
                   (transfer && memcmp(work->sent, work->received, transfer) != 0);
    check->tolerance = 0;
    return true;
}

static void tear_down(struct kgate_context *context, void *state)
{
    struct gpu_work *work = state;
    if (!work)
        return;
    if (work->module)
        work->driver.module_unload(work->module);
    context->release_pinned(context, work->sent);
    context->release_pinned(context, work->received);
    context->release_device(context, work->on_device);
    context->release_device(context, work->allocated);
    context->release(context, work);
}

static const struct kgate_workload gpu_work = {
    .name = "gpu_work",
    .summary = "Simulated work on a simulated GPU.",
    .params = params,
    .param_count = PARAM_COUNT,
    .devices = 1u << KGATE_DEVICE_CUDA,
    .revision = 1,
    .describe = describe,
    .set_up = set_up,
    .run = run,
    .check = check,
    .tear_down = tear_down,
};
static const struct kgate_workload *const workloads[] = {&gpu_work};
static const struct kgate_plugin plugin = {KGATE_PLUGIN_ABI, workloads, 1};

const struct kgate_plugin *kgate_plugin_workloads(void);
const struct kgate_plugin *kgate_plugin_workloads(void)
{
    return &plugin;
}
