#include "base/wrap.h"

#include <string.h>

#include "base/escape.h"

/* Columns of the first `length` bytes; colours take no columns. */
static size_t width_of(const char *word, size_t length)
{
    size_t width = 0;
    for (size_t i = 0; i < length; i++) {
        if (word[i] == '\x1b')
            i += strcspn(word + i, "m");
        else
            width += ((unsigned char)word[i] & 0xc0) != 0x80;
    }
    return width;
}

void kg_wrap(struct kg_text *text, const char *first, const char *words, size_t width)
{
    kg_text_append(text, first);
    kg_wrap_on(text, kg_text_width(first), kg_text_width(first), words, width);
}

void kg_wrap_on(struct kg_text *text, size_t column, size_t indent, const char *words, size_t width)
{
    size_t at = column, blanks = 0;
    while (*words) {
        const size_t length = strcspn(words, " ");
        const size_t wide = width_of(words, length);
        if (width && at > indent && at + blanks + wide > width) {
            kg_text_printf(text, "\n%*s", (int)indent, "");
            at = indent;
        } else {
            kg_text_printf(text, "%*s", (int)blanks, "");
            at += blanks;
        }
        kg_text_append_bytes(text, words, length);
        at += wide;
        words += length;
        blanks = strspn(words, " ");
        words += blanks;
    }
    kg_text_append(text, "\n");
}
