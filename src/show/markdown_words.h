/* markdown_words.h: a sentence of kgate's in markdown. Pure. */
#pragma once
#include <stddef.h>

#include "base/text.h"

/* Appends prose, escaped; what stands in it between two backticks is code. Of more than `most`
 * characters the last words are left out, for "…", but never a part of a word or of code. */
void kg_markdown_words(struct kg_text *text, const char *string, size_t most);

/* A name, as text. */
void kg_markdown_name(struct kg_text *text, const char *name);
