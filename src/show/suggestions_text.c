/* Suggestions for a terminal. */
#include <stdint.h>
#include <string.h>

#include "base/escape.h"
#include "base/ids.h"
#include "base/units.h"
#include "base/wrap.h"
#include "show/advice_text.h"
#include "show/report.h"
#include "show/terminal_parts.h"

enum { NAME_MOST = 100 };

static const char RED[] = KG_TERMINAL_BAD, YELLOW[] = KG_TERMINAL_DOUBT, CYAN[] = KG_TERMINAL_MINOR,
                  DIM[] = "\x1b[2m", BOLD[] = "\x1b[1m", PLAIN[] = "\x1b[0m";

static const char *priority_colour(enum kg_priority priority)
{
    static const char *const colours[KG_PRIORITY_COUNT] = {[KG_PRIORITY_CRITICAL] = RED,
                                                           [KG_PRIORITY_HIGH] = RED,
                                                           [KG_PRIORITY_MEDIUM] = YELLOW,
                                                           [KG_PRIORITY_LOW] = CYAN};
    return colours[priority];
}

const char *kg_advice_shown(struct kg_arena *arena, struct kg_text *text, const char *string,
                            size_t most)
{
    struct kg_text all = {0}, cut = {0};
    kg_escape_terminal(&all, string, SIZE_MAX);
    kg_text_append_ends(&cut, kg_text_string(&all), most ? most : SIZE_MAX);
    const char *copy = all.failed || cut.failed ? NULL : kg_arena_copy(arena, kg_text_string(&cut));
    text->failed = text->failed || !copy;
    kg_text_free(&all);
    kg_text_free(&cut);
    return copy ? copy : "";
}

void kg_advice_heading(struct kg_text *text, const struct kg_report_style *style, const char *words)
{
    kg_text_printf(text, "\n%s%s%s\n", style->colour ? BOLD : "", words,
                   style->colour ? PLAIN : "");
}

/* --- What is shown ---------------------------------------------------------------------------- */

struct page {
    const struct kg_suggestions *suggestions;
    const struct kg_report_style *style;
    size_t suggestion_count; /* those that are shown */
    size_t finding_count;
    struct kg_ids ids; /* of operations, shorter on a terminal */
    struct kg_arena arena;
    struct kg_text *text;
};

/* A text as it is, but harmless. */
static const char *whole(struct page *page, const char *string)
{
    return kg_advice_shown(&page->arena, page->text, string, 0);
}

static bool ids_make(struct page *page)
{
    const struct kg_suggestions *of = page->suggestions;
    const char **names = kg_arena_alloc(
        &page->arena, of->change_count + of->suggestion_count + of->finding_count, sizeof *names);
    size_t count = 0;
    if (!names)
        return false;
    for (size_t i = 0; i < of->change_count; i++)
        names[count++] = whole(page, of->changes[i].operation);
    for (size_t i = 0; i < of->suggestion_count; i++)
        names[count++] = whole(page, of->suggestions[i].operation);
    for (size_t i = 0; i < of->finding_count; i++)
        names[count++] = whole(page, of->findings[i].operation);
    return kg_ids_make(&page->arena, names, count, &page->ids);
}

/* Those that stand alone, then those in sentences. */
static void ids_see(struct page *page)
{
    const struct kg_suggestions *of = page->suggestions;
    for (size_t i = 0; i < of->change_count; i++) {
        kg_ids_see(&page->ids, whole(page, of->changes[i].operation));
        kg_ids_see_in(&page->ids, whole(page, of->changes[i].text));
    }
    for (size_t i = 0; i < page->suggestion_count; i++) {
        kg_ids_see(&page->ids, whole(page, of->suggestions[i].operation));
        kg_ids_see_in(&page->ids, whole(page, of->suggestions[i].description));
        kg_ids_see_in(&page->ids, whole(page, of->suggestions[i].hint));
    }
    for (size_t i = 0; i < page->finding_count; i++) {
        kg_ids_see(&page->ids, whole(page, of->findings[i].operation));
        kg_ids_see_in(&page->ids, whole(page, of->findings[i].text));
    }
    for (size_t i = 0; i < of->note_count; i++)
        kg_ids_see_in(&page->ids, whole(page, of->notes[i]));
}

