/* render_markdown.c: a document as markdown, for a page of a forge. Every sentence stays. Lists and tables lose their
 * last items, so that the page fits into a comment. Earlier lists get room first. */
#include <ctype.h>
#include <stdint.h>
#include <string.h>

#include "base/escape.h"
#include "show/document.h"

enum { NAME_MOST = 200, PROSE_MOST = 300, TEXT_MOST = 2000, COMMAND_MOST = 1000, TAIL_MOST = 300 };

struct page {
    const struct kg_document *document;
    struct kg_text *text;
    size_t rest;   /* bytes of a line "… and 3 more", plus a table's heads */
    size_t fixed;  /* bytes reserved for the parts after this one */
    size_t groups; /* number of lists and tables after this one */
};

/* --- Spans ------------------------------------------------------------------------------------ */

static void span_append(const struct kg_span *span, size_t prose_most, struct kg_text *text)
{
    const char *string = span->string;
    kg_text_append(text, span->colour ? "**" : "");
    switch (span->kind) {
    case KG_SPAN_PROSE:
        kg_markdown_words(text, string, prose_most);
        break;
    case KG_SPAN_COMMAND:
        kg_text_append(text, "<code>");
        kg_escape_markdown(text, string, COMMAND_MOST);
        kg_text_append(text, "</code>");
        break;
    default:
        kg_escape_markdown(text, string, span->kind == KG_SPAN_TEXT ? TEXT_MOST : NAME_MOST);
    }
    kg_text_append(text, span->colour ? "**" : "");
}

/* Appends label and words. `capital`: the text begins with a capital letter */
static void words_append(const struct kg_part *part, bool capital, struct kg_text *text)
{
    const size_t begun = text->length;
    if (part->label)
        kg_text_printf(text, "%s: ", part->label);
    for (size_t s = 0; s < part->count; s++)
        span_append(&part->spans[s], part->kind == KG_PART_WHOLE ? COMMAND_MOST : PROSE_MOST, text);
    if (capital && text->length > begun)
        text->data[begun] = (char)toupper((unsigned char)text->data[begun]);
}

/* Appends the last lines of an output, each after a line break. */
static void output_append(const struct kg_part *part, struct kg_text *text)
{
    const char *tail = part->spans[0].string;
    const size_t length = strlen(tail);
    if (length > TAIL_MOST) {
        tail += length - TAIL_MOST;
        while ((*tail & 0xc0) == 0x80) /* to the next whole character */
            tail++;
    }
    while (*tail) {
        const size_t line = strcspn(tail, "\n");
        struct kg_text one = {0};
        kg_text_append_bytes(&one, tail, line);
        kg_text_append(text, "<br>");
        kg_escape_markdown(text, kg_text_string(&one), TAIL_MOST);
        kg_text_free(&one);
        tail += line + (tail[line] == '\n');
    }
}

/* Appends a fence that is longer than any run of backticks in the code. */
static void fence_append(const char *code, const char *language, struct kg_text *text)
{
    size_t longest = 2;
    for (size_t i = 0, run; code[i]; i += run + !run) {
        run = strspn(code + i, "`");
        longest = run > longest ? run : longest;
    }
    kg_text_append(text, "  ");
    for (size_t i = 0; i <= longest; i++)
        kg_text_append(text, "`");
    kg_text_printf(text, "%s\n", language);
}

/* Appends code below an item, with the colours of a diff. */
static void code_append(const struct kg_part *part, struct kg_text *text)
{
    const char *code = part->spans[0].string;
    kg_text_append(text, "\n\n");
    fence_append(code, "diff", text);
    for (const char *line = code; *line;) {
        const size_t length = strcspn(line, "\n");
        struct kg_text one = {0};
        kg_text_append_bytes(&one, line, length);
        kg_text_append(text, "  ");
        kg_escape_terminal(text, kg_text_string(&one), PROSE_MOST);
        kg_text_append(text, "\n");
        kg_text_free(&one);
        line += length + (line[length] == '\n');
    }
    fence_append(code, "", text);
}

/* --- Room ------------------------------------------------------------------------------------- */

