#include "report/escape.h"

#include <string.h>

/* The length of the valid UTF-8 character at `s` that may be shown; 0 where there is none: a
 * control character, or bytes that are no UTF-8. */
static size_t character(const unsigned char *s)
{
    if (s[0] < 0x20 || s[0] == 0x7f)
        return 0;
    if (s[0] < 0x80)
        return 1;
    const size_t length = s[0] >= 0xf0 && s[0] < 0xf5   ? 4
                          : s[0] >= 0xe0 && s[0] < 0xf0 ? 3
                          : s[0] >= 0xc2 && s[0] < 0xe0 ? 2
                                                        : 0;
    for (size_t i = 1; i < length; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    /* C1 controls, overlong forms, surrogates, and what lies beyond Unicode */
    const bool bad = (s[0] == 0xc2 && s[1] < 0xa0) || (s[0] == 0xe0 && s[1] < 0xa0) ||
                     (s[0] == 0xed && s[1] >= 0xa0) || (s[0] == 0xf0 && s[1] < 0x90) ||
                     (s[0] == 0xf4 && s[1] >= 0x90);
    /* bidirectional overrides and isolates can make a name read as another */
    const bool reorders = s[0] == 0xe2 && ((s[1] == 0x80 && s[2] >= 0xaa && s[2] <= 0xae) ||
                                           (s[1] == 0x81 && s[2] >= 0xa6 && s[2] <= 0xa9));
    return bad || reorders ? 0 : length;
}

void kg_escape_terminal(struct kg_text *text, const char *string, size_t most)
{
    const unsigned char *s = (const unsigned char *)string;
    for (size_t count = 0; *s; count++) {
        const size_t length = character(s);
        if (count == most) {
            kg_text_append(text, "…");
            return;
        }
        if (length)
            kg_text_append_bytes(text, (const char *)s, length);
        else
            kg_text_printf(text, "\\x%02x", *s);
        s += length ? length : 1;
    }
}

/* What is written in place of a character that a forge would act on; NULL for the character itself.
 * An entity or a backslash does not stop a mention or a reference: those are looked for after both
 * are resolved (github/cmark-gfm, issue 181). An empty comment does, and is not copied along. */
static const char *neutral(const unsigned char *s, unsigned char before)
{
    switch (*s) {
    case '@':
        return "@<!-- -->";
    case '#':
        return "#<!-- -->";
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case ':': /* these two make links of "://" and "www." */
        return s[1] == '/' && s[2] == '/' ? "&#58;" : NULL;
    case '.':
        return before == 'w' || before == 'W' ? "&#46;" : NULL;
    default:
        return NULL;
    }
}

void kg_escape_markdown(struct kg_text *text, const char *string, size_t most)
{
    const unsigned char *s = (const unsigned char *)string;
    unsigned char before = 0;
    for (size_t count = 0; *s; count++) {
        const size_t length = character(s);
        if (count == most) {
            kg_text_append(text, "…");
            return;
        }
        if (!length)
            kg_text_append(text, *s == '\n' || *s == '\t' ? " " : "�");
        else if (neutral(s, before))
            kg_text_append(text, neutral(s, before));
        else if (strchr("\\`*_{}[]|~!$^", *s))
            kg_text_printf(text, "\\%c", *s);
        else
            kg_text_append_bytes(text, (const char *)s, length);
        before = *s;
        s += length ? length : 1;
    }
}

size_t kg_text_width(const char *string)
{
    size_t width = 0;
    for (; *string; string++)
        width += ((unsigned char)*string & 0xc0) != 0x80;
    return width;
}
