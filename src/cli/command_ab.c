/* command_ab.c: two builds or two commands in interleaved rounds. Reads options and prints the summary; gate/ab.h does
 * the work. */
#include "gate/ab.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/advice.h"
#include "base/escape.h"
#include "cli/ab_sides.h"
#include "cli/cli.h"
#include "cli/export_options.h"
#include "cli/progress_bar.h"
#include "show/pair_text.h"

static void sides_line(const struct kg_sides *sides, struct kg_text *text)
{
    kg_text_append(text, "  baseline: ");
    kg_escape_terminal(text, sides->titles[0] ? sides->titles[0] : sides->given[0], SIZE_MAX);
    kg_text_append(text, ", candidate: ");
    kg_escape_terminal(text, sides->titles[1] ? sides->titles[1] : sides->given[1], SIZE_MAX);
    kg_text_append(text, "\n");
}

static bool summary_print(const struct kg_arguments *arguments, const struct kg_sides *sides,
                          const struct kg_ab *ab, const char *directory, struct kg_error *err)
{
    struct kg_text text = {0};
    const struct kg_report_style style = kg_style(arguments);
    const struct kg_report_two two = {.names = {sides->names[0], sides->names[1]},
                                      .results = {ab->base, ab->head},
                                      .comparison = &ab->comparison,
                                      .suggestions = kg_suggestions_made(&ab->suggestions)};
    const bool commands = sides->kind == KG_SIDES_COMMANDS && !arguments->json;
    bool good = true;
    if (commands)
        kg_report_two(&two, &style, &text);
    else
        good = kg_comparison_summary(&ab->comparison, kg_suggestions_made(&ab->suggestions),
                                     arguments, &text, err);
    if (!arguments->json && ab->same_code && !commands)
        kg_text_printf(&text, "  note: %zu of %zu case%s %s the same code on both sides\n",
                       ab->same_code, ab->head->case_count, ab->head->case_count == 1 ? "" : "s",
                       ab->head->case_count == 1 ? "has" : "have");
    const bool printed = !arguments->json && !arguments->quiet;
    const bool kept = sides->kind == KG_SIDES_BUILDS || arguments->output;
    if (printed && (kept || (sides->titles[0] && arguments->names.count && !commands)))
        sides_line(sides, &text);
    if (printed && kept)
        kg_reports_line(arguments, directory, ", base.json, head.json", &text);
    good = good && kg_print(&text, err);
    kg_text_free(&text);
    return good;
}

static bool shown(const struct kg_arguments *arguments, const struct kg_sides *sides,
                  const struct kg_ab *ab, const char *directory, struct kg_error *err)
{
    const struct kg_report_subject subject = {.results = ab->head,
                                              .comparison = &ab->comparison,
                                              .suggestions = kg_suggestions_made(&ab->suggestions),
                                              .top = KG_REPORT_TOP_USUAL};
    struct kg_error why;
    const bool printed = summary_print(arguments, sides, ab, directory, err);
    kg_advice_take(NULL, kg_exports_write(arguments, KG_COMPARISON_SCHEMA, &subject, &why),
                   "no export", &why);
    return printed;
}

/* Returns the exit status of the measurement. Reports an interruption. */
static int status_of(const struct kg_sides *sides, const struct kg_ab *ab)
{
    const bool commands = sides->kind == KG_SIDES_COMMANDS;
    if (ab->signal)
        return kg_interrupted(ab->signal, ab->head_path);
    /* If the old command fails, there is no comparison. If an old build fails, the candidate may have repaired it. */
    if (commands && ab->base->cases[0].status == KG_STATUS_FAILED)
        return KG_EXIT_FAILED;
    return (int)ab->comparison.exit_status;
}

/* Makes the command as given, without the limits of rounds and time and without file paths. */
static const char *again_make(const struct kg_arguments *arguments, const struct kg_shard *shard,
                              struct kg_arena *arena)
{
    const char *numbers =
        shard->count ? kg_arena_printf(arena, "%zu/%zu", shard->index, shard->count) : NULL;
    const struct {
        const char *name, *value;
    } options[] = {{"-c", arguments->suite},
                   {"--base", arguments->base},
                   {"--head", arguments->head},
                   {"--trust", arguments->trust},
                   {"--filter", arguments->filter},
                   {"--shard", numbers},
                   {"--plan", arguments->plan},
                   {"--threshold", arguments->threshold},
                   {"--min-effect", arguments->min_effect},
                   {"--warmup", arguments->warmup},
                   {"--rounds", arguments->rounds}};
    struct kg_text text = {0};
    kg_text_append(&text, arguments->shell ? "kgate ab --shell" : "kgate ab");
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        kg_option_append(&text, options[i].name, options[i].value);
    for (size_t i = 0; i < arguments->set.count; i++)
        if (strncmp(arguments->set.at[i], "rounds.max=", strlen("rounds.max=")) != 0)
            kg_option_append(&text, "--set", arguments->set.at[i]);
    for (size_t i = 0; i < arguments->names.count; i++)
        kg_option_append(&text, "--name", arguments->names.at[i]);
    if (arguments->measure_unchanged)
        kg_text_append(&text, " --measure-unchanged");
    else if (arguments->skip_unchanged)
        kg_text_append(&text, " --skip-unchanged-code");
    for (size_t i = 0; i < arguments->positional_count; i++) {
        kg_text_append(&text, " ");
        kg_shell_quote(&text, arguments->positional[i]);
    }
    const char *copy = kg_arena_copy(arena, kg_text_string(&text));
    kg_text_free(&text);
    return copy;
}

