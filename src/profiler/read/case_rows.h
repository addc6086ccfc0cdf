/* case_rows.h: the cases of a profile, one after the other, and the time of their own that their rows
 * have. A case is an outermost scope with others inside it, or one that a process was recorded for. */
#pragma once
#include "profiler/read/profile.h"

struct kg_case_rows {
    const struct kg_profile *profile;
    size_t first, end; /* the case's row, and the one after its last */
    double *own_ns;  /* of row i at [i - first]: without the scopes inside; on the GPU where that is
                          where the case's time is */
    double total_ns; /* of the case, above 0 */
    bool on_gpu;
};

/* Before the first case. false where memory is out; to be freed also then. */
bool kg_case_rows_start(const struct kg_profile *profile, struct kg_case_rows *rows);
/* The next case that has any time, in the rows' order: the slowest call first, or else the largest
 * total; false where there is none. */
bool kg_case_rows_next(struct kg_case_rows *rows);
void kg_case_rows_free(struct kg_case_rows *rows);

/* The share of the case's time that is the row's own. */
double kg_case_rows_share(const struct kg_case_rows *rows, size_t row);

/* A row by its name, for what the paths of one name have together. */
struct kg_named_row {
    const char *name;
    size_t row;
};
/* By name, and rows of one name in their order. */
void kg_named_rows_sort(struct kg_named_row *named, size_t count);

/* Whether a process of the profile was recorded for that name. */
bool kg_is_label(const struct kg_profile *profile, const char *name);
