/* One case in full, for a terminal: what was measured, where its time goes, what is beside it. */
#include <math.h>
#include <string.h>

#include "report/advice.h"
#include "report/explain_page.h"
#include "report/wrap.h"
#include "util/escape.h"

void kg_explain_label(struct kg_explain_page *page, const char *words)
{
    enum { WIDE = 14 };
    kg_text_printf(page->text, "  %-*s", WIDE, words);
}

void kg_explain_bar(struct kg_explain_page *page, double share)
{
    enum { CELLS = 24 };
    const double cells = isfinite(share) ? fmin(fmax(share, 0), 1) * CELLS : 0;
    for (int i = 0; i < CELLS; i++)
        kg_text_append(page->text, i + 0.5 < cells ? "█" : "░");
}

void kg_explain_amount(struct kg_explain_page *page, const char *separator, enum kg_trait_unit unit,
                       double value, const char *after)
{
    kg_text_append(page->text, separator);
    kg_trait_format(unit, value, page->text);
    kg_text_append(page->text, after);
}

static void headline_print(struct kg_explain_page *page)
{
    const struct kg_case_result *result = page->explanation->result;
    const bool colour = page->style->colour;
    struct kg_text *text = page->text;
    kg_text_printf(text, "%s%s%s\n", colour ? "\x1b[1m" : "",
                   kg_advice_shown(&page->arena, text, result->id, 0), colour ? "\x1b[0m" : "");
    kg_explain_label(page, "workload");
    kg_escape_terminal(text, result->workload, KG_EXPLAIN_NAME_MOST);
    if (result->target) {
        kg_text_printf(text, ": %s ", result->source);
        kg_escape_terminal(text, result->target, KG_EXPLAIN_NAME_MOST);
    }
    kg_text_printf(text, " on %s\n", strcmp(result->device, "cuda") == 0 ? "the GPU" : "the CPU");
    if (result->status != KG_STATUS_OK || result->reason) {
        kg_explain_label(page, kg_status_names[result->status]);
        kg_escape_terminal(text, result->reason ? result->reason : "", 400);
        kg_text_append(text, "\n");
    }
    if (result->note) {
        kg_explain_label(page, "note");
        kg_escape_terminal(text, result->note, 400);
        kg_text_append(text, "\n");
    }
}

static void advice_print(struct kg_explain_page *page)
{
    const struct kg_suggestions *suggestions = page->explanation->suggestions;
    struct kg_text *text = page->text;
    kg_advice_changes_text(suggestions, page->style, text);
    kg_advice_heading(text, page->style, "what holds it back");
    for (size_t i = 0; i < suggestions->finding_count; i++)
        kg_wrap(text, "  ", kg_advice_shown(&page->arena, text, suggestions->findings[i].text, 0),
                page->style->width);
    if (!suggestions->finding_count)
        kg_text_append(text, "  not known: it has no times\n");
    for (size_t i = 0; i < suggestions->note_count; i++)
        kg_wrap(text, "  note: ", kg_advice_shown(&page->arena, text, suggestions->notes[i], 0),
                page->style->width);
    kg_advice_heading(text, page->style, "what to try");
    kg_advice_text(suggestions, page->style, text);
}

static void deeper_print(struct kg_explain_page *page)
{
    const struct kg_explanation *explanation = page->explanation;
    kg_advice_heading(page->text, page->style, "to look deeper");
    for (size_t i = 0; i < explanation->deeper_count; i++)
        kg_text_printf(
            page->text, "  # %s\n  %s\n", explanation->deeper[i].shows,
            kg_advice_shown(&page->arena, page->text, explanation->deeper[i].command, 0));
}

void kg_report_explanation_text(const struct kg_explanation *explanation,
                                const struct kg_report_style *style, struct kg_text *text)
{
    struct kg_explain_page page = {.explanation = explanation, .style = style, .text = text};
    headline_print(&page);
    kg_explain_measured(&page);
    kg_explain_roofline(&page);
    kg_explain_breakdown(&page);
    kg_explain_kernels(&page);
    kg_explain_scopes(&page);
    kg_explain_relatives(&page);
    advice_print(&page);
    deeper_print(&page);
    kg_arena_free(&page.arena);
}
