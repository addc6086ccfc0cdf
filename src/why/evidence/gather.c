#include "why/evidence/gather.h"

#include <math.h>
#include <string.h>

#include "model/disturbance.h"
#include "model/suite.h"
#include "suite/suggest_overrides.h"
#include "why/evidence/scopes.h"
#include "why/rules/causes.h"
#include "why/rules/rule_parts.h"

void kg_suggest_settings_of(const struct kg_suggest_input *input,
                            struct kg_suggest_settings *settings)
{
    *settings = input->settings  ? *input->settings
                : input->results ? input->results->suggest
                                 : (struct kg_suggest_settings){0};
    kg_suggest_settings_complete(settings);
}

void kg_fact_words(const struct kg_trait *fact, double value, struct kg_text *text)
{
    if (!strncmp(fact->words, "of ", 3)) {
        kg_trait_format(fact->unit, value, text);
        kg_text_printf(text, " %s", fact->words);
    } else {
        kg_text_printf(text, "%s: ", fact->words);
        kg_trait_format(fact->unit, value, text);
    }
}

/* The better of two rates; unknown rates are ignored. */
static double faster(double a, double b)
{
    return fmax(kg_known(a) ? a : NAN, kg_known(b) ? b : NAN);
}

/* Least time of a case's work by the GPU's peaks: the longer of moving and computing. A part
 * counts only if its amount and its peak are known. */
static double gpu_roof(const struct kg_ceilings *ceilings, const struct kg_traits *traits)
{
    const double bandwidth = faster(ceilings->copy_bytes_per_s, ceilings->read_bytes_per_s);
    const double moving = kg_known(traits->bytes) ? traits->bytes / bandwidth * 1e9 : NAN;
    const double computing = kg_known(traits->flops) && kg_known(ceilings->fma_flops_per_s)
                                 ? traits->flops / ceilings->fma_flops_per_s * 1e9
                                 : NAN;
    return faster(moving, computing);
}

/* The largest measured scaling. Real work seldom needs all of a unit that two threads share, and
 * CPU contention makes a measurement too low. NaN: nothing was measured. */
static double thread_scaling(const struct kg_cpu_ceilings *cpu, double threads)
{
    const double scalar = kg_cpu_flops(cpu, false, threads) / kg_cpu_flops(cpu, false, 1);
    const double vectors = kg_cpu_flops(cpu, true, threads) / kg_cpu_flops(cpu, true, 1);
    const double l1 =
        kg_cpu_bandwidth(cpu, KG_LEVEL_L1, threads) / kg_cpu_bandwidth(cpu, KG_LEVEL_L1, 1);
    const double l2 =
        kg_cpu_bandwidth(cpu, KG_LEVEL_L2, threads) / kg_cpu_bandwidth(cpu, KG_LEVEL_L2, 1);
    return faster(faster(scalar, vectors), faster(l1, l2));
}

static void machine_facts(const struct kg_results *results, struct kg_facts *facts)
{
    const struct kg_cpu_ceilings *cpu = &results->cpu_ceilings;
    const struct kg_gpu *gpu = kg_machine_gpu(&results->machine);
    facts->machine_cores = results->machine.cpu_count ? (double)results->machine.cpu_count : NAN;
    /* more threads than CPUs do not run at once */
    if (facts->traits.threads > facts->machine_cores)
        facts->traits.threads = facts->machine_cores;
    const double threads =
        ceil(kg_known(facts->traits.threads) ? facts->traits.threads : facts->traits.cores_busy);
    if (kg_known(cpu->one.vector_flops_per_s) && kg_known(cpu->one.scalar_flops_per_s))
        facts->vector_lanes = cpu->one.vector_flops_per_s / cpu->one.scalar_flops_per_s;
    facts->thread_scaling = thread_scaling(cpu, threads);
    facts->clock_hz = cpu->clock_hz;
    facts->fork_join_ns = cpu->fork_join_ns;
    facts->barrier_ns = cpu->barrier_ns;
    facts->page_fault_ns = cpu->page_fault_ns;
    if (!strcmp(facts->device, "cpu") && kg_known(threads))
        facts->memory_ceiling_bytes_per_s = kg_cpu_bandwidth(cpu, KG_LEVEL_MEMORY, threads);
    facts->gpu_launch_ns = results->ceilings.launch_ns;
    facts->gpu_memory_bytes = gpu && gpu->memory_bytes ? (double)gpu->memory_bytes : NAN;
    if (!strcmp(facts->device, "cpu"))
        facts->gpu_roof_ns = gpu_roof(&results->ceilings, &facts->traits);
}

