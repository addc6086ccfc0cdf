/* machine.h: what this machine is: the facts that results carry, and the fingerprint that says
 * which results may be compared. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/arena.h"
#include "util/error.h"
#include "util/record.h"

struct kg_gpu {
    const char *name;
    const char *uuid;
    const char *compute_capability; /* "9.0" */
    uint64_t memory_bytes;
};

struct kg_machine {
    const char *fingerprint; /* file-name safe: "amd-epyc-2cpu-24gib-0f3a9c1d" */
    const char *cpu_model;
    uint64_t cpu_count;    /* CPUs that this process may use */
    uint64_t memory_bytes; /* of the machine, to the nearest GiB: boots differ by a little */
    struct kg_gpu *gpus;
    size_t gpu_count;
    /* Facts beside the fingerprint: a difference is said in the report, not hidden. */
    const char *kernel;       /* "Linux 6.1.0" */
    const char *governor;     /* CPU frequency governor; NULL where there is none to read */
    const char *hypervisor;   /* "KVM", or NULL on bare metal or where unknown */
    const char *compiler;     /* kgate's own: "GNU 12.2.0" */
    const char *build_type;   /* "Release" */
    const char *cuda_driver;  /* "13.0", or NULL without one */
    const char *cuda_missing; /* why there is no CUDA device: a phrase; NULL where there is one */
};

extern const struct kg_record kg_machine_record;

/* Reads the facts of this machine; strings live in `arena`. Never fails for want of a GPU.
 * The fingerprint hashes CPU model and count, GPU models and their count, and memory. */
bool kg_machine_read(struct kg_arena *arena, struct kg_machine *machine, struct kg_error *err);

/* A copy whose strings live in `arena`; false where memory is out. */
bool kg_machine_copy(struct kg_arena *arena, const struct kg_machine *machine,
                     struct kg_machine *into);
