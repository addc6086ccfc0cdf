#include "base/xml.h"

#include <stdint.h>
#include <string.h>

#include "base/escape.h"

/* U+FFFE and U+FFFF in UTF-8, which XML forbids. */
static bool is_no_character(const char *s)
{
    return !strncmp(s, "\xef\xbf\xbe", 3) || !strncmp(s, "\xef\xbf\xbf", 3);
}

static void line_append(struct kg_text *text, const char *line)
{
    for (const char *s = line; *s; s++)
        switch (*s) {
        case '&':
            kg_text_append(text, "&amp;");
            break;
        case '<':
            kg_text_append(text, "&lt;");
            break;
        case '>':
            kg_text_append(text, "&gt;");
            break;
        case '"':
            kg_text_append(text, "&quot;");
            break;
        default:
            if (is_no_character(s))
                s += 2;
            else
                kg_text_append_bytes(text, s, 1);
        }
}

void kg_xml_text(struct kg_text *text, const char *value)
{
    while (*value) {
        const size_t length = strcspn(value, "\n");
        struct kg_text line = {0}, shown = {0};
        kg_text_append_bytes(&line, value, length);
        kg_escape_terminal(&shown, kg_text_string(&line), SIZE_MAX);
        line_append(text, kg_text_string(&shown));
        kg_text_free(&line);
        kg_text_free(&shown);
        if (value[length])
            kg_text_append(text, "\n");
        value += length + (value[length] == '\n');
    }
}
