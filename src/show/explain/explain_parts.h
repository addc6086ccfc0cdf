/* explain_parts.h: the parts of kg_report_explanation. */
#pragma once
#include "show/document.h"

/* Whether the terminal is too narrow for bars and lines at their usual length. */
bool kg_explain_narrow(const struct kg_document *document);
/* A share as a bar, full from 1 on. */
void kg_explain_bar(struct kg_document *document, double share);

/* The parts, each with its heading; nothing if nothing is known. */
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