static void page_begin(struct page *page, const struct kg_suggestions *suggestions,
                       const struct kg_report_style *style, struct kg_text *text)
{
    enum { BEFORE = 4 }; /* "  note: ", and a mark behind an id, more than a table has beside it */
    const size_t count = suggestions->suggestion_count, findings = suggestions->finding_count;
    const bool all = style->verbose || !style->top || style->top > findings;
    *page = (struct page){.suggestions = suggestions, .style = style, .text = text};
    page->suggestion_count = style->top && style->top < count ? style->top : count;
    page->finding_count = all ? findings : style->top;
    if (!style->id_most)
        return;
    const bool made = ids_make(page);
    if (made)
        ids_see(page);
    if (!made || !kg_ids_shorten(&page->arena, &page->ids, style->id_most - BEFORE))
        text->failed = true;
}

static const char *operation_shown(struct page *page, const char *operation)
{
    return kg_ids_shown(&page->ids, whole(page, operation));
}

/* A sentence behind `first`, in lines that fit. */
static void sentence_print(struct page *page, const char *first, const char *words)
{
    struct kg_text shown = {0};
    kg_ids_append(&page->ids, whole(page, words), &shown);
    kg_wrap(page->text, first, kg_text_string(&shown), page->style->width);
    page->text->failed = page->text->failed || shown.failed;
    kg_text_free(&shown);
}

/* --- Its parts -------------------------------------------------------------------------------- */

static void headline_print(const struct kg_suggestions *suggestions,
                           const struct kg_report_style *style, struct kg_text *text)
{
    struct kg_text words = {0};
    kg_text_append(&words, suggestions->suite ? "suite " : "profile ");
    kg_escape_terminal(&words, suggestions->suite ? suggestions->suite : suggestions->source,
                       NAME_MOST);
    kg_text_printf(&words, ", %zu operation%s looked at: ", suggestions->finding_count,
                   suggestions->finding_count == 1 ? "" : "s");
    kg_advice_count(suggestions, &words);
    kg_wrap(text, "", kg_text_string(&words), style->width);
    text->failed = text->failed || words.failed;
    kg_text_free(&words);
}

static void changes_print(struct page *page)
{
    const struct kg_suggestions *suggestions = page->suggestions;
    const char *operation = "";
    if (suggestions->change_count)
        kg_advice_heading(page->text, page->style, "what changed against the baseline");
    for (size_t i = 0; i < suggestions->change_count; i++) {
        const struct kg_evidence_change *change = &suggestions->changes[i];
        if (strcmp(operation, change->operation) != 0)
            kg_text_printf(page->text, "  %s\n", operation_shown(page, change->operation));
        operation = change->operation;
        sentence_print(page, "    ", change->text);
    }
}

void kg_advice_changes_text(const struct kg_suggestions *suggestions,
                            const struct kg_report_style *style, struct kg_text *text)
{
    struct page page;
    page_begin(&page, suggestions, style, text);
    changes_print(&page);
    kg_arena_free(&page.arena);
}

/* "  1. high  copy/cpu: unused_cores, parallelization" */
static void head_print(struct page *page, const struct kg_suggestion *suggestion, size_t number)
{
    enum { INDENT = 5 };
    const bool colour = page->style->colour;
    const char *priority = kg_priority_names[suggestion->priority];
    struct kg_text *text = page->text, words = {0}, before = {0};
    kg_text_printf(&before, "%3zu. ", number);
    const size_t column = before.length + strlen(priority) + 2;
    kg_text_printf(text, "\n%s%s%s%s  ", kg_text_string(&before),
                   colour ? priority_colour(suggestion->priority) : "", priority,
                   colour ? PLAIN : "");
    kg_text_printf(&words, "%s%s%s: %s, %s", colour ? BOLD : "",
                   operation_shown(page, suggestion->operation), colour ? PLAIN : "",
                   kg_advice_shown(&page->arena, text, suggestion->rule, NAME_MOST),
                   kg_suggestion_type_names[suggestion->type]);
    kg_wrap_on(text, column, INDENT, kg_text_string(&words), page->style->width);
    text->failed = text->failed || words.failed || before.failed;
    kg_text_free(&words);
    kg_text_free(&before);
}

