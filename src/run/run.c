#include "run/run.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "device/sysfs.h"
#include "model/disturbance.h"
#include "model/series.h"
#include "run/case_result.h"
#include "run/case_threads.h"
#include "run/case_worker.h"
#include "run/cpu_ceilings_pass.h"
#include "run/extra_passes.h"
#include "run/group.h"
#include "run/measured_files.h"
#include "run/pass.h"
#include "run/rounds.h"
#include "suite/trust/trust.h"

/* Delay of confirming rounds after the other rounds. */
static const double CONFIRM_AFTER_NS = 1e9;
const double KG_CONFIRM_APART_NS = 100e6;

/* On the GPU the cases share processes. */
static bool is_grouped(const struct kg_run *run, size_t index)
{
    return kg_case_on_stream(&run->plan->cases[index]);
}

static bool shares_process(const struct kg_rounds *rounds, size_t index)
{
    return is_grouped(rounds->run, index);
}

static bool check_answered(const struct kg_session *session, size_t index,
                           struct kg_response *response, void *user, struct kg_error *err)
{
    (void)user;
    return kg_case_check_store(session, index, response, err);
}

static bool check_grouped(struct kg_run *run, struct kg_error *err)
{
    const struct kg_group_task task = {.options = {.task = KG_TASK_CHECK, .patience = 1},
                                       .answered = check_answered};
    const struct kg_session session = kg_run_session(run);
    size_t count = 0;
    for (size_t i = 0; i < run->results.case_count; i++)
        if (is_grouped(run, i) && kg_case_measurable(&run->results.cases[i]))
            run->grouped[count++] = i;
    return kg_group_run(&session, run->grouped, count, &task, err);
}

static bool is_checked_alone(const struct kg_session *session, size_t index)
{
    return kg_case_measurable(&session->results->cases[index]) &&
           !kg_case_on_stream(&session->plan->cases[index]);
}

static bool check_alone(const struct kg_session *session, size_t index, void *user,
                        struct kg_error *err)
{
    (void)user;
    if (!kg_case_check(session, index, err))
        return false;
    session->steps->done++;
    return true;
}

static bool check_all(struct kg_run *run, struct kg_error *err)
{
    static const struct kg_pass pass = {
        .verb = "checking", .wanted = is_checked_alone, .each = check_alone};
    const struct kg_session session = kg_run_session(run);
    return kg_pass_run(&pass, &session, NULL, err) && check_grouped(run, err);
}

static bool program_find(struct kg_run *run, struct kg_error *err)
{
    const ssize_t length =
        readlink("/proc/self/exe", run->launcher.program, sizeof run->launcher.program - 1);
    if (length < 0)
        return kg_error_set(err, KG_ERROR_SYSTEM, "cannot find kgate's own executable: %s",
                            strerror(errno));
    run->launcher.program[length] = '\0';
    return true;
}

static void arrays_make(struct kg_run *run)
{
    struct kg_arena *arena = &run->results.arena;
    const size_t count = run->results.case_count;
    run->launcher.batch = kg_arena_alloc(arena, count, sizeof *run->launcher.batch);
    run->elapsed_ns = kg_arena_alloc(arena, count, sizeof *run->elapsed_ns);
    run->order = kg_arena_alloc(arena, count, sizeof(size_t));
    run->grouped = kg_arena_alloc(arena, count, sizeof(size_t));
    run->launcher.call_timing = kg_arena_alloc(arena, count, sizeof *run->launcher.call_timing);
    run->launcher.check_due = kg_arena_alloc(arena, count, sizeof *run->launcher.check_due);
    run->launcher.checked_ns = kg_arena_alloc(arena, count, sizeof *run->launcher.checked_ns);
}

/* Total of the progress bar: the check and the minimum rounds of every case. */
static size_t work_planned(const struct kg_run *run)
{
    size_t planned = 0;
    for (size_t i = 0; i < run->plan->case_count; i++)
        if (kg_case_measurable(&run->results.cases[i]))
            planned += 1 + (size_t)run->plan->cases[i].spec->settings.rounds_min;
    return planned;
}

/* Stores no length that equals the suite's min_time, so that a later change of min_time takes effect, and
 * none that `iterations` replaces. */
static void round_length_set(struct kg_run *run, size_t index, double round_ns)
{
    const struct kg_settings *settings = &run->plan->cases[index].spec->settings;
    if (round_ns > 0 && round_ns != settings->min_time_ns && !settings->iterations)
        run->results.cases[index].round_ns = round_ns;
}

/* A `pin` must name a CPU that this process may use. */
static bool pins_check(const struct kg_prepared_suite *what, struct kg_error *err)
{
    char allowed[KG_TREE_LINE];
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return true;
    kg_cpu_list_format(&set, allowed);
    for (size_t i = 0; i < what->plan->case_count; i++) {
        const struct kg_workload_spec *spec = what->plan->cases[i].spec;
        const int pin = spec->settings.pin;
        if (pin >= 0 && (pin >= CPU_SETSIZE || !CPU_ISSET((unsigned)pin, &set)))
            return kg_error_at(err, what->suite->path, spec->mark.line, spec->mark.column,
                               "in workload '%s': pin: %d, but the CPUs that kgate may use here "
                               "are %s",
                               spec->name, pin, allowed);
    }
    return true;
}

