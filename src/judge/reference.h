/* reference.h: finds the reference of a case in the stored runs of its suite, by the case's id. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "model/baseline.h"
#include "model/results.h"

/* A case of a stored run. */
struct kg_reference_entry {
    const char *id;
    size_t run; /* index into the baseline's runs */
    const struct kg_baseline_case *stored;
};

/* All stored cases of one suite, sorted by id, then from the oldest run to the newest. */
struct kg_reference_index {
    const struct kg_baseline *baseline;
    struct kg_reference_entry *entries;
    size_t entry_count;
    bool any_run;  /* whether the suite has a stored run */
    size_t newest; /* index of the suite's newest ordinary run; SIZE_MAX: none */
};

/* One reference of a case: the stored cases of all ordinary runs, or of one pinned run. */
struct kg_reference {
    const struct kg_baseline_case **cases; /* oldest first */
    const struct kg_baseline_run **runs;   /* runs of `cases`, in the same order */
    size_t case_count;
    size_t round_count;           /* number of rounds in all `cases` */
    struct kg_code_identity code; /* code of the newest case */
    bool unchanged;               /* result of kg_unchanged_since; false before the call */
    bool paired; /* whether the reference is one run, measured in paired rounds with the results */
    /* measured by the newest run's probe, in bytes per second; NaN: unknown */
    double bandwidth_bytes_per_s;
};

/* Builds the index. It borrows from `baseline`; its entries live in `arena`. */
void kg_reference_index_make(struct kg_arena *arena, const struct kg_baseline *baseline,
                             const char *suite, struct kg_reference_index *index);

/* Returns the first entry with that id.
 * count  number of entries with the id, from the first on */
const struct kg_reference_entry *kg_reference_find(const struct kg_reference_index *index,
                                                   const char *id, size_t *count);

/* Collects the entries that have the case's definition and have rounds. The history of an entry must begin with the
 * same accepted change as the newest ordinary run of the case.
 * pin    NULL: the ordinary runs; else the run pinned as `pin`
 * pair   pair id of the results, or NULL
 * arena  owner of the reference's arrays */
void kg_reference_collect(struct kg_arena *arena, const struct kg_reference_index *index,
                          const struct kg_reference_entry *entries, size_t count,
                          const struct kg_case_result *result, const char *pair, const char *pin,
                          struct kg_reference *reference);
