#include "show/terminal_parts.h"

#include <stdint.h>
#include <string.h>

#include "base/escape.h"
#include "base/wrap.h"

const char *kg_terminal_escaped(struct kg_arena *arena, const char *string)
{
    struct kg_text text = {0};
    kg_escape_terminal(&text, string, SIZE_MAX);
    const char *copy = text.failed ? NULL : kg_arena_copy(arena, kg_text_string(&text));
    kg_text_free(&text);
    return copy;
}

void kg_terminal_part(struct kg_text *text, const char *separator, const char *part)
{
    if (!part || !*part)
        return;
    kg_text_append(text, text->length ? separator : "");
    kg_escape_terminal(text, part, KG_TERMINAL_REASON_MOST);
}

void kg_terminal_sentence(struct kg_text *text, const char *first, const char *words, size_t most,
                          size_t width)
{
    struct kg_text escaped = {0};
    kg_escape_terminal(&escaped, words, most);
    kg_wrap(text, first, kg_text_string(&escaped), width);
    text->failed = text->failed || escaped.failed;
    kg_text_free(&escaped);
}

const char *kg_terminal_under(struct kg_arena *arena, const char *lines, size_t width)
{
    enum { INDENT = 6 }; /* of a table's */
    struct kg_text text = {0};
    if (!lines || width <= 2 * INDENT)
        return lines;
    for (const char *line = lines; *line;) {
        const size_t length = strcspn(line, "\n");
        const char *one = kg_arena_printf(arena, "%.*s", (int)length, line);
        kg_wrap(&text, "", one ? one : "", width - INDENT);
        text.failed = text.failed || !one;
        line += length + (line[length] == '\n');
    }
    const char *copy = text.failed ? NULL : kg_arena_copy(arena, kg_text_string(&text));
    kg_text_free(&text);
    return copy;
}

void kg_terminal_tail(const char *id, const char *tail, struct kg_text *text)
{
    kg_text_append(text, "\n  ");
    kg_escape_terminal(text, id, SIZE_MAX);
    kg_text_append(text, " wrote last:\n");
    for (const char *line = tail; *line;) {
        const size_t length = strcspn(line, "\n");
        struct kg_text one = {0};
        kg_text_append_bytes(&one, line, length);
        kg_text_append(text, "    | ");
        kg_escape_terminal(text, kg_text_string(&one), KG_TERMINAL_REASON_MOST);
        kg_text_append(text, "\n");
        kg_text_free(&one);
        line += length + (line[length] == '\n');
    }
}
