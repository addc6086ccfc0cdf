/* Ten thousand calls of the kernels that share memory between threads. Compares each call's results
 * with the first call's, bit for bit, in all device memory of the workload. A race shows as a
 * difference that comes and goes. gpu_races is the same program with kernels whose warps sleep for
 * a random time before each barrier and wait (KGATE_RACE_DELAYS).
 *
 *   gpu_repeats [CALLS]      10000 by default */
#include "../kernel_find.h"
#include "base/record.h"
#include "open.h"
#include "suite/sources/params.h"
#include "suite/sources/plugin_host.h"

enum { CALLS = KGATE_REPEATS, BLOCKS_MOST = 32, PAIRS_MOST = 6 };

/* Sizes with edges, of a few blocks at least. */
static const struct trial {
    const char *workload;
    struct kg_pair params[PAIRS_MOST];
} trials[] = {
    {"reduce", {{"bytes", "1000004B"}, {"version", "fast"}}},
    {"transpose", {{"rows", "260"}, {"cols", "516"}, {"version", "fast"}}},
    {"histogram", {{"bytes", "1000008B"}, {"version", "fast"}}},
    {"softmax", {{"rows", "130"}, {"cols", "5000"}, {"version", "fast"}}},
    {"softmax", {{"rows", "3"}, {"cols", "70000"}, {"version", "fast"}}},
    {"layernorm", {{"rows", "130"}, {"cols", "5000"}, {"version", "fast"}}},
    {"gemm", {{"m", "129"}, {"n", "136"}, {"k", "257"}, {"version", "tiled"}}},
    {"gemm", {{"type", "bf16"}, {"m", "300"}, {"n", "520"}, {"k", "712"}, {"version", "tensor"}}},
    {"gemm", {{"type", "bf16"}, {"m", "300"}, {"n", "520"}, {"k", "712"}, {"version", "hopper"}}},
    {"attention",
     {{"seq_len", "200"}, {"d_model", "128"}, {"num_heads", "2"}, {"version", "fused"}}},
    {"attention",
     {{"seq_len", "200"}, {"d_model", "128"}, {"num_heads", "2"}, {"version", "efficient"}}},
    {"attention",
     {{"seq_len", "200"}, {"d_model", "128"}, {"num_heads", "2"}, {"version", "flash"}}},
    {"attention",
     {{"seq_len", "200"},
      {"d_model", "256"},
      {"num_heads", "2"},
      {"version", "flash"},
      {"causal", "yes"}}},
    {"attention",
     {{"seq_len", "700"}, {"d_model", "128"}, {"num_heads", "2"}, {"version", "hopper"}}},
    {"attention",
     {{"seq_len", "700"},
      {"d_model", "256"},
      {"num_heads", "2"},
      {"version", "hopper"},
      {"causal", "yes"}}},
    {"lattice_encode", {{"lattice", "E8"}, {"batch", "10001"}, {"version", "fast"}}},
    {"lattice_quantize", {{"lattice", "D4"}, {"batch", "10001"}, {"version", "fused"}}},
    {"lattice_quantize", {{"lattice", "E8"}, {"batch", "10001"}, {"version", "fused"}}},
};

/* The workload's device memory, and its content after the first call. */
struct block {
    void *device;
    size_t bytes;
    unsigned char *first;
    void *now; /* page-locked: ten thousand calls fetch a quarter of a terabyte in all */
};

static struct {
    struct block of[BLOCKS_MOST];
    size_t count;
    void *(*allocate)(struct kgate_context *context, size_t bytes);
} blocks;

static void *block_allocate(struct kgate_context *context, size_t bytes)
{
    void *device = blocks.allocate(context, bytes);
    if (device && blocks.count < BLOCKS_MOST)
        blocks.of[blocks.count++] = (struct block){.device = device, .bytes = bytes};
    return device;
}

static bool block_fetch(const struct kg_gpu_timer *timer, const struct block *block, void *to)
{
    return to && !timer->driver.copy_to_host_async(to, (uint64_t)(uintptr_t)block->device,
                                                   block->bytes, timer->stream);
}

