#include "device/driver.h"

#include <stdio.h>

#include "base/library.h"

#define CALL(member) offsetof(struct kg_driver, member)
/* clang-format off */
static const struct kg_symbol symbols[] = {
    {"cuGetErrorString", NULL, CALL(error_string), false},
    {"cuGetErrorName", NULL, CALL(error_name), false},
    {"cuDeviceGetCount", NULL, CALL(device_count), false},
    {"cuDeviceGet", NULL, CALL(device_get), false},
    {"cuDeviceGetName", NULL, CALL(device_name), false},
    /* the second version gives the UUID of a MIG instance instead of its GPU's */
    {"cuDeviceGetUuid_v2", "cuDeviceGetUuid", CALL(device_uuid), false},
    {"cuDeviceTotalMem_v2", NULL, CALL(device_memory), false},
    {"cuDeviceGetAttribute", NULL, CALL(device_attribute), false},
    {"cuDeviceGetPCIBusId", NULL, CALL(device_bus_id), false},
    {"cuDevicePrimaryCtxRetain", NULL, CALL(context_retain), false},
    {"cuDevicePrimaryCtxRelease_v2", "cuDevicePrimaryCtxRelease", CALL(context_release), false},
    {"cuCtxSetCurrent", NULL, CALL(context_use), false},
    {"cuCtxSynchronize", NULL, CALL(context_synchronize), false},
    {"cuStreamCreate", NULL, CALL(stream_create), false},
    {"cuStreamDestroy_v2", NULL, CALL(stream_destroy), false},
    {"cuStreamSynchronize", NULL, CALL(stream_synchronize), false},
    {"cuStreamQuery", NULL, CALL(stream_query), false},
    {"cuStreamBeginCapture_v2", NULL, CALL(stream_capture_begin), false},
    {"cuStreamEndCapture", NULL, CALL(stream_capture_end), false},
    {"cuEventCreate", NULL, CALL(event_create), false},
    {"cuEventDestroy_v2", NULL, CALL(event_destroy), false},
    {"cuEventRecord", NULL, CALL(event_record), false},
    {"cuEventSynchronize", NULL, CALL(event_synchronize), false},
    {"cuEventElapsedTime_v2", "cuEventElapsedTime", CALL(event_elapsed), false},
    {"cuMemAlloc_v2", NULL, CALL(memory_allocate), false},
    {"cuMemFree_v2", NULL, CALL(memory_free), false},
    {"cuMemGetInfo_v2", NULL, CALL(memory_info), false},
    {"cuMemHostAlloc", NULL, CALL(host_allocate), false},
    {"cuMemFreeHost", NULL, CALL(host_free), false},
    {"cuMemHostGetDevicePointer_v2", NULL, CALL(host_device_address), false},
    {"cuPointerGetAttribute", NULL, CALL(pointer_attribute), false},
    {"cuMemsetD32Async", NULL, CALL(memset_async), false},
    {"cuMemcpyDtoHAsync_v2", NULL, CALL(copy_to_host_async), false},
    {"cuMemcpyHtoDAsync_v2", NULL, CALL(copy_to_device_async), false},
    {"cuModuleLoadData", NULL, CALL(module_load), false},
    {"cuModuleUnload", NULL, CALL(module_unload), false},
    {"cuModuleGetFunction", NULL, CALL(module_function), false},
    {"cuLaunchKernel", NULL, CALL(launch), false},
    {"cuFuncGetAttribute", NULL, CALL(function_attribute), false},
    {"cuFuncSetAttribute", NULL, CALL(function_set), true},
    {"cuFuncGetParamInfo", NULL, CALL(function_parameter), true},
    {"cuFuncGetName", NULL, CALL(function_name), true},
    {"cuOccupancyMaxActiveBlocksPerMultiprocessor", NULL, CALL(occupancy_blocks), false},
    {"cuGraphInstantiateWithFlags", NULL, CALL(graph_instantiate), false},
    {"cuGraphLaunch", NULL, CALL(graph_launch), false},
    {"cuGraphExecDestroy", NULL, CALL(graph_executable_destroy), false},
    {"cuGraphDestroy", NULL, CALL(graph_destroy), false},
    {"cuGraphGetNodes", NULL, CALL(graph_nodes), false},
    {"cuGraphNodeGetType", NULL, CALL(node_type), false},
    {"cuGraphKernelNodeGetParams_v2", NULL, CALL(node_kernel), false},
    {"cuGraphMemcpyNodeGetParams", NULL, CALL(node_memcpy), false},
    {"cuGraphChildGraphNodeGetGraph", NULL, CALL(node_child), false},
    {"cuKernelGetFunction", NULL, CALL(kernel_function), true},
};
/* clang-format on */

