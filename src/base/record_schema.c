#include "base/record_schema.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/json_print.h"

/* Writes the members of a value's schema into an open object. */
static void value_write(struct kg_json_writer *writer, const struct kg_field *field, bool column);

/* Writes whole numbers without a fraction: 0, not 0.0. */
static void number_write(struct kg_json_writer *writer, const char *name, double value)
{
    if (value == floor(value) && fabs(value) < 1e9)
        kg_json_put_whole(writer, name, (int64_t)value);
    else
        kg_json_put_real(writer, name, value);
}

static void range_write(struct kg_json_writer *writer, const struct kg_range *range)
{
    if (isfinite(range->least))
        number_write(writer, range->above_least ? "exclusiveMinimum" : "minimum", range->least);
    if (!isinf(range->most))
        number_write(writer, range->below_most ? "exclusiveMaximum" : "maximum", range->most);
}

static void names_write(struct kg_json_writer *writer, const char *const *names, bool digits)
{
    kg_json_begin(writer, "enum", "[");
    for (size_t i = 0; names[i]; i++)
        if (digits)
            kg_json_put_whole(writer, NULL, strtoll(names[i], NULL, 10));
        else
            kg_json_put_string(writer, NULL, names[i]);
    kg_json_finish(writer, "]");
}

static void type_write(struct kg_json_writer *writer, const char *type, const char *other)
{
    if (!other) {
        kg_json_put_string(writer, "type", type);
        return;
    }
    kg_json_begin(writer, "type", "[");
    kg_json_put_string(writer, NULL, type);
    kg_json_put_string(writer, NULL, other);
    kg_json_finish(writer, "]");
}

static void whole_write(struct kg_json_writer *writer, const struct kg_field *field)
{
    static const struct kg_range from_0 = {.most = INFINITY};
    if (field->names) {
        names_write(writer, field->names, true);
        return;
    }
    type_write(writer, "integer", NULL);
    range_write(writer, field->range ? field->range : &from_0);
}

static void real_write(struct kg_json_writer *writer, const struct kg_field *field, bool may_lack)
{
    type_write(writer, field->range && field->range->whole ? "integer" : "number",
               may_lack ? "null" : NULL);
    if (field->range)
        range_write(writer, field->range);
}

static void string_write(struct kg_json_writer *writer, const struct kg_field *field)
{
    if (field->names) {
        names_write(writer, field->names, false);
        return;
    }
    type_write(writer, "string", NULL);
    if (field->kind == KG_FIELD_STRING && field->not_empty)
        kg_json_put_whole(writer, "minLength", 1);
    if (field->pattern)
        kg_json_put_string(writer, "pattern", field->pattern);
}

static bool has_record(const struct kg_field *field)
{
    return field->kind == KG_FIELD_RECORD || field->kind == KG_FIELD_RECORDS ||
           field->kind == KG_FIELD_COLUMNS;
}

/* A property and its schema, on one line if it is no object. Its description is the field's own, or
 * the one of its record. */
static void field_write(struct kg_json_writer *writer, const struct kg_field *field, bool column)
{
    const bool flat = !has_record(field);
    const char *help = field->help || flat ? field->help : field->record->help;
    kg_json_begin(writer, field->name, "{");
    writer->flat = flat;
    if (help)
        kg_json_put_string(writer, "description", help);
    if (column) {
        type_write(writer, "array", NULL);
        kg_json_begin(writer, "items", "{");
    }
    value_write(writer, field, column);
    if (column)
        kg_json_finish(writer, "}");
    kg_json_finish(writer, "}");
    writer->flat = false;
}

/* Writes the schema of an object, by column or not. `schema` is the name of a whole file's schema,
 * else NULL. */