/* Code as it is often found, and mended. */
static void sketch_print(struct page *page, const struct kg_suggestion *suggestion)
{
    if (page->style->quiet || !suggestion->before || !suggestion->after)
        return;
    sentence_print(page, "     before: ", suggestion->before);
    sentence_print(page, "     after:  ", suggestion->after);
}

static void suggestion_print(struct page *page, const struct kg_suggestion *suggestion,
                             size_t number)
{
    const bool colour = page->style->colour;
    struct kg_text *text = page->text;
    const char *gain = kg_advice_gain(&page->arena, suggestion);
    const char *evidence =
        kg_advice_evidence(&page->arena, suggestion->evidence, suggestion->evidence_count);
    head_print(page, suggestion, number);
    kg_wrap(text, "     ", gain ? gain : "", page->style->width);
    sentence_print(page, "     ", suggestion->description);
    sentence_print(page, "     try: ", suggestion->hint);
    sketch_print(page, suggestion);
    if (!page->style->quiet && evidence && *evidence) {
        kg_text_append(text, colour ? DIM : "");
        sentence_print(page, "     evidence: ", evidence);
        kg_text_append(text, colour ? PLAIN : "");
    }
    text->failed = text->failed || !gain || !evidence;
}

static void suggestions_print(struct page *page)
{
    const size_t count = page->suggestions->suggestion_count;
    struct kg_text *text = page->text;
    if (!count) {
        struct kg_text none = {0};
        kg_advice_none(page->suggestions, &none);
        kg_text_append(text, "\n");
        kg_wrap(text, "", kg_text_string(&none), page->style->width);
        text->failed = text->failed || none.failed;
        kg_text_free(&none);
    }
    for (size_t i = 0; i < page->suggestion_count; i++)
        suggestion_print(page, &page->suggestions->suggestions[i], i + 1);
    if (page->suggestion_count < count)
        kg_text_printf(text, "\n  … and %zu more; --top 0 shows all\n",
                       count - page->suggestion_count);
}

void kg_advice_text(const struct kg_suggestions *suggestions, const struct kg_report_style *style,
                    struct kg_text *text)
{
    struct page page;
    page_begin(&page, suggestions, style, text);
    suggestions_print(&page);
    kg_arena_free(&page.arena);
}

static void findings_print(struct page *page)
{
    char time[KG_UNIT_BYTES];
    const struct kg_suggestions *suggestions = page->suggestions;
    const size_t count = suggestions->finding_count;
    if (!count)
        return;
    kg_advice_heading(page->text, page->style,
                      suggestions->suite ? "what holds them back (times: medians of rounds)"
                                         : "what holds them back");
    for (size_t i = 0; i < page->finding_count; i++) {
        const struct kg_bound_finding *finding = &suggestions->findings[i];
        kg_text_printf(page->text, "  %s  %s\n", operation_shown(page, finding->operation),
                       kg_duration_format(finding->time_ns, time));
        sentence_print(page, "    ", finding->text);
    }
    if (page->finding_count < count)
        kg_text_printf(page->text, "  … and %zu more, each faster; --verbose shows all\n",
                       count - page->finding_count);
}

void kg_report_suggestions_text(const struct kg_suggestions *suggestions,
                                const struct kg_report_style *style, struct kg_text *text)
{
    struct page page;
    page_begin(&page, suggestions, style, text);
    headline_print(suggestions, style, text);
    changes_print(&page);
    suggestions_print(&page);
    if (!style->quiet) {
        findings_print(&page);
        kg_text_append(text, suggestions->note_count ? "\n" : "");
        for (size_t i = 0; i < suggestions->note_count; i++)
            sentence_print(&page, "  note: ", suggestions->notes[i]);
    }
    kg_arena_free(&page.arena);
}