/* Functions to find first: a library without them is not the driver. */
struct startup {
    int (*initialise)(unsigned flags);
    int (*version)(int *version);
};
static const struct kg_symbol startup_symbols[] = {
    {"cuInit", NULL, offsetof(struct startup, initialise), false},
    {"cuDriverGetVersion", NULL, offsetof(struct startup, version), false},
};

void kg_driver_words(const struct kg_driver *driver, int code, char *text, size_t bytes)
{
    const char *name = NULL, *words = NULL;
    if (driver->error_string(code, &words) != KG_DRIVER_SUCCESS || !words)
        words = "error without words in this driver";
    if (driver->error_name(code, &name) != KG_DRIVER_SUCCESS || !name)
        snprintf(text, bytes, "%s (code %d)", words, code);
    else
        snprintf(text, bytes, "%s (%s)", words, name);
}

bool kg_driver_good(const struct kg_driver *driver, int code, const char *what,
                    struct kg_error *err)
{
    char words[256];
    if (code == KG_DRIVER_SUCCESS)
        return true;
    kg_driver_words(driver, code, words, sizeof words);
    return kg_error_set(err, KG_ERROR_MEASURE, "%s: %s", what, words);
}

int kg_driver_initialise(const struct kg_driver *driver)
{
    struct startup startup;
    if (!driver->library || kg_library_symbols(driver->library, startup_symbols, 1, &startup))
        return KG_DRIVER_SUCCESS;
    return startup.initialise(0);
}

/* Opens the driver's library. The library may be missing, damaged, of another machine, or without a
 * library that it needs. */
static bool library_open(const char *library, struct kg_driver *driver, char *why, size_t why_bytes)
{
    char message[512];
    *driver = (struct kg_driver){.library = kg_library_open(library, message, sizeof message)};
    if (driver->library)
        return true;
    if (*message)
        snprintf(why, why_bytes, "the NVIDIA driver's library cannot be opened: %s", message);
    else
        snprintf(why, why_bytes, "no NVIDIA driver is installed");
    return false;
}

bool kg_driver_open(const char *library, struct kg_driver *driver, char *why, size_t why_bytes)
{
    char words[256];
    struct startup startup;
    if (!library_open(library, driver, why, why_bytes))
        return false;
    if (kg_library_symbols(driver->library, startup_symbols, 2, &startup)) {
        snprintf(why, why_bytes, "%s is not NVIDIA's driver", library);
        return false;
    }
    if (startup.version(&driver->version) != KG_DRIVER_SUCCESS)
        driver->version = 0;
    const char *missing =
        kg_library_symbols(driver->library, symbols, sizeof symbols / sizeof *symbols, driver);
    if (missing) {
        snprintf(why, why_bytes, "the NVIDIA driver is too old: it has no %s (CUDA 12 has it)",
                 missing);
        return false;
    }
    const int code = startup.initialise(0);
    if (code == KG_DRIVER_SUCCESS)
        return true;
    kg_driver_words(driver, code, words, sizeof words);
    snprintf(why, why_bytes, "the NVIDIA driver does not start: %s", words);
    return false;
}
