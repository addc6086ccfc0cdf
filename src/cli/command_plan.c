/* command_plan.c: divides the cases of a suite among the machines of a fleet. Reads options and prints the table;
 * gate/plan_seconds.h does the work. */
#include <stdio.h>

#include "base/escape.h"
#include "base/units.h"
#include "cli/cli.h"
#include "gate/plan_seconds.h"

enum { SHARDS_MOST = 10000 };

/* Appends a row per shard: number, cases, expected time. */
static void table_make(const struct kg_shard_plan *planned, struct kg_text *text)
{
    char duration[KG_UNIT_BYTES];
    kg_text_append(text, "  shard  cases  expected\n");
    for (size_t shard = 1; shard <= planned->shards; shard++) {
        size_t cases = 0;
        double seconds = 0;
        for (size_t i = 0; i < planned->case_count; i++) {
            const bool own = planned->cases[i].shard == shard;
            cases += own;
            seconds += own ? planned->cases[i].seconds : 0;
        }
        kg_text_printf(text, "  %5zu  %5zu  %8s\n", shard, cases,
                       kg_duration_format(1e9 * seconds, duration));
    }
}

static void summary_make(const struct kg_arguments *arguments, const struct kg_shard_plan *planned,
                         struct kg_text *text)
{
    char duration[KG_UNIT_BYTES];
    size_t known = 0;
    for (size_t i = 0; i < planned->case_count; i++)
        known += planned->cases[i].known;
    kg_escape_terminal(text, planned->suite, SIZE_MAX);
    kg_text_printf(text, ": %zu case%s on %zu shard%s, %s in all\n\n", planned->case_count,
                   planned->case_count == 1 ? "" : "s", planned->shards,
                   planned->shards == 1 ? "" : "s",
                   kg_duration_format(1e9 * planned->seconds, duration));
    table_make(planned, text);
    if (known < planned->case_count)
        kg_text_printf(
            text,
            "\n  note: %zu case%s without a stored time; kgate expects twice the minimum "
            "rounds\n",
            planned->case_count - known, planned->case_count - known == 1 ? "" : "s");
    if (!arguments->output) {
        kg_text_append(text, "\n  -o PLAN.json writes the plan\n");
        return;
    }
    kg_text_append(text, "\n  next, on each machine: kgate gate -c ");
    kg_shell_quote(text, planned->suite_path);
    if (arguments->baseline) {
        kg_text_append(text, " -b ");
        kg_shell_quote(text, arguments->baseline);
    }
    if (arguments->filter) {
        kg_text_append(text, " --filter ");
        kg_shell_quote(text, arguments->filter);
    }
    kg_text_append(text, " --shard auto --plan ");
    kg_shell_quote(text, arguments->output);
    kg_text_append(text, "\n");
}

static bool plan_print(const struct kg_arguments *arguments, const struct kg_shard_plan *planned,
                       struct kg_error *err)
{
    struct kg_text text = {0};
    bool good = !arguments->output || kg_record_save(&kg_shard_plan_record, planned, KG_PLAN_SCHEMA,
                                                     arguments->output, err);
    if (good && arguments->json)
        good = kg_record_print(&kg_shard_plan_record, planned, KG_PLAN_SCHEMA, &text, err);
    else if (good && !arguments->quiet)
        summary_make(arguments, planned, &text);
    good = good && kg_print(&text, err);
    kg_text_free(&text);
    return good;
}

int kg_cli_plan(const struct kg_arguments *arguments)
{
    struct kg_prepared prepared;
    struct kg_shard_plan planned = {0};
    struct kg_error err;
    if (!arguments->shards || arguments->shards > SHARDS_MOST) {
        kg_error_set(&err, KG_ERROR_USAGE, "`kgate plan` needs --shards N, from 1 to %d",
                     SHARDS_MOST);
        return kg_fail(&err);
    }
    if (!kg_prepare(arguments, &prepared, &err))
        return kg_fail(&err);
    const struct kg_prepared_suite what = kg_prepared_what(&prepared);
    planned.kgate_version = KGATE_VERSION;
    planned.suite_path = prepared.suite.path;
    const bool good = kg_fleet_plan(&what, kg_baseline_directory(arguments),
                                    (size_t)arguments->shards, &planned, &err) &&
                      plan_print(arguments, &planned, &err);
    kg_shard_plan_free(&planned);
    kg_prepared_free(&prepared);
    return good ? KG_EXIT_PASS : kg_fail(&err);
}
