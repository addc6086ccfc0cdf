/* csv.h: fields of a CSV file as RFC 4180 quotes them; lines end with "\n" alone, as Unix tools want.
 * Pure. */
#pragma once
#include "base/text.h"

/* Appends a text, in quotes where it needs them; NULL and "" are an empty field. Names may come from
 * programs and suites that nobody has to trust: what a terminal would obey is shown as \xNN, and a text
 * that a spreadsheet would compute (it begins with =, +, - or @, and is no number) gets an apostrophe in
 * front. */
void kg_csv_text(struct kg_text *text, const char *value);

/* Appends a number with its 12 significant digits; one that is not known is an empty field. */
void kg_csv_number(struct kg_text *text, double value);