static bool blocks_keep(const struct kg_gpu_timer *timer)
{
    for (size_t i = 0; i < blocks.count; i++) {
        struct block *block = &blocks.of[i];
        block->first = malloc(block->bytes);
        if (timer->driver.host_allocate(&block->now, block->bytes, 0) != KG_DRIVER_SUCCESS)
            block->now = NULL;
        if (!block->now || !block_fetch(timer, block, block->first))
            return false;
    }
    return !timer->driver.stream_synchronize(timer->stream);
}

static void blocks_free(const struct kg_gpu_timer *timer)
{
    for (size_t i = 0; i < blocks.count; i++) {
        free(blocks.of[i].first);
        if (blocks.of[i].now)
            timer->driver.host_free(blocks.of[i].now);
    }
    blocks.count = 0;
}

/* Whether all memory is as after the first call; else prints the difference. */
static bool blocks_same(const struct kg_gpu_timer *timer, long call)
{
    for (size_t i = 0; i < blocks.count; i++)
        if (!block_fetch(timer, &blocks.of[i], blocks.of[i].now))
            return false;
    if (timer->driver.stream_synchronize(timer->stream))
        return false;
    for (size_t i = 0; i < blocks.count; i++) {
        const struct block *block = &blocks.of[i];
        const unsigned char *now = block->now;
        size_t at = 0;
        if (memcmp(block->first, now, block->bytes) == 0)
            continue;
        while (block->first[at] == now[at])
            at++;
        printf("      call %ld: block %zu, byte %zu of %zu: expected %02x, found %02x\n", call, i,
               at, block->bytes, block->first[at], now[at]);
        return false;
    }
    return true;
}

static void calls_compare(const struct kgate_workload *workload, struct kg_host *host, void *state,
                          const struct kg_gpu_timer *timer, const char *name, long calls)
{
    struct kgate_check check = {0};
    long same = 1;
    workload->run(state);
    bool good = blocks_keep(timer);
    while (good && same < calls) {
        workload->run(state);
        good = blocks_same(timer, same);
        same += good;
    }
    expect(good, "%s: expected %ld calls the same, found %ld", name, calls, same);
    good = workload->check(&host->context, state, &check);
    expect(good && check.error <= check.tolerance, "%s: error expected %g at most, found %g %s",
           name, check.tolerance, check.error, host->context.message);
}

static const char *name_of(const struct trial *trial, char *text, size_t bytes)
{
    size_t length = (size_t)snprintf(text, bytes, "%s", trial->workload);
    for (const struct kg_pair *pair = trial->params; pair->name && length < bytes; pair++)
        length +=
            (size_t)snprintf(text + length, bytes - length, " %s=%s", pair->name, pair->value);
    return text;
}

static void trial_run(const struct trial *trial, const struct kg_gpu_timer *timer, long calls)
{
    static struct kg_host host;
    struct kgate_value values[KG_PARAMS_MOST];
    struct kg_error err = {0};
    struct kgate_work work;
    const struct kgate_workload *workload = kernel_find(trial->workload);
    void *state = NULL;
    char name[256];
    size_t count = 0, at;
    while (count < PAIRS_MOST && trial->params[count].name)
        count++;
    name_of(trial, name, sizeof name);
    if (!workload || !kg_params_resolve(workload, trial->params, count, values, &at, &err)) {
        expect(false, "%s is a workload: %s", name, err.message);
        return;
    }
    kg_host_start(&host, values, KGATE_DEVICE_CUDA, 1, 1);
    kg_host_use_device(&host, &timer->driver, timer->stream, 0);
    blocks.allocate = host.context.allocate_device;
    host.context.allocate_device = block_allocate;
    if (workload->describe(&host.context, &work) && workload->set_up(&host.context, &state)) {
        calls_compare(workload, &host, state, timer, name, calls);
        workload->tear_down(&host.context, state);
    } else if (host.context.unavailable) {
        printf("skipped: %s: %s\n", name, host.context.message);
    } else {
        expect(false, "%s is set up: %s", name, host.context.message);
    }
    blocks_free(timer);
    kg_host_end(&host);
}

int main(int count, char **arguments)
{
    const long calls = count > 1 ? strtol(arguments[1], NULL, 10) : CALLS;
    struct kg_gpu_timer timer;
    int status;
    if (!timer_open(&timer, &status))
        return status;
    for (size_t i = 0; i < sizeof trials / sizeof *trials; i++) {
        trial_run(&trials[i], &timer, calls);
        fflush(stdout);
    }
    kg_gpu_timer_close(&timer);
    return expect_end();
}
