/* nearest.h: finds a word among known words, and the nearest word for "did you mean". Pure,
 * thread-safe. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/text.h"

/* The index of the word among `count` words; `count` if it is not among them. */
size_t kg_word_index(const char *word, const char *const *words, size_t count);

static inline bool kg_word_is_among(const char *word, const char *const *words, size_t count)
{
    return kg_word_index(word, words, count) < count;
}

/* The nearest of `count` words by edit distance (Damerau, adjacent swaps count one), letter case
 * ignored. NULL if none is near: the distance exceeds a third of the longer word's length, at least
 * 1. */
const char *kg_nearest(const char *word, const char *const *words, size_t count);

/* Appends "; did you mean 'x'?". If no word is near: "; <known>: a, b, c". */
void kg_suggest_append(struct kg_text *text, const char *word, const char *const *words,
                       size_t count, const char *known);

/* Appends for many words: "; did you mean 'x'?". x is the nearest word, or one that contains `word`.
 * If there is neither: "; <known> 'a', 'b', …", the first five. */
void kg_suggest_few_append(struct kg_text *text, const char *word, const char *const *words,
                           size_t count, const char *known);

/* The words "; did you mean 'x'?" in `meant`, or "" if no word is near. Returns `meant`. */
enum { KG_MEANT_BYTES = 384 };
const char *kg_meant(char meant[KG_MEANT_BYTES], const char *word, const char *const *words,
                     size_t count);

/* Fills the error for an unknown word: the sentence, the nearest word, all words. "--columns has no
 * 'maen'; did you mean 'mean'?; there are median, mean"
 * format   of the sentence
 * returns  false, with KG_ERROR_USAGE */
__attribute__((format(printf, 5, 6))) bool kg_error_unknown(struct kg_error *err, const char *word,
                                                            const char *const *words, size_t count,
                                                            const char *format, ...);
