#include "device/machine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "device/driver.h"
#include "device/gpus.h"
#include "device/nvml.h"

/* A copy of a text; NULL if the text is "", which means unknown. */
static const char *copy_known(struct kg_arena *arena, const char *string)
{
    return kg_arena_keep(arena, *string ? string : NULL);
}

static const char *switch_name(int value)
{
    return value < 0 ? NULL : value ? "on" : "off";
}

static const char *compute_mode_name(enum kg_compute_mode mode)
{
    switch (mode) {
    case KG_COMPUTE_MODE_DEFAULT:
        return "default";
    case KG_COMPUTE_MODE_PROHIBITED:
        return "prohibited";
    case KG_COMPUTE_MODE_EXCLUSIVE:
        return "exclusive";
    case KG_COMPUTE_MODE_UNKNOWN:
        break;
    }
    return NULL;
}

static uint64_t known(int64_t value)
{
    return value > 0 ? (uint64_t)value : 0;
}

static double known_real(int64_t value)
{
    return value > 0 ? (double)value : NAN;
}

static void gpu_make(struct kg_arena *arena, const struct kg_gpu_facts *facts, struct kg_gpu *gpu)
{
    *gpu = (struct kg_gpu){
        .name = kg_arena_keep(arena, facts->name),
        .uuid = kg_arena_keep(arena, facts->uuid),
        .compute_capability = kg_arena_printf(arena, "%d.%d", facts->major, facts->minor),
        .memory_bytes = facts->memory_bytes,
        .multiprocessors = known(facts->multiprocessors),
        .sm_clock_hz = known_real(facts->sm_clock_hz),
        .memory_clock_hz = known_real(facts->memory_clock_hz),
        .memory_bus_bits = known(facts->memory_bus_bits),
        .l2_bytes = known(facts->l2_bytes),
        .pci_bus_id = copy_known(arena, facts->pci_bus_id),
        .ecc = switch_name(facts->ecc),
        .mig = switch_name(facts->mig),
        .compute_mode = compute_mode_name(facts->compute_mode),
        .integrated = facts->integrated == 1,
    };
}

/* Why kgate's own code does not run on this device, in `arena`; NULL if it does. */
static const char *code_missing(struct kg_arena *arena, const struct kg_gpu_facts *facts)
{
#ifdef KGATE_CUDA_ARCHITECTURES
    char words[128];
    if (!facts || kg_architectures_fit(KGATE_CUDA_ARCHITECTURES, facts->major, facts->minor))
        return NULL;
    kg_architectures_words(KGATE_CUDA_ARCHITECTURES, words, sizeof words);
    const char *phrase =
        kg_arena_printf(arena, "this kgate has code for compute capability %s; %s has %d.%d", words,
                        facts->name, facts->major, facts->minor);
    return phrase;
#else
    (void)arena;
    (void)facts;
    return "this kgate was built without CUDA";
#endif
}

static void gpus_make(struct kg_arena *arena, const struct kg_gpus *gpus,
                      struct kg_machine *machine)
{
    machine->gpus = kg_arena_alloc(arena, gpus->count, sizeof *machine->gpus);
    for (size_t i = 0; i < gpus->count; i++)
        gpu_make(arena, &gpus->devices[i], &machine->gpus[i]);
    machine->gpu_count = gpus->count;
    machine->gpu_chosen = gpus->chosen;
    machine->nvidia_driver = copy_known(arena, gpus->nvidia_driver);
    if (gpus->cuda_version) {
        machine->cuda_driver = kg_arena_printf(arena, "%d.%d", gpus->cuda_version / 1000,
                                               gpus->cuda_version % 1000 / 10);
    }
    if (gpus->count)
        machine->gpus[gpus->chosen].problem = copy_known(arena, gpus->problem);
    else
        machine->cuda_missing = kg_arena_keep(arena, gpus->why);
    machine->cuda_code_missing =
        code_missing(arena, gpus->count ? &gpus->devices[gpus->chosen] : NULL);
}

bool kg_machine_gpus_read(struct kg_arena *arena, const char *device, struct kg_machine *machine,
                          struct kg_error *err)
{
    const struct kg_gpus_query query = {.library = KG_DRIVER_LIBRARY,
                                        .nvml = KG_NVML_LIBRARY,
                                        .root = "",
                                        .device = device,
                                        .timeout_ms = KG_GPUS_TIMEOUT_MS};
    struct kg_gpus *gpus = kg_arena_alloc(arena, 1, sizeof *gpus);
    if (!kg_gpus_read(&query, gpus, err))
        return false;
    gpus_make(arena, gpus, machine);
    return true;
}

const struct kg_gpu *kg_machine_gpu(const struct kg_machine *machine)
{
    return machine->gpu_chosen < machine->gpu_count ? &machine->gpus[machine->gpu_chosen] : NULL;
}

/* The first driver of each major version of CUDA. Each runs programs from all toolkits of its major
 * version, and of earlier ones (NVIDIA, CUDA Compatibility, "Minor Version Compatibility"). The
 * runtime refuses other drivers. */
static const struct {
    long cuda_major;
    int driver;
} first_drivers[] = {{11, 450}, {12, 525}, {13, 580}};

bool kg_machine_driver_old(const struct kg_machine *machine, char *why, size_t why_bytes,
                           char *needed, size_t needed_bytes)
{
    const char *driver = machine->cuda_driver, *toolkit = machine->cuda_toolkit;
    const long major = toolkit ? strtol(toolkit, NULL, 10) : 0;
    if (!driver || strtol(driver, NULL, 10) >= major)
        return false;
    snprintf(why, why_bytes, "kgate's GPU code is built with CUDA %s; the driver is for CUDA %s",
             toolkit, driver);
    snprintf(needed, needed_bytes, "an NVIDIA driver for CUDA %ld", major);
    for (size_t i = 0; i < sizeof first_drivers / sizeof *first_drivers; i++)
        if (first_drivers[i].cuda_major == major)
            snprintf(needed, needed_bytes, "an NVIDIA driver of version %d or later",
                     first_drivers[i].driver);
    return true;
}

void kg_gpu_copy(struct kg_arena *arena, const struct kg_gpu *gpu, struct kg_gpu *into)
{
    *into = *gpu;
    into->name = kg_arena_keep(arena, gpu->name);
    into->uuid = kg_arena_keep(arena, gpu->uuid);
    into->compute_capability = kg_arena_keep(arena, gpu->compute_capability);
    into->pci_bus_id = kg_arena_keep(arena, gpu->pci_bus_id);
    into->ecc = kg_arena_keep(arena, gpu->ecc);
    into->mig = kg_arena_keep(arena, gpu->mig);
    into->compute_mode = kg_arena_keep(arena, gpu->compute_mode);
    into->problem = kg_arena_keep(arena, gpu->problem);
}
