/* command_merge.c: one verdict over the shards of a fleet. Reads options and prints the summary; gate/merge.h does the
 * work. */
#include "gate/merge.h"

#include "cli/cli.h"

static bool summary_print(const struct kg_arguments *arguments, const struct kg_merge *merge,
                          const char *directory, struct kg_error *err)
{
    struct kg_text text = {0};
    bool good = kg_comparison_summary(&merge->comparison, kg_suggestions_made(&merge->suggestions),
                                      arguments, &text, err);
    if (!arguments->json && !arguments->quiet)
        kg_reports_line(arguments, directory,
                        merge->is_pair     ? ", base.json, head.json"
                        : merge->has_pairs ? ", results.json; pairs: base.json, head.json"
                                           : ", results.json",
                        &text);
    good = good && kg_print(&text, err);
    kg_text_free(&text);
    return good;
}

static int merge_run(const struct kg_arguments *arguments, const char *directory, void *user)
{
    (void)user;
    struct kg_merge merge;
    struct kg_cli_waiving waiving = {0};
    struct kg_shard_plan plan = {0};
    struct kg_error err;
    const struct kg_merge_options options = {.paths = arguments->positional,
                                             .path_count = arguments->positional_count,
                                             .directory = directory,
                                             .plan_path = arguments->plan,
                                             .plan = arguments->plan ? &plan : NULL,
                                             .baselines = arguments->baseline};
    bool decided = false;
    if (arguments->plan && !kg_shard_plan_load(arguments->plan, NULL, 0, &plan, &err))
        return kg_fail_reported(directory, &err);
    bool good = kg_merge_read(&options, &merge, &err) &&
                kg_cli_waiving_load(arguments, merge.results.suite_path, &waiving, &err) &&
                kg_merge_judge(&options, &waiving.waiving, &merge, &err);
    if (good) {
        decided = true;
        good = summary_print(arguments, &merge, directory, &err);
    }
    const int status = good      ? (int)merge.comparison.exit_status
                       : decided ? kg_fail(&err)
                                 : kg_fail_reported(directory, &err);
    kg_cli_waiving_free(&waiving);
    kg_merge_free(&merge);
    kg_shard_plan_free(&plan);
    return status;
}

int kg_cli_merge(const struct kg_arguments *arguments)
{
    return kg_cli_reported(arguments, merge_run, NULL);
}
