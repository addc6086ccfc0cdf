/* page_summary.h: the verdict and the first cases as plain HTML, so that the page says them where no script runs:
 * a preview of an artifact, a server that forbids scripts. The script draws the page in its place. */
#pragma once
#include "show/formats.h"

/* How much a file says of all that are in the page: 0, nothing; a comparison says most. */
int kg_page_summary_rank(const struct kg_report_subject *subject);

/* When that was measured; NULL: not known. */
const char *kg_page_summary_created(const struct kg_report_subject *subject);

/* Appends the summary of what has that rank. It has a few hundred rows at the most, however many cases there are. */
void kg_page_summary(const struct kg_report_subject *subject, struct kg_text *text);

/* The same of files without a comparison: page_summary_results.c. */
void kg_page_summary_others(const struct kg_report_subject *subject, struct kg_text *text);
