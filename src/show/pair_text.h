/* pair_text.h: one case of two builds for a terminal: one line per build, and a sentence that names the faster
 * build. Pure. */
#pragma once
#include "show/report.h"

struct kg_report_two {
    const char *names[2]; /* of the baseline and of the candidate */
    const struct kg_results *results[2];
    const struct kg_comparison *comparison;   /* of the first case */
    const struct kg_suggestions *suggestions; /* of the first case; NULL: none */
};

void kg_report_two(const struct kg_report_two *two, const struct kg_report_style *style,
                   struct kg_text *text);
