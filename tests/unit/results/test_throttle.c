/* Rounds in which the device was held back: how many are repeated, and how they are told. */
#include "results/throttle.h"
#include "test_support.h"

enum { ROUNDS = 12 };

static void rounds_that_were_held_back_are_repeated_within_bounds(void **state)
{
    (void)state;
    struct kg_round rounds[10] = {0};
    assert_int_equal(kg_rounds_to_repeat(rounds, 10, 10), 0);
    rounds[3].throttled = true;
    assert_int_equal(kg_rounds_to_repeat(rounds, 10, 10), 1);
    for (size_t i = 0; i < 10; i++)
        rounds[i].throttled = true;
    assert_int_equal(kg_rounds_to_repeat(rounds, 10, 10), 5);
    assert_int_equal(kg_rounds_to_repeat(rounds, 1, 1), 1);
    assert_int_equal(kg_rounds_to_repeat(rounds, 0, 5), 0);
}

static void what_disturbed_the_gpu_is_counted_and_said(void **state)
{
    (void)state;
    struct kg_results results;
    char held[KG_CONDITION_WORDS], shared[KG_CONDITION_WORDS];
    support_results(&results, 1, ROUNDS, 100000);
    results.cases[0].device = "cuda";
    results.cases[0].timing = "cold";
    for (size_t i = 0; i < ROUNDS; i++)
        results.cases[0].rounds[i].sm_clock_hz = 1.98e9;
    struct kg_gpu_conditions found = kg_gpu_conditions(&results);
    assert_int_equal(found.rounds, ROUNDS);
    kg_gpu_conditions_words(&found, held, shared, sizeof held);
    assert_string_equal(held, "");
    assert_string_equal(shared, "");
    results.cases[0].rounds[2].throttled = true;
    results.cases[0].rounds[2].throttle = 0x4;
    results.cases[0].rounds[3].throttled = true;
    results.cases[0].rounds[3].throttle = 1e30; /* no bits: as a file may have it */
    results.cases[0].rounds[5].other_processes = 2;
    found = kg_gpu_conditions(&results);
    kg_gpu_conditions_words(&found, held, shared, sizeof held);
    assert_string_equal(held, "the GPU was held back in 2 of 12 rounds by the power limit");
    assert_string_equal(shared, "other processes were on the GPU in 1 of 12 rounds");
    kg_results_free(&results);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounds_that_were_held_back_are_repeated_within_bounds),
        cmocka_unit_test(what_disturbed_the_gpu_is_counted_and_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
