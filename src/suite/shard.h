/* shard.h: the shard that --shard names. Its number, job and attempt may come from the environment of a scheduler.
 * Pure: the caller looks up the variables. */
#pragma once
#include <stdbool.h>

#include "base/arena.h"
#include "base/error.h"
#include "model/results.h"

/* Returns the value of an environment variable; NULL if it is not set. */
typedef const char *(*kg_variable_find)(void *user, const char *name);

/* Reads the value of --shard.
 * text     "I/N", "auto" or "auto/N"; I from 1. `auto` takes index and count from the first scheduler whose variables
 *          are set. `auto/N` takes only the index.
 * find     called with `user` for each variable that kgate may need
 * shard    gets index, count, job and attempt; its strings live in `arena`. The other members become 0.
 * returns  false with KG_ERROR_USAGE: other text, no scheduler, only a part of its variables, an index out of range */
bool kg_shard_parse(struct kg_arena *arena, const char *text, kg_variable_find find, void *user,
                    struct kg_shard *shard, struct kg_error *err);

/* Whether kgate names the output after the shard. Many shards then have the same command line. */
bool kg_shard_names_output(const char *text);

/* Returns "shard-03-of-16.job-4711.attempt-1", in `arena`. Without a job that part is missing. */
const char *kg_shard_label(struct kg_arena *arena, const struct kg_shard *shard);

/* Returns a path with the label before the ending of its file: "out/results.LABEL.json", in `arena`. */
const char *kg_shard_file(struct kg_arena *arena, const struct kg_shard *shard, const char *path);