static const struct kg_build *first_build(const struct kg_prepared_suite *what,
                                          const struct kg_build *const *builds)
{
    for (size_t i = 0; builds && i < what->plan->case_count; i++)
        if (builds[i])
            return builds[i];
    return NULL;
}

/* Stores commit and branch of the measured checkout, if git knows them: of the first build's place, else of the suite. */
static void checkout_set(const struct kg_prepared_suite *what, const struct kg_build *const *builds,
                         struct kg_results *results)
{
    const struct kg_build *build = first_build(what, builds);
    const char *place = build ? kg_build_place(build) : what->suite->path;
    if (build && build->commit)
        results->commit = kg_arena_copy(&results->arena, build->commit);
    if (!place || results->commit)
        return;
    const struct kg_checkout checkout = kg_checkout_read(&results->arena, place);
    results->commit = checkout.commit;
    results->branch = checkout.branch;
}

static void shard_keep(const struct kg_shard *shard, struct kg_results *results)
{
    if (!shard)
        return;
    results->shard = *shard;
    results->shard.job = kg_arena_keep(&results->arena, shard->job);
    results->shard.node = kg_arena_keep(&results->arena, shard->node);
    results->shard.plan = kg_arena_keep(&results->arena, shard->plan);
    results->shard.definition = kg_arena_keep(&results->arena, shard->definition);
    results->shard.trust = kg_arena_keep(&results->arena, shard->trust);
    results->shard.baselines = kg_arena_keep(&results->arena, shard->baselines);
}

bool kg_run_prepare(struct kg_run *run, const struct kg_prepared_suite *what,
                    const struct kg_run_options *options, struct kg_error *err)
{
    *run = (struct kg_run){.plan = what->plan,
                           .launcher = {.builds = options->builds, .paired = options->paired},
                           .steps = {.progress = options->progress},
                           .started_ns = kg_clock_ns()};
    run->random.state = run->started_ns;
    run->launcher.check_seed = 1 + (kg_random_next(&run->random) >> 12); /* a JSON number */
    run->launcher.interrupt = options->interrupt ? options->interrupt : &run->own_interrupt;
    if (!pins_check(what, err) || !program_find(run, err))
        return false;
    kg_results_start(&run->results, what->suite, what->plan, what->machine, options->filter);
    run->results.sequential = options->sequential;
    run->results.tests = options->tests;
    shard_keep(what->shard, &run->results);
    arrays_make(run);
    return true;
}

bool kg_run_begin(struct kg_run *run, const struct kg_prepared_suite *what,
                  const struct kg_run_options *options, struct kg_error *err)
{
    if (!kg_run_prepare(run, what, options, err))
        return false;
    struct kg_session session = kg_run_session(run);
    if (options->batches)
        memcpy(run->launcher.batch, options->batches,
               what->plan->case_count * sizeof *run->launcher.batch);
    for (size_t i = 0; i < what->plan->case_count && options->round_ns; i++)
        round_length_set(run, i, options->round_ns[i]);
    if (options->builds)
        kg_builds_apply(options->builds, what->plan, &run->results);
    kg_measured_files_find(what->plan, options->builds, &run->results);
    if (options->select)
        options->select(options->select_user, &run->results);
    for (size_t i = 0; i < what->plan->case_count; i++) {
        const struct kg_settings *settings = &what->plan->cases[i].spec->settings;
        run->results.cases[i].threads =
            kg_case_threads(&session, settings, kg_case_pin(&session, i));
        run->results.cases[i].threads_said = kg_case_threads_are_set(settings);
    }
    checkout_set(what, options->builds, &run->results);
    if (options->results_path) {
        run->journaled = kg_journal_open(options->results_path, &run->results, &run->journal, err);
        if (!run->journaled) {
            kg_run_free(run);
            return false;
        }
    }
    if (!options->paired)
        kg_probe_start(&run->probe, run->started_ns);
    if (!options->interrupt)
        kg_interrupt_begin(run->launcher.interrupt);
    run->steps.planned = work_planned(run);
    session = kg_run_session(run); /* with the journal */
    if (check_all(run, err) && kg_count_pass(&session, err) &&
        kg_pass_run(&kg_ceilings_observer.pass, &session, NULL, err))
        return true;
    kg_run_end(run);
    kg_run_free(run);
    return false;
}

static bool round_answered(const struct kg_session *session, size_t index,
                           struct kg_response *response, void *user, struct kg_error *err)
{
    const struct kg_rounds *rounds = user;
    if (response->round_count == 1)
        response->rounds[0].confirms = rounds->confirm;
    return kg_case_round_store(session, index, response, err);
}

