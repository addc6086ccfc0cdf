#include "suite/plan.h"

#include <string.h>

#include "base/nearest.h"
#include "base/text.h"
#include "model/results.h"
#include "suite/case_id.h"
#include "suite/sources/params.h"
#include "suite/sources/source.h"

struct planner {
    const struct kg_suite *suite;
    const struct kg_machine *machine;
    const struct kg_plan_options *options;
    struct kg_plan *plan;
    size_t capacity;
    size_t elsewhere_capacity;
    uint64_t turns; /* number of groups dealt to shards so far, after the filter */
    uint64_t shard; /* shard of the newest group, from 0 */
    bool joined;    /* the next case goes to the shard of the previous case */
    struct kg_error *err;
};

bool kg_case_on_stream(const struct kg_case *planned)
{
    return planned->device == KGATE_DEVICE_CUDA &&
           !kg_source_facts[planned->spec->source].own_process;
}

/* Moves the error of kg_params_resolve or of the kernel's describe to the place of the wrong value in the suite. */
static bool param_error(const struct planner *planner, const struct kg_workload_spec *spec,
                        const size_t *choice, size_t at)
{
    const struct kg_mark *mark = &spec->mark;
    if (at < spec->axis_count)
        mark = &spec->axes[at].value_marks[choice[at]];
    char message[sizeof planner->err->message];
    memcpy(message, planner->err->message, sizeof message);
    return kg_error_at(planner->err, planner->suite->path, mark->line, mark->column,
                       "in workload '%s': %s", spec->name, message);
}

/* Resolves the parameters of one case of a built-in kernel and asks the kernel to accept them. Values that only another
 * device accepts are no error: the case gets a skip_reason. */
static bool kernel_accepts(struct planner *planner, const struct kg_workload_spec *spec,
                           const struct kgate_workload *kernel, struct kg_case *planned,
                           const size_t *choice)
{
    struct kgate_value values[KG_PARAMS_MOST];
    size_t at = SIZE_MAX;
    if (kernel->param_count > KG_PARAMS_MOST)
        return kg_error_set(planner->err, KG_ERROR_USAGE, "kernel '%s' has too many parameters",
                            kernel->name);
    if (!kg_params_resolve(kernel, planned->params, planned->param_count, values, &at,
                           planner->err))
        return param_error(planner, spec, choice, at);
    if (!kernel->describe)
        return true;
    struct kgate_context context = {.values = values, .device = planned->device, .threads = 1};
    struct kgate_work work;
    if (kernel->describe(&context, &work))
        return true;
    if (context.unavailable) {
        planned->skip_reason = kg_arena_copy(&planner->plan->arena, context.message);
        return true;
    }
    kg_error_set(planner->err, KG_ERROR_USAGE, "%s", context.message);
    return param_error(planner, spec, choice, SIZE_MAX);
}

/* The reason why the case cannot run on this machine's GPU; NULL if it can. kgate times kernels and plugins with its
 * own device code, which must fit the GPU and the driver. A command needs no code of kgate. */
static const char *cuda_missing(struct kg_arena *arena, const struct kg_machine *machine,
                                const struct kg_case *planned)
{
    char why[160], needed[80];
    const struct kg_gpu *gpu = kg_machine_gpu(machine);
    if (!gpu)
        return kg_arena_printf(arena, "no CUDA device: %s", machine->cuda_missing);
    if (gpu->problem)
        return kg_arena_printf(arena, "cuda:%zu (%s): %s", machine->gpu_chosen, gpu->name,
                               gpu->problem);
    if (kg_case_on_stream(planned) && machine->cuda_code_missing)
        return machine->cuda_code_missing;
    if (kg_case_on_stream(planned) &&
        kg_machine_driver_old(machine, why, sizeof why, needed, sizeof needed))
        return kg_arena_printf(arena, "%s: %s is needed", why, needed);
    return NULL;
}

/* The reason why the case cannot run on this machine; NULL if it can. A missing device comes before the kernel's reason
 * about parameters. */
static const char *skip_reason(struct planner *planner, const struct kgate_workload *kernel,
                               const struct kg_case *planned)
{
    struct kg_arena *arena = &planner->plan->arena;
    const enum kgate_device device = planned->device;
    /* a program of the harness finds its GPU itself and reports a missing GPU */
    const char *missing = device == KGATE_DEVICE_CUDA && !planned->spec->setting.finds_gpu
                              ? cuda_missing(arena, planner->machine, planned)
                              : planned->spec->skip_reason;
    if (missing)
        return missing;
    if (planned->skip_reason)
        return planned->skip_reason;
    if (kernel && !(kernel->devices & 1u << device))
        return kg_arena_printf(arena, "kernel '%s' has no %s version", kernel->name,
                               kg_device_names[device]);
    return NULL;
}

