#include "base/csv.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/escape.h"
#include "base/units.h"

void kg_csv_text(struct kg_text *text, const char *value)
{
    struct kg_text shown = {0};
    double number;
    if (!value || !*value)
        return;
    if (strchr("=+-@", *value) && !kg_number_parse(value, &number))
        kg_text_append(&shown, "'");
    kg_escape_terminal(&shown, value, SIZE_MAX);
    const char *s = kg_text_string(&shown);
    const bool quoted = strpbrk(s, ",\"") != NULL;
    kg_text_append(text, quoted ? "\"" : "");
    for (; *s; s++) {
        if (*s == '"')
            kg_text_append_bytes(text, s, 1);
        kg_text_append_bytes(text, s, 1);
    }
    kg_text_append(text, quoted ? "\"" : "");
    text->failed = text->failed || shown.failed;
    kg_text_free(&shown);
}

void kg_csv_number(struct kg_text *text, double value)
{
    if (isfinite(value))
        kg_text_printf(text, "%.12g", value);
}
