/* gpus.h: the CUDA devices of this machine, and whether the chosen one is usable. A process of its
 * own asks the driver, with a time limit (driver_process.h). This process never opens the driver,
 * and goes on if the driver crashes or hangs. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum { KG_GPUS_MOST = 64, KG_GPUS_TIMEOUT_MS = 30000 };

/* NVIDIA's numbers. */
enum kg_compute_mode {
    KG_COMPUTE_MODE_UNKNOWN = -1,
    KG_COMPUTE_MODE_DEFAULT = 0,
    KG_COMPUTE_MODE_PROHIBITED = 2,
    KG_COMPUTE_MODE_EXCLUSIVE = 3, /* one process at a time */
};

/* Numbers are -1 if the driver does not tell. Texts are printable ASCII. */
struct kg_gpu_facts {
    char name[128];
    char uuid[48];       /* "GPU-…" as nvidia-smi writes it; "MIG-…" for an instance */
    char pci_bus_id[32]; /* "0000:01:00.0"; "" if unknown */
    int major;           /* compute capability */
    int minor;
    int multiprocessors;
    int memory_bus_bits;
    int ecc; /* 0 or 1 */
    int integrated;
    bool mig; /* an instance of a GPU, not the whole GPU */
    enum kg_compute_mode compute_mode;
    int64_t sm_clock_hz;
    int64_t memory_clock_hz;
    int64_t l2_bytes;
    uint64_t memory_bytes;
};

struct kg_gpus {
    int cuda_version;       /* newest CUDA that the driver knows: 1000 * major + 10 * minor; or 0 */
    char nvidia_driver[64]; /* "580.65.06"; "" if unknown */
    char why[512];          /* why there is no device, as a phrase; else "" */
    size_t count;
    struct kg_gpu_facts devices[KG_GPUS_MOST]; /* in CUDA's order */
    size_t chosen;
    char problem[512]; /* why the chosen device is not usable, as a phrase; else "" */
};

/* A query to the driver. */
struct kg_gpus_query {
    const char *library; /* KG_DRIVER_LIBRARY, or a path */
    const char *nvml;    /* KG_NVML_LIBRARY, or a path: asked if CUDA gives no reason */
    const char *root;    /* put before the paths of /proc: "" is the machine itself */
    const char *device;  /* as for kg_gpus_choose */
    int timeout_ms;      /* > 0 */
};

/* Asks the driver. Without a working driver or a device, the call succeeds and `why` has the
 * reason. Starts a process and waits until it is gone.
 * err  KG_ERROR_USAGE if the machine has devices, but not `device` */
bool kg_gpus_read(const struct kg_gpus_query *query, struct kg_gpus *gpus, struct kg_error *err);

/* Finds the device that the user means.
 * device  "cuda" (number 0), "cuda:1", "cuda:GPU-8f…": a UUID or a unique beginning of one. NULL
 *         means "cuda".
 * chosen  index of the device; 0 if there are no devices.
 * err     KG_ERROR_USAGE with the permitted forms, or the present devices */
bool kg_gpus_choose(const struct kg_gpus *gpus, const char *device, size_t *chosen,
                    struct kg_error *err);

/* gpus_ask.c: the process that asks the driver, for gpus.c. */

/* A kg_apart_work for a struct kg_gpus_query. It first answers with the facts (struct kg_gpus,
 * `problem` unset), then with the problem of the chosen device. The second answer has the size of
 * `problem`. */
void kg_gpus_ask(const void *query, int pipe);
