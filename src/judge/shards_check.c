/* shards_check.c: refuses to join results that no single run could have. */
#include <math.h>
#include <string.h>

#include "base/names.h"
#include "judge/shards.h"

/* A text that all parts must share. */
struct shared_text {
    const char *words;
    const char *(*of)(const struct kg_results *results);
    const char *fix;
};

static const char *suite_of(const struct kg_results *results)
{
    return results->suite;
}

static const char *version_of(const struct kg_results *results)
{
    return results->kgate_version;
}

static const char *commit_of(const struct kg_results *results)
{
    return results->commit;
}

static const char *plan_of(const struct kg_results *results)
{
    return results->shard.plan;
}

static const char *definition_of(const struct kg_results *results)
{
    return results->shard.definition;
}

static const char *trust_of(const struct kg_results *results)
{
    return results->shard.trust;
}

static const char *kind_of(const struct kg_results *results)
{
    return results->pair ? "paired rounds" : "one build";
}

static const struct shared_text shared[] = {
    {"suite", suite_of, "merge one suite at a time"},
    {"kgate version", version_of, "use one version of kgate on all machines"},
    {"commit", commit_of, "build the same commit on all machines"},
    {"plan", plan_of, "measure all shards by the same --plan"},
    {"cases or settings", definition_of, "use the same suite, --filter and --set on all machines"},
    {"--trust", trust_of, "use the same --trust on all machines"},
    {"kind of measurement", kind_of, "merge the shards of one `gate`, `ab` or `run`"},
};
enum { SHARED_COUNT = sizeof shared / sizeof *shared };

static bool same(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

static bool texts_check(const struct kg_shard_part *a, const struct kg_shard_part *b,
                        struct kg_error *err)
{
    for (size_t i = 0; i < SHARED_COUNT; i++) {
        const char *first = shared[i].of(a->results), *second = shared[i].of(b->results);
        if (!same(first, second))
            return kg_error_set(err, KG_ERROR_USAGE,
                                "the shards differ in their %s: '%.100s' in %s, '%.100s' in %s; %s",
                                shared[i].words, first ? first : "none", a->path,
                                second ? second : "none", b->path, shared[i].fix);
    }
    return true;
}

static bool same_share(double a, double b)
{
    return isnan(a) == isnan(b) && !(a < b || a > b);
}

static bool same_policy(const struct kg_results_policy *a, const struct kg_results_policy *b)
{
    return a->fail_on == b->fail_on && a->missing_device == b->missing_device &&
           a->undecided == b->undecided && same_share(a->missing, b->missing) &&
           same_share(a->alpha, b->alpha) && a->reports == b->reports;
}

static bool part_check(const struct kg_shard_part *a, const struct kg_shard_part *b,
                       struct kg_error *err)
{
    const struct kg_shard *first = &a->results->shard, *second = &b->results->shard;
    if (!texts_check(a, b, err))
        return false;
    if (!same_policy(&a->results->policy, &b->results->policy))
        return kg_error_set(err, KG_ERROR_USAGE,
                            "the shards differ in their policy: %s and %s; use the same suite on "
                            "all machines",
                            a->path, b->path);
    if (first->count != second->count || first->cases != second->cases)
        return kg_error_set(err, KG_ERROR_USAGE,
                            "%s is one of %zu shards with %zu cases, %s one of %zu with %zu; merge "
                            "the shards of one run",
                            a->path, first->count, first->cases, b->path, second->count,
                            second->cases);
    return true;
}

/* Finds an earlier case with the same key, or stores this one. */
static size_t earlier(struct kg_arena *scratch, struct kg_names *names, const char *key,
                      size_t part)
{
    const size_t length = strlen(key);
    const size_t *found = kg_names_find(names, key, length);
    if (found)
        return *found;
    kg_names_set(scratch, names, key, length, part);
    return part;
}

/* Checks that no other part has the case. */
static bool id_check(struct kg_arena *scratch, struct kg_names *ids,
                     const struct kg_shard_part *parts, size_t part, const char *id,
                     struct kg_error *err)
{
    const size_t other = earlier(scratch, ids, id, part);
    return other == part ||
           kg_error_set(err, KG_ERROR_USAGE,
                        "case '%.200s' is in %s and in %s; merge the shards of one run", id,
                        parts[other].path, parts[part].path);
}

/* Makes the key of code that all parts must share. All workloads of a plugin are one file; a program may depend on the
 * workload's arguments. */
static const char *owner_make(struct kg_arena *scratch, const struct kg_case_result *result)
{
    const bool is_plugin = result->source && !strcmp(result->source, "plugin");
    const char *name = is_plugin ? strrchr(result->target, ':') : NULL;
    const int length = (int)(name ? (size_t)(name - result->target) : strlen(result->target));
    return kg_arena_printf(scratch, "%s\n%.*s\n%s", is_plugin ? "" : result->workload, length,
                           result->target, result->device);
}

/* Checks that the workload had the same code in the parts before. */
static bool code_check(struct kg_arena *scratch, struct kg_names *codes,
                       const struct kg_shard_part *parts, size_t part,
                       const struct kg_case_result *result, struct kg_error *err)
{
    if (!result->code.hash || !result->target)
        return true;
    const char *owner = owner_make(scratch, result);
    const char *key = kg_arena_printf(scratch, "%s\n%s", owner, result->code.hash);
    const size_t first = earlier(scratch, codes, owner, part);
    if (first == part) {
        kg_names_set(scratch, codes, key, strlen(key), part);
        return true;
    }
    return kg_names_find(codes, key, strlen(key)) ||
           kg_error_set(
               err, KG_ERROR_USAGE,
               "'%.200s' has other code in %s than in %s; give all machines the same build",
               result->target, parts[part].path, parts[first].path);
}

bool kg_shards_check(const struct kg_shard_part *parts, size_t count, struct kg_error *err)
{
    struct kg_arena scratch = {0};
    struct kg_names ids = {0}, codes = {0};
    bool good = true;
    for (size_t p = 0; p < count && good; p++) {
        const struct kg_results *results = parts[p].results;
        good = part_check(&parts[0], &parts[p], err);
        for (size_t i = 0; i < results->case_count && good; i++)
            good = id_check(&scratch, &ids, parts, p, results->cases[i].id, err) &&
                   code_check(&scratch, &codes, parts, p, &results->cases[i], err);
    }
    kg_arena_free(&scratch);
    return good;
}
