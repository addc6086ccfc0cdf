/* The fake driver's memory, modules, and what is launched and copied. Device
 * memory is the host's. */
#include "fake_cuda_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/code/ceilings_code.h"
#include "device/driver.h"

enum { BLOCKS_MOST = 4096, FUNCTIONS_MOST = 64, NAME_MOST = 64 };
enum { HOST_MAPPED = 2 };
/* Larger memory is not really filled or copied: nobody looks into what flushes a cache. */
static const size_t REALLY_BYTES = (size_t)16 << 20;
static const double HANG_NS = 1e18;

static struct block {
    void *memory;
    size_t bytes;
    bool of_host;
} blocks[BLOCKS_MOST];
static size_t memory_used;

static struct function {
    char name[NAME_MOST];
    const void *module;
    bool loaded;
} functions[FUNCTIONS_MOST];
static size_t function_count;

void fake_work_restart(void)
{
    for (size_t i = 0; i < BLOCKS_MOST; i++)
        free(blocks[i].memory);
    memset(blocks, 0, sizeof blocks);
    memset(functions, 0, sizeof functions);
    function_count = 0;
    memory_used = 0;
}

/* --- Memory --- */

static int block_make(void **memory, size_t bytes, bool of_host)
{
    if (!bytes)
        return INVALID_VALUE;
    if (!of_host && memory_used + bytes > fake_cuda()->device->memory_bytes)
        return OUT_OF_MEMORY;
    for (size_t i = 0; i < BLOCKS_MOST; i++) {
        if (blocks[i].memory)
            continue;
        const size_t rounded = (bytes + 511) / 512 * 512;
        blocks[i] = (struct block){aligned_alloc(512, rounded), bytes, of_host};
        *memory = blocks[i].memory;
        if (!*memory)
            return OUT_OF_MEMORY;
        memory_used += of_host ? 0 : bytes;
        *(of_host ? &fake_cuda()->counts->host_live : &fake_cuda()->counts->memory_live) += 1;
        return SUCCESS;
    }
    return OUT_OF_MEMORY;
}

static int block_free(void *memory, bool of_host)
{
    for (size_t i = 0; i < BLOCKS_MOST; i++) {
        if (!memory || blocks[i].memory != memory || blocks[i].of_host != of_host)
            continue;
        free(memory);
        memory_used -= of_host ? 0 : blocks[i].bytes;
        *(of_host ? &fake_cuda()->counts->host_live : &fake_cuda()->counts->memory_live) -= 1;
        blocks[i] = (struct block){0};
        return SUCCESS;
    }
    fake_misused();
    return INVALID_VALUE;
}

static const struct block *block_around(const void *memory)
{
    for (size_t i = 0; i < BLOCKS_MOST; i++)
        if (blocks[i].memory && (const char *)memory >= (const char *)blocks[i].memory &&
            (const char *)memory < (const char *)blocks[i].memory + blocks[i].bytes)
            return &blocks[i];
    return NULL;
}

EXPORT int cuMemAlloc_v2(uint64_t *address, size_t bytes)
{
    void *memory = NULL;
    FAIL_IF_TOLD();
    FAIL_IF_RECORDING();
    const int code = block_make(&memory, bytes, false);
    if (!code)
        *address = (uint64_t)(uintptr_t)memory;
    return code;
}

/* Waits for what may still use it. */
EXPORT int cuMemFree_v2(uint64_t address)
{
    FAIL_IF_TOLD();
    FAIL_IF_RECORDING();
    fake_wait_for_all();
    return block_free((void *)(uintptr_t)address, false);
}

EXPORT int cuMemGetInfo_v2(size_t *free_bytes, size_t *total_bytes)
{
    FAIL_IF_TOLD();
    *total_bytes = fake_cuda()->device->memory_bytes;
    *free_bytes = *total_bytes - memory_used;
    return SUCCESS;
}

EXPORT int cuMemHostAlloc(void **memory, size_t bytes, unsigned flags)
{
    (void)flags;
    FAIL_IF_TOLD();
    FAIL_IF_RECORDING();
    return block_make(memory, bytes, true);
}

EXPORT int cuMemFreeHost(void *memory)
{
    FAIL_IF_TOLD();
    FAIL_IF_RECORDING();
    fake_wait_for_all();
    return block_free(memory, true);
}

