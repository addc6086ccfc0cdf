#include "model/shard_plan.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/sha256.h"

#define STRUCT kg_planned_case
static const struct kg_field case_fields[] = {
    KG_FIELD(id, STRING, "id of the case", KG_NOT_EMPTY),
    KG_FIELD(definition_hash, STRING, "hash of the case's definition", KG_PATTERN_HASH),
    KG_FIELD(shard, SIZE, "number of the shard that measures the case, from 1", KG_FROM(1)),
    KG_FIELD(seconds, REAL, "expected duration, s", KG_FROM_0),
    KG_FIELD(known, BOOL, "whether `seconds` is the duration of stored rounds"),
};
static const struct kg_record case_record = KG_RECORD_OF(case_fields, "One case of a plan.");
#undef STRUCT

#define STRUCT kg_shard_plan
static const struct kg_field plan_fields[] = {
    KG_FIELD(kgate_version, STRING, "version of kgate"),
    KG_FIELD(suite, STRING, "name of the suite"),
    KG_FIELD(suite_path, STRING, "path of the suite as given"),
    KG_FIELD(shards, SIZE, "number of shards", KG_FROM(1)),
    KG_FIELD(seconds, REAL, "expected duration of all cases one after the other, s", KG_FROM_0),
    KG_LIST(cases, case_count, RECORDS, "cases in the suite's order", KG_OF(case_record)),
};
enum { PLAN_FIELDS = sizeof plan_fields / sizeof *plan_fields };
const struct kg_record kg_shard_plan_record =
    KG_RECORD_OF(plan_fields, "The shard of each case, for a fleet of machines.");
#undef STRUCT

/* --- Reading ---------------------------------------------------------------------------------- */

static int by_id(const void *a, const void *b)
{
    return strcmp((*(const struct kg_planned_case *const *)a)->id,
                  (*(const struct kg_planned_case *const *)b)->id);
}

static bool cases_check(const struct kg_shard_plan *plan, struct kg_error *err)
{
    for (size_t i = 0; i < plan->case_count; i++)
        if (plan->cases[i].shard > plan->shards)
            return kg_error_set(err, KG_ERROR_USAGE,
                                "cases[%zu].shard: expected a number from 1 to %zu, found %zu", i,
                                plan->shards, plan->cases[i].shard);
    for (size_t i = 1; i < plan->case_count; i++)
        if (!strcmp(plan->sorted[i - 1]->id, plan->sorted[i]->id))
            return kg_error_set(err, KG_ERROR_USAGE, "cases: two cases have the id '%.200s'",
                                plan->sorted[i]->id);
    return true;
}

/* Reads with a table that permits one suite and one number of shards. So the reader knows the place of another. */
static bool expected_load(const char *path, const char *suite, size_t shards,
                          struct kg_shard_plan *plan, struct kg_error *err)
{
    char number[24];
    const char *const suites[] = {suite, NULL}, *const numbers[] = {number, NULL};
    struct kg_field fields[PLAN_FIELDS];
    struct kg_record expected = kg_shard_plan_record;
    snprintf(number, sizeof number, "%zu", shards);
    memcpy(fields, plan_fields, sizeof fields);
    expected.fields = fields;
    for (size_t i = 0; i < PLAN_FIELDS; i++) {
        if (suite && !strcmp(fields[i].name, "suite"))
            fields[i].names = suites;
        if (shards && !strcmp(fields[i].name, "shards"))
            fields[i].names = numbers;
    }
    return kg_record_load(&expected, KG_PLAN_SCHEMA, path, &plan->arena, plan, err);
}

