#include "gate/ab.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/advice.h"
#include "base/file.h"
#include "gate/foreign_library.h"
#include "gate/plan_settings.h"
#include "gate/round_allocation.h"
#include "gate/sequence.h"
#include "gate/start_note.h"
#include "gate/time_budget.h"
#include "judge/comparison_notes.h"
#include "judge/next_commands.h"
#include "run/run.h"
#include "show/formats.h"
#include "why/observe/hot_pass.h"
#include "why/observe/observe.h"
#include "why/suggest.h"

/* --- Measurement until the result is clear ---------------------------------------------------- */

/* The base gets new rounds with the candidate, so each comparison needs a new baseline. */
static bool rounds_measure(void *user, const size_t *wanted, bool confirm, struct kg_error *err)
{
    struct kg_ab *ab = user;
    if (!kg_pairing_rounds(&ab->pairing, wanted, confirm, err) ||
        !kg_run_judge(&ab->pairing.base, false, err) ||
        !kg_run_judge(&ab->pairing.head, false, err))
        return false;
    kg_baseline_free(&ab->baseline);
    kg_baseline_from_results(ab->base, &ab->baseline);
    return true;
}

static void rounds_plan(void *user, size_t index, struct kg_round_plan *plan)
{
    kg_allocate_pairs(&((struct kg_ab *)user)->pairing, index, plan);
}

static void length_set(void *user, size_t index, double measured_ns)
{
    struct kg_ab *ab = user;
    kg_pairing_round_set(&ab->pairing, index, measured_ns / 2);
}

static double elapsed_ns(void *user)
{
    return kg_run_elapsed_ns(&((struct kg_ab *)user)->pairing.base);
}

static bool is_stopped(void *user)
{
    return kg_run_interrupted(&((struct kg_ab *)user)->pairing.head) != 0;
}

static bool sequence_run(const struct kg_prepared_suite *what, double budget_ns, struct kg_ab *ab,
                         struct kg_error *err)
{
    const struct kg_sequence sequence = {.measure = rounds_measure,
                                         .plan = rounds_plan,
                                         .length_set = length_set,
                                         .elapsed_ns = elapsed_ns,
                                         .stopped = is_stopped,
                                         .user = ab,
                                         .limits = kg_planned_limits(&ab->arena, what->plan),
                                         .budget_ns = budget_ns};
    return kg_sequence_run(&sequence, &ab->baseline, ab->head, &ab->comparison, err);
}

/* Also writes after a failed measurement, so that no measured round is lost. */
static bool results_write(struct kg_ab *ab, bool measured, struct kg_error *err)
{
    struct kg_error ignored; /* the measurement has reported its own error */
    struct kg_error *writing = measured ? err : &ignored;
    if (!ab->base_path)
        return measured;
    if (!kg_results_write(ab->base, ab->base_path, writing))
        return false;
    kg_run_written(&ab->pairing.base);
    if (!kg_results_write(ab->head, ab->head_path, writing))
        return false;
    kg_run_written(&ab->pairing.head);
    return measured;
}

static void fewest_watch(void *user, double missing_ns)
{
    struct kg_ab *ab = user;
    kg_budget_warn(&ab->warned, elapsed_ns(ab), missing_ns, ab->budget_ns);
}

/* Pairs within a gate have no folders to compare. */
static bool libraries_check(const struct kg_pairing_options *options, const struct kg_ab *ab,
                            struct kg_error *err)
{
    if (!options->bases || !options->heads || !ab->base->case_count || !options->bases[0] ||
        !options->heads[0])
        return true;
    const struct kg_library_side sides[2] = {{"base", options->bases[0]->directory, ab->base},
                                             {"head", options->heads[0]->directory, ab->head}};
    return kg_foreign_library_check(sides, err);
}

