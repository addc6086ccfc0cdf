/* merge.h: one comparison and one verdict over the shards of a fleet. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "gate/shard_files.h"
#include "judge/shards.h"
#include "judge/waivers_apply.h"
#include "model/comparison.h"
#include "model/shard_plan.h"
#include "why/suggestions.h"

struct kg_merge_options {
    const char *const *paths; /* results files, and folders that hold shards */
    size_t path_count;
    const char *directory; /* folder for the joined results and the reports */
    const char
        *baselines; /* folder of the store, for shards without a baseline of their own; or NULL */
    const char *baselines_named; /* the same folder, if a later command must name it; else NULL */
    const char *note;            /* added to a comparison that fails; NULL: none */
    const char *plan_path;
    const struct kg_shard_plan *plan; /* NULL: the shards themselves tell which cases are missing */
};

/* Owns everything until kg_merge_free. */
struct kg_merge {
    struct kg_attempts attempts;
    struct kg_results results;
    struct kg_baseline baseline;
    struct kg_comparison comparison;
    struct kg_suggestions suggestions;
    struct kg_results base; /* `ab`: the baseline side; `gate`: both sides of its paired rounds */
    struct kg_results head;
    bool is_pair;   /* an `ab` */
    bool has_pairs; /* a `gate` with paired rounds */
    const char *results_path;
    /* internal: */
    struct kg_arena arena;
    struct kg_shard_part *parts; /* attempts that count */
    size_t part_count;
    struct kg_stored *stored; /* baselines of the store, by fingerprint */
    size_t stored_count;
    struct kg_expected_case *expected;
    size_t expected_count;
    const struct kg_attempt **shards; /* by number, from 1: the best attempt; NULL: none */
    size_t shard_most;
};

/* Reads the shards and joins their results.
 * merge  the caller frees it with kg_merge_free, also on failure
 * err    KG_ERROR_USAGE: no results, or shards of different runs */
bool kg_merge_read(const struct kg_merge_options *options, struct kg_merge *merge,
                   struct kg_error *err);

/* Compares the joined results, decides the verdict, and writes the results and all reports.
 * waiving  NULL: nothing is waived */
bool kg_merge_judge(const struct kg_merge_options *options, const struct kg_waiving *waiving,
                    struct kg_merge *merge, struct kg_error *err);

void kg_merge_free(struct kg_merge *merge);

/* Internal: whether a shard of that number counts. */
bool kg_merge_has(const struct kg_merge *merge, size_t shard);

/* Internal: returns the attempt of a shard that ended too early; NULL: none, or another attempt counts. */
const struct kg_attempt *kg_merge_half(const struct kg_merge *merge, size_t shard);
