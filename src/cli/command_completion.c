/* command_completion.c: scripts that complete the command line in a shell, from the tables of subcommands and
 * options: `kgate completion bash`. */
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "cli/cli.h"

/* A string with a backslash, or what stands in its place, before some characters. */
static void escaped(struct kg_text *text, const char *string, size_t length, const char *which)
{
    for (size_t i = 0; i < length; i++) {
        if (strchr(which, string[i]))
            kg_text_append(text, "\\");
        kg_text_append_bytes(text, &string[i], 1);
    }
}

/* --- bash -------------------------------------------------------------------------------------- */

/* Which options: all; with a value; with a value that is no file. */
enum bash_which { BASH_ALL, BASH_TAKING, BASH_NO_FILE };

static bool is_of(const struct kg_subcommand *subcommand, const struct kg_option *option,
                  enum bash_which which)
{
    struct kg_text words = {0};
    const enum kg_value_kind kind = kg_value_kind(subcommand, option, &words);
    kg_text_free(&words);
    return which == BASH_ALL || (option->value && (which == BASH_TAKING || kind != KG_VALUE_FILE));
}

/* "--suite -c --output -o" */
static void bash_options(const struct kg_subcommand *subcommand, enum bash_which which,
                         const char *separator, struct kg_text *text)
{
    struct kg_option_use use;
    size_t index = 0, count = 0;
    while (kg_option_next(subcommand, &index, &use)) {
        if (!is_of(subcommand, use.option, which))
            continue;
        kg_text_printf(text, "%s--%s", count++ ? separator : "", use.option->name);
        if (use.option->letter)
            kg_text_printf(text, "%s-%c", separator, use.option->letter);
    }
}

static void bash_subcommand(const struct kg_subcommand *subcommand, struct kg_text *text)
{
    kg_text_printf(text, "    %s)\n        options=\"", subcommand->name);
    bash_options(subcommand, BASH_ALL, " ", text);
    kg_text_append(text, "\"\n        taking=\"|");
    bash_options(subcommand, BASH_TAKING, "|", text);
    kg_text_append(text, "|\"\n        no_file=\"|");
    bash_options(subcommand, BASH_NO_FILE, "|", text);
    kg_text_append(text, "|\" ;;\n");
}

/* What a value may be: its words, `list` where several may stand, or `cases`. Nothing of others. */
static void bash_value(const char *subcommand, const char *option, enum kg_value_kind kind,
                       const struct kg_text *words, struct kg_text *text)
{
    if (kind == KG_VALUE_CASE)
        kg_text_printf(text, "    %s:%s) cases=yes ;;\n", subcommand, option);
    else if (kind == KG_VALUE_WORD || kind == KG_VALUE_LIST)
        kg_text_printf(text, "    %s:%s) words=\"%s\"%s ;;\n", subcommand, option,
                       kg_text_string(words), kind == KG_VALUE_LIST ? " list=yes" : "");
    text->failed = text->failed || words->failed;
}

static void bash_values(const struct kg_subcommand *subcommand, struct kg_text *text)
{
    struct kg_option_use use;
    struct kg_text words = {0};
    size_t index = 0;
    while (kg_option_next(subcommand, &index, &use)) {
        char option[64];
        struct kg_text values = {0};
        snprintf(option, sizeof option, "--%s", use.option->name);
        bash_value(subcommand->name, option, kg_value_kind(subcommand, use.option, &values),
                   &values, text);
        kg_text_free(&values);
    }
    const enum kg_value_kind kind = kg_operand_kind(subcommand, &words);
    bash_value(subcommand->name, kind == KG_VALUE_CASE ? "operand*" : "operand1", kind, &words,
               text);
    kg_text_free(&words);
}

/* Bash takes '=' and ':' for the end of a word: of what begins with them the rest is offered alone. */
static const char bash_offer[] =
    "_kgate_offer() {\n"
    "    local offered=$1 begun=$2\n"
    "    case $offered in *[!A-Za-z0-9_./,=:%+@-]*) printf -v offered %q \"$offered\" ;; esac\n"
    "    case $COMP_WORDBREAKS in *=*) offered=${offered#\"${begun%\"${begun##*[=:]}\"}\"} ;; "
    "esac\n"
    "    COMPREPLY+=(\"$offered\")\n"
    "}\n"
    "# the ids of the suite's cases, as `kgate list` has them\n"
    "_kgate_cases() {\n"
    "    local i suite=() given\n"
    "    for ((i = 2; i < COMP_CWORD; i++)); do\n"
    "        case ${COMP_WORDS[i]} in -c | --suite) ;; *) continue ;; esac\n"
    "        given=${COMP_WORDS[i + 1]}\n"
    "        [ \"$given\" != = ] || given=${COMP_WORDS[i + 2]}\n"
    "        suite=(-c \"$given\")\n"
    "    done\n"
    "    \"${COMP_WORDS[0]}\" list -q \"${suite[@]}\" 2>/dev/null </dev/null\n"
    "}\n";

