#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/record.h"
#include "base/record_range.h"
#include "base/text.h"

/* Where the reader is, as a list on the stack from the innermost out. It is put into words only
 * when something is wrong. */
struct place {
    const struct place *outer;
    const char *name; /* of a member; NULL for an element of an array */
    size_t index;
};

struct reader {
    struct kg_arena *arena;
    struct kg_error *err;
};

static const char *type_name(const json_t *json)
{
    static const char *const names[] = {
        [JSON_OBJECT] = "an object", [JSON_ARRAY] = "a list",  [JSON_STRING] = "a string",
        [JSON_INTEGER] = "a number", [JSON_REAL] = "a number", [JSON_TRUE] = "true",
        [JSON_FALSE] = "false",      [JSON_NULL] = "null"};
    return json ? names[json_typeof(json)] : "nothing";
}

static void place_print(const struct place *place, struct kg_text *text)
{
    if (!place)
        return;
    place_print(place->outer, text);
    if (place->name)
        kg_text_printf(text, "%s%s", text->length ? "." : "", place->name);
    else
        kg_text_printf(text, "[%zu]", place->index);
}

static bool refuse(const struct reader *reader, const struct place *place, const char *expected,
                   const char *found)
{
    struct kg_text where = {0};
    place_print(place, &where);
    kg_error_set(reader->err, KG_ERROR_USAGE, "%s: expected %s, found %s",
                 where.length ? kg_text_string(&where) : "the file", expected, found);
    kg_text_free(&where);
    return false;
}

static bool refuse_type(const struct reader *reader, const struct place *place,
                        const char *expected, const json_t *json)
{
    return refuse(reader, place, expected, type_name(json));
}

static bool record_read(const struct reader *reader, const struct place *place,
                        const struct kg_record *record, const json_t *json, void *object);
static bool field_read(const struct reader *reader, const struct place *place,
                       const struct kg_field *field, const json_t *json, void *object);

static bool array_make(const struct reader *reader, const struct kg_field *field, void *object,
                       size_t count, size_t size, void **items)
{
    *items = kg_arena_alloc(reader->arena, count, size);
    if (!*items)
        return kg_error_memory(reader->err);
    memcpy((char *)object + field->offset, items, sizeof *items);
    *(size_t *)(void *)((char *)object + field->count_offset) = count;
    return true;
}

static bool refuse_number(const struct reader *reader, const struct place *place,
                          const struct kg_field *field, double value)
{
    char expected[KG_RANGE_WORDS_BYTES], found[40];
    const bool whole = field->kind == KG_FIELD_COUNT || field->kind == KG_FIELD_SIZE;
    kg_range_words(field->range, whole, expected);
    snprintf(found, sizeof found, "%g", value);
    return refuse(reader, place, expected, found);
}

/* The index of a name; an unknown one is named. */
static bool name_read(const struct reader *reader, const struct place *place, const json_t *json,
                      const char *const *names, size_t *index)
{
    char found[80];
    struct kg_text known = {0};
    if (!json_is_string(json))
        return refuse_type(reader, place, "a string", json);
    for (*index = 0; names[*index]; ++*index) {
        if (!strcmp(names[*index], json_string_value(json))) {
            kg_text_free(&known);
            return true;
        }
        kg_text_printf(&known, "%s%s", *index ? ", " : "one of ", names[*index]);
    }
    snprintf(found, sizeof found, "'%.60s'", json_string_value(json));
    refuse(reader, place, kg_text_string(&known), found);
    kg_text_free(&known);
    return false;
}

/* Whether a whole number is one of those that the field may be. */
static bool listed_check(const struct reader *reader, const struct place *place,
                         const struct kg_field *field, uint64_t value)
{
    char digits[24];
    size_t index;
    snprintf(digits, sizeof digits, "%" PRIu64, value);
    json_t *json = json_string(digits);
    const bool good =
        json ? name_read(reader, place, json, field->names, &index) : kg_error_memory(reader->err);
    json_decref(json);
    return good;
}

static bool string_read(const struct reader *reader, const struct place *place,
                        const struct kg_field *field, const json_t *json, const char **string)
{
    size_t index;
    if (!json_is_string(json))
        return refuse_type(reader, place, "a string", json);
    if (field->names && !name_read(reader, place, json, field->names, &index))
        return false;
    if (field->kind == KG_FIELD_STRING && field->not_empty && !json_string_length(json))
        return refuse(reader, place, "a string that is not empty", "\"\"");
    *string = kg_arena_copy(reader->arena, json_string_value(json));
    return *string ? true : kg_error_memory(reader->err);
}

/* Null is an unknown number, where the field may lack one. */
static bool real_read(const struct reader *reader, const struct place *place,
                      const struct kg_field *field, const json_t *json, double *value)
{
    const bool may_lack = field->nullable || (field->optional && field->kind == KG_FIELD_REAL);
    if (!json_is_number(json) && !(json_is_null(json) && may_lack))
        return refuse_type(reader, place, "a number", json);
    *value = json_is_null(json) ? NAN : json_number_value(json);
    return kg_range_holds(field->range, *value) ? true
                                                : refuse_number(reader, place, field, *value);
}

