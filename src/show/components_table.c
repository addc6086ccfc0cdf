#include "show/format_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/elide.h"
#include "base/escape.h"
#include "base/table.h"
#include "base/units.h"
#include "base/wrap.h"
#include "profiler/read/bottleneck.h"
#include "profiler/read/components.h"
#include "show/terminal_parts.h"
#include "why/advice_index.h"

enum { NAME_MOST = 200, WORDS_MOST = 400, ROOM_BELOW = 1000 };

/* What is printed of a profile. */
struct page {
    const struct kg_profile *profile;
    const struct kg_suggestions *suggestions; /* NULL: none */
    struct kg_arena arena;
    struct kg_advice_index advice;
    struct kg_components *cases;
    struct kg_bottleneck *bottlenecks; /* in the same order */
    size_t count;
};

/* --- The table of a case ---------------------------------------------------------------------- */

static const char *duration(struct kg_table *table, double ns)
{
    char text[KG_UNIT_BYTES];
    return isfinite(ns) ? kg_arena_copy(&table->arena, kg_duration_format(ns, text)) : "";
}

static const char *share(struct kg_table *table, double part)
{
    return kg_arena_printf(&table->arena, "%.1f %%", 100 * part);
}

static const char *count(struct kg_table *table, uint64_t calls)
{
    return kg_arena_printf(&table->arena, "%llu", (unsigned long long)calls);
}

static void component_row(struct kg_table *table, const struct kg_component *component)
{
    struct kg_table_row *row = kg_table_row_add(table);
    if (!row)
        return;
    row->cells[0] = kg_terminal_escaped(&table->arena, component->name);
    row->cells[1] = count(table, component->calls);
    row->cells[2] = duration(table, component->total_ns);
    row->cells[3] = duration(table, component->own_ns);
    row->cells[4] = duration(table, component->mean_ns);
    row->cells[5] = component->calls ? duration(table, component->min_ns) : "";
    row->cells[6] = component->calls ? duration(table, component->max_ns) : "";
    row->cells[7] = share(table, component->share);
}

static void last_rows(struct kg_table *table, const struct kg_components *found)
{
    struct kg_table_row *outside = kg_table_row_add(table);
    if (outside) {
        outside->cells[0] = found->component_count ? "(in none of these)" : "(no scopes inside)";
        outside->cells[3] = duration(table, found->outside_ns);
        outside->cells[7] = share(table, found->outside_share);
    }
    struct kg_table_row *total = kg_table_row_add(table);
    if (!total)
        return;
    double all = found->outside_share;
    for (size_t i = 0; i < found->component_count; i++)
        all += found->components[i].share;
    total->cells[0] = "total";
    total->cells[1] = count(table, found->calls);
    total->cells[2] = duration(table, found->total_ns);
    total->cells[3] = duration(table, found->total_ns);
    total->cells[4] = found->calls ? duration(table, found->total_ns / (double)found->calls) : "";
    total->cells[7] = share(table, all);
}

static void table_fill(const struct kg_components *found, struct kg_table *table)
{
    static const char *const heads[] = {"component", "calls", "total", "self",
                                        "avg",       "min",   "max",   "share"};
    table->columns = sizeof heads / sizeof *heads;
    memcpy(table->heads, heads, sizeof heads);
    static const unsigned spare[] = {0, 4, 0, 0, 3, 1, 2, 0};
    memcpy(table->spare, spare, sizeof spare);
    table->left[0] = true;
    for (size_t i = 0; i < found->component_count; i++)
        component_row(table, &found->components[i]);
    last_rows(table, found);
}

/* --- What is said below it -------------------------------------------------------------------- */

/* "its bottleneck: scores, 61 % of its time (softmax 22 %)" */
static const char *bottleneck_words(struct page *page, size_t index)
{
    struct kg_text text = {0};
    const struct kg_bottleneck *found = &page->bottlenecks[index];
    const size_t name = strlen(page->cases[index].name);
    static const char before[] = "bottleneck of ";
    kg_bottleneck_words(page->profile, found, &text);
    if (text.length > sizeof before - 1 + name)
        kg_text_remove(&text, sizeof before - 1 + name + 2);
    const char *copy = text.failed ? NULL : kg_arena_copy(&page->arena, kg_text_string(&text));
    kg_text_free(&text);
    return copy;
}

static const struct kg_bound_finding *finding_of(const struct kg_suggestions *suggestions,
                                                 const char *name)
{
    for (size_t i = 0; i < suggestions->finding_count; i++)
        if (!strcmp(suggestions->findings[i].operation, name))
            return &suggestions->findings[i];
    return NULL;
}

/* Hands over up to three pairs of a word and what follows it. */
static void words_tell(struct page *page, size_t index, void *user,
                       void (*tell)(void *user, const char *what, const char *words))
{
    const char *name = page->cases[index].name;
    const char *words = bottleneck_words(page, index);
    if (words)
        tell(user, "bottleneck", words);
    if (!page->suggestions)
        return;
    const struct kg_bound_finding *finding = finding_of(page->suggestions, name);
    const struct kg_suggestion *first = kg_advice_first(&page->advice, name);
    if (finding)
        tell(user, "held back by", finding->text);
    if (first)
        tell(user, "try", first->hint);
}

