/* markdown_parts.h: the parts of a markdown report. Internal to show. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "model/comparison.h"
#include "why/advice_index.h"

/* markdown_words.c: a sentence of kgate's in markdown. Pure. */

/* Appends prose, escaped; what stands in it between two backticks is code. Of more than `most`
 * characters the last words are left out, for "…", but never a part of a word or of code. */
void kg_markdown_words(struct kg_text *text, const char *string, size_t most);

/* A name, as text. */
void kg_markdown_name(struct kg_text *text, const char *name);

/* markdown_closing.c: what stands at the end of markdown reports. */

/* "- machine: CPU, 2 CPUs, 4 GiB, fingerprint …" */
void kg_markdown_machine(const struct kg_machine *machine, struct kg_text *text);

/* Machine, policy, baseline and notes, folded away; at most some 20,000 bytes, so that it can be made
 * first and the rest given what room it leaves. */
void kg_markdown_closing(const struct kg_comparison *comparison, struct kg_text *text);

/* markdown_reasons.c: what is said of changed cases below their table in a pull request. */

/* Whether the case is in the table of those that changed. */
bool kg_markdown_is_change(const struct kg_case_change *change);

/* A list of why, with what to try of a regression and the last words of a failure; no item is begun
 * from `room` bytes on. */
void kg_markdown_reasons(const struct kg_comparison *comparison,
                         const struct kg_advice_index *advice, size_t room, struct kg_text *text);

/* The command that measures the worst case again; nothing where the suite's file is not known. */
void kg_markdown_again(const struct kg_comparison *comparison, struct kg_text *text);

/* sparkline.c: a few figures as a line of blocks. Pure. */

/* Appends a block for each value, from "▁" of the least to "█" of the greatest. What they differ by in
 * all is not drawn larger than it is: a spread of less than `share` of the least stays below the top.
 * values  finite, from 0 up */
void kg_sparkline(struct kg_text *text, const double *values, size_t count, double share);
