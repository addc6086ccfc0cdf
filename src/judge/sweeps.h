/* sweeps.h: cases of results that differ by one parameter, as tables over its values. Pure but for
 * the arena. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "model/results.h"

/* A key is the name of a parameter, or "device". */
struct kg_sweep_request {
    const char *by;      /* the key whose values are the rows; "all": one table for each that has
                            several values */
    const char *across;  /* the key whose values are the columns; NULL: one column */
    const char *against; /* "KEY=VALUE": what times are compared with, all else equal; or NULL */
};

/* A case in a table. */
struct kg_sweep_cell {
    const struct kg_case_result *result;    /* NULL: the suite has no such case */
    const struct kg_case_result *reference; /* what it is compared with; NULL: none, or itself */
    double time_ns;                         /* median; NaN where it was not measured */
    double reference_ns;                    /* likewise */
    double speedup; /* reference_ns / time_ns: above 1 it is faster; NaN where either is unknown */
    bool apart;     /* the 95 % intervals of both times do not overlap */
};

struct kg_sweep_row {
    const char *value;
    struct kg_sweep_cell *cells; /* one for each column */
};

/* One table: the cases of a workload that agree in all that is neither row nor column. */
struct kg_sweep {
    const char *workload;
    const char *device; /* NULL where it is row or column */
    const char *fixed;  /* "lattice=D4,q=4": the other parameters; "" without any */
    const char *by;
    const char **columns; /* values across; one "" where nothing is across */
    size_t column_count;
    struct kg_sweep_row *rows; /* in the suite's order */
    size_t row_count;
    bool measured; /* one of its cases at the least */
};

struct kg_sweeps {
    struct kg_sweep *sweeps; /* in the suite's order */
    size_t count;
};

/* Finds the tables that have two rows at the least.
 * sweeps   in `arena`, which also borrows from `results` and `request`
 * err      KG_ERROR_USAGE for a key or a value that the cases do not have, with those that there
 *          are */
bool kg_sweeps_find(struct kg_arena *arena, const struct kg_results *results,
                    const struct kg_sweep_request *request, struct kg_sweeps *sweeps,
                    struct kg_error *err);
