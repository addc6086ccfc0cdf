#include "util/json_string.h"

#include <stdbool.h>

#include "util/text.h"
#include "util/utf8.h"

static bool is_utf8(const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    while (*s) {
        const size_t length = kg_utf8_length(s, KG_UTF8_MOST);
        if (!length)
            return false;
        s += length;
    }
    return true;
}

static void escape(const char *text, struct kg_text *escaped)
{
    const unsigned char *s = (const unsigned char *)text;
    while (*s) {
        const size_t length = kg_utf8_length(s, KG_UTF8_MOST);
        if (length)
            kg_text_append_bytes(escaped, (const char *)s, length);
        else
            kg_text_printf(escaped, "\\x%02x", *s);
        s += length ? length : 1;
    }
}

json_t *kg_json_string(const char *text)
{
    if (!text || is_utf8(text))
        return json_string(text);
    struct kg_text escaped = {0};
    escape(text, &escaped);
    json_t *json = escaped.failed ? NULL : json_string(kg_text_string(&escaped));
    kg_text_free(&escaped);
    return json;
}
