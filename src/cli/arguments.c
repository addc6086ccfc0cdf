#include "cli/arguments.h"

#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "base/units.h"

enum { OPTIONS_MOST = 96 };

#define OPTION(option, short_name, option_kind, value_name, member, text)                          \
    {                                                                                              \
        .name = (option), .letter = (short_name), .kind = (option_kind), .value = (value_name),    \
        .offset = offsetof(struct kg_arguments, member), .help = (text)                            \
    }

static const struct kg_option options[] = {
    OPTION("suite", 'c', KG_OPTION_TEXT, "SUITE", suite,
           "the suite, a YAML file (default: kgate.yaml here, or in a folder above)"),
    OPTION("baseline", 'b', KG_OPTION_TEXT, "DIR", baseline,
           "the folder of baselines (default: baselines)"),
    OPTION("output", 'o', KG_OPTION_TEXT, "PATH", output, "the file to write to"),
    OPTION("filter", 0, KG_OPTION_TEXT, "GLOB", filter,
           "only the cases whose id matches, for example 'gemm/*', or those of workloads with a "
           "tag that does: tag:memory"),
    OPTION("shard", 0, KG_OPTION_TEXT, "I/N", shard, "only every N-th case from the I-th, from 1"),
    OPTION("set", 0, KG_OPTION_TEXTS, "KEY=VALUE", set,
           "replace a key of the suite's defaults, for example rounds.min=3, or of its "
           "suggest: suggest.min_gain=5%; repeatable"),
    OPTION("update-missing", 0, KG_OPTION_FLAG, NULL, update_missing,
           "record cases that have no baseline"),
    OPTION("skip-unchanged-code", 0, KG_OPTION_FLAG, NULL, skip_unchanged,
           "do not measure cases whose code, libraries and machine are those of the baseline "
           "(the base): as --set unchanged_code=skip"),
    OPTION("measure-unchanged", 0, KG_OPTION_FLAG, NULL, measure_unchanged,
           "measure also cases that are the same on both sides: as --set unchanged_code=measure"),
    OPTION("pin", 0, KG_OPTION_TEXT, "NAME", pin, "the name of a pinned run"),
    OPTION("run", 0, KG_OPTION_TEXT, "TIME", run,
           "prune: remove the ordinary run of this time, as `show` prints it, or of the only one "
           "that begins so"),
    OPTION("keep", 0, KG_OPTION_COUNT, "N", keep,
           "ordinary runs to keep for each suite (default: 5)"),
    OPTION("keep-builds", 0, KG_OPTION_TEXT, "SIZE", keep_builds,
           "room for the builds behind the stored runs (default: 1 GB; 0: keep none)"),
    OPTION("only-suite", 0, KG_OPTION_TEXT, "NAME", only_suite, "only the runs of this suite"),
    OPTION("machine", 0, KG_OPTION_TEXT, "FINGERPRINT", machine,
           "the baseline of another machine than this one"),
    OPTION("device", 0, KG_OPTION_TEXT, "cuda:N", device,
           "the GPU for CUDA cases: its number, or a beginning of its UUID (default: cuda:0)"),
    OPTION("runs", 0, KG_OPTION_COUNT, "K", runs, "how often to measure the suite (default: 6)"),
    OPTION("budget", 0, KG_OPTION_TEXT, "TIME", budget,
           "the most time to measure for, for example 5min; the fewest rounds are always taken"),
    OPTION("base", 0, KG_OPTION_TEXT, "A", base,
           "older results, or a baseline file, to say what changed"),
    OPTION("head", 0, KG_OPTION_TEXT, "B", head, "the new build, likewise"),
    OPTION("format", 0, KG_OPTION_TEXT, "F", format,
           "how to print it: one of the formats below (default: text)"),
    OPTION("threshold", 0, KG_OPTION_TEXT, "SHARE", threshold,
           "a change counts where its 95 % interval reaches this, when two profiles are compared "
           "(default: 5%)"),
    OPTION("top", 0, KG_OPTION_COUNT, "N", top,
           "rows of a ranking: for each kind of change on the terminal (default: 10; 0: all)"),
    OPTION("only", 0, KG_OPTION_TEXT, "PRIORITY", only,
           "suggestions of this priority alone, or of several: critical,high"),
    OPTION("type", 0, KG_OPTION_TEXT, "TYPE", type,
           "suggestions of this type alone, or of several: batching,caching"),
    OPTION("columns", 0, KG_OPTION_TEXT, "LIST", columns,
           "of results: these columns, for example median,mean,sd,p95"),
    OPTION("by", 0, KG_OPTION_TEXT, "KEY", by,
           "of results: a table over the values of this parameter, or of `device`; all: of each"),
    OPTION("plot", 0, KG_OPTION_TEXT, "NAME", plot,
           "of a picture: which plot; by default all, on one sheet"),
    OPTION("across", 0, KG_OPTION_TEXT, "KEY", across,
           "with --by: a column for each value of this one, such as version"),
    OPTION("against", 0, KG_OPTION_TEXT, "KEY=VALUE", against,
           "with --by: speedups over the cases with this value, such as version=plain"),
    OPTION("because", 0, KG_OPTION_TEXT, "TEXT", because, "the reason, which reports show"),
    OPTION("until", 0, KG_OPTION_TEXT, "DAY", until,
           "the last day that it holds, such as 2026-01-31"),
    OPTION("change", 0, KG_OPTION_TEXT, "SHARE", change, "how much is accepted, such as +12%"),
    OPTION("from", 0, KG_OPTION_TEXT, "COMPARISON.json", from,
           "accept what was measured: the comparison.json of a gate"),
    OPTION("metric", 0, KG_OPTION_TEXT, "NAME", metric,
           "the metric that may be worse (default: time, or the only one that is compared; with "
           "--from "
           "all that are)"),
    OPTION("accepted", 0, KG_OPTION_TEXT, "FILE", accepted,
           "the file of accepted changes (default: NAME.accepted.yaml beside the suite NAME.yaml)"),
    OPTION(
        "trust", 0, KG_OPTION_TEXT, "git:REF", trust,
        "judge by what that branch has: suite, baselines and accepted changes, not the change's"),
    OPTION("accept-from", 0, KG_OPTION_TEXT, "trust|head", accept_from,
           "with --trust: whose accepted changes count, that branch's (trust, the default) or the "
           "change's own (head)"),
    OPTION("remove", 0, KG_OPTION_FLAG, NULL, remove, "remove the entries of these cases"),
    OPTION("list", 0, KG_OPTION_FLAG, NULL, list,
           "list the entries of the file, and mark those that match nothing any more"),
    OPTION("seconds", 0, KG_OPTION_COUNT, "N", seconds,
           "how long to measure the noise (default: 3; 0: not at all)"),
    OPTION(
        "profile", 0, KG_OPTION_FLAG, NULL, profile,
        "one more pass with scopes on, for a second a case, recorded beside the results (.kgprof)"),
    OPTION("min-effect", 0, KG_OPTION_TEXT, "TIME", min_effect,
           "the smallest change of time that counts, for example 2ms (default: 0ns)"),
    OPTION(
        "rounds", 0, KG_OPTION_TEXT, "N", rounds,
        "rounds of each side, each in fresh processes: from MIN to MAX as MIN..MAX, or N (default: "
        "5..30)"),
    OPTION("warmup", 0, KG_OPTION_TEXT, "N", warmup,
           "calls before the timed ones, in every round (default: 0; kgate makes at least one)"),
    OPTION("shell", 0, KG_OPTION_FLAG, NULL, shell,
           "let `sh -c` run a command, for pipes and redirections; the shell is timed too"),
    OPTION("name", 0, KG_OPTION_TEXTS, "NAME", names,
           "what reports call the old side, given again what they call the new one"),
    OPTION("export", 0, KG_OPTION_TEXTS, "FILE", exports,
           "write a report to a file; its ending says which: .json .md .csv .html .xml .svg .png "
           ".prom .txt; repeatable"),
    OPTION("plugin", 0, KG_OPTION_TEXT, "NAME", plugin,
           "instead: write NAME_bench.c, a plugin that measures one function, and add it to the "
           "suite"),
    OPTION("dry-run", 0, KG_OPTION_FLAG, NULL, dry_run, "print what would be written"),
    OPTION("no-cmake", 0, KG_OPTION_FLAG, NULL, no_cmake,
           "list only built programs, without running cmake"),
    OPTION("force", 0, KG_OPTION_FLAG, NULL, force, "overwrite a file that is there"),
    OPTION("json", 0, KG_OPTION_FLAG, NULL, json, "print JSON instead of the summary"),
    OPTION("quiet", 'q', KG_OPTION_FLAG, NULL, quiet, "print only the verdict and what fails"),
    OPTION("verbose", 'v', KG_OPTION_FLAG, NULL, verbose,
           "print unchanged cases too, and reported figures"),
    OPTION("help", 'h', KG_OPTION_FLAG, NULL, help, "print this help"),
};
enum { OPTION_COUNT = sizeof options / sizeof *options };

