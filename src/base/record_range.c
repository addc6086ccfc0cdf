#include "base/record_range.h"

#include <stdio.h>
#include <string.h>

void kg_range_words(const struct kg_range *range, bool whole, char words[KG_RANGE_WORDS_BYTES])
{
    const char *what = whole || range->whole ? "a whole number" : "a number";
    if (range->whole && range->most == 0x1p63)
        snprintf(words, KG_RANGE_WORDS_BYTES, "a whole number from 0 up, of at most 63 bits");
    else if (isinf(range->most))
        snprintf(words, KG_RANGE_WORDS_BYTES, range->above_least ? "%s above %g" : "%s from %g up",
                 what, range->least);
    else if (range->above_least && range->below_most)
        snprintf(words, KG_RANGE_WORDS_BYTES, "%s between %g and %g", what, range->least,
                 range->most);
    else
        snprintf(words, KG_RANGE_WORDS_BYTES, "%s%s%g %s %g", what,
                 range->above_least ? " above " : " from ", range->least,
                 range->below_most ? "to below" : "to", range->most);
}

bool kg_record_in_range(const struct kg_record *record, const void *object)
{
    for (size_t i = 0; i < record->field_count; i++) {
        const struct kg_field *field = &record->fields[i];
        const char *at = (const char *)object + field->offset;
        double value;
        if (field->kind == KG_FIELD_RECORD && !kg_record_in_range(field->record, at))
            return false;
        if (field->kind != KG_FIELD_REAL)
            continue;
        memcpy(&value, at, sizeof value);
        if (!kg_range_holds(field->range, value))
            return false;
    }
    return true;
}

static bool is_refused(const struct kg_field *field, const void *at)
{
    double value;
    if (field->mention)
        return false;
    if (field->kind == KG_FIELD_STRING)
        return !field->optional && !*(const char *const *)at;
    if (field->kind != KG_FIELD_REAL)
        return false;
    memcpy(&value, at, sizeof value);
    return isfinite(value) ? !kg_range_holds(field->range, value)
                           : !field->optional && !field->nullable;
}

const struct kg_field *kg_record_unwritable(const struct kg_record *record, const void *object)
{
    for (size_t i = 0; i < record->field_count; i++) {
        const struct kg_field *field = &record->fields[i], *inside = NULL;
        const char *at = (const char *)object + field->offset;
        if (field->kind == KG_FIELD_RECORD && !field->mention)
            inside = kg_record_unwritable(field->record, at);
        if (inside || is_refused(field, at))
            return inside ? inside : field;
    }
    return NULL;
}