static void object_write(struct kg_json_writer *writer, const struct kg_record *record,
                         bool columns, const char *schema)
{
    type_write(writer, "object", NULL);
    kg_json_begin(writer, "properties", "{");
    if (schema) {
        kg_json_begin(writer, "schema", "{");
        kg_json_put_string(writer, "const", schema);
        kg_json_finish(writer, "}");
    }
    for (size_t i = 0; i < record->field_count; i++)
        field_write(writer, &record->fields[i], columns);
    kg_json_finish(writer, "}");
    kg_json_begin(writer, "required", "[");
    writer->flat = true;
    if (schema)
        kg_json_put_string(writer, NULL, "schema");
    for (size_t i = 0; i < record->field_count; i++)
        if (!record->fields[i].optional)
            kg_json_put_string(writer, NULL, record->fields[i].name);
    kg_json_finish(writer, "]");
    writer->flat = false;
    kg_json_put_bool(writer, "additionalProperties", false);
}

/* The schema of an item of a list. */
static void item_write(struct kg_json_writer *writer, const struct kg_field *field)
{
    switch (field->kind) {
    case KG_FIELD_REALS:
        real_write(writer, field, field->nullable);
        break;
    case KG_FIELD_RECORDS:
        object_write(writer, field->record, false, NULL);
        break;
    default:
        string_write(writer, &(struct kg_field){.names = field->names});
    }
}

static void list_write(struct kg_json_writer *writer, const struct kg_field *field)
{
    type_write(writer, "array", NULL);
    kg_json_begin(writer, "items", "{");
    item_write(writer, field);
    kg_json_finish(writer, "}");
    if (field->not_empty)
        kg_json_put_whole(writer, "minItems", 1);
    if (field->distinct)
        kg_json_put_bool(writer, "uniqueItems", true);
}

/* An object with any names. */
static void named_write(struct kg_json_writer *writer, const char *type, const char *other)
{
    type_write(writer, "object", NULL);
    kg_json_begin(writer, "additionalProperties", "{");
    type_write(writer, type, other);
    kg_json_finish(writer, "}");
}

static void value_write(struct kg_json_writer *writer, const struct kg_field *field, bool column)
{
    switch (field->kind) {
    case KG_FIELD_STRING:
    case KG_FIELD_ENUM:
        string_write(writer, field);
        break;
    case KG_FIELD_REAL:
        real_write(writer, field, field->nullable || (column && field->optional));
        break;
    case KG_FIELD_COUNT:
    case KG_FIELD_SIZE:
        whole_write(writer, field);
        break;
    case KG_FIELD_BOOL:
        type_write(writer, "boolean", NULL);
        break;
    case KG_FIELD_BITS:
    case KG_FIELD_REALS:
    case KG_FIELD_STRINGS:
    case KG_FIELD_RECORDS:
        list_write(writer, field);
        break;
    case KG_FIELD_PAIRS:
        named_write(writer, "string", NULL);
        break;
    case KG_FIELD_FIGURES:
        named_write(writer, "number", "string");
        break;
    case KG_FIELD_RECORD:
    case KG_FIELD_COLUMNS:
        object_write(writer, field->record, field->kind == KG_FIELD_COLUMNS, NULL);
        break;
    }
}

void kg_schema_file_name(const struct kg_file_kind *kind, char *name, size_t bytes)
{
    snprintf(name, bytes, "%s.schema.json", kind->schema + sizeof "kgate." - 1);
}

void kg_schema_write(const struct kg_file_kind *kind, struct kg_text *text)
{
    char name[80];
    struct kg_json_writer writer = {.text = text};
    kg_schema_file_name(kind, name, sizeof name);
    kg_json_begin(&writer, NULL, "{");
    kg_json_put_string(&writer, "$schema", "https://json-schema.org/draft/2020-12/schema");
    kg_json_put_string(&writer, "$id", name);
    kg_json_put_string(&writer, "title", kind->schema);
    kg_json_put_string(&writer, "description", kind->record->help);
    object_write(&writer, kind->record, false, kind->schema);
    kg_json_finish(&writer, "}");
    kg_text_append(text, "\n");
}
