#include "why/rules/rule_parts.h"

/* --- Calls of a scope --- */

/* Time between the calls lies in no scope: the calls' own time does not include it. */
static double batch_calls_current(const struct kg_facts *facts)
{
    return facts->traits.time_ns + facts->between_ns;
}

static bool batch_calls_applies(const struct kg_facts *facts,
                                const struct kg_suggest_settings *settings)
{
    return kg_at_least(facts->calls, (double)settings->batch_calls) &&
           kg_known(facts->between_ns) &&
           kg_at_least(facts->between_ns, settings->gap_share * batch_calls_current(facts));
}

static double batch_calls_estimate(const struct kg_facts *facts,
                                   const struct kg_suggest_settings *settings)
{
    (void)settings;
    return facts->traits.time_ns + facts->between_ns / facts->calls;
}

/* No measurement shows whether the inputs repeat. The rule excludes scopes that differ in each
 * call: scopes with data of their own, and one thread's part of shared work. It excludes scopes
 * that wait, which compute nothing. */
static bool cache_results_applies(const struct kg_facts *facts,
                                  const struct kg_suggest_settings *settings)
{
    const struct kg_traits *traits = &facts->traits;
    return kg_at_least(facts->calls, (double)settings->cache_calls) && kg_known(facts->call_ns) &&
           kg_under(facts->call_ns, settings->small_call_ns) && !kg_known(traits->bytes) &&
           !kg_at_least(facts->scope_threads, 2) &&
           !kg_under(traits->cpu_ns, settings->utilization * traits->time_ns) &&
           !kg_under(facts->whole_cores_busy, settings->utilization);
}

static double cache_results_estimate(const struct kg_facts *facts,
                                     const struct kg_suggest_settings *settings)
{
    (void)settings;
    return facts->traits.time_ns / facts->calls;
}

/* --- Parts of a whole --- */

/* A scope with nearly all of its whole's time adds no information. */
static const double ALONE_SHARE = 0.98;

static bool dominant_part_applies(const struct kg_facts *facts,
                                  const struct kg_suggest_settings *settings)
{
    return kg_on_device(facts, "cpu") && kg_at_least(facts->self_share, settings->bound_share) &&
           kg_under(facts->self_share, ALONE_SHARE);
}

/* By Amdahl's law, all of the scope's own time can go away except the largest of three parts: 2
 * %, the minimum of its roofline, and its share of the whole's roofline. */
static double dominant_part_estimate(const struct kg_facts *facts,
                                     const struct kg_suggest_settings *settings)
{
    const double part_ns =
        kg_known_or_zero(facts->whole_roof_ns) * facts->self_share / settings->attainable;
    const double left_ns =
        fmax(fmax((1 - ALONE_SHARE) * facts->self_ns, part_ns), kg_attainable_ns(facts, settings));
    return facts->traits.time_ns - facts->self_ns + fmin(left_ns, facts->self_ns);
}

/* --- Threads that start, and wait --- */

bool kg_parallel_regions_applies(const struct kg_facts *facts,
                                 const struct kg_suggest_settings *settings)
{
    return kg_at_least(facts->parallel_count, (double)settings->batch_calls) &&
           kg_known(facts->parallel_ns) &&
           kg_at_least(facts->parallel_ns, settings->gap_share * facts->traits.time_ns);
}

static double parallel_regions_estimate(const struct kg_facts *facts,
                                        const struct kg_suggest_settings *settings)
{
    (void)settings;
    return facts->traits.time_ns - facts->parallel_ns * (1 - 1 / facts->parallel_count);
}

/* Time spent waiting, less the part that an uneven share explains. Fewer waits would not save
 * that part. */
static double idle_waiting(const struct kg_facts *facts)
{
    return facts->wait_ns - kg_known_or_zero(facts->imbalance_ns);
}

static bool synchronisation_applies(const struct kg_facts *facts,
                                    const struct kg_suggest_settings *settings)
{
    return kg_at_least(facts->wait_count, (double)settings->batch_calls) &&
           kg_known(idle_waiting(facts)) &&
           kg_at_least(idle_waiting(facts), settings->wait_share * facts->traits.time_ns);
}

static double synchronisation_estimate(const struct kg_facts *facts,
                                       const struct kg_suggest_settings *settings)
{
    (void)settings;
    return facts->traits.time_ns - idle_waiting(facts) * (1 - 1 / facts->wait_count);
}

