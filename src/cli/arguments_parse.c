/* Reads the words of a command line into struct kg_arguments, by the table of arguments.c. */
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "base/units.h"
#include "cli/arguments.h"

enum { OPTIONS_MOST = 96 };

/* The option by its name of `length` characters, or by its letter if `name` is NULL.
 * returns  false if the subcommand does not take it */
static bool option_find(const struct kg_subcommand *subcommand, const char *name, size_t length,
                        char letter, struct kg_option_use *use)
{
    for (size_t index = 0; kg_option_next(subcommand, &index, use);) {
        const struct kg_option *option = use->option;
        if (name ? strlen(option->name) == length && !strncmp(option->name, name, length)
                 : option->letter == letter)
            return true;
    }
    return false;
}

/* Returns the --set of a suite key that a user may take for an option; NULL if there is none. */
static const char *set_of(const struct kg_subcommand *subcommand, const char *name)
{
    static const struct {
        const char *name, *set;
    } keys[] = {{"threshold", "threshold=5%"},   {"alpha", "alpha=1%"},
                {"rounds", "rounds.max=30"},     {"warmup", "warmup=3"},
                {"min-time", "min_time=50ms"},   {"min-effect", "min_effect=2ms"},
                {"timeout", "timeout=60s"},      {"disturbance", "disturbance=100%"},
                {"iterations", "iterations=100"}};
    struct kg_option_use use;
    const bool takes_set = option_find(subcommand, "set", strlen("set"), 0, &use);
    for (size_t i = 0; takes_set && i < sizeof keys / sizeof *keys; i++)
        if (!strcmp(keys[i].name, name))
            return keys[i].set;
    return NULL;
}

static bool unknown(const struct kg_subcommand *subcommand, const char *given, size_t length,
                    struct kg_error *err)
{
    const char *names[OPTIONS_MOST];
    char word[64];
    struct kg_option_use use;
    size_t count = 0;
    for (size_t index = 0; count < OPTIONS_MOST && kg_option_next(subcommand, &index, &use);)
        names[count++] = use.option->name;
    snprintf(word, sizeof word, "%.*s", (int)length, given);
    const char *bare = word + strspn(word, "-");
    const char *set = set_of(subcommand, bare), *nearest = kg_nearest(bare, names, count);
    if (set)
        return kg_error_set(err, KG_ERROR_USAGE, "`kgate %s` has no option '%s'; use `--set %s`",
                            subcommand->name, word, set);
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
        if (option->offset == offsetof(struct kg_arguments, filter))
            arguments->filter_option = option->name;
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
    struct kg_option_use use;
    if (!option_find(subcommand, is_long ? given + 2 : NULL, length, given[1], &use))
        return unknown(subcommand, given, is_long ? length + 2 : 2, err);
    const struct kg_option *option = use.option;
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

static bool missing_set(const struct kg_subcommand *subcommand, const struct kg_option_use *use,
                        struct kg_error *err)
{
    const struct kg_option *option = use->option;
    char letter[8] = "";
    if (option->letter)
        snprintf(letter, sizeof letter, " (-%c)", option->letter);
    return kg_error_set(err, KG_ERROR_USAGE, "`kgate %s` needs --%s %s%s: %s", subcommand->name,
                        option->name, option->value, letter, use->help);
}

static bool required_check(const struct kg_subcommand *subcommand,
                           const struct kg_arguments *arguments, struct kg_error *err)
{
    struct kg_option_use use;
    for (size_t index = 0; kg_option_next(subcommand, &index, &use);)
        if (use.required &&
            !*(const char *const *)(const void *)((const char *)arguments + use.option->offset))
            return missing_set(subcommand, &use, err);
    if (arguments->positional_count < subcommand->operands_least)
        return kg_error_set(err, KG_ERROR_USAGE, "usage: kgate %s %s", subcommand->name,
                            subcommand->operands);
    return true;
}

/* Users easily forget that a suite needs its option. */
static bool operand_refuse(const struct kg_subcommand *subcommand, const char *given,
                           struct kg_error *err)
{
    struct kg_option_use use;
    if ((kg_string_ends(given, ".yaml") || kg_string_ends(given, ".yml")) &&
        option_find(subcommand, "suite", strlen("suite"), 0, &use))
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
                                       .keep = KG_KEEP_UNSET,
                                       .last = KG_LAST_UNSET,
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
