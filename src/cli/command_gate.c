/* command_gate.c: the main job. Reads options and prints the summary; gate/gate.h does the work. */
#include "gate/gate.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "cli/cli.h"
#include "cli/progress_bar.h"

/* Appends lines about the builds of recorded cases, indented like the lines around them. */
static void builds_print(const struct kg_builds_outcome *builds, struct kg_text *text)
{
    struct kg_text lines = {0};
    kg_builds_outcome_text(builds, &lines);
    for (const char *line = kg_text_string(&lines); *line;) {
        const size_t length = strcspn(line, "\n");
        kg_text_printf(text, "  %.*s\n", (int)length, line);
        line += length + (line[length] == '\n');
    }
    kg_text_free(&lines);
}

static void reports_line(const struct kg_arguments *arguments, const struct kg_gate *gate,
                         const char *directory, struct kg_text *text)
{
    struct kg_text more = {0};
    kg_text_append(&more, ", results.json");
    if (gate->results->shard.count)
        kg_text_append(&more, ", baseline.json");
    if (gate->settled.pairs.base)
        kg_text_append(&more, "; pairs: base.json, head.json");
    kg_reports_line(arguments, directory, kg_text_string(&more), text);
    kg_text_free(&more);
}

static bool summary_print(const struct kg_arguments *arguments, const struct kg_gate *gate,
                          const char *directory, struct kg_error *err)
{
    struct kg_text text = {0};
    bool good = kg_comparison_summary(&gate->comparison, kg_suggestions_made(&gate->suggestions),
                                      arguments, &text, err);
    if (!arguments->json && gate->recorded)
        kg_text_printf(&text, "\n  recorded %zu new case%s in %s/%s.json\n", gate->recorded,
                       gate->recorded == 1 ? "" : "s", kg_baseline_directory(arguments),
                       gate->results->machine.fingerprint);
    if (!arguments->json && gate->recorded)
        builds_print(&gate->builds, &text);
    if (!arguments->json && !arguments->quiet)
        reports_line(arguments, gate, directory, &text);
    good = good && kg_print(&text, err);
    kg_text_free(&text);
    return good;
}

static int status_of(const struct kg_gate *gate, bool good, const char *directory,
                     const struct kg_error *err)
{
    const int interrupted = gate->signal ? kg_interrupted(gate->signal, gate->results_path) : 0;
    if (!good) /* if only a later step failed, the report of the verdict stays */
        return gate->decided ? kg_fail(err) : kg_fail_reported(directory, err);
    return interrupted ? interrupted : (int)gate->comparison.exit_status;
}

/* Reads the prior of the same commit: one from the change under test could hide a slowdown in noise. */
static bool stored_prior_read(struct kg_prepared *prepared, struct kg_gate_stored *stored,
                              struct kg_error *err)
{
    struct kg_text text = {0};
    bool there;
    stored->prior_path = kg_stored_prior_path(&prepared->arena, stored->path);
    if (!kg_trust_read(&prepared->trust, stored->prior_path, KG_TRUST_OTHER, &text, &there, err)) {
        kg_text_free(&text);
        return false;
    }
    kg_arena_own(&prepared->arena, text.data);
    stored->prior_bytes = there ? kg_text_string(&text) : NULL;
    stored->prior_length = text.length;
    return true;
}

/* Reads the trusted baseline of this machine if the store is inside the repository. No change can edit a store outside.
 * stored  its `place` stays NULL if kgate uses the store itself */
