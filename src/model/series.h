/* series.h: the values of a case's metrics, wherever they are stored. Pure except for the arena. */
#pragma once
#include "model/results.h"

/* The row of a series' metric; a metric without a row has the row of the workload's own. Never
 * NULL. */
const struct kg_metric_row *kg_series_row(const struct kg_series *series);

/* Unit of a series' values: "ns", "bytes", "J"; "" for a number. */
const char *kg_series_unit(const struct kg_series *series);

/* The case's series of that kind; NULL: none. */
struct kg_series *kg_case_series(const struct kg_case_result *result, enum kg_metric_kind kind);

/* Whether the suite compares that metric; a file without `metrics` compares the usual two. */
bool kg_metric_asked(const struct kg_case_result *result, enum kg_metric_kind kind);

/* Whether a series is compared by default only: the suite names no metrics, and the series is not
 * the time. */
bool kg_series_unasked(const struct kg_case_result *result, const struct kg_series *series);

/* Whether a series is to be compared. If this machine does not give its values, it is not: its
 * `reason` becomes a note. */
bool kg_series_compared(const struct kg_case_result *result, const struct kg_series *series);

/* Whether a series has one value per round of the case. */
bool kg_series_by_round(const struct kg_series *series);

/* Number and values of a series; unknown values are NaN.
 * arena  for values computed from the rounds; other values belong to the series */
size_t kg_series_count(const struct kg_case_result *result, const struct kg_series *series);
const double *kg_series_values(struct kg_arena *arena, const struct kg_case_result *result,
                               const struct kg_series *series);

/* The smallest absolute change that counts; 0 if the suite asks for none. */
double kg_series_min_effect(const struct kg_series *series);

/* Whether a value can be compared: finite, and 0 or more. */
bool kg_series_value_good(double value);

/* The case's series with room for `more` at the end, which the caller fills and counts. */
struct kg_series *kg_series_grow(struct kg_arena *arena, struct kg_case_result *result,
                                 size_t more);

/* A case's metrics for reports, besides time and memory: the workload's own, and other compared
 * metrics of the rounds. Each has its median over the rounds. Array and names live in `arena`. */
void kg_case_figures(struct kg_arena *arena, const struct kg_case_result *result,
                     struct kg_figure **figures, size_t *count);
