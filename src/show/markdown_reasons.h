/* markdown_reasons.h: what is said of changed cases below their table in a pull request. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "model/comparison.h"
#include "why/advice_index.h"

/* Whether the case is in the table of those that changed. */
bool kg_markdown_is_change(const struct kg_case_change *change);

/* A list of why, with what to try of a regression and the last words of a failure; no item is begun
 * from `room` bytes on. */
void kg_markdown_reasons(const struct kg_comparison *comparison,
                         const struct kg_advice_index *advice, size_t room, struct kg_text *text);

/* The command that measures the worst case again; nothing where the suite's file is not known. */
void kg_markdown_again(const struct kg_comparison *comparison, struct kg_text *text);
