/* render_terminal.c: a document for a terminal: wrapped lines, ids shortened as one list, colours. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/elide.h"
#include "base/escape.h"
#include "base/text.h"
#include "base/wrap.h"
#include "show/cells.h"
#include "show/document.h"
#include "show/terminal_parts.h"

enum { NAME_MOST = 200, PROSE_MOST = 400, WHOLE_MOST = 1000, UNDER_MOST = 1000, UNDER_INDENT = 6 };

struct terminal {
    const struct kg_document *document;
    const struct kg_report_style *style;
    struct kg_arena arena;
    const char **ids; /* escaped, sorted, each once */
    const char **shown;
    size_t id_count;
    struct kg_text *text;
};

/* --- Ids -------------------------------------------------------------------------------------- */

static const char *escaped(struct terminal *terminal, const char *string)
{
    struct kg_text text = {0};
    kg_escape_terminal(&text, string, SIZE_MAX);
    return kg_cell_take(&terminal->arena, &text);
}

/* Returns the number of ids in all parts. ids: gets the escaped ids; NULL: count only */
static size_t ids_collect(struct terminal *terminal, const char **ids)
{
    size_t count = 0;
    for (size_t p = 0; p < terminal->document->count; p++) {
        const struct kg_part *part = &terminal->document->parts[p];
        for (size_t s = 0; s < part->count; s++) {
            if (part->spans[s].kind != KG_SPAN_ID)
                continue;
            if (ids)
                ids[count] = escaped(terminal, part->spans[s].string);
            count++;
        }
    }
    return count;
}

static void ids_shorten(struct terminal *terminal)
{
    enum { BESIDE = 4 }; /* room for a mark after an id, and for indentation beyond a table's */
    const size_t count = ids_collect(terminal, NULL);
    if (!terminal->style->id_most || !count)
        return;
    terminal->ids = kg_arena_alloc(&terminal->arena, count, sizeof *terminal->ids);
    terminal->shown = kg_arena_alloc(&terminal->arena, count, sizeof *terminal->shown);
    ids_collect(terminal, terminal->ids);
    qsort(terminal->ids, count, sizeof *terminal->ids, kg_string_compare);
    for (size_t i = 0; i < count; i++)
        if (!i || strcmp(terminal->ids[terminal->id_count - 1], terminal->ids[i]) != 0)
            terminal->ids[terminal->id_count++] = terminal->ids[i];
    kg_elide(&terminal->arena, terminal->ids, terminal->id_count, terminal->style->id_most - BESIDE,
             terminal->shown);
}

/* The short form of an id. If the string is no id: the string itself. */
static const char *id_shown(const struct terminal *terminal, const char *id)
{
    const char **found = terminal->id_count ? bsearch(&id, terminal->ids, terminal->id_count,
                                                      sizeof *terminal->ids, kg_string_compare)
                                            : NULL;
    return found ? terminal->shown[found - terminal->ids] : id;
}

/* A sentence from a file is plain text: its ids are words with punctuation around them. Several words between
 * backticks are a command, so ids inside are not shortened. */
static void prose_append(struct terminal *terminal, const char *sentence, struct kg_text *words)
{
    static const char before[] = "`'\"(", after[] = "`'\"),.:;";
    bool command = false;
    while (*sentence) {
        const size_t length = strcspn(sentence, " ");
        size_t from = strspn(sentence, before), to = length;
        while (to > from && strchr(after, sentence[to - 1]))
            to--;
        from = from < to ? from : to;
        const char *word = kg_arena_copy_bytes(&terminal->arena, sentence + from, to - from);
        kg_text_append_bytes(words, sentence, from);
        kg_text_append(words, command ? word : id_shown(terminal, word));
        kg_text_append_bytes(words, sentence + to, length - to);
        for (size_t i = 0; i < length; i++)
            command ^= sentence[i] == '`';
        sentence += length;
        kg_text_append_bytes(words, sentence, strspn(sentence, " "));
        sentence += strspn(sentence, " ");
    }
}

/* --- Sentences -------------------------------------------------------------------------------- */

