#include "base/random.h"
#include "model/shard_plan.h"
#include "test_support.h"

enum { GROUPS = 200, SHARDS = 16 };

static struct kg_shard_group groups[GROUPS + 1];
static char ids[GROUPS + 1][32];

static void groups_make(uint64_t seed)
{
    struct kg_random random = {.state = seed};
    for (size_t i = 0; i <= GROUPS; i++) {
        snprintf(ids[i], sizeof ids[i], "w%zu/n=%zu/cpu", i % 7, i);
        groups[i] = (struct kg_shard_group){ids[i], exp(3 * kg_random_unit(&random))};
    }
}

/* Sum of the times of each shard, checked against the bound. */
static void bound_check(const size_t *shard_of, size_t count, size_t shards)
{
    double all = 0, largest = 0, loads[SHARDS] = {0};
    for (size_t i = 0; i < count; i++) {
        assert_true(shard_of[i] >= 1 && shard_of[i] <= shards);
        loads[shard_of[i] - 1] += groups[i].seconds;
        all += groups[i].seconds;
        largest = fmax(largest, groups[i].seconds);
    }
    for (size_t shard = 0; shard < shards; shard++)
        assert_true(loads[shard] <= 1.25 * all / (double)shards + largest + 1e-9);
}

static size_t moves(const size_t *before, const size_t *after, size_t count)
{
    size_t moved = 0;
    for (size_t i = 0; i < count; i++)
        moved += before[i] != after[i];
    return moved;
}

static void no_shard_has_much_more_than_the_mean(void **state)
{
    size_t shard_of[GROUPS];
    for (uint64_t seed = 1; seed <= 20; seed++) {
        groups_make(seed);
        for (size_t shards = 1; shards <= SHARDS; shards++) {
            kg_shards_assign(groups, GROUPS, shards, shard_of);
            bound_check(shard_of, GROUPS, shards);
        }
        kg_shards_assign(groups, 3, SHARDS, shard_of);
        bound_check(shard_of, 3, SHARDS);
    }
    kg_shards_assign(groups, 0, SHARDS, shard_of);
}

static void new_group_or_time_moves_few_others(void **state)
{
    size_t before[GROUPS + 1], after[GROUPS + 1], added = 0, changed = 0, machine = 0;
    enum { SEEDS = 20 };
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        groups_make(seed);
        kg_shards_assign(groups, GROUPS, SHARDS, before);
        kg_shards_assign(groups, GROUPS + 1, SHARDS, after);
        added += moves(before, after, GROUPS);
        groups[seed].seconds *= 2;
        kg_shards_assign(groups, GROUPS, SHARDS, after);
        changed += moves(before, after, GROUPS);
        groups[seed].seconds /= 2;
        kg_shards_assign(groups, GROUPS, SHARDS - 1, after);
        machine += moves(before, after, GROUPS);
    }
    print_message("moved of %d: %.1f by a new group, %.1f by a time, %.1f by one shard less\n",
                  GROUPS, (double)added / SEEDS, (double)changed / SEEDS, (double)machine / SEEDS);
    assert_true(added <= SEEDS * GROUPS / 20);
    assert_true(changed <= SEEDS * GROUPS / 20);
    assert_true(machine <= SEEDS * GROUPS / 3);
}

static void preferred_shards_are_spread(void **state)
{
    size_t counts[SHARDS] = {0};
    groups_make(1);
    for (size_t i = 0; i < GROUPS; i++) {
        const size_t shard = kg_shard_preferred(groups[i].id, SHARDS);
        assert_true(shard >= 1 && shard <= SHARDS);
        counts[shard - 1]++;
    }
    for (size_t shard = 0; shard < SHARDS; shard++)
        assert_true(counts[shard] > 0 && counts[shard] < (size_t)GROUPS / 5);
}

/* A plan in a file, with some text replaced. */
static bool load(const char *cases, const char *suite, size_t shards, struct kg_shard_plan *plan,
                 struct kg_error *err)
{
    char text[2048], path[128];
    const char *folder = support_folder();
    snprintf(path, sizeof path, "%s/plan.json", folder);
    snprintf(text, sizeof text,
             "{\"schema\": \"kgate.plan.v1\",\n\"kgate_version\": \"0.1.0\",\n\"suite\": \"s\",\n"
             "\"suite_path\": \"s.yaml\",\n\"shards\": 2,\n\"seconds\": 3,\n\"cases\": [%s]}\n",
             cases);
    support_file(path, text, strlen(text));
    const bool good = kg_shard_plan_load(path, suite, shards, plan, err);
    support_remove(folder);
    return good;
}

#define CASE(id, shard)                                                                            \
    "{\"id\": \"" id "\", \"definition_hash\": \"0123456789abcdef\", \"shard\": " shard            \
    ", \"seconds\": 1.5, \"known\": true}"

static void plan_of_a_file_finds_its_cases(void **state)
{
    struct kg_shard_plan plan;
    struct kg_error err;
    if (!load(CASE("b/cpu", "2") ", " CASE("a/cpu", "1"), "s", 2, &plan, &err))
        fail_msg("%s", err.message);
    assert_int_equal(plan.case_count, 2);
    assert_int_equal(kg_shard_plan_find(&plan, "b/cpu")->shard, 2);
    assert_int_equal(kg_shard_plan_find(&plan, "a/cpu")->shard, 1);
    assert_null(kg_shard_plan_find(&plan, "c/cpu"));
    assert_int_equal(strlen(plan.hash), KG_PLAN_HASH_DIGITS);
    kg_shard_plan_free(&plan);
    assert_true(load("", NULL, 0, &plan, &err)); /* any suite, any number of shards, no cases */
    assert_null(kg_shard_plan_find(&plan, "a/cpu"));
    kg_shard_plan_free(&plan);
}

static void plan_for_something_else_is_refused_at_its_place(void **state)
{
    static const struct {
        const char *cases, *suite;
        size_t shards;
        unsigned line;
        const char *message;
    } rows[] = {
        {CASE("a/cpu", "1"), "other", 2, 3, "suite: expected one of other, found 's'"},
        {CASE("a/cpu", "1"), "s", 4, 5, "shards: expected one of 4, found '2'"},
        {CASE("a/cpu", "0"), "s", 2, 7, "cases[0].shard: expected a whole number from 1 up"},
        {CASE("a/cpu", "3"), "s", 2, 0, "cases[0].shard: expected a number from 1 to 2, found 3"},
        {CASE("a/cpu", "1") "," CASE("a/cpu", "2"), "s", 2, 0, "two cases have the id 'a/cpu'"},
        {"7", "s", 2, 7, "cases[0]: expected an object"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct kg_shard_plan plan;
        struct kg_error err = {0};
        assert_false(load(rows[i].cases, rows[i].suite, rows[i].shards, &plan, &err));
        assert_int_equal(err.kind, KG_ERROR_USAGE);
        if (err.line != rows[i].line || !strstr(err.message, rows[i].message))
            fail_msg("row %zu, line %u: %s", i, err.line, err.message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_shard_has_much_more_than_the_mean),
        cmocka_unit_test(new_group_or_time_moves_few_others),
        cmocka_unit_test(preferred_shards_are_spread),
        cmocka_unit_test(plan_of_a_file_finds_its_cases),
        cmocka_unit_test(plan_for_something_else_is_refused_at_its_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
