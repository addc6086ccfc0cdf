/* render_html.c: a document as HTML without scripts. All text is escaped, because names come from untrusted files. The
 * page has at most a few hundred rows and items. */
#include <string.h>

#include "base/xml.h"
#include "show/document.h"

enum { ROWS_MOST = 200, ITEMS_MOST = 200 };

struct page {
    struct kg_text *text;
    size_t rows, items; /* remaining numbers of rows and items */
    size_t left_out;    /* number of items left out of the open list */
    const char *rest;   /* sentence that names their file */
    const char *list;   /* the open element: "ul"; NULL: none */
};

/* --- Words ------------------------------------------------------------------------------------ */

static void bytes_append(struct kg_text *text, const char *string, size_t length)
{
    struct kg_text part = {0};
    kg_text_append_bytes(&part, string, length);
    kg_xml_text(text, kg_text_string(&part));
    kg_text_free(&part);
}

/* Appends prose. Text between two backticks becomes a <code>. */
static void prose_append(struct kg_text *text, const char *words)
{
    const char *tick, *end;
    while ((tick = strchr(words, '`')) && (end = strchr(tick + 1, '`'))) {
        bytes_append(text, words, (size_t)(tick - words));
        kg_text_append(text, "<code>");
        bytes_append(text, tick + 1, (size_t)(end - tick - 1));
        kg_text_append(text, "</code>");
        words = end + 1;
    }
    kg_xml_text(text, words);
}

/* Appends a name that can wrap between its parts. */
static void name_append(struct kg_text *text, const char *name)
{
    while (*name) {
        const size_t part = strcspn(name, "/,;"), length = part + (name[part] != '\0');
        bytes_append(text, name, length);
        name += length;
        kg_text_append(text, *name ? "<wbr>" : "");
    }
}

static void span_append(struct kg_text *text, const struct kg_span *span)
{
    const char *element = span->kind == KG_SPAN_COMMAND ? "code" : span->colour ? "strong" : NULL;
    if (element)
        kg_text_printf(text, "<%s>", element);
    if (span->kind == KG_SPAN_ID)
        name_append(text, span->string);
    else
        prose_append(text, span->string);
    if (element)
        kg_text_printf(text, "</%s>", element);
}

static void words_append(struct kg_text *text, const struct kg_part *part)
{
    if (part->label)
        kg_text_printf(text, "%s: ", part->label);
    for (size_t s = 0; s < part->count; s++)
        span_append(text, &part->spans[s]);
}

static void element_append(struct kg_text *text, const char *element, const struct kg_part *part)
{
    kg_text_printf(text, "<%s>", element);
    words_append(text, part);
    kg_text_printf(text, "</%.*s>\n", (int)strcspn(element, " "), element);
}

static void rest_append(struct kg_text *text, const char *element, size_t count, const char *rest)
{
    if (!count)
        return;
    kg_text_printf(text, "<%s>… and %zu more%s", element, count, rest ? ": " : "");
    prose_append(text, rest ? rest : "");
    kg_text_printf(text, "</%s>\n", element);
}

/* --- Lists and tables ------------------------------------------------------------------------- */

static void list_end(struct page *page)
{
    if (!page->list)
        return;
    rest_append(page->text, "li", page->left_out, page->rest);
    kg_text_printf(page->text, "</%s>\n", page->list);
    page->list = NULL;
    page->left_out = 0;
}

static void item_print(struct page *page, const struct kg_part *part)
{
    const char *list = part->kind == KG_PART_NUMBERED ? "ol" : "ul";
    if (page->list && strcmp(page->list, list) != 0)
        list_end(page);
    if (!page->list)
        kg_text_printf(page->text, "<%s>\n", list);
    page->list = list;
    page->rest = part->rest;
    page->left_out += !page->items;
    if (!page->items)
        return;
    page->items--;
    element_append(page->text, "li", part);
}

/* Prints a part inside the item above: removes the item's end tag and appends it again. */
static void under_print(struct page *page, const char *element, const struct kg_part *part)
{
    static const char END[] = "</li>\n";
    if (page->left_out)
        return;
    if (page->list)
        kg_text_truncate(page->text, page->text->length - (sizeof END - 1));
    element_append(page->text, element, part);
    kg_text_append(page->text, page->list ? END : "");
}