static const char bash_begin[] =
    "_kgate() {\n"
    "    local line=${COMP_LINE:0:COMP_POINT} subcommand=${COMP_WORDS[1]}\n"
    "    local word=${line##*[[:space:]]}\n"
    "    local begun=$word option=${line%\"$word\"} front='' head='' id\n"
    "    local options='' taking='' no_file='' words='' list='' cases=''\n"
    "    option=${option%\"${option##*[![:space:]]}\"}\n"
    "    option=${option##*[[:space:]]}\n"
    "    case $word in --*=*) option=${word%%=*} front=$option= word=${word#*=} ;; esac\n"
    "    COMPREPLY=()\n"
    "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
    "        COMPREPLY=($(compgen -W \"";

static const char bash_middle[] = "--help --version\" -- \"$word\"))\n"
                                  "        return\n"
                                  "    fi\n"
                                  "    case $subcommand in\n";

static const char bash_operand[] =
    "    esac\n"
    "    case $taking in\n"
    "    *\"|$option|\"*) ;;\n"
    "    *) option=operand; [ \"$COMP_CWORD\" -ne 2 ] || option=operand1 ;;\n"
    "    esac\n"
    "    case $subcommand:$option in\n";

static const char bash_end[] =
    "    esac\n"
    "    if [ -n \"$cases\" ] && [[ $word != -* ]]; then\n"
    "        while IFS= read -r id; do\n"
    "            [[ $id != \"$word\"* ]] || _kgate_offer \"$front$id\" \"$begun\"\n"
    "        done < <(_kgate_cases)\n"
    "    elif [ -n \"$words\" ] && [[ $word != -* ]]; then\n"
    "        [ -z \"$list\" ] || head=${word%\"${word##*,}\"}\n"
    "        for id in $(compgen -W \"$words\" -- \"${word#\"$head\"}\"); do\n"
    "            _kgate_offer \"$front$head$id\" \"$begun\"\n"
    "        done\n"
    "    elif [[ $option == operand* && $word == -* ]]; then\n"
    "        COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
    "    fi\n"
    "    case $no_file in *\"|$option|\"*) compopt +o default 2>/dev/null ;; esac\n"
    "}\n"
    "complete -o default -F _kgate kgate\n";

static void bash(struct kg_text *text)
{
    kg_text_append(text, "# bash completion for kgate, made by `kgate completion bash`\n");
    kg_text_append(text, bash_offer);
    kg_text_append(text, bash_begin);
    for (size_t i = 0; kg_subcommand_at(i); i++)
        kg_text_printf(text, "%s ", kg_subcommand_at(i)->name);
    kg_text_append(text, bash_middle);
    for (size_t i = 0; kg_subcommand_at(i); i++)
        bash_subcommand(kg_subcommand_at(i), text);
    kg_text_append(text, bash_operand);
    for (size_t i = 0; kg_subcommand_at(i); i++)
        bash_values(kg_subcommand_at(i), text);
    kg_text_append(text, bash_end);
}

/* --- zsh --------------------------------------------------------------------------------------- */

/* Inside of '…' and of _arguments' own brackets and colons. */
static void zsh_help(struct kg_text *text, const char *help)
{
    for (; *help; help++)
        if (*help == '\'')
            kg_text_append(text, "'\\''");
        else
            escaped(text, help, 1, "[]:\\");
}

/* What completes a value, as an action of _arguments. */
static void zsh_action(enum kg_value_kind kind, const struct kg_text *words, struct kg_text *text)
{
    if (kind == KG_VALUE_FILE)
        kg_text_append(text, "_files");
    else if (kind == KG_VALUE_CASE)
        kg_text_append(text, "_kgate_cases");
    else if (kind == KG_VALUE_WORD)
        kg_text_printf(text, "(%s)", kg_text_string(words));
    else if (kind == KG_VALUE_LIST)
        kg_text_printf(text, " _values -s , value %s", kg_text_string(words));
    else
        kg_text_append(text, " ");
    text->failed = text->failed || words->failed;
}

