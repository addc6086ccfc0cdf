/* components_table.h: what each case of a profile is made of, for a terminal and for markdown. Pure. */
#pragma once
#include "show/report.h"

/* A table a case, the slowest first, each with its own 100 %; below it the bottleneck and, where there
 * are suggestions, what holds the case back and what to try.
 * suggestions  made from the profile, or from results with it; NULL: none
 * top          cases, 0: all; how many more there are is said */
void kg_report_components_text(const struct kg_profile *profile,
                               const struct kg_suggestions *suggestions,
                               const struct kg_report_style *style, size_t top,
                               struct kg_text *text);
/* The same under KG_MARKDOWN_MOST bytes. */
void kg_report_components_markdown(const struct kg_profile *profile,
                                   const struct kg_suggestions *suggestions, size_t top,
                                   struct kg_text *text);
