/* suite_reference.h: the suite's keys as a page of documentation, from the parser's own tables. */
#pragma once
#include "base/text.h"

/* Markdown tables of every key with type, unit, default and meaning: the part of docs/suite.md
 * between its markers, so that page and parser cannot differ. */
void kg_suite_reference_write(struct kg_text *text);