static void span_append(struct terminal *terminal, const struct kg_part *part,
                        const struct kg_span *span, struct kg_text *words)
{
    struct kg_text text = {0};
    const bool colour = span->colour && terminal->style->colour;
    kg_text_append(words, colour ? span->colour : "");
    kg_escape_terminal(&text, span->string,
                       span->kind == KG_SPAN_NAME    ? NAME_MOST
                       : part->kind == KG_PART_WHOLE ? WHOLE_MOST
                       : span->kind == KG_SPAN_PROSE ? PROSE_MOST
                                                     : SIZE_MAX);
    const char *string = kg_text_string(&text);
    if (span->kind == KG_SPAN_PROSE && terminal->id_count)
        prose_append(terminal, string, words);
    else
        kg_text_append(words, span->kind == KG_SPAN_ID ? id_shown(terminal, string) : string);
    kg_text_append(words, colour ? KG_TERMINAL_PLAIN : "");
    kg_text_free(&text);
}

/* Prints a sentence after `first`, wrapped. A command that does not fit gets its own line. */
static void sentence_print(struct terminal *terminal, const struct kg_part *part, const char *first,
                           size_t indent)
{
    const size_t width = part->kind == KG_PART_WHOLE ? 0 : terminal->style->width;
    struct kg_text words = {0}, command = {0};
    for (size_t s = 0; s < part->count; s++)
        if (part->spans[s].kind != KG_SPAN_MARK)
            span_append(terminal, part, &part->spans[s],
                        part->spans[s].kind == KG_SPAN_COMMAND ? &command : &words);
    const size_t line = kg_text_width(first) + kg_text_width(kg_text_string(&words)) + 1 +
                        kg_text_width(kg_text_string(&command));
    kg_text_append(terminal->text, first);
    if (!command.length)
        kg_wrap_on(terminal->text, kg_text_width(first), indent, kg_text_string(&words), width);
    else if (!words.length)
        kg_text_printf(terminal->text, "%s\n", kg_text_string(&command));
    else if (!width || line <= width)
        kg_text_printf(terminal->text, "%s %s\n", kg_text_string(&words), kg_text_string(&command));
    else
        kg_text_printf(terminal->text, "%s\n%*s%s\n", kg_text_string(&words), (int)indent + 2, "",
                       kg_text_string(&command));
    kg_text_free(&words);
    kg_text_free(&command);
}

static void labelled_print(struct terminal *terminal, const struct kg_part *part)
{
    const bool colour = part->colour && terminal->style->colour;
    const size_t indent = part->indent + (part->kind == KG_PART_UNDER ? 2 : 0);
    const char *first = kg_arena_printf(&terminal->arena, "%*s%s%s", (int)indent, "",
                                        part->label ? part->label : "", part->label ? ": " : "");
    kg_text_append(terminal->text, colour ? part->colour : "");
    sentence_print(terminal, part, first, kg_text_width(first));
    kg_text_append(terminal->text, colour ? KG_TERMINAL_PLAIN : "");
}

static void figure_print(struct terminal *terminal, const struct kg_part *part)
{
    enum { LABEL_WIDE = 13 };
    const char *first = kg_arena_printf(&terminal->arena, "%*s%-*s ", (int)part->indent, "",
                                        LABEL_WIDE, escaped(terminal, part->label));
    sentence_print(terminal, part, first, kg_text_width(first));
}

/* Prints each line as a shell comment. So a reader can paste the whole text, and the shell runs only the commands. */
static void comment_print(struct terminal *terminal, const struct kg_part *part)
{
    static const char BEFORE[] = "  # ";
    const size_t width = terminal->style->width;
    struct kg_text words = {0}, lines = {0};
    span_append(terminal, part, &part->spans[0], &words);
    kg_wrap(&lines, "", kg_text_string(&words),
            width > sizeof BEFORE ? width - (sizeof BEFORE - 1) : 0);
    for (const char *line = kg_text_string(&lines); *line; line += strcspn(line, "\n") + 1)
        kg_text_printf(terminal->text, "%s%.*s\n", BEFORE, (int)strcspn(line, "\n"), line);
    kg_text_free(&words);
    kg_text_free(&lines);
}

