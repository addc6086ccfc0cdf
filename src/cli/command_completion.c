/* command_completion.c: completion of the command line in a shell. The script of `kgate completion bash` calls `kgate
 * complete WORDS...` at each key. The answer comes only from the tables of subcommands and options. */
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "base/nearest.h"
#include "cli/cli.h"
#include "judge/history/history.h"
#include "run/import/import.h"
#include "show/columns.h"
#include "show/formats.h"
#include "show/plots/plots.h"
#include "why/suggestions.h"

/* --- values of options and operands ----------------------------------------------------------- */

enum value_kind {
    VALUE_OTHER, /* no candidates */
    VALUE_FILE,  /* a file or a folder */
    VALUE_WORD,  /* one word from a list */
    VALUE_LIST,  /* several words from a list, separated by commas */
    VALUE_CASE,  /* id of a case of the suite */
};

static void word_append(struct kg_text *words, const char *word)
{
    kg_text_printf(words, "%s%s", words->length ? " " : "", word);
}

static void report_formats(struct kg_text *words)
{
    kg_report_formats_words(NULL, words);
}

static void suggest_formats(struct kg_text *words)
{
    kg_report_formats_words(KG_SUGGESTIONS_SCHEMA, words);
}

static void schema_formats(struct kg_text *words)
{
    kg_text_append(words, "json markdown");
}

static void history_formats(struct kg_text *words)
{
    kg_report_formats_words(KG_HISTORY_SCHEMA, words);
}

static void history_kinds(struct kg_text *words)
{
    for (size_t i = 0; i < KG_HISTORY_KINDS; i++)
        word_append(words, kg_history_kind_names[i]);
}

static void metrics(struct kg_text *words)
{
    for (size_t i = 0; i < KG_METRIC_KINDS; i++)
        word_append(words, kg_metric_kind_names[i]);
}

static void priorities(struct kg_text *words)
{
    for (size_t i = 0; i < KG_PRIORITY_COUNT; i++)
        word_append(words, kg_priority_names[i]);
}

static void types(struct kg_text *words)
{
    for (size_t i = 0; i < KG_TYPE_COUNT; i++)
        word_append(words, kg_suggestion_type_names[i]);
}

/* Options with words as values, and the source of these words. */
static const struct {
    const char *subcommand, *option;
    enum value_kind kind;
    void (*words)(struct kg_text *words);
} rows[] = {
    {"report", "format", VALUE_WORD, report_formats},
    {"suggest", "format", VALUE_WORD, suggest_formats},
    {"import", "format", VALUE_WORD, kg_import_formats_words},
    {"schema", "format", VALUE_WORD, schema_formats},
    {"report", "columns", VALUE_LIST, kg_columns_words},
    {"report", "plot", VALUE_WORD, kg_plots_words},
    {"history", "format", VALUE_WORD, history_formats},
    {"history", "kind", VALUE_WORD, history_kinds},
    {"accept", "metric", VALUE_WORD, metrics},
    {"suggest", "only", VALUE_LIST, priorities},
    {"suggest", "type", VALUE_LIST, types},
};

/* Appends "record|update|list" as words. */
static enum value_kind alternatives(const char *given, size_t length, struct kg_text *words)
{
    if (!memchr(given, '|', length))
        return VALUE_OTHER;
    for (size_t i = 0; i < length; i++)
        kg_text_append_bytes(words, given[i] == '|' ? " " : &given[i], 1);
    return VALUE_WORD;
}

/* Whether the value is a path, judged by its name in --help. */
static bool is_path(const char *value)
{
    static const char *const names[] = {"SUITE", "DIR", "PATH", "FILE", "A", "B"};
    const size_t length = strlen(value);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(value, names[i]))
            return true;
    return length > 5 && !strcmp(value + length - 5, ".json");
}

/* Returns the option of a word such as "--name=value", "-nvalue" or "--name".
 * value  position of the value in the word; NULL: no value */
static const struct kg_option *option_named(const struct kg_subcommand *subcommand,
                                            const char *word, const char **value)
{
    struct kg_option_use use;
    size_t index = 0;
    const bool is_long = word[1] == '-';
    const size_t length = is_long ? strcspn(word, "=") : 2;
    *value = word[length] ? word + length + is_long : NULL;
    while (kg_option_next(subcommand, &index, &use))
        if (is_long ? strlen(use.option->name) == length - 2 &&
                          !strncmp(use.option->name, word + 2, length - 2)
                    : use.option->letter == word[1])
            return use.option;
    return NULL;
}

/* Returns the kind of the option's values.
 * words  appended: candidates for VALUE_WORD and VALUE_LIST, separated by spaces */
