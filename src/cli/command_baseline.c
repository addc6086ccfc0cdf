#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/nearest.h"
#include "base/units.h"
#include "cli/cli.h"
#include "judge/baseline_store.h"
#include "judge/baseline_store_check.h"
#include "judge/build_names.h"
#include "judge/renewal.h"

/* Number of cases whose program kgate cannot keep: scripts, interpreters and system programs. */
static size_t nameless_count(const struct kg_results *results)
{
    size_t count = 0;
    for (size_t i = 0; i < results->case_count; i++)
        count += results->cases[i].status == KG_STATUS_OK && !results->cases[i].build;
    return count;
}

static void builds_append(const struct kg_results *results,
                          const struct kg_baseline_options *options, struct kg_text *text)
{
    const size_t nameless = nameless_count(results);
    if (!(options->builds_most > 0))
        return;
    kg_builds_outcome_text(options->builds, text);
    if (nameless)
        kg_text_printf(text,
                       "no build is kept for %zu case%s: a copy of a script, an interpreter or a "
                       "system program would not contain the code\n",
                       nameless, nameless == 1 ? "" : "s");
}

static bool recorded_print(const struct kg_arguments *arguments, const struct kg_results *results,
                           const struct kg_baseline_options *options, size_t added,
                           const struct kg_text *slower, struct kg_error *err)
{
    struct kg_text text = {0};
    kg_text_printf(&text, "recorded %zu case%s of suite %s in %s/%s.json%s%s\n", added,
                   added == 1 ? "" : "s", results->suite, kg_baseline_directory(arguments),
                   results->machine.fingerprint, arguments->pin ? ", pinned as " : "",
                   arguments->pin ? arguments->pin : "");
    kg_renewals_text(options->renewals, options->waivers, results->suite_path, &text);
    kg_text_append(&text, kg_text_string(slower));
    builds_append(results, options, &text);
    const bool good = kg_print(&text, err);
    kg_text_free(&text);
    return good;
}

static int update(const struct kg_arguments *arguments, struct kg_error *err)
{
    struct kg_results results;
    size_t added;
    struct kg_builds_outcome builds = {0};
    struct kg_renewals renewals = {0};
    struct kg_baseline_options options = {.pin = arguments->pin,
                                          .keep = (size_t)kg_keep_option(arguments),
                                          .renewals = &renewals,
                                          .builds = &builds};
    if (arguments->positional_count < 2) {
        kg_error_set(err, KG_ERROR_USAGE, "usage: kgate baseline update RESULTS.json [-b DIR]");
        return kg_fail(err);
    }
    if (!kg_keep_option(arguments) || (arguments->pin && !*arguments->pin)) {
        kg_error_set(err, KG_ERROR_USAGE, "--keep must be at least 1, and --pin a name");
        return kg_fail(err);
    }
    if (!kg_builds_option(arguments, KG_BUILDS_MOST_DEFAULT, &options.builds_most, err) ||
        !kg_results_load(arguments->positional[1], &results, err))
        return kg_fail(err);
    struct kg_cli_waiving waiving;
    struct kg_text slower = {0};
    options.waivers = &waiving.waivers;
    const bool good =
        kg_cli_waiving_load(arguments, results.suite_path, &waiving, err) &&
        (arguments->quiet || arguments->pin ||
         kg_stored_slower_text(arguments, &results, &waiving.waiving, &slower, err)) &&
        kg_baseline_update(kg_baseline_directory(arguments), &results, &options, &added, err) &&
        (arguments->quiet || recorded_print(arguments, &results, &options, added, &slower, err));
    kg_text_free(&slower);
    kg_renewals_free(&renewals);
    kg_cli_waiving_free(&waiving);
    kg_results_free(&results);
    return good ? KG_EXIT_PASS : kg_fail(err);
}

/* Appends ", builds kept for 3 of 12 cases". */
static void builds_print(const struct kg_stored_builds *builds, struct kg_text *text)
{
    if (!builds->cases)
        return;
    if (builds->kept == builds->cases || !builds->kept)
        kg_text_printf(text, ", %s", builds->kept ? "builds kept" : "no builds kept");
    else
        kg_text_printf(text, ", builds kept for %zu of %zu cases", builds->kept, builds->cases);
}

/* Appends ", commit v1.7.19 (main)". */
static void commit_print(const char *commit, const char *branch, struct kg_text *text)
{
    if (!commit)
        return;
    kg_text_append(text, ", commit ");
    kg_escape_terminal(text, commit, 80);
    if (!branch)
        return;
    kg_text_append(text, " (");
    kg_escape_terminal(text, branch, 80);
    kg_text_append(text, ")");
}