static bool texts_expand(struct planner *planner, const struct kg_workload_spec *spec,
                         struct kg_case *planned)
{
    const struct kg_source_operations *source = kg_sources[spec->source];
    if (source->call)
        return source->call(&planner->plan->arena, planner->suite->path, spec, planned->params,
                            &planned->call, planner->err);
    if (!source->expand)
        return true;
    planned->command_count = spec->command_count;
    return source->expand(&planner->plan->arena, planner->suite->path, spec, planned->params,
                          &planned->command, &planned->setting, planner->err);
}

/* Whether kgate judges the CPU and GPU case of the same parameters together, so that one shard must measure both. */
static bool judged_together(const struct kg_workload_spec *spec)
{
    for (size_t i = 0; i < spec->budget_count; i++)
        if (!strcmp(spec->budgets[i].metric, KG_SPEEDUP_OVER_CPU))
            return true;
    return false;
}

/* Whether the filter may keep a case of the workload. */
static bool filter_may_keep(const char *filter, const struct kg_workload_spec *spec)
{
    const size_t literal = strcspn(filter, "*?[\\"), length = strlen(spec->name);
    if (!strncmp(filter, "tag:", strlen("tag:")))
        return kg_filter_matches(filter, spec->name, spec->tags, spec->tag_count);
    return strncmp(filter, spec->name, literal < length ? literal : length) == 0 &&
           (literal > length ? filter[length] == '/' : filter[literal] != '\0');
}

bool kg_plan_filter_check(const struct kg_suite *suite, const char *filter, const char *option,
                          struct kg_error *err)
{
    struct kg_arena arena = {0};
    struct kg_text near = {0};
    const char **names = kg_arena_alloc(&arena, suite->workload_count, sizeof *names);
    bool any = !filter;
    for (size_t i = 0; i < suite->workload_count; i++) {
        names[i] = suite->workloads[i].name;
        any = any || filter_may_keep(filter, &suite->workloads[i]);
    }
    if (!any) {
        kg_suggest_few_append(&near, filter, names, suite->workload_count, "the workloads are");
        kg_error_set(err, KG_ERROR_USAGE, "no case of the suite matches --%s '%.200s'%s", option,
                     filter, kg_text_string(&near));
    }
    kg_text_free(&near);
    kg_arena_free(&arena);
    return any;
}

/* The shard of a new group, from 0. A group that the shard plan lacks goes to the shard that its id prefers. */
static uint64_t shard_of_group(struct planner *planner, const struct kg_case *first)
{
    const struct kg_plan_options *options = planner->options;
    struct kg_plan *plan = planner->plan;
    if (!options->shard_plan)
        return (planner->turns - 1) % options->shard_count;
    const struct kg_planned_case *found = kg_shard_plan_find(options->shard_plan, first->id);
    if (found)
        return found->shard - 1;
    if (!plan->unplanned++)
        plan->unplanned_id = first->id;
    return kg_shard_preferred(first->id, options->shard_count) - 1;
}

/* Sets the group of the case, which the filter keeps. Returns whether this shard measures it. */
static bool group_set(struct planner *planner, struct kg_case *planned)
{
    const struct kg_plan_options *options = planner->options;
    if (!planner->joined) {
        planner->turns++;
        planner->shard = options->shard_count ? shard_of_group(planner, planned) : 0;
    }
    planner->joined = judged_together(planned->spec);
    planned->group = planner->turns - 1;
    return !options->shard_count || planner->shard == options->shard_index;
}

/* Keeps the newest case, or puts it aside. */
static void case_place(struct planner *planner, struct kg_case *planned)
{
    struct kg_plan *plan = planner->plan;
    if (planner->options->filter &&
        !kg_filter_matches(planner->options->filter, planned->id, planned->spec->tags,
                           planned->spec->tag_count)) {
        plan->left_out++;
    } else if (group_set(planner, planned)) {
        plan->case_count++;
    } else {
        kg_arena_grow(&plan->arena, &plan->elsewhere, plan->elsewhere_count,
                      &planner->elsewhere_capacity, sizeof *plan->elsewhere);
        plan->elsewhere[plan->elsewhere_count++] = *planned;
        plan->left_out++;
    }
}

