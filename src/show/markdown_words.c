#include "show/document.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/escape.h"

static bool is_continued(char byte)
{
    return ((unsigned char)byte & 0xc0) == 0x80;
}

/* The bytes of the whole words that fit. If a single word fills more than half of the room, the cut lies within this
 * word. */
static size_t whole_words(const char *string, size_t most)
{
    size_t bytes = 0, end = 0, code = SIZE_MAX;
    for (size_t count = 0; string[bytes]; bytes++) {
        if (!is_continued(string[bytes]) && count++ == most)
            break;
        if (string[bytes] == '`')
            code = code == SIZE_MAX ? bytes : SIZE_MAX;
        if (string[bytes] == ' ' && code == SIZE_MAX)
            end = bytes;
    }
    if (!string[bytes])
        return bytes;
    return 2 * end > bytes ? end : bytes;
}

static void plain_append(struct kg_text *text, const char *string, size_t length)
{
    struct kg_text part = {0};
    kg_text_append_bytes(&part, string, length);
    kg_escape_markdown(text, kg_text_string(&part), SIZE_MAX);
    kg_text_free(&part);
}

/* Code becomes an HTML element with escaped content. Inside markdown's own code, a forge would show the escapes. */
void kg_markdown_words(struct kg_text *text, const char *string, size_t most)
{
    const size_t length = whole_words(string, most);
    const char *end = string + length;
    bool code = false;
    for (const char *rest = string; rest < end; rest++) {
        const char *tick = memchr(rest, '`', (size_t)(end - rest));
        plain_append(text, rest, (size_t)((tick ? tick : end) - rest));
        if (!tick)
            break;
        const bool pair = code || memchr(tick + 1, '`', (size_t)(end - tick - 1));
        kg_text_append(text, !pair ? "\\`" : code ? "</code>" : "<code>");
        code = pair && !code;
        rest = tick;
    }
    kg_text_append(text, string[length] ? "…" : "");
}
