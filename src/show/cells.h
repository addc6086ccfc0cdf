/* cells.h: figures of comparisons as the short texts that every report shows. Pure. */
#pragma once
#include "base/arena.h"
#include "base/text.h"
#include "model/comparison.h"

/* Each kg_cell_… function returns its text in `arena`. */

/* A value in the unit of its metric: "1.23 ms", "4.00 MiB", "12.3 G/s". */
const char *kg_cell_value(struct kg_arena *arena, const struct kg_metric *metric, double value);
/* "1.23 ms"; "" if `ns` is NaN */
const char *kg_cell_time(struct kg_arena *arena, double ns);
/* "1.2 %"; "-" if `share` is NaN */
const char *kg_cell_per_cent(struct kg_arena *arena, double share);
/* The baseline's value of the metric. For a budget: its limit, ">= 12.3 G/s". */
const char *kg_cell_reference(struct kg_arena *arena, const struct kg_metric *metric);
/* "+12.3 %"; for a budget: "" */
const char *kg_cell_change(struct kg_arena *arena, const struct kg_metric *metric);
/* The same with a factor beside a change of three times: "-95.2 %, 21.0x faster". */
const char *kg_cell_change_factor(struct kg_arena *arena, const struct kg_metric *metric);
/* "+10.1 … +14.9 %"; "" if there is no interval */
const char *kg_cell_interval(struct kg_arena *arena, const struct kg_metric *metric);
/* "± 5.0 %": the relative change that counts. For a budget: "". */
const char *kg_cell_threshold(struct kg_arena *arena, const struct kg_metric *metric);
/* A sentence that names the estimator of the times in a comparison's table. If the table has no time: "". */
const char *kg_cell_estimator(const struct kg_comparison *comparison);
/* "peak_memory", or "time against pin v1". For the time against an ordinary baseline: "". */
const char *kg_cell_metric(struct kg_arena *arena, const struct kg_metric *metric);
/* Remarks beside a case's figures: the deciding metric (unless it is the time), a raised threshold and a
 * changed clock. If another metric decided, the changes of time and instructions follow. "" if there are none. */
const char *kg_cell_circumstances(struct kg_arena *arena, const struct kg_case_change *change);
/* "REGRESSION", or "REGRESSION, accepted" */
const char *kg_cell_verdict(struct kg_arena *arena, const struct kg_case_change *change);
/* "turns 20.0 k, quality 50.0", or "" */
const char *kg_cell_figures(struct kg_arena *arena, const struct kg_figure *figures, size_t count);
/* The same text for the figures that the case's workload reports. */
const char *kg_cell_reported(struct kg_arena *arena, const struct kg_case_result *result);
/* Appends "geometric mean +1.2 % over 38 of 40 cases; one call of each 12.3 ms -> 12.5 ms, +1.4 %".
 * Of profiles: "2 outermost scopes 98.0 ms -> 138 ms per process, +40.8 %".
 * If most cases are undecided: "geometric mean of all 40 compared cases +1.1 %, not decided". */
void kg_cell_overall(const struct kg_overall *overall, struct kg_text *text);
/* Copies the text into `arena` and frees `text`. */
const char *kg_cell_take(struct kg_arena *arena, struct kg_text *text);
/* Appends "v1.7.20 (main)". If `commit` is NULL: nothing. */
void kg_cell_commit(const char *commit, const char *branch, struct kg_text *text);
/* Appends the known commits: "commit v1.7.20 (main), baseline v1.7.19 (main)". */
void kg_cell_commits(const struct kg_comparison *comparison, struct kg_text *text);
/* Appends "12 cases: 1 regressed, 11 unchanged". A kind without cases is left out. */
void kg_cell_counts(const struct kg_comparison *comparison, struct kg_text *text);