static bool page_start(struct page *page, struct kg_text *text)
{
    size_t bottlenecks = 0;
    if (kg_components_find(&page->arena, page->profile, &page->cases, &page->count) &&
        kg_bottlenecks_find(page->profile, &page->bottlenecks, &bottlenecks) &&
        bottlenecks == page->count &&
        kg_advice_index_make(&page->arena, page->suggestions, &page->advice))
        return true;
    text->failed = true;
    return false;
}

static void page_free(struct page *page)
{
    free(page->bottlenecks);
    kg_arena_free(&page->arena);
}

/* "levels/…/cpu: 812 calls, 1.00 s" */
static void title_append(const struct kg_components *found, struct kg_text *text)
{
    char total[KG_UNIT_BYTES];
    kg_text_printf(text, ": %llu call%s, %s%s", (unsigned long long)found->calls,
                   found->calls == 1 ? "" : "s", kg_duration_format(found->total_ns, total),
                   found->on_gpu ? " on the GPU" : "");
}

/* --- A terminal ------------------------------------------------------------------------------- */

struct terminal {
    struct kg_text *text;
    const struct kg_report_style *style;
};

static void terminal_tell(void *user, const char *what, const char *words)
{
    struct terminal *terminal = user;
    struct kg_text escaped = {0};
    char first[32];
    kg_escape_terminal(&escaped, words, WORDS_MOST);
    snprintf(first, sizeof first, "  %s: ", what);
    kg_wrap(terminal->text, first, kg_text_string(&escaped), terminal->style->width);
    terminal->text->failed = terminal->text->failed || escaped.failed;
    kg_text_free(&escaped);
}

/* The cases' names, which stay apart in little room; NULL where memory is out. */
static const char **names_shown(struct page *page, const struct kg_report_style *style)
{
    const char **names = kg_arena_alloc(&page->arena, page->count, sizeof *names);
    const char **shown = kg_arena_alloc(&page->arena, page->count, sizeof *shown);
    bool good = names && shown;
    for (size_t i = 0; i < page->count && good; i++)
        good = (names[i] = kg_terminal_escaped(&page->arena, page->cases[i].name)) != NULL;
    return good && kg_elide(&page->arena, names, page->count,
                            style->id_most ? style->id_most : SIZE_MAX, shown)
               ? shown
               : NULL;
}

static void terminal_title(const struct kg_components *found, const char *name,
                           const struct kg_report_style *style, struct kg_text *text)
{
    struct kg_text title = {0};
    kg_text_append(&title, name);
    title_append(found, &title);
    kg_wrap(text, "", kg_text_string(&title), style->width);
    text->failed = text->failed || title.failed;
    kg_text_free(&title);
}

void kg_report_components_text(const struct kg_profile *profile,
                               const struct kg_suggestions *suggestions,
                               const struct kg_report_style *style, size_t top,
                               struct kg_text *text)
{
    struct page page = {.profile = profile, .suggestions = suggestions};
    struct terminal terminal = {text, style};
    const char **names = page_start(&page, text) ? names_shown(&page, style) : NULL;
    text->failed = text->failed || !names;
    if (names) {
        const size_t shown = top && top < page.count ? top : page.count;
        for (size_t i = 0; i < shown; i++) {
            struct kg_table table = {.indent = 2, .width = style->width};
            kg_text_append(text, i ? "\n" : "");
            terminal_title(&page.cases[i], names[i], style, text);
            table_fill(&page.cases[i], &table);
            kg_table_print(&table, style->colour, text);
            kg_table_free(&table);
            words_tell(&page, i, &terminal, terminal_tell);
        }
        if (shown < page.count)
            kg_text_printf(text, "\n… and %zu more; --top 0 shows all\n", page.count - shown);
        if (!page.count)
            kg_text_append(text, "no scope has others inside it\n");
    }
    page_free(&page);
}

/* --- Markdown --------------------------------------------------------------------------------- */

static void markdown_tell(void *user, const char *what, const char *words)
{
    struct kg_text *text = user;
    kg_text_printf(text, "- %s: ", what);
    kg_escape_markdown(text, words, WORDS_MOST);
    kg_text_append(text, "\n");
}

static void markdown_case(struct page *page, size_t index, struct kg_text *text)
{
    struct kg_table table = {0};
    kg_text_append(text, "**");
    kg_escape_markdown(text, page->cases[index].name, NAME_MOST);
    kg_text_append(text, "**");
    title_append(&page->cases[index], text);
    kg_text_append(text, "\n\n");
    table_fill(&page->cases[index], &table);
    kg_table_print_markdown(&table, KG_MARKDOWN_MOST / 2, text);
    kg_table_free(&table);
    kg_text_append(text, "\n");
    words_tell(page, index, text, markdown_tell);
    kg_text_append(text, "\n");
}

void kg_report_components_markdown(const struct kg_profile *profile,
                                   const struct kg_suggestions *suggestions, size_t top,
                                   struct kg_text *text)
{
    struct page page = {.profile = profile, .suggestions = suggestions};
    size_t shown = 0;
    if (page_start(&page, text)) {
        for (; shown < page.count && (!top || shown < top); shown++) {
            struct kg_text one = {0};
            markdown_case(&page, shown, &one);
            const bool fits = text->length + one.length < KG_MARKDOWN_MOST - ROOM_BELOW;
            if (fits)
                kg_text_append(text, kg_text_string(&one));
            text->failed = text->failed || one.failed;
            kg_text_free(&one);
            if (!fits)
                break;
        }
        if (shown < page.count)
            kg_text_printf(text, "… and %zu more.\n", page.count - shown);
    }
    page_free(&page);
}