bool kg_ab_measure(const struct kg_prepared_suite *what, const struct kg_pairing_options *options,
                   double budget_ns, struct kg_ab *ab, struct kg_error *err)
{
    if (!kg_pairing_begin(&ab->pairing, what, options, err))
        return false;
    ab->base = &ab->pairing.base.results;
    ab->head = &ab->pairing.head.results;
    ab->base_path = options->base_path;
    ab->head_path = options->head_path;
    kg_allocate_pairs_first(&ab->pairing);
    ab->pairing.head.until_ns = kg_budget_end(ab->pairing.base.started_ns, budget_ns);
    ab->budget_ns = budget_ns;
    if (ab->warned.print)
        ab->pairing.head.fewest = (struct kg_fewest_watch){fewest_watch, ab};
    const bool good = libraries_check(options, ab, err) && sequence_run(what, budget_ns, ab, err);
    ab->signal = kg_run_interrupted(&ab->pairing.head);
    kg_pairing_summarize(&ab->pairing);
    return results_write(ab, good, err);
}

/* Returns an array with the same build for every case. */
static const struct kg_build *const *for_all(struct kg_arena *arena, const struct kg_build *build,
                                             size_t count)
{
    const struct kg_build **builds = kg_arena_alloc(arena, count, sizeof *builds);
    for (size_t i = 0; i < count; i++)
        builds[i] = build;
    return builds;
}

static bool measure(const struct kg_prepared_suite *what, const struct kg_ab_options *options,
                    struct kg_ab *ab, struct kg_error *err)
{
    const size_t count = what->plan->case_count;
    const struct kg_pairing_options pairing = {
        .base_path = ab->base_path,
        .head_path = ab->head_path,
        .filter = options->left_out,
        .progress = options->progress,
        .bases = for_all(&ab->arena, &ab->base_build, count),
        .heads = for_all(&ab->arena, &ab->head_build, count),
        .alone = options->alone,
        .tests = options->tests ? options->tests : kg_planned_tests(what, NULL),
        .unchanged = kg_planned_unchanged(&ab->arena, what->plan)};
    return kg_ab_measure(what, &pairing, options->budget_ns, ab, err);
}

/* --- After the measurement -------------------------------------------------------------------- */

/* A case whose base failed has a verdict too: FAILED, or undecided. A case that only the candidate has is NEW. */
static bool is_compared(const struct kg_ab *ab, size_t index)
{
    const bool *alone = ab->pairing.alone;
    const bool base_ran = ab->base->cases[index].status != KG_STATUS_SKIPPED;
    return ab->base->cases[index].status == KG_STATUS_FAILED ||
           (ab->head->cases[index].status != KG_STATUS_SKIPPED &&
            (base_ran || (alone && alone[index])));
}

/* Builds without a common case are a mistake on the command line. */
static bool any_compared(const struct kg_ab *ab, struct kg_error *err)
{
    const char *reason = NULL;
    for (size_t i = 0; i < ab->head->case_count; i++) {
        const struct kg_case_result *base = &ab->base->cases[i], *head = &ab->head->cases[i];
        if (is_compared(ab, i))
            return true;
        reason = head->status == KG_STATUS_SKIPPED ? head->reason : base->reason;
    }
    return kg_error_set(err, KG_ERROR_USAGE, "no case can be compared: %s",
                        reason ? reason : "the suite has none");
}

static size_t same_code_count(const struct kg_ab *ab)
{
    size_t same = 0;
    for (size_t i = 0; i < ab->head->case_count; i++) {
        const struct kg_code_identity *base = &ab->base->cases[i].code,
                                      *head = &ab->head->cases[i].code;
        same += ab->head->cases[i].status != KG_STATUS_UNCHANGED &&
                kg_code_match(base, head) >= KG_CODE_SAME_FILE;
    }
    return same;
}

static void suggestions_make(struct kg_ab *ab)
{
    const struct kg_suggest_input input = {.source = ab->head_path ? ab->head_path : "head.json",
                                           .base = ab->base_path,
                                           .results = ab->head,
                                           .baseline = &ab->baseline,
                                           .comparison = &ab->comparison};
    kg_suggest(&input, &ab->suggestions);
}

/* Marks the cases with a changed time, which need an explanation, if kgate profiles them. Returns the estimated
 * profiling time, in ns. */
