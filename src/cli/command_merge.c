/* command_merge.c: one verdict over the shards of a fleet. Reads options and prints the summary; gate/merge.h does the
 * work. */
#include "gate/merge.h"

#include <unistd.h>

#include "base/file.h"
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

/* Reads the accepted changes: with --trust from the trusted branch, as the shards did. */
static bool waiving_read(const struct kg_arguments *arguments, const struct kg_merge *merge,
                         struct kg_prepared *prepared, struct kg_error *err)
{
    const char *suite = merge->results.suite_path;
    const char *trusted = merge->parts[0].results->shard.trust;
    if (trusted && !arguments->trust)
        return kg_error_set(err, KG_ERROR_USAGE,
                            "the shards were measured with --trust (%.200s): give merge the same "
                            "--trust",
                            trusted);
    if (arguments->trust && !trusted)
        return kg_error_set(err, KG_ERROR_USAGE,
                            "the shards were measured without --trust: give it to every shard");
    return trusted ? kg_prepare_trusted(arguments, suite, prepared, err)
                   : kg_cli_waiving_load(arguments, suite, &prepared->accepted, err);
}

/* Returns a note if accepted changes may exist elsewhere: a merge often runs in another folder. */
static const char *waiving_note(const struct kg_arguments *arguments, const struct kg_merge *merge,
                                struct kg_arena *arena)
{
    const char *suite = merge->results.suite_path;
    if (arguments->accepted || arguments->trust || !suite || !*suite || access(suite, F_OK) == 0)
        return NULL;
    return kg_arena_printf(arena,
                           "no accepted changes and no quarantine: the suite '%.200s' is not in "
                           "this folder. --accepted names their file",
                           suite);
}

/* A merge that writes into its input would replace the shard. */
static bool output_check(const struct kg_arguments *arguments, struct kg_error *err)
{
    for (size_t i = 0; i < arguments->positional_count; i++)
        if (kg_directory_same(arguments->positional[i], kg_output_directory(arguments)))
            return kg_error_set(err, KG_ERROR_USAGE,
                                "'%.300s' is an input and the folder of the reports; give another "
                                "-o",
                                arguments->positional[i]);
    return true;
}

static bool merge_make(const struct kg_arguments *arguments, struct kg_merge_options *options,
                       struct kg_merge *merge, struct kg_error *err)
{
    struct kg_prepared prepared = {0};
    bool good =
        kg_merge_read(options, merge, err) && waiving_read(arguments, merge, &prepared, err);
    if (good) {
        options->note = waiving_note(arguments, merge, &prepared.arena);
        good = kg_merge_judge(options, &prepared.accepted.waiving, merge, err);
    }
    kg_prepared_free(&prepared);
    return good;
}

static int merge_run(const struct kg_arguments *arguments, const char *directory, void *user)
{
    (void)user;
    struct kg_merge merge = {0};
    struct kg_shard_plan plan = {0};
    struct kg_error err;
    struct kg_merge_options options = {.paths = arguments->positional,
                                       .path_count = arguments->positional_count,
                                       .directory = directory,
                                       .plan_path = arguments->plan,
                                       .plan = arguments->plan ? &plan : NULL,
                                       .baselines = kg_baseline_directory(arguments),
                                       .baselines_named = kg_baselines_named(arguments)};
    if (arguments->plan && !kg_shard_plan_load(arguments->plan, NULL, 0, &plan, &err))
        return kg_fail_reported(directory, &err);
    const bool decided = merge_make(arguments, &options, &merge, &err);
    const int status = !decided ? kg_fail_reported(directory, &err)
                       : summary_print(arguments, &merge, directory, &err)
                           ? (int)merge.comparison.exit_status
                           : kg_fail(&err);
    kg_merge_free(&merge);
    kg_shard_plan_free(&plan);
    return status;
}

int kg_cli_merge(const struct kg_arguments *arguments)
{
    struct kg_error err;
    return output_check(arguments, &err) ? kg_cli_reported(arguments, merge_run, NULL)
                                         : kg_fail(&err);
}
