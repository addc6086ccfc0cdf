/* case_figures.h: the known figures of a case as one list. The formats for other programs (CSV, OpenMetrics)
 * print this list. Pure. */
#pragma once
#include "base/arena.h"
#include "model/results.h"

/* One figure of a case; a number that is unknown is NaN. */
struct kg_tidy {
    const char *name; /* of a metric of kgate, or as the workload reports it */
    const char *unit; /* "ns", "bytes", "1/s", "J", or "" for a plain number */
    bool own;         /* reported by the workload */
    double value;     /* for the time: median of the rounds, in ns */
    double mean;
    double standard_deviation;
    double min;
    double max;
    double p95;
    double interval_low; /* 95 % */
    double interval_high;
};

/* Lists the known figures of a case, the time first. A case without a round has none.
 * figures  array in `arena`; valid as long as `result` */
void kg_tidy_of(struct kg_arena *arena, const struct kg_case_result *result,
                struct kg_tidy **figures, size_t *count);

/* The parameter names of all cases, each once, in order of first use. */
struct kg_tidy_names {
    const char **names;
    size_t count;
};
void kg_tidy_parameters(struct kg_arena *arena, const struct kg_results *results,
                        struct kg_tidy_names *parameters);

/* The value of the case's parameter `name`; NULL if the case lacks the parameter. */
const char *kg_tidy_parameter(const struct kg_case_result *result, const char *name);
