/* nvbench_words.h: lists the benchmarks of an NVBench program, and makes the words that measure one state. Pure
 * functions; thread-safe. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "suite/adapters/adapter.h"

/* Lists every state in the output of --jsonlist-benches. A state is a benchmark with one value per axis.
 * words   words of the command; they must not choose benchmarks or outputs
 * output  the JSON
 * err     KG_ERROR_MEASURE with the conflicting word, or if the output is no JSON */
bool kg_nvbench_list(struct kg_arena *arena, const char *const *words, size_t count, char *output,
                     struct kg_foreign_names *names, struct kg_error *err);

/* Appends the words that measure one state and write run->file. If run->one_file is false, the program writes the
 * samples beside the file. If the command chooses no device, the words choose the first visible device. */
bool kg_nvbench_run_words(struct kg_arena *arena, const struct kg_foreign_run *run,
                          const char ***words, size_t *count, struct kg_error *err);
