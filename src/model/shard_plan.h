/* shard_plan.h: which shard of a fleet measures which case. `kgate plan` writes it; a shard and `kgate merge` read it. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/record.h"

#define KG_PLAN_SCHEMA "kgate.plan.v1"

enum { KG_PLAN_HASH_DIGITS = 16 };

struct kg_planned_case {
    const char *id;
    const char *definition_hash;
    size_t shard;   /* from 1 */
    double seconds; /* expected duration */
    bool known;     /* whether `seconds` is the duration of stored rounds */
};

struct kg_shard_plan {
    struct kg_arena arena; /* owns everything below */
    const char *kgate_version;
    const char *suite;
    const char *suite_path;
    size_t shards;
    double seconds;                /* expected duration of all cases, one after the other */
    struct kg_planned_case *cases; /* in the suite's order */
    size_t case_count;
    /* in no file: */
    const char *hash; /* 16 hexadecimal digits of the file; NULL: not from a file */
    const struct kg_planned_case **sorted; /* by id */
};

extern const struct kg_record kg_shard_plan_record;

/* Reads a plan.
 * suite   name of the suite that the plan must be for; NULL: any
 * shards  number of shards that it must have; 0: any
 * plan    filled; the caller frees it with kg_shard_plan_free. Zeroed on failure.
 * err     KG_ERROR_USAGE with path, line and column of the refused field; without line if two cases have one id or a
 *         case is on a shard beyond the last */
bool kg_shard_plan_load(const char *path, const char *suite, size_t shards,
                        struct kg_shard_plan *plan, struct kg_error *err);
void kg_shard_plan_free(struct kg_shard_plan *plan);

/* Finds a case of a loaded plan; NULL: the plan lacks it. */
const struct kg_planned_case *kg_shard_plan_find(const struct kg_shard_plan *plan, const char *id);

/* Cases that one shard must measure together. */
struct kg_shard_group {
    const char *id; /* of the first case */
    double seconds;
};

/* Gives each group a shard, from 1. Each group prefers the shards in an order of its own, a hash of its id (rendezvous
 * hashing; Thaler and Ravishankar 1998). It takes the first one with room: no shard gets more than 1.25 times the mean
 * and the largest group (bounded loads; Mirrokni, Thorup and Zadimoghaddam 2018). So most groups keep their shard if a
 * group comes, goes or changes its time. Pure.
 * shard_of  room for `count` shards */
void kg_shards_assign(const struct kg_shard_group *groups, size_t count, size_t shards,
                      size_t *shard_of);

/* The shard that a group prefers, from 1: for cases that a plan lacks. Pure. */
size_t kg_shard_preferred(const char *id, size_t shards);
