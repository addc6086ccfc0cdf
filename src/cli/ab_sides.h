/* ab_sides.h: what the two operands of `kgate ab` are. */
#pragma once
#include <stdbool.h>

#include "base/shell_words.h"
#include "cli/cli.h"

enum kg_sides_kind {
    KG_SIDES_BUILDS,   /* to be measured by a suite */
    KG_SIDES_PLUGINS,  /* what both have is measured */
    KG_SIDES_COMMANDS, /* one case */
};

struct kg_sides {
    struct kg_arena arena;
    enum kg_sides_kind kind;
    const char *given[2];     /* as on the command line */
    const char *labels[2];    /* how errors name them: "--base", or "OLD" of an operand */
    const char *names[2];     /* of commands, to be shown: harmless */
    const char *said[2];      /* what reports call each: "NAME (GIVEN)", or as given; of builds
                                 without a --name both NULL */
    struct kg_words words[2]; /* of commands */
    struct kg_text yaml;      /* the suite in memory, but for builds */
};

/* Reads OLD and NEW, or of builds --base and --head.
 * sides  to be freed also on failure */
bool kg_sides_read(const struct kg_arguments *arguments, struct kg_sides *sides,
                   struct kg_error *err);
void kg_sides_free(struct kg_sides *sides);

/* ab_suite.c: which cases the base of `ab` cannot have, because its own suite does not. */

/* Finds the cases that the base's suite lacks: with --trust those of workloads that the trusted suite
 * lacks; of two checkouts those that the suite of the base's checkout, at the same path, lacks.
 * returns  one value per case, in the arena of `prepared`; NULL if nobody can know: two programs, or a suite
 *          outside of the candidate's checkout */
const bool *kg_base_lacks(const struct kg_sides *sides, struct kg_prepared *prepared);
