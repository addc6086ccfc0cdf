#include "run/discover.h"

#include <string.h>

#include "base/nearest.h"
#include "run/run.h"
#include "run/worker_ask.h"
#include "suite/adapters/adapter.h"

enum { VALUE_MOST = 200 };

static bool is_wanted(const struct kg_workload_spec *spec)
{
    for (size_t i = 0; i < spec->axis_count; i++)
        if (!strcmp(spec->axes[i].name, KG_FOREIGN_PARAMETER))
            return false;
    return spec->setting.format && !spec->skip_reason;
}

bool kg_discover_needed(const struct kg_suite *suite)
{
    for (size_t i = 0; i < suite->workload_count; i++)
        if (is_wanted(&suite->workloads[i]))
            return true;
    return false;
}

/* An added workload: a further state of a benchmark. */
struct further {
    size_t at; /* index of the suite's workload */
    struct kg_workload_spec spec;
};

/* A discovery in progress. Its run reads `builds` for each request: names_join switches builds there. */
struct discovery {
    const struct kg_prepared_suite *what;
    struct kg_suite *suite;
    const struct kg_build *head, *base; /* head NULL: the suite's programs; base NULL: none */
    const struct kg_build **builds;     /* per case; NULL if head is */
    struct kg_run run;
    struct kg_arena arena; /* owns the answers and `more` */
    struct further *more;
    size_t more_count, more_capacity;
};

/* Adds a value to an axis: a benchmark's name, or a value of the benchmark's own axis. */
static bool value_add(struct kg_suite *suite, const struct kg_workload_spec *spec,
                      const char *value, struct kg_axis *axis, struct kg_error *err)
{
    if (strlen(value) > VALUE_MOST)
        return kg_error_at(err, suite->path, axis->mark.line, axis->mark.column,
                           "in workload '%s': the name of the benchmark '%.60s...' has more than "
                           "%d bytes",
                           spec->name, value, VALUE_MOST);
    axis->value_marks[axis->value_count] = axis->mark;
    axis->values[axis->value_count++] = value;
    return true;
}

static void axis_make(struct kg_suite *suite, const struct kg_workload_spec *spec, const char *name,
                      size_t value_count, struct kg_axis *axis)
{
    struct kg_arena *arena = &suite->arena;
    *axis = (struct kg_axis){.name = name, .mark = spec->setting_marks.format};
    axis->values = kg_arena_alloc(arena, value_count, sizeof *axis->values);
    axis->value_marks = kg_arena_alloc(arena, value_count, sizeof *axis->value_marks);
}

/* Room for more axes behind the workload's own. */
static struct kg_axis *axes_copy(struct kg_suite *suite, const struct kg_workload_spec *spec,
                                 size_t more)
{
    struct kg_axis *axes = kg_arena_alloc(&suite->arena, spec->axis_count + more, sizeof *axes);
    if (spec->axis_count)
        memcpy(axes, spec->axes, spec->axis_count * sizeof *axes);
    return axes;
}

/* An axis with these names behind the workload's others. */
static bool names_axis_add(struct kg_suite *suite, struct kg_workload_spec *spec,
                           const char **names, size_t name_count, struct kg_error *err)
{
    struct kg_axis *axes = axes_copy(suite, spec, 1);
    struct kg_axis *axis = &axes[spec->axis_count];
    axis_make(suite, spec, KG_FOREIGN_PARAMETER, name_count, axis);
    for (size_t i = 0; i < name_count; i++) {
        if (!value_add(suite, spec, kg_foreign_name_escape(&suite->arena, names[i]), axis, err))
            return false;
    }
    spec->axes = axes;
    spec->axis_count++;
    return true;
}

/* The axes of one benchmark with parameters of its own, "NAME,AXIS=VALUE,…", behind the workload's. */
static bool text_axes_add(struct kg_suite *suite, struct kg_workload_spec *spec, const char *text,
                          struct kg_error *err)
{
    size_t more = 1;
    for (const char *c = text; *c; c++)
        more += *c == ',';
    struct kg_axis *axes = axes_copy(suite, spec, more);
    char *rest = kg_arena_copy(&suite->arena, text);
    for (size_t i = 0; i < more; i++) {
        char *value = strsep(&rest, ",");
        const char *name = i ? strsep(&value, "=") : KG_FOREIGN_PARAMETER;
        struct kg_axis *axis = &axes[spec->axis_count + i];
        axis_make(suite, spec, name, 1, axis);
        if (!value_add(suite, spec, value ? value : "", axis, err))
            return false;
    }
    spec->axes = axes;
    spec->axis_count += more;
    return true;
}

/* Benchmarks of one program have different axes. So each state becomes a workload, with the same
 * name. The first replaces the suite's workload. The others wait in `more`, because the plan still
 * points into the suite. */
static bool states_add(struct discovery *discovery, size_t at, const char **names, size_t count,
                       struct kg_error *err)
{
    struct kg_workload_spec *spec = &discovery->suite->workloads[at];
    const struct kg_workload_spec bare = *spec;
    for (size_t i = 1; i < count; i++) {
        kg_arena_grow(&discovery->arena, &discovery->more, discovery->more_count,
                      &discovery->more_capacity, sizeof *discovery->more);
        struct further *further = &discovery->more[discovery->more_count++];
        *further = (struct further){.at = at, .spec = bare};
        if (!text_axes_add(discovery->suite, &further->spec, names[i], err))
            return false;
    }
    return text_axes_add(discovery->suite, spec, names[0], err);
}

