/* traits_table.c: the features ("traits") of a case as rows, and their numbers as text. */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "model/traits.h"

const char *const kg_trait_unit_names[8] = {
    [KG_TRAIT_NS] = "ns",
    [KG_TRAIT_BYTES] = "bytes",
    [KG_TRAIT_BYTES_PER_S] = "bytes/s",
    [KG_TRAIT_FLOPS_PER_S] = "flops/s",
    [KG_TRAIT_SHARE] = "share",
    [KG_TRAIT_COUNT] = "",
    [KG_TRAIT_LEVEL] = "level",
    NULL,
};

#define TRAIT(member, unit, words)                                                                 \
    {                                                                                              \
#member, KG_TRAIT_##unit, offsetof(struct kg_traits, member), words                        \
    }
const struct kg_trait kg_trait_table[] = {
    TRAIT(time_ns, NS, "time"),
    TRAIT(cpu_ns, NS, "CPU time of all threads"),
    TRAIT(kernel_ns, NS, "CPU time in the kernel"),
    TRAIT(threads, COUNT, "threads"),
    TRAIT(cores_busy, COUNT, "cores busy"),
    TRAIT(alone_ns, NS, "time with one thread"),
    TRAIT(page_faults, COUNT, "page faults"),
    TRAIT(waits, COUNT, "waits of threads"),
    TRAIT(preempted, COUNT, "CPUs lost to other programs"),
    TRAIT(items, COUNT, "items"),
    TRAIT(bytes, BYTES, "bytes that the work moves"),
    TRAIT(flops, COUNT, "floating-point operations"),
    TRAIT(bytes_per_s, BYTES_PER_S, "bandwidth"),
    TRAIT(flops_per_s, FLOPS_PER_S, "arithmetic"),
    TRAIT(intensity, COUNT, "operations per byte"),
    TRAIT(working_set_bytes, BYTES, "working set"),
    TRAIT(level, LEVEL, "level of the working set"),
    TRAIT(bandwidth_ceiling_bytes_per_s, BYTES_PER_S, "peak bandwidth"),
    TRAIT(flops_ceiling_per_s, FLOPS_PER_S, "peak arithmetic rate"),
    TRAIT(ridge, COUNT, "ridge point"),
    TRAIT(bandwidth_share, SHARE, "of the peak bandwidth"),
    TRAIT(flops_share, SHARE, "of the peak arithmetic rate"),
    TRAIT(roof_ns, NS, "least time at the peaks"),
    TRAIT(instructions, COUNT, "instructions"),
    TRAIT(instructions_per_cycle, COUNT, "instructions per cycle"),
    TRAIT(flops_per_instruction, COUNT, "operations per instruction"),
    TRAIT(line_bytes, BYTES, "cache lines brought in"),
    TRAIT(memory_line_bytes, BYTES, "moved from and to memory"),
    TRAIT(peak_bytes, BYTES, "peak memory"),
    TRAIT(allocated_bytes, BYTES, "allocated memory"),
    TRAIT(gpu_ns, NS, "GPU time"),
    TRAIT(transfer_ns, NS, "transfers between host and device"),
    TRAIT(hidden_ns, NS, "transfers hidden by kernels"),
    TRAIT(overhead_ns, NS, "launching and waiting"),
    TRAIT(gap_ns, NS, "idle time of the GPU"),
    TRAIT(launch_ns, NS, "host time for launches"),
    TRAIT(launches, COUNT, "kernels launched"),
    TRAIT(to_device_bytes, BYTES, "copied to the device"),
    TRAIT(to_host_bytes, BYTES, "copied to the host"),
    TRAIT(pageable_bytes, BYTES, "copies with pageable memory"),
    TRAIT(main_kernel_ns, NS, "time of the main kernel"),
    TRAIT(occupancy, SHARE, "occupancy of the main kernel"),
    TRAIT(waves, COUNT, "waves of the main kernel's blocks"),
    TRAIT(local_bytes, BYTES, "local memory of the main kernel's threads"),
};
const size_t kg_trait_count = sizeof kg_trait_table / sizeof *kg_trait_table;

double kg_trait_get(const struct kg_traits *traits, const struct kg_trait *trait)
{
    double value;
    memcpy(&value, (const char *)traits + trait->offset, sizeof value);
    return value;
}

void kg_trait_set(struct kg_traits *traits, const struct kg_trait *trait, double value)
{
    memcpy((char *)traits + trait->offset, &value, sizeof value);
}

void kg_traits_clear(struct kg_traits *traits)
{
    for (size_t i = 0; i < kg_trait_count; i++)
        kg_trait_set(traits, &kg_trait_table[i], NAN);
}

static void share_format(double share, struct kg_text *text)
{
    const double percent = 100 * share, size = fabs(percent);
    kg_text_printf(text,
                   size == 0      ? "%.0f %%"
                   : size < 0.995 ? "%.2g %%"
                   : size < 9.95  ? "%.1f %%"
                                  : "%.0f %%",
                   percent);
}

/* A whole number is printed in full if a reader can take it in at a glance. */
static void count_format(double count, struct kg_text *text)
{
    char buffer[KG_UNIT_BYTES];
    if (fabs(count) < 10000 && count == rint(count))
        kg_text_printf(text, "%.0f", count + 0.0);
    else
        kg_text_append(text, kg_rate_format(count, buffer));
}

static void level_format(double level, struct kg_text *text)
{
    for (int i = 0; i < KG_LEVEL_COUNT; i++)
        if (level == i) {
            kg_text_append(text, kg_level_names[i]);
            return;
        }
    kg_text_append(text, "-");
}

/* "12.4 G" and "B/s" are "12.4 GB/s"; "124" and "B/s" are "124 B/s". */
static void rate_format(double rate, const char *unit, struct kg_text *text)
{
    char buffer[KG_UNIT_BYTES];
    kg_rate_format(rate, buffer);
    kg_text_printf(text, "%s%s%s", buffer, strchr(buffer, ' ') ? "" : " ", unit);
}

void kg_trait_format(enum kg_trait_unit unit, double value, struct kg_text *text)
{
    char buffer[KG_UNIT_BYTES];
    if (!isfinite(value)) {
        kg_text_append(text, "-");
        return;
    }
    switch (unit) {
    case KG_TRAIT_NS:
        kg_text_append(text, kg_duration_format(value, buffer));
        break;
    case KG_TRAIT_BYTES:
        kg_text_append(text, kg_size_format(value, buffer));
        break;
    case KG_TRAIT_BYTES_PER_S:
        rate_format(value, "B/s", text);
        break;
    case KG_TRAIT_FLOPS_PER_S:
        rate_format(value, "flop/s", text);
        break;
    case KG_TRAIT_SHARE:
        share_format(value, text);
        break;
    case KG_TRAIT_COUNT:
        count_format(value, text);
        break;
    case KG_TRAIT_LEVEL:
        level_format(value, text);
        break;
    }
}
