/* verdict_document.c: the head of a comparison's document, and the commands to run next. */
#include "model/change.h"
#include "show/cells.h"
#include "show/document.h"
#include "show/format_parts.h"
#include "show/terminal_parts.h"

/* A first run has no verdict worth a colour: its first reason is the headline. */
static void first_run_add(struct kg_document *document, const struct kg_comparison *comparison)
{
    const char *words = comparison->verdict_reasons[0];
    struct kg_text counts = {0};
    kg_part_add(document, KG_PART_HEADLINE,
                kg_arena_printf(&document->arena, "%s kgate", kg_changes[KG_CHANGE_NEW].symbol));
    kg_span_strong(document, KG_SPAN_TEXT, words, KG_TERMINAL_BOLD);
    kg_part_add(document, KG_PART_ITEM, "suite");
    kg_span_add(document, KG_SPAN_NAME, comparison->suite);
    kg_span_text(document, ", ");
    kg_cell_counts(comparison, &counts);
    kg_span_take(document, &counts);
}

static void headline_add(struct kg_document *document, const struct kg_comparison *comparison)
{
    const struct kg_verdict_row *verdict = &kg_verdicts[comparison->verdict];
    const char *name = kg_verdict_names[comparison->verdict];
    struct kg_text counts = {0};
    kg_part_add(document, KG_PART_HEADLINE,
                kg_arena_printf(&document->arena, "%s kgate %s", verdict->symbol, name));
    if (!document->style.page) {
        kg_span_strong(document, KG_SPAN_TEXT, name,
                       kg_arena_printf(&document->arena, KG_TERMINAL_BOLD "%s",
                                       kg_tone_colours[verdict->tone]));
        kg_span_text(document, "  ");
    } else {
        kg_span_text(document, "suite ");
    }
    kg_span_add(document, KG_SPAN_NAME, comparison->suite);
    kg_span_text(document, ", ");
    kg_cell_counts(comparison, &counts);
    kg_span_take(document, &counts);
}

/* The origin of suite and thresholds, and the edits of the change to them. A reviewer must see these edits. */
static void trust_add(struct kg_document *document, const struct kg_comparison *comparison)
{
    enum { MOST = 20 };
    kg_part_prose(document, KG_PART_SENTENCE, "suite and thresholds", comparison->trust);
    for (size_t i = 0; comparison->trust && i < comparison->edit_count && i < MOST; i++) {
        kg_part_text(document, KG_PART_ITEM, NULL, "this change edits ");
        kg_span_add(document, KG_SPAN_PROSE, comparison->edits[i]);
    }
    if (comparison->trust && comparison->edit_count > MOST) {
        kg_part_text(document, KG_PART_ITEM, NULL, "… and %zu more: %s",
                     comparison->edit_count - MOST, document->rest);
    }
}

/* Adds the compared versions. */
static void versions_add(struct kg_document *document, const struct kg_comparison *comparison)
{
    struct kg_text commits = {0};
    if (document->style.page && comparison->base && comparison->head) {
        kg_part_add(document, KG_PART_SENTENCE, "baseline");
        kg_span_add(document, KG_SPAN_NAME, comparison->base);
        kg_span_text(document, ", candidate: ");
        kg_span_add(document, KG_SPAN_NAME, comparison->head);
    }
    kg_cell_commits(comparison, &commits);
    const char *words = kg_cell_take(&document->arena, &commits);
    kg_part_prose(document, KG_PART_SENTENCE, NULL, document->style.quiet ? NULL : words);
}

void kg_verdict_add(struct kg_document *document, const struct kg_comparison *comparison)
{
    const bool is_first = comparison->first_run;
    document->indent = is_first ? 2 : 0;
    (is_first ? first_run_add : headline_add)(document, comparison);
    document->indent = 2;
    for (size_t i = is_first; i < comparison->verdict_reason_count; i++)
        kg_part_prose(document, KG_PART_ITEM, NULL, comparison->verdict_reasons[i]);
    versions_add(document, comparison);
    trust_add(document, comparison);
    kg_part_prose(document, KG_PART_WHOLE, "next", comparison->next);
}

void kg_commands_add(struct kg_document *document, const struct kg_comparison *comparison)
{
    if (comparison->next_command_count)
        kg_part_gap(document);
    for (size_t i = 0; i < comparison->next_command_count; i++) {
        const struct kg_next_command *command = &comparison->next_commands[i];
        kg_part_add(document, KG_PART_WHOLE, command->purpose);
        kg_span_add(document, KG_SPAN_COMMAND, command->command);
    }
}
