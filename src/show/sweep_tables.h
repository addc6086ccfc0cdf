/* sweep_tables.h: tables over the values of a parameter, for a terminal and for markdown. Pure. */
#pragma once
#include "judge/sweeps.h"
#include "show/report.h"

/* Tables one after the other; of those without any measured case it is said how many there are.
 * request  the one that the sweeps were found for
 * markdown for a page: always under KG_MARKDOWN_MOST bytes */
void kg_report_sweeps_text(const struct kg_sweeps *sweeps, const struct kg_sweep_request *request,
                           const struct kg_report_style *style, struct kg_text *text);
void kg_report_sweeps_markdown(const struct kg_sweeps *sweeps,
                               const struct kg_sweep_request *request, struct kg_text *text);
