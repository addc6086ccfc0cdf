/* explain_parts.h: the parts of kg_report_explanation. */
#pragma once
#include "show/document.h"

/* Whether the terminal is too narrow for bars and lines of the usual length. */
bool kg_explain_narrow(const struct kg_document *document);
/* Appends a share as a bar; a share of 1 or more fills the bar. */
void kg_explain_bar(struct kg_document *document, double share);

/* Each function adds one part with its heading. If its figures are unknown, it adds nothing. */
#define PART(name) void name(struct kg_document *document, const struct kg_explanation *explanation)
PART(kg_explain_measured);
PART(kg_explain_roofline);
PART(kg_explain_breakdown);
PART(kg_explain_hot);
PART(kg_explain_loop);
PART(kg_explain_core);
PART(kg_explain_calls);
PART(kg_explain_scopes);
PART(kg_explain_kernels);
PART(kg_explain_relatives);
PART(kg_explain_difference);
#undef PART
