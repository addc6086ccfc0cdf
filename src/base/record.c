#include "base/record.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json_print.h"
#include "base/memory.h"
#include "base/text.h"

enum { LINE = -1, COMPACT = -2 };

/* Output and layout. */
struct writer {
    struct kg_text *text;
    int depth; /* depth of the object with a line per member; or LINE or COMPACT */
};

static const void *member(const void *object, size_t offset)
{
    return (const char *)object + offset;
}

static size_t count_of(const struct kg_field *field, const void *object)
{
    return *(const size_t *)member(object, field->count_offset);
}

/* Whether an optional field has no value. */
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

/* Whether a column is left out, however long: every item lacks the field. */
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

static bool is_written(const struct kg_field *field, const void *object)
{
    return !field->mention && !(field->optional && field_absent(field, object));
}

static bool column_is_written(const struct kg_field *field, const void *items, size_t count,
                              const struct kg_record *record)
{
    return !field->mention && !(field->optional && column_absent(field, items, count, record));
}

static bool record_empty(const struct kg_record *record, const void *object)
{
    for (size_t i = 0; i < record->field_count; i++)
        if (is_written(&record->fields[i], object))
            return false;
    return true;
}

/* Whether a value has no members at any depth, so that it fits a line. */
static bool is_flat(const struct kg_field *field, const void *object)
{
    const void *at = member(object, field->offset);
    switch (field->kind) {
    case KG_FIELD_PAIRS:
    case KG_FIELD_COLUMNS:
        return count_of(field, object) == 0;
    case KG_FIELD_RECORD:
        return record_empty(field->record, at);
    case KG_FIELD_RECORDS:
        for (size_t i = 0; i < count_of(field, object); i++)
            if (!record_empty(field->record,
                              member(*(const void *const *)at, i * field->record->size)))
                return false;
        return true;
    default:
        return true;
    }
}

static void value_write(const struct writer *writer, const struct kg_field *field,
                        const void *object);

/* Starts a new line of a list or object, after a comma from the second item on. On one line: a
 * space instead. */
static void separate(const struct writer *writer, size_t index)
{
    if (index)
        kg_text_append_bytes(writer->text, ",", 1);
    if (writer->depth < 0) {
        if (index && writer->depth == LINE)
            kg_text_append_bytes(writer->text, " ", 1);
        return;
    }
    kg_json_print_line(writer->text, writer->depth);
}

/* Closes a list or object of `count` items. If the items have lines of their own, the bracket has
 * one too. */
static void bracket_close(const struct writer *outer, size_t count, const char *bracket)
{
    if (count && outer->depth >= 0)
        separate(outer, 0);
    kg_text_append_bytes(outer->text, bracket, 1);
}

static struct writer inside(const struct writer *writer, bool lines)
{
    const int inner = lines ? writer->depth + 1 : LINE;
    return (struct writer){writer->text, writer->depth < 0 ? writer->depth : inner};
}

static void name_write(const struct writer *writer, const char *name, size_t index)
{
    separate(writer, index);
    kg_json_print_string(writer->text, name);
    kg_text_append_bytes(writer->text, ": ", writer->depth == COMPACT ? 1 : 2);
}

static void reals_write(const struct writer *writer, const double *values, size_t count)
{
    const struct writer line = inside(writer, false);
    for (size_t i = 0; i < count; i++) {
        separate(&line, i);
        kg_json_print_real(writer->text, values[i]);
    }
}

static void strings_write(const struct writer *writer, const char *const *strings, size_t count)
{
    const struct writer line = inside(writer, false);
    for (size_t i = 0; i < count; i++) {
        separate(&line, i);
        kg_json_print_string(writer->text, strings[i]);
    }
}

static void bits_write(const struct writer *writer, unsigned bits, const char *const *names)
{
    const struct writer line = inside(writer, false);
    for (size_t i = 0, printed = 0; names[i]; i++)
        if (bits & 1u << i) {
            separate(&line, printed++);
            kg_json_print_string(writer->text, names[i]);
        }
}

/* A name appears once in an object: the last pair of the name wins. */
static void pairs_write(const struct writer *writer, const struct kg_pair *pairs, size_t count)
{
    const struct writer inner = inside(writer, true);
    size_t written = 0;
    for (size_t i = 0; i < count; i++) {
        bool again = false;
        for (size_t later = i + 1; later < count && !again; later++)
            again = !strcmp(pairs[i].name, pairs[later].name);
        if (again)
            continue;
        name_write(&inner, pairs[i].name, written++);
        kg_json_print_string(writer->text, pairs[i].value);
    }
    bracket_close(writer, written, "}");
}

static void object_write(const struct writer *writer, const struct kg_record *record,
                         const void *object, const char *schema)
{
    const struct writer inner = inside(writer, true);
    size_t written = 0;
    kg_text_append_bytes(writer->text, "{", 1);
    if (schema) {
        name_write(&inner, "schema", written++);
        kg_json_print_string(writer->text, schema);
    }
    for (size_t i = 0; i < record->field_count; i++) {
        const struct kg_field *field = &record->fields[i];
        if (!is_written(field, object))
            continue;
        name_write(&inner, field->name, written++);
        value_write(&inner, field, object);
    }
    bracket_close(writer, written, "}");
}

