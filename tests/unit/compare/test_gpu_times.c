/* Times on the GPU: confirmed in cycles, and without the rounds in which the device was held back.
 */
#include "results/throttle.h"
#include "test_support.h"

enum { ROUNDS = 12 };
static const double CLOCK_HZ = 1.98e9;

/* Results of one case on the GPU whose times are `time` and whose clock is `clock` times the usual.
 */
static void results_make(struct kg_results *results, double time, double clock, const char *timing)
{
    support_results(results, 1, ROUNDS, 100000 * time);
    results->cases[0].timing = timing;
    results->cases[0].device = "cuda";
    results->cases[0].work.bandwidth_share = 0.2;
    for (size_t i = 0; i < ROUNDS; i++) {
        struct kg_round *round = &results->cases[0].rounds[i];
        round->sm_clock_hz = clock * CLOCK_HZ * (1 + 1e-4 * (double)(i % 3));
        round->median_cycles = round->median_ns * 1e-9 * round->sm_clock_hz;
        round->pulse_ns = 1e9 * KG_PULSE_CYCLES / round->sm_clock_hz;
    }
}

/* Compares results with a stored run at the usual time and clock. */
static void judge(struct kg_results *now, enum kg_stage stage, struct kg_comparison *comparison)
{
    struct kg_results before;
    struct kg_baseline baseline = {0};
    struct kg_baseline_run run;
    struct kg_error err;
    results_make(&before, 1, 1, now->cases[0].timing);
    assert_true(kg_baseline_run_make(&baseline.arena, &before, &run));
    baseline.fingerprint = before.machine.fingerprint;
    baseline.runs = &run;
    baseline.run_count = 1;
    assert_true(kg_compare(&baseline, now, stage, comparison, &err));
    kg_results_free(&before);
    kg_results_free(now);
    kg_baseline_free(&baseline);
}

static void expect(double time, double clock, const char *timing, enum kg_change change,
                   const char *reason)
{
    struct kg_results now;
    struct kg_comparison comparison;
    results_make(&now, time, clock, timing);
    judge(&now, KG_STAGE_FINAL, &comparison);
    const struct kg_case_change *found = &comparison.cases[0];
    if (found->change != change)
        fail_msg("time x %g at clock x %g: %s (%s), expected %s", time, clock,
                 kg_change_name(found->change), found->reason ? found->reason : "no reason",
                 kg_change_name(change));
    if (reason && (!found->reason || !strstr(found->reason, reason)))
        fail_msg("time x %g at clock x %g: reason '%s', expected '%s'", time, clock,
                 found->reason ? found->reason : "none", reason);
    kg_comparison_free(&comparison);
}

static void a_time_that_moved_with_the_clock_is_no_change_and_said_so(void **state)
{
    (void)state;
    expect(1 / 0.9, 0.9, "cold", KG_CHANGE_NO_CHANGE, "moved with the GPU's clock");
    expect(1 / 1.1, 1.1, "hot", KG_CHANGE_NO_CHANGE, "moved with the GPU's clock");
}

static void a_time_that_moved_in_cycles_too_is_a_change(void **state)
{
    (void)state;
    expect(1.1, 1, "cold", KG_CHANGE_REGRESSION, NULL);
    expect(0.9, 1, "graph", KG_CHANGE_IMPROVEMENT, NULL);
    expect(1.12 / 0.95, 0.95, "cold", KG_CHANGE_REGRESSION, NULL);
    expect(1, 1, "cold", KG_CHANGE_NO_CHANGE, NULL);
}

/* Memory has a clock of its own: its time stays where the multiprocessors' clock moves. */
static void a_time_that_did_not_move_is_no_change_whatever_the_clock(void **state)
{
    (void)state;
    expect(1, 0.9, "cold", KG_CHANGE_NO_CHANGE, NULL);
    expect(1, 1.1, "cold", KG_CHANGE_NO_CHANGE, NULL);
}

static void a_change_that_cycles_do_not_confirm_is_doubtful(void **state)
{
    (void)state;
    /* 12 % slower, of which 7 % are the clock's: cycles are at the threshold of 5 % */
    expect(1.05 / 0.93, 0.93, "cold", KG_CHANGE_INCONCLUSIVE, NULL);
}

