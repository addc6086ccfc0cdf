/* cli.h: shared parts of the subcommands. Only this room prints errors and decides exit statuses. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/error.h"
#include "base/text.h"
#include "cli/arguments.h"
#include "judge/builds.h"
#include "judge/waivers_apply.h"
#include "model/comparison.h"
#include "model/results.h"
#include "run/run.h"
#include "show/report.h"
#include "suite/plan.h"
#include "suite/trust/trust.h"
#include "why/suggestions.h"

/* Base of the exit status of an interrupted run: 128 plus the signal, as in shells. */
enum { KG_EXIT_SIGNAL = 128 };

/* Prints the error once to standard error and returns its exit status. */
int kg_fail(const struct kg_error *err);

/* Like kg_fail, but also writes a report of the error into the folder. A job that posts the report must not find an
 * older one, or none.
 * directory  NULL: the user asked for no folder */
int kg_fail_reported(const char *directory, const struct kg_error *err);

/* Reports that a subcommand leaves in the folder of --output. */
enum kg_reports {
    KG_REPORTS_NONE,
    KG_REPORTS_OF_FILES, /* reports on compared files, if --output is given */
    KG_REPORTS_MEASURED, /* reports on measurements, also without --output */
};

/* Like kg_fail_reported, for a refused command line, so that nobody takes an older report for this command's. If the
 * user named no folder, uses the default folder only if it exists.
 * output  folder of --output; NULL: not given */
int kg_fail_unread(enum kg_reports reports, const char *output, const struct kg_error *err);

/* Prints that a signal stopped the measurement. Returns the exit status.
 * path  file with the results; NULL: none */
int kg_interrupted(int signal, const char *path);

/* Calls `run` with the folder of --output, locked against other kgate processes. Removes earlier reports first, and
 * earlier results as soon as new ones exist. */
int kg_cli_reported(const struct kg_arguments *arguments,
                    int (*run)(const struct kg_arguments *arguments, const char *directory,
                               void *user),
                    void *user);

/* Returns the folder of --output, or the default folder. */
const char *kg_output_directory(const struct kg_arguments *arguments);

/* Prints text to standard output. Returns false with err if that fails (full disk, closed pipe). */
bool kg_print(const struct kg_text *text, struct kg_error *err);

/* Writes the report to --output, or to standard output. */
bool kg_output(const struct kg_arguments *arguments, const struct kg_text *text,
               struct kg_error *err);

/* Returns the style for this terminal and these arguments. */
struct kg_report_style kg_style(const struct kg_arguments *arguments);
/* Changes the style for a file: no colours, no shortened ids, no wrapped lines. */
void kg_style_for_file(struct kg_report_style *style);

/* Name of the default suite. */
#define KG_SUITE_FILE "kgate.yaml"

/* Finds the default suite in this folder or a folder above it. Stops at the folder with .git, or at the root.
 * path  in `arena`, for example "../kgate.yaml" */
bool kg_suite_find(struct kg_arena *arena, const char **path, struct kg_error *err);

/* waivers_load.c: accepted changes and quarantined cases, for the subcommands that compare. */

struct kg_prepared;

struct kg_cli_waiving {
    struct kg_arena arena;
    struct kg_waivers waivers;
    struct kg_waiving waiving; /* the waivers above, with today's date */
};

/* Reads --accepted, or the file beside the suite if it exists.
 * suite  path of the suite; NULL, "" or "-": the suite is no file, so no file is beside it.
 * own    the caller frees it with kg_cli_waiving_free, also on failure.
 * err    KG_ERROR_USAGE also if --accepted names a missing file */
bool kg_cli_waiving_load(const struct kg_arguments *arguments, const char *suite,
                         struct kg_cli_waiving *own, struct kg_error *err);
/* Fills the waiving of a prepared suite: with --trust from the trusted branch, unless --accept-from is head. Also fixes
 * the words about the trusted files, so the caller must read all other trusted files before this call. */
bool kg_cli_waiving_prepared(const struct kg_arguments *arguments, struct kg_prepared *prepared,
                             struct kg_error *err);
void kg_cli_waiving_free(struct kg_cli_waiving *own);

