/* arguments.h: one table of options. It drives the parser, the checks of the command line, and --help. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"

/* Value of --top if not given: 10 rows, or the default of the report. */
#define KG_TOP_UNSET UINT64_MAX

/* Values of --keep and --last if not given: the subcommand chooses. */
#define KG_KEEP_UNSET UINT64_MAX
#define KG_LAST_UNSET UINT64_MAX

/* Value of --runs if not given: the subcommand chooses. */
#define KG_RUNS_UNSET UINT64_MAX

enum { KG_TEXTS_MOST = 64 };

/* No limit for operands, for example the words of a command. */
#define KG_OPERANDS_ANY SIZE_MAX

/* Values of a repeatable option. */
struct kg_texts {
    const char *at[KG_TEXTS_MOST];
    size_t count;
};

/* Options of all subcommands. The table of a subcommand names the options that it takes. */
struct kg_arguments {
    const char *suite;
    const char *baseline;
    const char *output;
    const char *filter;
    const char *filter_option; /* name of the option that gave it: "filter" or "case" */
    const char *shard;
    const char *plan;
    const char *pin;
    const char *run;
    const char *format;
    const char *keep_builds;
    const char *only_suite;
    const char *machine;
    const char *history;
    const char *kind;
    const char *good;
    const char *bad;
    const char *build;
    const char *device;
    const char *budget;
    const char *base;
    const char *head;
    const char *threshold;
    const char *only;
    const char *plot;
    const char *type;
    const char *columns;
    const char *by;
    const char *across;
    const char *against;
    const char *min_effect;
    const char *rounds;
    const char *warmup;
    const char *kernel;
    struct kg_texts params;
    struct kg_texts matrix;
    struct kg_texts set;
    struct kg_texts exports;
    struct kg_texts names;
    const char *because;
    const char *until;
    const char *change;
    const char *from;
    const char *metric;
    const char *accepted;
    const char *accept_from;
    const char *trust;
    uint64_t top;
    uint64_t keep;
    uint64_t last;
    uint64_t runs;
    uint64_t seconds;
    uint64_t shards;
    bool update_missing;
    bool skip_unchanged;
    bool lock_clocks;
    bool measure_unchanged;
    bool force;
    const char *plugin;
    bool dry_run;
    bool no_cmake;
    bool demo;
    bool shell;
    bool remove;
    bool rules;
    bool list;
    bool all;
    bool confirm;
    bool profile;
    bool quiet;
    bool verbose;
    bool json;
    bool help;
    const char *const *positional; /* part of argv, which the parser reorders */
    size_t positional_count;
};

/* Group of an option in --help. */
enum kg_option_group { KG_GROUP_MEASURE, KG_GROUP_JUDGE, KG_GROUP_OUTPUT };

enum kg_option_kind { KG_OPTION_FLAG, KG_OPTION_TEXT, KG_OPTION_TEXTS, KG_OPTION_COUNT };

struct kg_option {
    enum kg_option_group group;
    const char *name; /* long name, without dashes */
    char letter;      /* or 0 */
    enum kg_option_kind kind;
    const char *value; /* name of the value in help */
    size_t offset;     /* offset in struct kg_arguments */
    const char *help;
};

struct kg_subcommand {
    const char *name;
    const char *operands; /* "BASE.json CANDIDATE.json", or "" */
    size_t operands_least;
    size_t operands_most;
    const char *summary;
    /* names from the table, separated by spaces; "!" marks a required option */
    const char *options;
    int (*run)(const struct kg_arguments *arguments);
    void (*more)(struct kg_text *text); /* appends the text after the options in --help; or NULL */
};

/* An option in one subcommand. */
struct kg_option_use {
    const struct kg_option *option;
    const char *help; /* help text in this subcommand */
    bool required;
};

/* Finds the next option of the subcommand, from *index on. Moves *index past it.
 * returns false at the end */
bool kg_option_next(const struct kg_subcommand *subcommand, size_t *index,
                    struct kg_option_use *use);

/* Parses argv[1…]. A value is "--name value", "--name=value", "-n value" or "-nvalue".
 * err  KG_ERROR_USAGE with the nearest known option */
bool kg_arguments_parse(const struct kg_subcommand *subcommand, int argc, char **argv,
                        struct kg_arguments *arguments, struct kg_error *err);

/* Returns the value of --output from words that kg_arguments_parse refused; NULL if not given. */
const char *kg_arguments_output(int argc, char **argv);

/* Prints the subcommand's help to standard output. */
void kg_arguments_help(const struct kg_subcommand *subcommand);
