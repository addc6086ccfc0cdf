/* pair_text.h: one case of two builds for a terminal: a line a side, and a sentence that says which is
 * faster. Pure. */
#pragma once
#include "show/report.h"

struct kg_report_two {
    const char *names[2]; /* of the base and of the head */
    const struct kg_results *results[2];
    const struct kg_comparison *comparison;   /* of their first case */
    const struct kg_suggestions *suggestions; /* likewise; NULL: none */
};

void kg_report_two(const struct kg_report_two *two, const struct kg_report_style *style,
                   struct kg_text *text);
