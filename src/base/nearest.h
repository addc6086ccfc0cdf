/* nearest.h: "did you mean": the nearest of some known words. Pure, thread-safe. */
#pragma once
#include <stddef.h>

#include "base/text.h"

/* The one of `count` words nearest to `word` by edit distance (Damerau, adjacent swaps count one),
 * letter case ignored; NULL where none is near enough to be meant: more than a third of the longer
 * word's length, at least 1, would have to change. */
const char *kg_nearest(const char *word, const char *const *words, size_t count);

/* Appends "; did you mean 'x'?", or where none is near "; <known>: a, b, c". */
void kg_suggest_append(struct kg_text *text, const char *word, const char *const *words,
                       size_t count, const char *known);
