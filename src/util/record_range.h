/* record_range.h: what numbers a record's table allows. Pure functions. */
#pragma once
#include "util/record.h"

enum { KG_RANGE_WORDS_BYTES = 96 };

/* Whether the number is in the range; NaN is not known, and fits. range  NULL: any number */
bool kg_range_holds(const struct kg_range *range, double value);

/* "a number above 0", "a whole number from 1 up", "a number from 0 to 1" */
void kg_range_words(const struct kg_range *range, bool whole, char words[KG_RANGE_WORDS_BYTES]);

/* Whether all reals of a struct, and of the structs inside it, are in their ranges. */
bool kg_record_in_range(const struct kg_record *record, const void *object);
