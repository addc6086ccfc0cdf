/* Suggestions for a terminal. */
#include <stdint.h>
#include <string.h>

#include "report/advice.h"
#include "report/report.h"
#include "report/wrap.h"
#include "util/escape.h"
#include "util/units.h"

enum { NAME_MOST = 100 };

static const char RED[] = "\x1b[31m", YELLOW[] = "\x1b[33m", CYAN[] = "\x1b[36m", DIM[] = "\x1b[2m",
                  BOLD[] = "\x1b[1m", PLAIN[] = "\x1b[0m";

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

void kg_advice_changes_text(const struct kg_suggestions *suggestions,
                            const struct kg_report_style *style, struct kg_text *text)
{
    struct kg_arena arena = {0};
    const char *operation = "";
    if (suggestions->change_count)
        kg_advice_heading(text, style, "what changed against the baseline");
    for (size_t i = 0; i < suggestions->change_count; i++) {
        const struct kg_evidence_change *change = &suggestions->changes[i];
        if (strcmp(operation, change->operation) != 0)
            kg_text_printf(text, "  %s\n",
                           kg_advice_shown(&arena, text, change->operation, style->id_most));
        operation = change->operation;
        kg_wrap(text, "    ", kg_advice_shown(&arena, text, change->text, 0), style->width);
    }
    kg_arena_free(&arena);
}

/* "  1. high  copy/cpu: unused_cores, parallelization" */
static void head_print(const struct kg_suggestion *suggestion, size_t number,
                       const struct kg_report_style *style, struct kg_arena *arena,
                       struct kg_text *text)
{
    enum { INDENT = 5 };
    const bool colour = style->colour;
    const char *priority = kg_priority_names[suggestion->priority];
    struct kg_text words = {0}, before = {0};
    kg_text_printf(&before, "%3zu. ", number);
    const size_t column = before.length + strlen(priority) + 2;
    kg_text_printf(text, "\n%s%s%s%s  ", kg_text_string(&before),
                   colour ? priority_colour(suggestion->priority) : "", priority,
                   colour ? PLAIN : "");
    kg_text_printf(&words, "%s%s%s: %s, %s", colour ? BOLD : "",
                   kg_advice_shown(arena, text, suggestion->operation, style->id_most),
                   colour ? PLAIN : "", kg_advice_shown(arena, text, suggestion->rule, NAME_MOST),
                   kg_suggestion_type_names[suggestion->type]);
    kg_wrap_on(text, column, INDENT, kg_text_string(&words), style->width);
    text->failed = text->failed || words.failed || before.failed;
    kg_text_free(&words);
    kg_text_free(&before);
}

/* Code as it is often found, and mended. */
static void sketch_print(const struct kg_suggestion *suggestion,
                         const struct kg_report_style *style, struct kg_arena *arena,
                         struct kg_text *text)
{
    if (style->quiet || !suggestion->before || !suggestion->after)
        return;
    kg_wrap(text, "     before: ", kg_advice_shown(arena, text, suggestion->before, 0),
            style->width);
    kg_wrap(text, "     after:  ", kg_advice_shown(arena, text, suggestion->after, 0),
            style->width);
}

static void suggestion_print(const struct kg_suggestion *suggestion, size_t number,
                             const struct kg_report_style *style, struct kg_arena *arena,
                             struct kg_text *text)
{
    const bool colour = style->colour;
    const char *gain = kg_advice_gain(arena, suggestion);
    const char *evidence =
        kg_advice_evidence(arena, suggestion->evidence, suggestion->evidence_count);
    head_print(suggestion, number, style, arena, text);
    kg_wrap(text, "     ", gain ? gain : "", style->width);
    kg_wrap(text, "     ", kg_advice_shown(arena, text, suggestion->description, 0), style->width);
    kg_wrap(text, "     try: ", kg_advice_shown(arena, text, suggestion->hint, 0), style->width);
    sketch_print(suggestion, style, arena, text);
    if (!style->quiet && evidence && *evidence) {
        kg_text_append(text, colour ? DIM : "");
        kg_wrap(text, "     evidence: ", kg_advice_shown(arena, text, evidence, 0), style->width);
        kg_text_append(text, colour ? PLAIN : "");
    }
    text->failed = text->failed || !gain || !evidence;
}

void kg_advice_text(const struct kg_suggestions *suggestions, const struct kg_report_style *style,
                    struct kg_text *text)
{
    struct kg_arena arena = {0};
    const size_t count = suggestions->suggestion_count;
    const size_t shown_count = style->top && style->top < count ? style->top : count;
    if (!count) {
        struct kg_text none = {0};
        kg_advice_none(suggestions, &none);
        kg_text_append(text, "\n");
        kg_wrap(text, "", kg_text_string(&none), style->width);
        text->failed = text->failed || none.failed;
        kg_text_free(&none);
    }
    for (size_t i = 0; i < shown_count; i++)
        suggestion_print(&suggestions->suggestions[i], i + 1, style, &arena, text);
    if (shown_count < count)
        kg_text_printf(text, "\n  … and %zu more; --top 0 shows all\n", count - shown_count);
    kg_arena_free(&arena);
}

static void findings_print(const struct kg_suggestions *suggestions,
                           const struct kg_report_style *style, struct kg_arena *arena,
                           struct kg_text *text)
{
    char time[KG_UNIT_BYTES];
    const size_t count = suggestions->finding_count;
    const size_t most = style->verbose || !style->top || style->top > count ? count : style->top;
    if (!count)
        return;
    kg_advice_heading(text, style, "what holds them back");
    for (size_t i = 0; i < most; i++) {
        const struct kg_bound_finding *finding = &suggestions->findings[i];
        kg_text_printf(text, "  %s  %s\n",
                       kg_advice_shown(arena, text, finding->operation, style->id_most),
                       kg_duration_format(finding->time_ns, time));
        kg_wrap(text, "    ", kg_advice_shown(arena, text, finding->text, 0), style->width);
    }
    if (most < count)
        kg_text_printf(text, "  … and %zu more, each faster; --verbose shows all\n", count - most);
}

void kg_report_suggestions_text(const struct kg_suggestions *suggestions,
                                const struct kg_report_style *style, struct kg_text *text)
{
    struct kg_arena arena = {0};
    headline_print(suggestions, style, text);
    kg_advice_changes_text(suggestions, style, text);
    kg_advice_text(suggestions, style, text);
    if (!style->quiet) {
        findings_print(suggestions, style, &arena, text);
        kg_text_append(text, suggestions->note_count ? "\n" : "");
        for (size_t i = 0; i < suggestions->note_count; i++)
            kg_wrap(text, "  note: ", kg_advice_shown(&arena, text, suggestions->notes[i], 0),
                    style->width);
    }
    kg_arena_free(&arena);
}
