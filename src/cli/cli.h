/* cli.h: what the subcommands share. The only place that prints errors and decides exit
 * statuses. */
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

/* Exit status of an interrupted run: 128 plus the signal, as shells have it. */
enum { KG_EXIT_SIGNAL = 128 };

/* Prints the error once to standard error and gives the exit status it means. */
int kg_fail(const struct kg_error *err);

/* The same, and a report in the folder says it too: whoever posts the report must not find none, or
 * an older one.
 * directory  NULL: no folder was asked for */
int kg_fail_reported(const char *directory, const struct kg_error *err);

/* Which reports a subcommand leaves in the folder of --output. */
enum kg_reports {
    KG_REPORTS_NONE,
    KG_REPORTS_OF_FILES, /* of files that it compares, if --output is given */
    KG_REPORTS_MEASURED, /* of what it measures, also without --output */
};

/* The same of a command line that is refused: what an earlier command reported is not taken for this
 * one's. A folder that nobody named is left alone unless it is there.
 * output  the folder of --output; NULL: it is not given */
int kg_fail_unread(enum kg_reports reports, const char *output, const struct kg_error *err);

/* Says on standard error that a signal stopped the measuring. Returns the exit status.
 * path  a file with the results; NULL: there is none */
int kg_interrupted(int signal, const char *path);

/* Runs what measures and reports into the folder of --output: earlier reports are removed first,
 * earlier results once there are new ones, and no other kgate writes there meanwhile. */
int kg_cli_reported(const struct kg_arguments *arguments,
                    int (*run)(const struct kg_arguments *arguments, const char *directory,
                               void *user),
                    void *user);

/* Prints text to standard output; false with err where that fails (a full disk, a closed pipe). */
bool kg_print(const struct kg_text *text, struct kg_error *err);

/* The report to --output, or to standard output. */
bool kg_output(const struct kg_arguments *arguments, const struct kg_text *text,
               struct kg_error *err);

/* How to print for this terminal and these arguments. */
struct kg_report_style kg_style(const struct kg_arguments *arguments);
/* The same for a file: nothing coloured, cut or broken into lines. */
void kg_style_for_file(struct kg_report_style *style);

/* The name of a suite that is found where none is named. */
#define KG_SUITE_FILE "kgate.yaml"

/* Finds it in this folder or in those above, up to the one with .git, or the root: "../kgate.yaml".
 * path  in `arena` */
bool kg_suite_find(struct kg_arena *arena, const char **path, struct kg_error *err);

/* waivers_load.c: what was accepted and is in quarantine, as the subcommands that compare take it. */

struct kg_prepared;

struct kg_cli_waiving {
    struct kg_arena arena;
    struct kg_waivers waivers;
    struct kg_waiving waiving; /* of the above, and today */
};

/* Reads --accepted, or the file beside the suite where there is one.
 * suite  its path; NULL, "" or "-": it is no file, and has none
 * own    to be freed with kg_cli_waiving_free, also on failure
 * err    KG_ERROR_USAGE too where --accepted names no file */
bool kg_cli_waiving_load(const struct kg_arguments *arguments, const char *suite,
                         struct kg_cli_waiving *own, struct kg_error *err);
/* Fills the waiving of a suite that is prepared: with --trust from that branch, unless --accept-from head. It
 * then names the files that are trusted, so the caller reads all other trusted files before. */
bool kg_cli_waiving_prepared(const struct kg_arguments *arguments, struct kg_prepared *prepared,
                             struct kg_error *err);
void kg_cli_waiving_free(struct kg_cli_waiving *own);

/* A suite with its plan on this machine. Free with kg_prepared_free. */
struct kg_prepared {
    struct kg_arena arena;
    struct kg_suite suite;
    struct kg_machine machine;
    struct kg_plan plan;
    char *left_out; /* the filter and shard in words, or NULL */
    bool trusted;   /* --trust is given: then the suite is of that commit */
    struct kg_trust trust;
    struct kg_suite head;   /* of the working tree, whose new workloads are in the suite */
    const char **untrusted; /* their names */
    size_t untrusted_count;
    struct kg_cli_waiving accepted; /* empty until kg_cli_waiving_prepared */
};
bool kg_prepare(const struct kg_arguments *arguments, struct kg_prepared *prepared,
                struct kg_error *err);
/* The same of a suite in memory, or for `ab`.
 * yaml   NULL: as above
 * sides  two builds: the benchmarks of both are found; NULL: the suite's own programs are asked */
struct kg_sides;
bool kg_prepare_suite(const struct kg_arguments *arguments, const struct kg_text *yaml,
                      const struct kg_sides *sides, struct kg_prepared *prepared,
                      struct kg_error *err);
void kg_prepared_free(struct kg_prepared *prepared);
/* Whether --trust's suite does not have the case's workload. */
bool kg_prepared_untrusted(const struct kg_prepared *prepared, const struct kg_case *planned);
/* The same as a run takes it. */
struct kg_prepared_suite kg_prepared_what(const struct kg_prepared *prepared);

