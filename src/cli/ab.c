/* ab.c: two builds, turn by turn. Options in, the summary out; gate/ab.h does it. */
#include "gate/ab.h"

#include <stdio.h>

#include "cli/cli.h"
#include "cli/progress_bar.h"

static bool summary_print(const struct kg_arguments *arguments, const struct kg_ab *ab,
                          const char *directory, struct kg_error *err)
{
    struct kg_text text = {0};
    bool good = kg_comparison_summary(&ab->comparison, &ab->suggestions, arguments, &text, err);
    if (!arguments->json && ab->same_code)
        kg_text_printf(&text, "  note: %zu of %zu cases have the same code on both sides\n",
                       ab->same_code, ab->head->case_count);
    if (!arguments->json && !arguments->quiet)
        kg_text_printf(&text,
                       "  base: %s, head: %s\n"
                       "  reports: %s/report.md, comparison.json, suggestions.json, base.json, "
                       "head.json\n",
                       ab->base_build.given, ab->head_build.given, directory);
    good = good && kg_print(&text, err);
    kg_text_free(&text);
    return good;
}

static int ab_run(const struct kg_arguments *arguments, const char *directory)
{
    struct kg_prepared prepared;
    struct kg_progress_bar bar;
    struct kg_ab ab;
    struct kg_error err;
    double budget_ns;
    if (!kg_budget_option(arguments, &budget_ns, &err) || !kg_prepare(arguments, &prepared, &err))
        return kg_fail_reported(directory, &err);
    const struct kg_prepared_suite what = kg_prepared_what(&prepared);
    const struct kg_ab_options options = {.base = arguments->base,
                                          .head = arguments->head,
                                          .directory = directory,
                                          .budget_ns = budget_ns,
                                          .left_out = prepared.left_out,
                                          .progress = kg_progress_bar_start(&bar, arguments)};
    bool good = kg_ab_run(&what, &options, &ab, &err);
    kg_progress_bar_clear(&bar);
    if (good && !summary_print(arguments, &ab, directory, &err)) {
        const int failed = kg_fail(&err); /* the report is there */
        kg_ab_free(&ab);
        kg_prepared_free(&prepared);
        return failed;
    }
    if (ab.signal)
        fprintf(stderr, "kgate: interrupted; what was measured is in %s\n", ab.head_path);
    const int status = !good       ? kg_fail_reported(directory, &err)
                       : ab.signal ? KG_EXIT_SIGNAL + ab.signal
                                   : (int)ab.comparison.exit_status;
    kg_ab_free(&ab);
    kg_prepared_free(&prepared);
    return status;
}

int kg_cli_ab(const struct kg_arguments *arguments)
{
    return kg_cli_reported(arguments, ab_run);
}
