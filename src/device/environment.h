/* environment.h: the variables of the caller's environment that change how programs run: threads,
 * locale, allocator, loader, CUDA, language runtimes. Results hold only the variables of one table:
 * environments also hold tokens and passwords, and users commit results. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/record.h"

/* Stands before the hash of a value, alone or after the beginning of a long value. */
#define KG_ENVIRONMENT_HASH "hash "

struct kg_environment {
    bool known; /* false: imported results */
    /* Sorted by name; empty variables are left out. A value is stored as set if it is short and
     * printable, without slashes and quotes. The variable must also take no text of the user's own.
     * Otherwise KG_ENVIRONMENT_HASH and 8 hexadecimal digits replace the value. If it is only too
     * long, they follow its first 40 characters. */
    struct kg_pair *variables;
    size_t count;
};

extern const struct kg_record kg_environment_record;

/* Reads the variables of the table; in `arena`.
 * strings  "NAME=value" each, ended by NULL, like environ */
void kg_environment_read(struct kg_arena *arena, char *const *strings,
                         struct kg_environment *environment);

/* Whether results may hold a variable of that name: whether the table has it. Pure. */
bool kg_environment_has(const char *name);

/* Whether the variable belongs to the locale, which LC_ALL overrides. Pure. */
bool kg_environment_of_locale(const char *name);