/* Help texts for options that differ in one subcommand from the table above. */
static const struct {
    const char *subcommand, *option, *help;
} meanings[] = {
    {"gate", "output", "the folder of the reports (default: out)"},
    {"gate", "base",
     "settle doubts by pairs against this build, not the one that the store keeps: a checkout, a "
     "kgate executable, a plugin or a command"},
    {"compare", "output", "the folder of the reports (default: none is written)"},
    {"ab", "output",
     "the folder of the reports and of both results (default: out; of two commands none)"},
    {"ab", "base", "the old build: a checkout, a kgate executable, a plugin or a command"},
    {"ab", "threshold",
     "a change of time counts where its 95 % interval reaches this (default: the suite's, or 5%)"},
    {"run", "output", "the results file to write (needed with a suite)"},
    {"run", "rounds",
     "rounds of each case, each in a fresh process: from MIN to MAX as MIN..MAX, or N (default: "
     "5..30)"},
    {"baseline", "suite", "record: the suite to measure, a YAML file"},
    {"baseline", "runs", "record: how many runs to measure and store (default: 5)"},
    {"import", "format", "what the files are: one of those below (default: as they look)"},
    {"import", "name", "the suite's name in the results (default: the format's)"},
    {"import", "machine",
     "the fingerprint of the machine that measured (default: of what the files say)"},
    {"import", "set",
     "how the cases are judged: a key of a suite's defaults or policy, for example threshold=2%; "
     "repeatable"},
    {"report", "filter",
     "only the cases (of a profile: processes) whose id matches, for example 'gemm/*'"},
    {"schema", "format", "json (default), or markdown: a reference of all files"},
    {"suggest", "output", "the file to write to, and not to standard output"},
    {"suggest", "filter",
     "only what matches: cases by their id, with the scopes inside of them, or scopes by their "
     "path, for example 'gemm/*'"},
    {"suggest", "set",
     "replace a threshold of `suggest:`, for example suggest.min_gain=5%; repeatable"},
    {"suggest", "top", "suggestions to show (default: 10, in markdown and JSON all; 0: all)"},
    {"suggest", "json", "the same as --format json"},
    {"suggest", "quiet", "print no evidence, and nothing of what has no suggestion"},
    {"suggest", "verbose", "print what holds every operation back, however fast it is"},
    {"list", "trust", "the suite of that branch, and which workloads only the change has"},
    {"list", "quiet", "print the ids alone"},
    {"accept", "metric",
     "the metric that may be worse (default: time, or the only one that is compared; with --from "
     "all that "
     "are, with --remove all)"},
    {"accept", "quiet", "print nothing but errors; with --list a line an entry"},
    {"accept", "baseline", "with --list: the folder of baselines (default: baselines)"},
    {"accept", "json", "with --list: print JSON"},
    {"quarantine", "quiet", "print nothing but errors; with --list a line an entry"},
    {"quarantine", "json", "with --list: print JSON"},
    {"explain", "output", "the file to write to, and not to standard output"},
    {"explain", "set",
     "replace a threshold of `suggest:`, for example suggest.min_gain=5%; repeatable"},
    {"explain", "json", "print JSON instead of the page"},
    {"explain", "quiet", "print no evidence of suggestions"},
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

static const struct kg_option *option_find(const struct kg_subcommand *subcommand, const char *name,
                                           size_t length, char letter)
{
    bool required;
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        const struct kg_option *option = &options[i];
        const bool named =
            name ? strlen(option->name) == length && !strncmp(option->name, name, length)
                 : option->letter == letter;
        if (named && takes(subcommand, option, &required))
            return option;
    }
    return NULL;
}

