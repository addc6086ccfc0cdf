/* record_range.h: the limits in a record's table. */
#pragma once
#include "base/record.h"

enum { KG_RANGE_WORDS_BYTES = 96 };

/* Whether the number is in the range; NaN is unknown, and fits. range NULL: any number */
static inline bool kg_range_holds(const struct kg_range *range, double value)
{
    if (!range || isnan(value))
        return true;
    if (range->above_least ? value <= range->least : value < range->least)
        return false;
    if (range->below_most ? value >= range->most : value > range->most)
        return false;
    return !range->whole || value == floor(value);
}

/* "a number above 0", "a whole number from 1 up", "a number from 0 to 1" */
void kg_range_words(const struct kg_range *range, bool whole, char words[KG_RANGE_WORDS_BYTES]);

/* Whether all reals of a struct, and of the structs inside it, are in their ranges. */
bool kg_record_in_range(const struct kg_record *record, const void *object);

/* The first field that a reader would refuse, in the struct or in a struct inside it. Such a field
 * is a required real without a value, a real out of its range, or a missing text. NULL: none. The
 * function ignores lists. */
const struct kg_field *kg_record_unwritable(const struct kg_record *record, const void *object);