/* By as few processes as the cases allow. */
static bool rounds_grouped(const struct kg_rounds *rounds, const size_t *indexes, size_t count,
                           struct kg_error *err)
{
    const struct kg_group_task task = {
        .options = {.task = KG_TASK_ROUND, .patience = 1, .counts = true},
        .answered = round_answered,
        .user = (void *)rounds,
        .elapsed_ns = rounds->run->elapsed_ns};
    const struct kg_session session = kg_run_session(rounds->run);
    return kg_group_run(&session, indexes, count, &task, err);
}

static bool round_alone(const struct kg_rounds *rounds, size_t index, struct kg_error *err)
{
    struct kg_run *run = rounds->run;
    const struct kg_session session = kg_run_session(run);
    kg_probe_take(&run->probe, kg_case_pin(&session, index), &run->results);
    return kg_case_round(&session, index, rounds->confirm, err);
}

void kg_run_rounds_keep(struct kg_run *run, size_t index, size_t from, size_t count)
{
    struct kg_case_result *result = &run->results.cases[index];
    for (size_t i = 0; i < result->round_count; i++)
        if (i < from || i >= from + count)
            run->results.measured_ns -= result->rounds[i].wall_ns;
    for (size_t i = 0; i < result->series_count; i++) {
        struct kg_series *series = &result->series[i];
        if (!kg_series_by_round(series) || series->value_count != result->round_count)
            continue;
        memmove(series->values, series->values + from, count * sizeof *series->values);
        series->value_count = count;
    }
    memmove(result->rounds, result->rounds + from, count * sizeof *result->rounds);
    result->round_count = count;
}

bool kg_run_rounds(struct kg_run *run, const size_t *wanted, bool confirm, struct kg_error *err)
{
    const struct kg_rounds rounds = {.run = run,
                                     .wanted = wanted,
                                     .confirm = confirm,
                                     .confirm_after_ns = CONFIRM_AFTER_NS,
                                     .confirm_apart_ns = KG_CONFIRM_APART_NS,
                                     .one = round_alone,
                                     .shares = shares_process,
                                     .shared = rounds_grouped};
    return kg_rounds_run(&rounds, err);
}

bool kg_run_judge(struct kg_run *run, bool observes, struct kg_error *err)
{
    const struct kg_session session = kg_run_session(run);
    return (!observes || kg_cpu_ceilings_pass(&session, err)) && kg_impossible_refuse(run, err);
}

/* A case whose rounds waited too much was not measured, however small its interval is; until later
 * rounds are better. */
static void busy_judge(struct kg_results *results, struct kg_case_result *result)
{
    char words[KG_DISTURBANCE_WORDS];
    const struct kg_disturbance found = kg_disturbance_of(result);
    const bool busy = kg_disturbance_too_busy(&found);
    if (!result->round_count || !kg_case_measurable(result))
        return;
    result->status = busy ? KG_STATUS_UNMEASURED : KG_STATUS_OK;
    result->reason =
        busy ? kg_arena_copy(&results->arena, kg_disturbance_words(&found, words)) : NULL;
}

void kg_run_summarize(struct kg_run *run)
{
    struct kg_results *results = &run->results;
    for (size_t i = 0; i < results->case_count; i++) {
        struct kg_case_result *result = &results->cases[i];
        kg_case_summarize(result);
        busy_judge(results, result);
        if (result->status == KG_STATUS_UNMEASURED && !result->round_count && kg_interrupt_caught())
            result->reason = "the run was interrupted before its first round";
    }
    kg_results_shares(results);
    results->complete = !kg_interrupt_caught();
    results->elapsed_ns = kg_run_elapsed_ns(run);
}

void kg_run_end(struct kg_run *run)
{
    kg_run_summarize(run);
    kg_probe_free(&run->probe);
    if (run->launcher.interrupt == &run->own_interrupt)
        kg_interrupt_end(run->launcher.interrupt);
}

struct kg_session kg_run_session(struct kg_run *run)
{
    return (struct kg_session){.plan = run->plan,
                               .results = &run->results,
                               .launcher = &run->launcher,
                               .journal = run->journaled ? &run->journal : NULL,
                               .steps = &run->steps};
}

double kg_run_elapsed_ns(const struct kg_run *run)
{
    return (double)(kg_clock_ns() - run->started_ns);
}

int kg_run_interrupted(const struct kg_run *run)
{
    (void)run;
    return kg_interrupt_caught();
}

void kg_run_written(struct kg_run *run)
{
    if (run->journaled)
        kg_journal_remove(&run->journal);
    run->journaled = false;
}

void kg_run_free(struct kg_run *run)
{
    if (run->journaled)
        kg_journal_close(&run->journal);
    kg_probe_free(&run->probe);
    kg_arena_free(&run->results.arena);
    *run = (struct kg_run){0};
}