static bool unknown(const struct kg_subcommand *subcommand, const char *given, size_t length,
                    struct kg_error *err)
{
    const char *names[OPTIONS_MOST];
    char word[64];
    size_t count = 0;
    bool required;
    for (size_t i = 0; i < OPTION_COUNT; i++)
        if (takes(subcommand, &options[i], &required))
            names[count++] = options[i].name;
    snprintf(word, sizeof word, "%.*s", (int)length, given);
    const char *bare = word + strspn(word, "-");
    const char *nearest = kg_nearest(bare, names, count);
    return kg_error_set(err, KG_ERROR_USAGE,
                        "`kgate %s` has no option '%s'%s%s%s; `kgate %s --help` lists them",
                        subcommand->name, word, nearest ? "; did you mean '--" : "",
                        nearest ? nearest : "", nearest ? "'?" : "", subcommand->name);
}

static bool text_add(struct kg_texts *texts, const struct kg_option *option, const char *value,
                     struct kg_error *err)
{
    if (texts->count == KG_TEXTS_MOST)
        return kg_error_set(err, KG_ERROR_USAGE, "--%s is given more than %d times", option->name,
                            KG_TEXTS_MOST);
    texts->at[texts->count++] = value;
    return true;
}

static bool option_store(const struct kg_option *option, const char *value,
                         struct kg_arguments *arguments, struct kg_error *err)
{
    char *at = (char *)arguments + option->offset;
    switch (option->kind) {
    case KG_OPTION_FLAG:
        *(bool *)at = true;
        return true;
    case KG_OPTION_TEXT:
        *(const char **)(void *)at = value;
        return true;
    case KG_OPTION_TEXTS:
        return text_add((struct kg_texts *)(void *)at, option, value, err);
    case KG_OPTION_COUNT:
        if (kg_count_parse(value, (uint64_t *)(void *)at))
            return true;
        return kg_error_set(err, KG_ERROR_USAGE, "--%s is '%.60s', but must be a whole number",
                            option->name, value);
    }
    return false;
}