static bool count_read(const struct reader *reader, const struct place *place,
                       const struct kg_field *field, const json_t *json, uint64_t *value)
{
    if (!json_is_integer(json))
        return refuse(reader, place, "a whole number",
                      json_is_real(json) ? "one with a fraction" : type_name(json));
    if (json_integer_value(json) < 0)
        return refuse(reader, place, "a whole number from 0 up", "a negative one");
    *value = (uint64_t)json_integer_value(json);
    if (!kg_range_holds(field->range, (double)*value))
        return refuse_number(reader, place, field, (double)*value);
    return !field->names || listed_check(reader, place, field, *value);
}

static bool bits_read(const struct reader *reader, const struct place *place, const json_t *json,
                      const char *const *names, unsigned *bits)
{
    if (!json_is_array(json))
        return refuse_type(reader, place, "a list", json);
    for (size_t i = 0; i < json_array_size(json); i++) {
        const struct place inner = {.outer = place, .index = i};
        size_t bit;
        if (!name_read(reader, &inner, json_array_get(json, i), names, &bit))
            return false;
        *bits |= 1u << bit;
    }
    return true;
}

static bool reals_read(const struct reader *reader, const struct place *place,
                       const struct kg_field *field, const json_t *json, void *object)
{
    void *items;
    if (!json_is_array(json))
        return refuse_type(reader, place, "a list of numbers", json);
    if (field->not_empty && !json_array_size(json))
        return refuse(reader, place, "a list of numbers, at least one", "none");
    if (!array_make(reader, field, object, json_array_size(json), sizeof(double), &items))
        return false;
    for (size_t i = 0; i < json_array_size(json); i++) {
        const struct place inner = {.outer = place, .index = i};
        if (!real_read(reader, &inner, field, json_array_get(json, i), (double *)items + i))
            return false;
    }
    return true;
}

