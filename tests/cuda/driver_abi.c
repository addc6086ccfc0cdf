/* driver_abi.c: src/device/driver.h against NVIDIA's header, at compile time: numbers, and where
 * the members of structs lie. */
#include <cuda.h>

#include "device/driver.h"

#define SAME(ours, theirs) _Static_assert((int)(ours) == (int)(theirs), #theirs)
#define SIZE(ours, theirs) _Static_assert(sizeof(ours) == sizeof(theirs), #theirs)
#define AT(ours, member, theirs, name)                                                             \
    _Static_assert(offsetof(struct ours, member) == offsetof(theirs, name), #theirs "." #name)

SAME(KG_DRIVER_SUCCESS, CUDA_SUCCESS);
SAME(KG_DRIVER_OUT_OF_MEMORY, CUDA_ERROR_OUT_OF_MEMORY);
SAME(KG_DRIVER_DEVICE_UNAVAILABLE, CUDA_ERROR_DEVICE_UNAVAILABLE);
SAME(KG_DRIVER_NO_DEVICE, CUDA_ERROR_NO_DEVICE);
SAME(KG_DRIVER_NO_BINARY_FOR_GPU, CUDA_ERROR_NO_BINARY_FOR_GPU);
SAME(KG_DRIVER_NOT_READY, CUDA_ERROR_NOT_READY);
SAME(KG_DRIVER_CAPTURE_UNSUPPORTED, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
SAME(KG_DRIVER_CAPTURE_INVALIDATED, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);

SAME(KG_ATTRIBUTE_CLOCK_KHZ, CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
SAME(KG_ATTRIBUTE_MULTIPROCESSORS, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
SAME(KG_ATTRIBUTE_INTEGRATED, CU_DEVICE_ATTRIBUTE_INTEGRATED);
SAME(KG_ATTRIBUTE_COMPUTE_MODE, CU_DEVICE_ATTRIBUTE_COMPUTE_MODE);
SAME(KG_ATTRIBUTE_ECC, CU_DEVICE_ATTRIBUTE_ECC_ENABLED);
SAME(KG_ATTRIBUTE_PCI_BUS, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID);
SAME(KG_ATTRIBUTE_MEMORY_CLOCK_KHZ, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
SAME(KG_ATTRIBUTE_MEMORY_BUS_BITS, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
SAME(KG_ATTRIBUTE_L2_BYTES, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
SAME(KG_ATTRIBUTE_THREADS_PER_MULTIPROCESSOR, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
SAME(KG_ATTRIBUTE_CAPABILITY_MAJOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
SAME(KG_ATTRIBUTE_CAPABILITY_MINOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
SAME(KG_ATTRIBUTE_SHARED_PER_MULTIPROCESSOR,
     CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);

SAME(KG_FUNCTION_SHARED_BYTES, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
SAME(KG_FUNCTION_LOCAL_BYTES, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
SAME(KG_FUNCTION_REGISTERS, CU_FUNC_ATTRIBUTE_NUM_REGS);
SAME(KG_FUNCTION_BINARY_VERSION, CU_FUNC_ATTRIBUTE_BINARY_VERSION);

SAME(KG_STREAM_DEFAULT, CU_STREAM_DEFAULT);
SAME(KG_STREAM_NON_BLOCKING, CU_STREAM_NON_BLOCKING);
SAME(KG_EVENT_DEFAULT, CU_EVENT_DEFAULT);
SAME(KG_EVENT_DISABLE_TIMING, CU_EVENT_DISABLE_TIMING);
SAME(KG_HOST_ALLOC_MAPPED, CU_MEMHOSTALLOC_DEVICEMAP);
SAME(KG_CAPTURE_THREAD_LOCAL, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
SAME(KG_CAPTURE_RELAXED, CU_STREAM_CAPTURE_MODE_RELAXED);

SAME(KG_NODE_KERNEL, CU_GRAPH_NODE_TYPE_KERNEL);
SAME(KG_NODE_MEMCPY, CU_GRAPH_NODE_TYPE_MEMCPY);
SAME(KG_NODE_MEMSET, CU_GRAPH_NODE_TYPE_MEMSET);
SAME(KG_NODE_HOST, CU_GRAPH_NODE_TYPE_HOST);
SAME(KG_NODE_GRAPH, CU_GRAPH_NODE_TYPE_GRAPH);
SAME(KG_NODE_EMPTY, CU_GRAPH_NODE_TYPE_EMPTY);

/* What the signatures pass: handles as pointers, enums as int, addresses as 64 bits. */
SIZE(int, CUresult);
SIZE(int, CUdevice);
SIZE(int, CUdevice_attribute);
SIZE(int, CUfunction_attribute);
SIZE(int, CUgraphNodeType);
SIZE(int, CUstreamCaptureMode);
SIZE(uint64_t, CUdeviceptr);
SIZE(void *, CUcontext);
SIZE(void *, CUstream);
SIZE(void *, CUevent);
SIZE(void *, CUmodule);
SIZE(void *, CUfunction);
SIZE(void *, CUkernel);
SIZE(void *, CUgraph);
SIZE(void *, CUgraphNode);
SIZE(void *, CUgraphExec);
SIZE(unsigned char[16], CUuuid);

SIZE(struct kg_kernel_node, CUDA_KERNEL_NODE_PARAMS_v2);
AT(kg_kernel_node, function, CUDA_KERNEL_NODE_PARAMS_v2, func);
AT(kg_kernel_node, grid[0], CUDA_KERNEL_NODE_PARAMS_v2, gridDimX);
AT(kg_kernel_node, grid[2], CUDA_KERNEL_NODE_PARAMS_v2, gridDimZ);
AT(kg_kernel_node, block[0], CUDA_KERNEL_NODE_PARAMS_v2, blockDimX);
AT(kg_kernel_node, block[2], CUDA_KERNEL_NODE_PARAMS_v2, blockDimZ);
AT(kg_kernel_node, shared_bytes, CUDA_KERNEL_NODE_PARAMS_v2, sharedMemBytes);
AT(kg_kernel_node, parameters, CUDA_KERNEL_NODE_PARAMS_v2, kernelParams);
AT(kg_kernel_node, extra, CUDA_KERNEL_NODE_PARAMS_v2, extra);
AT(kg_kernel_node, kernel, CUDA_KERNEL_NODE_PARAMS_v2, kern);
AT(kg_kernel_node, context, CUDA_KERNEL_NODE_PARAMS_v2, ctx);

SIZE(struct kg_memcpy_node, CUDA_MEMCPY3D);
AT(kg_memcpy_node, source_x, CUDA_MEMCPY3D, srcXInBytes);
AT(kg_memcpy_node, source_type, CUDA_MEMCPY3D, srcMemoryType);
AT(kg_memcpy_node, source_host, CUDA_MEMCPY3D, srcHost);
AT(kg_memcpy_node, source_device, CUDA_MEMCPY3D, srcDevice);
AT(kg_memcpy_node, source_array, CUDA_MEMCPY3D, srcArray);
AT(kg_memcpy_node, source_height, CUDA_MEMCPY3D, srcHeight);
AT(kg_memcpy_node, target_x, CUDA_MEMCPY3D, dstXInBytes);
AT(kg_memcpy_node, target_type, CUDA_MEMCPY3D, dstMemoryType);
AT(kg_memcpy_node, target_host, CUDA_MEMCPY3D, dstHost);
AT(kg_memcpy_node, target_device, CUDA_MEMCPY3D, dstDevice);
AT(kg_memcpy_node, target_array, CUDA_MEMCPY3D, dstArray);
AT(kg_memcpy_node, target_height, CUDA_MEMCPY3D, dstHeight);
AT(kg_memcpy_node, width_bytes, CUDA_MEMCPY3D, WidthInBytes);
AT(kg_memcpy_node, height, CUDA_MEMCPY3D, Height);
AT(kg_memcpy_node, depth, CUDA_MEMCPY3D, Depth);