static void zsh_value(const struct kg_subcommand *subcommand, const struct kg_option *option,
                      struct kg_text *text)
{
    struct kg_text words = {0};
    const enum kg_value_kind kind = kg_value_kind(subcommand, option, &words);
    kg_text_append(text, ":");
    zsh_help(text, option->value);
    kg_text_append(text, ":");
    zsh_action(kind, &words, text);
    kg_text_free(&words);
}

static void zsh_option(const struct kg_subcommand *subcommand, const struct kg_option_use *use,
                       struct kg_text *text)
{
    const struct kg_option *option = use->option;
    const char *equals = option->value ? "=" : "", *plus = option->value ? "+" : "";
    kg_text_append(text, "        ");
    if (option->kind == KG_OPTION_TEXTS)
        kg_text_printf(text, "'*--%s%s[", option->name, equals);
    else if (option->letter)
        kg_text_printf(text, "'(-%c --%s)'{-%c%s,--%s%s}'[", option->letter, option->name,
                       option->letter, plus, option->name, equals);
    else
        kg_text_printf(text, "'--%s%s[", option->name, equals);
    zsh_help(text, use->help);
    kg_text_append(text, "]");
    if (option->value)
        zsh_value(subcommand, option, text);
    kg_text_append(text, "' \\\n");
}

static void zsh_operands(const struct kg_subcommand *subcommand, struct kg_text *text)
{
    struct kg_text words = {0};
    const enum kg_value_kind kind = kg_operand_kind(subcommand, &words);
    kg_text_append(text, "        '");
    if (kind == KG_VALUE_WORD)
        kg_text_printf(text, "1: :(%s)' '", kg_text_string(&words));
    kg_text_append(text,
                   kind == KG_VALUE_CASE ? "*:case:_kgate_cases' ;;\n" : "*:file:_files' ;;\n");
    kg_text_free(&words);
}

static const char zsh_cases[] =
    "# the ids of the suite's cases, as `kgate list` has them\n"
    "_kgate_cases() {\n"
    "    local -a ids suite\n"
    "    local i\n"
    "    for (( i = 1; i < CURRENT; i++ )); do\n"
    "        case $words[i] in\n"
    "        -c|--suite) suite=(-c ${(Q)words[i+1]}) ;;\n"
    "        --suite=*) suite=(-c ${(Q)${words[i]#--suite=}}) ;;\n"
    "        esac\n"
    "    done\n"
    "    ids=(${(f)\"$($program list -q $suite 2>/dev/null </dev/null)\"})\n"
    "    compadd -a ids\n"
    "}\n";

static void zsh(struct kg_text *text)
{
    kg_text_append(text, "#compdef kgate\n"
                         "# zsh completion for kgate, made by `kgate completion zsh`\n");
    kg_text_append(text, zsh_cases);
    kg_text_append(text, "_kgate() {\n"
                         "    local program=${(Q)words[1]}\n"
                         "    local -a subcommands=(\n");
    for (size_t i = 0; kg_subcommand_at(i); i++) {
        const struct kg_subcommand *subcommand = kg_subcommand_at(i);
        struct kg_text first = {0};
        kg_text_append_bytes(&first, subcommand->summary, strcspn(subcommand->summary, "\n"));
        kg_text_printf(text, "        '%s:", subcommand->name);
        zsh_help(text, kg_text_string(&first));
        kg_text_append(text, "'\n");
        text->failed = text->failed || first.failed;
        kg_text_free(&first);
    }
    kg_text_append(text, "    )\n"
                         "    if (( CURRENT == 2 )); then\n"
                         "        _describe subcommand subcommands\n"
                         "        return\n"
                         "    fi\n"
                         "    local subcommand=$words[2]\n"
                         "    shift words\n"
                         "    (( CURRENT-- ))\n"
                         "    case $subcommand in\n");
    for (size_t i = 0; kg_subcommand_at(i); i++) {
        const struct kg_subcommand *subcommand = kg_subcommand_at(i);
        struct kg_option_use use;
        size_t index = 0;
        kg_text_printf(text, "    (%s) _arguments \\\n", subcommand->name);
        while (kg_option_next(subcommand, &index, &use))
            zsh_option(subcommand, &use, text);
        zsh_operands(subcommand, text);
    }
    kg_text_append(text, "    esac\n"
                         "}\n"
                         "_kgate \"$@\"\n");
}

/* --- fish -------------------------------------------------------------------------------------- */