static bool stored_read(const struct kg_arguments *arguments, struct kg_prepared *prepared,
                        struct kg_gate_stored *stored, struct kg_error *err)
{
    struct kg_text text = {0};
    bool inside, there;
    *stored = (struct kg_gate_stored){0};
    if (!prepared->trusted)
        return true;
    const char *path = kg_baseline_path(&prepared->arena, kg_baseline_directory(arguments),
                                        prepared->machine.fingerprint);
    kg_trust_inside(&prepared->trust, path, &inside);
    if (!inside)
        return true;
    if (arguments->update_missing)
        return kg_error_set(err, KG_ERROR_USAGE,
                            "--update-missing would record into the working tree. Record after the "
                            "merge, or keep the baselines outside the repository");
    if (!kg_trust_read(&prepared->trust, path, KG_TRUST_OTHER, &text, &there, err)) {
        kg_text_free(&text);
        return false;
    }
    kg_arena_own(&prepared->arena, text.data);
    *stored = (struct kg_gate_stored){.path = path,
                                      .bytes = there ? kg_text_string(&text) : NULL,
                                      .length = text.length,
                                      .place = prepared->trust.words};
    return stored_prior_read(prepared, stored, err);
}

/* Prints the verdict without its reports, before kgate waits for another process. */
static void verdict_print(void *user, const struct kg_comparison *comparison)
{
    struct kg_text text = {0};
    const struct kg_report_style style = {.quiet = true, .top = 10};
    struct kg_error ignored; /* the summary follows later */
    kg_progress_bar_clear(user);
    kg_report_comparison(comparison, NULL, &style, &text);
    kg_file_print(stderr, &text, &ignored);
    kg_text_free(&text);
}

static int measure(const struct kg_arguments *arguments, const char *directory,
                   const struct kg_prepared *prepared, struct kg_gate_options *options)
{
    const struct kg_prepared_suite what = kg_prepared_what(prepared);
    struct kg_progress_bar bar;
    struct kg_gate gate;
    struct kg_error err, printing;
    options->warned = (struct kg_warning){kg_progress_bar_note, &bar};
    options->waits = verdict_print;
    options->waits_user = &bar;
    options->progress = kg_progress_bar_start(&bar, arguments);
    bool good = kg_gate_run(&what, options, &gate, &err);
    kg_progress_bar_clear(&bar);
    if (gate.decided && !summary_print(arguments, &gate, directory, good ? &err : &printing))
        good = false;
    const int status = status_of(&gate, good, directory, &err);
    kg_gate_free(&gate);
    return status;
}

static int gate_run(const struct kg_arguments *arguments, const char *directory, void *user)
{
    (void)user;
    struct kg_prepared prepared;
    struct kg_gate_stored stored;
    struct kg_error err;
    struct kg_gate_options options = {.directory = directory,
                                      .baseline_directory = kg_baseline_directory(arguments),
                                      .baselines_named = kg_baselines_named(arguments),
                                      .update_missing = arguments->update_missing,
                                      .base = arguments->base};
    if (!kg_budget_option(arguments, &options.budget_ns, &err) ||
        !kg_builds_option(arguments, KG_BUILDS_MOST_DEFAULT, &options.builds_most, &err) ||
        !kg_prepare(arguments, &prepared, &err))
        return kg_fail_reported(directory, &err);
    const bool good = kg_cli_clocks_lock(arguments, &prepared, &err) &&
                      stored_read(arguments, &prepared, &stored, &err) &&
                      kg_cli_waiving_prepared(arguments, &prepared, &err);
    options.stored = stored.place ? &stored : NULL;
    options.left_out = prepared.left_out;
    options.again = prepared.shard.options;
    options.waiving = &prepared.accepted.waiving;
    const int status = good ? measure(arguments, directory, &prepared, &options)
                            : kg_fail_reported(directory, &err);
    kg_prepared_free(&prepared);
    return status;
}

int kg_cli_gate(const struct kg_arguments *given)
{
    struct kg_shard_arguments own;
    struct kg_error err;
    if (!kg_shard_arguments_make(given, true, &own, &err))
        return kg_fail_unread(KG_REPORTS_MEASURED, given->output, &err);
    const int status = kg_cli_reported(&own.arguments, gate_run, NULL);
    kg_shard_arguments_free(&own);
    return status;
}
