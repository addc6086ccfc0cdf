/* nvml.h: NVIDIA's management library, opened at run time: what the GPUs are doing now. Needs
 * neither its header nor CUDA, and makes no CUDA context. One kg_nvml belongs to one thread. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Why clocks are below what they could be: bits of `throttle`, as NVML numbers them. */
enum {
    KG_NVML_IDLE = 1 << 0,
    KG_NVML_APPLICATION_CLOCKS = 1 << 1,
    KG_NVML_POWER_CAP = 1 << 2,
    KG_NVML_SLOWDOWN = 1 << 3,
    KG_NVML_SYNC_BOOST = 1 << 4,
    KG_NVML_THERMAL_SOFTWARE = 1 << 5,
    KG_NVML_THERMAL_HARDWARE = 1 << 6,
    KG_NVML_POWER_BRAKE = 1 << 7,
    KG_NVML_DISPLAY_CLOCKS = 1 << 8,
};

/* One GPU now. -1 is what this GPU or driver does not tell. */
struct kg_nvml_device {
    char name[96];
    char uuid[96]; /* "GPU-…" */
    int persistence;
    int sm_mhz;
    int sm_most_mhz;
    int sm_application_mhz; /* the clock asked for, where application clocks are supported */
    int memory_mhz;
    int memory_most_mhz;
    int temperature_c;
    int slowdown_c;          /* the temperature at which the hardware slows down */
    int utilization_percent; /* of the last sampling period of the driver, up to a second */
    int compute_processes;   /* with a CUDA context, this one among them if it has one */
    int mig;                 /* 1: split into instances */
    bool lost;               /* it has fallen off the bus: nothing else is told */
    int64_t throttle;        /* KG_NVML_ bits */
};

/* What a GPU does at one moment, for a round. -1 as above. */
struct kg_nvml_telemetry {
    int sm_mhz;
    int memory_mhz;
    int temperature_c;
    int power_mw;
    int utilization_percent; /* as above; not told of a GPU that is split into instances */
    /* With a CUDA context, but neither this process nor one that it descends from or that descends
     * from it. Not told in a container whose process numbers are not the machine's, unless one is
     * known to be another's. */
    int other_processes;
    int64_t throttle; /* KG_NVML_ bits */
};

/* Whether clocks are throttled: by power, by temperature or by another GPU. An idle GPU is not
 * throttled, nor is one whose clocks were set lower by its owner. False for -1. */
bool kg_nvml_throttled(int64_t bits);
/* By what, in words: "the power limit, temperature (driver)"; "" where not throttled. */
void kg_nvml_throttle_words(int64_t bits, char *text, size_t bytes);

enum kg_nvml_status {
    KG_NVML_GOOD,
    KG_NVML_MISSING, /* no library: no driver, or none for this container */
    KG_NVML_FAILED,  /* the library is there, but does not answer: `why` */
};

struct kg_nvml_calls;
struct kg_nvml {
    struct kg_nvml_calls *calls; /* NULL when closed */
    void *library;
    size_t device_count;
    /* Of MIG, that kg_nvml_find found last; NULL: none. Its processes are asked for: those of its
     * neighbours have multiprocessors of their own. */
    void *instance;
};

#define KG_NVML_LIBRARY "libnvidia-ml.so.1"

/* Opens the library; on success close with kg_nvml_close.
 * library  KG_NVML_LIBRARY, or a path
 * why      where not KG_NVML_GOOD: a phrase, into why_bytes bytes */
enum kg_nvml_status kg_nvml_open(const char *library, struct kg_nvml *nvml, char *why,
                                 size_t why_bytes);
/* The facts of device `index`; false where it does not answer at all, all facts then unknown. */
bool kg_nvml_device_read(const struct kg_nvml *nvml, size_t index, struct kg_nvml_device *device);
/* The device of a UUID as CUDA tells it, "GPU-…" or "MIG-…" (then the GPU that the instance is of);
 * false where there is none. NVML numbers devices otherwise than CUDA. */
bool kg_nvml_find(struct kg_nvml *nvml, const char *uuid, size_t *index);
/* Joules that the GPU has used since its driver was loaded, by NVML in steps of some tens of
 * milliseconds; NaN where it does not tell. */
double kg_nvml_energy_read(const struct kg_nvml *nvml, size_t index);
/* What it does now; false where it does not answer at all, all figures then unknown. */
bool kg_nvml_telemetry_read(const struct kg_nvml *nvml, size_t index,
                            struct kg_nvml_telemetry *telemetry);
/* The driver's version, "580.65.06"; "" where it does not tell. */
void kg_nvml_driver_version(const struct kg_nvml *nvml, char *version, size_t bytes);
/* Fine on one that was never opened, if zeroed. */
void kg_nvml_close(struct kg_nvml *nvml);

enum { KG_NVML_DEVICES_MOST = 64 };

/* All of them at one moment. */
struct kg_nvml_gpus {
    enum kg_nvml_status status;
    char why[160];
    size_t count;
    struct kg_nvml_device devices[KG_NVML_DEVICES_MOST];
};
/* Opens the library, reads every device and closes it, in a process of its own: where the library
 * crashes or hangs, the status is KG_NVML_FAILED. */
void kg_nvml_gpus_read(const char *library, int timeout_ms, struct kg_nvml_gpus *gpus);

/* process_parents.c: which processes belong to this one. Thread-safe. */

enum kg_kinship {
    KG_KINSHIP_OWN, /* this process, one it descends from, its parent's other children and theirs:
                           for a worker those are the other side's worker of `ab` */
    KG_KINSHIP_SERVICE, /* NVIDIA's MPS server: it works for others alone */
    KG_KINSHIP_OTHER,   /* another that is there */
    KG_KINSHIP_UNSEEN,  /* no such process can be seen from here */
};
/* Asked by a worker. A parent that is the system's first process makes no family. */
enum kg_kinship kg_kinship(long pid);
