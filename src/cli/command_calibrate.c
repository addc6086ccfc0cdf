/* command_calibrate.c: how well a suite's gate works on this machine. Reads options and prints the report;
 * gate/calibrate.h does the work. */
#include <stdio.h>

#include "cli/cli.h"
#include "cli/runs_progress.h"
#include "gate/calibrate.h"

static bool print(const struct kg_arguments *arguments, const struct kg_calibration *calibration,
                  struct kg_error *err)
{
    const struct kg_report_style style = kg_style(arguments);
    struct kg_text text = {0};
    bool good = !arguments->output || kg_record_save(&kg_calibration_record, calibration,
                                                     KG_CALIBRATION_SCHEMA, arguments->output, err);
    if (good && arguments->json)
        good =
            kg_record_print(&kg_calibration_record, calibration, KG_CALIBRATION_SCHEMA, &text, err);
    else if (good)
        kg_report_calibration(calibration, &style, &text);
    good = good && kg_print(&text, err);
    kg_text_free(&text);
    return good;
}

int kg_cli_calibrate(const struct kg_arguments *arguments)
{
    struct kg_prepared prepared;
    struct kg_calibration calibration;
    struct kg_runs_shown shown = {.arguments = arguments};
    struct kg_error err;
    int signal;
    const uint64_t runs = arguments->runs == KG_RUNS_UNSET ? 6 : arguments->runs;
    if (runs < 2 || runs > KG_CALIBRATION_RUNS_MOST) {
        kg_error_set(&err, KG_ERROR_USAGE, "--runs must be from 2 to %d", KG_CALIBRATION_RUNS_MOST);
        return kg_fail(&err);
    }
    if (!kg_prepare(arguments, &prepared, &err))
        return kg_fail(&err);
    const struct kg_prepared_suite what = kg_prepared_what(&prepared);
    const struct kg_calibrate_options options = {.runs = (size_t)runs,
                                                 .left_out = prepared.left_out,
                                                 .progress = kg_runs_shown_progress(&shown),
                                                 .run_begins = kg_runs_shown_begin};
    bool good = kg_calibrate_suite(&what, &options, &calibration, &signal, &err);
    kg_progress_bar_clear(&shown.bar);
    if (good && signal)
        fprintf(stderr, "kgate: interrupted; %s\n",
                calibration.runs ? "these figures cover the complete runs"
                                 : "two complete runs are needed for a result");
    if (good && (!signal || calibration.runs))
        good = print(arguments, &calibration, &err);
    const int status = !good ? kg_fail(&err) : signal ? KG_EXIT_SIGNAL + signal : KG_EXIT_PASS;
    kg_calibration_free(&calibration);
    kg_prepared_free(&prepared);
    return status;
}