static void records_write(const struct writer *writer, const struct kg_field *field,
                          const void *object)
{
    const bool lines = !is_flat(field, object);
    const struct writer inner = inside(writer, lines);
    const void *items = *(const void *const *)member(object, field->offset);
    const size_t count = count_of(field, object);
    for (size_t i = 0; i < count; i++) {
        separate(&inner, i);
        object_write(&inner, field->record, member(items, i * field->record->size), NULL);
    }
    bracket_close(writer, lines ? count : 0, "]");
}

/* Writes one field of every item. */
static void column_write(const struct writer *writer, const struct kg_record *record,
                         const struct kg_field *field, const void *items, size_t count)
{
    bool lines = false;
    for (size_t i = 0; i < count && !lines; i++)
        lines = !is_flat(field, member(items, i * record->size));
    const struct writer inner = inside(writer, lines);
    kg_text_append_bytes(writer->text, "[", 1);
    for (size_t i = 0; i < count; i++) {
        separate(&inner, i);
        value_write(&inner, field, member(items, i * record->size));
    }
    bracket_close(writer, lines ? count : 0, "]");
}

static void columns_write(const struct writer *writer, const struct kg_record *record,
                          const void *items, size_t count)
{
    const struct writer inner = inside(writer, true);
    size_t written = 0;
    for (size_t i = 0; i < record->field_count; i++) {
        const struct kg_field *field = &record->fields[i];
        if (!column_is_written(field, items, count, record))
            continue;
        name_write(&inner, field->name, written++);
        column_write(&inner, record, field, items, count);
    }
    bracket_close(writer, written, "}");
}

static void list_write(const struct writer *writer, const struct kg_field *field,
                       const void *object)
{
    const void *items = *(const void *const *)member(object, field->offset);
    const size_t count = count_of(field, object);
    const bool named = field->kind == KG_FIELD_PAIRS || field->kind == KG_FIELD_COLUMNS;
    kg_text_append_bytes(writer->text, named ? "{" : "[", 1);
    if (field->kind == KG_FIELD_PAIRS) {
        pairs_write(writer, items, count);
    } else if (field->kind == KG_FIELD_COLUMNS) {
        columns_write(writer, field->record, items, count);
    } else if (field->kind == KG_FIELD_RECORDS) {
        records_write(writer, field, object);
    } else {
        (field->kind == KG_FIELD_REALS) ? reals_write(writer, items, count)
                                        : strings_write(writer, items, count);
        bracket_close(writer, 0, "]");
    }
}

static void value_write(const struct writer *writer, const struct kg_field *field,
                        const void *object)
{
    struct kg_text *text = writer->text;
    const void *at = member(object, field->offset);
    switch (field->kind) {
    case KG_FIELD_STRING:
        if (*(const char *const *)at)
            kg_json_print_string(text, *(const char *const *)at);
        else
            kg_text_append(text, "null");
        break;
    case KG_FIELD_REAL:
        kg_json_print_real(text, *(const double *)at);
        break;
    case KG_FIELD_COUNT:
        kg_json_print_whole(text, (int64_t) * (const uint64_t *)at);
        break;
    case KG_FIELD_SIZE:
        kg_json_print_whole(text, (int64_t) * (const size_t *)at);
        break;
    case KG_FIELD_BOOL:
        kg_text_append(text, *(const bool *)at ? "true" : "false");
        break;
    case KG_FIELD_ENUM:
        kg_json_print_string(text, field->names[*(const int *)at]);
        break;
    case KG_FIELD_BITS:
        kg_text_append_bytes(text, "[", 1);
        bits_write(writer, *(const unsigned *)at, field->names);
        kg_text_append_bytes(text, "]", 1);
        break;
    case KG_FIELD_RECORD:
        object_write(writer, field->record, at, NULL);
        break;
    case KG_FIELD_REALS:
    case KG_FIELD_STRINGS:
    case KG_FIELD_PAIRS:
    case KG_FIELD_RECORDS:
    case KG_FIELD_COLUMNS:
        list_write(writer, field, object);
        break;
    case KG_FIELD_FIGURES:
        break;
    }
}

void kg_record_line(const struct kg_record *record, const void *object, const char *schema,
                    struct kg_text *text)
{
    object_write(&(struct writer){text, LINE}, record, object, schema);
}

void kg_record_compact(const struct kg_record *record, const void *object, struct kg_text *text)
{
    object_write(&(struct writer){text, COMPACT}, record, object, NULL);
}

void kg_record_lines(const struct kg_record *record, const void *object, int depth,
                     struct kg_text *text)
{
    object_write(&(struct writer){text, depth}, record, object, NULL);
}

/* Whether kgate can read its own text again. A file that is refused later would block the gates of
 * all later changes: an error now is better. */
static bool readable(const struct kg_record *record, const char *schema, const char *bytes,
                     size_t length, struct kg_error *err)
{
    struct kg_arena arena = {0};
    void *object = kg_alloc(1, record->size);
    const bool good = kg_record_parse(record, schema, "", bytes, length, &arena, object, err);
    if (!good && err->kind == KG_ERROR_USAGE) {
        kg_error_wrap(err, "the data just written could not be read again");
        err->kind = KG_ERROR_SYSTEM;
    }
    kg_arena_free(&arena);
    free(object);
    return good;
}

bool kg_record_print(const struct kg_record *record, const void *object, const char *schema,
                     struct kg_text *text, struct kg_error *err)
{
    const size_t before = text->length;
    object_write(&(struct writer){text, 0}, record, object, schema);
    kg_text_append(text, "\n");
    return kg_record_length_good(text->length - before, err) &&
           readable(record, schema, text->data + before, text->length - before, err);
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
