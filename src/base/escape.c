#include "base/escape.h"

#include <string.h>

#include "base/utf8.h"

/* C0, DEL, C1, line and paragraph separators, and characters that disguise a name: overrides and
 * isolates of the text's direction. */
static bool is_harmful(const unsigned char *s, size_t length)
{
    if (length == 1)
        return s[0] < 0x20 || s[0] == 0x7f;
    if (length == 2)
        return s[0] == 0xc2 && s[1] < 0xa0;
    return length == 3 && s[0] == 0xe2 &&
           ((s[1] == 0x80 && s[2] >= 0xa8 && s[2] <= 0xae) ||
            (s[1] == 0x81 && s[2] >= 0xa6 && s[2] <= 0xa9));
}

/* The length of the character at `s` if it may be shown, else 0. */
static size_t character(const unsigned char *s)
{
    const size_t length =
        kg_utf8_length(s, KG_UTF8_MOST); /* not beyond the terminator: see kg_utf8_length */
    return is_harmful(s, length) ? 0 : length;
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

void kg_escape_plain(struct kg_text *text, const char *string)
{
    /* a longer form before the shorter form that it begins with */
    static const char *const forms[][2] = {
        {" … and ", " ... and "},
        {"… and ", "... and "},
        {"…\n", "...\n"},
        {" … ", "..."},
        {"…", "~"},
        {"± ", "+-"},
        {"±", "+"},
        {"×", "x"},
        {"·", "."},
        {"█", "#"},
        {"░", "."},
        {"●", "*"},
        {"┬", "T"},
        {"╱", "/"},
        {"─", "-"},
        {"�", "?"},
    };
    for (const char *s = string; *s;) {
        size_t f = 0, length = 1;
        while (f < sizeof forms / sizeof *forms &&
               strncmp(s, forms[f][0], strlen(forms[f][0])) != 0)
            f++;
        if (f < sizeof forms / sizeof *forms) {
            kg_text_append(text, forms[f][1]);
            length = strlen(forms[f][0]);
        } else {
            kg_text_append_bytes(text, s, 1);
        }
        s += length;
    }
}

/* The byte at which character `index` begins. */
static size_t character_at(const char *string, size_t index)
{
    size_t at = 0;
    for (size_t count = 0; string[at]; at++)
        if (((unsigned char)string[at] & 0xc0) != 0x80 && count++ == index)
            break;
    return at;
}

void kg_text_append_beginning(struct kg_text *text, const char *string, size_t most)
{
    kg_text_append_bytes(text, string, character_at(string, most));
}

void kg_text_append_ends(struct kg_text *text, const char *string, size_t most)
{
    const size_t width = kg_text_width(string);
    if (width <= most) {
        kg_text_append(text, string);
        return;
    }
    const size_t end = most / 2, beginning = most ? most - 1 - end : 0;
    kg_text_append_beginning(text, string, beginning);
    kg_text_append(text, "…");
    kg_text_append(text, string + character_at(string, width - end));
}

/* Replacement of a character that a forge acts on; NULL for the character itself. An entity or a
 * backslash does not stop a mention or a reference: the forge resolves both before it searches
 * (github/cmark-gfm, issue 181). An empty comment stops them, and the reader's clipboard does not
 * get it. */
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

void kg_shell_quote(struct kg_text *text, const char *argument)
{
    static const char PLAIN[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-_./=,:+@%";
    if (*argument && !argument[strspn(argument, PLAIN)]) {
        kg_text_append(text, argument);
        return;
    }
    kg_text_append(text, "'");
    for (; *argument; argument++)
        kg_text_append_bytes(text, *argument == '\'' ? "'\\''" : argument,
                             *argument == '\'' ? 4 : 1);
    kg_text_append(text, "'");
}

void kg_shell_quote_glob(struct kg_text *text, const char *string)
{
    struct kg_text glob = {0};
    for (; *string; string++) {
        if (strchr("*?[]\\", *string))
            kg_text_append(&glob, "\\");
        kg_text_append_bytes(&glob, string, 1);
    }
    kg_shell_quote(text, kg_text_string(&glob));
    text->failed = text->failed || glob.failed;
    kg_text_free(&glob);
}

void kg_yaml_quote(struct kg_text *text, const char *string)
{
    kg_text_append(text, "\"");
    for (; *string; string++) {
        const unsigned char c = (unsigned char)*string;
        if (c < 0x20 || c == 0x7F)
            kg_text_printf(text, "\\x%02X", c);
        else if (c == '"' || c == '\\')
            kg_text_printf(text, "\\%c", c);
        else
            kg_text_append_bytes(text, string, 1);
    }
    kg_text_append(text, "\"");
}