/* --- Fresh memory --- */

/* Threads touch fresh pages at the same time: the cost is shared among the busy cores. */
double kg_faulting_ns(const struct kg_facts *facts)
{
    const double cores = facts->traits.cores_busy;
    return facts->traits.page_faults * facts->page_fault_ns / (kg_at_least(cores, 1) ? cores : 1);
}

bool kg_page_faults_applies(const struct kg_facts *facts,
                            const struct kg_suggest_settings *settings)
{
    return kg_on_device(facts, "cpu") && kg_known(facts->traits.page_faults) &&
           kg_known(facts->page_fault_ns) && kg_known(kg_faulting_ns(facts)) &&
           kg_at_least(kg_faulting_ns(facts), settings->min_gain * facts->traits.time_ns);
}

/* The cost of a fault varies: the product of faults and cost can exceed the call's whole time.
 * So the estimate is at least min_gain of the call's time. */
static double page_faults_estimate(const struct kg_facts *facts,
                                   const struct kg_suggest_settings *settings)
{
    const double time_ns = facts->traits.time_ns;
    return fmax(fmax(time_ns - kg_faulting_ns(facts), settings->min_gain * time_ns),
                kg_attainable_ns(facts, settings));
}

/* --- The rules --- */

static const struct kg_rule rules[] = {
    {
        .name = "batch_calls",
        .applies = batch_calls_applies,
        .estimate_ns = batch_calls_estimate,
        .type = KG_TYPE_BATCHING,
        .priority = KG_PRIORITY_HIGH,
        .basis = KG_BASIS_MODELLED,
        .scopes = true,
        .current_ns = batch_calls_current,
        .description = "The program calls it {calls} times in a row, and spends {between_ns} "
                       "between these calls in no other named scope.",
        .hint = "Make one call that does all of them: pass an array instead of an element. Then "
                "checks, locks, allocations and look-ups happen once.",
        .evidence = {"calls", "between_ns", "call_ns", "time_ns"},
        .when = "`batch_calls` calls of a scope per call of the scope around it; the time between "
                "them is `gap_share` of calls and gaps together",
        .assumes = "the time between calls is spent once",
    },
    {
        .name = "cache_results",
        .applies = cache_results_applies,
        .estimate_ns = cache_results_estimate,
        .type = KG_TYPE_CACHING,
        .priority = KG_PRIORITY_MEDIUM,
        .basis = KG_BASIS_AT_MOST,
        .scopes = true,
        .description = "The program calls it {calls} times, {call_ns} each. If its inputs repeat, "
                       "it computes the same results again and again.",
        .hint = "Keep the result of each different input: in a table filled once before the loop, "
                "or in a small hash table in front of the function.",
        .evidence = {"calls", "call_ns", "time_ns"},
        .when = "`cache_calls` calls of a scope per call of the scope around it, each under "
                "`small_call`; it names no bytes, runs on one thread, and keeps its CPU busy "
                "(`utilization`)",
        .assumes = "all calls except one use stored results; kgate does not check the inputs",
    },
    {
        .name = "dominant_part",
        .applies = dominant_part_applies,
        .estimate_ns = dominant_part_estimate,
        .type = KG_TYPE_ALGORITHM,
        .priority = KG_PRIORITY_MEDIUM,
        .basis = KG_BASIS_AT_MOST,
        .last = true,
        .scopes = true,
        .description = "{self_share} of `{whole}` is in this scope itself. This share limits the "
                       "gain of all other changes.",
        .hint = "Begin here: measure it as a case of its own to get its hottest lines, or add "
                "scopes for its steps.",
        .before = "{ KGATE_SCOPE(\"scores\"); multiply(q, k); mask(s); }",
        .after =
            "{ KGATE_SCOPE(\"multiply\"); multiply(q, k); } { KGATE_SCOPE(\"mask\"); mask(s); }",
        .evidence = {"self_ns", "self_share", "calls", "time_ns"},
        .when = "a scope that neither waits nor starts threads takes `bound_share` to 98 % of its "
                "whole itself",
        .assumes = "all of that time is saved, except the largest of a fiftieth, its roofline "
                   "minimum and its part of the whole's; ranked last",
    },
    {
        .name = "parallel_regions",
        .applies = kg_parallel_regions_applies,
        .estimate_ns = parallel_regions_estimate,
        .type = KG_TYPE_BATCHING,
        .priority = KG_PRIORITY_CRITICAL,
        .basis = KG_BASIS_MODELLED,
        .description = "{parallel_count} parallel regions per call spend {parallel_ns} on starting "
                       "and joining their threads.",
        .hint =
            "Open one region (`#pragma omp parallel`) around the loop and share the work inside "
            "(`#pragma omp for nowait`), or fuse the loops.",
        .evidence = {"parallel_ns", "parallel_count", "time_ns", "fork_join_ns"},
        .when = "a profile shows `batch_calls` parallel regions; their time outside of scopes is "
                "`gap_share` of the time; at most their CPU time, and 100 us or 50 empty regions "
                "each",
        .assumes = "the cost of one region is left",
    },
    {
        .name = "synchronisation",
        .applies = synchronisation_applies,
        .estimate_ns = synchronisation_estimate,
        .type = KG_TYPE_BATCHING,
        .priority = KG_PRIORITY_CRITICAL,
        .basis = KG_BASIS_MODELLED,
        .description = "{wait_count} waits per call take {wait_ns} of {time_ns}.",
        .hint = "Wait once at the end. Keep partial results per thread and add them up afterwards; "
                "leave out barriers between loops that touch different data (`nowait`). On the "
                "GPU, order work by streams and events instead of cudaDeviceSynchronize.",
        .evidence = {"wait_ns", "wait_count", "time_ns", "imbalance_ns", "barrier_ns"},
        .when = "a profile shows `batch_calls` waits; without imbalance they take `wait_share` of "
                "the time",
        .assumes = "the cost of one wait and the waits by imbalance are left",
    },
    {
        .name = "page_faults",
        .applies = kg_page_faults_applies,
        .estimate_ns = page_faults_estimate,
        .type = KG_TYPE_MEMORY,
        .priority = KG_PRIORITY_HIGH,
        .basis = KG_BASIS_MODELLED,
        .cause_words = "This time goes to fresh memory from the kernel.",
        .cause = KG_CAUSE_PAGE_FAULTS,
        .bound = KG_BOUND_SYSTEM,
        .experiment = "kept_memory",
        .experiment_words = "memory kept by malloc",
        .before = "char *p = malloc(64 << 20); use(p); free(p);",
        .after = "static char *p; if (!p) p = malloc(64 << 20); use(p);",
        .description = "Each call touches {page_faults} pages for the first time, {page_fault_ns} "
                       "each.",
        .hint = "Allocate buffers once and use them again. If that is impossible, keep freed "
                "memory (`mallopt(M_MMAP_THRESHOLD, …)`, `M_TRIM_THRESHOLD`) or ask for huge pages "
                "(`madvise(…, MADV_HUGEPAGE)`).",
        .sketches =
            (const struct kg_sketch[]){
                {KG_BY_CALL, "mmap|munmap|mremap", NULL,
                 "for (...) { p = mmap(NULL, n, ...); use(p); munmap(p, n); }",
                 "p = mmap(NULL, n, ...); for (...) use(p); munmap(p, n);"},
                {KG_BY_CALL, "madvise",
                 "Give pages back when the work is done, not in each "
                 "iteration.",
                 "for (...) { use(p); madvise(p, n, MADV_DONTNEED); }",
                 "for (...) use(p); madvise(p, n, MADV_DONTNEED);"},
                {KG_BY_CALL, "mprotect", "Change the protection once for a group of writes.",
                 "for (...) { mprotect(p, n, PROT_WRITE); p[i] = x; mprotect(p, n, PROT_READ); }",
                 "mprotect(p, n, PROT_WRITE); for (...) p[i] = x; mprotect(p, n, PROT_READ);"},
                {0}},
        .evidence = {"page_faults", "page_fault_ns", "time_ns", "cores_busy"},
        .when = "page faults, at the measured cost of one, take `min_gain` of the time; or an "
                "experiment gains as much with a malloc that keeps its memory",
        .assumes = "no page is touched for the first time; roofline",
    },
};
const struct kg_rule_family kg_rules_calls = {rules, sizeof rules / sizeof rules[0]};
