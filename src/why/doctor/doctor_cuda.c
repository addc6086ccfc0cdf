/* Lists the CUDA devices in CUDA's order, and checks whether the chosen one is usable. */
#include "base/text.h"
#include "base/units.h"
#include "why/doctor/doctor.h"

/* Prints the known facts: "NVIDIA H100 80GB HBM3, 9.0, 132 multiprocessors, 80 GiB, ECC on,
 * GPU-…". */
static void facts_print(const struct kg_gpu *gpu, struct kg_text *text)
{
    char memory[KG_UNIT_BYTES];
    kg_text_printf(text, "%s, compute capability %s, %s", gpu->name, gpu->compute_capability,
                   kg_size_format((double)gpu->memory_bytes, memory));
    if (gpu->multiprocessors)
        kg_text_printf(text, ", %llu multiprocessors", (unsigned long long)gpu->multiprocessors);
    if (gpu->ecc)
        kg_text_printf(text, ", ECC %s", gpu->ecc);
    if (gpu->integrated)
        kg_text_append(text, ", shares the CPU's memory");
    kg_text_printf(text, ", %s", gpu->uuid);
}

static void device_judge(const struct kg_machine *machine, size_t index,
                         struct kg_findings *findings)
{
    const struct kg_gpu *gpu = &machine->gpus[index];
    const bool chosen = index == machine->gpu_chosen;
    const char *topic = kg_finding_text(findings, "cuda:%zu", index);
    struct kg_text facts = {0};
    facts_print(gpu, &facts);
    kg_finding_add(findings, KG_FINDING_GOOD, topic, NULL, "%s%s", kg_text_string(&facts),
                   chosen ? "; chosen" : "");
    kg_text_free(&facts);
    if (chosen && gpu->problem)
        kg_finding_add(findings, KG_FINDING_WARNING, topic,
                       "choose another device with --device; until then CUDA cases are skipped, or "
                       "fail by policy",
                       "cannot be used: %s", gpu->problem);
    else if (chosen && machine->cuda_code_missing)
        kg_finding_add(findings, KG_FINDING_WARNING, topic,
                       "build kgate with CMAKE_CUDA_ARCHITECTURES for it; until then only commands "
                       "can be measured on it",
                       "%s", machine->cuda_code_missing);
    else if (chosen)
        kg_finding_add(findings, KG_FINDING_GOOD, topic, NULL,
                       "kgate can create a context and allocate memory on it");
}

static void driver_judge(const struct kg_machine *machine, struct kg_findings *findings)
{
    char why[160], needed[80];
    const bool old = kg_machine_driver_old(machine, why, sizeof why, needed, sizeof needed);
    if (old)
        kg_finding_add(findings, KG_FINDING_WARNING, "CUDA",
                       kg_finding_text(findings,
                                       "install %s, or a kgate built with an older CUDA toolkit; "
                                       "until then only commands can be measured",
                                       needed),
                       "%s", why);
    else
        kg_finding_add(findings, KG_FINDING_GOOD, "CUDA", NULL, "driver %s for CUDA %s%s%s",
                       machine->nvidia_driver ? machine->nvidia_driver : "of unknown version",
                       machine->cuda_driver ? machine->cuda_driver : "of unknown version",
                       machine->cuda_toolkit ? ", kgate was built with " : "",
                       machine->cuda_toolkit ? machine->cuda_toolkit : "");
}

void kg_doctor_cuda(const struct kg_machine *machine, struct kg_findings *findings)
{
    if (!machine->gpu_count)
        kg_finding_add(findings, KG_FINDING_NOTE, "CUDA", NULL, "no device: %s",
                       machine->cuda_missing);
    else
        driver_judge(machine, findings);
    for (size_t i = 0; i < machine->gpu_count; i++)
        device_judge(machine, i, findings);
}
