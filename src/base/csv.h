/* csv.h: fields of a CSV file with the quotes of RFC 4180. Lines end with "\n" alone, as Unix tools
 * expect. Pure. */
#pragma once
#include "base/text.h"

/* Appends a text, in quotes if it needs quotes; NULL and "" are an empty field. Names may come from
 * untrusted programs and suites. A character that a terminal would obey becomes \xNN. A text that
 * begins with =, +, - or @ gets an apostrophe in front unless it is a number: a spreadsheet would
 * compute it. */
void kg_csv_text(struct kg_text *text, const char *value);

/* Appends a number with 12 significant digits; an empty field if it is not finite. */
void kg_csv_number(struct kg_text *text, double value);