EXPORT int cuMemHostGetDevicePointer_v2(uint64_t *address, void *memory, unsigned flags)
{
    FAIL_IF_TOLD();
    const struct block *block = block_around(memory);
    if (flags || !block || !block->of_host)
        return INVALID_VALUE;
    *address = (uint64_t)(uintptr_t)memory;
    return SUCCESS;
}

/* The kind of memory alone. */
EXPORT int cuPointerGetAttribute(void *value, int attribute, uint64_t address)
{
    FAIL_IF_TOLD();
    const struct block *block = block_around((const void *)(uintptr_t)address);
    if (attribute != KG_POINTER_MEMORY_TYPE || !block)
        return INVALID_VALUE;
    *(unsigned *)value = block->of_host ? 1 : 2;
    return SUCCESS;
}

/* --- What is put on a stream --- */

static void launch_cost(void)
{
    if (!fake_time_is_real())
        fake_pass(fake_cuda()->device->launch_host_ns);
}

/* A launch into the legacy default stream would make it wait for one that is recorded. */
static int put(void *handle, struct fake_operation operation, const struct fake_launch *launch,
               const struct fake_copy *copy)
{
    struct fake_stream *stream = fake_stream_of(handle), *other = NULL;
    if (!stream || !stream->alive)
        return fake_misused();
    launch_cost();
    if (fake_record(stream, &operation, launch, copy))
        return SUCCESS;
    while (fake_stream_is_default(stream) && (other = fake_stream_next(other)))
        if (other->recording && other->blocking) {
            fake_recording_break();
            return CAPTURE_IMPLICIT;
        }
    operation.gap_ns = fake_cuda()->device->gap_ns;
    fake_put(stream, operation);
    return SUCCESS;
}

EXPORT int cuMemsetD32Async(uint64_t address, unsigned value, size_t words, void *stream)
{
    const size_t bytes = 4 * words;
    uint32_t *const target = (uint32_t *)(uintptr_t)address;
    const struct block *block = block_around(target);
    FAIL_IF_TOLD();
    if (!block || (const char *)(target + words) > (const char *)block->memory + block->bytes)
        return fake_misused();
    for (size_t i = 0; bytes <= REALLY_BYTES && i < words; i++)
        target[i] = value;
    return put(
        stream,
        (struct fake_operation){.kind = KIND_BUSY,
                                .ns = (double)bytes / fake_cuda()->device->memset_bytes_per_ns,
                                .flushes = bytes > REALLY_BYTES},
        NULL, NULL);
}

static int copy_put(void *target, const void *source, size_t bytes, bool source_is_host,
                    bool target_is_host, void *stream)
{
    const struct fake_copy copy = {source, target, bytes, source_is_host, target_is_host};
    if (bytes <= REALLY_BYTES)
        memcpy(target, source, bytes);
    return put(stream,
               (struct fake_operation){
                   .kind = KIND_BUSY, .ns = (double)bytes / fake_cuda()->device->copy_bytes_per_ns},
               NULL, &copy);
}

EXPORT int cuMemcpyDtoHAsync_v2(void *host, uint64_t address, size_t bytes, void *stream)
{
    FAIL_IF_TOLD();
    return copy_put(host, (void *)(uintptr_t)address, bytes, false, true, stream);
}

EXPORT int cuMemcpyHtoDAsync_v2(uint64_t address, const void *host, size_t bytes, void *stream)
{
    FAIL_IF_TOLD();
    return copy_put((void *)(uintptr_t)address, host, bytes, true, false, stream);
}

EXPORT int cuMemcpyDtoDAsync_v2(uint64_t target, uint64_t source, size_t bytes, void *stream)
{
    FAIL_IF_TOLD();
    return copy_put((void *)(uintptr_t)target, (void *)(uintptr_t)source, bytes, false, false,
                    stream);
}

/* --- Modules --- */

EXPORT int cuModuleLoadData(void **module, const void *image)
{
    FAIL_IF_TOLD();
    FAIL_IF_RECORDING();
    if (!image)
        return INVALID_VALUE;
    double *times = malloc(sizeof *times);
    if (times)
        *times = strncmp(image, ".version", 8) == 0 && strstr(image, "slower") ? 2 : 1;
    *module = times;
    fake_cuda()->counts->modules_live++;
    return *module ? SUCCESS : OUT_OF_MEMORY;
}

