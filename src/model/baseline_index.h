/* baseline_index.h: finds stored cases by their name and definition, in a time that grows with the
 * logarithm of their number. Pure. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "model/baseline.h"

struct kg_baseline_entry {
    const struct kg_baseline_case *stored;
    size_t run; /* its number in the baseline: the newest is the greatest */
};

struct kg_baseline_index {
    const struct kg_baseline_entry *entries; /* by id, definition, and the newest first */
    size_t count;
};

/* Of the cases of a suite's runs, pinned ones too where `pins`. The index lives in `arena` and
 * points into the baseline. */
void kg_baseline_index_make(struct kg_arena *arena, const struct kg_baseline *baseline,
                            const char *suite, bool pins, struct kg_baseline_index *index);

/* The case in the newest of these runs that has it with this definition; NULL where none has. */
const struct kg_baseline_case *kg_baseline_index_find(const struct kg_baseline_index *index,
                                                      const char *id, const char *definition_hash);
