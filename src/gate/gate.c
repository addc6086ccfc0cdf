#include "gate/gate.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/advice.h"
#include "base/file.h"
#include "gate/plan_settings.h"
#include "gate/round_allocation.h"
#include "gate/sequence.h"
#include "gate/shard_baseline.h"
#include "gate/start_note.h"
#include "gate/time_budget.h"
#include "judge/baseline_store.h"
#include "judge/baseline_store_check.h"
#include "judge/comparison_notes.h"
#include "judge/next_commands.h"
#include "judge/pair_merge.h"
#include "judge/unchanged_code.h"
#include "judge/verdict.h"
#include "model/baseline_index.h"
#include "run/run.h"
#include "show/formats.h"
#include "why/observe/observe.h"
#include "why/suggest.h"

/* --- Measurement until the result is clear ---------------------------------------------------- */

static bool rounds_measure(void *user, const size_t *wanted, bool confirm, struct kg_error *err)
{
    struct kg_gate *gate = user;
    struct kg_run *run = &gate->run;
    const bool first = run->results.measured_ns <= 0;
    const bool good = first ? kg_allocate_first(run, wanted, gate->round_ns, err)
                            : kg_run_rounds(run, wanted, confirm, err);
    if (good)
        return kg_run_judge(run, isinf(gate->budget_ns), err);
    kg_run_summarize(run);
    return false;
}

static void rounds_plan(void *user, size_t index, struct kg_round_plan *plan)
{
    kg_allocate_alike(&((struct kg_gate *)user)->run, index, plan);
}

static double elapsed_ns(void *user)
{
    return kg_run_elapsed_ns(&((struct kg_gate *)user)->run);
}

static bool is_stopped(void *user)
{
    return kg_run_interrupted(&((struct kg_gate *)user)->run) != 0;
}

static bool cases_settle(void *user, const struct kg_comparison *comparison, bool *done,
                         struct kg_error *err)
{
    struct kg_gate *gate = user;
    return kg_settle_run(&gate->settling, &gate->run, comparison, &gate->settled, done, err);
}

static bool sequence_run(const struct kg_prepared_suite *what,
                         const struct kg_gate_options *options, struct kg_gate *gate,
                         struct kg_error *err)
{
    const struct kg_sequence sequence = {.measure = rounds_measure,
                                         .plan = rounds_plan,
                                         .elapsed_ns = elapsed_ns,
                                         .stopped = is_stopped,
                                         .settle = cases_settle,
                                         .expected = gate->settled.expected,
                                         .user = gate,
                                         .limits = kg_planned_limits(&gate->arena, what->plan),
                                         .budget_ns = options->budget_ns,
                                         .new_to_most = options->update_missing};
    return kg_sequence_run(&sequence, &gate->baseline, &gate->run.results, &gate->comparison, err);
}

/* Also writes after a failed measurement, so that no measured round is lost. */
static bool results_write(struct kg_gate *gate, bool measured, struct kg_error *err)
{
    struct kg_error ignored; /* the measurement has reported its own error */
    if (!kg_results_write(&gate->run.results, gate->results_path, measured ? err : &ignored))
        return false;
    kg_run_written(&gate->run);
    return measured;
}

static void fewest_watch(void *user, double missing_ns)
{
    struct kg_gate *gate = user;
    kg_budget_warn(&gate->warned, elapsed_ns(gate), missing_ns, gate->budget_ns);
}

/* Takes all rounds that the verdict depends on. */
static bool measure(const struct kg_prepared_suite *what, const struct kg_gate_options *options,
                    struct kg_gate *gate, struct kg_error *err)
{
    struct kg_run *run = &gate->run;
    run->until_ns = kg_budget_end(run->started_ns, options->budget_ns);
    if (gate->warned.print)
        run->fewest = (struct kg_fewest_watch){fewest_watch, gate};
    const bool good = sequence_run(what, options, gate, err);
    kg_run_summarize(run);
    return results_write(gate, good, err);
}

/* Profiles after the verdict, which profiles cannot influence, and before the store, which keeps them. Later gates use
 * stored profiles to explain a change. */
