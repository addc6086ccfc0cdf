/* json_print.h: values appended to a text as JSON, spelled as jansson spells them. A failed
 * allocation is the text's. Thread-safe. */
#pragma once
#include <stdint.h>

#include "base/text.h"

/* Any bytes, in quotes: what is no UTF-8 becomes \xNN, as by kg_json_string. */
void kg_json_print_string(struct kg_text *text, const char *string);

/* A finite number with a point or an exponent; null if it is not finite. It reads back as the same double: 15
 * significant digits if they are enough, otherwise 17. A report of a stored comparison is equal to the first
 * report only because of this: 861.4999999999999 ns rounds to 861, and 861.5 ns rounds to 862. */
void kg_json_print_real(struct kg_text *text, double value);

void kg_json_print_whole(struct kg_text *text, int64_t value);
