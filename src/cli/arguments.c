/* The table of options, and the help that is made of it. */
#include "cli/arguments.h"

#include <stdio.h>
#include <string.h>

#define OPTION(option_group, option, short_name, option_kind, value_name, member, text)            \
    {                                                                                              \
        .group = KG_GROUP_##option_group, .name = (option), .letter = (short_name),                \
        .kind = (option_kind), .value = (value_name),                                              \
        .offset = offsetof(struct kg_arguments, member), .help = (text)                            \
    }

static const struct kg_option options[] = {
    OPTION(MEASURE, "suite", 'c', KG_OPTION_TEXT, "SUITE", suite,
           "suite, a YAML file (default: kgate.yaml here, or in a folder above)"),
    OPTION(MEASURE, "kernel", 0, KG_OPTION_TEXT, "NAME", kernel,
           "measure this built-in kernel, without a suite"),
    OPTION(MEASURE, "param", 0, KG_OPTION_TEXTS, "K=V,...", params,
           "with --kernel: parameters, for example lattice=D4,q=4; repeatable"),
    OPTION(MEASURE, "matrix", 0, KG_OPTION_TEXTS, "K=V,V,...", matrix,
           "with --kernel: a case for each value, for example batch=1,10,100; repeatable"),
    OPTION(
        MEASURE, "filter", 0, KG_OPTION_TEXT, "GLOB", filter,
        "only cases with a matching id, for example 'gemm/*', or with a matching tag: tag:memory"),
    OPTION(MEASURE, "case", 0, KG_OPTION_TEXT, "GLOB", filter,
           "only cases with a matching id; the clearest slower one is searched"),
    OPTION(MEASURE, "good", 0, KG_OPTION_TEXT, "REV", good, "commit before the slowdown"),
    OPTION(MEASURE, "bad", 0, KG_OPTION_TEXT, "REV", bad, "commit after it"),
    OPTION(MEASURE, "build", 0, KG_OPTION_TEXT, "CMD", build,
           "build command for `sh -c`, which runs in a worktree of each commit"),
    OPTION(
        MEASURE, "shard", 0, KG_OPTION_TEXT, "I/N|auto", shard,
        "only part I of N of the cases, from 1; auto: I and N from the variables of Slurm, GitLab, "
        "Buildkite or Kubernetes; auto/N: only I from them"),
    OPTION(MEASURE, "shards", 0, KG_OPTION_COUNT, "N", shards, "number of machines of the fleet"),
    OPTION(MEASURE, "plan", 0, KG_OPTION_TEXT, "PLAN.json", plan,
           "with --shard: the cases of each shard, from `kgate plan`"),
    OPTION(MEASURE, "device", 0, KG_OPTION_TEXT, "cuda:N", device,
           "GPU for CUDA cases: its number or the beginning of its UUID (default: cuda:0)"),
    OPTION(MEASURE, "base", 0, KG_OPTION_TEXT, "A", base,
           "older results or a baseline file, to show the changes"),
    OPTION(MEASURE, "head", 0, KG_OPTION_TEXT, "B", head, "candidate build, like --base"),
    OPTION(MEASURE, "rounds", 0, KG_OPTION_TEXT, "N", rounds,
           "rounds of each side, each in fresh processes: from MIN to MAX as MIN..MAX, or N "
           "(default: 5..30)"),
    OPTION(MEASURE, "runs", 0, KG_OPTION_COUNT, "K", runs,
           "number of times to measure the suite (default: 6)"),
    OPTION(MEASURE, "warmup", 0, KG_OPTION_TEXT, "N", warmup,
           "calls before the timed ones, in every round (default: 0; kgate makes at least one)"),
    OPTION(MEASURE, "budget", 0, KG_OPTION_TEXT, "TIME", budget,
           "time limit for measuring, for example 5min; kgate always measures the minimum rounds"),
    OPTION(MEASURE, "shell", 0, KG_OPTION_FLAG, NULL, shell,
           "run a command with `sh -c`, for pipes and redirections; the time includes the shell"),
    OPTION(MEASURE, "skip-unchanged-code", 0, KG_OPTION_FLAG, NULL, skip_unchanged,
           "do not measure a case with the same code, libraries and machine as its baseline: --set "
           "unchanged_code=skip"),
    OPTION(MEASURE, "measure-unchanged", 0, KG_OPTION_FLAG, NULL, measure_unchanged,
           "measure also cases with the same code on both sides: --set unchanged_code=measure"),
    OPTION(MEASURE, "lock-clocks", 0, KG_OPTION_FLAG, NULL, lock_clocks,
           "lock the GPU to its base clock while measuring, and reset it at the end (root only)"),
    OPTION(
        MEASURE, "profile", 'p', KG_OPTION_FLAG, NULL, profile,
        "one more pass with scopes on, one second per case, recorded beside the results (.kgprof)"),
    OPTION(MEASURE, "seconds", 0, KG_OPTION_COUNT, "N", seconds,
           "time to measure the noise for (default: 3; 0: do not measure)"),
    OPTION(
        MEASURE, "plugin", 0, KG_OPTION_TEXT, "NAME", plugin,
        "write NAME_bench.c instead, a plugin that measures one function, and add it to the suite"),
    OPTION(MEASURE, "demo", 0, KG_OPTION_FLAG, NULL, demo,
           "write an example profile and its page instead: kgate-demo.json, kgate-demo.html"),
    OPTION(MEASURE, "no-cmake", 0, KG_OPTION_FLAG, NULL, no_cmake,
           "list only built programs, without running cmake"),
    OPTION(JUDGE, "baseline", 'b', KG_OPTION_TEXT, "DIR", baseline,
           "folder of baselines (default: baselines)"),
    OPTION(JUDGE, "set", 0, KG_OPTION_TEXTS, "KEY=VALUE", set,
           "replace a key of the suite's defaults, for example rounds.min=3, or of its suggest: "
           "suggest.min_gain=5%; repeatable"),
    OPTION(JUDGE, "threshold", 0, KG_OPTION_TEXT, "SHARE", threshold,
           "smallest change of time that counts (default: the suite's; for profiles 5%)"),
    OPTION(JUDGE, "min-effect", 0, KG_OPTION_TEXT, "TIME", min_effect,
           "smallest change of time that counts, for example 2ms (default: 0ns)"),
    OPTION(JUDGE, "trust", 0, KG_OPTION_TEXT, "git:REF", trust,
           "judge by that branch's suite, baselines and accepted changes, not by the candidate's"),
    OPTION(JUDGE, "accepted", 0, KG_OPTION_TEXT, "FILE", accepted,
           "file of accepted changes (default: NAME.accepted.yaml beside the suite NAME.yaml)"),
    OPTION(JUDGE, "accept-from", 0, KG_OPTION_TEXT, "trust|head", accept_from,
           "with --trust: source of the accepted changes, that branch (trust, the default) or the "
           "candidate (head)"),
    OPTION(JUDGE, "because", 0, KG_OPTION_TEXT, "TEXT", because, "reason, which reports show"),
    OPTION(JUDGE, "change", 0, KG_OPTION_TEXT, "SHARE", change, "accepted change, such as +12%"),
    OPTION(JUDGE, "from", 0, KG_OPTION_TEXT, "COMPARISON.json", from,
           "accept the measured changes of this comparison.json of a gate"),
    OPTION(
        JUDGE, "metric", 0, KG_OPTION_TEXT, "NAME", metric,
        "metric that may be worse (default: time, or the only compared metric; with --from all)"),
    OPTION(JUDGE, "until", 0, KG_OPTION_TEXT, "DAY", until,
           "last day of the entry, such as 2026-01-31"),
    OPTION(JUDGE, "remove", 0, KG_OPTION_FLAG, NULL, remove, "remove the entries of these cases"),
    OPTION(JUDGE, "list", 0, KG_OPTION_FLAG, NULL, list,
           "list the entries of the file, and mark entries that match nothing"),
    OPTION(JUDGE, "update-missing", 0, KG_OPTION_FLAG, NULL, update_missing,
           "record cases that have no baseline"),
    OPTION(JUDGE, "pin", 0, KG_OPTION_TEXT, "NAME", pin, "name of a pinned run"),
    OPTION(JUDGE, "run", 0, KG_OPTION_TEXT, "TIME", run,
           "prune: remove the ordinary run of this time, as `show` prints it; its beginning is "
           "enough if it is unique"),
    OPTION(JUDGE, "keep", 0, KG_OPTION_COUNT, "N", keep,
           "number of ordinary runs to keep for each suite (default: 5)"),
    OPTION(JUDGE, "keep-builds", 0, KG_OPTION_TEXT, "SIZE", keep_builds,
           "room for the builds behind the stored runs (default: 1 GB; 0: keep none)"),
    OPTION(JUDGE, "only-suite", 0, KG_OPTION_TEXT, "NAME", only_suite,
           "only the runs of this suite"),
    OPTION(JUDGE, "machine", 0, KG_OPTION_TEXT, "FINGERPRINT", machine,
           "baseline of another machine"),
    OPTION(JUDGE, "history", 0, KG_OPTION_TEXT, "PATH|URL", history,
           "database: a file of SQLite, or postgresql://... (default: `history` of the suite, or "
           "kgate-history.db)"),
    OPTION(JUDGE, "kind", 0, KG_OPTION_TEXT, "KIND", kind,
           "add: purpose of the runs, for example nightly (default: commit)"),
    OPTION(JUDGE, "last", 0, KG_OPTION_COUNT, "N", last,
           "only the newest N runs of each suite and machine (default: 1000; 0, and default of "
           "export: all)"),
    OPTION(JUDGE, "confirm", 0, KG_OPTION_FLAG, NULL, confirm, "watch: decide the listed changes"),
    OPTION(JUDGE, "all", 0, KG_OPTION_FLAG, NULL, all, "also refuted changes, as with --machine"),
    OPTION(OUTPUT, "output", 'o', KG_OPTION_TEXT, "PATH", output, "file to write to"),
    OPTION(OUTPUT, "format", 0, KG_OPTION_TEXT, "F", format,
           "format of the output: one of those below (default: text)"),
    OPTION(OUTPUT, "export", 0, KG_OPTION_TEXTS, "FILE", exports,
           "write a report to a file; its ending selects the format: .json .md .csv .html .xml "
           ".svg .png .prom .txt; repeatable"),
    OPTION(OUTPUT, "name", 0, KG_OPTION_TEXTS, "NAME", names,
           "name of the baseline side in reports; a second --name names the candidate"),
    OPTION(OUTPUT, "top", 0, KG_OPTION_COUNT, "N", top,
           "rows of a ranking, on the terminal for each kind of change (default: 10; 0: all)"),
    OPTION(OUTPUT, "only", 0, KG_OPTION_TEXT, "PRIORITY", only,
           "only suggestions of this priority, or of several: critical,high"),
    OPTION(OUTPUT, "type", 0, KG_OPTION_TEXT, "TYPE", type,
           "only suggestions of this type, or of several: batching,caching"),
    OPTION(OUTPUT, "rules", 0, KG_OPTION_FLAG, NULL, rules,
           "print the condition of each rule, or of RULE, a glob, and the assumption of its "
           "estimate"),
    OPTION(OUTPUT, "columns", 0, KG_OPTION_TEXT, "LIST", columns,
           "results: columns of the table, for example median,mean,p95"),
    OPTION(OUTPUT, "by", 0, KG_OPTION_TEXT, "KEY", by,
           "results: a table over the values of this parameter, or of `device`; all: one for each"),
    OPTION(OUTPUT, "across", 0, KG_OPTION_TEXT, "KEY", across,
           "with --by: one column for each value of this parameter, such as version"),
    OPTION(OUTPUT, "against", 0, KG_OPTION_TEXT, "KEY=VALUE", against,
           "with --by: speedups over the cases with this value, such as version=plain"),
    OPTION(OUTPUT, "plot", 0, KG_OPTION_TEXT, "NAME", plot,
           "pictures: name of a plot (default: all, on one sheet)"),
    OPTION(OUTPUT, "dry-run", 0, KG_OPTION_FLAG, NULL, dry_run,
           "print the files instead of writing them"),
    OPTION(OUTPUT, "force", 0, KG_OPTION_FLAG, NULL, force, "overwrite an existing file"),
    OPTION(OUTPUT, "json", 0, KG_OPTION_FLAG, NULL, json, "print JSON instead of the summary"),
    OPTION(OUTPUT, "quiet", 'q', KG_OPTION_FLAG, NULL, quiet, "print only errors"),
    OPTION(OUTPUT, "verbose", 'v', KG_OPTION_FLAG, NULL, verbose,
           "print also unchanged cases and reported figures"),
    OPTION(OUTPUT, "help", 'h', KG_OPTION_FLAG, NULL, help, "print this help"),
};
enum { OPTION_COUNT = sizeof options / sizeof *options };

