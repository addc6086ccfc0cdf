/* wrap.h: sentences in lines that fit a terminal. Pure. */
#pragma once
#include <stddef.h>

#include "base/text.h"

/* Appends `first` and the words, in lines of at most `width` characters where words allow it, those
 * after the first beginning with as many spaces as `first` is wide; 0: in one line. Ends with a new
 * line. Words are as they are to be shown: escaped. */
void kg_wrap(struct kg_text *text, const char *first, const char *words, size_t width);

/* The same where the line has begun: `column` characters of it are there.
 * Words may have colours. */
void kg_wrap_on(struct kg_text *text, size_t column, size_t indent, const char *words,
                size_t width);