static int compare_strings(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

bool kg_strings_repeated(struct kg_arena *arena, const char *const *strings, size_t count,
                         const char **repeated)
{
    const char **sorted = kg_arena_alloc(arena, count, sizeof *sorted);
    *repeated = NULL;
    if (!sorted)
        return false;
    if (count)
        memcpy(sorted, strings, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare_strings);
    for (size_t i = 1; i < count && !*repeated; i++)
        if (!strcmp(sorted[i], sorted[i - 1]))
            *repeated = sorted[i];
    return true;
}

/* Whether no two strings of the list are equal; the first of those that are is named. */
static bool distinct_check(const struct reader *reader, const struct place *place,
                           const char *const *strings, size_t count)
{
    char found[96];
    const char *repeated;
    if (!kg_strings_repeated(reader->arena, strings, count, &repeated))
        return kg_error_memory(reader->err);
    if (!repeated)
        return true;
    snprintf(found, sizeof found, "'%.60s' twice", repeated);
    return refuse(reader, place, "strings that differ", found);
}

static bool strings_read(const struct reader *reader, const struct place *place,
                         const struct kg_field *field, const json_t *json, void *object)
{
    void *items;
    if (!json_is_array(json))
        return refuse_type(reader, place, "a list of strings", json);
    /* one more, NULL, so that a list of words is an argv as it is */
    if (!array_make(reader, field, object, json_array_size(json) + 1, sizeof(char *), &items))
        return false;
    *(size_t *)(void *)((char *)object + field->count_offset) = json_array_size(json);
    for (size_t i = 0; i < json_array_size(json); i++) {
        const struct place inner = {.outer = place, .index = i};
        if (!string_read(reader, &inner, field, json_array_get(json, i), (const char **)items + i))
            return false;
    }
    return !field->distinct || distinct_check(reader, place, items, json_array_size(json));
}

static bool pairs_read(const struct reader *reader, const struct place *place,
                       const struct kg_field *field, json_t *json, void *object)
{
    void *items;
    const char *key;
    json_t *value;
    size_t i = 0;
    if (!json_is_object(json))
        return refuse_type(reader, place, "an object", json);
    if (!array_make(reader, field, object, json_object_size(json), sizeof(struct kg_pair), &items))
        return false;
    json_object_foreach(json, key, value)
    {
        struct kg_pair *pair = (struct kg_pair *)items + i++;
        const struct place inner = {.outer = place, .name = key};
        pair->name = kg_arena_copy(reader->arena, key);
        if (!pair->name)
            return kg_error_memory(reader->err);
        if (!string_read(reader, &inner, field, value, &pair->value))
            return false;
    }
    return true;
}

static bool records_read(const struct reader *reader, const struct place *place,
                         const struct kg_field *field, const json_t *json, void *object)
{
    void *items;
    if (!json_is_array(json))
        return refuse_type(reader, place, "a list of objects", json);
    if (!array_make(reader, field, object, json_array_size(json), field->record->size, &items))
        return false;
    for (size_t i = 0; i < json_array_size(json); i++) {
        const struct place inner = {.outer = place, .index = i};
        if (!record_read(reader, &inner, field->record, json_array_get(json, i),
                         (char *)items + i * field->record->size))
            return false;
    }
    return true;
}

static bool column_read(const struct reader *reader, const struct place *place,
                        const struct kg_field *field, const json_t *column, void *items,
                        size_t count, size_t size)
{
    char expected[64];
    const struct place named = {.outer = place, .name = field->name};
    if (!json_is_array(column))
        return refuse_type(reader, &named, "a list", column);
    snprintf(expected, sizeof expected, "a list of %zu, as the other columns", count);
    if (json_array_size(column) != count)
        return refuse(reader, &named, expected, "another length");
    for (size_t i = 0; i < count; i++) {
        const struct place inner = {.outer = &named, .index = i};
        if (!field_read(reader, &inner, field, json_array_get(column, i), (char *)items + i * size))
            return false;
    }
    return true;
}

/* A column that is not there: nobody knew it, or every item has what an absent field has. */
static void column_clear(const struct kg_field *field, void *items, size_t count, size_t size)
{
    for (size_t i = 0; i < count; i++)
        kg_field_clear(field, (char *)items + i * size);
}

static bool columns_read(const struct reader *reader, const struct place *place,
                         const struct kg_field *field, const json_t *json, void *object)
{
    const struct kg_record *record = field->record;
    void *items;
    if (!json_is_object(json))
        return refuse_type(reader, place, "an object of columns", json);
    const size_t count = json_array_size(json_object_get(json, record->fields[0].name));
    if (!array_make(reader, field, object, count, record->size, &items))
        return false;
    for (size_t f = 0; f < record->field_count; f++) {
        const json_t *column = json_object_get(json, record->fields[f].name);
        if (!column && record->fields[f].optional)
            column_clear(&record->fields[f], items, count, record->size);
        else if (!column_read(reader, place, &record->fields[f], column, items, count,
                              record->size))
            return false;
    }
    return true;
}

static bool field_read(const struct reader *reader, const struct place *place,
                       const struct kg_field *field, const json_t *json, void *object)
{
    void *at = (char *)object + field->offset;
    uint64_t count = 0;
    size_t index = 0;
    switch (field->kind) {
    case KG_FIELD_STRING:
        return string_read(reader, place, field, json, at);
    case KG_FIELD_REAL:
        return real_read(reader, place, field, json, at);
    case KG_FIELD_COUNT:
        return count_read(reader, place, field, json, at);
    case KG_FIELD_SIZE:
        if (!count_read(reader, place, field, json, &count))
            return false;
        *(size_t *)at = (size_t)count;
        return true;
    case KG_FIELD_BOOL:
        *(bool *)at = json_is_true(json);
        return json_is_boolean(json) ? true : refuse_type(reader, place, "true or false", json);
    case KG_FIELD_ENUM:
        if (!name_read(reader, place, json, field->names, &index))
            return false;
        *(int *)at = (int)index;
        return true;
    case KG_FIELD_BITS:
        return bits_read(reader, place, json, field->names, at);
    case KG_FIELD_REALS:
        return reals_read(reader, place, field, json, object);
    case KG_FIELD_STRINGS:
        return strings_read(reader, place, field, json, object);
    case KG_FIELD_PAIRS:
        return pairs_read(reader, place, field, (json_t *)json, object);
    case KG_FIELD_RECORD:
        return record_read(reader, place, field->record, json, at);
    case KG_FIELD_RECORDS:
        return records_read(reader, place, field, json, object);
    case KG_FIELD_COLUMNS:
        return columns_read(reader, place, field, json, object);
    case KG_FIELD_FIGURES:
        break;
    }
    return false;
}

void kg_field_clear(const struct kg_field *field, void *object)
{
    if (field->kind == KG_FIELD_REAL)
        *(double *)(void *)((char *)object + field->offset) = NAN;
    if (field->kind == KG_FIELD_RECORD)
        for (size_t i = 0; i < field->record->field_count; i++)
            kg_field_clear(&field->record->fields[i], (char *)object + field->offset);
}

static bool record_read(const struct reader *reader, const struct place *place,
                        const struct kg_record *record, const json_t *json, void *object)
{
    if (!json_is_object(json))
        return refuse_type(reader, place, "an object", json);
    for (size_t i = 0; i < record->field_count; i++) {
        const struct kg_field *field = &record->fields[i];
        const json_t *value = json_object_get(json, field->name);
        const struct place inner = {.outer = place, .name = field->name};
        if (field->mention)
            continue;
        if (field->optional && (!value || json_is_null(value)))
            kg_field_clear(field, object);
        else if (!value)
            return refuse(reader, &inner, "a value", "nothing");
        else if (!field_read(reader, &inner, field, value, object))
            return false;
    }
    return true;
}

bool kg_record_read(const struct kg_record *record, const json_t *json, struct kg_arena *arena,
                    void *object, struct kg_error *err)
{
    const struct reader reader = {.arena = arena, .err = err};
    return record_read(&reader, NULL, record, json, object);
}
