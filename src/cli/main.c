/* main.c: finds the subcommand and hands over. */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cli/cli.h"
#include "util/nearest.h"
#include "worker/protocol.h"
#include "worker/worker.h"

/* kgate's own time is nobody's question: KGATE_PROFILE is for the programs that it runs. Not const:
 * that would be folded into the weak one's value. */
bool kgate_profiler_ignores_environment = true;

static const struct kg_subcommand subcommands[] = {
    {"gate", "", 0, 0, "Measure a suite, compare it with the baseline, report, and exit by policy.",
     "suite! baseline base output budget filter shard set device update-missing keep-builds "
     "skip-unchanged-code top json quiet verbose",
     kg_cli_gate, NULL},
    {"run", "", 0, 0, "Measure a suite and write the results; compare nothing.",
     "suite! output! baseline filter shard set device profile json quiet verbose", kg_cli_run,
     NULL},
    {"compare", "BASE.json CURRENT.json", 2, 2,
     "Compare two results files, a baseline file with results, or two profiles, without measuring.",
     "output threshold top json quiet verbose", kg_cli_compare, NULL},
    {"ab", "", 0, 0,
     "Compare two builds, turn by turn in the same run; needs no baseline. A build is a checkout\n"
     "with its build, a kgate executable, a plugin (.so) or a program.",
     "suite! base! head! output budget filter shard set device skip-unchanged-code top json quiet "
     "verbose",
     kg_cli_ab, NULL},
    {"baseline", "update|list|show|prune [RESULTS.json]", 1, 2,
     "Read and refresh the stored baselines:\n"
     "  update RESULTS.json   add these results to the baseline of their machine\n"
     "  list                  the machines that have a baseline\n"
     "  show                  the runs of this machine's baseline\n"
     "  prune                 remove runs beyond --keep, or the run pinned as --pin, and the "
     "builds\n"
     "                        that no run names any more",
     "baseline pin keep keep-builds only-suite machine json quiet", kg_cli_baseline, NULL},
    {"calibrate", "", 0, 0,
     "Measure a suite against itself: its false alarms here, the smallest change it catches.",
     "suite! output runs filter shard set device json quiet", kg_cli_calibrate, NULL},
    {"report", "FILE.json", 1, 1,
     "Print a report of a saved results, comparison, calibration or profile file.",
     "format filter output top quiet verbose", kg_cli_report, kg_cli_report_more},
    {"suggest", "RESULTS.json", 1, 1,
     "Say what holds each case back, and what to try, from saved results or a profile.",
     "only type top filter base set format output json quiet verbose", kg_cli_suggest,
     kg_cli_suggest_more},
    {"explain", "CASE RESULTS.json", 2, 2,
     "Say everything about one case of saved results: CASE is its id, a part of it, or a glob.",
     "base set output json quiet", kg_cli_explain, NULL},
    {"validate", "", 0, 0, "Check a suite without measuring.", "suite! set device quiet",
     kg_cli_validate, NULL},
    {"list", "", 0, 0, "List the cases of a suite.",
     "suite! filter shard set device json quiet verbose", kg_cli_list, NULL},
    {"doctor", "", 0, 0, "Say what makes measuring noisy on this machine, and how to mend it.",
     "device seconds json quiet", kg_cli_doctor, NULL},
    {"schema", "[NAME]", 0, 1,
     "Print the JSON Schema of a kind of file, or list the kinds; --format markdown is "
     "docs/files.md.",
     "format", kg_cli_schema, NULL},
    {"init", "[SUITE.yaml]", 0, 1, "Write a small suite to start from (default: kgate.yaml).",
     "force quiet", kg_cli_init, NULL},
};
enum { SUBCOMMAND_COUNT = sizeof subcommands / sizeof *subcommands };

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
    struct kg_error err;
    for (size_t i = 0; i < SUBCOMMAND_COUNT; i++)
        names[i] = subcommands[i].name;
    const char *nearest = kg_nearest(name, names, SUBCOMMAND_COUNT);
    kg_error_set(&err, KG_ERROR_USAGE,
                 "there is no subcommand '%.60s'%s%s%s; `kgate --help` lists "
                 "them",
                 name, nearest ? "; did you mean '" : "", nearest ? nearest : "",
                 nearest ? "'?" : "");
    return kg_fail(&err);
}

/* The CPUs that this process was started on, asked before any library's constructor: with
 * OMP_PROC_BIND libgomp binds the first thread to one CPU before `main`, and all that kgate starts
 * would inherit that. */
static cpu_set_t started_on;
static bool started_on_known;

__attribute__((no_sanitize("address", "undefined", "thread"))) static void started_on_ask(void)
{
    started_on_known = syscall(SYS_sched_getaffinity, 0, sizeof started_on, &started_on) > 0;
}

__attribute__((section(".preinit_array"),
               used)) static void (*const before_libraries)(void) = started_on_ask;

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
    if (!strcmp(argv[1], "--version")) {
        printf("kgate %s\n", KGATE_VERSION);
        return KG_EXIT_PASS;
    }
    for (size_t i = 0; i < SUBCOMMAND_COUNT; i++) {
        const struct kg_subcommand *subcommand = &subcommands[i];
        if (strcmp(argv[1], subcommand->name) != 0)
            continue;
        if (!kg_arguments_parse(subcommand, argc - 1, argv + 1, &arguments, &err))
            return kg_fail(&err);
        if (arguments.help) {
            kg_arguments_help(subcommand);
            return KG_EXIT_PASS;
        }
        kg_interrupt_announce();
        return subcommand->run(&arguments);
    }
    return unknown(argv[1]);
}

/* What was printed must have arrived: a full disk, or a closed descriptor. */
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
    const bool is_worker = argc > 1 && !strcmp(argv[1], "worker");
    if (is_worker && argc > 2 && !strcmp(argv[2], "--protocol"))
        return printf("%s\n", KG_REQUEST_SCHEMA) > 0 ? KG_EXIT_PASS : KG_EXIT_FAILED;
    if (is_worker)
        return argc > 2 && !strcmp(argv[2], "--group") ? kg_worker_group_main() : kg_worker_main();
    if (started_on_known)
        sched_setaffinity(0, sizeof started_on, &started_on);
    /* A write that reaches the limit on the size of files is to fail and say so. After the worker:
     * a workload has the signal as it would without kgate. */
    (void)signal(SIGXFSZ, SIG_IGN);
    return printed(dispatch(argc, argv));
}
