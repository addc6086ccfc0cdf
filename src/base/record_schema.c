#include "base/record_schema.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The schema of what one value of the field is; `item` of one in a list. */
static json_t *value_schema(const struct kg_field *field, bool column);

static bool put(json_t *object, const char *name, json_t *value)
{
    return object && json_object_set_new(object, name, value) == 0;
}

static json_t *type_schema(const char *type)
{
    return json_pack("{s:s}", "type", type);
}

/* Whole numbers as such: 0, not 0.0. */
static json_t *number(double value)
{
    return value == floor(value) && fabs(value) < 1e9 ? json_integer((json_int_t)value)
                                                      : json_real(value);
}

static bool range_put(json_t *schema, const struct kg_range *range)
{
    if (isfinite(range->least) &&
        !put(schema, range->above_least ? "exclusiveMinimum" : "minimum", number(range->least)))
        return false;
    return isinf(range->most) ||
           put(schema, range->below_most ? "exclusiveMaximum" : "maximum", number(range->most));
}

static json_t *numbers_schema(const char *const *digits)
{
    json_t *list = json_array();
    for (size_t i = 0; digits[i]; i++)
        if (json_array_append_new(list, json_integer(strtoll(digits[i], NULL, 10))) != 0) {
            json_decref(list);
            return NULL;
        }
    return json_pack("{s:o}", "enum", list);
}

static json_t *whole_schema(const struct kg_field *field)
{
    static const struct kg_range from_0 = {.most = INFINITY};
    if (field->names)
        return numbers_schema(field->names);
    json_t *schema = type_schema("integer");
    if (schema && !range_put(schema, field->range ? field->range : &from_0)) {
        json_decref(schema);
        return NULL;
    }
    return schema;
}

static json_t *real_schema(const struct kg_field *field, bool may_lack)
{
    const char *type = field->range && field->range->whole ? "integer" : "number";
    json_t *schema = may_lack ? json_pack("{s:[s, s]}", "type", type, "null") : type_schema(type);
    if (schema && field->range && !range_put(schema, field->range)) {
        json_decref(schema);
        return NULL;
    }
    return schema;
}

static json_t *names_schema(const char *const *names)
{
    json_t *list = json_array();
    for (size_t i = 0; names[i]; i++)
        if (json_array_append_new(list, json_string(names[i])) != 0) {
            json_decref(list);
            return NULL;
        }
    return json_pack("{s:o}", "enum", list);
}

static json_t *string_schema(const struct kg_field *field)
{
    if (field->names)
        return names_schema(field->names);
    json_t *schema = type_schema("string");
    if (schema && ((field->not_empty && !put(schema, "minLength", json_integer(1))) ||
                   (field->pattern && !put(schema, "pattern", json_string(field->pattern))))) {
        json_decref(schema);
        return NULL;
    }
    return schema;
}

static json_t *list_schema(const struct kg_field *field, json_t *items)
{
    json_t *schema = json_pack("{s:s, s:o}", "type", "array", "items", items);
    if (schema && ((field->not_empty && !put(schema, "minItems", json_integer(1))) ||
                   (field->distinct && !put(schema, "uniqueItems", json_true())))) {
        json_decref(schema);
        return NULL;
    }
    return schema;
}

static json_t *field_schema(const struct kg_field *field, bool column)
{
    const char *help = field->help || !field->record ? field->help : field->record->help;
    json_t *schema = value_schema(field, column);
    if (schema && column)
        schema = json_pack("{s:s, s:o}", "type", "array", "items", schema);
    json_t *whole = json_object();
    if (!whole || !schema || (help && !put(whole, "description", json_string(help))) ||
        json_object_update(whole, schema) != 0) {
        json_decref(whole);
        whole = NULL;
    }
    json_decref(schema);
    return whole;
}

/* Adds the fields to `properties`, and the names of those that must be there to `required`. */
static bool fields_add(const struct kg_record *record, bool columns, json_t *properties,
                       json_t *required)
{
    for (size_t i = 0; i < record->field_count; i++) {
        const struct kg_field *field = &record->fields[i];
        if (!put(properties, field->name, field_schema(field, columns)) ||
            (!field->optional && json_array_append_new(required, json_string(field->name)) != 0))
            return false;
    }
    return true;
}

/* The object, by column or not; `schema` is its schema where it is a whole file, else NULL. */
static json_t *object_schema(const struct kg_record *record, bool columns, const char *schema)
{
    json_t *properties = json_object(), *required = json_array();
    bool good = properties && required;
    if (schema)
        good = good && put(properties, "schema", json_pack("{s:s}", "const", schema)) &&
               json_array_append_new(required, json_string("schema")) == 0;
    if (good && fields_add(record, columns, properties, required))
        return json_pack("{s:s, s:o, s:o, s:b}", "type", "object", "properties", properties,
                         "required", required, "additionalProperties", 0);
    json_decref(properties);
    json_decref(required);
    return NULL;
}

static json_t *value_schema(const struct kg_field *field, bool column)
{
    switch (field->kind) {
    case KG_FIELD_STRING:
        return string_schema(field);
    case KG_FIELD_REAL:
        return real_schema(field, field->nullable || (column && field->optional));
    case KG_FIELD_COUNT:
    case KG_FIELD_SIZE:
        return whole_schema(field);
    case KG_FIELD_BOOL:
        return type_schema("boolean");
    case KG_FIELD_ENUM:
        return names_schema(field->names);
    case KG_FIELD_BITS:
        return list_schema(field, names_schema(field->names));
    case KG_FIELD_REALS:
        return list_schema(field, real_schema(field, field->nullable));
    case KG_FIELD_STRINGS:
        return list_schema(field, string_schema(&(struct kg_field){.names = field->names}));
    case KG_FIELD_PAIRS:
        return json_pack("{s:s, s:{s:s}}", "type", "object", "additionalProperties", "type",
                         "string");
    case KG_FIELD_FIGURES:
        return json_pack("{s:s, s:{s:[s, s]}}", "type", "object", "additionalProperties", "type",
                         "number", "string");
    case KG_FIELD_RECORD:
        return object_schema(field->record, false, NULL);
    case KG_FIELD_RECORDS:
        return list_schema(field, object_schema(field->record, false, NULL));
    case KG_FIELD_COLUMNS:
        return object_schema(field->record, true, NULL);
    }
    return NULL;
}

void kg_schema_file_name(const struct kg_file_kind *kind, char *name, size_t bytes)
{
    snprintf(name, bytes, "%s.schema.json", kind->schema + sizeof "kgate." - 1);
}

bool kg_schema_write(const struct kg_file_kind *kind, struct kg_text *text)
{
    char name[80];
    kg_schema_file_name(kind, name, sizeof name);
    json_t *head =
        json_pack("{s:s, s:s, s:s, s:s}", "$schema", "https://json-schema.org/draft/2020-12/schema",
                  "$id", name, "title", kind->schema, "description", kind->record->help);
    json_t *body = object_schema(kind->record, false, kind->schema);
    char *printed = head && body && json_object_update(head, body) == 0
                        ? json_dumps(head, JSON_INDENT(2))
                        : NULL;
    if (printed)
        kg_text_printf(text, "%s\n", printed);
    free(printed);
    json_decref(head);
    json_decref(body);
    return printed && !text->failed;
}
