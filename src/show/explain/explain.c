/* One case in full, for a terminal: what was measured, where its time goes, what is beside it. */
#include <math.h>
#include <string.h>

#include "base/escape.h"
#include "base/wrap.h"
#include "show/advice_text.h"
#include "show/explain/explain_page.h"

enum { LABEL_WIDE = 14 };

void kg_explain_line(struct kg_explain_page *page, const char *words, struct kg_text *text)
{
    struct kg_text label = {0};
    kg_text_printf(&label, "  %-*s", LABEL_WIDE, words);
    kg_wrap(page->text, kg_text_string(&label), kg_text_string(text), page->style->width);
    page->text->failed = page->text->failed || text->failed || label.failed;
    kg_text_free(&label);
    kg_text_free(text);
}

void kg_explain_label(struct kg_explain_page *page, const char *words)
{
    kg_text_printf(page->text, "  %-*s", LABEL_WIDE, words);
}

bool kg_explain_narrow(const struct kg_explain_page *page)
{
    enum { WIDE = 76 };
    return page->style->width && page->style->width < WIDE;
}

void kg_explain_bar(struct kg_explain_page *page, double share)
{
    enum { CELLS = 24, CELLS_NARROW = 8 };
    const int most = kg_explain_narrow(page) ? CELLS_NARROW : CELLS;
    const double cells = isfinite(share) ? fmin(fmax(share, 0), 1) * most : 0;
    const char *full = "█", *empty = "░";
    for (int i = 0; i < most; i++)
        kg_text_append(page->text, i + 0.5 < cells ? full : empty);
}

void kg_explain_amount(struct kg_explain_page *page, const char *separator, enum kg_trait_unit unit,
                       double value, const char *after)
{
    kg_text_append(page->text, separator);
    kg_trait_format(unit, value, page->text);
    kg_text_append(page->text, after);
}

/* Behind a label, in lines: the words are from a file. */
static void said_print(struct kg_explain_page *page, const char *label, const char *words)
{
    enum { MOST = 400 };
    struct kg_text text = {0};
    kg_escape_terminal(&text, words, MOST);
    kg_explain_line(page, label, &text);
}

static void headline_print(struct kg_explain_page *page)
{
    const struct kg_case_result *result = page->explanation->result;
    const bool colour = page->style->colour;
    struct kg_text *text = page->text, words = {0};
    kg_text_printf(text, "%s%s%s\n", colour ? "\x1b[1m" : "",
                   kg_advice_shown(&page->arena, text, result->id, 0), colour ? "\x1b[0m" : "");
    kg_escape_terminal(&words, result->workload, KG_EXPLAIN_NAME_MOST);
    if (result->target) {
        kg_text_printf(&words, ": %s ", result->source);
        kg_escape_terminal(&words, result->target, KG_EXPLAIN_NAME_MOST);
    }
    kg_text_printf(&words, " on %s", strcmp(result->device, "cuda") == 0 ? "the GPU" : "the CPU");
    kg_explain_line(page, "workload", &words);
    if (result->status != KG_STATUS_OK || result->reason)
        said_print(page, kg_status_names[result->status], result->reason ? result->reason : "");
    if (result->note)
        said_print(page, "note", result->note);
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

/* "# what it shows", for a shell in every line. */
static void comment_print(struct kg_explain_page *page, const char *words)
{
    static const char BEFORE[] = "  # ";
    const size_t width = page->style->width;
    struct kg_text lines = {0};
    kg_wrap(&lines, "", words, width > sizeof BEFORE ? width - (sizeof BEFORE - 1) : 0);
    for (const char *line = kg_text_string(&lines); *line;) {
        const size_t length = strcspn(line, "\n");
        kg_text_append(page->text, BEFORE);
        kg_text_append_bytes(page->text, line, length);
        kg_text_append(page->text, "\n");
        line += length + (line[length] == '\n');
    }
    page->text->failed = page->text->failed || lines.failed;
    kg_text_free(&lines);
}

/* A command is one line, however long: it is to be pasted. */
static void deeper_print(struct kg_explain_page *page)
{
    const struct kg_explanation *explanation = page->explanation;
    if (!explanation->deeper_count)
        return;
    kg_advice_heading(page->text, page->style, "to look deeper");
    for (size_t i = 0; i < explanation->deeper_count; i++) {
        comment_print(page, explanation->deeper[i].shows);
        kg_text_printf(
            page->text, "  %s\n",
            kg_advice_shown(&page->arena, page->text, explanation->deeper[i].command, 0));
    }
}

void kg_report_explanation_text(const struct kg_explanation *explanation,
                                const struct kg_report_style *style, struct kg_text *text)
{
    struct kg_explain_page page = {.explanation = explanation, .style = style, .text = text};
    headline_print(&page);
    kg_explain_measured(&page);
    kg_explain_roofline(&page);
    kg_explain_breakdown(&page);
    kg_explain_hot(&page);
    kg_explain_loop(&page);
    kg_explain_core(&page);
    kg_explain_calls(&page);
    kg_explain_kernels(&page);
    kg_explain_scopes(&page);
    kg_explain_relatives(&page);
    advice_print(&page);
    deeper_print(&page);
    kg_arena_free(&page.arena);
}
