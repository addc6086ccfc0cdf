/* host_device.h: functions that are written once for the host and the GPU, so that both round
 * alike. */
#pragma once

#ifdef __CUDACC__
#define KG_HOST_DEVICE __host__ __device__
#else
#define KG_HOST_DEVICE
#endif
