/* advice_index.h: what suggestions say of one operation, found by halving, not by reading them all:
 * a report asks for each of its cases. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "why/suggestions.h"

/* Where something is said of an operation. */
struct kg_advice_entry {
    const char *operation;
    size_t at; /* of the changes, or of the suggestions */
};

/* Entries sorted by operation; those of one in the order of the suggestions. */
struct kg_advice_index {
    const struct kg_suggestions *suggestions;
    struct kg_advice_entry *changes;
    struct kg_advice_entry *advice; /* one of a scope is in it for its whole, too */
    size_t change_count;
    size_t advice_count;
};

/* The index borrows from `suggestions`; its entries live in `arena`.
 * suggestions  NULL: there are none */
void kg_advice_index_make(struct kg_arena *arena, const struct kg_suggestions *suggestions,
                          struct kg_advice_index *index);

/* The n-th change of an operation's evidence, from 0; NULL where there are not so many. */
const struct kg_evidence_change *kg_advice_change(const struct kg_advice_index *index,
                                                  const char *operation, size_t n);

/* The first suggestion of an operation, or of a scope inside it; NULL where there is none. */
const struct kg_suggestion *kg_advice_first(const struct kg_advice_index *index, const char *whole);