/* What waits for memory is not explained by the multiprocessors' clock. */
static void a_clock_is_no_excuse_for_a_workload_that_waits_for_memory(void **state)
{
    (void)state;
    struct kg_results now;
    struct kg_comparison comparison;
    results_make(&now, 1 / 0.8, 0.8, "cold");
    now.cases[0].work.bandwidth_share = 0.7; /* of 0.875 before */
    judge(&now, KG_STAGE_FINAL, &comparison);
    assert_int_equal(comparison.cases[0].change, KG_CHANGE_INCONCLUSIVE);
    assert_non_null(strstr(comparison.cases[0].reason, "waits for memory or the bus"));
    kg_comparison_free(&comparison);
    results_make(&now, 1 / 0.8, 0.8, "cold");
    now.cases[0].work.bandwidth_share = NAN;
    judge(&now, KG_STAGE_FINAL, &comparison);
    assert_int_equal(comparison.cases[0].change, KG_CHANGE_INCONCLUSIVE);
    kg_comparison_free(&comparison);
    results_make(&now, 1 / 0.8, 0.8, "cold");
    now.cases[0].trace.to_host_bytes = 4096;
    judge(&now, KG_STAGE_FINAL, &comparison);
    assert_int_equal(comparison.cases[0].change, KG_CHANGE_INCONCLUSIVE);
    kg_comparison_free(&comparison);
}

/* The host's clock times a call whole: that of the device does not explain it. */
static void wall_times_are_not_judged_in_cycles(void **state)
{
    (void)state;
    struct kg_results now;
    struct kg_comparison comparison;
    results_make(&now, 1.2, 1, "wall");
    judge(&now, KG_STAGE_FINAL, &comparison);
    assert_int_equal(comparison.cases[0].change, KG_CHANGE_REGRESSION);
    assert_true(isnan(comparison.cases[0].metrics[0].cycles_ratio));
    kg_comparison_free(&comparison);
}

static void a_suspicion_needs_cycles_too(void **state)
{
    (void)state;
    struct kg_results now;
    struct kg_comparison comparison;
    results_make(&now, 1 / 0.9, 0.9, "cold");
    judge(&now, KG_STAGE_SCREEN, &comparison);
    assert_false(comparison.cases[0].metrics[0].suspected);
    kg_comparison_free(&comparison);
    results_make(&now, 1.2, 1, "cold");
    judge(&now, KG_STAGE_SCREEN, &comparison);
    assert_true(comparison.cases[0].metrics[0].suspected);
    kg_comparison_free(&comparison);
}

static void throttle(struct kg_results *results, size_t count, double factor)
{
    for (size_t i = 0; i < count; i++) {
        results->cases[0].rounds[i].median_ns *= factor;
        results->cases[0].rounds[i].throttled = true;
    }
}

static void a_few_rounds_that_were_held_back_are_not_judged(void **state)
{
    (void)state;
    struct kg_results now;
    struct kg_comparison comparison;
    results_make(&now, 1, 1, "cold");
    throttle(&now, 5, 3);
    judge(&now, KG_STAGE_FINAL, &comparison);
    assert_int_equal(comparison.cases[0].change, KG_CHANGE_NO_CHANGE);
    kg_comparison_free(&comparison);
}

static void where_most_rounds_are_held_back_that_is_how_the_device_works(void **state)
{
    (void)state;
    struct kg_results now;
    struct kg_comparison comparison;
    results_make(&now, 1, 1, "cold");
    throttle(&now, ROUNDS, 1.3);
    judge(&now, KG_STAGE_FINAL, &comparison);
    assert_int_equal(comparison.cases[0].change, KG_CHANGE_REGRESSION);
    kg_comparison_free(&comparison);
}

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
    results_make(&results, 1, 1, "cold");
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

static void a_stored_run_has_the_rounds_that_count(void **state)
{
    (void)state;
    struct kg_results results;
    struct kg_arena arena = {0};
    struct kg_baseline_run run;
    results_make(&results, 1, 1, "cold");
    throttle(&results, 4, 5);
    assert_true(kg_baseline_run_make(&arena, &results, &run));
    assert_int_equal(run.cases[0].round_count, ROUNDS - 4);
    assert_int_equal(run.cases[0].pulse_count, ROUNDS - 4);
    for (size_t i = 0; i < run.cases[0].round_count; i++)
        assert_true(run.cases[0].round_medians_ns[i] < 200000);
    kg_results_free(&results);
    kg_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_time_that_moved_with_the_clock_is_no_change_and_said_so),
        cmocka_unit_test(a_time_that_moved_in_cycles_too_is_a_change),
        cmocka_unit_test(a_time_that_did_not_move_is_no_change_whatever_the_clock),
        cmocka_unit_test(a_change_that_cycles_do_not_confirm_is_doubtful),
        cmocka_unit_test(a_clock_is_no_excuse_for_a_workload_that_waits_for_memory),
        cmocka_unit_test(wall_times_are_not_judged_in_cycles),
        cmocka_unit_test(a_suspicion_needs_cycles_too),
        cmocka_unit_test(a_few_rounds_that_were_held_back_are_not_judged),
        cmocka_unit_test(where_most_rounds_are_held_back_that_is_how_the_device_works),
        cmocka_unit_test(rounds_that_were_held_back_are_repeated_within_bounds),
        cmocka_unit_test(what_disturbed_the_gpu_is_counted_and_said),
        cmocka_unit_test(a_stored_run_has_the_rounds_that_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
