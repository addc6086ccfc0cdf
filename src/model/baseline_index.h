/* baseline_index.h: finds stored cases by their name and definition, in a time that grows with the
 * logarithm of their number. Pure. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "model/baseline.h"

struct kg_baseline_entry {
    const struct kg_baseline_case *stored;
    size_t run; /* its index in the baseline: the newest is the greatest */
};

struct kg_baseline_index {
    /* sorted by id, then by definition, then the newest first */
    const struct kg_baseline_entry *entries;
    size_t count;
};

/* Makes an index of the cases of a suite's runs, with pinned runs if `pins`. The index lives in
 * `arena` and points into the baseline. */
void kg_baseline_index_make(struct kg_arena *arena, const struct kg_baseline *baseline,
                            const char *suite, bool pins, struct kg_baseline_index *index);

/* The newest of these runs' cases with this id and definition; NULL: none. */
const struct kg_baseline_case *kg_baseline_index_find(const struct kg_baseline_index *index,
                                                      const char *id, const char *definition_hash);

/* Number of references that a comparison has for this case: the ordinary runs count as one, each
 * pinned run as one.
 * index  of `baseline`, with pinned runs */
size_t kg_baseline_index_references(const struct kg_baseline_index *index,
                                    const struct kg_baseline *baseline, const char *id,
                                    const char *definition_hash);
