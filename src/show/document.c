#include "show/document.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "model/change.h"
#include "show/cells.h"
#include "show/terminal_parts.h"

const char *const kg_tone_colours[KG_TONE_COUNT] = {
    [KG_TONE_FAILED] = KG_TERMINAL_BAD,  [KG_TONE_WORSE] = KG_TERMINAL_BAD,
    [KG_TONE_DOUBT] = KG_TERMINAL_DOUBT, [KG_TONE_BETTER] = KG_TERMINAL_GOOD,
    [KG_TONE_SAME] = KG_TERMINAL_DIM,    [KG_TONE_OTHER] = KG_TERMINAL_DOUBT};

struct kg_part *kg_part_add(struct kg_document *document, enum kg_part_kind kind, const char *label)
{
    kg_arena_grow(&document->arena, &document->parts, document->count, &document->capacity,
                  sizeof *document->parts);
    struct kg_part *part = &document->parts[document->count++];
    *part = (struct kg_part){
        .kind = kind, .label = label, .rest = document->rest, .indent = document->indent};
    return part;
}

void kg_span_strong(struct kg_document *document, enum kg_span_kind kind, const char *string,
                    const char *colour)
{
    struct kg_part *part = &document->parts[document->count - 1];
    if (!string)
        return;
    kg_arena_grow(&document->arena, &part->spans, part->count, &part->capacity,
                  sizeof *part->spans);
    part->spans[part->count++] = (struct kg_span){kind, string, colour};
}

void kg_span_add(struct kg_document *document, enum kg_span_kind kind, const char *string)
{
    kg_span_strong(document, kind, string, NULL);
}

static void text_add(struct kg_document *document, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    const int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *string = kg_arena_alloc(&document->arena, (size_t)length + 1, 1);
    vsnprintf(string, (size_t)length + 1, format, arguments);
    kg_span_add(document, KG_SPAN_TEXT, string);
}

void kg_span_text(struct kg_document *document, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    text_add(document, format, arguments);
    va_end(arguments);
}

void kg_part_text(struct kg_document *document, enum kg_part_kind kind, const char *label,
                  const char *format, ...)
{
    va_list arguments;
    kg_part_add(document, kind, label);
    va_start(arguments, format);
    text_add(document, format, arguments);
    va_end(arguments);
}

void kg_span_take(struct kg_document *document, struct kg_text *text)
{
    kg_span_add(document, KG_SPAN_TEXT, kg_cell_take(&document->arena, text));
}

void kg_part_take(struct kg_document *document, enum kg_part_kind kind, const char *label,
                  struct kg_text *text)
{
    kg_part_add(document, kind, label);
    kg_span_take(document, text);
}

void kg_part_heading(struct kg_document *document, const char *words)
{
    kg_part_add(document, KG_PART_HEADING, NULL);
    kg_span_add(document, KG_SPAN_TEXT, words);
}

void kg_span_amount(struct kg_document *document, const char *separator, enum kg_trait_unit unit,
                    double value, const char *after)
{
    struct kg_text words = {0};
    kg_text_append(&words, separator);
    kg_trait_format(unit, value, &words);
    kg_text_append(&words, after);
    kg_span_take(document, &words);
}

void kg_part_prose(struct kg_document *document, enum kg_part_kind kind, const char *label,
                   const char *prose)
{
    if (!prose || !*prose)
        return;
    kg_part_add(document, kind, label);
    kg_span_add(document, KG_SPAN_PROSE, prose);
}

void kg_part_rest(struct kg_document *document, size_t count)
{
    if (!count)
        return;
    kg_part_add(document, KG_PART_SENTENCE, NULL);
    kg_span_text(document, "… and %zu more", count);
    if (!document->style.page)
        kg_span_text(document, "; --top 0 shows all");
    else if (document->rest)
        kg_span_add(document, KG_SPAN_PROSE,
                    kg_arena_printf(&document->arena, ": %s", document->rest));
}

void kg_part_gap(struct kg_document *document)
{
    if (!document->style.page)
        kg_part_add(document, KG_PART_GAP, NULL);
}

void kg_part_tail(struct kg_document *document, const char *id, const char *tail)
{
    if (!tail)
        return;
    kg_part_gap(document);
    kg_part_add(document, KG_PART_ITEM, NULL)->indent = 2;
    kg_span_add(document, KG_SPAN_ID, id);
    kg_span_text(document, " wrote last:");
    kg_part_add(document, KG_PART_OUTPUT, NULL);
    kg_span_add(document, KG_SPAN_PROSE, tail);
}

struct kg_table *kg_part_table(struct kg_document *document, const struct kg_table *form)
{
    struct kg_table *table = kg_arena_alloc(&document->arena, 1, sizeof *table);
    *table = *form;
    table->indent = 2;
    table->id_most = document->style.id_most;
    table->width = document->style.width;
    kg_part_add(document, KG_PART_TABLE, NULL)->table = table;
    return table;
}

void kg_row_under(struct kg_table *table, struct kg_table_row *row, const char *separator,
                  const char *string)
{
    if (!string || !*string)
        return;
    char *line = kg_arena_copy(&table->arena, string);
    for (char *end;
         (end = strchr(line, '\n'));) /* a line end would start a new line of the table */
        *end = ' ';
    row->under =
        row->under ? kg_arena_printf(&table->arena, "%s%s%s", row->under, separator, line) : line;
}

struct kg_report_style kg_report_style_page(const struct kg_report_style *style, size_t top)
{
    return (struct kg_report_style){
        .page = true, .verbose = true, .top = top, .columns = style->columns};
}

void kg_document_print(struct kg_document *document, struct kg_text *text)
{
    if (document->style.html)
        kg_render_html(document, text);
    else if (document->style.page)
        kg_render_markdown(document, text);
    else
        kg_render_terminal(document, text);
    for (size_t i = 0; i < document->count; i++)
        if (document->parts[i].table)
            kg_table_free(document->parts[i].table);
    kg_arena_free(&document->arena);
}