/* Parses one option and its value, if any. Moves *next past them. */
static bool option_parse(const struct kg_subcommand *subcommand, int argc, char **argv, int *next,
                         struct kg_arguments *arguments, struct kg_error *err)
{
    const char *given = argv[(*next)++];
    const bool is_long = given[1] == '-';
    const size_t length = is_long ? strcspn(given + 2, "=") : 1;
    const struct kg_option *option =
        option_find(subcommand, is_long ? given + 2 : NULL, length, given[1]);
    if (!option)
        return unknown(subcommand, given, is_long ? length + 2 : 2, err);
    const char *rest = given + (is_long ? 2 : 1) + length;
    if (option->kind == KG_OPTION_FLAG)
        return *rest ? kg_error_set(err, KG_ERROR_USAGE, "--%s takes no value", option->name)
                     : option_store(option, NULL, arguments, err);
    if (*rest)
        return option_store(option, rest + is_long, arguments, err);
    if (*next >= argc)
        return kg_error_set(err, KG_ERROR_USAGE, "--%s needs a value: --%s %s", option->name,
                            option->name, option->value);
    return option_store(option, argv[(*next)++], arguments, err);
}

static bool missing_say(const struct kg_subcommand *subcommand, const struct kg_option *option,
                        struct kg_error *err)
{
    char letter[8] = "";
    if (option->letter)
        snprintf(letter, sizeof letter, " (-%c)", option->letter);
    return kg_error_set(err, KG_ERROR_USAGE, "`kgate %s` needs --%s %s%s: %s", subcommand->name,
                        option->name, option->value, letter, help_of(subcommand, option));
}

