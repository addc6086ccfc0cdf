/* Shards of different runs are refused, with both files and the difference. */
#include "judge/shards.h"
#include "test_support.h"

/* Two shards of four cases: w0 and w1 in a.json, w2 and w3 in b.json. */
struct pair {
    struct kg_results a, b;
    struct kg_shard_part parts[2];
};

static void pair_begin(struct pair *pair)
{
    support_results(&pair->a, 2, 3, 10000);
    support_results(&pair->b, 4, 3, 10000);
    pair->b.cases += 2;
    pair->b.case_count = 2;
    pair->a.shard = (struct kg_shard){.count = 2, .index = 1, .cases = 4};
    pair->b.shard = (struct kg_shard){.count = 2, .index = 2, .cases = 4};
    pair->parts[0] = (struct kg_shard_part){.path = "a.json", .results = &pair->a};
    pair->parts[1] = (struct kg_shard_part){.path = "b.json", .results = &pair->b};
}

/* Checks the shards, and frees them.
 * words  a part of the error, beside both names; NULL: no error */
static void pair_end(struct pair *pair, const char *words)
{
    struct kg_error err = {0};
    const bool good = kg_shards_check(pair->parts, 2, &err);
    if (!words) {
        if (!good)
            fail_msg("refused: %s", err.message);
    } else if (good || err.kind != KG_ERROR_USAGE || !strstr(err.message, words) ||
               !strstr(err.message, "a.json") || !strstr(err.message, "b.json")) {
        fail_msg("expected both files and '%s', found '%s'", words,
                 good ? "no error" : err.message);
    }
    kg_results_free(&pair->a);
    kg_results_free(&pair->b);
}

static void shards_of_one_run_are_good(void **state)
{
    struct pair pair;
    pair_begin(&pair);
    pair_end(&pair, NULL);
}

static void what_all_shards_share_must_be_equal(void **state)
{
    struct pair pair;
    pair_begin(&pair);
    pair.b.suite = "other";
    pair_end(&pair, "suite");
    pair_begin(&pair);
    pair.b.kgate_version = "0.2.0";
    pair_end(&pair, "kgate version");
    pair_begin(&pair);
    pair.a.commit = "v1";
    pair_end(&pair, "commit: 'v1' in a.json, 'none' in b.json");
    pair_begin(&pair);
    pair.a.shard.plan = "01";
    pair.b.shard.plan = "02";
    pair_end(&pair, "plan");
    pair_begin(&pair);
    pair.b.pair = "0123";
    pair_end(&pair, "kind of measurement");
}

static void every_part_of_the_policy_counts(void **state)
{
    struct pair pair;
    pair_begin(&pair);
    pair.b.policy.fail_on |= 1U << KG_CHANGE_NEW;
    pair_end(&pair, "policy");
    pair_begin(&pair);
    pair.b.policy.alpha = 0.05;
    pair_end(&pair, "policy");
    pair_begin(&pair);
    pair.a.policy.missing = NAN;
    pair.b.policy.missing = 0.5;
    pair_end(&pair, "policy");
    pair_begin(&pair);
    pair.a.policy.missing = pair.b.policy.missing = NAN;
    pair_end(&pair, NULL);
}

static void shards_of_another_count_are_refused(void **state)
{
    struct pair pair;
    pair_begin(&pair);
    pair.b.shard.count = 3;
    pair_end(&pair, "one of 2 shards with 4 cases");
    pair_begin(&pair);
    pair.b.shard.cases = 5;
    pair_end(&pair, "one of 2 with 5");
}

static void a_case_in_two_shards_is_refused(void **state)
{
    struct pair pair;
    pair_begin(&pair);
    pair.b.cases[1].id = "w0/cpu";
    pair_end(&pair, "'w0/cpu'");
}

static void code_set(struct kg_case_result *result, const char *workload, const char *hash)
{
    result->workload = workload;
    result->target = "./app";
    result->code.hash = hash;
}

static void one_workload_has_one_code_on_all_machines(void **state)
{
    struct pair pair;
    pair_begin(&pair);
    code_set(&pair.a.cases[0], "w", "1111");
    code_set(&pair.b.cases[0], "w", "2222");
    pair_end(&pair, "'./app' has other code");
    pair_begin(&pair); /* a workload may have several codes, if all machines have them */
    code_set(&pair.a.cases[0], "w", "1111");
    code_set(&pair.a.cases[1], "w", "2222");
    code_set(&pair.b.cases[0], "w", "2222");
    pair_end(&pair, NULL);
    pair_begin(&pair); /* another workload */
    code_set(&pair.a.cases[0], "w", "1111");
    code_set(&pair.b.cases[0], "v", "2222");
    pair_end(&pair, NULL);
    pair_begin(&pair); /* unknown code */
    code_set(&pair.a.cases[0], "w", "1111");
    code_set(&pair.b.cases[0], "w", NULL);
    pair_end(&pair, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shards_of_one_run_are_good),
        cmocka_unit_test(what_all_shards_share_must_be_equal),
        cmocka_unit_test(every_part_of_the_policy_counts),
        cmocka_unit_test(shards_of_another_count_are_refused),
        cmocka_unit_test(a_case_in_two_shards_is_refused),
        cmocka_unit_test(one_workload_has_one_code_on_all_machines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