static enum value_kind value_kind(const struct kg_subcommand *subcommand,
                                  const struct kg_option *option, struct kg_text *words)
{
    const char *unused;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(rows[i].option, option->name) &&
            !strcmp(rows[i].subcommand, subcommand->name)) {
            rows[i].words(words);
            return rows[i].kind;
        }
    if (is_path(option->value))
        return VALUE_FILE;
    if (!strcmp(option->name, "filter") && option_named(subcommand, "--suite", &unused))
        return VALUE_CASE;
    return alternatives(option->value, strlen(option->value), words);
}

/* Like value_kind, for an operand.
 * before  number of operands before it */
static enum value_kind operand_kind(const struct kg_subcommand *subcommand, size_t before,
                                    struct kg_text *words)
{
    const char *operands = subcommand->operands;
    if (!strcmp(operands, "[CASE...]"))
        return VALUE_CASE;
    return !before && alternatives(operands, strcspn(operands, " "), words) == VALUE_WORD
               ? VALUE_WORD
               : VALUE_FILE;
}

/* --- kgate complete --------------------------------------------------------------------------- */

/* Exit status for "complete a file name", which shells do better. */
enum { FILE_DUE = 1, ID_MOST = 4096 };

/* The command line before the unfinished word. */
struct line {
    const struct kg_subcommand *subcommand;
    const struct kg_option *option; /* option whose value is the unfinished word; NULL: none */
    const char *suite;              /* value of --suite; NULL: not given */
    size_t operands;
    bool only_operands; /* whether "--" was given */
};

/* Takes a finished word: an option, a value or an operand. */
static void word_take(struct line *line, const char *word)
{
    const struct kg_option *option = line->option;
    const char *value = word;
    line->option = NULL;
    if (!option && (line->only_operands || word[0] != '-' || !word[1])) {
        line->operands++;
        return;
    }
    line->only_operands = !option && !strcmp(word, "--");
    if (!option)
        option = option_named(line->subcommand, word, &value);
    if (option && option->value && !value)
        line->option = option;
    else if (option && !strcmp(option->name, "suite"))
        line->suite = value;
}

/* Appends one candidate: the first `kept` bytes of the word, then `added`, then help, if any. */
static void offer(struct kg_text *text, const char *word, size_t kept, const char *added,
                  const char *help)
{
    kg_text_append_bytes(text, word, kept);
    kg_text_append(text, added);
    if (help)
        kg_text_printf(text, "\t%.*s", (int)strcspn(help, "\n"), help);
    kg_text_append(text, "\n");
}

static void subcommands_offer(struct kg_text *text)
{
    for (size_t i = 0; kg_subcommand_at(i); i++)
        offer(text, "", 0, kg_subcommand_at(i)->name, kg_subcommand_at(i)->summary);
    offer(text, "", 0, "--help", NULL);
    offer(text, "", 0, "--version", NULL);
}

static void options_offer(struct kg_text *text, const struct kg_subcommand *subcommand)
{
    struct kg_option_use use;
    size_t index = 0;
    while (kg_option_next(subcommand, &index, &use)) {
        const char letter[] = {use.option->letter, '\0'};
        offer(text, "--", 2, use.option->name, use.help);
        if (*letter)
            offer(text, "-", 1, letter, use.help);
    }
}

/* Offers words separated by spaces. In a list, keeps the text before the last comma. */
static void words_offer(struct kg_text *text, const char *word, size_t kept, enum value_kind kind,
                        char *words)
{
    const char *comma = kind == VALUE_LIST ? strrchr(word + kept, ',') : NULL;
    char *rest;
    for (char *at = strtok_r(words, " ", &rest); at; at = strtok_r(NULL, " ", &rest))
        offer(text, word, comma ? (size_t)(comma - word) + 1 : kept, at, NULL);
}

/* Offers the ids of the suite's cases; none if the suite is unreadable. */
static void cases_offer(struct kg_text *text, const char *word, size_t kept, const char *suite)
{
    const struct kg_arguments arguments = {.suite = suite, .quiet = true};
    struct kg_prepared prepared;
    struct kg_error unread;
    if (!kg_prepare(&arguments, &prepared, &unread))
        return;
    for (size_t i = 0; i < prepared.plan.case_count; i++) {
        struct kg_text id = {0};
        kg_escape_terminal(&id, prepared.plan.cases[i].id, ID_MOST);
        offer(text, word, kept, kg_text_string(&id), NULL);
        kg_text_free(&id);
    }
    kg_prepared_free(&prepared);
}

/* Offers candidates for the unfinished word. Returns false if the shell should complete a file name. */
static bool candidates(const struct line *line, const char *word, struct kg_text *text)
{
    const char *value = word;
    const struct kg_option *option = line->option;
    struct kg_text words = {0};
    if (!option && !line->only_operands && *word == '-') {
        option = word[1] ? option_named(line->subcommand, word, &value) : NULL;
        if (!option || !option->value || !value) {
            options_offer(text, line->subcommand);
            return true;
        }
    }
    const size_t kept = (size_t)(value - word);
    const enum value_kind kind = option ? value_kind(line->subcommand, option, &words)
                                        : operand_kind(line->subcommand, line->operands, &words);
    if (kind == VALUE_CASE)
        cases_offer(text, word, kept, line->suite);
    else if (words.length)
        words_offer(text, word, kept, kind, words.data);
    kg_text_free(&words);
    return kind != VALUE_FILE;
}

