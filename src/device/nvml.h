/* nvml.h: NVIDIA's management library, opened at run time: the present state of the GPUs. Needs
 * neither its header nor CUDA, and makes no CUDA context. One kg_nvml belongs to one thread. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reasons for clocks below their maximum: bits of `throttle`, as NVML numbers them. */
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

/* The present state of one GPU. -1: this GPU or driver does not tell. */
struct kg_nvml_device {
    char name[96];
    char uuid[96]; /* "GPU-…" */
    int persistence;
    int sm_mhz;
    int sm_most_mhz;
    int sm_application_mhz; /* the requested clock, if application clocks are supported */
    int memory_mhz;
    int memory_most_mhz;
    int temperature_c;
    int slowdown_c;          /* temperature at which the hardware slows down */
    int utilization_percent; /* over the driver's last sampling period, up to a second */
    /* number of processes with a CUDA context, perhaps with this process */
    int compute_processes;
    int mig;          /* 1: split into instances */
    bool lost;        /* fallen off the bus: all other fields are unknown */
    int64_t throttle; /* KG_NVML_ bits */
};

/* State of a GPU at one moment of a round. -1 as above. */
struct kg_nvml_telemetry {
    int sm_mhz;
    int memory_mhz;
    int temperature_c;
    int power_mw;
    int utilization_percent; /* as above; unknown for a GPU that is split into instances */
    /* Number of processes with a CUDA context that do not belong to this process
     * (KG_KINSHIP_OTHER). In a container with its own process numbers the number is unknown, unless
     * one process is known to be another's. */
    int other_processes;
    int64_t throttle;   /* KG_NVML_ bits */
    int power_limit_mw; /* enforced */
    /* time in which power or temperature lowered the clocks, in ns since the driver was loaded; NaN:
     * unknown */
    double power_held_ns;
    double thermal_held_ns;
};

/* The reasons of throttling between two moments. NVML's sums of throttled time decide on power and
 * temperature, because a look at the end of a round sees one instant, when the device may be idle. A
 * hundredth of the time counts. If a sum is unknown, the bits of `after` decide.
 * returns KG_NVML_ bits; -1: unknown */
int64_t kg_nvml_throttle_between(const struct kg_nvml_telemetry *before,
                                 const struct kg_nvml_telemetry *after, double elapsed_ns);

/* Whether clocks are throttled: by power, by temperature or by another GPU. An idle GPU is not
 * throttled, and neither is a GPU whose owner lowered the clocks. False for -1. */
bool kg_nvml_throttled(int64_t bits);
/* The causes in words: "the power limit, temperature (driver)"; "" if not throttled. */
void kg_nvml_throttle_words(int64_t bits, char *text, size_t bytes);

enum kg_nvml_status {
    KG_NVML_GOOD,
    KG_NVML_MISSING, /* no library: no driver, or none for this container */
    KG_NVML_FAILED,  /* the library does not answer: see `why` */
};

struct kg_nvml_calls;
struct kg_nvml {
    struct kg_nvml_calls *calls; /* NULL when closed */
    void *library;
    size_t device_count;
    /* The MIG instance that kg_nvml_find found last; NULL: none. kgate asks for its processes only:
     * neighbours have multiprocessors of their own. */
    void *instance;
};

#define KG_NVML_LIBRARY "libnvidia-ml.so.1"

/* Opens the library; on success close with kg_nvml_close.
 * library  KG_NVML_LIBRARY, or a path
 * why      unless KG_NVML_GOOD: a phrase, into why_bytes bytes */
enum kg_nvml_status kg_nvml_open(const char *library, struct kg_nvml *nvml, char *why,
                                 size_t why_bytes);
/* The facts of device `index`; false if it does not answer at all: all facts are then unknown. */
bool kg_nvml_device_read(const struct kg_nvml *nvml, size_t index, struct kg_nvml_device *device);
/* The device with a UUID of CUDA's, "GPU-…" or "MIG-…" (then the instance's GPU); false if there is
 * none. NVML and CUDA number devices differently. */
bool kg_nvml_find(struct kg_nvml *nvml, const char *uuid, size_t *index);
/* Energy, in joules, that the GPU has used since its driver was loaded. NVML updates it every few
 * tens of milliseconds. NaN if unknown. */
double kg_nvml_energy_read(const struct kg_nvml *nvml, size_t index);
/* The present state of a device; false if it does not answer at all: all numbers are then
 * unknown. */
bool kg_nvml_telemetry_read(const struct kg_nvml *nvml, size_t index,
                            struct kg_nvml_telemetry *telemetry);
/* Locks the clock of the multiprocessors to the base clock.
 * why      on failure a phrase, into why_bytes bytes */
bool kg_nvml_clocks_lock(const struct kg_nvml *nvml, size_t index, char *why, size_t why_bytes);
/* Leaves the clock to the driver again. After kg_nvml_clocks_lock only. */
void kg_nvml_clocks_reset(const struct kg_nvml *nvml, size_t index);
/* The driver's version, "580.65.06"; "" if unknown. */
void kg_nvml_driver_version(const struct kg_nvml *nvml, char *version, size_t bytes);
/* Also accepts a zeroed kg_nvml that was never opened. */
void kg_nvml_close(struct kg_nvml *nvml);

enum { KG_NVML_DEVICES_MOST = 64 };

/* All GPUs at one moment. */
struct kg_nvml_gpus {
    enum kg_nvml_status status;
    char why[160];
    size_t count;
    struct kg_nvml_device devices[KG_NVML_DEVICES_MOST];
};
/* Opens the library, reads every device and closes it, in a process of its own. If the library
 * crashes or hangs, the status is KG_NVML_FAILED. */
void kg_nvml_gpus_read(const char *library, int timeout_ms, struct kg_nvml_gpus *gpus);

/* process_parents.c: whether a process belongs to this one. Thread-safe. */

enum kg_kinship {
    /* this process, its ancestors, its parent's other children and their descendants. For a
     * worker of `ab` that includes the other side's worker */
    KG_KINSHIP_OWN,
    KG_KINSHIP_SERVICE, /* NVIDIA's MPS server: it works for other processes alone */
    KG_KINSHIP_OTHER,   /* any other visible process */
    KG_KINSHIP_UNSEEN,  /* no such process is visible from here */
};
/* For a worker. A parent that is the system's first process makes no family. */
enum kg_kinship kg_kinship(long pid);
