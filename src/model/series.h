/* series.h: the values of a case's metrics, wherever they are kept. Pure but for the arena. */
#pragma once
#include "model/results.h"

/* What is known of its metric; of a figure of no row that of the workload's own. Never NULL. */
const struct kg_metric_row *kg_series_row(const struct kg_series *series);

/* Of its values: "ns", "bytes", "J", or "" of a number. */
const char *kg_series_unit(const struct kg_series *series);

/* The case's series of that kind; NULL where it has none. */
struct kg_series *kg_case_series(const struct kg_case_result *result, enum kg_metric_kind kind);

/* Whether the suite asked for that metric to be compared; a file without `metrics` for the
 * usual two. */
bool kg_metric_asked(const struct kg_case_result *result, enum kg_metric_kind kind);

/* Whether it is compared by default alone: the suite names no metrics, and it is not the time. */
bool kg_series_unasked(const struct kg_case_result *result, const struct kg_series *series);

/* Whether it is to be compared. What this machine does not tell is not: its `reason` is a note. */
bool kg_series_compared(const struct kg_case_result *result, const struct kg_series *series);

/* Whether there is one value for each of the case's rounds. */
bool kg_series_by_round(const struct kg_series *series);

/* Its values: how many, and each; NaN where one is not known.
 * arena    of what is made of the rounds; else they are the series' own */
size_t kg_series_count(const struct kg_case_result *result, const struct kg_series *series);
const double *kg_series_values(struct kg_arena *arena, const struct kg_case_result *result,
                               const struct kg_series *series);

/* The smallest absolute change that counts; 0 where none is asked for. */
double kg_series_min_effect(const struct kg_series *series);

/* Whether values can be compared: at least one, all finite and 0 or more. */
bool kg_series_values_good(const double *values, size_t count);

/* The case's series with room for `more` at the end, which the caller fills and counts. */
struct kg_series *kg_series_grow(struct kg_arena *arena, struct kg_case_result *result,
                                 size_t more);

/* What reports show of a case besides time and memory: what its workload itself reports, and
 * what else the rounds tell that is compared; each by its median over the rounds. Array and
 * names live in `arena`. */
void kg_case_figures(struct kg_arena *arena, const struct kg_case_result *result,
                     struct kg_figure **figures, size_t *count);
