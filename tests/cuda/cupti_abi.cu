/* cupti_abi.cu: src/run/worker/cupti_abi.h against NVIDIA's headers, at compile time. */
#include <cupti.h>
/* Since CUDA 12.6. */
#if __has_include(<cupti_range_profiler.h>)
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>
#define RANGE_PROFILER
#endif

#include "run/worker/cupti_abi.h"

#define AT(ours, member, theirs, name)                                                             \
    static_assert(offsetof(ours, member) == offsetof(theirs, name) &&                              \
                      sizeof(ours::member) == sizeof(theirs::name),                                \
                  #theirs "." #name)
/* A row of three ints, which NVIDIA has as three fields. */
#define ROW_AT(ours, member, theirs, name)                                                         \
    static_assert(offsetof(ours, member) == offsetof(theirs, name##X) &&                           \
                      offsetof(theirs, name##Z) == offsetof(theirs, name##X) + 2 * sizeof(int),    \
                  #theirs "." #name)
#define SIZE(ours, last, theirs)                                                                   \
    static_assert(KG_CUPTI_SIZE(ours, last) == theirs##_STRUCT_SIZE, #theirs)

#define KERNEL(theirs)                                                                             \
    AT(kg_cupti_kernel_record, kind, theirs, kind);                                                \
    AT(kg_cupti_kernel_record, registers, theirs, registersPerThread);                             \
    AT(kg_cupti_kernel_record, start_ns, theirs, start);                                           \
    AT(kg_cupti_kernel_record, end_ns, theirs, end);                                               \
    ROW_AT(kg_cupti_kernel_record, grid, theirs, grid);                                            \
    ROW_AT(kg_cupti_kernel_record, block, theirs, block);                                          \
    AT(kg_cupti_kernel_record, static_shared_bytes, theirs, staticSharedMemory);                   \
    AT(kg_cupti_kernel_record, dynamic_shared_bytes, theirs, dynamicSharedMemory);                 \
    AT(kg_cupti_kernel_record, local_bytes, theirs, localMemoryPerThread);                         \
    AT(kg_cupti_kernel_record, correlation, theirs, correlationId);                                \
    AT(kg_cupti_kernel_record, name, theirs, name)
KERNEL(CUpti_ActivityKernel8);
KERNEL(CUpti_ActivityKernel9);

#define COPY(theirs)                                                                               \
    AT(kg_cupti_copy_record, kind, theirs, kind);                                                  \
    AT(kg_cupti_copy_record, copy_kind, theirs, copyKind);                                         \
    AT(kg_cupti_copy_record, source_kind, theirs, srcKind);                                        \
    AT(kg_cupti_copy_record, target_kind, theirs, dstKind);                                        \
    AT(kg_cupti_copy_record, bytes, theirs, bytes);                                                \
    AT(kg_cupti_copy_record, start_ns, theirs, start);                                             \
    AT(kg_cupti_copy_record, end_ns, theirs, end);                                                 \
    AT(kg_cupti_copy_record, correlation, theirs, correlationId)
COPY(CUpti_ActivityMemcpy5);

#define FILL(theirs)                                                                               \
    AT(kg_cupti_fill_record, kind, theirs, kind);                                                  \
    AT(kg_cupti_fill_record, bytes, theirs, bytes);                                                \
    AT(kg_cupti_fill_record, start_ns, theirs, start);                                             \
    AT(kg_cupti_fill_record, end_ns, theirs, end);                                                 \
    AT(kg_cupti_fill_record, correlation, theirs, correlationId)
FILL(CUpti_ActivityMemset4);

#if CUPTI_API_VERSION >= 130000
KERNEL(CUpti_ActivityKernel10);
COPY(CUpti_ActivityMemcpy6);
#endif

static_assert((int)KG_CUPTI_INVALID_METRIC_NAME == CUPTI_ERROR_INVALID_METRIC_NAME, "");
static_assert((int)KG_CUPTI_INSUFFICIENT_PRIVILEGES == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES, "");
static_assert((int)KG_CUPTI_VIRTUALIZED_INSUFFICIENT_PRIVILEGES ==
                  CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES,
              "");
static_assert((int)KG_CUPTI_MEMCPY == CUPTI_ACTIVITY_KIND_MEMCPY, "");
static_assert((int)KG_CUPTI_MEMSET == CUPTI_ACTIVITY_KIND_MEMSET, "");
static_assert((int)KG_CUPTI_KERNEL == CUPTI_ACTIVITY_KIND_KERNEL, "");
static_assert((int)KG_CUPTI_CONCURRENT_KERNEL == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, "");
static_assert((int)KG_CUPTI_HOST_TO_DEVICE == CUPTI_ACTIVITY_MEMCPY_KIND_HTOD, "");
static_assert((int)KG_CUPTI_DEVICE_TO_HOST == CUPTI_ACTIVITY_MEMCPY_KIND_DTOH, "");
static_assert((int)KG_CUPTI_HOST_TO_ARRAY == CUPTI_ACTIVITY_MEMCPY_KIND_HTOA, "");
static_assert((int)KG_CUPTI_ARRAY_TO_HOST == CUPTI_ACTIVITY_MEMCPY_KIND_ATOH, "");
static_assert((int)KG_CUPTI_PAGEABLE == CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE, "");

#ifdef RANGE_PROFILER
static_assert((int)KG_CUPTI_RANGE_PROFILER == CUPTI_PROFILER_TYPE_RANGE_PROFILER, "");
static_assert((int)KG_CUPTI_USER_RANGE == CUPTI_UserRange, "");
static_assert((int)KG_CUPTI_USER_REPLAY == CUPTI_UserReplay, "");

SIZE(kg_cupti_initialize, reserved, CUpti_Profiler_Initialize_Params);
SIZE(kg_cupti_initialize, reserved, CUpti_Profiler_DeInitialize_Params);
SIZE(kg_cupti_chip, name, CUpti_Device_GetChipName_Params);
AT(kg_cupti_chip, name, CUpti_Device_GetChipName_Params, pChipName);
SIZE(kg_cupti_host_initialize, host, CUpti_Profiler_Host_Initialize_Params);
AT(kg_cupti_host_initialize, profiler, CUpti_Profiler_Host_Initialize_Params, profilerType);
AT(kg_cupti_host_initialize, chip, CUpti_Profiler_Host_Initialize_Params, pChipName);
AT(kg_cupti_host_initialize, host, CUpti_Profiler_Host_Initialize_Params, pHostObject);
SIZE(kg_cupti_host, host, CUpti_Profiler_Host_Deinitialize_Params);
SIZE(kg_cupti_add_metrics, count, CUpti_Profiler_Host_ConfigAddMetrics_Params);
AT(kg_cupti_add_metrics, names, CUpti_Profiler_Host_ConfigAddMetrics_Params, ppMetricNames);
SIZE(kg_cupti_config_size, bytes, CUpti_Profiler_Host_GetConfigImageSize_Params);
SIZE(kg_cupti_config, image, CUpti_Profiler_Host_GetConfigImage_Params);
AT(kg_cupti_config, bytes, CUpti_Profiler_Host_GetConfigImage_Params, configImageSize);
SIZE(kg_cupti_enable, profiler, CUpti_RangeProfiler_Enable_Params);
AT(kg_cupti_enable, context, CUpti_RangeProfiler_Enable_Params, ctx);
SIZE(kg_cupti_profiler, profiler, CUpti_RangeProfiler_Disable_Params);
SIZE(kg_cupti_profiler, profiler, CUpti_RangeProfiler_Start_Params);
SIZE(kg_cupti_profiler, profiler, CUpti_RangeProfiler_PopRange_Params);
SIZE(kg_cupti_data_size, bytes, CUpti_RangeProfiler_GetCounterDataSize_Params);
AT(kg_cupti_data_size, names, CUpti_RangeProfiler_GetCounterDataSize_Params, pMetricNames);
AT(kg_cupti_data_size, count, CUpti_RangeProfiler_GetCounterDataSize_Params, numMetrics);
AT(kg_cupti_data_size, ranges_most, CUpti_RangeProfiler_GetCounterDataSize_Params, maxNumOfRanges);
AT(kg_cupti_data_size, range_nodes_most, CUpti_RangeProfiler_GetCounterDataSize_Params,
   maxNumRangeTreeNodes);
SIZE(kg_cupti_data_initialize, image, CUpti_RangeProfiler_CounterDataImage_Initialize_Params);
AT(kg_cupti_data_initialize, bytes, CUpti_RangeProfiler_CounterDataImage_Initialize_Params,
   counterDataSize);
SIZE(kg_cupti_set_config, level, CUpti_RangeProfiler_SetConfig_Params);
AT(kg_cupti_set_config, config_bytes, CUpti_RangeProfiler_SetConfig_Params, configSize);
AT(kg_cupti_set_config, config, CUpti_RangeProfiler_SetConfig_Params, pConfig);
AT(kg_cupti_set_config, data_bytes, CUpti_RangeProfiler_SetConfig_Params, counterDataImageSize);
AT(kg_cupti_set_config, data, CUpti_RangeProfiler_SetConfig_Params, pCounterDataImage);
AT(kg_cupti_set_config, range, CUpti_RangeProfiler_SetConfig_Params, range);
AT(kg_cupti_set_config, replay, CUpti_RangeProfiler_SetConfig_Params, replayMode);
AT(kg_cupti_set_config, ranges_most, CUpti_RangeProfiler_SetConfig_Params, maxRangesPerPass);
AT(kg_cupti_set_config, levels, CUpti_RangeProfiler_SetConfig_Params, numNestingLevels);
AT(kg_cupti_set_config, level_least, CUpti_RangeProfiler_SetConfig_Params, minNestingLevel);
AT(kg_cupti_set_config, pass, CUpti_RangeProfiler_SetConfig_Params, passIndex);
AT(kg_cupti_set_config, level, CUpti_RangeProfiler_SetConfig_Params, targetNestingLevel);
SIZE(kg_cupti_push, name, CUpti_RangeProfiler_PushRange_Params);
SIZE(kg_cupti_stop, all_passes_done, CUpti_RangeProfiler_Stop_Params);
AT(kg_cupti_stop, pass, CUpti_RangeProfiler_Stop_Params, passIndex);
SIZE(kg_cupti_decode, ranges_dropped, CUpti_RangeProfiler_DecodeData_Params);
SIZE(kg_cupti_evaluate, values, CUpti_Profiler_Host_EvaluateToGpuValues_Params);
AT(kg_cupti_evaluate, data, CUpti_Profiler_Host_EvaluateToGpuValues_Params, pCounterDataImage);
AT(kg_cupti_evaluate, range, CUpti_Profiler_Host_EvaluateToGpuValues_Params, rangeIndex);
AT(kg_cupti_evaluate, names, CUpti_Profiler_Host_EvaluateToGpuValues_Params, ppMetricNames);
#endif
