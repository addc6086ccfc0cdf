#include "why/observe/hot_pass.h"

#include <math.h>
#include <time.h>

#include "base/file.h"
#include "run/case_worker.h"
#include "run/pass.h"
#include "why/observe/hot_cache.h"
#include "why/observe/hot_step.h"
#include "why/observe/hot_steps.h"
#include "why/observe/line_count.h"

/* In this order: later steps may read the results of earlier ones. */
static kg_hot_step *const steps[] = {kg_sample_step,      kg_loops_step, kg_calls_step,
                                     kg_core_step,        kg_lines_step, kg_repeats_step,
                                     kg_experiments_step, NULL};

bool kg_hot_wanted(const struct kg_session *session, size_t index)
{
    const struct kg_case *planned = &session->plan->cases[index];
    return kg_pass_observes(session, index) && !kg_case_on_stream(planned) &&
           planned->spec->settings.sample_time_ns > 0;
}

static bool steps_do(const struct kg_session *session, size_t index, struct kg_error *err)
{
    struct kg_hot_look look = {0};
    bool good = true;
    /* a process of another harness does more than its calls, so counting it would mislead */
    const bool harness = session->plan->cases[index].spec->setting.format != NULL;
    for (size_t i = 0; steps[i] && good && !kg_interrupt_caught(); i++)
        if (!harness || steps[i] == kg_sample_step || steps[i] == kg_loops_step)
            good = steps[i](session, index, &look, err);
    kg_arena_free(&look.arena);
    return good;
}

/* --- Cached profiles -------------------------------------------------------------------------- */

struct pass {
    const char *directory; /* NULL: nothing is kept */
    char kgate[17];        /* hash of kgate's program */
    bool pruned;
};

/* Takes kept counts unless this run has newer ones. */
static void look_take(struct kg_look *look, const struct kg_look *kept)
{
    if (look->source || !kept->source)
        return;
    look->instructions = kept->instructions;
    look->line_bytes = kept->line_bytes;
    look->memory_line_bytes = kept->memory_line_bytes;
    look->source = kept->source;
}

/* CPU time of a call, by the round with least of it; NaN: unknown. */
static double call_cpu_ns(const struct kg_case_result *result)
{
    double least = NAN;
    for (size_t i = 0; i < result->round_count; i++)
        if (result->rounds[i].cpu_ns > 0)
            least = fmin(least, result->rounds[i].cpu_ns);
    return least;
}

static bool kept_take(struct pass *pass, const struct kg_session *session, size_t index,
                      const char *key)
{
    struct kg_case_result *result = &session->results->cases[index];
    struct kg_look look;
    if (!kg_looked_load(pass->directory, key, (int64_t)time(NULL), call_cpu_ns(result),
                        &session->results->arena, &result->hot, &look))
        return false;
    look_take(&result->look, &look);
    result->hot.kept = key;
    return true;
}

/* Stores the profile. If the folder cannot be written, the results say so once. */
static void keep(struct pass *pass, struct kg_results *results, struct kg_case_result *result)
{
    struct kg_error unstored;
    struct kg_look counted = result->look;
    counted.alone_ns = NAN; /* measured in each run */
    counted.reason = NULL;
    if (!kg_looked_store(pass->directory, result->hot.kept, call_cpu_ns(result), &result->hot,
                         &counted, &unstored)) {
        if (!results->not_kept)
            results->not_kept = kg_arena_copy(&results->arena, unstored.message);
        result->hot.kept = NULL;
        return;
    }
    if (!pass->pruned)
        kg_looked_prune(pass->directory, (int64_t)time(NULL), KG_LOOKED_FILES_MOST);
    pass->pruned = true;
}

static bool case_look(const struct kg_session *session, size_t index, void *user,
                      struct kg_error *err)
{
    struct pass *pass = user;
    struct kg_case_result *result = &session->results->cases[index];
    const char *key = pass->directory
                          ? kg_looked_key(session, index, pass->kgate, &session->results->arena)
                          : NULL;
    kg_hot_clear(&result->hot);
    if (key && kept_take(pass, session, index, key))
        return true;
    if (!steps_do(session, index, err)) {
        kg_hot_clear(&result->hot); /* half a profile would look complete */
        return false;
    }
    result->hot.kept = kg_interrupt_caught() ? NULL : key;
    if (result->hot.kept)
        keep(pass, session->results, result);
    return true;
}

static void begin(const struct kg_session *session, void *state)
{
    struct pass *pass = state;
    pass->directory = kg_looked_directory(&session->results->arena);
    if (!kg_file_hash(session->launcher->program, pass->kgate))
        pass->directory = NULL;
}

const struct kg_observer kg_hot_observer = {
    .pass = {.verb = "profiling", .wanted = kg_hot_wanted, .each = case_look, .stored = true},
    .state_bytes = sizeof(struct pass),
    .begin = begin};
