#include "show/csv_columns.h"

#include <string.h>

#include "base/csv.h"

void kg_csv_heads(const struct kg_csv_column *columns, size_t count, struct kg_text *text)
{
    for (size_t i = 0; i < count; i++)
        kg_text_printf(text, "%s%s", i ? "," : "", columns[i].field.name);
}

static void field_append(const struct kg_field *field, const char *at, struct kg_text *text)
{
    union {
        const char *string;
        double real;
        size_t size;
        bool flag;
        int word;
    } value;
    memset(&value, 0, sizeof value);
    switch (field->kind) {
    case KG_FIELD_STRING:
        memcpy(&value.string, at, sizeof value.string);
        kg_csv_text(text, value.string);
        break;
    case KG_FIELD_REAL:
        memcpy(&value.real, at, sizeof value.real);
        kg_csv_number(text, value.real);
        break;
    case KG_FIELD_SIZE:
        memcpy(&value.size, at, sizeof value.size);
        kg_text_printf(text, "%zu", value.size);
        break;
    case KG_FIELD_BOOL:
        memcpy(&value.flag, at, sizeof value.flag);
        kg_text_append(text, value.flag ? "1" : "0");
        break;
    case KG_FIELD_ENUM:
        memcpy(&value.word, at, sizeof value.word);
        kg_csv_text(text, field->names[value.word]);
        break;
    default: /* the others are no single value */
        break;
    }
}

void kg_csv_fields(const struct kg_csv_column *columns, size_t count,
                   const void *const structs[KG_CSV_STRUCTS], struct kg_text *text)
{
    for (size_t i = 0; i < count; i++) {
        const char *base = structs[columns[i].of];
        kg_text_append(text, i ? "," : "");
        if (base)
            field_append(&columns[i].field, base + columns[i].field.offset, text);
    }
}