/* A list is a sequence of items, with the parts that stand under an item. */
static bool is_of_list(const struct kg_part *part)
{
    return part->kind == KG_PART_ITEM || part->kind == KG_PART_FIGURE ||
           part->kind == KG_PART_NUMBERED || part->kind == KG_PART_UNDER ||
           part->kind == KG_PART_OUTPUT || part->kind == KG_PART_CODE;
}

/* The largest length of the text after this list or table, in bytes. If other lists or tables follow, this one gets
 * three quarters of the remaining room. */
static size_t room_end(const struct page *page)
{
    const size_t taken = page->text->length + page->fixed + page->rest;
    const size_t left = taken < KG_MARKDOWN_MOST ? KG_MARKDOWN_MOST - taken : 0;
    return page->text->length + (page->groups ? left / 4 * 3 : left);
}

static void rest_append(const char *rest, size_t count, struct kg_text *text)
{
    if (!count)
        return;
    kg_text_printf(text, "\n… and %zu more", count);
    if (rest) {
        kg_text_append(text, ": ");
        kg_markdown_words(text, rest, PROSE_MOST);
    }
    kg_text_append(text, "\n");
}

/* --- Lists and tables ------------------------------------------------------------------------- */

static void item_append(const struct kg_part *parts, size_t count, struct kg_text *text)
{
    const bool numbered = parts->kind == KG_PART_NUMBERED;
    kg_text_append(text, numbered ? "1. " : "- ");
    words_append(parts, false, text);
    for (size_t i = 1; i < count; i++) {
        if (parts[i].kind == KG_PART_OUTPUT) {
            output_append(&parts[i], text);
        } else if (parts[i].kind == KG_PART_CODE) {
            code_append(&parts[i], text);
        } else if (parts[i].kind == KG_PART_UNDER) {
            kg_text_append(text, numbered ? "<br>\n   " : "<br>\n  ");
            words_append(&parts[i], parts[i].label, text);
        }
    }
    kg_text_append(text, "\n");
}

/* Prints the list of the first `count` parts. */
static void list_print(struct page *page, const struct kg_part *parts, size_t count)
{
    const size_t most = room_end(page);
    size_t left_out = 0;
    for (size_t i = 0, next; i < count; i = next) {
        struct kg_text item = {0};
        for (next = i + 1;
             next < count && parts[next].kind != KG_PART_ITEM &&
             parts[next].kind != KG_PART_FIGURE && parts[next].kind != KG_PART_NUMBERED;
             next++) {
        }
        item_append(&parts[i], next - i, &item);
        if (!left_out && page->text->length + item.length <= most)
            kg_text_append(page->text, kg_text_string(&item));
        else
            left_out++;
        kg_text_free(&item);
    }
    rest_append(parts->rest, left_out, page->text);
}

static void row_append(const struct kg_table *table, const struct kg_table_row *row,
                       struct kg_text *text)
{
    for (size_t c = 0; c < table->columns; c++) {
        kg_text_append(text, "| ");
        if (c + 1 == table->columns && row->mark)
            kg_text_printf(text, "%s ", row->mark);
        kg_escape_markdown(text, row->cells[c] ? row->cells[c] : "", NAME_MOST);
        kg_text_append(text, " ");
    }
    kg_text_append(text, "|\n");
}

/* An item below the table with the lines under a row: in a cell they would make the columns narrow. */
static void under_append(const struct kg_table_row *row, struct kg_text *text)
{
    if (!row->under)
        return;
    kg_text_append(text, "- **");
    kg_escape_markdown(text, row->cells[0] ? row->cells[0] : "", NAME_MOST);
    kg_text_append(text, "**");
    for (const char *under = row->under; *under;) {
        const size_t length = strcspn(under, "\n");
        struct kg_text line = {0};
        kg_text_append_bytes(&line, under, length);
        kg_text_append(text, under == row->under ? ": " : "<br>\n  ");
        kg_markdown_words(text, kg_text_string(&line), PROSE_MOST);
        kg_text_free(&line);
        under += length + (under[length] == '\n');
    }
    kg_text_append(text, "\n");
}