static void profile(const struct kg_gate_options *options, struct kg_gate *gate,
                    struct kg_advice *advice)
{
    const struct kg_session session = kg_run_session(&gate->run);
    struct kg_error err;
    if (gate->decided && gate->settled.pairs.base)
        kg_ab_profile(&gate->settled.pairs, advice);
    if (gate->decided && isinf(options->budget_ns))
        kg_observe(&session, advice);
    gate->signal = kg_run_interrupted(&gate->run);
    kg_run_end(&gate->run);
    if (gate->decided)
        kg_advice_take(advice, kg_results_write(gate->results, gate->results_path, &err),
                       "results.json lacks the profiles", &err);
}

/* Input of unchanged_select. */
struct selection {
    const struct kg_baseline *baseline;
    const bool *skips;
};

static void unchanged_select(void *user, struct kg_results *results)
{
    const struct selection *selection = user;
    kg_unchanged_mark(selection->baseline, selection->skips, results);
}

static bool begin(const struct kg_prepared_suite *what, const struct kg_gate_options *options,
                  struct kg_gate *gate, struct kg_error *err)
{
    const uint64_t *batches = kg_planned_batches(&gate->arena, what, &gate->baseline);
    struct selection selection = {&gate->baseline, kg_planned_skips(&gate->arena, what->plan)};
    gate->round_ns = kg_planned_round_ns(&gate->arena, what, &gate->baseline);
    const struct kg_run_options measuring = {.results_path = gate->results_path,
                                             .filter = options->left_out,
                                             .batches = batches,
                                             .round_ns = gate->round_ns,
                                             .sequential = true,
                                             .tests = kg_planned_tests(what, &gate->baseline),
                                             .select = unchanged_select,
                                             .select_user = &selection,
                                             .progress = options->progress};
    if (!kg_run_begin(&gate->run, what, &measuring, err))
        return false;
    gate->run.results.start_note = *gate->start_note ? gate->start_note : NULL;
    gate->results = &gate->run.results;
    return true;
}

static const char no_look[] = "--budget leaves out the profiling passes, so causes and suggestions "
                              "have no hot functions and no counters";

/* --- Recording -------------------------------------------------------------------------------- */

/* Counts the measured cases that no run of the suite had when the gate began. */
static void missing_count(const struct kg_gate *gate, size_t *count)
{
    struct kg_arena scratch = {0};
    struct kg_baseline_index index;
    const struct kg_results *results = gate->results;
    kg_baseline_index_make(&scratch, &gate->baseline, results->suite, true, &index);
    *count = 0;
    for (size_t i = 0; i < results->case_count; i++) {
        const struct kg_case_result *result = &results->cases[i];
        *count += result->status == KG_STATUS_OK &&
                  !kg_baseline_index_find(&index, result->id, result->definition_hash);
    }
    kg_arena_free(&scratch);
}

/* Corrects the sentence about a first run if another gate stored new cases first. The store then lacks this gate's
 * cases. */
static bool meanwhile_note(struct kg_gate *gate, size_t missing, const char *directory,
                           struct kg_error *err)
{
    struct kg_comparison *comparison = &gate->comparison;
    if (missing <= gate->recorded)
        return true;
    if (comparison->first_run && !gate->recorded) {
        comparison->first_run = false;
        comparison->verdict_reasons[0] = "nothing recorded, nothing compared yet: another gate "
                                         "recorded these cases meanwhile";
        comparison->next = "the next `kgate gate` compares with that gate's run";
    } else {
        if (comparison->first_run)
            kg_verdict_recorded(comparison, gate->recorded);
        kg_comparison_note(
            comparison,
            kg_arena_printf(&comparison->arena,
                            "another gate recorded %zu of the new cases meanwhile, and kgate keeps "
                            "its runs",
                            missing - gate->recorded));
    }
    return kg_report_comparison_write(comparison, directory, err);
}

/* The verdict of a first run must not claim a baseline that could not be written. */
static void unrecorded_note(struct kg_gate *gate, const char *directory)
{
    struct kg_error ignored; /* the store has reported the error that counts */
    if (!gate->comparison.first_run)
        return;
    gate->comparison.first_run = false;
    gate->comparison.verdict_reasons[0] =
        "nothing recorded, nothing compared yet: kgate could not write the baseline";
    gate->comparison.next = NULL;
    kg_report_comparison_write(&gate->comparison, directory, &ignored);
}

/* Input of the callback for a locked store. */
struct wait {
    const struct kg_gate_options *options;
    const struct kg_comparison *comparison;
};