/* Help texts for options that differ in one subcommand from the table above. */
static const struct {
    const char *subcommand, *option, *help;
} meanings[] = {
    {"gate", "output", "folder of the reports (default: out)"},
    {"gate", "base",
     "decide undecided cases against this build instead of the stored one: a checkout, a kgate "
     "executable, a plugin or a command"},
    {"gate", "plan", "with --shard: file of `kgate plan` with the cases of each shard"},
    {"gate", "quiet",
     "print only the verdict and the cases that fail it: no progress, notes or commands"},
    {"gate", "verbose",
     "print also unchanged cases, the figures of workloads, and the overall change of each "
     "workload"},
    {"compare", "output", "folder of the reports (default: none is written)"},
    {"compare", "set",
     "replace a limit of the candidate's suite, for example memory_threshold=20%; repeatable"},
    {"compare", "quiet", "print only the verdict and the cases that fail it: no notes or commands"},
    {"compare", "verbose",
     "print also unchanged cases, the figures of workloads, and the overall change of each "
     "workload"},
    {"ab", "output",
     "folder of the reports and of both results (default: out; for two commands none)"},
    {"ab", "base", "baseline build: a checkout, a kgate executable, a plugin or a command"},
    {"ab", "threshold",
     "smallest change of time that counts: its 95 % interval must reach it (default: the suite's, "
     "or 5%)"},
    {"ab", "quiet",
     "print only the verdict and the cases that fail it: no progress, notes or commands"},
    {"ab", "verbose",
     "print also unchanged cases, the figures of workloads, and unchanged memory of two commands"},
    {"run", "output",
     "results file, needed with a suite; a folder also gets the suite's `reports`"},
    {"run", "rounds",
     "rounds of each case, each in a fresh process: from MIN to MAX as MIN..MAX, or N (default: "
     "5..30)"},
    {"run", "quiet", "print only failed cases and missed budgets: no progress"},
    {"run", "verbose", "print also the figures that workloads report"},
    {"baseline", "suite", "record: the suite to measure, a YAML file"},
    {"baseline", "runs", "record: number of runs to measure and store (default: 5)"},
    {"history", "suite",
     "suite whose `history` names the database (default: kgate.yaml here, or "
     "in a folder above)"},
    {"history", "keep", "prune: number of newest runs to keep for each suite and machine"},
    {"history", "run", "prune: remove this run, by its time in `list` or its hash"},
    {"history", "machine", "only this fingerprint or host"},
    {"history", "metric", "only this metric"},
    {"history", "format",
     "text (default) or another format of `kgate report`; export: csv (default), json, or prior: "
     "noise of the cases, for gates"},
    {"history", "baseline", "folder of baselines and builds (default: baselines)"},
    {"history", "output", "file to write to, instead of standard output"},
    {"history", "top", "show: newest rows of each series; audit: rows (default: 20; 0: all)"},
    {"history", "json", "print JSON instead of a table"},
    {"bisect", "output", "folder of bisect.json, builds and reports (default: out/bisect)"},
    {"bisect", "budget",
     "time or number of builds for this call, such as 2h or 8; the same command continues the "
     "search"},
    {"bisect", "history",
     "database whose steps show probable commits (default: as for `kgate history`)"},
    {"bisect", "quiet", "print only the result: no progress"},
    {"bisect", "verbose", "print also the measured commits"},
    {"calibrate", "quiet", "print only cases with advice: no progress"},
    {"import", "format", "format of the files: one of those below (default: detected)"},
    {"import", "name", "name of the suite in the results (default: the format's)"},
    {"import", "machine", "fingerprint of the machine that measured (default: from the files)"},
    {"import", "set",
     "policy for the cases: a key of a suite's defaults or policy, for example threshold=2%; "
     "repeatable"},
    {"import", "quiet", "print only failed cases and missed budgets"},
    {"import", "verbose", "print also the figures that workloads report"},
    {"report", "filter",
     "only cases (of a profile: processes) with a matching id, for example 'gemm/*'"},
    {"report", "quiet", "print only the verdict and cases that fail or miss a budget"},
    {"report", "verbose", "print also unchanged cases and the figures that workloads report"},
    {"schema", "format", "json (default), or markdown: a reference of all files"},
    {"suggest", "output", "file to write to, instead of standard output"},
    {"suggest", "filter",
     "only cases with a matching id and the scopes inside them, or scopes with a matching path, "
     "for example 'gemm/*'"},
    {"suggest", "set",
     "replace a threshold of `suggest:`, for example suggest.min_gain=5%; repeatable"},
    {"suggest", "top", "number of suggestions (default: 10, in markdown and JSON all; 0: all)"},
    {"suggest", "json", "same as --format json"},
    {"suggest", "quiet", "print only suggestions, without their evidence"},
    {"suggest", "verbose", "print also the bottleneck of every operation, however fast it is"},
    {"validate", "quiet", "print only errors"},
    {"merge", "output", "folder for the joined results and the reports (default: out)"},
    {"merge", "baseline",
     "folder of baselines, for results of `run` (default: baselines); shards of `gate` have "
     "theirs"},
    {"merge", "plan", "file of `kgate plan` that the shards used: it names missing cases"},
    {"merge", "quiet", "print only the verdict and cases that fail"},
    {"plan", "output", "file to write; without it kgate only prints the table"},
    {"plan", "baseline", "folder of baselines, for the times of the cases (default: baselines)"},
    {"plan", "quiet", "print nothing"},
    {"list", "trust", "suite of that branch, and the workloads that only the candidate has"},
    {"list", "quiet", "print only the ids"},
    {"list", "verbose", "no effect"},
    {"accept", "metric",
     "metric that may be worse (default: time, or the only compared metric; with --from or "
     "--remove all)"},
    {"accept", "quiet", "print only errors; with --list one line per entry"},
    {"accept", "baseline", "with --list: folder of baselines (default: baselines)"},
    {"accept", "json", "with --list: print JSON"},
    {"quarantine", "quiet", "print only errors; with --list one line per entry"},
    {"quarantine", "json", "with --list: print JSON"},
    {"explain", "output", "file to write to, instead of standard output"},
    {"explain", "set",
     "replace a threshold of `suggest:`, for example suggest.min_gain=5%; repeatable"},
    {"explain", "json", "print JSON instead of the page"},
    {"explain", "quiet", "print suggestions without their evidence"},
    {"doctor", "quiet", "print only warnings"},
};
enum { MEANING_COUNT = sizeof meanings / sizeof *meanings };