static void numbered_print(struct terminal *terminal, const struct kg_part *part)
{
    const char *first = kg_arena_printf(&terminal->arena, "\n%3zu. ", part->number);
    sentence_print(terminal, part, first, kg_text_width(first) - 1);
}

/* The second and later lines are indented behind the first word. */
static void headline_print(struct terminal *terminal, const struct kg_part *part)
{
    const bool begun = part->count && part->spans[0].colour;
    sentence_print(terminal, part, "", begun ? kg_text_width(part->spans[0].string) + 2 : 0);
}

static void heading_print(struct terminal *terminal, const struct kg_part *part)
{
    kg_text_append(terminal->text, terminal->style->colour ? "\n" KG_TERMINAL_BOLD : "\n");
    for (size_t s = 0; s < part->count; s++)
        span_append(terminal, part, &part->spans[s], terminal->text);
    kg_text_append(terminal->text, terminal->style->colour ? KG_TERMINAL_PLAIN "\n" : "\n");
}

static void output_print(struct terminal *terminal, const struct kg_part *part)
{
    for (const char *line = part->spans[0].string; *line;) {
        const size_t length = strcspn(line, "\n");
        kg_text_append(terminal->text, "    | ");
        kg_escape_terminal(terminal->text, kg_arena_copy_bytes(&terminal->arena, line, length),
                           PROSE_MOST);
        kg_text_append(terminal->text, "\n");
        line += length + (line[length] == '\n');
    }
}

/* --- Tables ----------------------------------------------------------------------------------- */

/* Wraps the lines under a row. */
static const char *under_wrapped(struct terminal *terminal, const char *under)
{
    const size_t width = terminal->style->width;
    struct kg_text text = {0};
    while (*under) {
        const size_t length = strcspn(under, "\n");
        struct kg_text line = {0};
        kg_escape_terminal(&line, kg_arena_copy_bytes(&terminal->arena, under, length), UNDER_MOST);
        kg_wrap(&text, "", kg_text_string(&line),
                width > 2 * UNDER_INDENT ? width - UNDER_INDENT : 0);
        kg_text_free(&line);
        under += length + (under[length] == '\n');
    }
    return kg_cell_take(&terminal->arena, &text);
}

static void table_print(struct terminal *terminal, struct kg_table *table)
{
    for (size_t c = 0; c < table->columns; c++)
        table->heads[c] = escaped(terminal, table->heads[c]);
    for (size_t r = 0; r < table->row_count; r++) {
        struct kg_table_row *row = &table->rows[r];
        for (size_t c = 0; c < table->columns; c++)
            row->cells[c] = row->cells[c] ? escaped(terminal, row->cells[c]) : NULL;
        row->under = row->under ? under_wrapped(terminal, row->under) : NULL;
    }
    if (table->row_count)
        kg_table_print(table, terminal->style->colour, terminal->text);
}

static void part_print(struct terminal *terminal, const struct kg_part *part)
{
    switch (part->kind) {
    case KG_PART_HEADLINE:
        headline_print(terminal, part);
        return;
    case KG_PART_HEADING:
    case KG_PART_FOLD:
        heading_print(terminal, part);
        return;
    case KG_PART_FIGURE:
        figure_print(terminal, part);
        return;
    case KG_PART_COMMENT:
        comment_print(terminal, part);
        return;
    case KG_PART_NUMBERED:
        numbered_print(terminal, part);
        return;
    case KG_PART_OUTPUT:
    case KG_PART_CODE:
        output_print(terminal, part);
        return;
    case KG_PART_TABLE:
        table_print(terminal, part->table);
        return;
    case KG_PART_GAP:
        kg_text_append(terminal->text, "\n");
        return;
    case KG_PART_FOLD_END:
        return;
    default:
        labelled_print(terminal, part);
    }
}

void kg_render_terminal(const struct kg_document *document, struct kg_text *text)
{
    struct terminal terminal = {.document = document, .style = &document->style, .text = text};
    ids_shorten(&terminal);
    for (size_t i = 0; i < document->count; i++)
        part_print(&terminal, &document->parts[i]);
    kg_arena_free(&terminal.arena);
}
