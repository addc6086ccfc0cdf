#include "report/wrap.h"

#include <string.h>

#include "util/escape.h"

/* Characters of the first `length` bytes. */
static size_t width_of(const char *word, size_t length)
{
    size_t width = 0;
    for (size_t i = 0; i < length; i++)
        width += ((unsigned char)word[i] & 0xc0) != 0x80;
    return width;
}

void kg_wrap(struct kg_text *text, const char *first, const char *words, size_t width)
{
    const size_t indent = kg_text_width(first);
    size_t at = indent;
    kg_text_append(text, first);
    while (*words) {
        const size_t length = strcspn(words, " ");
        const size_t wide = width_of(words, length);
        if (width && at > indent && at + 1 + wide > width) {
            kg_text_printf(text, "\n%*s", (int)indent, "");
            at = indent;
        } else if (at > indent) {
            kg_text_append(text, " ");
            at++;
        }
        kg_text_append_bytes(text, words, length);
        at += wide;
        words += length + strspn(words + length, " ");
    }
    kg_text_append(text, "\n");
}
