/* gpu_words.h: the words of PTX and of CUDA C++, without comments, strings and lines of a preprocessor.
 * Nothing outside of the text is read. Pure; thread-safe. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

/* Where reading is. */
struct kg_gpu_scanner {
    const char *at, *end;
    unsigned line;    /* 1-based */
    const char *open; /* "comment" or "string" where one does not end; NULL */
    unsigned open_line;
};

/* A word of letters, digits, '_', '$' and '%'; a directive with its dot; the quotation mark for a whole
 * string; or one other character. */
struct kg_gpu_word {
    const char *text;
    size_t length; /* 0: the end */
    unsigned line;
};

/* The text ends at its length, or the first 0 byte. */
struct kg_gpu_scanner kg_gpu_scanner_make(const char *text, size_t length);

/* The next word; false at the end. */
bool kg_gpu_word_next(struct kg_gpu_scanner *scanner, struct kg_gpu_word *word);

bool kg_gpu_word_is(const struct kg_gpu_word *word, const char *text);
/* Whether a word, or a number, can have this character. */
bool kg_gpu_word_has(char c);
