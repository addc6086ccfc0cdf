/* case_rows.h: iterates over the cases of a profile, and gives the self time of their rows. A case is an
 * outermost scope with scopes inside it, or one with a process's label as its name. */
#pragma once
#include "profiler/read/profile.h"

struct kg_case_rows {
    const struct kg_profile *profile;
    size_t first, end; /* the case's row, and the row after its last */
    double *own_ns; /* self time of row i at [i - first], on the threads that run the case; GPU time
                          if most of the case's time is on the GPU */
    double total_ns; /* of the case, above 0 */
    bool on_gpu;
};

/* To be called before the first case. false if memory is out; kg_case_rows_free is due even then. */
bool kg_case_rows_start(const struct kg_profile *profile, struct kg_case_rows *rows);
/* Moves to the next case that has any time, in the rows' order: the slowest call first, or else the
 * largest total. false if there is none. */
bool kg_case_rows_next(struct kg_case_rows *rows);
void kg_case_rows_free(struct kg_case_rows *rows);

/* The row's self time as a share of the case's time. */
double kg_case_rows_share(const struct kg_case_rows *rows, size_t row);

/* A row with its name, for sums over the paths of one name. */
struct kg_named_row {
    const char *name;
    size_t row;
};
/* Sorts by name, then by row. */
void kg_named_rows_sort(struct kg_named_row *named, size_t count);

/* Whether a process of the profile has this name as its label. */
bool kg_is_label(const struct kg_profile *profile, const char *name);
