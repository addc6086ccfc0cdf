/* Disturbed rounds: the counted rounds, the number of repetitions, and the note. */
#include "model/disturbance.h"
#include "model/throttle.h"
#include "test_support.h"

enum { ROUNDS = 12 };

/* 30 ms of 100 samples on one CPU, with a share of waiting. */
static struct kg_round waited(double share, uint64_t waits)
{
    return (struct kg_round){.wall_ns = 30e6,
                             .cpu_ns = 300e3 * (1 - share),
                             .calls = 100,
                             .batch = 1,
                             .involuntary_switches = waits,
                             .wait_ns = share * 30e6};
}

static void a_wait_counts_where_it_may_reach_the_median(void **state)
{
    struct kg_round round = waited(0.2, 40);
    assert_float_equal(kg_round_disturbance(&round), 0.2, 1e-9);
    round = waited(0.2, 30); /* seventy samples of a hundred had none */
    assert_float_equal(kg_round_disturbance(&round), 0, 0);
    round = waited(0.6, 3); /* but a share above half is too much */
    assert_float_equal(kg_round_disturbance(&round), 0.6, 1e-9);
    round.wait_ns = NAN;
    assert_true(isnan(kg_round_disturbance(&round)));
}

static void a_wait_of_a_team_is_a_share_of_what_all_wanted(void **state)
{
    struct kg_round round = waited(0, 60);
    round.cpu_ns = 300e3; /* two threads, one CPU: each waits while the other runs */
    round.wait_ns = 30e6;
    assert_float_equal(kg_round_disturbance(&round), 0.5, 1e-9);
    round.cpu_ns = 3e3; /* a hundredth of the time on the CPU, another waiting, and asleep else */
    round.wait_ns = 0.3e6;
    assert_float_equal(kg_round_disturbance(&round), 0.01, 1e-9);
}

static void waking_up_and_a_tick_of_the_host_are_not_a_disturbance(void **state)
{
    struct kg_round round = waited(0.3, 0);
    round.voluntary_switches = 90;
    assert_float_equal(kg_round_disturbance(&round), 0, 0);
    round.voluntary_switches = 45; /* 4.5 ms of 9 */
    assert_true(kg_round_disturbance(&round) > 0.14);
    round = waited(0, 0);
    round.stolen_ns = 10e6;
    assert_float_equal(kg_round_disturbance(&round), 0, 0);
    round.stolen_ns = 20e6;
    assert_float_equal(kg_round_disturbance(&round), 0.25, 1e-9);
}

static struct kg_case_result case_of(struct kg_round *rounds, size_t count)
{
    return (struct kg_case_result){
        .rounds = rounds, .round_count = count, .disturbance_limit = NAN};
}

static size_t repeated(struct kg_round *rounds, size_t count, size_t wanted)
{
    const struct kg_case_result result = case_of(rounds, count);
    return kg_rounds_to_repeat(&result, wanted);
}

static bool judged(struct kg_round *rounds, size_t count, size_t index)
{
    const struct kg_case_result result = case_of(rounds, count);
    return kg_round_judged(&result, index);
}

static size_t judged_count(struct kg_round *rounds, size_t count)
{
    size_t all = 0;
    for (size_t i = 0; i < count; i++)
        all += judged(rounds, count, i);
    return all;
}

static void rounds_that_were_disturbed_are_repeated_within_bounds(void **state)
{
    struct kg_round rounds[10] = {0};
    assert_int_equal(repeated(rounds, 10, 10), 0);
    rounds[3].throttled = true;
    rounds[4].disturbance = 0.051;
    rounds[5].disturbance = NAN;
    assert_int_equal(repeated(rounds, 10, 10), 2);
    for (size_t i = 0; i < 10; i++)
        rounds[i].throttled = true;
    assert_int_equal(repeated(rounds, 10, 10), 5);
    assert_int_equal(repeated(rounds, 1, 1), 1);
    assert_int_equal(repeated(rounds, 0, 5), 0);
}

static void the_calmest_rounds_are_judged_and_spoilt_ones_never(void **state)
{
    struct kg_round rounds[9] = {0};
    for (size_t i = 0; i < 4; i++)
        rounds[i].disturbance = 0.06 + 0.01 * (double)i;
    assert_int_equal(judged_count(rounds, 9), 5);
    /* all are disturbed: three are judged at the least */
    for (size_t i = 0; i < 9; i++)
        rounds[i].disturbance = 0.06 + 0.001 * (double)i;
    assert_int_equal(judged_count(rounds, 9), 3);
    assert_true(judged(rounds, 9, 2) && !judged(rounds, 9, 3));
    for (size_t i = 1; i < 9; i++)
        rounds[i].disturbance = 0.11;
    assert_int_equal(judged_count(rounds, 9), 1);
    struct kg_case_result patient = case_of(rounds, 9);
    patient.disturbance_limit = 0.2;
    assert_true(kg_round_judged(&patient, 8));
    assert_int_equal(kg_rounds_to_repeat(&patient, 9), 0);
    /* if it is unknown, all rounds are judged */
    for (size_t i = 0; i < 9; i++)
        rounds[i].disturbance = NAN;
    assert_int_equal(judged_count(rounds, 9), 9);
}