static struct kg_case *case_append(struct planner *planner)
{
    struct kg_plan *plan = planner->plan;
    kg_arena_grow(&plan->arena, &plan->cases, plan->case_count, &planner->capacity,
                  sizeof *plan->cases);
    return &plan->cases[plan->case_count];
}

/* Plans the case of a workload for one combination of values, one device and one timing. */
static bool case_plan(struct planner *planner, const struct kg_workload_spec *spec,
                      const struct kg_source_found *found, const size_t *choice,
                      enum kgate_device device, enum kg_timing timing)
{
    const struct kgate_workload *kernel = found->workload;
    struct kg_arena *arena = &planner->plan->arena;
    struct kg_case *planned = case_append(planner);
    *planned = (struct kg_case){.spec = spec,
                                .file = found->file,
                                .entry = kernel ? kernel->name : spec->entry,
                                .device = device,
                                .timing = timing,
                                .param_count = spec->axis_count};
    planned->params = kg_arena_alloc(arena, spec->axis_count, sizeof *planned->params);
    for (size_t i = 0; i < spec->axis_count; i++)
        planned->params[i] =
            (struct kg_pair){.name = spec->axes[i].name, .value = spec->axes[i].values[choice[i]]};
    planned->id = kg_case_id(arena, planned);
    if (kernel && !kernel_accepts(planner, spec, kernel, planned, choice))
        return false;
    if (!texts_expand(planner, spec, planned))
        return false;
    planned->skip_reason = skip_reason(planner, kernel, planned);
    planned->definition_hash = kg_case_definition_hash(arena, planned, kernel);
    case_place(planner, planned);
    return true;
}

/* On kgate's CUDA stream each timing is a case. A case on the CPU or in a separate process has no timings. */
static bool timings_plan(struct planner *planner, const struct kg_workload_spec *spec,
                         const struct kg_source_found *found, const size_t *choice,
                         enum kgate_device device)
{
    if (device == KGATE_DEVICE_CPU || kg_source_facts[spec->source].own_process)
        return case_plan(planner, spec, found, choice, device, KG_TIMING_WALL);
    for (int timing = 0; kg_timing_names[timing]; timing++)
        if (spec->settings.timings & 1u << timing &&
            !case_plan(planner, spec, found, choice, device, (enum kg_timing)timing))
            return false;
    return true;
}

/* Steps to the next combination of values, the last axis fastest; false after the last combination. */
static bool choice_advance(const struct kg_workload_spec *spec, size_t *choice)
{
    for (size_t i = spec->axis_count; i-- > 0;) {
        if (++choice[i] < spec->axes[i].value_count)
            return true;
        choice[i] = 0;
    }
    return false;
}

static bool workload_plan(struct planner *planner, const struct kg_workload_spec *spec)
{
    struct kg_arena *arena = &planner->plan->arena;
    struct kg_source_found found = {.file = spec->target};
    const struct kg_source_operations *source = kg_sources[spec->source];
    if (source->find && !source->find(arena, planner->suite->path, spec, &found, planner->err))
        return false;
    size_t *choice = kg_arena_alloc(arena, spec->axis_count, sizeof *choice);
    do {
        planner->joined = false;
        for (int device = 0; kg_device_names[device]; device++)
            if (spec->settings.devices & 1u << device &&
                !timings_plan(planner, spec, &found, choice, (enum kgate_device)device))
                return false;
    } while (choice_advance(spec, choice));
    return true;
}

bool kg_plan_make(const struct kg_suite *suite, const struct kg_machine *machine,
                  const struct kg_plan_options *options, struct kg_plan *plan, struct kg_error *err)
{
    *plan = (struct kg_plan){0};
    struct planner planner = {
        .suite = suite, .machine = machine, .options = options, .plan = plan, .err = err};
    bool good = true;
    for (size_t i = 0; i < suite->workload_count && good; i++)
        good = workload_plan(&planner, &suite->workloads[i]);
    if (good && kg_case_ids_unique(plan, suite->path, err))
        return true;
    kg_plan_free(plan);
    return false;
}

void kg_plan_free(struct kg_plan *plan)
{
    kg_arena_free(&plan->arena);
    *plan = (struct kg_plan){0};
}
