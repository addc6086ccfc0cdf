/* results_table.h: the cases of results as rows, for a terminal and for markdown. Pure. */
#pragma once
#include "show/columns.h"
#include "show/report.h"

/* Fills a table, which is empty but for how it is printed, with the style's columns. Of `quiet` only
 * what failed or misses a budget. Cells are harmless on a terminal.
 * held     one for each case (judge/budget_results.h); must outlive the table
 * returns  false where memory is out */
bool kg_report_results_table(const struct kg_results *results, const struct kg_held *held,
                             const struct kg_report_style *style, struct kg_table *table);