/* A suite with its plan on this machine. The caller frees it with kg_prepared_free. */
struct kg_prepared {
    struct kg_arena arena;
    struct kg_suite suite;
    struct kg_machine machine;
    struct kg_plan plan;
    struct kg_shard shard;           /* with --shard; else its count is 0 */
    struct kg_shard_plan shard_plan; /* with --plan; else empty */
    char *left_out;                  /* filter and shard in words, or NULL */
    bool trusted; /* whether --trust is given; the suite is then from that commit */
    struct kg_trust trust;
    struct kg_suite head;   /* suite of the working tree, which adds its new workloads */
    const char **untrusted; /* names of the new workloads */
    size_t untrusted_count;
    struct kg_cli_waiving accepted; /* empty until kg_cli_waiving_prepared */
};
bool kg_prepare(const struct kg_arguments *arguments, struct kg_prepared *prepared,
                struct kg_error *err);
/* With --lock-clocks: locks the clock of the chosen GPU until kgate ends. Without: returns true. */
bool kg_cli_clocks_lock(const struct kg_arguments *arguments, const struct kg_prepared *prepared,
                        struct kg_error *err);
/* Like kg_prepare, for a suite in memory or for `ab`.
 * yaml   the suite in memory; NULL: from the options
 * sides  two builds whose benchmarks are both asked for; NULL: only the suite's own programs are asked */
struct kg_sides;
bool kg_prepare_suite(const struct kg_arguments *arguments, const struct kg_text *yaml,
                      const struct kg_sides *sides, struct kg_prepared *prepared,
                      struct kg_error *err);
/* Reads the suite and the accepted changes of --trust alone, without plan and machine: for `merge`.
 * suite     path of the suite that was measured
 * prepared  the caller frees it, also on failure */
bool kg_prepare_trusted(const struct kg_arguments *arguments, const char *suite,
                        struct kg_prepared *prepared, struct kg_error *err);
void kg_prepared_free(struct kg_prepared *prepared);
/* Whether the trusted suite lacks the case's workload. */
bool kg_prepared_untrusted(const struct kg_prepared *prepared, const struct kg_case *planned);
/* Returns the suite in the form that a run takes. */
struct kg_prepared_suite kg_prepared_what(const struct kg_prepared *prepared);

/* Parses --budget, in ns; INFINITY if not given. */
bool kg_budget_option(const struct kg_arguments *arguments, double *ns, struct kg_error *err);

/* Returns --keep, the number of runs to keep of a baseline, or its default. */
uint64_t kg_keep_option(const struct kg_arguments *arguments);

/* Parses --keep-builds, in bytes.
 * otherwise  result if not given */
bool kg_builds_option(const struct kg_arguments *arguments, double otherwise, double *bytes,
                      struct kg_error *err);
/* Appends lines about the builds of a stored run. */
void kg_builds_outcome_text(const struct kg_builds_outcome *outcome, struct kg_text *text);

/* Prints the results to standard output: a table, or JSON with --json. */
bool kg_results_summary(const struct kg_arguments *arguments, const struct kg_results *results,
                        struct kg_error *err);

/* Appends the comparison for standard output: text, or JSON with --json. */
bool kg_comparison_summary(const struct kg_comparison *comparison,
                           const struct kg_suggestions *suggestions,
                           const struct kg_arguments *arguments, struct kg_text *text,
                           struct kg_error *err);
/* Whether that summary contains suggestions. */
bool kg_comparison_advised(const struct kg_comparison *comparison,
                           const struct kg_arguments *arguments);

/* Folder of baselines if the user names none. */
#define KG_BASELINES "baselines"
/* Returns the folder of baselines. */
const char *kg_baseline_directory(const struct kg_arguments *arguments);

/* The folder of --baseline if a later command must name it; NULL: the default. */
const char *kg_baselines_named(const struct kg_arguments *arguments);
/* Appends " NAME VALUE" to a command that the user can copy. NULL appends nothing. */
void kg_option_append(struct kg_text *text, const char *name, const char *value);
/* Appends "  reports: out/comparison.json, ...": the reports in the folder, then `more` unchanged. */
void kg_reports_line(const struct kg_arguments *arguments, const char *directory, const char *more,
                     struct kg_text *text);

/* Returns a subcommand, in the order of --help; NULL past the last. */
const struct kg_subcommand *kg_subcommand_at(size_t index);

/* `kgate baseline record`. */
int kg_cli_baseline_record(const struct kg_arguments *arguments, struct kg_error *err);

