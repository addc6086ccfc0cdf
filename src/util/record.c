#include "util/record.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "util/file.h"
#include "util/json_string.h"
#include "util/text.h"

static const void *member(const void *object, size_t offset)
{
    return (const char *)object + offset;
}

static size_t count_of(const struct kg_field *field, const void *object)
{
    return *(const size_t *)member(object, field->count_offset);
}

static json_t *real_write(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *reals_write(const double *values, size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count && array; i++)
        if (json_array_append_new(array, real_write(values[i])) != 0) {
            json_decref(array);
            return NULL;
        }
    return array;
}

static json_t *strings_write(const char *const *strings, size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count && array; i++)
        if (json_array_append_new(array, kg_json_string(strings[i])) != 0) {
            json_decref(array);
            return NULL;
        }
    return array;
}

static json_t *bits_write(unsigned bits, const char *const *names)
{
    json_t *array = json_array();
    for (size_t i = 0; names[i] && array; i++)
        if (bits & 1u << i && json_array_append_new(array, json_string(names[i])) != 0) {
            json_decref(array);
            return NULL;
        }
    return array;
}

static json_t *pairs_write(const struct kg_pair *pairs, size_t count)
{
    json_t *object = json_object();
    for (size_t i = 0; i < count && object; i++)
        if (json_object_set_new(object, pairs[i].name, kg_json_string(pairs[i].value)) != 0) {
            json_decref(object);
            return NULL;
        }
    return object;
}

static json_t *records_write(const struct kg_record *record, const void *items, size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count && array; i++)
        if (json_array_append_new(array,
                                  kg_record_write(record, member(items, i * record->size))) != 0) {
            json_decref(array);
            return NULL;
        }
    return array;
}

static json_t *field_write(const struct kg_field *field, const void *object);

/* Whether every item lacks the field: a column that says nothing is left out, however long. */
static bool column_absent(const struct kg_field *field, const void *items, size_t count,
                          const struct kg_record *record)
{
    for (size_t i = 0; i < count; i++) {
        const char *at = (const char *)items + i * record->size + field->offset;
        if (field->kind == KG_FIELD_REAL ? isfinite(*(const double *)(const void *)at)
                                         : field->kind != KG_FIELD_BOOL || *(const bool *)at)
            return false;
    }
    return true;
}

static json_t *columns_write(const struct kg_record *record, const void *items, size_t count)
{
    json_t *columns = json_object();
    for (size_t f = 0; f < record->field_count && columns; f++) {
        if (record->fields[f].mention)
            continue;
        if (record->fields[f].optional && column_absent(&record->fields[f], items, count, record))
            continue;
        json_t *column = json_array();
        bool good = column != NULL;
        for (size_t i = 0; i < count && good; i++)
            good = json_array_append_new(column, field_write(&record->fields[f],
                                                             member(items, i * record->size))) == 0;
        if (!good || json_object_set(columns, record->fields[f].name, column) != 0) {
            json_decref(columns);
            columns = NULL;
        }
        json_decref(column);
    }
    return columns;
}

static json_t *field_write(const struct kg_field *field, const void *object)
{
    const void *at = member(object, field->offset);
    switch (field->kind) {
    case KG_FIELD_STRING: {
        const char *string = *(const char *const *)at;
        return string ? kg_json_string(string) : json_null();
    }
    case KG_FIELD_REAL:
        return real_write(*(const double *)at);
    case KG_FIELD_COUNT:
        return json_integer((json_int_t) * (const uint64_t *)at);
    case KG_FIELD_SIZE:
        return json_integer((json_int_t) * (const size_t *)at);
    case KG_FIELD_BOOL:
        return json_boolean(*(const bool *)at);
    case KG_FIELD_ENUM:
        return json_string(field->names[*(const int *)at]);
    case KG_FIELD_BITS:
        return bits_write(*(const unsigned *)at, field->names);
    case KG_FIELD_REALS:
        return reals_write(*(const double *const *)at, count_of(field, object));
    case KG_FIELD_STRINGS:
        return strings_write(*(const char *const *const *)at, count_of(field, object));
    case KG_FIELD_PAIRS:
        return pairs_write(*(const struct kg_pair *const *)at, count_of(field, object));
    case KG_FIELD_RECORD:
        return kg_record_write(field->record, at);
    case KG_FIELD_RECORDS:
        return records_write(field->record, *(const void *const *)at, count_of(field, object));
    case KG_FIELD_COLUMNS:
        return columns_write(field->record, *(const void *const *)at, count_of(field, object));
    case KG_FIELD_FIGURES:
        break;
    }
    return NULL;
}

