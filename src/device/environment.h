/* environment.h: the variables of the caller's environment that change how programs run: threads, locale,
 * allocator, loader, CUDA, language runtimes. Results carry those of one table and no others: tokens and
 * passwords are in environments too, and results are committed. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/record.h"

/* Before the hash that stands for a value, or follows the beginning of a long one. */
#define KG_ENVIRONMENT_HASH "hash "

struct kg_environment {
    bool known; /* false: imported results */
    /* By name, sorted. A value is as it was set only where it is short, printable, without a slash and
     * not quoted, and of a variable that takes no words of the user's own; else KG_ENVIRONMENT_HASH and 8
     * hexadecimal digits. What is set to "" is left out. */
    struct kg_pair *variables;
    size_t count;
};

extern const struct kg_record kg_environment_record;

/* Reads the variables of the table; in `arena`.
 * strings  "NAME=value", ended by NULL, as environ has them */
void kg_environment_read(struct kg_arena *arena, char *const *strings,
                         struct kg_environment *environment);

/* Whether a variable of that name is in the table, and so may be in results. Pure. */
bool kg_environment_has(const char *name);

/* Whether the variable is one of the locale, which LC_ALL overrides. Pure. */
bool kg_environment_of_locale(const char *name);