/* Whether a pipeline runs kgate. Its folders no longer exist when someone reads the report. */
static bool in_pipeline(void)
{
    static const char *const names[] = {"CI", "JENKINS_URL", "TF_BUILD"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        if (value && *value && strcmp(value, "false") != 0)
            return true;
    }
    return false;
}

static int measure(const struct kg_arguments *arguments, const char *directory,
                   const struct kg_sides *sides, struct kg_prepared *prepared, double budget_ns)
{
    struct kg_progress_bar bar;
    struct kg_ab ab;
    struct kg_error err;
    const struct kg_prepared_suite what = kg_prepared_what(prepared);
    const struct kg_ab_options options = {
        .again = in_pipeline() ? NULL : again_make(arguments, &prepared->shard, &prepared->arena),
        .alone = kg_base_lacks(sides, prepared),
        .is_filtered = arguments->filter || arguments->shard,
        .base = sides->given[0],
        .head = sides->given[1],
        .base_label = sides->labels[0],
        .head_label = sides->labels[1],
        .base_title = sides->titles[0],
        .head_title = sides->titles[1],
        .base_words = sides->words[0],
        .head_words = sides->words[1],
        .directory = directory,
        .budget_ns = budget_ns,
        .left_out = prepared->left_out,
        .waiving = &prepared->accepted.waiving,
        .warned = {kg_progress_bar_note, &bar},
        .progress = kg_progress_bar_start(&bar, arguments)};
    const bool good = kg_ab_run(&what, &options, &ab, &err);
    ab.suggestions.discarded = sides->kind != KG_SIDES_BUILDS && !arguments->output;
    kg_progress_bar_clear(&bar);
    const int status = !good ? kg_fail_reported(directory, &err)
                       : shown(arguments, sides, &ab, directory, &err)
                           ? status_of(sides, &ab)
                           : kg_fail(&err); /* the report is already written */
    kg_ab_free(&ab);
    return status;
}

static int ab_run(const struct kg_arguments *arguments, const char *directory, void *user)
{
    const struct kg_sides *sides = user;
    struct kg_prepared prepared;
    struct kg_error err;
    double budget_ns;
    if (!kg_budget_option(arguments, &budget_ns, &err) ||
        !kg_exports_check(arguments, KG_COMPARISON_SCHEMA, &err) ||
        !kg_prepare_suite(arguments, sides->yaml.length ? &sides->yaml : NULL, sides, &prepared,
                          &err))
        return kg_fail_reported(directory, &err);
    const int status = kg_cli_clocks_lock(arguments, &prepared, &err) &&
                               kg_cli_waiving_prepared(arguments, &prepared, &err)
                           ? measure(arguments, directory, sides, &prepared, budget_ns)
                           : kg_fail_reported(directory, &err);
    kg_prepared_free(&prepared);
    return status;
}

/* Two commands without -o leave no files. */
static int sides_run(const struct kg_arguments *given, struct kg_sides *sides)
{
    struct kg_shard_arguments own;
    struct kg_error err;
    if (sides->kind != KG_SIDES_BUILDS && !given->output)
        return ab_run(given, NULL, sides);
    if (!kg_shard_arguments_make(given, true, &own, &err))
        return kg_fail_unread(KG_REPORTS_MEASURED, given->output, &err);
    const int status = kg_cli_reported(&own.arguments, ab_run, sides);
    kg_shard_arguments_free(&own);
    return status;
}

int kg_cli_ab(const struct kg_arguments *arguments)
{
    struct kg_sides sides;
    struct kg_error err;
    const int status = kg_sides_read(arguments, &sides, &err)
                           ? sides_run(arguments, &sides)
                           : kg_fail_unread(KG_REPORTS_MEASURED, arguments->output, &err);
    kg_sides_free(&sides);
    return status;
}
