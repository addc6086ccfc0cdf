/* gpus.h: the CUDA devices of this machine, and whether the chosen one can be used. The driver is
 * asked in a process of its own, with a time limit (driver_process.h): this process never opens it, and goes
 * on where the driver crashes or hangs. */
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

/* Numbers are -1 where the driver does not tell. Texts are printable ASCII. */
struct kg_gpu_facts {
    char name[128];
    char uuid[48];       /* "GPU-…" as nvidia-smi writes it; "MIG-…" of an instance */
    char pci_bus_id[32]; /* "0000:01:00.0"; "" where not told */
    int major;           /* compute capability */
    int minor;
    int multiprocessors;
    int memory_bus_bits;
    int ecc; /* 0 or 1 */
    int integrated;
    bool mig; /* an instance of a GPU, not the whole one */
    enum kg_compute_mode compute_mode;
    int64_t sm_clock_hz;
    int64_t memory_clock_hz;
    int64_t l2_bytes;
    uint64_t memory_bytes;
};

struct kg_gpus {
    int cuda_version;       /* the newest that the driver knows: 1000 * major + 10 * minor; or 0 */
    char nvidia_driver[64]; /* "580.65.06"; "" where not told */
    char why[512];          /* where there is no device: a phrase; else "" */
    size_t count;
    struct kg_gpu_facts devices[KG_GPUS_MOST]; /* in CUDA's order */
    size_t chosen;
    char problem[512]; /* why the chosen one cannot be used: a phrase; "" where it can */
};

/* What to ask, and how. */
struct kg_gpus_query {
    const char *library; /* KG_DRIVER_LIBRARY, or a path */
    const char *nvml;    /* KG_NVML_LIBRARY, or a path: asked where CUDA does not say why */
    const char *root;    /* put before the paths of /proc: "" is the machine itself */
    const char *device;  /* as kg_gpus_choose takes it */
    int timeout_ms;      /* > 0 */
};

/* Asks. Without a driver, with a broken one, or without a device, that is no error: `why` says so.
 * Starts a process and waits until it is gone.
 * err: KG_ERROR_USAGE where `device` is no device of a machine that has some */
bool kg_gpus_read(const struct kg_gpus_query *query, struct kg_gpus *gpus, struct kg_error *err);

/* Which device is meant.
 * device  "cuda" (number 0), "cuda:1", "cuda:GPU-8f…": the UUID or a beginning of it that only one
 *         device has; NULL is "cuda"
 * chosen  0 where there is no device to choose from
 * err     KG_ERROR_USAGE with what is allowed, or the devices that there are */
bool kg_gpus_choose(const struct kg_gpus *gpus, const char *device, size_t *chosen,
                    struct kg_error *err);

/* gpus_ask.c: the process that asks the driver, for gpus.c. */

/* A kg_apart_work of a struct kg_gpus_query: answers with the facts (struct kg_gpus,
 * `problem` unset), then with the problem of the chosen device (as many bytes as struct
 * kg_gpus has for it). */
void kg_gpus_ask(const void *query, int pipe);
