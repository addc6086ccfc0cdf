#include <stdio.h>
#include <string.h>

#include "base/record_schema.h"

enum { EXPLAINED_MOST = 128, PATH_BYTES = 160 };

/* A reference in progress, with the place of each explained record. */
struct reference {
    struct kg_text *text;
    const struct kg_file_kind *kind; /* kind of file in progress */
    struct explained {
        const struct kg_record *record;
        const struct kg_file_kind *kind;
        char path[PATH_BYTES];
    } explained[EXPLAINED_MOST];
    size_t explained_count;
};

static const char *const kind_words[] = {
    [KG_FIELD_STRING] = "text",
    [KG_FIELD_REAL] = "number",
    [KG_FIELD_COUNT] = "whole number",
    [KG_FIELD_SIZE] = "whole number",
    [KG_FIELD_BOOL] = "true or false",
    [KG_FIELD_ENUM] = "word",
    [KG_FIELD_BITS] = "list of words",
    [KG_FIELD_REALS] = "list of numbers",
    [KG_FIELD_STRINGS] = "list of texts",
    [KG_FIELD_PAIRS] = "object of texts",
    [KG_FIELD_RECORD] = "object",
    [KG_FIELD_RECORDS] = "list of objects",
    [KG_FIELD_COLUMNS] = "object of lists",
    [KG_FIELD_FIGURES] = "object of numbers and texts",
};

/* The unit at the end of a number's name; "" if there is none. */
static const char *unit_of(const struct kg_field *field)
{
    static const char *const units[][2] = {
        {"flops_per_s", "1/s"},  {"bytes_per_s", "bytes/s"},
        {"_per_second", "1/s"},  {"_ns", "ns"},
        {"_bytes", "bytes"},     {"_hz", "Hz"},
        {"temperature_c", "°C"}, {"power_w", "W"},
        {"_bits", "bits"},       {"bytes_per_second", "bytes/s"},
    };
    const size_t length = strlen(field->name);
    const char *best = "";
    size_t longest = 0;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        const size_t end = strlen(units[i][0]);
        if (end <= length && end > longest && !strcmp(field->name + length - end, units[i][0])) {
            best = units[i][1];
            longest = end;
        }
    }
    return field->record || field->names || field->kind == KG_FIELD_STRING ? "" : best;
}

static void allowed_write(struct kg_text *text, const struct kg_field *field)
{
    const struct kg_range *range = field->range;
    for (size_t i = 0; field->names && field->names[i]; i++)
        kg_text_printf(text, "%s`%s`", i ? ", " : "",
                       field->names[i][0] ? field->names[i] : "\"\"");
    if (field->pattern)
        kg_text_printf(text, "`%s`", field->pattern);
    else if (field->not_empty)
        kg_text_append(text, "not empty");
    if (!range)
        return;
    if (field->not_empty)
        kg_text_append(text, "; ");
    if (range->whole)
        kg_text_append(text, "whole, from 0 up");
    else if (isinf(range->most))
        kg_text_printf(text, range->above_least ? "above %g" : "from %g up", range->least);
    else
        kg_text_printf(text, "%s%g %s %g", range->above_least ? "above " : "", range->least,
                       range->below_most ? "to below" : "to", range->most);
}

static const struct explained *explained_find(const struct reference *reference,
                                              const struct kg_record *record)
{
    for (size_t i = 0; i < reference->explained_count; i++)
        if (reference->explained[i].record == record)
            return &reference->explained[i];
    return NULL;
}

static void path_make(char path[PATH_BYTES], const char *outer, const struct kg_field *field)
{
    snprintf(path, PATH_BYTES, "%s%s%s%s", outer, *outer ? "." : "", field->name,
             field->kind == KG_FIELD_RECORDS ? "[]" : "");
}

static void row_write(const struct reference *reference, const struct kg_field *field)
{
    struct kg_text *text = reference->text;
    const char *unit = unit_of(field);
    const char *help = field->help || !field->record ? field->help : field->record->help;
    const struct explained *explained =
        field->record ? explained_find(reference, field->record) : NULL;
    kg_text_printf(text, "| `%s` | %s%s%s%s | ", field->name, field->optional ? "optional " : "",
                   kind_words[field->kind], *unit ? ", " : "", unit);
    allowed_write(text, field);
    kg_text_printf(text, " | %s", help ? help : "");
    if (explained)
        kg_text_printf(text, "; see `%s`%s%s", explained->path,
                       explained->kind == reference->kind ? "" : " of ",
                       explained->kind == reference->kind ? "" : explained->kind->schema);
    kg_text_append(text, " |\n");
}

static void record_print(struct reference *reference, const struct kg_record *record,
                         const char *path)
{
    struct kg_text *text = reference->text;
    if (reference->explained_count < EXPLAINED_MOST) {
        struct explained *explained = &reference->explained[reference->explained_count++];
        *explained = (struct explained){.record = record, .kind = reference->kind};
        snprintf(explained->path, sizeof explained->path, "%s", path);
    }
    if (*path)
        kg_text_printf(text, "\n### %s: `%s`\n\n%s\n", reference->kind->name, path, record->help);
    kg_text_append(text, "\n| Field | Type | Allowed | Meaning |\n| --- | --- | --- | --- |\n");
    for (size_t i = 0; i < record->field_count; i++)
        row_write(reference, &record->fields[i]);
    for (size_t i = 0; i < record->field_count; i++) {
        const struct kg_field *field = &record->fields[i];
        char inner[PATH_BYTES];
        path_make(inner, path, field);
        if (field->record && !explained_find(reference, field->record))
            record_print(reference, field->record, inner);
    }
}

void kg_file_reference_write(const struct kg_file_kind *kinds, size_t count, struct kg_text *text)
{
    struct reference reference = {.text = text};
    for (size_t i = 0; i < count; i++) {
        char name[80];
        reference.kind = &kinds[i];
        kg_schema_file_name(&kinds[i], name, sizeof name);
        kg_text_printf(text, "%s## %s\n\n%s [%s](schema/%s)\n", i ? "\n" : "", kinds[i].name,
                       kinds[i].record->help, kinds[i].schema, name);
        record_print(&reference, kinds[i].record, "");
    }
}
