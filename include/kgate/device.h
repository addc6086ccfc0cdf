/**
 * @file device.h
 * @brief Where code runs. Shared by the plugin interface and the profiler interface. */
#ifndef KGATE_DEVICE_H
#define KGATE_DEVICE_H

/** Where a workload's case, or a scope of a profile, runs. */
enum kgate_device { KGATE_DEVICE_CPU = 0, KGATE_DEVICE_CUDA = 1 };

#endif