int kg_cli_complete(int count, char **words)
{
    struct line line = {0};
    struct kg_text text = {0};
    struct kg_error err;
    for (size_t i = 0; count > 1 && kg_subcommand_at(i); i++)
        if (!strcmp(kg_subcommand_at(i)->name, words[0]))
            line.subcommand = kg_subcommand_at(i);
    if (count > 1 && !line.subcommand)
        return FILE_DUE;
    for (int i = 1; i < count - 1; i++)
        word_take(&line, words[i]);
    if (!line.subcommand)
        subcommands_offer(&text);
    else if (!candidates(&line, words[count - 1], &text))
        return FILE_DUE;
    const bool good = kg_print(&text, &err);
    kg_text_free(&text);
    return good ? KG_EXIT_PASS : kg_fail(&err);
}

/* --- Scripts ---------------------------------------------------------------------------------- */

/* Bash starts a new word after '=' and ':'. So a candidate must not repeat the bytes before them. */
static const char bash[] =
    "# bash completion for kgate, made by `kgate completion bash`\n"
    "_kgate() {\n"
    "    local line=${COMP_LINE:0:COMP_POINT} words answer candidate\n"
    "    local word=${line##*[[:space:]]} there=''\n"
    "    COMPREPLY=()\n"
    "    read -ra words <<<\"${line%\"$word\"}\"\n"
    "    answer=$(\"${words[0]/#\\~/$HOME}\" complete \"${words[@]:1}\" \"$word\" 2>/dev/null "
    "</dev/null) || return 0\n"
    "    compopt +o default 2>/dev/null\n"
    "    case $COMP_WORDBREAKS in *=*) there=${word%\"${word##*[=:]}\"} ;; esac\n"
    "    while IFS=$'\\t' read -r candidate _; do\n"
    "        [[ -n $candidate && $candidate == \"$word\"* ]] || continue\n"
    "        candidate=${candidate#\"$there\"}\n"
    "        case $candidate in *[!A-Za-z0-9_./,=:%+@-]*) printf -v candidate %q \"$candidate\" ;; "
    "esac\n"
    "        COMPREPLY+=(\"$candidate\")\n"
    "    done <<<\"$answer\"\n"
    "}\n"
    "complete -o default -F _kgate kgate\n";

static const char zsh[] =
    "#compdef kgate\n"
    "# zsh completion for kgate, made by `kgate completion zsh`\n"
    "_kgate() {\n"
    "    local answer\n"
    "    local -a candidates\n"
    "    if answer=$(${(Q)~words[1]} complete \"${(@Q)words[2,CURRENT-1]}\" \"${(Q)PREFIX}\" "
    "2>/dev/null </dev/null); then\n"
    "        candidates=(${${${(f)answer}//:/\\\\:}/$'\\t'/:})\n"
    "        _describe candidate candidates\n"
    "    else\n"
    "        compset -P '--*='\n"
    "        _files\n"
    "    fi\n"
    "}\n"
    "_kgate \"$@\"\n";

static const char fish[] = "# fish completion for kgate, made by `kgate completion fish`\n"
                           "function __kgate\n"
                           "    set -l words (commandline -opc)\n"
                           "    set -l word (commandline -ct)\n"
                           "    set -l front (string match -r -- '^--[^=]*=' \"$word\")\n"
                           "    $words[1] complete $words[2..] \"$word\" 2>/dev/null </dev/null\n"
                           "    or __fish_complete_path (string replace -- \"$front\" '' "
                           "\"$word\") | string replace -r -- "
                           "'^' \"$front\"\n"
                           "end\n"
                           "complete -c kgate -f -a '(__kgate)'\n";

static const struct shell {
    const char *name, *script;
} shells[] = {{"bash", bash}, {"zsh", zsh}, {"fish", fish}};
enum { SHELLS = sizeof shells / sizeof *shells };

int kg_cli_completion(const struct kg_arguments *arguments)
{
    const char *names[SHELLS], *wanted = arguments->positional[0];
    struct kg_error err;
    for (size_t i = 0; i < SHELLS; i++) {
        names[i] = shells[i].name;
        if (!strcmp(wanted, names[i]))
            return fputs(shells[i].script, stdout) < 0 ? KG_EXIT_FAILED : KG_EXIT_PASS;
    }
    kg_error_unknown(&err, wanted, names, SHELLS, "no completion for '%.60s'", wanted);
    return kg_fail(&err);
}