static void wait_begins(void *user)
{
    const struct wait *wait = user;
    if (wait->options->waits)
        wait->options->waits(wait->options->waits_user, wait->comparison);
}

/* Does not record an interrupted run, because too few rounds make a poor baseline. Without new cases the gate does not
 * touch the store, which may be read-only. */
static bool missing_record(const struct kg_gate_options *options, struct kg_gate *gate,
                           struct kg_error *err)
{
    struct wait waiting = {options, &gate->comparison};
    const struct kg_lock_wait wait = {wait_begins, &waiting};
    const struct kg_baseline_options recording = {
        .wait = &wait,
        .keep = KG_BASELINE_KEEP_DEFAULT,
        .missing_only = true,
        .waivers = options->waiving ? options->waiving->waivers : NULL,
        .builds_most = options->builds_most,
        .builds = &gate->builds};
    size_t missing;
    if (!options->update_missing || gate->signal)
        return true;
    missing_count(gate, &missing);
    if (!missing)
        return true;
    if (kg_baseline_update(options->baseline_directory, gate->results, &recording, &gate->recorded,
                           err))
        return meanwhile_note(gate, missing, options->directory, err);
    unrecorded_note(gate, options->directory);
    if (err->kind == KG_ERROR_USAGE) /* the error concerns the store, not the command */
        err->kind = KG_ERROR_SYSTEM;
    return false;
}

/* --- Advice ----------------------------------------------------------------------------------- */

static void suggestions_make(struct kg_gate *gate)
{
    const struct kg_suggest_input input = {.source = gate->results_path,
                                           .base = gate->base_path,
                                           .results = gate->results,
                                           .baseline = &gate->baseline,
                                           .pair_base = gate->settled.pairs.base,
                                           .pair_head = gate->settled.pairs.head,
                                           .comparison = &gate->comparison};
    kg_suggest(&input, &gate->suggestions);
}

/* Runs after the verdict and the store, so a failure here only adds a note. */
static void advise(const struct kg_gate_options *options, struct kg_gate *gate,
                   struct kg_advice *advice)
{
    suggestions_make(gate);
    const struct kg_report_subject subject = {
        .comparison = &gate->comparison,
        .suggestions = kg_suggestions_made(&gate->suggestions),
        .results = gate->results,
        .baseline = gate->baseline.run_count ? &gate->baseline : NULL,
        .pair_base = gate->settled.pairs.base,
        .pair_head = gate->settled.pairs.head};
    kg_report_files_write(&subject, options->directory, advice);
}

/* --- The whole gate --------------------------------------------------------------------------- */

static bool settling_start(const struct kg_prepared_suite *what,
                           const struct kg_gate_options *options, struct kg_gate *gate,
                           struct kg_error *err)
{
    if (options->base && !kg_build_resolve(&gate->arena, "--base", options->base, &gate->base, err))
        return false;
    gate->settling = (struct kg_settling){.what = what,
                                          .baseline = &gate->baseline,
                                          .store = options->baseline_directory,
                                          .base = options->base ? &gate->base : NULL,
                                          .directory = options->directory,
                                          .budget_ns = options->budget_ns,
                                          .progress = options->progress};
    kg_settle_start(&gate->settling, &gate->settled);
    return true;
}

static bool stored_load(const struct kg_prepared_suite *what, const struct kg_gate_options *options,
                        const char *path, struct kg_gate *gate, struct kg_error *err)
{
    if (!kg_store_check(options->baseline_directory, err) ||
        !kg_baseline_load(path, &gate->baseline, err) ||
        !kg_stored_prior_load(&gate->baseline.arena, path, what->machine->fingerprint,
                              &gate->baseline.prior, err))
        return false;
    gate->base_path = gate->baseline.run_count ? path : NULL;
    kg_store_missing(&gate->arena, options->baseline_directory, what->machine->fingerprint,
                     what->suite->name, &gate->baseline, &gate->baseline.missing);
    return true;
}

