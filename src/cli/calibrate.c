/* calibrate.c: measures a suite several times over and says what its gate is worth here. */
#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "gate/calibrate.h"
#include "measure/measurement.h"

enum { RUNS_MOST = 100 };

struct calibrate {
    const struct kg_arguments *arguments;
    struct kg_prepared prepared;
    struct kg_measurement *runs;
    size_t run_count; /* begun */
    struct kg_round_limits *limits;
    struct kg_arena arena;
    int signal;
    struct kg_error err;
};

/* Screening rounds as many as a doubtful case would have after two looks, and as many to confirm.
 */
static size_t rounds_recorded(const struct kg_round_limits *limits)
{
    return kg_sequence_next(kg_sequence_next(limits->least, limits->most), limits->most);
}

static bool run_measure(struct calibrate *calibrate)
{
    struct kg_measurement *run = &calibrate->runs[calibrate->run_count];
    const size_t count = calibrate->prepared.plan.case_count;
    const struct kg_prepared_suite what = kg_prepared_what(&calibrate->prepared);
    struct kg_progress_bar bar;
    const struct kg_measurement_options options = {
        .filter = calibrate->prepared.left_out,
        .batches = calibrate->run_count ? calibrate->runs[0].batch : NULL,
        .progress = kg_progress_bar_start(&bar, calibrate->arguments)};
    size_t *wanted = kg_arena_alloc(&calibrate->arena, count, sizeof *wanted);
    if (!wanted)
        return kg_error_memory(&calibrate->err);
    if (!kg_measurement_begin(run, &what, &options, &calibrate->err))
        return false;
    calibrate->run_count++;
    for (size_t i = 0; i < count; i++)
        wanted[i] = rounds_recorded(&calibrate->limits[i]);
    bool good = kg_measurement_rounds(run, wanted, false, &calibrate->err);
    for (size_t i = 0; i < count; i++)
        wanted[i] *= 2;
    good = good && kg_measurement_rounds(run, wanted, true, &calibrate->err);
    calibrate->signal = kg_measurement_interrupted(run);
    kg_measurement_end(run);
    kg_progress_bar_clear(&bar);
    return good;
}

/* Names the case that failed: nothing can be said of noise then. */
static bool run_good(struct calibrate *calibrate)
{
    const struct kg_results *results = &calibrate->runs[calibrate->run_count - 1].results;
    for (size_t i = 0; i < results->case_count; i++)
        if (results->cases[i].status == KG_STATUS_FAILED)
            return kg_error_set(&calibrate->err, KG_ERROR_MEASURE, "%.200s failed: %.300s",
                                results->cases[i].id, results->cases[i].reason);
    return true;
}

static bool print(struct calibrate *calibrate, const struct kg_calibration *calibration)
{
    const struct kg_arguments *arguments = calibrate->arguments;
    const struct kg_report_style style = kg_style(arguments);
    struct kg_text text = {0};
    bool good = !arguments->output ||
                kg_record_save(&kg_calibration_record, calibration, KG_CALIBRATION_SCHEMA,
                               arguments->output, &calibrate->err);
    if (good && arguments->json)
        good = kg_record_print(&kg_calibration_record, calibration, KG_CALIBRATION_SCHEMA, &text,
                               &calibrate->err);
    else if (good)
        kg_report_calibration_text(calibration, &style, &text);
    good = good && kg_print(&text, &calibrate->err);
    kg_text_free(&text);
    return good;
}

static bool conclude(struct calibrate *calibrate)
{
    struct kg_calibration calibration;
    struct kg_results *runs = kg_arena_alloc(&calibrate->arena, calibrate->run_count, sizeof *runs);
    if (!runs)
        return kg_error_memory(&calibrate->err);
    for (size_t i = 0; i < calibrate->run_count; i++)
        runs[i] = calibrate->runs[i].results;
    if (!kg_calibrate(runs, calibrate->run_count, calibrate->limits, &calibration, &calibrate->err))
        return false;
    const bool good = print(calibrate, &calibration);
    kg_calibration_free(&calibration);
    return good;
}

static bool run(struct calibrate *calibrate)
{
    const size_t wanted = (size_t)calibrate->arguments->runs;
    calibrate->runs = calloc(wanted, sizeof *calibrate->runs);
    calibrate->limits = kg_round_limits(&calibrate->arena, &calibrate->prepared.plan);
    if (!calibrate->runs || !calibrate->limits)
        return kg_error_memory(&calibrate->err);
    while (calibrate->run_count < wanted && !calibrate->signal) {
        if (!calibrate->arguments->quiet)
            fprintf(stderr, "kgate: run %zu of %zu\n", calibrate->run_count + 1, wanted);
        if (!run_measure(calibrate) || !run_good(calibrate))
            return false;
    }
    return calibrate->signal || conclude(calibrate);
}

int kg_cli_calibrate(const struct kg_arguments *arguments)
{
    struct calibrate calibrate = {.arguments = arguments};
    if (arguments->runs < 2 || arguments->runs > RUNS_MOST) {
        kg_error_set(&calibrate.err, KG_ERROR_USAGE, "--runs must be from 2 to %d", RUNS_MOST);
        return kg_fail(&calibrate.err);
    }
    if (!kg_prepare(arguments, &calibrate.prepared, &calibrate.err))
        return kg_fail(&calibrate.err);
    const bool good = run(&calibrate);
    if (calibrate.signal)
        fprintf(stderr, "kgate: interrupted; nothing is said of a part\n");
    const int status = !good              ? kg_fail(&calibrate.err)
                       : calibrate.signal ? KG_EXIT_SIGNAL + calibrate.signal
                                          : KG_EXIT_PASS;
    for (size_t i = 0; i < calibrate.run_count; i++)
        kg_measurement_free(&calibrate.runs[i]);
    free(calibrate.runs);
    kg_prepared_free(&calibrate.prepared);
    kg_arena_free(&calibrate.arena);
    return status;
}