static double changed_find(const struct kg_ab *ab, const struct kg_session *base,
                           const struct kg_session *head, bool *wanted)
{
    static const double CASE_NS = 2e9; /* profiles of both builds with short calls */
    double cost_ns = 0;
    for (size_t i = 0; i < ab->comparison.case_count; i++) {
        const struct kg_case_change *change = &ab->comparison.cases[i];
        const bool changed = change->change == KG_CHANGE_REGRESSION ||
                             change->change == KG_CHANGE_SUSPECT ||
                             change->change == KG_CHANGE_IMPROVEMENT;
        if (!changed || change->order >= ab->head->case_count ||
            !kg_hot_wanted(base, change->order) || !kg_hot_wanted(head, change->order))
            continue;
        wanted[change->order] = true;
        cost_ns += fmax(CASE_NS, ab->base->cases[change->order].summary.median_ns +
                                     ab->head->cases[change->order].summary.median_ns);
    }
    return cost_ns;
}

void kg_ab_profile(struct kg_ab *ab, struct kg_advice *advice)
{
    const double left_ns = ab->budget_ns - kg_run_elapsed_ns(&ab->pairing.base);
    const struct kg_session base = kg_run_session(&ab->pairing.base);
    const struct kg_session head = kg_run_session(&ab->pairing.head);
    struct kg_error err;
    bool *wanted = kg_arena_alloc(&ab->arena, ab->head->case_count, sizeof *wanted);
    const double cost_ns = changed_find(ab, &base, &head, wanted);
    if (!(cost_ns > 0) || ab->signal)
        return;
    if (cost_ns > left_ns) {
        kg_error_set(&err, KG_ERROR_USAGE, "--budget left no time. Raise --budget");
        kg_advice_take(advice, false, "no profiles of the two builds", &err);
        return;
    }
    kg_observe_sides(&base, &head, wanted, advice);
    kg_baseline_free(&ab->baseline); /* made before the base had its profile */
    kg_baseline_from_results(ab->base, &ab->baseline);
    if (ab->base_path)
        kg_advice_take(advice, results_write(ab, true, &err),
                       "base.json and head.json lack the profiles", &err);
}

/* Runs after the verdict, so a failure here only adds a note. */
static void advise(const struct kg_ab_options *options, struct kg_ab *ab)
{
    struct kg_advice advice = kg_comparison_advice(&ab->comparison);
    kg_comparison_stands(&ab->comparison);
    kg_ab_profile(ab, &advice);
    kg_pairing_end(&ab->pairing);
    suggestions_make(ab);
    const struct kg_report_subject subject = {.comparison = &ab->comparison,
                                              .suggestions = kg_suggestions_made(&ab->suggestions),
                                              .results = ab->head,
                                              .pair_base = ab->base};
    if (options->directory)
        kg_report_files_write(&subject, options->directory, &advice);
}

static bool side_resolve(struct kg_arena *arena, const char *label, const char *given,
                         const struct kg_build *resolved, struct kg_words words,
                         struct kg_build *build, struct kg_error *err)
{
    if (resolved) {
        *build = *resolved;
        return true;
    }
    return words.count ? kg_build_of_words(arena, label, given, words, build, err)
                       : kg_build_resolve(arena, label, given, build, err);
}

/* Steps that can fail before kgate measures. */
static bool start(const struct kg_prepared_suite *what, const struct kg_ab_options *options,
                  struct kg_ab *ab, struct kg_error *err)
{
    ab->start_note = kg_start_note(&ab->arena, what->machine);
    if (options->directory) {
        ab->base_path = kg_arena_printf(&ab->arena, "%s/base.json", options->directory);
        ab->head_path = kg_arena_printf(&ab->arena, "%s/head.json", options->directory);
    }
    return side_resolve(&ab->arena, options->base_label, options->base, options->base_build,
                        options->base_words, &ab->base_build, err) &&
           side_resolve(&ab->arena, options->head_label, options->head, options->head_build,
                        options->head_words, &ab->head_build, err) &&
           (!options->directory || kg_directory_make(options->directory, err));
}

/* A program of Google Benchmark runs for a fixed time, so its own time is no measure. The note appears before kgate
 * measures for minutes. */
