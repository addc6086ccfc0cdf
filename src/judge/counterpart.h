/* counterpart.h: finds the CPU case that has the workload and parameters of a GPU case; their
 * timing may differ. Pure. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "model/results.h"

/* The cases on the CPU, sorted by workload and parameters. */
struct kg_counterparts {
    const struct kg_case_result **cases;
    size_t count;
};

/* The index lives in `arena` and points into `results`; false where memory is out. */
bool kg_counterparts_index(struct kg_arena *arena, const struct kg_results *results,
                           struct kg_counterparts *counterparts);

/* The CPU case that belongs to `result`; NULL where the results have none. */
const struct kg_case_result *kg_counterpart_find(const struct kg_counterparts *counterparts,
                                                 const struct kg_case_result *result);
