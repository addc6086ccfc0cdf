/* shards.h: joins the results of a fleet's shards, so that one comparison judges them as the results of one machine.
 * Pure, except for memory. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "model/baseline.h"
#include "model/comparison.h"
#include "model/results.h"

/* One whole attempt of a shard. */
struct kg_shard_part {
    const char *path; /* for errors */
    const struct kg_results *results;
    const struct kg_baseline *baseline; /* runs that these results are compared with; NULL: none */
};

/* A case that a plan expects. */
struct kg_expected_case {
    const char *id;
    size_t shard; /* from 1; 0: unknown */
};

/* Checks that the parts are of one suite, policy, kgate, commit and plan, that each workload has the same code in all
 * parts, and that no case is in two parts.
 * err  KG_ERROR_USAGE: names two files and the difference */
bool kg_shards_check(const struct kg_shard_part *parts, size_t count, struct kg_error *err);

/* Joins the parts into one run. Machine, environment and ceilings are those of the first part.
 * whole   whether no case is MISSING; otherwise `filter` says so, and no store takes the run
 * joined  borrows from the parts, freed with kg_results_free */
void kg_shards_join(const struct kg_shard_part *parts, size_t count, bool whole,
                    struct kg_results *joined);

/* Joins the baselines of the parts. The newest runs of all parts become one run, and so on. Of a baseline that also has
 * cases of other parts, each part takes its own cases. The same holds for priors.
 * joined  borrows from the parts, freed with kg_baseline_free; it has the fingerprint of the first part */
void kg_shards_join_baselines(const struct kg_shard_part *parts, size_t count,
                              struct kg_baseline *joined);

/* The name of the machine that measured the results: as the scheduler calls it, or its hash, or its kind. */
const char *kg_shards_node(const struct kg_results *results);

/* Sets shard and node of every case.
 * comparison  of the joined results */
void kg_shards_name(const struct kg_shard_part *parts, size_t count,
                    struct kg_comparison *comparison);

/* Appends a MISSING case for each expected case that the comparison lacks. The caller ranks the cases and decides the
 * verdict again.
 * reason   why the shard has no results, by its number; may return NULL */
void kg_shards_missing_append(const struct kg_expected_case *expected, size_t count,
                              const char *(*reason)(void *user, size_t shard), void *user,
                              struct kg_comparison *comparison);

/* node_peers.c: compares the machines of a fleet with each other. */

/* Fills the comparison's nodes. A node is suspect if it is slower than its peers: machines with its fingerprint. Then
 * each of its times that is worse than the stored runs becomes SUSPECT. Paired rounds keep their result, because both
 * sides ran on that node. The caller ranks the cases and decides the verdict again. */
void kg_nodes_judge(const struct kg_shard_part *parts, size_t count,
                    struct kg_comparison *comparison);
