#include "why/evidence/facts.h"

#include <math.h>
#include <string.h>

const char *const kg_operation_kind_names[3] = {"case", "scope", NULL};

#define FACT(member, unit, words)                                                                  \
    {                                                                                              \
#member, unit, offsetof(struct kg_facts, member), words                                    \
    }
const struct kg_trait kg_fact_table[] = {
    FACT(whole_ns, KG_TRAIT_NS, "time of the whole around it"),
    FACT(scheduler_wait_ns, KG_TRAIT_NS, "time waiting for a CPU"),
    FACT(whole_cores_busy, KG_TRAIT_COUNT, "cores busy in the whole around it"),
    FACT(machine_cores, KG_TRAIT_COUNT, "CPUs of the machine"),
    FACT(vector_lanes, KG_TRAIT_COUNT, "throughput of vector over scalar arithmetic here"),
    FACT(thread_scaling, KG_TRAIT_COUNT, "throughput of all threads over one"),
    FACT(clock_hz, KG_TRAIT_COUNT, "clock of a core in Hz"),
    FACT(fork_join_ns, KG_TRAIT_NS, "time of an empty parallel region here"),
    FACT(barrier_ns, KG_TRAIT_NS, "time of a barrier of all threads here"),
    FACT(page_fault_ns, KG_TRAIT_NS, "time of the first touch of a page here"),
    FACT(memory_ceiling_bytes_per_s, KG_TRAIT_BYTES_PER_S, "peak bandwidth of memory"),
    FACT(gpu_launch_ns, KG_TRAIT_NS, "time of an empty kernel here"),
    FACT(gpu_memory_bytes, KG_TRAIT_BYTES, "memory of the GPU"),
    FACT(gpu_roof_ns, KG_TRAIT_NS, "roofline minimum on the GPU"),
    FACT(other_device_ns, KG_TRAIT_NS, "time on the other device"),
    FACT(other_transfer_ns, KG_TRAIT_NS, "transfers on the other device"),
    FACT(faster_version_ns, KG_TRAIT_NS, "time of the fastest version"),
    FACT(sweep_points, KG_TRAIT_COUNT, "sizes in the sweep"),
    FACT(time_growth, KG_TRAIT_COUNT, "exponent of time over work"),
    FACT(log_growth, KG_TRAIT_COUNT, "exponent of n log n over work"),
    FACT(work_growth, KG_TRAIT_COUNT, "exponent of work over the parameter"),
    FACT(bytes_growth, KG_TRAIT_COUNT, "exponent of the data over the parameter"),
    FACT(memory_growth, KG_TRAIT_COUNT, "exponent of peak memory over the parameter"),
    FACT(linear_ns, KG_TRAIT_NS, "time if it had grown as n log n"),
    FACT(linear_bytes, KG_TRAIT_BYTES, "peak memory without its quadratic part"),
    FACT(fixed_ns, KG_TRAIT_NS, "fixed part of a call"),
    FACT(largest_ns, KG_TRAIT_NS, "time at the largest size"),
    FACT(calls, KG_TRAIT_COUNT, "calls"),
    FACT(call_ns, KG_TRAIT_NS, "time of one call"),
    FACT(between_ns, KG_TRAIT_NS, "time between its calls"),
    FACT(leaf_calls, KG_TRAIT_COUNT, "recorded calls"),
    FACT(max_ns, KG_TRAIT_NS, "slowest call"),
    FACT(p99_ns, KG_TRAIT_NS, "99th percentile of its calls"),
    FACT(held_bytes, KG_TRAIT_BYTES, "memory that it holds"),
    FACT(self_ns, KG_TRAIT_NS, "time outside of its inner scopes"),
    FACT(whole_roof_ns, KG_TRAIT_NS, "roofline minimum of the whole"),
    FACT(self_share, KG_TRAIT_SHARE, "of the whole, outside of its inner scopes"),
    FACT(parallel_count, KG_TRAIT_COUNT, "parallel regions"),
    FACT(parallel_ns, KG_TRAIT_NS, "time of starting and joining threads"),
    FACT(wait_count, KG_TRAIT_COUNT, "waits"),
    FACT(wait_ns, KG_TRAIT_NS, "time in waits"),
    FACT(scope_threads, KG_TRAIT_COUNT, "threads with scopes"),
    FACT(imbalance, KG_TRAIT_COUNT, "busiest thread over an even share"),
    FACT(imbalance_ns, KG_TRAIT_NS, "time that an even share would save"),
    FACT(thread_busy_ns, KG_TRAIT_NS, "work of all threads together"),
    FACT(fusible_count, KG_TRAIT_COUNT, "passes over memory in sequence"),
    FACT(fusible_ns, KG_TRAIT_NS, "time of these passes"),
    FACT(fused_bytes, KG_TRAIT_BYTES, "bytes moved by the largest pass"),
    FACT(separate_bytes, KG_TRAIT_BYTES, "bytes moved by all passes"),
};
const size_t kg_fact_count = sizeof kg_fact_table / sizeof kg_fact_table[0];

/* A hundred rules look up facts for each case. Most names differ in their first letter, so it is
 * compared first. */
static bool is_name(const char *a, const char *b)
{
    return *a == *b && !strcmp(a, b);
}

bool kg_fact_find(const char *name, struct kg_trait *fact)
{
    for (size_t i = 0; i < kg_fact_count; i++)
        if (is_name(kg_fact_table[i].name, name)) {
            *fact = kg_fact_table[i];
            return true;
        }
    for (size_t i = 0; i < kg_trait_count; i++)
        if (is_name(kg_trait_table[i].name, name)) {
            *fact = kg_trait_table[i];
            fact->offset += offsetof(struct kg_facts, traits);
            return true;
        }
    return false;
}

double kg_fact_get(const struct kg_facts *facts, const struct kg_trait *fact)
{
    double value;
    memcpy(&value, (const char *)facts + fact->offset, sizeof value);
    return value;
}

void kg_facts_clear(struct kg_facts *facts)
{
    const double unknown = NAN;
    *facts = (struct kg_facts){.kind = KG_OPERATION_CASE};
    kg_traits_clear(&facts->traits);
    for (size_t i = 0; i < kg_fact_count; i++)
        memcpy((char *)facts + kg_fact_table[i].offset, &unknown, sizeof unknown);
}

bool kg_known(double value)
{
    return isfinite(value) && value > 0;
}

double kg_facts_call_ns(const struct kg_facts *facts)
{
    const struct kg_traits *traits = &facts->traits;
    const bool cuda = facts->device && !strcmp(facts->device, "cuda");
    if (!cuda || facts->kind != KG_OPERATION_CASE)
        return traits->time_ns;
    /* an unknown transfer time means no transfers */
    const double transfer_ns = isnan(traits->transfer_ns) ? 0 : traits->transfer_ns;
    const bool sound = traits->gpu_ns >= 0 && transfer_ns >= 0 && traits->overhead_ns >= 0;
    return sound ? traits->gpu_ns + transfer_ns + traits->overhead_ns : NAN;
}
