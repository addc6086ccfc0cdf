/* nvbench_words.h: how an NVBench program is asked which benchmarks it has, and for one state of one of
 * them. Pure functions; thread-safe. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "suite/adapters/adapter.h"

/* Lists every state, a benchmark with one value of each of its axes, of what --jsonlist-benches prints.
 * words   of the command: refused where they choose benchmarks or outputs themselves
 * output  the JSON
 * err     KG_ERROR_MEASURE, or KG_ERROR_USAGE where it is no JSON */
bool kg_nvbench_list(struct kg_arena *arena, const char *const *words, size_t count, char *output,
                     struct kg_foreign_names *names, struct kg_error *err);

/* Appends the words that measure one state, on the first device that the process sees unless the command
 * chooses, and write run->file with the samples beside it. */
bool kg_nvbench_run_words(struct kg_arena *arena, const struct kg_foreign_run *run,
                          const char ***words, size_t *count, struct kg_error *err);
