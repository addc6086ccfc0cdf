/* gate.c: the main job. Measure until it is clear, compare, report. */
#include <math.h>
#include <stdio.h>

#include "cli/cli.h"
#include "gate/sequence.h"
#include "measure/measurement.h"
#include "util/file.h"

struct gate {
    const struct kg_arguments *arguments;
    struct kg_prepared prepared;
    struct kg_baseline baseline;
    struct kg_measurement measurement;
    struct kg_comparison comparison;
    struct kg_suggestions suggestions;
    struct kg_progress_bar bar;
    struct kg_arena arena;
    const char *directory; /* of the reports */
    const char *results_path;
    const char *base_path; /* of the baseline's file; NULL where it had no run */
    double budget_ns;
    int signal;
    size_t recorded;
    struct kg_error err;
};

static bool sequence_measure(void *user, const size_t *wanted, bool confirm, struct kg_error *err)
{
    struct gate *gate = user;
    const bool good = kg_measurement_rounds(&gate->measurement, wanted, confirm, err);
    kg_measurement_summarize(&gate->measurement);
    return good;
}

static double sequence_elapsed(void *user)
{
    return kg_measurement_elapsed_ns(&((struct gate *)user)->measurement);
}

static bool sequence_stopped(void *user)
{
    return kg_measurement_interrupted(&((struct gate *)user)->measurement) != 0;
}

static bool sequence(struct gate *gate)
{
    const struct kg_sequence sequence = {.measure = sequence_measure,
                                         .elapsed_ns = sequence_elapsed,
                                         .stopped = sequence_stopped,
                                         .user = gate,
                                         .limits =
                                             kg_round_limits(&gate->arena, &gate->prepared.plan),
                                         .budget_ns = gate->budget_ns,
                                         .new_to_most = gate->arguments->update_missing};
    if (!sequence.limits)
        return kg_error_memory(&gate->err);
    return kg_sequence_run(&sequence, &gate->baseline, &gate->measurement.results,
                           &gate->comparison, &gate->err);
}

static bool measure(struct gate *gate)
{
    struct kg_measurement *measurement = &gate->measurement;
    bool good = sequence(gate);
    if (good && isinf(gate->budget_ns)) /* what has to end in time has no time to look around */
        good = kg_measurement_look(measurement, &gate->err);
    gate->signal = kg_measurement_interrupted(measurement);
    kg_measurement_end(measurement);
    kg_progress_bar_clear(&gate->bar);
    /* also when something broke: nothing that was measured is thrown away */
    struct kg_error write_error;
    if (kg_results_write(&measurement->results, gate->results_path,
                         good ? &gate->err : &write_error))
        kg_measurement_written(measurement);
    else
        good = false;
    return good;
}

/* Records NEW cases. An interrupted run records nothing: half a run's rounds make a poor baseline.
 */
static bool missing_record(struct gate *gate)
{
    const struct kg_baseline_options options = {.keep = KG_BASELINE_KEEP_DEFAULT,
                                                .missing_only = true};
    size_t measured = 0;
    for (size_t i = 0; i < gate->measurement.results.case_count; i++)
        measured += gate->measurement.results.cases[i].status == KG_STATUS_OK;
    if (!gate->arguments->update_missing || gate->signal || !measured)
        return true;
    return kg_baseline_update(kg_baseline_directory(gate->arguments), &gate->measurement.results,
                              &options, &gate->recorded, &gate->err);
}

/* After the verdict, and without a say in it. */
static bool suggestions_make(struct gate *gate)
{
    const struct kg_suggest_input input = {.source = gate->results_path,
                                           .base = gate->base_path,
                                           .results = &gate->measurement.results,
                                           .baseline = &gate->baseline,
                                           .comparison = &gate->comparison};
    return kg_suggest(&input, &gate->suggestions, &gate->err);
}

static bool summary_print(struct gate *gate)
{
    struct kg_text text = {0};
    bool good = kg_comparison_summary(&gate->comparison, &gate->suggestions, gate->arguments, &text,
                                      &gate->err);
    if (!gate->arguments->json) {
        if (gate->recorded)
            kg_text_printf(&text, "\n  recorded %zu new case%s in %s/%s.json\n", gate->recorded,
                           gate->recorded == 1 ? "" : "s", kg_baseline_directory(gate->arguments),
                           gate->prepared.machine.fingerprint);
        if (!gate->arguments->quiet)
            kg_text_printf(&text,
                           "  reports: %s/report.md, comparison.json, suggestions.json, "
                           "results.json\n",
                           gate->directory);
    }
    good = good && kg_print(&text, &gate->err);
    kg_text_free(&text);
    return good;
}

static int status_of(const struct gate *gate)
{
    return gate->signal ? KG_EXIT_SIGNAL + gate->signal : (int)gate->comparison.exit_status;
}

static bool gate_start(struct gate *gate)
{
    const struct kg_arguments *arguments = gate->arguments;
    gate->directory = arguments->output ? arguments->output : "out";
    gate->results_path = kg_arena_printf(&gate->arena, "%s/results.json", gate->directory);
    const char *stored = kg_baseline_path(&gate->arena, kg_baseline_directory(arguments),
                                          gate->prepared.machine.fingerprint);
    if (!gate->results_path || !stored)
        return kg_error_memory(&gate->err);
    /* Before anything is measured: a baseline that cannot be read, a folder that cannot be made. */
    if (!kg_baseline_load(stored, &gate->baseline, &gate->err) ||
        !kg_directory_make(gate->directory, &gate->err))
        return false;
    gate->base_path = gate->baseline.run_count ? stored : NULL;
    const uint64_t *batches = kg_reference_batches(&gate->arena, &gate->baseline, &gate->prepared);
    if (!batches)
        return kg_error_memory(&gate->err);
    const struct kg_prepared_suite what = kg_prepared_what(&gate->prepared);
    const struct kg_measurement_options options = {
        .results_path = gate->results_path,
        .filter = gate->prepared.left_out,
        .batches = batches,
        .sequential = true,
        .progress = kg_progress_bar_start(&gate->bar, arguments)};
    return kg_measurement_begin(&gate->measurement, &what, &options, &gate->err);
}

static int gate_run(struct gate *gate)
{
    if (!gate_start(gate))
        return kg_fail(&gate->err);
    const bool good =
        measure(gate) && missing_record(gate) && suggestions_make(gate) &&
        kg_comparison_reports(&gate->comparison, &gate->suggestions, gate->directory, &gate->err) &&
        summary_print(gate);
    if (gate->signal)
        fprintf(stderr, "kgate: interrupted; what was measured is in %s\n", gate->results_path);
    const int status = good ? status_of(gate) : kg_fail(&gate->err);
    kg_measurement_free(&gate->measurement);
    return status;
}

int kg_cli_gate(const struct kg_arguments *arguments)
{
    struct gate gate = {.arguments = arguments};
    if (!kg_budget_option(arguments, &gate.budget_ns, &gate.err) ||
        !kg_prepare(arguments, &gate.prepared, &gate.err))
        return kg_fail(&gate.err);
    const int status = gate_run(&gate);
    kg_suggestions_free(&gate.suggestions);
    kg_comparison_free(&gate.comparison);
    kg_baseline_free(&gate.baseline);
    kg_prepared_free(&gate.prepared);
    kg_arena_free(&gate.arena);
    return status;
}