static void a_device_that_is_always_held_back_is_judged(void **state)
{
    struct kg_round rounds[4] = {0};
    rounds[0].throttled = rounds[1].throttled = true;
    assert_int_equal(judged_count(rounds, 4), 2);
    rounds[2].throttled = true;
    assert_int_equal(judged_count(rounds, 4), 4);
}

static struct kg_disturbance disturbance_of(struct kg_round *rounds, size_t count)
{
    const struct kg_case_result result = case_of(rounds, count);
    return kg_disturbance_of(&result);
}

static void a_machine_that_is_too_busy_is_noted(void **state)
{
    char words[KG_DISTURBANCE_WORDS];
    struct kg_round rounds[9] = {0};
    rounds[0].disturbance = 0.3;
    struct kg_disturbance found = disturbance_of(rounds, 9);
    assert_string_equal(kg_disturbance_words(&found, words), ""); /* others were measured for it */
    for (size_t i = 1; i < 4; i++)
        rounds[i].disturbance = 0.1;
    found = disturbance_of(rounds, 9);
    assert_false(kg_disturbance_too_busy(&found));
    assert_string_equal(
        kg_disturbance_words(&found, words),
        "4 of 9 rounds waited for a CPU for more than 5 % of their time (15 % on "
        "average): kgate judges only the 5 that waited least. Measure again when the "
        "machine is idle");
    for (size_t i = 1; i < 9; i++)
        rounds[i].disturbance = 0.5;
    found = disturbance_of(rounds, 9);
    assert_true(kg_disturbance_too_busy(&found));
    assert_string_equal(kg_disturbance_words(&found, words),
                        "the machine is too busy: 9 of 9 rounds waited for a CPU for 48 % of "
                        "their time on average (limit 10 %). Too few rounds are left to judge. "
                        "`kgate doctor` names the running programs. On a busy machine "
                        "`--set metrics=instructions` still decides, and "
                        "`--set disturbance=100%` judges every round");
    found = disturbance_of(rounds, 1);
    assert_true(kg_disturbance_too_busy(&found));
    found = disturbance_of(rounds, 0);
    assert_false(kg_disturbance_too_busy(&found));
}

/* Expects this part in the note on the deciding rounds. */
static void expect_words(struct kg_round *rounds, size_t count, const char *part)
{
    char words[KG_DISTURBANCE_WORDS];
    const struct kg_disturbance found = disturbance_of(rounds, count);
    if (!strstr(kg_disturbance_words(&found, words), part))
        fail_msg("'%s' is not in '%s'", part, words);
}

static void rounds_that_decide_are_named(void **state)
{
    struct kg_round rounds[9] = {0};
    for (size_t i = 5; i < 9; i++)
        rounds[i] = (struct kg_round){.confirms = true, .disturbance = 0.5};
    expect_words(rounds, 9, ": none of the 4 confirming rounds counts. ");
    rounds[5].disturbance = 0;
    rounds[0].disturbance = 0.5;
    expect_words(rounds, 9, ": 1 of the 4 confirming rounds counts. ");
}

static void what_disturbed_the_gpu_is_counted_and_noted(void **state)
{
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
    assert_string_equal(held, "the GPU was throttled in 2 of 12 rounds by the power limit");
    assert_string_equal(shared, "other processes were on the GPU in 1 of 12 rounds");
    kg_results_free(&results);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wait_counts_where_it_may_reach_the_median),
        cmocka_unit_test(a_wait_of_a_team_is_a_share_of_what_all_wanted),
        cmocka_unit_test(waking_up_and_a_tick_of_the_host_are_not_a_disturbance),
        cmocka_unit_test(rounds_that_were_disturbed_are_repeated_within_bounds),
        cmocka_unit_test(the_calmest_rounds_are_judged_and_spoilt_ones_never),
        cmocka_unit_test(a_device_that_is_always_held_back_is_judged),
        cmocka_unit_test(a_machine_that_is_too_busy_is_noted),
        cmocka_unit_test(rounds_that_decide_are_named),
        cmocka_unit_test(what_disturbed_the_gpu_is_counted_and_noted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
