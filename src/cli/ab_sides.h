/* ab_sides.h: the two operands of `kgate ab`. */
#pragma once
#include <stdbool.h>

#include "base/shell_words.h"
#include "cli/cli.h"

enum kg_sides_kind {
    KG_SIDES_BUILDS,   /* two builds, measured by a suite */
    KG_SIDES_PLUGINS,  /* two plugins; kgate measures their common workloads */
    KG_SIDES_COMMANDS, /* two commands, which are one case */
};

struct kg_sides {
    struct kg_arena arena;
    enum kg_sides_kind kind;
    const char *given[2];  /* as on the command line */
    const char *labels[2]; /* names for errors: "--base", or "OLD" for an operand */
    const char *names[2];  /* only for commands: names for tables, safe to print */
    /* names for reports: "NAME (GIVEN)", or as given; both NULL for builds without --name */
    const char *titles[2];
    struct kg_words words[2]; /* only for commands */
    struct kg_text yaml;      /* suite in memory; empty for builds */
};

/* Reads OLD and NEW, or --base and --head for builds.
 * sides  the caller frees it, also on failure */
bool kg_sides_read(const struct kg_arguments *arguments, struct kg_sides *sides,
                   struct kg_error *err);
void kg_sides_free(struct kg_sides *sides);

/* ab_suite.c: cases that the base of `ab` cannot have, because its own suite lacks them. */

/* Finds the cases that the base's suite lacks. With --trust: cases of workloads that the trusted suite lacks. For two
 * checkouts: cases that the suite at the same path in the base's checkout lacks.
 * returns  one value per case, in the arena of `prepared`; NULL if unknown: for two programs, for a suite outside the
 *          candidate's checkout, or if the base's suite is unreadable */
const bool *kg_base_lacks(const struct kg_sides *sides, struct kg_prepared *prepared);
