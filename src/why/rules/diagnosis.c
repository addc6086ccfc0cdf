#include "why/rules/diagnosis.h"

#include <math.h>
#include <string.h>

#include "why/rules/rule_parts.h"

const char *const kg_bound_names[KG_BOUND_COUNT + 1] = {
    "unknown",        "memory-bound",          "compute-bound", "latency-bound", "launch-bound",
    "transfer-bound", "synchronisation-bound", "system-bound",  "waiting",       NULL};

/* --- Shares of the time, or of a peak, that support a bound; NaN: unknown -------------------- */

static double of_time(const struct kg_facts *facts, double ns)
{
    return ns / facts->traits.time_ns;
}

static double of_call(const struct kg_facts *facts, double ns)
{
    return kg_on_device(facts, "cuda") ? ns / kg_facts_call_ns(facts) : NAN;
}

static double transfers(const struct kg_facts *facts, const struct kg_suggest_settings *settings)
{
    (void)settings;
    return of_call(facts, facts->traits.transfer_ns);
}

static double launches(const struct kg_facts *facts, const struct kg_suggest_settings *settings)
{
    (void)settings;
    return of_call(facts, facts->traits.overhead_ns);
}

static double regions(const struct kg_facts *facts, const struct kg_suggest_settings *settings)
{
    return kg_parallel_regions_applies(facts, settings) ? of_time(facts, facts->parallel_ns) : NAN;
}

/* A parallel region starts fast. So if there are few, their time outside of scopes is a wait for
 * the slowest thread. This needs scopes in the threads and CPUs that no other program took. */
static double joins(const struct kg_facts *facts, const struct kg_suggest_settings *settings)
{
    return kg_under(facts->parallel_count, (double)settings->batch_calls) &&
                   kg_at_least(facts->scope_threads, 2) && !kg_cpus_taken(facts, settings)
               ? of_time(facts, facts->parallel_ns)
               : NAN;
}

static double fixed_part(const struct kg_facts *facts, const struct kg_suggest_settings *settings)
{
    (void)settings;
    return of_time(facts, facts->fixed_ns);
}

static double waits(const struct kg_facts *facts, const struct kg_suggest_settings *settings)
{
    (void)settings;
    return of_time(facts, facts->wait_ns);
}

static double uneven(const struct kg_facts *facts, const struct kg_suggest_settings *settings)
{
    return kg_load_imbalance_applies(facts, settings) ? of_time(facts, facts->imbalance_ns) : NAN;
}

/* Threads that write to one line wait for it. */
static double shared_lines(const struct kg_facts *facts, const struct kg_suggest_settings *settings)
{
    if (!kg_false_sharing_applies(facts, settings))
        return NAN;
    return 1 - kg_shared_work_ns(facts) / kg_threads_spend_ns(facts);
}

static double idle(const struct kg_facts *facts, const struct kg_suggest_settings *settings)
{
    return kg_idle_cpu_applies(facts, settings) ? of_time(facts, kg_idle_ns(facts)) : NAN;
}

static double bandwidth(const struct kg_facts *facts, const struct kg_suggest_settings *settings)
{
    (void)settings;
    return facts->traits.bandwidth_share;
}

/* A core at its arithmetic peak does not wait for lines. */
static double lines(const struct kg_facts *facts, const struct kg_suggest_settings *settings)
{
    if (kg_at_least(facts->traits.flops_share, settings->bound_share))
        return NAN;
    return kg_moving_share(facts, kg_lines_brought(facts, settings)) *
           kg_running_share(facts, settings);
}

static double pages(const struct kg_facts *facts, const struct kg_suggest_settings *settings)
{
    return kg_page_faults_applies(facts, settings) ? of_time(facts, kg_faulting_ns(facts)) : NAN;
}

static double arithmetic(const struct kg_facts *facts, const struct kg_suggest_settings *settings)
{
    (void)settings;
    return facts->traits.flops_share;
}

/* Share of the peak of scalar instructions, if most instructions are scalar. */
static double scalar(const struct kg_facts *facts, const struct kg_suggest_settings *settings)
{
    return kg_under(facts->traits.flops_per_instruction, 1) && !kg_threads_wait(facts, settings)
               ? facts->traits.flops_share * facts->vector_lanes
               : NAN;
}

