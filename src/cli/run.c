#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/progress_bar.h"
#include "gate/allocate.h"
#include "gate/planned.h"
#include "measure/measurement.h"
#include "measure/profile_pass.h"

/* Measures every case its fewest rounds, or in their time as many as its noise asks for. */
static bool rounds_take(struct kg_measurement *measurement, const struct kg_plan *plan,
                        const double *round_ns, struct kg_error *err)
{
    size_t *wanted = calloc(plan->case_count + 1, sizeof *wanted);
    if (!wanted)
        return kg_error_memory(err);
    for (size_t i = 0; i < plan->case_count; i++)
        wanted[i] = (size_t)plan->cases[i].spec->settings.rounds_min;
    const bool good = kg_allocate_first(measurement, wanted, round_ns, err);
    free(wanted);
    return good;
}

static bool profile_take(struct kg_measurement *measurement, const char *output,
                         struct kg_error *err)
{
    const char *path = kg_profile_beside(&measurement->results.arena, output);
    return path ? kg_profile_pass(measurement, path, err) : kg_error_memory(err);
}

static int status_of(const struct kg_results *results)
{
    for (size_t i = 0; i < results->case_count; i++)
        if (results->cases[i].status == KG_STATUS_FAILED ||
            (results->cases[i].status == KG_STATUS_UNMEASURED && results->cases[i].round_count) ||
            (results->cases[i].status == KG_STATUS_SKIPPED &&
             results->policy.missing_device == KG_MISSING_FAIL))
            return KG_EXIT_FAILED;
    return results->policy.missing_device == KG_MISSING_UNDECIDED &&
                   kg_results_device_missed(results)
               ? KG_EXIT_NO_VERDICT
               : KG_EXIT_PASS;
}

static bool summary_print(const struct kg_arguments *arguments, const struct kg_results *results,
                          struct kg_error *err)
{
    struct kg_text text = {0};
    const struct kg_report_style style = kg_style(arguments);
    bool good = true;
    if (arguments->json)
        good = kg_record_print(&kg_results_record, results, KG_RESULTS_SCHEMA, &text, err);
    else
        kg_report_results_text(results, &style, &text);
    good = good && kg_print(&text, err);
    kg_text_free(&text);
    return good;
}

/* What the newest stored run says of each case. */
struct stored {
    const uint64_t *batches;
    const double *round_ns;
};

/* What a baseline is to be refreshed with must time calls in the same batches, in rounds of the
 * same length. */
static bool stored_find(const struct kg_arguments *arguments, const struct kg_prepared *prepared,
                        struct kg_arena *arena, struct stored *stored, struct kg_error *err)
{
    *stored = (struct stored){NULL, NULL};
    struct kg_baseline baseline;
    const char *path =
        kg_baseline_path(arena, kg_baseline_directory(arguments), prepared->machine.fingerprint);
    if (!path)
        return kg_error_memory(err);
    /* A broken baseline that nobody asked for is not this command's business. */
    if (!kg_baseline_load(path, &baseline, err))
        return arguments->baseline == NULL;
    const struct kg_prepared_suite what = kg_prepared_what(prepared);
    stored->batches = kg_planned_batches(arena, &what, &baseline);
    stored->round_ns = kg_planned_round_ns(arena, &what, &baseline);
    kg_baseline_free(&baseline);
    return stored->batches && stored->round_ns ? true : kg_error_memory(err);
}

static int measure(const struct kg_arguments *arguments, const struct kg_prepared *prepared,
                   const struct stored *stored, struct kg_error *err)
{
    struct kg_measurement measurement;
    struct kg_progress_bar bar;
    const struct kg_prepared_suite what = kg_prepared_what(prepared);
    const struct kg_measurement_options options = {.results_path = arguments->output,
                                                   .filter = prepared->left_out,
                                                   .batches = stored->batches,
                                                   .round_ns = stored->round_ns,
                                                   .progress =
                                                       kg_progress_bar_start(&bar, arguments)};
    if (!kg_measurement_begin(&measurement, &what, &options, err))
        return kg_fail(err);
    bool good = rounds_take(&measurement, &prepared->plan, stored->round_ns, err) &&
                kg_measurement_look(&measurement, err) &&
                (!arguments->profile || profile_take(&measurement, arguments->output, err));
    const int signal = kg_measurement_interrupted(&measurement);
    kg_measurement_end(&measurement);
    kg_progress_bar_clear(&bar);
    good = good && kg_results_write(&measurement.results, arguments->output, err);
    if (good)
        kg_measurement_written(&measurement);
    if (signal)
        fprintf(stderr, "kgate: interrupted; what was measured is in %s\n", arguments->output);
    good = good && summary_print(arguments, &measurement.results, err);
    const int status = !good    ? kg_fail(err)
                       : signal ? KG_EXIT_SIGNAL + signal
                                : status_of(&measurement.results);
    kg_measurement_free(&measurement);
    return status;
}

int kg_cli_run(const struct kg_arguments *arguments)
{
    struct kg_prepared prepared;
    struct kg_error err;
    if (!kg_prepare(arguments, &prepared, &err))
        return kg_fail(&err);
    struct kg_arena arena = {0};
    struct stored stored;
    const int status = stored_find(arguments, &prepared, &arena, &stored, &err)
                           ? measure(arguments, &prepared, &stored, &err)
                           : kg_fail(&err);
    kg_arena_free(&arena);
    kg_prepared_free(&prepared);
    return status;
}
