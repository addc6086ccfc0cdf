/* shell_words.h: splits a command line into words by the quoting rules of POSIX's shell (2.2
 * Quoting). It expands nothing and runs nothing. Thread-safe. */
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

/* Whether all words are UTF-8, like suites and files. If not: KG_ERROR_USAGE with the first bad
 * word. */
bool kg_words_check(struct kg_words words, struct kg_error *err);

/* Splits at blanks, tabs and line ends. '…' keeps all characters. "…" does so too, except for \" \\
 * \$ \` and a backslash before a line end. Outside of quotes a backslash keeps the next character.
 * The function refuses unquoted characters with another meaning to a shell: $ ` | & ; < > ( ) * ?
 * [, and ~ or # at the start of a word. No user means them literally.
 * words  in `arena`; none for a line of blanks
 * err    KG_ERROR_USAGE that names the character, or the quote without an end */
bool kg_words_split(struct kg_arena *arena, const char *line, struct kg_words *words,
                    struct kg_error *err);

/* Index of the word that names a command's program: behind `env NAME=VALUE`, else 0.
 * words  at least one */
size_t kg_words_program(struct kg_words words);
