/* hyperfine_words.h: the words of a hyperfine command: which benchmarks they come to, and the words that
 * measure one of them alone. Pure functions on words; thread-safe. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "suite/adapters/adapter.h"

/* Lists the benchmarks in hyperfine's order, by the names that its files have: a --command-name, or the
 * command with the values of -P and -L in it.
 * err  KG_ERROR_MEASURE by name of the option that is not known or is kgate's own; where two have one name */
bool kg_hyperfine_list(struct kg_arena *arena, const char *const *words, size_t count,
                       struct kg_foreign_names *names, struct kg_error *err);

/* The words that measure the benchmark run->name alone, with all options that concern it.
 * words  `count` of them, replaced by an array in `arena`
 * err    as above, and where there is no such benchmark */
bool kg_hyperfine_run_words(struct kg_arena *arena, const struct kg_foreign_run *run,
                            const char ***words, size_t *count, struct kg_error *err);