static void case_facts(const struct kg_results *results, const struct kg_case_result *result,
                       const struct kg_traits *traits, struct kg_facts *facts)
{
    kg_facts_clear(facts);
    const struct kg_disturbance found = kg_disturbance_of(result);
    facts->kind = KG_OPERATION_CASE;
    facts->disturbed = 3 * found.disturbed > found.rounds;
    facts->threads_assumed = !result->threads_said && result->source &&
                             !strcmp(result->source, kg_source_names[KG_SOURCE_COMMAND]);
    facts->operation = facts->whole = result->id;
    facts->device = result->device;
    facts->workload = result->workload;
    facts->traits = *traits;
    facts->whole_ns = traits->time_ns;
    if (kg_on_device(facts, "cpu"))
        facts->scheduler_wait_ns = kg_scheduler_wait_share(result) * traits->time_ns;
    facts->hot = kg_on_device(facts, "cpu") ? &result->hot : NULL;
    const struct kg_kernel_use *kernel = kg_trace_main_kernel(&result->trace);
    facts->main_kernel.function = kernel ? kernel->name : NULL;
    machine_facts(results, facts);
}

static void cases_gather(const struct kg_results *results, struct kg_arena *arena,
                         struct kg_facts_list *cases)
{
    struct kg_traits *traits = kg_arena_alloc(arena, results->case_count, sizeof *traits);
    cases->of = kg_arena_alloc(arena, results->case_count, sizeof *cases->of);
    cases->count = results->case_count;
    for (size_t i = 0; i < results->case_count; i++) {
        kg_traits_find(results, &results->cases[i], &traits[i]);
        case_facts(results, &results->cases[i], &traits[i], &cases->of[i]);
    }
    kg_neighbours_find(results, cases->of);
}

/* Weighs the causes of each case that has observations. */
static void causes_weigh(const struct kg_suggest_settings *settings, struct kg_arena *arena,
                         struct kg_facts_list *cases)
{
    for (size_t i = 0; i < cases->count; i++) {
        struct kg_causes found, *kept;
        kg_causes_weigh(&cases->of[i], settings, &found);
        if (isnan(found.unexplained))
            continue;
        kept = kg_arena_alloc(arena, 1, sizeof *kept);
        *kept = found;
        cases->of[i].causes = kept;
    }
}

/* Adds the recording of one case to its facts and scopes. */
static void case_scopes(const struct kg_suggest_input *input, struct kg_scope_split *split,
                        const struct kg_suggest_settings *settings, struct kg_facts *facts,
                        struct kg_arena *arena, struct kg_facts_list *scopes)
{
    struct kg_arena scratch = {0};
    struct kg_profile part;
    kg_scope_split_part(split, facts->operation, &scratch, &part);
    kg_scopes_of_case(&part, settings, facts);
    kg_scopes_find(&part, facts, settings, &input->results->cpu_ceilings, settings->min_gain, arena,
                   scopes);
    kg_arena_free(&scratch);
}

static void scopes_gather(const struct kg_suggest_input *input,
                          const struct kg_suggest_settings *settings, struct kg_arena *arena,
                          struct kg_facts_list *cases, struct kg_facts_list *scopes)
{
    struct kg_arena scratch = {0};
    struct kg_scope_split split;
    kg_scope_split_make(input->profile, &scratch, &split);
    for (size_t i = 0; i < cases->count; i++)
        if (kg_known(cases->of[i].traits.time_ns))
            case_scopes(input, &split, settings, &cases->of[i], arena, scopes);
    kg_arena_free(&scratch);
}

void kg_facts_gather(const struct kg_suggest_input *input, struct kg_arena *arena,
                     struct kg_facts_list *cases, struct kg_facts_list *scopes)
{
    struct kg_suggest_settings settings;
    const struct kg_profile *profile = input->profile;
    *cases = *scopes = (struct kg_facts_list){0};
    kg_suggest_settings_of(input, &settings);
    if (!input->results) {
        kg_scopes_find(profile, NULL, &settings, NULL, settings.min_gain, arena, scopes);
        return;
    }
    cases_gather(input->results, arena, cases);
    causes_weigh(&settings, arena, cases);
    if (profile)
        scopes_gather(input, &settings, arena, cases, scopes);
}