static void cell_append(struct kg_text *text, const struct kg_table *table, size_t column,
                        const struct kg_table_row *row)
{
    const char *cell = row->cells[column] ? row->cells[column] : "";
    kg_text_append(text, !column               ? "<th scope=\"row\">"
                         : table->left[column] ? "<td>"
                                               : "<td class=\"numeric\">");
    if (row->mark && column + 1 == table->columns)
        kg_text_printf(text, "%s ", row->mark);
    if (column)
        kg_xml_text(text, cell);
    else
        name_append(text, cell);
    kg_text_append(text, column ? "</td>" : "</th>");
}

static void row_append(struct kg_text *text, const struct kg_table *table,
                       const struct kg_table_row *row)
{
    kg_text_append(text, "<tr>");
    for (size_t c = 0; c < table->columns; c++)
        cell_append(text, table, c, row);
    kg_text_append(text, "</tr>\n");
    if (!row->under)
        return;
    kg_text_printf(text, "<tr><td class=\"under\" colspan=\"%zu\">", table->columns);
    prose_append(text, row->under);
    kg_text_append(text, "</td></tr>\n");
}

static void table_print(struct page *page, const struct kg_part *part)
{
    struct kg_text *text = page->text;
    const struct kg_table *table = part->table;
    const size_t rows = table->row_count < page->rows ? table->row_count : page->rows;
    kg_text_append(text, "<div class=\"scrolled\" tabindex=\"0\" role=\"region\" "
                         "aria-label=\"Table\">\n<table class=\"ids\">\n<thead><tr>");
    for (size_t c = 0; c < table->columns; c++) {
        kg_text_printf(text, "<th scope=\"col\"%s>", table->left[c] ? "" : " class=\"numeric\"");
        kg_xml_text(text, table->heads[c]);
        kg_text_append(text, "</th>");
    }
    kg_text_append(text, "</tr></thead>\n<tbody>\n");
    for (size_t r = 0; r < rows; r++)
        row_append(text, table, &table->rows[r]);
    kg_text_append(text, "</tbody>\n</table>\n</div>\n");
    page->rows -= rows;
    rest_append(text, "p", table->row_count - rows, part->rest);
}

/* --- Parts ------------------------------------------------------------------------------------ */

static void headline_print(struct page *page, const struct kg_part *part)
{
    kg_text_printf(page->text, "<p class=\"lead\"><strong>%s</strong>: ", part->label);
    words_append(page->text, &(struct kg_part){.spans = part->spans, .count = part->count});
    kg_text_append(page->text, "</p>\n");
}

static void part_print(struct page *page, const struct kg_part *part)
{
    static const char *const elements[] = {[KG_PART_HEADING] = "h3",
                                           [KG_PART_SENTENCE] = "p",
                                           [KG_PART_WHOLE] = "p",
                                           [KG_PART_COMMENT] = "p",
                                           [KG_PART_UNDER] = "div",
                                           [KG_PART_OUTPUT] = "pre tabindex=\"0\"",
                                           [KG_PART_CODE] = "pre tabindex=\"0\"",
                                           [KG_PART_SMALL] = "p class=\"key\""};
    switch (part->kind) {
    case KG_PART_ITEM:
    case KG_PART_FIGURE:
    case KG_PART_NUMBERED:
        item_print(page, part);
        return;
    case KG_PART_UNDER:
    case KG_PART_OUTPUT:
    case KG_PART_CODE:
        under_print(page, elements[part->kind], part);
        return;
    default:
        list_end(page);
    }
    switch (part->kind) {
    case KG_PART_HEADLINE:
        headline_print(page, part);
        return;
    case KG_PART_TABLE:
        table_print(page, part);
        return;
    case KG_PART_FOLD:
        kg_text_append(page->text, "<details>");
        element_append(page->text, "summary", part);
        return;
    case KG_PART_FOLD_END:
        kg_text_append(page->text, "</details>\n");
        return;
    default:
        element_append(page->text, elements[part->kind], part);
    }
}

void kg_render_html(const struct kg_document *document, struct kg_text *text)
{
    struct page page = {.text = text, .rows = ROWS_MOST, .items = ITEMS_MOST};
    for (size_t i = 0; i < document->count; i++)
        part_print(&page, &document->parts[i]);
    list_end(&page);
}
