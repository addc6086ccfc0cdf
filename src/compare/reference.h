/* reference.h: what a case is compared with: the stored runs of its suite, found by id. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "baseline/baseline.h"
#include "results/results.h"

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
    size_t case_count;
    size_t round_count;           /* of all of them */
    const char *code_hash;        /* of the newest; NULL where not known */
    bool paired;                  /* one run, measured turn by turn with the results */
    double bandwidth_bytes_per_s; /* that the probe read in the newest; NaN where not known */
};

/* The index borrows from `baseline`; its entries live in `arena`. false where memory is out. */
bool kg_reference_index_make(struct kg_arena *arena, const struct kg_baseline *baseline,
                             const char *suite, struct kg_reference_index *index);

/* The entries of one id: *count of them from the one returned. */
const struct kg_reference_entry *kg_reference_find(const struct kg_reference_index *index,
                                                   const char *id, size_t *count);

/* Those of the entries of a case that have its definition and rounds, from the ordinary runs or
 * from the run pinned as `pin`. pair: that of the results, or NULL. Arrays in `arena`; false where
 * memory is out. */
bool kg_reference_collect(struct kg_arena *arena, const struct kg_reference_index *index,
                          const struct kg_reference_entry *entries, size_t count,
                          const struct kg_case_result *result, const char *pair, const char *pin,
                          struct kg_reference *reference);
