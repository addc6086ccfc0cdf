/* explain.c: one case in full: its figures, the distribution of its time, and related cases. */
#include <math.h>
#include <string.h>

#include "show/advice_text.h"
#include "show/explain/explain_parts.h"
#include "show/terminal_parts.h"

bool kg_explain_narrow(const struct kg_document *document)
{
    enum { WIDE = 76 };
    return document->style.width && document->style.width < WIDE;
}

void kg_explain_bar(struct kg_document *document, double share)
{
    enum { CELLS = 24, CELLS_NARROW = 8 };
    const int most = kg_explain_narrow(document) ? CELLS_NARROW : CELLS;
    const double cells = isfinite(share) ? fmin(fmax(share, 0), 1) * most : 0;
    struct kg_text bar = {0};
    for (int i = 0; i < most; i++)
        kg_text_append(&bar, i + 0.5 < cells ? "█" : "░");
    kg_span_take(document, &bar);
}

static void headline_add(struct kg_document *document, const struct kg_explanation *explanation)
{
    const struct kg_case_result *result = explanation->result;
    kg_part_add(document, KG_PART_HEADLINE, "kgate explain");
    kg_span_strong(document, KG_SPAN_NAME, result->id, KG_TERMINAL_BOLD);
    document->indent = 2;
    kg_part_add(document, KG_PART_FIGURE, "workload");
    kg_span_add(document, KG_SPAN_NAME, result->workload);
    if (result->target) {
        kg_span_text(document, ": %s ", result->source);
        kg_span_add(document, KG_SPAN_NAME, result->target);
    }
    kg_span_text(document, " on %s", strcmp(result->device, "cuda") == 0 ? "the GPU" : "the CPU");
    if (result->status != KG_STATUS_OK || result->reason)
        kg_part_add(document, KG_PART_FIGURE, kg_status_names[result->status]);
    if (result->reason)
        kg_span_add(document, KG_SPAN_PROSE, result->reason);
    kg_part_prose(document, KG_PART_FIGURE, "note", result->note);
}

static void advice_add(struct kg_document *document, const struct kg_explanation *explanation)
{
    const struct kg_suggestions *suggestions = explanation->suggestions;
    kg_advice_changes_add(document, suggestions);
    kg_explain_difference(document, explanation);
    kg_part_heading(document, "bottleneck");
    for (size_t i = 0; i < suggestions->finding_count; i++)
        kg_part_prose(document, KG_PART_SENTENCE, NULL, suggestions->findings[i].text);
    if (!suggestions->finding_count)
        kg_part_prose(document, KG_PART_SENTENCE, NULL, "not known: it has no times");
    for (size_t i = 0; i < suggestions->note_count; i++)
        kg_part_prose(document, KG_PART_SENTENCE, "note", suggestions->notes[i]);
    kg_part_heading(document, "what to try");
    kg_advice_add(document, suggestions, document->style.top);
}

static void deeper_add(struct kg_document *document, const struct kg_explanation *explanation)
{
    if (explanation->deeper_count)
        kg_part_heading(document, "to look deeper");
    for (size_t i = 0; i < explanation->deeper_count; i++) {
        kg_part_prose(document, KG_PART_COMMENT, NULL, explanation->deeper[i].shows);
        kg_part_add(document, KG_PART_WHOLE, NULL);
        kg_span_add(document, KG_SPAN_COMMAND, explanation->deeper[i].command);
    }
}

void kg_report_explanation(const struct kg_explanation *explanation,
                           const struct kg_report_style *style, struct kg_text *text)
{
    static void (*const parts[])(struct kg_document * document,
                                 const struct kg_explanation *explanation) = {
        headline_add,       kg_explain_measured, kg_explain_roofline,  kg_explain_breakdown,
        kg_explain_hot,     kg_explain_loop,     kg_explain_core,      kg_explain_calls,
        kg_explain_kernels, kg_explain_scopes,   kg_explain_relatives, advice_add,
        deeper_add};
    struct kg_document document = {.style = *style};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        parts[i](&document, explanation);
    kg_document_print(&document, text);
}