int kg_cli_ab(const struct kg_arguments *arguments);
int kg_cli_accept(const struct kg_arguments *arguments);
int kg_cli_quarantine(const struct kg_arguments *arguments);
int kg_cli_completion(const struct kg_arguments *arguments);
/* `kgate complete WORDS...`, for the scripts of `kgate completion`. Prints candidates for the last word, one per line,
 * with help after a tab. Returns 1 if the shell should complete a file name. */
int kg_cli_complete(int count, char **words);
int kg_cli_man(const struct kg_arguments *arguments);
/* `kgate --version` and its arguments. */
int kg_cli_version(int argc, char **argv);
int kg_cli_bisect(const struct kg_arguments *arguments);
int kg_cli_calibrate(const struct kg_arguments *arguments);
int kg_cli_gate(const struct kg_arguments *arguments);
int kg_cli_run(const struct kg_arguments *arguments);
int kg_cli_compare(const struct kg_arguments *arguments);
int kg_cli_merge(const struct kg_arguments *arguments);
int kg_cli_baseline(const struct kg_arguments *arguments);
int kg_cli_history(const struct kg_arguments *arguments);
int kg_cli_suggest(const struct kg_arguments *arguments);
int kg_cli_explain(const struct kg_arguments *arguments);
int kg_cli_report(const struct kg_arguments *arguments);
int kg_cli_validate(const struct kg_arguments *arguments);
int kg_cli_list(const struct kg_arguments *arguments);
int kg_cli_plan(const struct kg_arguments *arguments);
int kg_cli_import(const struct kg_arguments *arguments);
int kg_cli_init(const struct kg_arguments *arguments);
/* `init --plugin`; called by kg_cli_init. */
int kg_cli_init_plugin(const struct kg_arguments *arguments);
/* `init --demo`, likewise. */
int kg_cli_init_demo(const struct kg_arguments *arguments);
/* Adds the folder of reports to .gitignore, unless the entry exists or the folder belongs to the user. */
bool kg_cli_ignore_output(const struct kg_arguments *arguments, struct kg_error *err);
int kg_cli_doctor(const struct kg_arguments *arguments);
int kg_cli_schema(const struct kg_arguments *arguments);

/* Output of `kgate doctor --json`. */
#define KG_DOCTOR_SCHEMA "kgate.doctor.v1"
extern const struct kg_record kg_diagnosis_record;

/* Formats for --help. */
void kg_cli_report_more(struct kg_text *text);
void kg_cli_import_more(struct kg_text *text);
void kg_cli_suggest_more(struct kg_text *text);

/* shard_output.c: --shard, and the names of a shard's output. */

/* Parses --shard with the variables of this process, and names the machine. Without --shard the count is 0. Strings
 * live in `arena`. */
bool kg_shard_option(const struct kg_arguments *arguments, struct kg_arena *arena,
                     struct kg_shard *shard, struct kg_error *err);

/* Arguments of one shard. */
struct kg_shard_arguments {
    struct kg_arguments arguments;
    struct kg_arena arena; /* owns their new strings */
};
/* Copies the arguments. With `--shard auto` the files of -o and --export get the shard's label.
 * is_folder  whether -o is a folder, which then gets a folder of that name; otherwise the label is a part of its name
 * own        the caller frees it with kg_shard_arguments_free. Empty on failure. */
bool kg_shard_arguments_make(const struct kg_arguments *given, bool is_folder,
                             struct kg_shard_arguments *own, struct kg_error *err);
void kg_shard_arguments_free(struct kg_shard_arguments *own);

/* accept_list.c: lists the entries of accepted changes and quarantined cases. */

/* Appends "CASE: time up to +12.0 % is accepted until 2026-01-31", without a newline. */
void kg_accepted_line(const struct kg_waiver *waiver, struct kg_text *text);

/* Prints the entries of a kind with reason, author and dates. Marks entries that no longer apply, because of the suite
 * or of this machine's baseline. Text, or JSON with --json.
 * err  KG_ERROR_USAGE also if --accepted names a missing file */
bool kg_accepted_list(const struct kg_arguments *arguments, enum kg_waiver_kind kind,
                      const struct kg_prepared *prepared, struct kg_error *err);

/* baseline_slower.c: slower cases that `baseline update` stores. */

/* Appends one line per case that is REGRESSION or SUSPECT against the stored runs and that no entry covers. The warning
 * matters because later runs are compared with this run too. The caller calls it before the update. */
bool kg_stored_slower_text(const struct kg_arguments *arguments, const struct kg_results *results,
                           const struct kg_waiving *waiving, struct kg_text *text,
                           struct kg_error *err);