static const char *help_of(const struct kg_subcommand *subcommand, const struct kg_option *option)
{
    for (size_t i = 0; i < MEANING_COUNT; i++)
        if (!strcmp(meanings[i].subcommand, subcommand->name) &&
            !strcmp(meanings[i].option, option->name))
            return meanings[i].help;
    return option->help;
}

/* Whether the subcommand takes the option.
 * required  whether the user must give it */
static bool takes(const struct kg_subcommand *subcommand, const struct kg_option *option,
                  bool *required)
{
    const size_t length = strlen(option->name);
    const char *list = subcommand->options;
    *required = false;
    if (!strcmp(option->name, "help"))
        return true;
    while (*list) {
        const size_t word = strcspn(list, " ");
        const bool marked = word && list[word - 1] == '!';
        if (word - marked == length && !strncmp(list, option->name, length)) {
            *required = marked;
            return true;
        }
        list += word + (list[word] == ' ');
    }
    return false;
}

bool kg_option_next(const struct kg_subcommand *subcommand, size_t *index,
                    struct kg_option_use *use)
{
    while (*index < OPTION_COUNT) {
        use->option = &options[(*index)++];
        use->help = help_of(subcommand, use->option);
        if (takes(subcommand, use->option, &use->required))
            return true;
    }
    return false;
}

