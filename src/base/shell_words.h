/* shell_words.h: a command line as words, by the quoting rules of POSIX's shell (2.2 Quoting), without
 * what a shell expands or runs. Thread-safe. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"

/* `count` words and then NULL. */
struct kg_words {
    const char **at;
    size_t count;
};

/* Whether all of them are UTF-8, as suites and files are: KG_ERROR_USAGE with the first that is not. */
bool kg_words_check(struct kg_words words, struct kg_error *err);

/* Splits at blanks, tabs and line ends. '…' keeps all as it is; "…" too, but for \" \\ \$ \` and a
 * backslash before a line end; outside of quotes a backslash keeps the next character. Whatever
 * else means something to a shell ($ ` | & ; < > ( ) * ? [, and ~ or # at the start of a word) is
 * refused where it is not quoted: it would be taken by its letters, which nobody means.
 * words  in `arena`; none for a line of blanks
 * err    KG_ERROR_USAGE that names the character, or the quote that does not end */
bool kg_words_split(struct kg_arena *arena, const char *line, struct kg_words *words,
                    struct kg_error *err);
