/* machine.h: what this machine is: the facts that results carry, and the fingerprint that says
 * which results may be compared. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/record.h"

/* What is not known is NULL, NaN or 0. */
struct kg_gpu {
    const char *name;
    const char *uuid;               /* "GPU-…", or "MIG-…" of an instance */
    const char *compute_capability; /* "9.0" */
    uint64_t memory_bytes;
    uint64_t multiprocessors;
    double sm_clock_hz; /* the highest, as CUDA tells it */
    double memory_clock_hz;
    uint64_t memory_bus_bits;
    uint64_t l2_bytes;
    const char *pci_bus_id;
    const char *ecc;          /* "on", "off" */
    const char *mig;          /* "on": an instance of a GPU; "off": a whole one */
    const char *compute_mode; /* "default", "prohibited", "exclusive" */
    bool integrated;          /* shares the CPU's memory */
    const char *problem;      /* why it cannot be used: tried of the chosen one only */
};

struct kg_machine {
    const char *fingerprint; /* file-name safe: "amd-epyc-2cpu-24gib-0f3a9c1d" */
    const char *cpu_model;
    uint64_t cpu_count;    /* CPUs that this process may use */
    uint64_t memory_bytes; /* of the machine, to the nearest GiB: boots differ by a little */
    struct kg_gpu *gpus;   /* in CUDA's order */
    size_t gpu_count;
    size_t gpu_chosen; /* what CUDA cases run on; 0 without one */
    /* Facts beside the fingerprint: a difference is said in the report, not hidden. */
    const char *kernel;     /* "Linux 6.1.0" */
    const char *governor;   /* CPU frequency governor; NULL where there is none to read */
    const char *hypervisor; /* "KVM", or NULL on bare metal or where unknown */
    /* The widest vectors that kernels may use, "AVX-512" or "AVX2"; NULL where it is neither. A
     * virtual machine may hide what its model has. */
    const char *vectors;
    const char *compiler;      /* kgate's own: "GNU 12.2.0" */
    const char *build_type;    /* "Release" */
    const char *nvidia_driver; /* "580.65.06", or NULL where not known */
    const char *cuda_driver;   /* the newest CUDA it knows, "13.0"; NULL without one */
    const char *cuda_toolkit;  /* kgate was built with: "13.0.88"; NULL without one */
    const char *cuda_missing;  /* why there is no CUDA device: a phrase; NULL where there is one */
    /* Why kgate's own device code cannot run on the chosen one, nor on any: a phrase; else NULL. */
    const char *cuda_code_missing;
};

extern const struct kg_record kg_gpu_record;
extern const struct kg_record kg_machine_record;

/* Reads the facts of this machine; strings live in `arena`. Never fails for want of a GPU, nor for
 * a driver that is broken. The fingerprint hashes CPU model and count, GPU models and their count,
 * memory, and where there are GPUs of several models the chosen one's.
 * device  which GPU is meant, as kg_gpus_choose takes it; NULL: the first
 * err     KG_ERROR_USAGE where it is none of those that are there; KG_ERROR_SYSTEM where the kernel
 *         does not say what the fingerprint is made of: another one would find no baseline, and
 *         nothing would be compared */
bool kg_machine_read(struct kg_arena *arena, const char *device, struct kg_machine *machine,
                     struct kg_error *err);

/* The fingerprint of a machine with these facts, in `arena`. */
const char *kg_machine_fingerprint(struct kg_arena *arena, const struct kg_machine *machine);

/* Whether a fingerprint can be one: small letters, digits and dashes, since it names a file. err:
 * KG_ERROR_USAGE; `what` says whose it is */
bool kg_fingerprint_check(const char *what, const char *fingerprint, struct kg_error *err);

/* The GPU that CUDA cases run on; NULL without one. */
const struct kg_gpu *kg_machine_gpu(const struct kg_machine *machine);

/* Whether the driver is too old for the CUDA toolkit that kgate's device code is made with, and its
 * kernels' runtime is of. false where versions are not known.
 * why     on true a phrase for people
 * needed  and what helps: "an NVIDIA driver of version 580 or later" */
bool kg_machine_driver_old(const struct kg_machine *machine, char *why, size_t why_bytes,
                           char *needed, size_t needed_bytes);

/* A copy whose strings live in `arena`. */
void kg_machine_copy(struct kg_arena *arena, const struct kg_machine *machine,
                     struct kg_machine *into);

/* machine_gpus.c: the part of a machine's facts that is about its GPUs. Internal to machine.h. */

/* Fills what the driver says of the GPUs, or why it says nothing.
 * device  as kg_machine_read has it
 * err     KG_ERROR_USAGE of a device that is not there */
bool kg_machine_gpus_read(struct kg_arena *arena, const char *device, struct kg_machine *machine,
                          struct kg_error *err);

void kg_gpu_copy(struct kg_arena *arena, const struct kg_gpu *gpu, struct kg_gpu *into);

/* cuda_architectures.c: which GPUs a list of CMAKE_CUDA_ARCHITECTURES makes code for. Pure. */

/* Whether one of the listed codes runs on a device of this compute capability: machine code on its
 * own major version from its minor on (of "90a" on 9.0 only), virtual code from its own on.
 * list  "80-real,90-real,90-virtual"; separated by commas. A word without digits ("native", "all")
 *       is taken to fit */
bool kg_architectures_fit(const char *list, int major, int minor);

/* The same list for people: "8.0, 9.0 and later". */
void kg_architectures_words(const char *list, char *text, size_t bytes);