/* Reads a baseline from outside the store. */
static bool stored_parse(const struct kg_prepared_suite *what, const struct kg_gate_stored *stored,
                         struct kg_gate *gate, struct kg_error *err)
{
    struct kg_baseline *baseline = &gate->baseline;
    if (stored->bytes &&
        !kg_baseline_parse(stored->path, stored->bytes, stored->length, baseline, err))
        return kg_error_wrap(err, "in %s", stored->place);
    if (stored->prior_bytes &&
        !kg_stored_prior_parse(&baseline->arena, stored->prior_path, stored->prior_bytes,
                               stored->prior_length, what->machine->fingerprint, &baseline->prior,
                               err))
        return kg_error_wrap(err, "in %s", stored->place);
    for (size_t i = 0; i < baseline->run_count; i++)
        if (!strcmp(baseline->runs[i].suite, what->suite->name))
            return true;
    const bool is_ignored = !stored->bytes && access(stored->path, F_OK) == 0;
    baseline->missing =
        kg_arena_printf(&gate->arena, "%s has no baseline of suite '%.200s' in '%.300s'%s",
                        stored->place, what->suite->name, stored->path,
                        is_ignored ? "; kgate ignores the file in the working tree. Commit "
                                     "baselines on that branch, or keep them outside the clone"
                                   : "");
    return true;
}

/* Steps that can fail before kgate measures. */
static bool start(const struct kg_prepared_suite *what, const struct kg_gate_options *options,
                  struct kg_gate *gate, struct kg_error *err)
{
    gate->results_path = kg_arena_printf(&gate->arena, "%s/results.json", options->directory);
    const char *stored =
        kg_baseline_path(&gate->arena, options->baseline_directory, what->machine->fingerprint);
    gate->start_note = kg_start_note(&gate->arena, what->machine);
    if (!(options->stored ? stored_parse(what, options->stored, gate, err)
                          : stored_load(what, options, stored, gate, err)) ||
        !kg_directory_make(options->directory, err))
        return false;
    gate->baseline.expected = !options->update_missing;
    gate->baseline.records = options->update_missing;
    return settling_start(what, options, gate, err);
}

/* Includes the metrics that pairs decided. */
static void waive(const struct kg_gate_options *options, struct kg_gate *gate)
{
    if (options->waiving)
        kg_comparison_waive(&gate->comparison, &gate->baseline, gate->results, options->waiving);
}

/* Decides the verdict and writes it to comparison.json, after all files that the verdict depends on. */
static bool decide(const struct kg_prepared_suite *what, const struct kg_gate_options *options,
                   struct kg_gate *gate, struct kg_error *err)
{
    const struct kg_next_source source = {.directory = options->directory,
                                          .is_measured = true,
                                          .baselines = options->baselines_named,
                                          .options = options->again};
    kg_settle_merge(&gate->settling, &gate->settled, gate->results, &gate->comparison);
    waive(options, gate);
    kg_budget_note(gate->results, options->budget_ns, &gate->comparison);
    if (!isinf(options->budget_ns))
        kg_comparison_note(&gate->comparison, no_look);
    if (*gate->start_note)
        kg_comparison_note(&gate->comparison, gate->start_note);
    kg_next_commands_make(&gate->comparison, gate->results, &source);
    return kg_shard_baseline_write(what, &gate->baseline, options->directory, err) &&
           kg_report_comparison_write(&gate->comparison, options->directory, err);
}

bool kg_gate_run(const struct kg_prepared_suite *what, const struct kg_gate_options *options,
                 struct kg_gate *gate, struct kg_error *err)
{
    struct kg_advice advice = kg_comparison_advice(&gate->comparison);
    *gate = (struct kg_gate){.warned = options->warned, .budget_ns = options->budget_ns};
    if (!start(what, options, gate, err) || !begin(what, options, gate, err))
        return false;
    gate->decided = measure(what, options, gate, err) && decide(what, options, gate, err);
    profile(options, gate, &advice);
    if (!gate->decided)
        return false;
    const bool recorded = missing_record(options, gate, err);
    if (recorded)
        kg_comparison_stands(&gate->comparison);
    advise(options, gate, &advice);
    return recorded;
}

void kg_gate_free(struct kg_gate *gate)
{
    kg_suggestions_free(&gate->suggestions);
    kg_comparison_free(&gate->comparison);
    kg_settled_free(&gate->settled);
    if (gate->results)
        kg_run_free(&gate->run);
    kg_baseline_free(&gate->baseline);
    kg_arena_free(&gate->arena);
    *gate = (struct kg_gate){0};
}
