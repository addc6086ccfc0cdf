/* reference.h: finds what a case is compared with, by its id in the stored runs of its suite. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "model/baseline.h"
#include "model/results.h"

/* A case of a stored run. */
struct kg_reference_entry {
    const char *id;
    size_t run; /* an index of the baseline's runs */
    const struct kg_baseline_case *stored;
};

/* All stored cases of one suite, sorted by id, then from the oldest run to the newest. */
struct kg_reference_index {
    const struct kg_baseline *baseline;
    struct kg_reference_entry *entries;
    size_t entry_count;
    bool any_run;  /* the suite has a stored run */
    size_t newest; /* its newest ordinary run; SIZE_MAX where it has none */
};

/* One reference of a case: its stored cases of the ordinary runs together, or of one pinned run. */
struct kg_reference {
    const struct kg_baseline_case **cases; /* oldest first */
    const struct kg_baseline_run **runs;   /* that they are of */
    size_t case_count;
    size_t round_count;           /* of all of them */
    struct kg_code_identity code; /* of the newest */
    bool unchanged;               /* kg_unchanged_since; false before somebody asks */
    bool paired;                  /* it is one run, measured in turns with the results */
    double bandwidth_bytes_per_s; /* read by the newest run's probe; NaN: unknown */
};

/* The index borrows from `baseline`; its entries live in `arena`. */
void kg_reference_index_make(struct kg_arena *arena, const struct kg_baseline *baseline,
                             const char *suite, struct kg_reference_index *index);

/* The first entry of that id; *count entries from it on have the id. */
const struct kg_reference_entry *kg_reference_find(const struct kg_reference_index *index,
                                                   const char *id, size_t *count);

/* Collects those entries of a case that have its definition and have rounds, and whose history begins
 * with the same accepted change as that of its newest ordinary run.
 * pin      NULL: from the ordinary runs; else from the run pinned under that name
 * pair     that of the results, or NULL
 * arena    owns the reference's arrays */
void kg_reference_collect(struct kg_arena *arena, const struct kg_reference_index *index,
                          const struct kg_reference_entry *entries, size_t count,
                          const struct kg_case_result *result, const char *pair, const char *pin,
                          struct kg_reference *reference);