/* Inserts each further workload after the suite's workload that it extends. */
static void further_join(struct discovery *discovery)
{
    struct kg_suite *suite = discovery->suite;
    size_t count = 0;
    if (!discovery->more_count)
        return;
    struct kg_workload_spec *all =
        kg_arena_alloc(&suite->arena, suite->workload_count + discovery->more_count, sizeof *all);
    for (size_t i = 0; i < suite->workload_count; i++) {
        all[count++] = suite->workloads[i];
        for (size_t k = 0; k < discovery->more_count; k++)
            if (discovery->more[k].at == i)
                all[count++] = discovery->more[k].spec;
    }
    suite->workloads = all;
    suite->workload_count = count;
}

static bool names_ask(struct discovery *discovery, size_t index, struct kg_answer *answer,
                      struct kg_error *err)
{
    static const struct kg_task_options options = {
        .task = KG_TASK_LIST, .patience = 1, .what = "asked the program for its benchmarks"};
    const struct kg_session session = kg_run_session(&discovery->run);
    return kg_worker_ask(&session, index, &options, &discovery->arena, answer, err);
}

/* The head's names, then names that only the base has: kgate still asks for a removed benchmark. A
 * base that cannot be asked adds no names. */
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
    memcpy(all, head->names, head->name_count * sizeof *all);
    for (size_t i = 0; i < base->name_count; i++)
        if (!kg_word_is_among(base->names[i], head->names, head->name_count))
            all[(*count)++] = base->names[i];
    *names = all;
    return true;
}

/* The program's last output as one line. */
static const char *one_line(struct kg_arena *arena, const char *text)
{
    char *line = kg_arena_copy(arena, text), *to = line;
    for (const char *c = text; *c; c++)
        if ((unsigned char)*c > ' ')
            *to++ = *c;
        else if (to > line && to[-1] != ' ')
            *to++ = ' ';
    *to = '\0';
    return line;
}

/* Whether the program fails because it measures on a GPU and there is none: no mistake of the suite. */
static bool gpu_missed(struct discovery *discovery, struct kg_workload_spec *spec,
                       const struct kg_answer *answer)
{
    struct kg_arena *arena = &discovery->suite->arena;
    const struct kg_machine *machine = discovery->what->machine;
    if (!answer->response.unavailable || kg_machine_gpu(machine))
        return false;
    const char *output = one_line(arena, answer->tail);
    spec->skip_reason = kg_arena_printf(
        arena, "no CUDA device: %s. Asked for its benchmarks, %s%s%s", machine->cuda_missing,
        answer->reason, *output ? "; its output: " : "", output);
    return true;
}

/* Asks the program of the workload's first case. */
static bool one_discover(struct discovery *discovery, size_t index, struct kg_error *err)
{
    struct kg_suite *suite = discovery->suite;
    const size_t at = (size_t)(discovery->what->plan->cases[index].spec - suite->workloads);
    struct kg_workload_spec *spec = &suite->workloads[at];
    struct kg_answer answer;
    const char **names;
    size_t count;
    if (!names_ask(discovery, index, &answer, err))
        return false;
    if (kg_interrupt_caught())
        return true;
    if (!answer.response.good && gpu_missed(discovery, spec, &answer))
        return true;
    if (!answer.response.good)
        return kg_error_at(err, suite->path, spec->target_mark.line, spec->target_mark.column,
                           "in workload '%s': %s%s%s", spec->name, answer.reason,
                           *answer.tail ? "; its output: " : "", answer.tail);
    if (!names_join(discovery, index, &answer.response, &names, &count, err))
        return false;
    return kg_adapter_find(spec->setting.format)->has_axes
               ? states_add(discovery, at, names, count, err)
               : names_axis_add(suite, spec, names, count, err);
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
static void builds_make(struct discovery *discovery)
{
    const size_t count = discovery->what->plan->case_count;
    if (!discovery->head)
        return;
    discovery->builds = kg_arena_alloc(&discovery->arena, count, sizeof *discovery->builds);
    for (size_t i = 0; i < count; i++)
        discovery->builds[i] = discovery->head;
}

bool kg_discover(const struct kg_prepared_suite *what, const struct kg_build *head,
                 const struct kg_build *base, struct kg_suite *suite, struct kg_error *err)
{
    struct discovery discovery = {
        .what = what, .suite = suite, .head = head, .base = head ? base : NULL};
    struct kg_run_options options = {0};
    builds_make(&discovery);
    options.builds = discovery.builds;
    bool good = kg_run_prepare(&discovery.run, what, &options, err);
    if (good) {
        kg_interrupt_begin(discovery.run.launcher.interrupt);
        good = all_discover(&discovery, err);
        if (good)
            further_join(&discovery);
        if (good && kg_interrupt_caught())
            good = kg_error_set(err, KG_ERROR_INTERRUPTED, "interrupted");
        kg_interrupt_end(discovery.run.launcher.interrupt);
        kg_run_free(&discovery.run);
    }
    kg_arena_free(&discovery.arena);
    return good;
}