EXPORT int cuModuleUnload(void *module)
{
    FAIL_IF_RECORDING();
    for (size_t i = 0; i < function_count; i++)
        if (functions[i].module == module)
            functions[i].module = NULL;
    free(module);
    fake_cuda()->counts->modules_live--;
    return fake_failing(__func__); /* of something before */
}

static bool name_known(const char *name)
{
    static const char *const names[] = {"work", "fault", "hang", "saxpy", "pick16"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i]))
            return true;
    return !strncmp(name, "kg_", 3) && strlen(name) < NAME_MOST;
}

EXPORT int cuModuleGetFunction(void **function, void *module, const char *name)
{
    size_t at = 0;
    FAIL_IF_TOLD();
    if (!name_known(name))
        return NOT_FOUND;
    while (at < function_count && functions[at].module &&
           (functions[at].module != module || strcmp(functions[at].name, name) != 0))
        at++;
    if (at == FUNCTIONS_MOST)
        return OUT_OF_MEMORY;
    if (at == function_count || !functions[at].module) {
        functions[at] = (struct function){.module = module};
        snprintf(functions[at].name, NAME_MOST, "%s", name);
        function_count += at == function_count;
    }
    *function = &functions[at];
    return SUCCESS;
}

EXPORT int cuFuncGetAttribute(int *value, int attribute, void *function)
{
    static const int values[] = {1024, 1024, 0, 0, 32, 90, 90};
    FAIL_IF_TOLD();
    if (!function || attribute < 0 || attribute >= (int)(sizeof values / sizeof *values))
        return INVALID_VALUE;
    *value = values[attribute];
    return SUCCESS;
}

/* What is not documented: NVRTC asks for it, and goes on without. */
EXPORT int cuGetExportTable(const void **table, const void *id)
{
    (void)id;
    *table = NULL;
    return NOT_FOUND;
}

/* Up to 227 KiB of shared memory a block, as of an H100. */
EXPORT int cuFuncSetAttribute(void *function, int attribute, int value)
{
    FAIL_IF_TOLD();
    return function && attribute == KG_FUNCTION_DYNAMIC_SHARED_MOST && value <= 232448
               ? SUCCESS
               : INVALID_VALUE;
}

#ifndef FAKE_CUDA_OLDER
EXPORT int cuFuncGetName(const char **name, void *handle)
{
    const struct function *function = handle;
    FAIL_IF_TOLD();
    *name = function->name;
    return SUCCESS;
}

/* Of the kernels that do something. */
EXPORT int cuFuncGetParamInfo(void *handle, size_t i, size_t *offset, size_t *bytes)
{
    static const struct {
        const char *name;
        size_t offsets[4], bytes[4];
    } kernels[] = {{"saxpy", {0, 4, 8, 16}, {4, 4, 8, 8}}, {"pick16", {0, 4, 8, 16}, {4, 2, 8, 8}}};
    const struct function *function = handle;
    FAIL_IF_TOLD();
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
        if (!strcmp(function->name, kernels[k].name) && i < 4) {
            *offset = kernels[k].offsets[i];
            *bytes = kernels[k].bytes[i];
            return SUCCESS;
        }
    return INVALID_VALUE;
}

/* A kernel is its function here. */
EXPORT int cuKernelGetFunction(void **function, void *kernel)
{
    FAIL_IF_TOLD();
    *function = kernel;
    return kernel ? SUCCESS : INVALID_HANDLE;
}
#endif

/* Of an H100: 2048 threads, 32 blocks, 228 KiB of shared memory a multiprocessor. */
EXPORT int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *count, void *function, int threads,
                                                       size_t shared_bytes)
{
    FAIL_IF_TOLD();
    if (!function || threads < 1 || threads > 1024)
        return INVALID_VALUE;
    const int by_threads = 2048 / threads;
    const int by_shared = (int)(233472 / (1024 + shared_bytes));
    *count = by_threads < by_shared ? by_threads : by_shared;
    *count = *count < 32 ? *count : 32;
    return SUCCESS;
}

