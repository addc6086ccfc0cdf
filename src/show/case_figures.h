/* case_figures.h: what is known of a case as a list of figures: what files of figures for other programs (CSV,
 * OpenMetrics) are made from. */
#pragma once
#include "base/arena.h"
#include "model/results.h"

/* What is not known of it is NaN. */
struct kg_tidy {
    const char *name; /* a metric's, of the suite's budgets, or the workload's own */
    const char *unit; /* "ns", "bytes", "1/s", "J", or "" of a number */
    bool own;         /* the workload's own figure */
    double value;     /* of the time the median of the rounds */
    double mean;
    double standard_deviation;
    double min;
    double max;
    double p95;
    double interval_low; /* 95 % */
    double interval_high;
};

/* Those that are known, the time first; none of a case without a round.
 * figures  in `arena`, with the names */
void kg_tidy_of(struct kg_arena *arena, const struct kg_case_result *result,
                struct kg_tidy **figures, size_t *count);

/* The names of the parameters that any case has, in the order in which they come first. */
struct kg_tidy_names {
    const char **names;
    size_t count;
};
void kg_tidy_parameters(struct kg_arena *arena, const struct kg_results *results,
                        struct kg_tidy_names *parameters);

/* The value of the case's parameter of that name; NULL where it has none. */
const char *kg_tidy_parameter(const struct kg_case_result *result, const char *name);
