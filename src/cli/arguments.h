/* arguments.h: the command line as one table of options: parsed, shown by --help and checked from
 * it. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"
#include "util/text.h"

/* --top where it was not given: 10 rows, or what suits the report. */
#define KG_TOP_UNSET UINT64_MAX

enum { KG_SET_MOST = 64, KG_POSITIONAL_MOST = 8 };

/* What any subcommand may be given; a subcommand's table says which of it it takes. */
struct kg_arguments {
    const char *suite;
    const char *baseline;
    const char *output;
    const char *filter;
    const char *shard;
    const char *pin;
    const char *format;
    const char *keep_builds;
    const char *only_suite;
    const char *machine;
    const char *device;
    const char *budget;
    const char *base;
    const char *head;
    const char *threshold;
    const char *only;
    const char *type;
    const char *set[KG_SET_MOST];
    size_t set_count;
    uint64_t top;
    uint64_t keep;
    uint64_t runs;
    uint64_t seconds;
    bool update_missing;
    bool skip_unchanged;
    bool force;
    bool profile;
    bool quiet;
    bool verbose;
    bool json;
    bool help;
    const char *positional[KG_POSITIONAL_MOST];
    size_t positional_count;
};

enum kg_option_kind { KG_OPTION_FLAG, KG_OPTION_TEXT, KG_OPTION_TEXTS, KG_OPTION_COUNT };

struct kg_option {
    const char *name; /* long, without dashes */
    char letter;      /* or 0 */
    enum kg_option_kind kind;
    const char *value; /* what its value is called in help */
    size_t offset;     /* in struct kg_arguments */
    const char *help;
};

struct kg_subcommand {
    const char *name;
    const char *operands; /* "BASE.json CURRENT.json", or "" */
    size_t operands_least;
    size_t operands_most;
    const char *summary;
    const char *options; /* names from the table, separated by spaces; "!" follows a required one */
    int (*run)(const struct kg_arguments *arguments);
    void (*more)(struct kg_text *text); /* appends what --help says after the options; or NULL */
};

/* Reads argv[1…]; a value is "--name value", "--name=value", "-n value" or "-nvalue".
 * err: KG_ERROR_USAGE with the nearest known option */
bool kg_arguments_parse(const struct kg_subcommand *subcommand, int argc, char **argv,
                        struct kg_arguments *arguments, struct kg_error *err);

/* Prints the subcommand's help to standard output. */
void kg_arguments_help(const struct kg_subcommand *subcommand);
