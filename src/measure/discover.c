#include "measure/discover.h"

#include <string.h>

#include "adapters/adapter.h"
#include "measure/worker_ask.h"

enum { VALUE_MOST = 200 };

static bool is_wanted(const struct kg_workload_spec *spec)
{
    for (size_t i = 0; i < spec->axis_count; i++)
        if (!strcmp(spec->axes[i].name, KG_FOREIGN_PARAMETER))
            return false;
    return spec->setting.format != NULL;
}

bool kg_discover_needed(const struct kg_suite *suite)
{
    for (size_t i = 0; i < suite->workload_count; i++)
        if (is_wanted(&suite->workloads[i]))
            return true;
    return false;
}

/* Whose programs are asked, and where the measurement reads which build is. */
struct discovery {
    const struct kg_prepared_suite *what;
    struct kg_suite *suite;
    const struct kg_build *head, *base; /* NULL: the suite's; none */
    const struct kg_build **builds;     /* of each case; NULL where head is */
    struct kg_measurement measurement;
    struct kg_arena arena; /* of the answers */
};

/* An axis with these values behind the workload's others. */
static bool axis_add(struct kg_suite *suite, struct kg_workload_spec *spec, const char **names,
                     size_t name_count, struct kg_error *err)
{
    struct kg_arena *arena = &suite->arena;
    struct kg_axis *axes = kg_arena_alloc(arena, spec->axis_count + 1, sizeof *axes);
    struct kg_axis axis = {.name = KG_FOREIGN_PARAMETER, .mark = spec->setting_marks.format};
    axis.values = kg_arena_alloc(arena, name_count, sizeof *axis.values);
    axis.value_marks = kg_arena_alloc(arena, name_count, sizeof *axis.value_marks);
    if (!axes || !axis.values || !axis.value_marks)
        return kg_error_memory(err);
    for (size_t i = 0; i < name_count; i++) {
        const char *value = kg_foreign_name_escape(arena, names[i]);
        if (!value)
            return kg_error_memory(err);
        if (strlen(value) > VALUE_MOST)
            return kg_error_at(
                err, suite->path, axis.mark.line, axis.mark.column,
                "in workload '%s': the name of the benchmark '%.60s...' has more than "
                "%d bytes",
                spec->name, names[i], VALUE_MOST);
        axis.value_marks[axis.value_count] = axis.mark;
        axis.values[axis.value_count++] = value;
    }
    if (spec->axis_count)
        memcpy(axes, spec->axes, spec->axis_count * sizeof *axes);
    axes[spec->axis_count++] = axis;
    spec->axes = axes;
    return true;
}

static bool names_ask(struct discovery *discovery, size_t index, struct kg_answer *answer,
                      struct kg_error *err)
{
    static const struct kg_task_options options = {
        .task = KG_TASK_LIST, .patience = 1, .what = "asked the program for its benchmarks"};
    return kg_worker_ask(&discovery->measurement, index, &options, &discovery->arena, answer, err);
}

static bool name_among(const char *name, const char **names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(names[i], name))
            return true;
    return false;
}

/* The head's names, and behind them those that only the base has: what a change removes is still
 * asked for. A base that cannot be asked has none. */
static bool names_join(struct discovery *discovery, size_t index, const struct kg_response *head,
                       const char ***names, size_t *count, struct kg_error *err)
{
    struct kg_answer answer = {0};
    *names = head->names;
    *count = head->name_count;
    if (!discovery->base)
        return true;
    discovery->builds[index] = discovery->base;
    const bool good = names_ask(discovery, index, &answer, err);
    discovery->builds[index] = discovery->head;
    if (!good || !answer.response.good)
        return good;
    const struct kg_response *base = &answer.response;
    const char **all =
        kg_arena_alloc(&discovery->arena, head->name_count + base->name_count, sizeof *all);
    if (!all)
        return kg_error_memory(err);
    memcpy(all, head->names, head->name_count * sizeof *all);
    for (size_t i = 0; i < base->name_count; i++)
        if (!name_among(base->names[i], head->names, head->name_count))
            all[(*count)++] = base->names[i];
    *names = all;
    return true;
}

/* Asks the program of the workload's first case. */
static bool one_discover(struct discovery *discovery, size_t index, struct kg_error *err)
{
    struct kg_suite *suite = discovery->suite;
    struct kg_workload_spec *spec =
        &suite->workloads[discovery->what->plan->cases[index].spec - suite->workloads];
    struct kg_answer answer;
    const char **names;
    size_t count;
    if (!names_ask(discovery, index, &answer, err))
        return false;
    if (kg_interrupt_caught())
        return true;
    if (!answer.response.good)
        return kg_error_at(err, suite->path, spec->target_mark.line, spec->target_mark.column,
                           "in workload '%s': %s%s%s", spec->name, answer.reason,
                           *answer.tail ? "; it said: " : "", answer.tail);
    return names_join(discovery, index, &answer.response, &names, &count, err) &&
           axis_add(suite, spec, names, count, err);
}

static bool all_discover(struct discovery *discovery, struct kg_error *err)
{
    const struct kg_plan *plan = discovery->what->plan;
    for (size_t i = 0; i < plan->case_count && !kg_interrupt_caught(); i++)
        if (!plan->cases[i].skip_reason && is_wanted(plan->cases[i].spec) &&
            !one_discover(discovery, i, err))
            return false;
    return true;
}

/* The head in the place of every case's program. */
static bool builds_make(struct discovery *discovery, struct kg_error *err)
{
    const size_t count = discovery->what->plan->case_count;
    if (!discovery->head)
        return true;
    discovery->builds = kg_arena_alloc(&discovery->arena, count, sizeof *discovery->builds);
    for (size_t i = 0; discovery->builds && i < count; i++)
        discovery->builds[i] = discovery->head;
    return discovery->builds ? true : kg_error_memory(err);
}

bool kg_discover(const struct kg_prepared_suite *what, const struct kg_build *head,
                 const struct kg_build *base, struct kg_suite *suite, struct kg_error *err)
{
    struct discovery discovery = {
        .what = what, .suite = suite, .head = head, .base = head ? base : NULL};
    struct kg_measurement_options options = {0};
    bool good = builds_make(&discovery, err);
    options.builds = discovery.builds;
    if (good && kg_measurement_prepare(&discovery.measurement, what, &options, err)) {
        kg_interrupt_begin(discovery.measurement.interrupt);
        good = all_discover(&discovery, err);
        if (good && kg_interrupt_caught())
            good = kg_error_set(err, KG_ERROR_INTERRUPTED, "interrupted");
        kg_interrupt_end(discovery.measurement.interrupt);
        kg_measurement_free(&discovery.measurement);
    } else
        good = false;
    kg_arena_free(&discovery.arena);
    return good;
}