/* Spinning threads retire instructions too, so their rate says nothing. A waiting process
 * retires none. */
static double instructions(const struct kg_facts *facts, const struct kg_suggest_settings *settings)
{
    return kg_known(facts->traits.instructions_per_cycle) && !kg_threads_wait(facts, settings)
               ? fmin(kg_instructions_per_cycle(facts) / KG_ISSUE_WIDTH, 1) *
                     kg_running_share(facts, settings)
               : NAN;
}

/* --- The sign with the largest share --- */

enum { EVIDENCE_MOST = 6 };

/* A core at its memory or arithmetic peak retires many instructions too. So instructions count
 * only if no peak is near. */
enum nearness { ANYWHERE, AT_ROOF, UNDER_ROOFS };

/* A share that supports a bound if it reaches a threshold of the suite. */
struct sign {
    enum kg_bound bound;
    enum nearness nearness;
    size_t threshold; /* offset in the settings */
    double (*share)(const struct kg_facts *facts, const struct kg_suggest_settings *settings);
    const char *evidence[EVIDENCE_MOST];
};

#define FROM(member) offsetof(struct kg_suggest_settings, member)
/* Of two equal shares the first row wins. Rows AT_ROOF precede rows UNDER_ROOFS. */
static const struct sign signs[] = {
    {KG_BOUND_TRANSFER,
     ANYWHERE,
     FROM(wait_share),
     transfers,
     {"transfer_ns", "gpu_ns", "overhead_ns"}},
    {KG_BOUND_LAUNCH,
     ANYWHERE,
     FROM(gap_share),
     launches,
     {"overhead_ns", "gpu_ns", "launches", "gap_ns"}},
    {KG_BOUND_SYNCHRONISATION, ANYWHERE, FROM(wait_share), waits, {"wait_ns", "wait_count"}},
    {KG_BOUND_SYNCHRONISATION,
     ANYWHERE,
     FROM(wait_share),
     uneven,
     {"imbalance", "imbalance_ns", "scope_threads"}},
    {KG_BOUND_SYNCHRONISATION,
     ANYWHERE,
     FROM(wait_share),
     shared_lines,
     {"thread_busy_ns", "alone_ns", "threads"}},
    {KG_BOUND_SYNCHRONISATION,
     ANYWHERE,
     FROM(wait_share),
     joins,
     {"parallel_ns", "parallel_count"}},
    {KG_BOUND_LAUNCH, ANYWHERE, FROM(gap_share), regions, {"parallel_ns", "parallel_count"}},
    {KG_BOUND_LAUNCH, ANYWHERE, FROM(gap_share), fixed_part, {"fixed_ns", "sweep_points"}},
    {KG_BOUND_LATENCY, ANYWHERE, FROM(wait_share), idle, {"cores_busy", "cpu_ns", "waits"}},
    {KG_BOUND_MEMORY,
     AT_ROOF,
     FROM(bound_share),
     bandwidth,
     {"bandwidth_share", "level", "intensity", "ridge"}},
    {KG_BOUND_MEMORY,
     AT_ROOF,
     FROM(bound_share),
     lines,
     {"line_bytes", "memory_line_bytes", "bytes", "level"}},
    {KG_BOUND_MEMORY, ANYWHERE, FROM(bound_share), pages, {"page_faults", "page_fault_ns"}},
    {KG_BOUND_COMPUTE,
     AT_ROOF,
     FROM(bound_share),
     arithmetic,
     {"flops_share", "intensity", "ridge"}},
    {KG_BOUND_COMPUTE,
     UNDER_ROOFS,
     FROM(bound_share),
     scalar,
     {"flops_share", "flops_per_instruction"}},
    {KG_BOUND_COMPUTE,
     UNDER_ROOFS,
     FROM(bound_share),
     instructions,
     {"instructions_per_cycle", "flops_share"}},
};

