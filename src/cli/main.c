/* main.c: finds the subcommand and runs it. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/nearest.h"
#include "cli/cli.h"
#include "run/worker/worker.h"

/* KGATE_PROFILE concerns only the programs that kgate runs, not kgate itself. Not const, because the compiler could
 * then use the value of the weak definition. */
bool kgate_profiler_ignores_environment = true;

static const struct kg_subcommand subcommands[] = {
    {"gate", "", 0, 0, "Measure a suite, compare it with the baseline, report, and exit by policy.",
     "suite baseline base output budget filter shard plan set device lock-clocks accepted trust "
     "accept-from update-missing keep-builds skip-unchanged-code top json quiet verbose",
     kg_cli_gate, NULL},
    {"run", "[-- COMMAND ARGUMENT...]", 0, KG_OPERANDS_ANY,
     "Measure a suite and write the results, or measure one command or kernel; compare nothing.",
     "suite kernel param matrix output baseline filter shard plan set rounds warmup export device "
     "lock-clocks "
     "trust profile json "
     "quiet "
     "verbose",
     kg_cli_run, NULL},
    {"compare", "BASE.json CANDIDATE.json", 2, 2,
     "Compare two results files, a baseline file with results, or two profiles, without measuring.",
     "output threshold set accepted top json quiet verbose", kg_cli_compare, NULL},
    {"ab", "[OLD NEW]", 0, 2,
     "Compare two commands, plugins or builds in paired rounds; needs no baseline.\n  kgate ab "
     "'./old --bench' './new --bench'     two commands, without a suite\n  kgate ab base.so "
     "head.so                     two plugins, every workload that both have\n  kgate ab -c SUITE "
     "--base A --head B          two builds by a suite: checkouts with their\n                     "
     "                          builds, kgates, plugins or programs\nkgate splits a command into "
     "words like a shell, with quotes and backslashes. It expands nothing\nand starts no shell.",
     "suite base head output budget filter shard plan threshold min-effect rounds warmup shell "
     "name "
     "export set device lock-clocks accepted trust accept-from skip-unchanged-code "
     "measure-unchanged top json "
     "quiet verbose",
     kg_cli_ab, NULL},
    {"merge", "DIR|FILE...", 1, KG_OPERANDS_ANY,
     "Judge the shards of a fleet as one run: one comparison, one verdict, all reports.\nDIR is a "
     "folder that `gate` or `ab` wrote with --shard, or a folder with such folders. FILE is of "
     "`run`.",
     "output baseline plan accepted trust accept-from top json quiet verbose", kg_cli_merge, NULL},
    {"accept", "[CASE...]", 0, KG_TEXTS_MOST,
     "Accept a change for the worse: write an entry for review, so that later gates pass.\nCASE is "
     "an id or a glob; --from without CASE accepts every case that became worse.",
     "suite because change from metric until accepted remove list baseline device json quiet",
     kg_cli_accept, NULL},
    {"quarantine", "[CASE...]", 0, KG_TEXTS_MOST,
     "Put an unstable case in quarantine: kgate measures and shows it, but it cannot fail the "
     "gate.\nCASE is an id or a glob.",
     "suite because until accepted remove list device json quiet", kg_cli_quarantine, NULL},
    {"baseline", "record|update|list|show|prune [RESULTS.json]", 1, 2,
     "Make, refresh and read the stored baselines.\n  record -c SUITE       measure the suite "
     "--runs times, and add each run\n  update RESULTS.json   add these results to the baseline of "
     "their machine\n  list                  the machines that have a baseline\n  show             "
     "     the runs of this machine's baseline\n  prune                 remove runs beyond --keep, "
     "the run pinned as --pin, or that of --run,\n                        and builds that no run "
     "uses",
     "suite runs baseline set device pin run keep keep-builds accepted only-suite machine json "
     "quiet",
     kg_cli_baseline, NULL},
    {"history", "add|list|show|changes|audit|watch|export|import|prune [CASE|FILE...]", 1,
     KG_OPERANDS_ANY,
     "Keep many runs of many commits and machines in a database: SQLite or PostgreSQL.\n"
     "  add RESULTS.json...     add results, one point per case and metric; twice is harmless\n"
     "  list                    the runs\n"
     "  show CASE               values of a case over its runs, on each machine\n"
     "  changes                 steps of the values, with causes\n"
     "  audit                   false alarms, and the smallest visible changes\n"
     "  watch                   this machine's suspected changes; --confirm measures both builds\n"
     "  export                  all points, as CSV or JSON; or the prior\n"
     "  import FILE...          add the runs of CSV files of export, or results\n"
     "  import DATABASE         copy a whole history into a new one\n"
     "  prune --keep N          remove older runs; --run TIME: this run, or its hash\n"
     "`watch --confirm` exits 1 after a confirmed regression, 3 if a build fails, 4 if a measured "
     "change\nstays undecided.",
     "suite history baseline budget filter set device only-suite machine metric kind last run "
     "keep keep-builds confirm all format output top json quiet",
     kg_cli_history, NULL},
    {"bisect", "[GOOD BAD]", 0, 2,
     "Find the commit that made a case slower.\n"
     "Builds commits, and measures them in paired rounds against GOOD. bisect.json in the folder "
     "of\n"
     "--output has every step, so a killed search goes on.",
     "suite case good bad build! history output budget set device json quiet verbose",
     kg_cli_bisect, NULL},
    {"calibrate", "", 0, 0,
     "Measure a suite against itself: its false alarms here, and the smallest change it detects.",
     "suite output runs filter shard set device json quiet", kg_cli_calibrate, NULL},
    {"report", "FILE...", 1, KG_OPERANDS_ANY,
     "Print a report of a file that kgate saved.\nResults of several machines: a table per case. "
     "With --format html several files become one page.",
     "format columns by across against plot filter output top quiet verbose", kg_cli_report,
     kg_cli_report_more},
    {"import", "FILE...", 1, KG_TEXTS_MOST,
     "Convert files of other benchmark harnesses to results. Each file is one process, so one "
     "round.",
     "output! format name machine set json quiet verbose", kg_cli_import, kg_cli_import_more},
    {"suggest", "RESULTS.json | --rules [RULE]", 0, 1,
     "Name the bottleneck of each case and suggest remedies, from saved results or a profile.",
     "only type rules top filter base set format output json quiet verbose", kg_cli_suggest,
     kg_cli_suggest_more},
    {"explain", "[CASE] RESULTS.json", 1, 2,
     "Show everything about one case of saved results.\nCASE is its id, a part of it, or a glob; "
     "leave it out if the results have only one case.",
     "base set output json quiet", kg_cli_explain, NULL},
    {"validate", "", 0, 0, "Check a suite without measuring.", "suite set device quiet",
     kg_cli_validate, NULL},
    {"list", "", 0, 0, "List the cases of a suite.",
     "suite filter shard plan set device trust json quiet verbose", kg_cli_list, NULL},
    {"plan", "", 0, 0, "Divide the cases of a suite among the machines of a fleet.",
     "suite shards baseline filter set device trust output json quiet", kg_cli_plan, NULL},
    {"doctor", "", 0, 0, "Find sources of noise on this machine, and how to fix them.",
     "device seconds json quiet", kg_cli_doctor, NULL},
    {"schema", "[NAME]", 0, 1,
     "Print the JSON Schema of a kind of file, or list the kinds; --format markdown lists every "
     "field.",
     "format", kg_cli_schema, NULL},
    {"completion", "bash|zsh|fish", 1, 1, "Print a script that completes kgate's command line.", "",
     kg_cli_completion, NULL},
    {"man", "", 0, 0, "Print the manual page, in roff: `kgate man | man -l -`.", "", kg_cli_man,
     NULL},
    {"init", "[SUITE.yaml]", 0, 1,
     "Find benchmarks here; write a suite for them (default: kgate.yaml) and a workflow.",
     "plugin demo dry-run no-cmake force quiet", kg_cli_init, NULL},
};
enum { SUBCOMMAND_COUNT = sizeof subcommands / sizeof *subcommands };

