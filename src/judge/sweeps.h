/* sweeps.h: tables of cases that differ in one parameter, over the values of that parameter. Pure, except for the
 * arena. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "model/results.h"

/* The parameter of cases from several machines (show/report_machines.c). */
#define KG_MACHINE_KEY "machine"

/* A key is the name of a parameter, or "device". */
struct kg_sweep_request {
    /* key whose values are the rows; "all": one table per key with several values */
    const char *by;
    const char *across; /* key whose values are the columns; NULL: one column */
    /* "KEY=VALUE": the reference of a case has this value and is otherwise equal; or NULL */
    const char *against;
};

/* A case in a table. */
struct kg_sweep_cell {
    const struct kg_case_result *result; /* NULL: the suite has no such case */
    /* reference of the case; NULL: none, or the case is the reference */
    const struct kg_case_result *reference;
    double time_ns;      /* median, in ns; NaN: not measured */
    double reference_ns; /* median of the reference, in ns; NaN: not measured */
    /* reference_ns / time_ns: above 1 the case is faster; NaN if a time is unknown */
    double speedup;
    bool apart; /* whether the 95 % intervals of the two times do not overlap */
};

struct kg_sweep_row {
    const char *value;
    struct kg_sweep_cell *cells; /* one per column */
};

/* One table: cases of a workload that differ only in the keys of the rows and columns. */
struct kg_sweep {
    const char *workload;
    const char *device; /* NULL if the device is a row or column */
    const char *fixed;  /* other parameters, "lattice=D4,q=4"; "" without any */
    const char *by;
    const char **columns; /* values of `across`; one "" without `across` */
    size_t column_count;
    struct kg_sweep_row *rows; /* in the suite's order */
    size_t row_count;
    bool measured; /* whether any case of the table was measured */
};

struct kg_sweeps {
    struct kg_sweep *sweeps; /* in the suite's order */
    size_t count;
};

/* Finds the reference of each case for a CSV file, without tables.
 * against  "KEY=VALUE", as in struct kg_sweep_request
 * cells    one per case, in the order of the results; in `arena`
 * err      KG_ERROR_USAGE as for kg_sweeps_find */
bool kg_sweep_references(struct kg_arena *arena, const struct kg_results *results,
                         const char *against, struct kg_sweep_cell **cells, struct kg_error *err);

/* Finds the tables with at least two rows.
 * sweeps   in `arena`; borrows from `results` and `request`
 * err      KG_ERROR_USAGE if no case has the key or value; the message lists the known keys */
bool kg_sweeps_find(struct kg_arena *arena, const struct kg_results *results,
                    const struct kg_sweep_request *request, struct kg_sweeps *sweeps,
                    struct kg_error *err);
