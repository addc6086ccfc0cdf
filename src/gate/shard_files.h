/* shard_files.h: finds the attempts of shards in folders, and chooses one whole attempt per shard. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "model/baseline.h"
#include "model/results.h"

/* One attempt of a shard, as its files tell. */
struct kg_attempt {
    const char *path; /* its folder, or the results file of a `run` */
    struct kg_results results;
    struct kg_results base;      /* baseline side of paired rounds; empty: none */
    struct kg_results head;      /* `gate`: candidate side of its paired rounds; empty: none */
    struct kg_baseline baseline; /* `gate`: the runs that it compared with, maybe none */
    bool has_baseline;           /* whether the attempt keeps these runs itself */
    bool is_pair;                /* an `ab`: base and results are two sides */
    bool has_pairs;              /* base and head are there */
    bool whole;                  /* the run ended, and so did its comparison */
    const char *why;             /* why the attempt does not count; NULL: it counts */
};

/* All attempts in the order of their paths. */
struct kg_attempts {
    struct kg_arena arena;
    struct kg_attempt *at;
    size_t count, capacity;
    const char **notes; /* files that kgate left out, with the reason */
    size_t note_count, note_capacity;
};

/* Reads the attempts of the paths: results files, and folders that hold shards to a depth of three.
 * skip      folder to leave out: the output of this merge; NULL: none
 * attempts  filled, freed with kg_attempts_free also on failure
 * err       KG_ERROR_USAGE: a path is missing, a named file is unreadable, or there are no results */
bool kg_attempts_read(const char *const *paths, size_t count, const char *skip,
                      struct kg_attempts *attempts, struct kg_error *err);

/* Chooses the newest whole attempt of each shard. The other attempts get their `why`, and a note. */
void kg_attempts_choose(struct kg_attempts *attempts);

void kg_attempts_free(struct kg_attempts *attempts);
