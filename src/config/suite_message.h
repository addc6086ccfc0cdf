/* suite_message.h: what errors about a suite quote and suggest. Pure; thread-safe. */
#pragma once
#include <stddef.h>

#include "util/text.h"

enum { KG_QUOTE_BYTES = 256 };

/* Text from outside made fit for a message: control characters, invalid UTF-8 and characters that
 * change the direction of writing become \xNN, and a long text is cut and ended with "...".
 * buffer  KG_QUOTE_BYTES bytes; returned */
char *kg_quote(const char *text, char *buffer);

/* Appends "; did you mean 'x'?", or where none is near "; <known>: a, b, c". */
void kg_suggest_append(struct kg_text *text, const char *word, const char *const *words,
                       size_t count, const char *known);
