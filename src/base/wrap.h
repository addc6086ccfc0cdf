/* wrap.h: breaks sentences into lines that fit a terminal. Pure. */
#pragma once
#include <stddef.h>

#include "base/text.h"

/* Appends `first` and the words, then a new line. Lines have at most `width` characters if the
 * words allow; 0: one line. Further lines begin with as many spaces as `first` is wide. The caller
 * has escaped the words. */
void kg_wrap(struct kg_text *text, const char *first, const char *words, size_t width);

/* The same for a line that already has `column` characters. Further lines begin with `indent`
 * spaces. Words may have colours. */
void kg_wrap_on(struct kg_text *text, size_t column, size_t indent, const char *words,
                size_t width);