static double threshold_of(const struct sign *sign, const struct kg_suggest_settings *settings)
{
    double value;
    memcpy(&value, (const char *)settings + sign->threshold, sizeof value);
    return value;
}

/* The sign with the largest share, stored in `most`. NULL: none reaches its threshold. */
static const struct sign *loudest_of(const struct kg_facts *facts,
                                     const struct kg_suggest_settings *settings, double *most)
{
    const struct sign *loudest = NULL;
    bool at_roof = false;
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
        const struct sign *sign = &signs[i];
        const double share = sign->share(facts, settings);
        if (!kg_at_least(share, threshold_of(sign, settings)) ||
            (sign->nearness == UNDER_ROOFS && at_roof))
            continue;
        at_roof = at_roof || sign->nearness == AT_ROOF;
        if (!loudest || share > *most) {
            loudest = sign;
            *most = fmin(share, 1);
        }
    }
    return loudest;
}

static void conclude(enum kg_bound bound, double share, const char *const *evidence,
                     struct kg_diagnosis *diagnosis)
{
    diagnosis->bound = bound;
    diagnosis->share = fmin(share, 1);
    memcpy(diagnosis->evidence, evidence, sizeof diagnosis->evidence);
}

/* --- Neither --- */

/* Whether all work of a call was compared with a peak: the rest is then waiting for single loads
 * and results. On the CPU the rate of instructions must be known too, because integer work has
 * no peak. */
static bool is_latency(const struct kg_facts *facts)
{
    const struct kg_traits *traits = &facts->traits;
    const bool moving = kg_known(traits->bandwidth_share);
    const bool computing = kg_known(traits->flops_share);
    if (!kg_on_device(facts, "cpu"))
        return kg_on_device(facts, "cuda") && (moving || computing) &&
               moving == kg_known(traits->bytes) && computing == kg_known(traits->flops);
    return (moving || computing) && kg_known(traits->instructions_per_cycle);
}

static const char *missing_of(const struct kg_facts *facts)
{
    const struct kg_traits *traits = &facts->traits;
    if (facts->kind == KG_OPERATION_SCOPE)
        return "state the bytes of the scopes (KGATE_SCOPE_ON), and mark waits and thread starts "
               "(kgate/profiler.h).";
    if (!kg_known(traits->bytes) && !kg_known(traits->flops))
        return "the work of a call is unknown: let the workload state its bytes and flops, or "
               "record a profile: `kgate run --profile`.";
    if (!kg_known(traits->bandwidth_share) && !kg_known(traits->flops_share))
        return "these results have no peak to compare with; measure with `trace: yes`, and let the "
               "workload state the kind of its arithmetic.";
    if (kg_on_device(facts, "cuda"))
        return "a part of the work has no peak to compare with: let the workload state its bytes, "
               "its flops and the kind of its arithmetic.";
    if (!kg_known(traits->instructions))
        return "far below all peaks; count instructions: `metrics: [time, peak_memory, "
               "instructions]`, and record a profile: `kgate run --profile`.";
    return "far below all peaks; record a profile: `kgate run --profile`, or measure with "
           "`threads: 1`.";
}

void kg_diagnose(const struct kg_facts *facts, const struct kg_suggest_settings *settings,
                 struct kg_diagnosis *diagnosis)
{
    static const char *const roofs[EVIDENCE_MOST] = {"bandwidth_share", "flops_share",
                                                     "instructions_per_cycle", "occupancy"};
    const struct sign *loudest = NULL;
    double most = NAN;
    *diagnosis = (struct kg_diagnosis){.bound = KG_BOUND_UNKNOWN, .share = NAN};
    if (kg_known(facts->traits.time_ns))
        loudest = loudest_of(facts, settings, &most);
    if (loudest)
        conclude(loudest->bound, most, loudest->evidence, diagnosis);
    else if (kg_known(facts->traits.time_ns) && is_latency(facts))
        conclude(KG_BOUND_LATENCY,
                 fmax(fmax(facts->traits.bandwidth_share, facts->traits.flops_share),
                      instructions(facts, settings)),
                 roofs, diagnosis);
    else
        diagnosis->missing = missing_of(facts);
}
