/* hyperfine_options.h: the words of a hyperfine command, read as hyperfine reads them. Pure functions on words;
 * thread-safe. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"

enum {
    KG_HYPERFINE_PARAMETERS_MOST = 16,
    KG_HYPERFINE_EACH_MOST = 4,
    KG_HYPERFINE_BENCHMARKS_MOST = 10000
};

struct kg_hyperfine_words {
    const char **at; /* room for all that there can be */
    size_t count;
};

/* Of -P or -L. */
struct kg_hyperfine_parameter {
    const char *name;
    struct kg_hyperfine_words values;
};

/* An option that is given once for all benchmarks, or once for each. */
struct kg_hyperfine_each {
    const char *option; /* "prepare" */
    struct kg_hyperfine_words values;
};

struct kg_hyperfine_command {
    struct kg_arena *arena;
    struct kg_error *err;
    const char *const *given;
    size_t given_count;
    /* Set by reading: */
    size_t next;                        /* of `given` */
    size_t room;                        /* for words, more than there can be */
    struct kg_hyperfine_words kept;     /* the program, and options with their values */
    struct kg_hyperfine_words commands; /* to measure */
    struct kg_hyperfine_words names;    /* --command-name */
    struct kg_hyperfine_each each[KG_HYPERFINE_EACH_MOST];
    size_t each_count;
    struct kg_hyperfine_parameter parameters[KG_HYPERFINE_PARAMETERS_MOST];
    size_t parameter_count;
    const char *scan[3]; /* VAR MIN MAX, or NULLs */
    const char *step;
    bool has_runs, has_least_runs, has_least_time;
    size_t benchmark_count;
};

/* Reads `given`, `given_count` words of which the first is the program.
 * returns  false with err, KG_ERROR_MEASURE: what hyperfine would not take, and what kgate does not know */
bool kg_hyperfine_read(struct kg_hyperfine_command *command);

/* Appends a word; false with err where memory is out, as where `word` is NULL. */
bool kg_hyperfine_word_add(const struct kg_hyperfine_command *command,
                           struct kg_hyperfine_words *words, const char *word);