static bool line_print(const char *directory, const char *name, struct kg_text *text,
                       struct kg_error *err)
{
    struct kg_arena arena = {0};
    struct kg_baseline baseline;
    struct kg_stored_builds builds = {0};
    size_t pinned = 0;
    const char *path = kg_arena_printf(&arena, "%s/%s", directory, name);
    const bool good = kg_baseline_load(path, &baseline, err);
    kg_arena_free(&arena);
    if (!good)
        return false;
    for (size_t i = 0; i < baseline.run_count; i++) {
        pinned += baseline.runs[i].pin != NULL;
        kg_stored_builds_count(directory, &baseline.runs[i], &builds);
    }
    kg_escape_terminal(text, baseline.fingerprint, 80);
    kg_text_printf(text, "  %zu run%s, %zu pinned, newest %s", baseline.run_count,
                   baseline.run_count == 1 ? "" : "s", pinned,
                   baseline.run_count ? baseline.runs[baseline.run_count - 1].created : "-");
    builds_print(&builds, text);
    if (baseline.run_count)
        commit_print(baseline.runs[baseline.run_count - 1].commit,
                     baseline.runs[baseline.run_count - 1].branch, text);
    kg_text_append(text, "  ");
    kg_escape_terminal(text, baseline.machine.cpu_model, 60);
    kg_text_append(text, "\n");
    kg_baseline_free(&baseline);
    return true;
}

/* Prints the number and the total size of the kept builds. */
static bool folder_print(const char *directory, struct kg_text *text, struct kg_error *err)
{
    struct kg_arena arena = {0};
    struct kg_kept_builds builds;
    char size[KG_UNIT_BYTES];
    const bool good = kg_builds_list(&arena, directory, &builds, err);
    if (good && builds.count)
        kg_text_printf(text, "%zu build%s kept in %s/builds, %s\n", builds.count,
                       builds.count == 1 ? "" : "s", directory, kg_size_format(builds.bytes, size));
    kg_arena_free(&arena);
    return good;
}