static struct fake_operation operation_of(const char *name, void **parameters)
{
    struct fake_operation operation = {.kind = KIND_BUSY, .ns = 1000};
    uint64_t address;
    if (!strcmp(name, "kg_hold")) {
        uint32_t number;
        operation.kind = KIND_HOLD;
        memcpy(&address, parameters[0], sizeof address);
        memcpy(&number, parameters[1], sizeof number);
        memcpy(&operation.limit, parameters[2], sizeof operation.limit);
        operation.number = number;
        operation.memory = (void *)(uintptr_t)address;
    } else if (!strcmp(name, "kg_stamp")) {
        operation.kind = KIND_STAMP;
        memcpy(&address, parameters[0], sizeof address);
        memcpy(&operation.number, parameters[1], sizeof operation.number);
        memcpy(&operation.limit, parameters[2], sizeof operation.limit);
        operation.memory = (void *)(uintptr_t)address;
    } else if (!strcmp(name, "work")) {
        operation.kind = KIND_WORK;
        memcpy(&operation.ns, parameters[0], sizeof operation.ns);
        memcpy(&operation.cold_ns, parameters[1], sizeof operation.cold_ns);
    } else if (!strcmp(name, "kg_busy")) {
        memcpy(&operation.limit, parameters[2], sizeof operation.limit);
        operation.ns = (double)operation.limit;
    } else if (!strcmp(name, "kg_clean")) {
        uint64_t vectors;
        memcpy(&vectors, parameters[1], sizeof vectors);
        operation.ns = (double)vectors * 16 / fake_cuda()->device->memset_bytes_per_ns;
        operation.cleans = true;
    } else if (!strcmp(name, "kg_ceiling_read")) {
        uint64_t tiles;
        memcpy(&tiles, parameters[1], sizeof tiles);
        operation.kind = KIND_WORK;
        operation.ns =
            (double)tiles * KG_CEILING_TILE_BYTES / fake_cuda()->device->memset_bytes_per_ns;
        operation.cold_ns = operation.ns;
    } else if (!strcmp(name, "fault")) {
        operation.kind = KIND_FAULT;
    } else if (!strcmp(name, "hang")) {
        operation.ns = HANG_NS;
    }
    return operation;
}

/* (int n, float a, const float *x, float *y): of the first n as many as there are threads. */
static void saxpy(const struct fake_launch *launch, void **parameters)
{
    const size_t threads = (size_t)launch->grid[0] * launch->block[0];
    const float *x, a = *(const float *)parameters[1];
    float *y;
    int n;
    memcpy(&n, parameters[0], sizeof n);
    memcpy(&x, parameters[2], sizeof x);
    memcpy(&y, parameters[3], sizeof y);
    for (size_t i = 0; i < threads && i < (size_t)n; i++)
        y[i] = a * x[i] + y[i];
}

/* (int n, T a, const T *x, T *y) of a T of 16 bits: an element of x, and a in turn. */
static void pick16(const struct fake_launch *launch, void **parameters)
{
    const size_t threads = (size_t)launch->grid[0] * launch->block[0];
    const uint16_t *x, a = *(const uint16_t *)parameters[1];
    uint16_t *y;
    int n;
    memcpy(&n, parameters[0], sizeof n);
    memcpy(&x, parameters[2], sizeof x);
    memcpy(&y, parameters[3], sizeof y);
    for (size_t i = 0; i < threads && i < (size_t)n; i++)
        y[i] = i % 2 ? a : x[i];
}

EXPORT int cuLaunchKernel(void *handle, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                          unsigned block_x, unsigned block_y, unsigned block_z,
                          unsigned shared_bytes, void *stream, void **parameters, void **extra)
{
    struct function *function = handle;
    (void)extra;
    FAIL_IF_TOLD();
    if (!function || !function->module)
        return fake_misused();
    if (!grid_x || !grid_y || !grid_z || !block_x || block_x * block_y * block_z > 1024)
        return INVALID_VALUE;
    const struct fake_launch launch = {
        handle, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes};
    struct fake_operation operation = operation_of(function->name, parameters);
    operation.blocks = grid_x;
    if (!strcmp(function->name, "saxpy"))
        operation.ns *= *(const double *)function->module;
    if (fake_cuda()->device->lazy && !function->loaded)
        fake_wait_for_all();
    function->loaded = true;
    const struct fake_stream *on = fake_stream_of(stream);
    if (!strcmp(function->name, "saxpy") && !(on && on->recording))
        saxpy(&launch, parameters);
    if (!strcmp(function->name, "pick16") && !(on && on->recording))
        pick16(&launch, parameters);
    fake_cuda()->counts->launches++;
    return put(stream, operation, &launch, NULL);
}
