/* advice_index.h: finds the suggestions for one operation by binary search, because a report
 * asks for each of its cases. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "why/suggestions.h"

/* One change or suggestion of an operation. */
struct kg_advice_entry {
    const char *operation;
    size_t at; /* index among the changes, or among the suggestions */
};

/* Entries sorted by operation; entries of one operation in the order of the suggestions. */
struct kg_advice_index {
    const struct kg_suggestions *suggestions;
    struct kg_advice_entry *changes;
    struct kg_advice_entry *advice; /* a suggestion for a scope is also listed under its whole */
    size_t change_count;
    size_t advice_count;
};

/* Makes the index. It borrows from `suggestions`; its entries live in `arena`.
 * suggestions  NULL: there are none */
void kg_advice_index_make(struct kg_arena *arena, const struct kg_suggestions *suggestions,
                          struct kg_advice_index *index);

/* The n-th change of an operation's evidence, from 0; NULL: there are fewer. */
const struct kg_evidence_change *kg_advice_change(const struct kg_advice_index *index,
                                                  const char *operation, size_t n);

/* The first suggestion for an operation, or for a scope inside it; NULL: there is none. */
const struct kg_suggestion *kg_advice_first(const struct kg_advice_index *index, const char *whole);
