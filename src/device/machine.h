/* machine.h: the facts about this machine that results hold, and the fingerprint that decides which
 * results may be compared. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/record.h"

/* Unknown fields are NULL, NaN or 0. */
struct kg_gpu {
    const char *name;
    const char *uuid;               /* "GPU-…", or "MIG-…" for an instance */
    const char *compute_capability; /* "9.0" */
    uint64_t memory_bytes;
    uint64_t multiprocessors;
    double sm_clock_hz; /* the highest, according to CUDA */
    double memory_clock_hz;
    uint64_t memory_bus_bits;
    uint64_t l2_bytes;
    const char *pci_bus_id;
    const char *ecc;          /* "on", "off" */
    const char *mig;          /* "on": an instance of a GPU; "off": a whole one */
    const char *compute_mode; /* "default", "prohibited", "exclusive" */
    bool integrated;          /* shares the CPU's memory */
    const char *problem;      /* why it is not usable; tried for the chosen device only */
};

struct kg_machine {
    const char *fingerprint; /* file-name safe: "amd-epyc-2cpu-24gib-0f3a9c1d" */
    const char *cpu_model;
    uint64_t cpu_count;    /* CPUs that this process may use */
    uint64_t memory_bytes; /* of the machine, to the nearest GiB: boots differ by a little */
    struct kg_gpu *gpus;   /* in CUDA's order */
    size_t gpu_count;
    size_t gpu_chosen; /* index of the GPU for CUDA cases; 0 if there is none */
    /* Facts beside the fingerprint: the report prints a difference instead of hiding it. */
    const char *host; /* 16 hexadecimal digits for this one machine; NULL: unknown */
    const char *boot; /* 8 hexadecimal digits for the time since its start; NULL: unknown */
    /* 8 hexadecimal digits of kernel, microcode, driver, governor and clock limit; NULL: unknown */
    const char *epoch;
    const char *kernel;      /* "Linux 6.1.0" */
    const char *microcode;   /* version as the kernel prints it; NULL: unknown */
    uint64_t clock_limit_hz; /* highest clock that the governor may choose; 0: unknown */
    const char *governor;    /* CPU frequency governor; NULL: none readable */
    const char *hypervisor;  /* "KVM"; NULL: bare metal, or unknown */
    /* The widest vectors that kernels may use, "AVX-512" or "AVX2"; NULL: neither. A virtual
     * machine may hide features of its CPU model. */
    const char *vectors;
    const char *compiler;      /* kgate's own: "GNU 12.2.0" */
    const char *build_type;    /* "Release" */
    const char *nvidia_driver; /* "580.65.06"; NULL: unknown */
    const char *cuda_driver;   /* the newest CUDA that it knows, "13.0"; NULL: no driver */
    const char *cuda_toolkit;  /* toolkit of kgate's build: "13.0.88"; NULL: none */
    const char *cuda_missing;  /* why there is no CUDA device, as a phrase; NULL: there is one */
    /* Why kgate's own device code cannot run on the chosen device, or on any: a phrase; NULL if it
     * can. */
    const char *cuda_code_missing;
};

extern const struct kg_record kg_gpu_record;
extern const struct kg_record kg_machine_record;

/* Reads the facts of this machine; strings live in `arena`. Never fails for lack of a GPU, or for a
 * broken driver. The fingerprint hashes CPU model and count, GPU models and their count, and
 * memory. If there are several GPU models, it also hashes the chosen GPU's model.
 * device  the GPU that the user means, as for kg_gpus_choose; NULL: the first.
 * err     KG_ERROR_USAGE if there is no such device. KG_ERROR_SYSTEM if the kernel does not tell a
 *         part of the fingerprint: with another fingerprint kgate would find no baseline and
 *         compare nothing */
bool kg_machine_read(struct kg_arena *arena, const char *device, struct kg_machine *machine,
                     struct kg_error *err);

/* The fingerprint of a machine with these facts, in `arena`. */
const char *kg_machine_fingerprint(struct kg_arena *arena, const struct kg_machine *machine);

/* Whether a text can be a fingerprint: small letters, digits and dashes, since it names a file.
 * err: KG_ERROR_USAGE; `what` names the fingerprint's source */
bool kg_fingerprint_check(const char *what, const char *fingerprint, struct kg_error *err);

/* The GPU for CUDA cases; NULL: none. */
const struct kg_gpu *kg_machine_gpu(const struct kg_machine *machine);

/* Whether the driver is too old for the CUDA toolkit of kgate's device code and of its kernels'
 * runtime. false if a version is unknown.
 * why     if true, a phrase for the user.
 * needed  if true, the remedy: "an NVIDIA driver of version 580 or later" */
bool kg_machine_driver_old(const struct kg_machine *machine, char *why, size_t why_bytes,
                           char *needed, size_t needed_bytes);

/* A copy whose strings live in `arena`. */
void kg_machine_copy(struct kg_arena *arena, const struct kg_machine *machine,
                     struct kg_machine *into);

/* machine_gpus.c: the GPUs among a machine's facts. Internal to machine.h. */

/* Fills in the driver's facts about the GPUs, or the reason for their absence.
 * device  as for kg_machine_read.
 * err     KG_ERROR_USAGE if there is no such device */
bool kg_machine_gpus_read(struct kg_arena *arena, const char *device, struct kg_machine *machine,
                          struct kg_error *err);

void kg_gpu_copy(struct kg_arena *arena, const struct kg_gpu *gpu, struct kg_gpu *into);

/* machine_identity.c: facts that tell machines of one fingerprint apart. Internal to machine.h. */

/* Sets host, boot, microcode, clock_limit_hz and epoch, from the files of /etc, /proc and /sys below
 * `root`; "" is this machine. The epoch needs the other facts first: kernel, driver, governor. */
void kg_machine_identify(struct kg_arena *arena, const char *root, struct kg_machine *machine);

/* cuda_architectures.c: the GPUs that a list of CMAKE_CUDA_ARCHITECTURES makes code for. Pure. */

/* Whether one of the listed codes runs on a device of this compute capability. Machine code runs on
 * its own major version from its minor on ("90a" on 9.0 only). Virtual code runs from its own
 * version on.
 * list  "80-real,90-real,90-virtual"; separated by commas. A word without digits ("native", "all")
 *       counts as fitting */
bool kg_architectures_fit(const char *list, int major, int minor);

/* The same list for the user: "8.0, 9.0 and later". */
void kg_architectures_words(const char *list, char *text, size_t bytes);