static void table_print(struct page *page, const struct kg_part *part)
{
    const struct kg_table *table = part->table;
    struct kg_table_row heads = {0};
    struct kg_text rows = {0}, under = {0};
    const size_t most = room_end(page);
    size_t shown = 0;
    memcpy(heads.cells, table->heads, sizeof table->heads);
    row_append(table, &heads, page->text);
    for (size_t c = 0; c < table->columns; c++)
        kg_text_append(page->text, table->left[c] ? "| :-- " : "| --: ");
    kg_text_append(page->text, "|\n");
    for (; shown < table->row_count; shown++) {
        const size_t rows_length = rows.length, under_length = under.length;
        row_append(table, &table->rows[shown], &rows);
        under_append(&table->rows[shown], &under);
        if (page->text->length + rows.length + under.length > most) {
            kg_text_truncate(&rows, rows_length);
            kg_text_truncate(&under, under_length);
            break;
        }
    }
    kg_text_append(page->text, kg_text_string(&rows));
    if (under.length)
        kg_text_printf(page->text, "\n%s", kg_text_string(&under));
    kg_text_free(&rows);
    kg_text_free(&under);
    rest_append(part->rest, table->row_count - shown, page->text);
}

/* --- Parts that are kept ---------------------------------------------------------------------- */

static void kept_append(const struct kg_part *part, struct kg_text *text)
{
    switch (part->kind) {
    case KG_PART_HEADLINE:
        kg_text_printf(text, "**%s**: ", part->label);
        words_append(&(struct kg_part){.spans = part->spans, .count = part->count}, false, text);
        kg_text_append(text, "\n");
        return;
    case KG_PART_HEADING:
        kg_text_append(text, "**");
        words_append(part, true, text);
        kg_text_append(text, "**\n");
        return;
    case KG_PART_SMALL:
        kg_text_append(text, "<sub>");
        words_append(part, false, text);
        kg_text_append(text, "</sub>\n");
        return;
    case KG_PART_FOLD:
        kg_text_append(text, "<details><summary>");
        words_append(part, true, text);
        kg_text_append(text, "</summary>\n");
        return;
    case KG_PART_FOLD_END:
        kg_text_append(text, "</details>\n");
        return;
    default:
        words_append(part, part->label, text);
        kg_text_append(text, "\n");
    }
}

/* Measures the parts from `first` on: the bytes of the fixed parts, and the number of lists and tables. */
static void rest_measure(struct page *page, size_t first)
{
    const struct kg_document *document = page->document;
    struct kg_text kept = {0};
    page->groups = 0;
    for (size_t i = first; i < document->count; i++) {
        const struct kg_part *part = &document->parts[i];
        if (part->table)
            page->groups++;
        else if (is_of_list(part))
            page->groups += !i || !is_of_list(part - 1);
        else
            kept_append(part, &kept);
    }
    page->fixed = kept.length + document->count - first + page->groups * page->rest;
    kg_text_free(&kept);
}

/* The largest number of bytes of a list or table without its items. */
static size_t rest_most(const struct kg_document *document)
{
    enum { HEADS_MOST = 400 };
    size_t most = 0;
    const char *last = NULL;
    for (size_t i = 0; i < document->count; i++) {
        struct kg_text text = {0};
        if (document->parts[i].rest == last)
            continue;
        last = document->parts[i].rest;
        rest_append(last, SIZE_MAX, &text);
        most = text.length > most ? text.length : most;
        kg_text_free(&text);
    }
    return most + HEADS_MOST;
}

void kg_render_markdown(const struct kg_document *document, struct kg_text *text)
{
    struct page page = {.document = document, .text = text, .rest = rest_most(document)};
    for (size_t i = 0, next; i < document->count; i = next) {
        const struct kg_part *part = &document->parts[i];
        for (next = i + 1;
             is_of_list(part) && next < document->count && is_of_list(&document->parts[next]);
             next++) {
        }
        rest_measure(&page, next);
        kg_text_append(text, text->length ? "\n" : "");
        if (part->table)
            table_print(&page, part);
        else if (is_of_list(part))
            list_print(&page, part, next - i);
        else
            kept_append(part, text);
    }
}
