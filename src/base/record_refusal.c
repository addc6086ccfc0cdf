/* record_refusal.c: the reason and the place of a refusal. On the way out each function adds its
 * part of the place, such as cases[3].rounds. So reading itself need not keep track of the
 * place. */
#include <stdio.h>
#include <string.h>

#include "base/record_range.h"
#include "base/record_read.h"
#include "base/text.h"

bool kg_record_refuse(struct kg_json_text *text, const char *at, const char *expected,
                      const char *found)
{
    text->refused = true;
    return kg_json_refuse(text, at, ": expected %s, found %s", expected, found);
}

static const char *type_name(char first)
{
    switch (first) {
    case '{':
        return "an object";
    case '[':
        return "a list";
    case '"':
        return "a string";
    case 't':
        return "true";
    case 'f':
        return "false";
    case 'n':
        return "null";
    default:
        return "a number";
    }
}

bool kg_record_refuse_type(struct kg_json_text *text, const char *expected)
{
    const char *type = type_name(kg_json_peek(text)), *at = text->at;
    if (kg_json_skip(text))
        kg_record_refuse(text, at, expected, type);
    return false;
}

bool kg_record_place_add(struct kg_json_text *text, const char *part)
{
    struct kg_error *err = text->err;
    char rest[sizeof err->message];
    if (!text->refused)
        return false;
    memcpy(rest, err->message, sizeof rest);
    const char *dot = *rest == ':' || *rest == '[' ? "" : ".";
    const int room = (int)(sizeof rest - strlen(part) - 2);
    snprintf(err->message, sizeof err->message, "%s%s%.*s", part, dot, room, rest);
    return false;
}

bool kg_record_index_add(struct kg_json_text *text, size_t index)
{
    char part[24];
    snprintf(part, sizeof part, "[%zu]", index);
    return kg_record_place_add(text, part);
}

bool kg_record_refuse_number(struct kg_json_text *text, const char *at,
                             const struct kg_field *field, double value)
{
    char expected[KG_RANGE_WORDS_BYTES], found[40];
    const bool whole = field->kind == KG_FIELD_COUNT || field->kind == KG_FIELD_SIZE;
    kg_range_words(field->range, whole, expected);
    snprintf(found, sizeof found, "%g", value);
    return kg_record_refuse(text, at, expected, found);
}

bool kg_record_refuse_name(struct kg_json_text *text, const char *at, const char *const *names,
                           const struct kg_json_string *string)
{
    char found[80];
    struct kg_text known = {0};
    for (size_t i = 0; names[i]; i++)
        kg_text_printf(&known, "%s%s", i ? ", " : "one of ", names[i]);
    snprintf(found, sizeof found, "'%.*s'", (int)(string->length < 60 ? string->length : 60),
             string->bytes);
    kg_record_refuse(text, at, kg_text_string(&known), found);
    kg_text_free(&known);
    return false;
}

bool kg_record_refuse_missing(struct kg_json_text *text, const struct kg_field *field)
{
    kg_record_refuse(text, text->at - 1, "a value", "nothing");
    return kg_record_place_add(text, field->name);
}

bool kg_record_refuse_length(struct kg_json_text *text, const char *at, size_t count)
{
    char expected[64];
    snprintf(expected, sizeof expected, "a list of %zu values, as in the other columns", count);
    return kg_record_refuse(text, at, expected, "a list of another length");
}
