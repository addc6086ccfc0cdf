/* cells.h: figures of comparisons as the short texts that every report shows. Pure. */
#pragma once
#include "base/arena.h"
#include "base/text.h"
#include "model/comparison.h"

/* A value in the unit of its metric: "1.23 ms", "4.00 MiB", "12.3 G/s". All in `arena`. */
const char *kg_cell_value(struct kg_arena *arena, const struct kg_metric *metric, double value);
/* "1.23 ms"; "" if it is not known */
const char *kg_cell_time(struct kg_arena *arena, double ns);
/* "1.2 %"; "-" if it is not known */
const char *kg_cell_per_cent(struct kg_arena *arena, double share);
/* What it is compared with: a value, or of a budget ">= 12.3 G/s". */
const char *kg_cell_reference(struct kg_arena *arena, const struct kg_metric *metric);
/* "+12.3 %"; of a budget "" */
const char *kg_cell_change(struct kg_arena *arena, const struct kg_metric *metric);
/* "+10.1 … +14.9 %", or "" where there is no interval */
const char *kg_cell_interval(struct kg_arena *arena, const struct kg_metric *metric);
/* "± 5.0 %": the relative change that counts; of a budget "" */
const char *kg_cell_threshold(struct kg_arena *arena, const struct kg_metric *metric);
/* What the times of a comparison's table are, where it has any: one estimator for all; or "". */
const char *kg_cell_estimator(const struct kg_comparison *comparison);
/* "time", or "peak_memory against pin v1", only what a reader cannot take for granted; or "" */
const char *kg_cell_metric(struct kg_arena *arena, const struct kg_metric *metric);
/* What a reader must know beside a case's figures: the metric where it is not the time, a raised
 * threshold, a moved clock, and what time and instructions did where
 * something else decided; or "" */
const char *kg_cell_circumstances(struct kg_arena *arena, const struct kg_case_change *change);
/* "REGRESSION", or "REGRESSION, accepted" */
const char *kg_cell_verdict(struct kg_arena *arena, const struct kg_case_change *change);
/* "turns 20.0 k, quality 50.0", or "" */
const char *kg_cell_figures(struct kg_arena *arena, const struct kg_figure *figures, size_t count);
/* The same of what a case's workload itself reports. */
const char *kg_cell_reported(struct kg_arena *arena, const struct kg_case_result *result);
/* Appends "geometric mean +1.2 % over 38 of 40 cases; one call of each 12.3 ms -> 12.5 ms, +1.4 %",
 * and where most cases are not decided "geometric mean of all 40 compared cases +1.1 %, not decided" */
void kg_cell_overall(const struct kg_overall *overall, struct kg_text *text);
/* The text in `arena`; frees the text. */
const char *kg_cell_take(struct kg_arena *arena, struct kg_text *text);
/* Appends "v1.7.20 (main)", or nothing where no commit is known. */
void kg_cell_commit(const char *commit, const char *branch, struct kg_text *text);
/* Appends "commit v1.7.20 (main), baseline v1.7.19 (main)", as far as they are known. */
void kg_cell_commits(const struct kg_comparison *comparison, struct kg_text *text);
/* Appends "12 cases: 1 regressed, 11 unchanged", without the kinds that there are none of. */
void kg_cell_counts(const struct kg_comparison *comparison, struct kg_text *text);
