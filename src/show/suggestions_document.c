/* suggestions_document.c: changes of the evidence, suggestions, and the bottleneck of each operation. */
#include <string.h>

#include "base/units.h"
#include "show/advice_text.h"
#include "show/document.h"
#include "show/format_parts.h"
#include "show/terminal_parts.h"

static const struct {
    const char *symbol, *colour;
} priorities[KG_PRIORITY_COUNT] = {[KG_PRIORITY_CRITICAL] = {"🔴 ", KG_TERMINAL_BAD},
                                   [KG_PRIORITY_HIGH] = {"🟠 ", KG_TERMINAL_BAD},
                                   [KG_PRIORITY_MEDIUM] = {"🟡 ", KG_TERMINAL_DOUBT},
                                   [KG_PRIORITY_LOW] = {"⚪ ", KG_TERMINAL_MINOR}};

static void headline_add(struct kg_document *document, const struct kg_suggestions *suggestions)
{
    struct kg_text count = {0};
    kg_part_text(document, KG_PART_HEADLINE, "kgate suggest",
                 suggestions->suite ? "suite " : "profile ");
    kg_span_add(document, KG_SPAN_NAME,
                suggestions->suite ? suggestions->suite : suggestions->source);
    kg_span_text(document, ", %zu operation%s examined: ", suggestions->finding_count,
                 suggestions->finding_count == 1 ? "" : "s");
    kg_advice_count(suggestions, &count);
    kg_span_take(document, &count);
}

void kg_advice_source_add(struct kg_document *document, const struct kg_evidence_change *change,
                          bool with_id)
{
    if (!change->diff)
        return;
    kg_part_add(document, with_id ? KG_PART_ITEM : KG_PART_UNDER, NULL);
    if (with_id)
        kg_span_add(document, KG_SPAN_ID, change->operation);
    kg_span_text(document, "%s", with_id ? ": source changed" : "source changed");
    for (const char *line = change->commits; line && *line;) {
        const size_t length = strcspn(line, "\n");
        kg_span_text(document, "%s", line == change->commits ? " by " : ", ");
        kg_span_add(document, KG_SPAN_NAME, kg_arena_copy_bytes(&document->arena, line, length));
        line += length + (line[length] == '\n');
    }
    kg_span_text(document, ":");
    kg_part_add(document, KG_PART_CODE, NULL);
    kg_span_add(document, KG_SPAN_PROSE, change->diff);
}

void kg_advice_changes_add(struct kg_document *document, const struct kg_suggestions *suggestions)
{
    const char *operation = "";
    if (suggestions->change_count) {
        kg_part_heading(document, "changes against the baseline");
    }
    document->indent = 2;
    for (size_t i = 0; i < suggestions->change_count; i++) {
        const struct kg_evidence_change *change = &suggestions->changes[i];
        if (strcmp(operation, change->operation) != 0)
            kg_part_add(document, KG_PART_ITEM, NULL);
        if (strcmp(operation, change->operation) != 0)
            kg_span_add(document, KG_SPAN_ID, change->operation);
        operation = change->operation;
        kg_part_prose(document, KG_PART_UNDER, NULL, change->text);
        kg_part_prose(document, KG_PART_UNDER, "try", change->hint);
        kg_advice_source_add(document, change, false);
    }
}

static void suggestion_add(struct kg_document *document, const struct kg_suggestion *suggestion,
                           size_t number)
{
    struct kg_arena *arena = &document->arena;
    kg_part_add(document, KG_PART_NUMBERED, NULL)->number = number;
    kg_span_add(document, KG_SPAN_MARK, priorities[suggestion->priority].symbol);
    kg_span_strong(document, KG_SPAN_TEXT, kg_priority_names[suggestion->priority],
                   priorities[suggestion->priority].colour);
    kg_span_text(document, "  ");
    kg_span_strong(document, KG_SPAN_ID, suggestion->operation, KG_TERMINAL_BOLD);
    kg_span_text(document, ": ");
    kg_span_add(document, KG_SPAN_NAME, suggestion->rule);
    kg_span_text(document, ", %s", kg_suggestion_type_names[suggestion->type]);
    kg_part_prose(document, KG_PART_UNDER, NULL, kg_advice_gain(arena, suggestion));
    kg_part_prose(document, KG_PART_UNDER, NULL, suggestion->description);
    kg_part_prose(document, KG_PART_UNDER, "try", suggestion->hint);
    if (document->style.quiet)
        return;
    if (suggestion->before && suggestion->after) {
        kg_part_prose(document, KG_PART_UNDER, "before", suggestion->before);
        kg_part_prose(document, KG_PART_UNDER, "after", suggestion->after);
    }
    kg_part_prose(document, KG_PART_UNDER, "evidence",
                  kg_advice_evidence(arena, suggestion->evidence, suggestion->evidence_count));
    document->parts[document->count - 1].colour =
        suggestion->evidence_count ? KG_TERMINAL_DIM : NULL;
}

void kg_advice_add(struct kg_document *document, const struct kg_suggestions *suggestions,
                   size_t top)
{
    const size_t count = suggestions->suggestion_count;
    const size_t most = top && top < count ? top : count;
    const size_t indent = document->indent;
    const char *rest = document->rest;
    struct kg_text words = {0};
    kg_advice_command(suggestions, &words);
    document->rest = kg_arena_printf(&document->arena, "`%s` shows all", kg_text_string(&words));
    kg_text_free(&words);
    document->indent = 0;
    if (!count) {
        kg_part_gap(document);
        kg_part_add(document, KG_PART_SENTENCE, NULL);
        kg_advice_none(suggestions, &words);
        kg_span_take(document, &words);
    }
    document->indent = 3;
    for (size_t i = 0; i < most; i++)
        suggestion_add(document, &suggestions->suggestions[i], i + 1);
    document->indent = 2;
    if (most < count)
        kg_part_gap(document);
    kg_part_rest(document, count - most);
    document->rest = rest;
    document->indent = indent;
}

static void findings_add(struct kg_document *document, const struct kg_suggestions *suggestions)
{
    char time[KG_UNIT_BYTES];
    const size_t count = suggestions->finding_count, top = document->style.top;
    const size_t most = document->style.verbose || !top || top > count ? count : top;
    if (!count)
        return;
    kg_part_text(document, KG_PART_FOLD, NULL,
                 suggestions->suite ? "bottlenecks (times: medians of rounds)" : "bottlenecks");
    document->indent = 2;
    for (size_t i = 0; i < most; i++) {
        const struct kg_bound_finding *finding = &suggestions->findings[i];
        kg_part_add(document, KG_PART_ITEM, NULL);
        kg_span_add(document, KG_SPAN_ID, finding->operation);
        kg_span_text(document, "  %s", kg_duration_format(finding->time_ns, time));
        kg_part_prose(document, KG_PART_UNDER, NULL, finding->text);
    }
    kg_part_rest(document, count - most);
    kg_part_add(document, KG_PART_FOLD_END, NULL);
}

void kg_suggestions_document(const struct kg_report_subject *subject, struct kg_document *document)
{
    const struct kg_suggestions *suggestions = subject->suggestions;
    document->rest = "they are in suggestions.json";
    headline_add(document, suggestions);
    kg_advice_changes_add(document, suggestions);
    kg_advice_add(document, suggestions, document->style.top);
    if (document->style.quiet)
        return;
    findings_add(document, suggestions);
    if (suggestions->note_count)
        kg_part_gap(document);
    for (size_t i = 0; i < suggestions->note_count; i++)
        kg_part_prose(document, KG_PART_ITEM, "note", suggestions->notes[i]);
}