static void option_print(const struct kg_option_use *use)
{
    const struct kg_option *option = use->option;
    char left[64], letter[8] = "    ";
    if (option->letter)
        snprintf(letter, sizeof letter, "-%c, ", option->letter);
    snprintf(left, sizeof left, "%s--%s%s%s", letter, option->name, option->value ? " " : "",
             option->value ? option->value : "");
    printf("  %-30s %s%s\n", left, use->help, use->required ? " (needed)" : "");
}

static bool measures(const struct kg_subcommand *subcommand)
{
    static const char *const names[] = {"shard", "shards", "rounds", "runs", "seconds"};
    struct kg_option_use use;
    for (size_t index = 0; kg_option_next(subcommand, &index, &use);)
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            if (!strcmp(use.option->name, names[i]))
                return true;
    return false;
}

/* The options of a group are neighbours in the table. */
static void options_print(const struct kg_subcommand *subcommand)
{
    const char *const headings[] = {[KG_GROUP_MEASURE] =
                                        measures(subcommand) ? "what to measure" : "input",
                                    [KG_GROUP_JUDGE] = "how to judge",
                                    [KG_GROUP_OUTPUT] = "output"};
    struct kg_option_use use;
    int group = -1;
    for (size_t index = 0; kg_option_next(subcommand, &index, &use);) {
        if ((int)use.option->group != group)
            printf("\n%s:\n", headings[use.option->group]);
        group = (int)use.option->group;
        option_print(&use);
    }
}

void kg_arguments_help(const struct kg_subcommand *subcommand)
{
    printf("usage: kgate %s%s%s [options]\n\n%s\n", subcommand->name,
           *subcommand->operands ? " " : "", subcommand->operands, subcommand->summary);
    options_print(subcommand);
    if (subcommand->more) {
        struct kg_text text = {0};
        subcommand->more(&text);
        printf("%s", kg_text_string(&text));
        kg_text_free(&text);
    }
}