static int list(const struct kg_arguments *arguments, struct kg_error *err)
{
    struct dirent **entries;
    struct kg_text text = {0};
    const char *directory = kg_baseline_directory(arguments);
    const int count = scandir(directory, &entries, kg_store_entry, alphasort);
    bool good = count >= 0 || errno == ENOENT
                    ? true
                    : kg_error_set(err, KG_ERROR_USAGE, "cannot read the folder '%s': %s",
                                   directory, strerror(errno));
    bool whole = true;
    struct kg_error broken;
    for (int i = 0; i < count; i++) {
        whole = line_print(directory, entries[i]->d_name, &text, whole ? &broken : err) && whole;
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    if (good && count <= 0)
        kg_text_printf(&text, "no baselines in %s\n", directory);
    else if (good)
        good = folder_print(directory, &text, err);
    good = good && kg_print(&text, err);
    kg_text_free(&text);
    if (!good)
        return kg_fail(err);
    return whole ? KG_EXIT_PASS : kg_fail(&broken); /* the readable baselines are listed */
}

/* Returns the fingerprint of --machine, or of this machine. */
static const char *fingerprint(const struct kg_arguments *arguments, struct kg_arena *arena,
                               struct kg_error *err)
{
    struct kg_machine machine;
    if (arguments->machine)
        return kg_fingerprint_check("--machine", arguments->machine, err) ? arguments->machine
                                                                          : NULL;
    return kg_machine_read(arena, NULL, &machine, err) ? machine.fingerprint : NULL;
}

/* Appends ", code changed in 2 cases" if the run differs from the run before. */
static void code_print(const struct kg_baseline *baseline, size_t run, struct kg_text *text)
{
    const size_t changes = kg_baseline_code_changes(baseline, run);
    const size_t cases = baseline->runs[run].case_count;
    if (changes == cases && cases)
        kg_text_append(text, ", code changed");
    else if (changes)
        kg_text_printf(text, ", code changed in %zu case%s", changes, changes == 1 ? "" : "s");
}

static void runs_print(const struct kg_arguments *arguments, const struct kg_baseline *baseline,
                       struct kg_text *text)
{
    for (size_t i = 0; i < baseline->run_count; i++) {
        const struct kg_baseline_run *run = &baseline->runs[i];
        if (arguments->only_suite && strcmp(run->suite, arguments->only_suite) != 0)
            continue;
        kg_text_printf(text, "%s  ", run->created);
        kg_escape_terminal(text, run->suite, 40);
        kg_text_printf(text, "  %zu case%s", run->case_count, run->case_count == 1 ? "" : "s");
        struct kg_stored_builds builds = {0};
        kg_stored_builds_count(kg_baseline_directory(arguments), run, &builds);
        builds_print(&builds, text);
        commit_print(run->commit, run->branch, text);
        code_print(baseline, i, text);
        if (run->pin) {
            kg_text_append(text, "  pinned as ");
            kg_escape_terminal(text, run->pin, 40);
        }
        kg_text_append(text, "\n");
    }
}

static int show(const struct kg_arguments *arguments, struct kg_error *err)
{
    struct kg_arena arena = {0};
    struct kg_baseline baseline = {0};
    struct kg_text text = {0};
    const char *machine = fingerprint(arguments, &arena, err);
    const char *path =
        machine ? kg_baseline_path(&arena, kg_baseline_directory(arguments), machine) : NULL;
    bool good = path && kg_baseline_load(path, &baseline, err);
    if (good && !baseline.fingerprint)
        good = kg_error_set(err, KG_ERROR_USAGE,
                            "there is no baseline '%s'; `kgate baseline record` makes one", path);
    if (good && arguments->json)
        good = kg_record_print(&kg_baseline_record, &baseline, KG_BASELINE_SCHEMA, &text, err);
    else if (good)
        runs_print(arguments, &baseline, &text);
    good = good && (arguments->json || folder_print(kg_baseline_directory(arguments), &text, err));
    good = good && kg_print(&text, err);
    kg_text_free(&text);
    kg_baseline_free(&baseline);
    kg_arena_free(&arena);
    return good ? KG_EXIT_PASS : kg_fail(err);
}

/* "removed 1 run and 2 builds, 1 of them of a history; 3 builds of a history stay (--keep-builds SIZE limits them)" */
static bool pruned_print(const struct kg_prune_outcome *outcome, struct kg_error *err)
{
    const struct kg_builds_outcome *builds = &outcome->builds;
    struct kg_text text = {0};
    kg_text_printf(&text, "removed %zu run%s", outcome->runs, outcome->runs == 1 ? "" : "s");
    if (builds->removed)
        kg_text_printf(&text, " and %zu build%s", builds->removed, builds->removed == 1 ? "" : "s");
    if (builds->removed_history)
        kg_text_printf(&text, ", %zu of them of a history", builds->removed_history);
    if (builds->history)
        kg_text_printf(&text, "; %zu build%s of a history stay%s (--keep-builds SIZE limits them)",
                       builds->history, builds->history == 1 ? "" : "s",
                       builds->history == 1 ? "s" : "");
    kg_text_append(&text, "\n");
    const bool good = kg_print(&text, err);
    kg_text_free(&text);
    return good;
}

static int prune(const struct kg_arguments *arguments, struct kg_error *err)
{
    struct kg_arena arena = {0};
    struct kg_prune_outcome outcome;
    struct kg_prune_options options = {.keep = (size_t)kg_keep_option(arguments),
                                       .pin = arguments->pin,
                                       .run = arguments->run,
                                       .suite = arguments->only_suite};
    if (arguments->run && (arguments->pin || !*arguments->run)) {
        kg_error_set(err, KG_ERROR_USAGE,
                     "--run needs a time as `kgate baseline show` prints it, and no --pin");
        return kg_fail(err);
    }
    const char *machine = fingerprint(arguments, &arena, err);
    const bool good =
        machine && kg_builds_option(arguments, INFINITY, &options.builds_most, err) &&
        kg_baseline_prune(kg_baseline_directory(arguments), machine, &options, &outcome, err) &&
        (arguments->quiet || pruned_print(&outcome, err));
    kg_arena_free(&arena);
    return good ? KG_EXIT_PASS : kg_fail(err);
}

int kg_cli_baseline(const struct kg_arguments *arguments)
{
    static const struct {
        const char *name;
        int (*run)(const struct kg_arguments *arguments, struct kg_error *err);
        bool measures; /* whether the action measures a suite */
    } actions[] = {{"record", kg_cli_baseline_record, true},
                   {"update", update, false},
                   {"list", list, false},
                   {"show", show, false},
                   {"prune", prune, false}};
    static const char *const names[] = {"record", "update", "list", "show", "prune"};
    enum { UPDATE = 1, PRUNE = 4, ACTIONS = sizeof actions / sizeof *actions };
    struct kg_error err;
    const char *wanted = arguments->positional[0];
    for (size_t i = 0; i < ACTIONS; i++) {
        if (strcmp(wanted, actions[i].name) != 0)
            continue;
        if (i != UPDATE && arguments->positional_count > 1)
            kg_error_set(&err, KG_ERROR_USAGE, "`kgate baseline %s` takes no file", wanted);
        else if (i != PRUNE && arguments->run)
            kg_error_set(&err, KG_ERROR_USAGE, "--run is for `kgate baseline prune`");
        else if (!actions[i].measures && (arguments->suite || arguments->runs != KG_RUNS_UNSET))
            kg_error_set(&err, KG_ERROR_USAGE,
                         "`kgate baseline %s` measures nothing: --suite and --runs are for "
                         "`kgate baseline record`",
                         wanted);
        else
            return actions[i].run(arguments, &err);
        return kg_fail(&err);
    }
    kg_error_unknown(&err, wanted, names, ACTIONS, "`kgate baseline` has no action '%.60s'",
                     wanted);
    return kg_fail(&err);
}