static bool required_check(const struct kg_subcommand *subcommand,
                           const struct kg_arguments *arguments, struct kg_error *err)
{
    bool required;
    for (size_t i = 0; i < OPTION_COUNT; i++)
        if (takes(subcommand, &options[i], &required) && required &&
            !*(const char *const *)(const void *)((const char *)arguments + options[i].offset))
            return missing_say(subcommand, &options[i], err);
    if (arguments->positional_count < subcommand->operands_least)
        return kg_error_set(err, KG_ERROR_USAGE, "usage: kgate %s %s", subcommand->name,
                            subcommand->operands);
    return true;
}

static bool ends_with(const char *text, const char *ending)
{
    const size_t length = strlen(text), end = strlen(ending);
    return length >= end && !strcmp(text + length - end, ending);
}

/* Users easily forget that a suite needs its option. */
static bool operand_refuse(const struct kg_subcommand *subcommand, const char *given,
                           struct kg_error *err)
{
    bool required;
    const struct kg_option *suite = option_find(subcommand, "suite", strlen("suite"), 0);
    if (suite && takes(subcommand, suite, &required) &&
        (ends_with(given, ".yaml") || ends_with(given, ".yml")))
        return kg_error_set(err, KG_ERROR_USAGE,
                            "unexpected argument '%.200s'; did you mean `-c %.200s`?", given,
                            given);
    return kg_error_set(err, KG_ERROR_USAGE, "unexpected argument '%.200s'; usage: kgate %s %s",
                        given, subcommand->name,
                        *subcommand->operands ? subcommand->operands : "[options]");
}

bool kg_arguments_parse(const struct kg_subcommand *subcommand, int argc, char **argv,
                        struct kg_arguments *arguments, struct kg_error *err)
{
    bool only_operands = false;
    *arguments = (struct kg_arguments){.top = KG_TOP_UNSET,
                                       .keep = 5,
                                       .runs = KG_RUNS_UNSET,
                                       .seconds = 3,
                                       .positional = (const char *const *)argv};
    for (int i = 1; i < argc;) {
        if (!only_operands && !strcmp(argv[i], "--")) {
            only_operands = true;
            i++;
        } else if (!only_operands && argv[i][0] == '-' && argv[i][1]) {
            if (!option_parse(subcommand, argc, argv, &i, arguments, err))
                return false;
        } else if (arguments->positional_count < subcommand->operands_most) {
            /* operands move to the front, never past i */
            argv[arguments->positional_count++] = argv[i++];
        } else {
            return operand_refuse(subcommand, argv[i], err);
        }
    }
    return arguments->help || required_check(subcommand, arguments, err);
}

const char *kg_arguments_output(int argc, char **argv)
{
    static const char *const names[] = {"-o", "--output"};
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
            const size_t length = strlen(names[n]);
            const bool is_long = n == 1;
            if (strncmp(argv[i], names[n], length) != 0)
                continue;
            if (!argv[i][length])
                return i + 1 < argc ? argv[i + 1] : NULL;
            if (!is_long || argv[i][length] == '=')
                return argv[i] + length + is_long;
        }
    return NULL;
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

void kg_arguments_help(const struct kg_subcommand *subcommand)
{
    struct kg_option_use use;
    size_t index = 0;
    printf("usage: kgate %s%s%s [options]\n\n%s\n\noptions:\n", subcommand->name,
           *subcommand->operands ? " " : "", subcommand->operands, subcommand->summary);
    while (kg_option_next(subcommand, &index, &use)) {
        const struct kg_option *option = use.option;
        char left[64], letter[8] = "    ";
        if (option->letter)
            snprintf(letter, sizeof letter, "-%c, ", option->letter);
        snprintf(left, sizeof left, "%s--%s%s%s", letter, option->name, option->value ? " " : "",
                 option->value ? option->value : "");
        printf("  %-30s %s%s\n", left, use.help, use.required ? " (needed)" : "");
    }
    if (subcommand->more) {
        struct kg_text text = {0};
        subcommand->more(&text);
        printf("%s", kg_text_string(&text));
        kg_text_free(&text);
    }
}
