/* text.h: a growing string, for reports and messages. It remembers a failed allocation, so that a
 * writer appends freely and its caller asks once. Not thread-safe. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

/* Zero-initialise before first use; kg_text_free when done. */
struct kg_text {
    char *data;    /* terminated; NULL while empty */
    size_t length; /* without the terminator */
    size_t capacity;
    bool failed; /* an allocation failed: the text is incomplete */
};

void kg_text_append(struct kg_text *text, const char *string);
void kg_text_append_bytes(struct kg_text *text, const char *bytes, size_t length);
__attribute__((format(printf, 2, 3))) void kg_text_printf(struct kg_text *text, const char *format,
                                                          ...);
/* Makes room for `extra` more bytes and the terminator, for a caller that fills `data` itself.
 * returns  false if memory is out: the text has failed */
bool kg_text_reserve(struct kg_text *text, size_t extra);
/* Cuts the text to `length` bytes; a shorter text stays. */
void kg_text_truncate(struct kg_text *text, size_t length);
/* Removes the first `count` bytes, at most all. */
void kg_text_remove(struct kg_text *text, size_t count);
/* The text as a string, "" while empty; owned by the text. */
const char *kg_text_string(const struct kg_text *text);
void kg_text_free(struct kg_text *text);

/* Whether the string has the ending, or is it. */
bool kg_string_ends(const char *string, const char *ending);
/* Whether the strings are equal, or both NULL. */
bool kg_string_same(const char *a, const char *b);

/* The order of strcmp in an array of strings, for qsort and bsearch. */
int kg_string_compare(const void *a, const void *b);
/* Sorts the strings. Returns the first one that occurs twice; NULL if all differ. */
const char *kg_strings_repeated(const char **strings, size_t count);