/* Behind -x: nothing, or what is offered, "-a 'text json'". */
static void fish_offer(enum kg_value_kind kind, const struct kg_text *words, struct kg_text *text)
{
    if (kind == KG_VALUE_CASE)
        kg_text_append(text, " -a '(__kgate_cases)'");
    else if (kind == KG_VALUE_LIST)
        kg_text_printf(text, " -a '(__fish_append , %s)'", kg_text_string(words));
    else if (kind == KG_VALUE_WORD)
        kg_text_printf(text, " -a '%s'", kg_text_string(words));
    text->failed = text->failed || words->failed;
}

static void fish_value(const struct kg_subcommand *subcommand, const struct kg_option *option,
                       struct kg_text *text)
{
    struct kg_text words = {0};
    const enum kg_value_kind kind = kg_value_kind(subcommand, option, &words);
    kg_text_append(text, kind == KG_VALUE_FILE ? " -r -F" : " -x");
    fish_offer(kind, &words, text);
    kg_text_free(&words);
}

static void fish_operands(const struct kg_subcommand *subcommand, struct kg_text *text)
{
    struct kg_text words = {0};
    const enum kg_value_kind kind = kg_operand_kind(subcommand, &words);
    if (kind != KG_VALUE_FILE) {
        kg_text_printf(text, "complete -c kgate -n '__fish_seen_subcommand_from %s'%s",
                       subcommand->name, kind == KG_VALUE_CASE ? " -f" : "");
        fish_offer(kind, &words, text);
        kg_text_append(text, "\n");
    }
    kg_text_free(&words);
}

static const char fish_cases[] =
    "# the ids of the suite's cases, as `kgate list` has them\n"
    "function __kgate_cases\n"
    "    set -l given (commandline -opc)\n"
    "    set -l suite\n"
    "    for i in (seq (count $given))\n"
    "        if contains -- $given[$i] -c --suite\n"
    "            set suite -c $given[(math $i + 1)]\n"
    "        else if string match -q -- '--suite=*' $given[$i]\n"
    "            set suite -c (string replace -- --suite= '' $given[$i])\n"
    "        end\n"
    "    end\n"
    "    $given[1] list -q $suite 2>/dev/null </dev/null\n"
    "end\n";

static void fish_option(const struct kg_subcommand *subcommand, const struct kg_option_use *use,
                        struct kg_text *text)
{
    const struct kg_option *option = use->option;
    kg_text_printf(text, "complete -c kgate -n '__fish_seen_subcommand_from %s' -l %s",
                   subcommand->name, option->name);
    if (option->letter)
        kg_text_printf(text, " -s %c", option->letter);
    if (option->value)
        fish_value(subcommand, option, text);
    kg_text_append(text, " -d '");
    escaped(text, use->help, strlen(use->help), "'\\");
    kg_text_append(text, "'\n");
}

static void fish(struct kg_text *text)
{
    kg_text_append(text, "# fish completion for kgate, made by `kgate completion fish`\n");
    kg_text_append(text, fish_cases);
    for (size_t i = 0; kg_subcommand_at(i); i++) {
        const struct kg_subcommand *subcommand = kg_subcommand_at(i);
        struct kg_option_use use;
        size_t index = 0;
        kg_text_printf(text, "complete -c kgate -f -n __fish_use_subcommand -a %s -d '",
                       subcommand->name);
        escaped(text, subcommand->summary, strcspn(subcommand->summary, "\n"), "'\\");
        kg_text_append(text, "'\n");
        fish_operands(subcommand, text);
        while (kg_option_next(subcommand, &index, &use))
            fish_option(subcommand, &use, text);
    }
}

/* ----------------------------------------------------------------------------------------------- */

static const struct shell {
    const char *name;
    void (*write)(struct kg_text *text);
} shells[] = {{"bash", bash}, {"zsh", zsh}, {"fish", fish}};
enum { SHELLS = sizeof shells / sizeof *shells };

int kg_cli_completion(const struct kg_arguments *arguments)
{
    const char *names[SHELLS], *wanted = arguments->positional[0];
    struct kg_text text = {0};
    struct kg_error err;
    for (size_t i = 0; i < SHELLS; i++) {
        names[i] = shells[i].name;
        if (strcmp(wanted, names[i]) != 0)
            continue;
        shells[i].write(&text);
        const bool good = kg_print(&text, &err);
        kg_text_free(&text);
        return good ? KG_EXIT_PASS : kg_fail(&err);
    }
    const char *nearest = kg_nearest(wanted, names, SHELLS);
    kg_error_set(&err, KG_ERROR_USAGE,
                 "no completion for '%.60s': there is one for bash, zsh and fish%s%s%s", wanted,
                 nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
    return kg_fail(&err);
}
