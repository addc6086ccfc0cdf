#include "base/json_string.h"

#include <string.h>

#include "base/text.h"
#include "base/utf8.h"

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
    if (!text || kg_utf8_is_valid(text, strlen(text)))
        return json_string(text);
    struct kg_text escaped = {0};
    escape(text, &escaped);
    json_t *json = escaped.failed ? NULL : json_string(kg_text_string(&escaped));
    kg_text_free(&escaped);
    return json;
}