static void harness_note(const struct kg_ab_options *options, struct kg_ab *ab)
{
    const struct kg_build *build = kg_build_is_google_benchmark(&ab->base_build)   ? &ab->base_build
                                   : kg_build_is_google_benchmark(&ab->head_build) ? &ab->head_build
                                                                                   : NULL;
    if (!build)
        return;
    ab->harness_note = kg_arena_printf(
        &ab->arena,
        "'%s' is a Google Benchmark program. It runs for a fixed time, so its total time does not "
        "show its speed. Measure it with `format: google-benchmark` in a suite, which `kgate init` "
        "writes, and `kgate ab -c SUITE OLD NEW` (docs/adapters.md)",
        build->given);
    if (options->warned.print)
        options->warned.print(options->warned.user, ab->harness_note);
}

static void sides_keep(const struct kg_ab_options *options, struct kg_ab *ab)
{
    if (!options->base_title)
        return;
    ab->comparison.base = kg_arena_keep(&ab->comparison.arena, options->base_title);
    ab->comparison.head = kg_arena_keep(&ab->comparison.arena, options->head_title);
}

/* Sets the next step. The remedy of an UNDECIDED is this command with more of the exhausted resource: rounds or
 * budget. */
static void next_add(const struct kg_prepared_suite *what, const struct kg_ab_options *options,
                     struct kg_ab *ab)
{
    struct kg_again again = {.command = options->again,
                             .is_filtered = options->is_filtered,
                             .budget_ns = options->budget_ns};
    for (size_t i = 0; i < what->plan->case_count; i++) {
        const size_t most = what->plan->cases[i].spec->settings.rounds_max;
        again.rounds_most = most > again.rounds_most ? most : again.rounds_most;
    }
    const struct kg_next_source source = {
        .directory = options->directory, .is_measured = true, .again = &again};
    kg_undecided_again(&ab->comparison, ab->head, &again);
    kg_next_commands_make(&ab->comparison, ab->head, &source);
}

void kg_ab_apart_note(struct kg_ab *ab, struct kg_comparison *comparison)
{
    const char *first = NULL;
    char more[48] = "";
    size_t count = 0;
    for (size_t i = 0; i < ab->head->case_count; i++)
        if (ab->pairing.apart[i] && ab->head->cases[i].round_count) {
            first = first ? first : ab->head->cases[i].id;
            count++;
        }
    if (count > 1)
        snprintf(more, sizeof more, " and %zu more case%s", count - 1, count == 2 ? "" : "s");
    if (first)
        kg_comparison_note(
            comparison,
            kg_arena_printf(
                &ab->arena,
                "%.200s%s: both builds fail if they run side by side, for example because of one "
                "lock, port or file. Their rounds ran one after the other",
                first, more));
}

bool kg_ab_run(const struct kg_prepared_suite *what, const struct kg_ab_options *options,
               struct kg_ab *ab, struct kg_error *err)
{
    *ab = (struct kg_ab){.warned = options->warned};
    if (!start(what, options, ab, err))
        return false;
    harness_note(options, ab);
    if (!measure(what, options, ab, err) || !any_compared(ab, err))
        return false;
    ab->same_code = same_code_count(ab);
    if (options->waiving)
        kg_comparison_waive(&ab->comparison, &ab->baseline, ab->head, options->waiving);
    next_add(what, options, ab);
    kg_budget_note(ab->head, options->budget_ns, &ab->comparison);
    kg_ab_apart_note(ab, &ab->comparison);
    if (*ab->start_note)
        kg_comparison_note(&ab->comparison, ab->start_note);
    if (ab->harness_note)
        kg_comparison_note(&ab->comparison, ab->harness_note);
    sides_keep(options, ab);
    if (options->directory && !kg_report_comparison_write(&ab->comparison, options->directory, err))
        return false;
    advise(options, ab);
    return true;
}

void kg_ab_free(struct kg_ab *ab)
{
    kg_suggestions_free(&ab->suggestions);
    kg_comparison_free(&ab->comparison);
    kg_baseline_free(&ab->baseline); /* the baseline borrows from the base's results */
    if (ab->base) {
        kg_pairing_end(&ab->pairing);
        kg_pairing_free(&ab->pairing);
    }
    kg_arena_free(&ab->arena);
    *ab = (struct kg_ab){0};
}
