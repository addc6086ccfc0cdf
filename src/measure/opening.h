/* opening.h: whether what a suite names is there: plugins are opened, each in a process of its own,
 * and asked for their workload and its parameters; programs are looked for. Nothing is measured. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "measure/measurement.h"

/* Cases of plugins that are opened, at most: a process each. */
enum { KG_OPENED_MOST = 500 };

struct kg_opening {
    size_t plugins; /* cases whose plugin was opened */
    size_t left;    /* and was not, being more than KG_OPENED_MOST */
    size_t programs;
    int signal; /* that asked to stop; 0 without one */
};

/* Stops at the first that is wrong: KG_ERROR_USAGE at its place in the suite. Cases that are
 * skipped on this machine are left out. */
bool kg_open_all(const struct kg_prepared_suite *what, struct kg_opening *opening,
                 struct kg_error *err);
