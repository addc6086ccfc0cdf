#include "measure/opening.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "code/code_identity.h"
#include "measure/worker_ask.h"
#include "workload/source.h"

static bool at_target(const struct kg_prepared_suite *what, const struct kg_workload_spec *spec,
                      const char *why, struct kg_error *err)
{
    return kg_error_at(err, what->suite->path, spec->target_mark.line, spec->target_mark.column,
                       "in workload '%s': %s", spec->name, why);
}

static bool program_find(const struct kg_prepared_suite *what, const struct kg_case *planned,
                         struct kg_error *err)
{
    const char *word = planned->command[0];
    struct kg_arena arena = {0};
    const char *found = kg_code_program(&arena, word, NULL);
    const char *why = NULL;
    if (!found && !strchr(word, '/'))
        why = kg_arena_printf(&arena, "cannot find the program '%.300s' in PATH", word);
    else if (found && access(found, X_OK) != 0)
        why = kg_arena_printf(&arena, "cannot execute the program '%.300s': %s", word,
                              strerror(errno));
    const bool good = why ? at_target(what, planned->spec, why, err) : found != NULL;
    kg_arena_free(&arena);
    return good || why ? good : kg_error_memory(err);
}

static bool plugin_open(const struct kg_measurement *measurement,
                        const struct kg_prepared_suite *what, size_t index, struct kg_error *err)
{
    static const struct kg_task_options options = {
        .task = KG_TASK_OPEN, .patience = 1, .what = "opened the plugin"};
    struct kg_arena arena = {0};
    struct kg_answer answer;
    bool good = kg_worker_ask(measurement, index, &options, &arena, &answer, err);
    if (good && !answer.response.good && !answer.response.unavailable && answer.reason)
        good = at_target(what, what->plan->cases[index].spec, answer.reason, err);
    kg_arena_free(&arena);
    return good;
}

static bool one_open(const struct kg_measurement *measurement, const struct kg_prepared_suite *what,
                     size_t index, struct kg_opening *opening, struct kg_error *err)
{
    const struct kg_case *planned = &what->plan->cases[index];
    switch (kg_sources[planned->spec->source]->code) {
    case KG_CODE_ANYWHERE:
        opening->programs++;
        return program_find(what, planned, err);
    case KG_CODE_IN_TARGET:
        if (opening->plugins == KG_OPENED_MOST) {
            opening->left++;
            return true;
        }
        opening->plugins++;
        return plugin_open(measurement, what, index, err);
    case KG_CODE_IN_KGATE: /* the plan has asked it */
        break;
    }
    return true;
}

bool kg_open_all(const struct kg_prepared_suite *what, struct kg_opening *opening,
                 struct kg_error *err)
{
    static const struct kg_measurement_options options = {0};
    struct kg_measurement measurement;
    bool good = true;
    *opening = (struct kg_opening){0};
    if (!kg_measurement_prepare(&measurement, what, &options, err))
        return false;
    kg_interrupt_begin(measurement.interrupt);
    for (size_t i = 0; i < what->plan->case_count && good && !kg_interrupt_caught(); i++)
        if (!what->plan->cases[i].skip_reason)
            good = one_open(&measurement, what, i, opening, err);
    opening->signal = kg_interrupt_caught();
    kg_interrupt_end(measurement.interrupt);
    kg_measurement_free(&measurement);
    return good;
}
