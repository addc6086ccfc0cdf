/* explain_page.h: the parts of kg_report_explanation_text, which share how they look. */
#pragma once
#include "base/arena.h"
#include "show/report.h"

enum { KG_EXPLAIN_NAME_MOST = 100 };

struct kg_explain_page {
    const struct kg_explanation *explanation;
    const struct kg_report_style *style;
    struct kg_arena arena;
    struct kg_text *text;
};

/* Where the terminal is too narrow for bars and lines at their usual length. */
bool kg_explain_narrow(const struct kg_explain_page *page);

/* What a label says, in lines of the terminal's width; frees the words. */
void kg_explain_line(struct kg_explain_page *page, const char *words, struct kg_text *text);

/* "  peak memory  " before what is measured. */
void kg_explain_label(struct kg_explain_page *page, const char *words);
/* A share as a bar, full from 1 on. */
void kg_explain_bar(struct kg_explain_page *page, double share);
/* The separator, "4.2 ms", and what comes after. */
void kg_explain_amount(struct kg_explain_page *page, const char *separator, enum kg_trait_unit unit,
                       double value, const char *after);

/* The parts, each with its heading; nothing where nothing is known. */
void kg_explain_measured(struct kg_explain_page *page);
void kg_explain_roofline(struct kg_explain_page *page);
void kg_explain_breakdown(struct kg_explain_page *page);
void kg_explain_hot(struct kg_explain_page *page);
void kg_explain_loop(struct kg_explain_page *page);
void kg_explain_core(struct kg_explain_page *page);
void kg_explain_calls(struct kg_explain_page *page);
void kg_explain_scopes(struct kg_explain_page *page);
void kg_explain_kernels(struct kg_explain_page *page);
void kg_explain_relatives(struct kg_explain_page *page);