/* Whether an optional field has nothing to say. */
static bool field_absent(const struct kg_field *field, const void *object)
{
    const void *at = member(object, field->offset);
    switch (field->kind) {
    case KG_FIELD_STRING:
        return !*(const char *const *)at;
    case KG_FIELD_REAL:
        return !isfinite(*(const double *)at);
    case KG_FIELD_SIZE:
        return field->unknown_if_0 && *(const size_t *)at == 0;
    case KG_FIELD_REALS:
    case KG_FIELD_STRINGS:
    case KG_FIELD_PAIRS:
    case KG_FIELD_RECORDS:
    case KG_FIELD_COLUMNS:
        return count_of(field, object) == 0;
    case KG_FIELD_RECORD:
        for (size_t i = 0; i < field->record->field_count; i++)
            if (!field_absent(&field->record->fields[i], at))
                return false;
        return true;
    default:
        return false;
    }
}

json_t *kg_record_write(const struct kg_record *record, const void *object)
{
    json_t *json = json_object();
    for (size_t i = 0; i < record->field_count && json; i++) {
        const struct kg_field *field = &record->fields[i];
        if (field->mention || (field->optional && field_absent(field, object)))
            continue;
        if (json_object_set_new(json, field->name, field_write(field, object)) != 0) {
            json_decref(json);
            json = NULL;
        }
    }
    return json;
}

/* Whether to write a value on one line: anything without objects in it. */
static bool fits_line(const json_t *json)
{
    if (json_is_object(json))
        return json_object_size(json) == 0;
    if (!json_is_array(json))
        return true;
    for (size_t i = 0; i < json_array_size(json); i++)
        if (!fits_line(json_array_get(json, i)))
            return false;
    return true;
}

static bool line_print(struct kg_text *text, const json_t *json)
{
    char *line = json_dumps(json, JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
    if (!line)
        return false;
    kg_text_append(text, line);
    free(line);
    return true;
}

static bool pretty_print(struct kg_text *text, json_t *json, int depth);

static bool array_print(struct kg_text *text, const json_t *json, int depth)
{
    kg_text_append(text, "[");
    for (size_t i = 0; i < json_array_size(json); i++) {
        kg_text_printf(text, "%s\n%*s", i ? "," : "", 2 * depth + 2, "");
        if (!pretty_print(text, json_array_get(json, i), depth + 1))
            return false;
    }
    kg_text_printf(text, "\n%*s]", 2 * depth, "");
    return true;
}

static bool object_print(struct kg_text *text, json_t *json, int depth)
{
    const char *key, *separator = "{";
    json_t *value;
    json_object_foreach(json, key, value)
    {
        kg_text_printf(text, "%s\n%*s", separator, 2 * depth + 2, "");
        json_t *name = json_string(key);
        const bool named = name && line_print(text, name);
        json_decref(name);
        kg_text_append(text, ": ");
        if (!named || !pretty_print(text, value, depth + 1))
            return false;
        separator = ",";
    }
    kg_text_printf(text, "\n%*s}", 2 * depth, "");
    return true;
}

static bool pretty_print(struct kg_text *text, json_t *json, int depth)
{
    if (fits_line(json))
        return line_print(text, json);
    return json_is_array(json) ? array_print(text, json, depth) : object_print(text, json, depth);
}

/* Whatever is written can be read again. A file that is refused later, and with it the gates of
 * every later change, is worse than an error now. */
static bool readable(const struct kg_record *record, const json_t *json, struct kg_error *err)
{
    struct kg_arena arena = {0};
    void *object = calloc(1, record->size);
    bool good = object ? kg_record_read(record, json, &arena, object, err) : kg_error_memory(err);
    if (!good && object && err->kind == KG_ERROR_USAGE) {
        kg_error_wrap(err, "what was to be written could not be read again");
        err->kind = KG_ERROR_SYSTEM;
    }
    kg_arena_free(&arena);
    free(object);
    return good;
}

bool kg_record_print(const struct kg_record *record, const void *object, const char *schema,
                     struct kg_text *text, struct kg_error *err)
{
    json_t *whole = json_pack("{s:s}", "schema", schema);
    json_t *json = kg_record_write(record, object);
    bool good = json ? readable(record, json, err) : kg_error_memory(err);
    if (good && !(whole && json_object_update(whole, json) == 0 && pretty_print(text, whole, 0)))
        good = kg_error_memory(err);
    kg_text_append(text, "\n");
    json_decref(json);
    json_decref(whole);
    return good && text->failed ? kg_error_memory(err) : good;
}

bool kg_record_save(const struct kg_record *record, const void *object, const char *schema,
                    const char *path, struct kg_error *err)
{
    struct kg_text text = {0};
    const bool good = kg_record_print(record, object, schema, &text, err) &&
                      kg_file_write(path, text.data, text.length, err);
    kg_text_free(&text);
    return good;
}