const struct kg_subcommand *kg_subcommand_at(size_t index)
{
    return index < SUBCOMMAND_COUNT ? &subcommands[index] : NULL;
}

static void help(void)
{
    printf("kgate %s: a performance gate for CUDA and CPU code\n\n"
           "usage: kgate SUBCOMMAND [options]\n\n",
           KGATE_VERSION);
    for (size_t i = 0; i < SUBCOMMAND_COUNT; i++)
        printf("  %-10s %.*s\n", subcommands[i].name, (int)strcspn(subcommands[i].summary, "\n"),
               subcommands[i].summary);
    printf("\n`kgate SUBCOMMAND --help` says more.\n\n"
           "exit status: 0 pass, 1 regression, 2 bad usage, suite or file, 3 a workload failed or\n"
           "could not be measured, 4 undecided, 130 or 143 interrupted\n");
}

static int unknown(const char *name)
{
    const char *names[SUBCOMMAND_COUNT];
    char meant[KG_MEANT_BYTES];
    struct kg_error err;
    for (size_t i = 0; i < SUBCOMMAND_COUNT; i++)
        names[i] = subcommands[i].name;
    kg_error_set(&err, KG_ERROR_USAGE,
                 "there is no subcommand '%.60s'%s; `kgate --help` lists them", name,
                 kg_meant(meant, name, names, SUBCOMMAND_COUNT));
    return kg_fail(&err);
}

/* Raises a soft limit to `least`, at most to the hard limit. Returns the resulting limit. */
static rlim_t limit_raise(__rlimit_resource_t resource, rlim_t least)
{
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0 || limit.rlim_cur >= least)
        return least;
    limit.rlim_cur = limit.rlim_max < least ? limit.rlim_max : least;
    setrlimit(resource, &limit);
    return limit.rlim_cur;
}

