#include "run/case_result.h"

#include <string.h>
#include <unistd.h>

#include "base/code/code_identity.h"
#include "model/series.h"
#include "model/suite.h"
#include "suite/sources/source.h"

static void lists_copy(struct kg_arena *arena, const struct kg_case *planned,
                       struct kg_case_result *result)
{
    const struct kg_workload_spec *spec = planned->spec;
    result->params = kg_arena_alloc(arena, planned->param_count, sizeof *result->params);
    result->tags = kg_arena_alloc(arena, spec->tag_count, sizeof *result->tags);
    result->budgets = kg_arena_alloc(arena, spec->budget_count, sizeof *result->budgets);
    for (size_t i = 0; i < planned->param_count; i++)
        result->params[i] =
            (struct kg_pair){.name = kg_arena_keep(arena, planned->params[i].name),
                             .value = kg_arena_keep(arena, planned->params[i].value)};
    for (size_t i = 0; i < spec->tag_count; i++)
        result->tags[i] = kg_arena_keep(arena, spec->tags[i]);
    for (size_t i = 0; i < spec->budget_count; i++)
        result->budgets[i] =
            (struct kg_limit){.metric = kg_arena_keep(arena, spec->budgets[i].metric),
                              .relation = spec->budgets[i].relation == KG_AT_LEAST ? ">=" : "<=",
                              .limit = spec->budgets[i].limit};
    result->param_count = planned->param_count;
    result->tag_count = spec->tag_count;
    result->budget_count = spec->budget_count;
}

/* Adds the variables that the case does not inherit, because the suite or kgate changes them. This
 * happens in worker_environment.c, command.c and gpu_timer.c. */
static void own_variables_add(struct kg_arena *arena, const struct kg_case *planned,
                              struct kg_case_result *result)
{
    static const char *const counts[] = {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS",
                                         "MKL_NUM_THREADS"};
    enum { COUNTS = sizeof counts / sizeof *counts, OF_CUDA = 2 };
    const struct kg_command_setting *setting = &planned->setting;
    const char **names =
        kg_arena_alloc(arena, setting->environment_count + COUNTS + OF_CUDA, sizeof *names);
    result->own_variables = names;
    for (size_t i = 0; i < setting->environment_count; i++)
        if (kg_environment_has(setting->environment[i].name))
            names[result->own_variable_count++] =
                kg_arena_keep(arena, setting->environment[i].name);
    for (size_t i = 0; i < COUNTS && planned->spec->settings.threads; i++)
        names[result->own_variable_count++] = counts[i];
    if (planned->device == KGATE_DEVICE_CUDA)
        names[result->own_variable_count++] = "CUDA_VISIBLE_DEVICES";
    if (kg_case_on_stream(planned))
        names[result->own_variable_count++] = "CUDA_LAUNCH_BLOCKING";
}

static bool is_reference(const struct kg_case *planned)
{
    const char *reference = planned->spec->reference;
    for (size_t i = 0; reference && i < planned->param_count; i++)
        if (!strcmp(planned->params[i].name, "version") &&
            !strcmp(planned->params[i].value, reference))
            return true;
    return reference && !strcmp(reference, "yes");
}

/* Adds the series that are known before measuring. These are time and peak memory, which reports always
 * show; the other compared fields of the rounds; and the workload's figures that the suite names. The
 * code that counts other figures adds their series. */
static void series_start(struct kg_arena *arena, const struct kg_workload_spec *spec,
                         struct kg_case_result *result)
{
    struct kg_series *series = kg_series_grow(arena, result, KG_METRIC_KINDS + spec->counter_count);
    for (int kind = 0; kind < KG_METRIC_KINDS; kind++) {
        const struct kg_metric_row *row = &kg_metric_rows[kind];
        const bool shown = kind == KG_METRIC_TIME || kind == KG_METRIC_PEAK_MEMORY;
        if (row->origin != KG_ORIGIN_FIELD || !(shown || spec->settings.metrics & 1u << kind))
            continue;
        series[result->series_count++] = (struct kg_series){
            .name = kg_metric_kind_names[kind],
            .source = KG_SERIES_OF_ROUNDS,
            .better = row->better,
            .threshold = kg_settings_number(&spec->settings, row->threshold_key),
            .min_effect =
                row->min_effect_key ? kg_settings_number(&spec->settings, row->min_effect_key) : 0};
    }
    for (size_t i = 0; i < spec->counter_count; i++)
        series[result->series_count++] =
            (struct kg_series){.name = kg_arena_keep(arena, spec->counters[i].name),
                               .source = KG_SERIES_OF_WORKLOAD,
                               .unit = spec->counters[i].unit,
                               .better = spec->counters[i].better,
                               .threshold = spec->counters[i].threshold};
}

/* The disturbance above which a round is measured again. If nothing is judged that depends on time,
 * waiting for a CPU spoils no round. */
static double disturbance_limit(const struct kg_workload_spec *spec)
{
    bool waits = spec->budget_count > 0;
    for (int kind = 0; kind < KG_METRIC_KINDS; kind++)
        waits = waits || (spec->settings.metrics & 1u << kind &&
                          kg_metric_rows[kind].proof == KG_PROOF_TEST);
    return waits ? spec->settings.disturbance : 1;
}

