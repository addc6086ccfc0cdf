/* command_bisect.c: `kgate bisect`: reads options and prints; gate/bisect.h does the work. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/units.h"
#include "cli/ab_sides.h"
#include "cli/cli.h"
#include "cli/history_parts.h"
#include "cli/progress_bar.h"
#include "gate/bisect.h"
#include "run/discover.h"

static const char USUAL[] = "out/bisect"; /* folder without --output */

/* The ends are two operands, or --good and --bad. */
static bool ends_read(const struct kg_arguments *arguments, struct kg_bisect_options *options,
                      struct kg_error *err)
{
    const bool operands = arguments->positional_count == 2;
    if (arguments->positional_count && (!operands || arguments->good || arguments->bad))
        return kg_error_set(err, KG_ERROR_USAGE,
                            "give two commits, as `kgate bisect GOOD BAD` or as --good and --bad");
    options->good = operands ? arguments->positional[0] : arguments->good;
    options->bad = operands ? arguments->positional[1] : arguments->bad;
    return (options->good && options->bad) ||
           kg_error_set(err, KG_ERROR_USAGE,
                        "`kgate bisect` needs two commits: GOOD before the slowdown, and BAD after "
                        "it");
}

/* A time, or a number of builds. */
static bool budget_read(const struct kg_arguments *arguments, struct kg_bisect_options *options,
                        struct kg_error *err)
{
    uint64_t builds;
    options->budget_ns = INFINITY;
    options->builds_most = SIZE_MAX;
    if (!arguments->budget || !kg_count_parse(arguments->budget, &builds))
        return kg_budget_option(arguments, &options->budget_ns, err) ||
               kg_error_wrap(err, "give a time, or a number of builds such as 8");
    options->builds_most = (size_t)builds;
    return builds >= 3 || kg_error_set(err, KG_ERROR_USAGE,
                                       "--budget is %.60s builds, but a search needs at least 3",
                                       arguments->budget);
}

/* Finds and checks the suite and --case before any build, which may take minutes. */
static bool suite_check(const struct kg_arguments *arguments, struct kg_arena *arena,
                        const char **path, struct kg_error *err)
{
    struct kg_arguments silent = *arguments;
    struct kg_prepared prepared;
    struct kg_suite suite;
    *path = arguments->suite;
    if ((!*path && !kg_suite_find(arena, path, err)) ||
        !kg_suite_load(*path, arguments->set.at, arguments->set.count, &suite, err))
        return false;
    silent.quiet = true;
    const bool is_listed = !kg_discover_needed(&suite);
    const bool good =
        is_listed ? kg_prepare(&silent, &prepared, err)
                  : kg_plan_filter_check(&suite, arguments->filter, arguments->filter_option, err);
    if (good && is_listed)
        kg_prepared_free(&prepared);
    kg_suite_free(&suite);
    return good;
}

/* Finds the history, and opens it for a test if the user named it. The default may be absent. */
static bool history_find(const struct kg_arguments *arguments, struct kg_arena *arena,
                         const char **place, struct kg_error *err)
{
    struct kg_history_database *database = NULL;
    if (!kg_history_place(arguments, arena, place, err))
        return false;
    if (!strcmp(*place, KG_HISTORY_DEFAULT) && !arguments->history && access(*place, F_OK) != 0)
        *place = NULL;
    const bool good =
        !arguments->history || kg_history_open(*place, KG_HISTORY_READ, &database, err);
    kg_history_close(database);
    return good;
}

static void step_print(void *user, const char *line)
{
    struct kg_progress_bar *bar = user;
    struct kg_text text = {0};
    if (!bar->enabled)
        return;
    kg_progress_bar_clear(bar);
    kg_escape_terminal(&text, line, SIZE_MAX);
    fprintf(stderr, "kgate: %s\n", kg_text_string(&text));
    kg_text_free(&text);
}

static bool print(const struct kg_arguments *arguments, const struct kg_bisect *bisect,
                  struct kg_error *err)
{
    const struct kg_report_style style = kg_style(arguments);
    struct kg_text text = {0};
    bool good = true;
    if (arguments->json)
        good = kg_record_print(&kg_bisect_record, bisect, KG_BISECT_SCHEMA, &text, err);
    else
        kg_report_bisect(bisect, &style, &text);
    good = good && kg_print(&text, err);
    kg_text_free(&text);
    return good;
}

static int status_of(const struct kg_bisect *bisect)
{
    switch (bisect->state) {
    case KG_BISECT_ABSENT:
        return KG_EXIT_PASS;
    case KG_BISECT_FOUND:
    case KG_BISECT_SET_ONLY:
        return KG_EXIT_REGRESSION;
    default:
        return KG_EXIT_NO_VERDICT;
    }
}

/* Plans the suite with the benchmarks of both ends, and searches. */
static bool search(const struct kg_arguments *arguments, struct kg_bisect_search *opened,
                   const struct kg_bisect *bisect, struct kg_error *err)
{
    const struct kg_bisect_commit *commits = bisect->commits;
    const struct kg_sides sides = {
        .kind = KG_SIDES_BUILDS,
        .given = {commits[0].folder, commits[bisect->commit_count - 1].folder},
        .labels = {"the good build", "the bad build"}};
    struct kg_prepared prepared;
    if (!kg_prepare_suite(arguments, NULL, &sides, &prepared, err))
        return false;
    const struct kg_prepared_suite what = kg_prepared_what(&prepared);
    const bool good = kg_bisect_run(opened, &what, err);
    kg_prepared_free(&prepared);
    return good;
}

static bool run(const struct kg_arguments *arguments, const struct kg_bisect_options *options,
                struct kg_bisect *bisect, struct kg_error *err)
{
    struct kg_bisect_search *opened = kg_bisect_open(options, bisect, err);
    if (!opened)
        return false;
    const bool good = kg_bisect_is_over(bisect) || search(arguments, opened, bisect, err);
    kg_bisect_close(opened);
    return good;
}

int kg_cli_bisect(const struct kg_arguments *arguments)
{
    struct kg_progress_bar bar;
    struct kg_bisect bisect = {0};
    struct kg_error err;
    struct kg_arena arena = {0};
    struct kg_bisect_options options = {.build = arguments->build,
                                        .filter = arguments->filter,
                                        .directory = arguments->output ? arguments->output : USUAL,
                                        .progress = kg_progress_bar_start(&bar, arguments),
                                        .step = {step_print, &bar}};
    bool good = ends_read(arguments, &options, &err) && budget_read(arguments, &options, &err) &&
                suite_check(arguments, &arena, &options.suite_path, &err) &&
                history_find(arguments, &arena, &options.history, &err) &&
                run(arguments, &options, &bisect, &err);
    kg_progress_bar_clear(&bar);
    good = good && print(arguments, &bisect, &err);
    const int status = good ? status_of(&bisect) : kg_fail(&err);
    kg_bisect_free(&bisect);
    kg_arena_free(&arena);
    return status;
}