/* A small stack would cause a segmentation fault. If too few files are allowed, opening one reports an error. */
static bool limits_raise(struct kg_error *err)
{
    enum { STACK_BYTES = 1024 * 1024, FILES = 64 };
    limit_raise(RLIMIT_NOFILE, FILES);
    const rlim_t stack = limit_raise(RLIMIT_STACK, STACK_BYTES);
    return stack >= STACK_BYTES ||
           kg_error_set(err, KG_ERROR_SYSTEM,
                        "the limit on the stack is %llu KiB, and kgate needs %d KiB: raise it "
                        "(`ulimit -s %d`)",
                        (unsigned long long)stack / 1024, STACK_BYTES / 1024, STACK_BYTES / 1024);
}

/* Resets SIGCHLD. Some daemons and runners ignore or block it, exec inherits that state, and kgate could not wait for a
 * child. */
static void children_awaited(void)
{
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    (void)signal(SIGCHLD, SIG_DFL);
    sigprocmask(SIG_UNBLOCK, &child, NULL);
}

/* Whether the files of -o and --export differ from all input files. */
static bool inputs_spared(const struct kg_arguments *arguments, struct kg_error *err)
{
    const struct kg_texts *exports = &arguments->exports;
    const char *const named[] = {arguments->suite, arguments->base, arguments->accepted,
                                 arguments->plan};
    for (size_t w = 0; w <= exports->count; w++) {
        const char *written = w ? exports->at[w - 1] : arguments->output;
        bool spared = true;
        for (size_t i = 0; written && i < arguments->positional_count; i++)
            spared = spared && !kg_file_same(written, arguments->positional[i]);
        for (size_t i = 0; written && i < sizeof named / sizeof *named; i++)
            spared = spared && !(named[i] && kg_file_same(written, named[i]));
        if (!spared)
            return kg_error_set(err, KG_ERROR_USAGE,
                                "%s names '%.300s', which is also an input and would be "
                                "overwritten: name another file",
                                w ? "--export" : "-o", written);
    }
    return true;
}

static enum kg_reports reports_of(const struct kg_subcommand *subcommand)
{
    return subcommand->run == kg_cli_gate || subcommand->run == kg_cli_ab ? KG_REPORTS_MEASURED
           : subcommand->run == kg_cli_compare                            ? KG_REPORTS_OF_FILES
                                                                          : KG_REPORTS_NONE;
}

static int dispatch(int argc, char **argv)
{
    struct kg_arguments arguments;
    struct kg_error err;
    if (argc < 2) {
        kg_error_set(&err, KG_ERROR_USAGE, "no subcommand; `kgate --help` lists them");
        return kg_fail(&err);
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
        help();
        return KG_EXIT_PASS;
    }
    if (!strcmp(argv[1], "--version"))
        return kg_cli_version(argc - 2, argv + 2);
    if (!strcmp(argv[1], "complete"))
        return kg_cli_complete(argc - 2, argv + 2);
    for (size_t i = 0; i < SUBCOMMAND_COUNT; i++) {
        const struct kg_subcommand *subcommand = &subcommands[i];
        if (strcmp(argv[1], subcommand->name) != 0)
            continue;
        if (!kg_arguments_parse(subcommand, argc - 1, argv + 1, &arguments, &err))
            return kg_fail_unread(reports_of(subcommand), kg_arguments_output(argc - 1, argv + 1),
                                  &err);
        if (arguments.help) {
            kg_arguments_help(subcommand);
            return KG_EXIT_PASS;
        }
        if (!inputs_spared(&arguments, &err))
            return kg_fail(&err);
        kg_interrupt_announce();
        return subcommand->run(&arguments);
    }
    return unknown(argv[1]);
}

/* Checks that the output arrived. A full disk or a closed descriptor loses it. */
static int printed(int status)
{
    struct kg_error err;
    if ((fflush(stdout) == 0 && !ferror(stdout)) || status != KG_EXIT_PASS)
        return status;
    kg_error_set(&err, KG_ERROR_SYSTEM, "cannot write to standard output: %s", strerror(errno));
    return kg_fail(&err);
}

int main(int argc, char **argv)
{
    struct kg_error err;
    kg_memory_end_process(
        KG_EXIT_FAILED,
        "kgate: out of memory. Every file is whole; measured rounds are in the journal.");
    children_awaited();
    const bool is_worker = argc > 1 && !strcmp(argv[1], "worker");
    if (is_worker && argc == 4 && !strcmp(argv[2], "--list"))
        return kg_worker_list_main(argv[3]);
    if (is_worker)
        return argc > 2 && !strcmp(argv[2], "--group") ? kg_worker_group_main() : kg_worker_main();
    if (!limits_raise(&err))
        return kg_fail(&err);
    /* A write beyond the file size limit must fail with an error. Set after the worker branch, so that workloads keep
     * the default action of the signal. */
    (void)signal(SIGXFSZ, SIG_IGN);
    return printed(dispatch(argc, argv));
}
