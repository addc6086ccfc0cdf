/* json_print.h: values appended to a text as JSON, byte for byte as jansson prints them. A failed
 * allocation is the text's. Thread-safe. */
#pragma once
#include <stdint.h>

#include "util/text.h"

/* Any bytes, in quotes: what is no UTF-8 becomes \xNN, as by kg_json_string. */
void kg_json_print_string(struct kg_text *text, const char *string);

/* A finite number with a point or an exponent, in as few of the significant digits as tell all of
 * them; what is not finite is null.
 * digits  15: every decimal number of so many comes back as it was; 17: every double does */
void kg_json_print_real(struct kg_text *text, double value, int digits);

void kg_json_print_whole(struct kg_text *text, int64_t value);
