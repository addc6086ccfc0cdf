/* cmake_words.h: the calls of a CMakeLists.txt by its text, and the variables that the file sets for itself:
 * set(), list(APPEND), project(), and foreach() over words. What is set elsewhere is not known. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

enum { KG_CMAKE_WORD_MOST = 256, KG_CMAKE_WORDS_MOST = 256 };

struct kg_cmake_words {
    const char *at[KG_CMAKE_WORDS_MOST];
    size_t count;
};

struct kg_cmake_variable {
    const char *name;
    const char **values; /* of a loop all that it takes */
    size_t count;
    bool loop;
};

/* Zero-initialise, and set `at` and `line`. */
struct kg_cmake_reader {
    const char *at;
    unsigned line;
    bool failed;           /* memory was out */
    struct kg_arena arena; /* to be freed: owns what is read */
    struct kg_cmake_variable *variables;
    size_t variable_count, variable_capacity;
    size_t made; /* values put in so far: a file of more and more of them is not followed */
};

/* Reads up to the next call and its words, of a long one the first; calls that set a variable are done, and
 * not given.
 * command  KG_CMAKE_WORD_MOST bytes
 * line     where it stands
 * returns  false at the end, or where memory is out */
bool kg_cmake_next(struct kg_cmake_reader *reader, char *command, unsigned *line,
                   struct kg_cmake_words *words);

/* Whether both are the same command: case does not matter. name: in lower case */
bool kg_cmake_is(const char *command, const char *name);

/* Appends what the word stands for: itself, or with ${NAME} in it a word for each value. Nothing where a
 * variable is not known, and of a generator expression. */
void kg_cmake_expand(struct kg_cmake_reader *reader, const char *word,
                     struct kg_cmake_words *words);