/* --budget as nanoseconds; INFINITY where it is not given. */
bool kg_budget_option(const struct kg_arguments *arguments, double *ns, struct kg_error *err);

/* --keep-builds as bytes; otherwise: where it is not given. */
bool kg_builds_option(const struct kg_arguments *arguments, double otherwise, double *bytes,
                      struct kg_error *err);
/* What became of the builds of a run that was stored, in lines. */
void kg_builds_outcome_text(const struct kg_builds_outcome *outcome, struct kg_text *text);

/* Results for standard output: a table, or JSON with --json. */
bool kg_results_summary(const struct kg_arguments *arguments, const struct kg_results *results,
                        struct kg_error *err);

/* The comparison for standard output: text, or JSON with --json. */
bool kg_comparison_summary(const struct kg_comparison *comparison,
                           const struct kg_suggestions *suggestions,
                           const struct kg_arguments *arguments, struct kg_text *text,
                           struct kg_error *err);
/* Whether that has anything of the suggestions. */
bool kg_comparison_advised(const struct kg_comparison *comparison,
                           const struct kg_arguments *arguments);

/* The folder of baselines. */
const char *kg_baseline_directory(const struct kg_arguments *arguments);
/* "  reports: out/comparison.json, ...": the reports in the folder, then `more` as it is. */
void kg_reports_line(const struct kg_arguments *arguments, const char *directory, const char *more,
                     struct kg_text *text);

/* The subcommands, in the order of --help; NULL past the last. */
const struct kg_subcommand *kg_subcommand_at(size_t index);

/* `kgate baseline record` */
int kg_cli_baseline_record(const struct kg_arguments *arguments, struct kg_error *err);

int kg_cli_ab(const struct kg_arguments *arguments);
int kg_cli_accept(const struct kg_arguments *arguments);
int kg_cli_quarantine(const struct kg_arguments *arguments);
int kg_cli_completion(const struct kg_arguments *arguments);
/* `kgate complete WORDS...`, for the scripts that `kgate completion` prints: candidates for the last word, a line
 * each, with help behind a tab. Returns 1 if the shell is to complete a file. */
int kg_cli_complete(int count, char **words);
int kg_cli_man(const struct kg_arguments *arguments);
/* `kgate --version`, and what follows it. */
int kg_cli_version(int argc, char **argv);
int kg_cli_calibrate(const struct kg_arguments *arguments);
int kg_cli_gate(const struct kg_arguments *arguments);
int kg_cli_run(const struct kg_arguments *arguments);
int kg_cli_compare(const struct kg_arguments *arguments);
int kg_cli_baseline(const struct kg_arguments *arguments);
int kg_cli_suggest(const struct kg_arguments *arguments);
int kg_cli_explain(const struct kg_arguments *arguments);
int kg_cli_report(const struct kg_arguments *arguments);
int kg_cli_validate(const struct kg_arguments *arguments);
int kg_cli_list(const struct kg_arguments *arguments);
int kg_cli_import(const struct kg_arguments *arguments);
int kg_cli_init(const struct kg_arguments *arguments);
/* `init --plugin`; called by kg_cli_init. */
int kg_cli_init_plugin(const struct kg_arguments *arguments);
/* Adds the folder of reports to .gitignore, unless it is there, or such a folder is the user's. */
bool kg_cli_ignore_output(const struct kg_arguments *arguments, struct kg_error *err);
int kg_cli_doctor(const struct kg_arguments *arguments);
int kg_cli_schema(const struct kg_arguments *arguments);

/* What `kgate doctor --json` prints. */
#define KG_DOCTOR_SCHEMA "kgate.doctor.v1"
extern const struct kg_record kg_diagnosis_record;

/* What --help says of formats. */
void kg_cli_report_more(struct kg_text *text);
void kg_cli_import_more(struct kg_text *text);
void kg_cli_suggest_more(struct kg_text *text);

/* accept_list.c: the entries of the file of accepted changes and cases in quarantine, as they are shown. */

/* "CASE: time up to +12.0 % is accepted until 2026-01-31", without a line's end. */
void kg_accepted_line(const struct kg_waiver *waiver, struct kg_text *text);

/* Prints those of a kind: what, why, who, since and until when, and which do not hold any more, in the suite
 * or because this machine's baseline has them. As text, or with --json.
 * err  KG_ERROR_USAGE too where --accepted names no file */
bool kg_accepted_list(const struct kg_arguments *arguments, enum kg_waiver_kind kind,
                      const struct kg_prepared *prepared, struct kg_error *err);

/* baseline_slower.c: cases that `baseline update` stores though they became slower. */

/* Appends a line for each case that is a REGRESSION or SUSPECT against the runs stored so far, and that no
 * entry covers: later runs are compared with it too. Before the update. */
bool kg_stored_slower_text(const struct kg_arguments *arguments, const struct kg_results *results,
                           const struct kg_waiving *waiving, struct kg_text *text,
                           struct kg_error *err);
