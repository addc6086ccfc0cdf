/* command_baseline_record.c: one command records a baseline of several runs. Reads options and prints lines;
 * gate/baseline_record.h does the work. */
#include <stdio.h>

#include "base/escape.h"
#include "cli/cli.h"
#include "cli/runs_progress.h"
#include "gate/baseline_record.h"
#include "judge/renewal.h"

enum { RUNS_DEFAULT = 5, RUNS_MOST = 100 };

/* Returns the number of runs; 0 with err if the options are wrong. */
static size_t runs_wanted(const struct kg_arguments *arguments, struct kg_error *err)
{
    const uint64_t runs = arguments->runs == KG_RUNS_UNSET ? RUNS_DEFAULT : arguments->runs;
    if (runs < 1 || runs > RUNS_MOST)
        kg_error_set(err, KG_ERROR_USAGE, "--runs must be from 1 to %d", RUNS_MOST);
    else if (arguments->pin && (runs > 1 || !*arguments->pin))
        kg_error_set(err, KG_ERROR_USAGE, "--pin needs a name and --runs 1");
    else if (!arguments->pin && runs > kg_keep_option(arguments))
        kg_error_set(err, KG_ERROR_USAGE,
                     "--runs is %llu, but kgate keeps only %llu runs: give --keep %llu",
                     (unsigned long long)runs, (unsigned long long)kg_keep_option(arguments),
                     (unsigned long long)runs);
    else
        return (size_t)runs;
    return 0;
}

static bool stored_print(const struct kg_arguments *arguments, const struct kg_prepared *prepared,
                         const struct kg_baseline_options *storing, size_t stored, size_t cases,
                         struct kg_error *err)
{
    struct kg_text text = {0};
    if (arguments->quiet || !stored)
        return true;
    kg_text_printf(&text, "recorded %zu run%s of %zu case%s of suite ", stored,
                   stored == 1 ? "" : "s", cases, cases == 1 ? "" : "s");
    kg_escape_terminal(&text, prepared->suite.name, 80);
    kg_text_printf(&text, " in %s/%s.json\n", kg_baseline_directory(arguments),
                   prepared->machine.fingerprint);
    kg_renewals_text(storing->renewals, storing->waivers, arguments->suite, &text);
    kg_builds_outcome_text(storing->builds, &text);
    const bool good = kg_print(&text, err);
    kg_text_free(&text);
    return good;
}

static int record(const struct kg_arguments *arguments, const struct kg_prepared *prepared,
                  size_t runs, double builds_most, struct kg_error *err)
{
    const struct kg_prepared_suite what = kg_prepared_what(prepared);
    struct kg_builds_outcome builds = {0};
    struct kg_renewals renewals = {0};
    struct kg_runs_shown shown = {.arguments = arguments};
    const struct kg_store_runs_options options = {
        .directory = kg_baseline_directory(arguments),
        .runs = runs,
        .storing = {.pin = arguments->pin,
                    .keep = (size_t)kg_keep_option(arguments),
                    .waivers = &prepared->accepted.waivers,
                    .renewals = &renewals,
                    .builds_most = builds_most,
                    .builds = &builds},
        .progress = kg_runs_shown_progress(&shown),
        .run_begins = kg_runs_shown_begin};
    size_t stored, cases;
    int signal;
    bool good = kg_store_runs(&what, &options, &stored, &cases, &signal, err);
    kg_progress_bar_clear(&shown.bar);
    if (good && signal)
        fprintf(stderr, "kgate: interrupted; the %zu whole run%s of %zu %s stored\n", stored,
                stored == 1 ? "" : "s", runs, stored == 1 ? "is" : "are");
    struct kg_error printing;
    if (!stored_print(arguments, prepared, &options.storing, stored, cases, good ? err : &printing))
        good = false;
    kg_renewals_free(&renewals);
    return !good ? kg_fail(err) : signal ? KG_EXIT_SIGNAL + signal : KG_EXIT_PASS;
}

int kg_cli_baseline_record(const struct kg_arguments *arguments, struct kg_error *err)
{
    struct kg_prepared prepared;
    double builds_most;
    const size_t runs = runs_wanted(arguments, err);
    if (!runs || !kg_builds_option(arguments, KG_BUILDS_MOST_DEFAULT, &builds_most, err) ||
        !kg_prepare(arguments, &prepared, err))
        return kg_fail(err);
    const int status = kg_cli_waiving_load(arguments, prepared.suite.path, &prepared.accepted, err)
                           ? record(arguments, &prepared, runs, builds_most, err)
                           : kg_fail(err);
    kg_prepared_free(&prepared);
    return status;
}