/* Copies the plan's part into a result without rounds, with status UNMEASURED or SKIPPED. */
static void case_start(struct kg_arena *arena, const struct kg_case *planned,
                       struct kg_case_result *result)
{
    const struct kg_workload_spec *spec = planned->spec;
    const struct kg_settings *settings = &spec->settings;
    const struct kg_source_operations *source = kg_sources[spec->source];
    *result = (struct kg_case_result){
        .id = kg_arena_keep(arena, planned->id),
        .workload = kg_arena_keep(arena, spec->name),
        .line = spec->mark.line,
        .source = kg_source_names[spec->source],
        .target = source->target(arena, spec, planned->command),
        .device = kg_device_names[planned->device],
        .backend = kg_backend_names[spec->source],
        .timing = kg_case_on_stream(planned) ? kg_timing_names[planned->timing] : NULL,
        .definition_hash = kg_arena_keep(arena, planned->definition_hash),
        .status = planned->skip_reason ? KG_STATUS_SKIPPED : KG_STATUS_UNMEASURED,
        .reason = kg_arena_keep(arena, planned->skip_reason),
        .metrics = settings->metrics,
        .unasked_metrics = settings->unasked_metrics,
        .reference = is_reference(planned),
        .disturbance_limit = disturbance_limit(spec),
        KG_CASE_UNMEASURED,
    };
    kg_hot_clear(&result->hot);
    kg_case_summarize(result);
    lists_copy(arena, planned, result);
    own_variables_add(arena, planned, result);
    series_start(arena, spec, result);
}

struct kg_code_search kg_case_program_search(const struct kg_command_setting *setting,
                                             const char *worker)
{
    struct kg_code_search search = {.worker = worker, .directory = setting->directory};
    for (size_t i = 0; i < setting->environment_count; i++)
        if (!strcmp(setting->environment[i].name, "PATH"))
            search.path = setting->environment[i].value;
    return search;
}

void kg_case_code_widen(const struct kg_command_setting *setting, struct kg_code_identity *code)
{
    bool brings_code = setting->setup_count > 0;
    for (size_t i = 0; i < setting->environment_count; i++)
        brings_code = brings_code || !strncmp(setting->environment[i].name, "LD_", 3);
    if (brings_code && code->hash)
        code->scope = KG_CODE_OPEN_ENDED;
}

static void code_identify(struct kg_results *results, const struct kg_plan *plan)
{
    struct kg_code_memory *memory = kg_code_memory_make(&results->arena);
    for (size_t i = 0; i < plan->case_count; i++) {
        const struct kg_workload_spec *spec = plan->cases[i].spec;
        const enum kg_code_place code = kg_sources[spec->source]->code;
        if (code == KG_CODE_COMPILED) /* its check says it */
            continue;
        const bool program = code == KG_CODE_ANYWHERE;
        const struct kg_command_setting *setting = &plan->cases[i].setting;
        const char *file = program
                               ? kg_code_program(memory, &results->arena, plan->cases[i].command[0],
                                                 kg_case_program_search(setting, NULL))
                               : plan->cases[i].file;
        const struct kg_code_owner owner = {.file = file,
                                            .directory = program ? setting->directory : NULL,
                                            .program = program,
                                            .own = kg_sources[spec->source]->beside != NULL,
                                            .device = plan->cases[i].device};
        if (file)
            results->cases[i].code = kg_code_identify(memory, &results->arena, owner);
        kg_case_code_widen(setting, &results->cases[i].code);
    }
}

void kg_results_start(struct kg_results *results, const struct kg_suite *suite,
                      const struct kg_plan *plan, const struct kg_machine *machine,
                      const char *filter)
{
    struct kg_arena *arena = &results->arena;
    *results = (struct kg_results){
        .policy = {.fail_on = suite->policy.fail_on,
                   .missing_device = suite->policy.missing_device,
                   .undecided = suite->policy.undecided,
                   .missing = suite->policy.missing,
                   .alpha = suite->policy.alpha,
                   .reports = suite->policy.reports,
                   .quarantine_instability = suite->policy.instability,
                   .quarantine_runs = (size_t)suite->policy.stable_runs},
        .kgate_version = KGATE_VERSION,
        .ceilings = KG_CEILINGS_NONE,
        .cpu_ceilings = KG_CPU_CEILINGS_NONE,
        .suggest = suite->suggest,
        .case_count = plan->case_count,
    };
    results->created = kg_timestamp(arena);
    results->suite = kg_arena_keep(arena, suite->name);
    results->suite_path = kg_arena_keep(arena, suite->path);
    results->filter = kg_arena_keep(arena, filter);
    results->cases = kg_arena_alloc(arena, plan->case_count, sizeof *results->cases);
    kg_machine_copy(arena, machine, &results->machine);
    kg_environment_read(arena, environ, &results->environment);
    for (size_t i = 0; i < plan->case_count; i++)
        case_start(arena, &plan->cases[i], &results->cases[i]);
    code_identify(results, plan);
}