bool kg_shard_plan_load(const char *path, const char *suite, size_t shards,
                        struct kg_shard_plan *plan, struct kg_error *err)
{
    char hex[KG_SHA256_DIGITS + 1];
    *plan = (struct kg_shard_plan){0};
    if (!expected_load(path, suite, shards, plan, err)) {
        kg_shard_plan_free(plan);
        return false;
    }
    if (kg_sha256_file(path, hex))
        plan->hash = kg_arena_copy_bytes(&plan->arena, hex, KG_PLAN_HASH_DIGITS);
    plan->sorted = kg_arena_alloc(&plan->arena, plan->case_count, sizeof(void *));
    for (size_t i = 0; i < plan->case_count; i++)
        plan->sorted[i] = &plan->cases[i];
    if (plan->case_count)
        qsort(plan->sorted, plan->case_count, sizeof(void *), by_id);
    if (cases_check(plan, err))
        return true;
    kg_shard_plan_free(plan);
    return kg_error_wrap(err, "%s", path);
}

void kg_shard_plan_free(struct kg_shard_plan *plan)
{
    kg_arena_free(&plan->arena);
    *plan = (struct kg_shard_plan){0};
}

const struct kg_planned_case *kg_shard_plan_find(const struct kg_shard_plan *plan, const char *id)
{
    const struct kg_planned_case wanted = {.id = id}, *key = &wanted;
    const struct kg_planned_case *const *found =
        plan->case_count ? bsearch(&key, plan->sorted, plan->case_count, sizeof(void *), by_id)
                         : NULL;
    return found ? *found : NULL;
}

/* --- Assignment ------------------------------------------------------------------------------- */

/* The weight of a shard for a group. FNV alone hardly spreads the last bytes, so a second step mixes them. */
static uint64_t weight(const char *id, size_t shard)
{
    const uint64_t number = shard;
    const uint64_t hash = kg_hash_string(KG_HASH_START, id);
    struct kg_random random = {.state = kg_hash_bytes(hash, &number, sizeof number)};
    return kg_random_next(&random);
}

/* The shard with the largest weight among those with room.
 * loads  seconds per shard; NULL: every shard has room */
static size_t shard_find(const struct kg_shard_group *group, size_t shards, const double *loads,
                         double most)
{
    size_t best = 0;
    uint64_t best_weight = 0;
    for (size_t shard = 1; shard <= shards; shard++) {
        const uint64_t own = weight(group->id, shard);
        if (loads && loads[shard - 1] + group->seconds > most)
            continue;
        if (!best || own > best_weight) {
            best = shard;
            best_weight = own;
        }
    }
    return best ? best : 1; /* rounding: some shard always has room */
}

size_t kg_shard_preferred(const char *id, size_t shards)
{
    const struct kg_shard_group group = {.id = id};
    return shard_find(&group, shards, NULL, 0);
}

/* A group and its place in the order of assignment. */
struct turn {
    uint64_t order;
    size_t index;
};

static int by_order(const void *a, const void *b)
{
    const struct turn *one = a, *other = b;
    if (one->order != other->order)
        return one->order < other->order ? -1 : 1;
    return (one->index > other->index) - (one->index < other->index);
}

/* The order depends on the ids alone. An order by time would move many groups if one time changed. */
static void turns_make(const struct kg_shard_group *groups, size_t count, struct turn *turns)
{
    for (size_t i = 0; i < count; i++)
        turns[i] = (struct turn){weight(groups[i].id, 0), i};
    if (count)
        qsort(turns, count, sizeof *turns, by_order);
}

void kg_shards_assign(const struct kg_shard_group *groups, size_t count, size_t shards,
                      size_t *shard_of)
{
    static const double SPARE = 1.25;
    double all = 0, largest = 0;
    double *loads = kg_alloc(shards, sizeof *loads);
    struct turn *turns = kg_alloc(count + 1, sizeof *turns);
    turns_make(groups, count, turns);
    for (size_t i = 0; i < count; i++) {
        all += groups[i].seconds;
        largest = groups[i].seconds > largest ? groups[i].seconds : largest;
    }
    const double most = SPARE * all / (double)shards + largest;
    for (size_t i = 0; i < count; i++) {
        const struct kg_shard_group *group = &groups[turns[i].index];
        const size_t shard = shard_find(group, shards, loads, most);
        loads[shard - 1] += group->seconds;
        shard_of[turns[i].index] = shard;
    }
    free(loads);
    free(turns);
}
