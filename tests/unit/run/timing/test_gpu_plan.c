#include "test_support.h"

#include <inttypes.h>

#include "base/random.h"
#include "run/timing/gpu_plan.h"

static void resolution_is_the_smallest_step_seen(void **state)
{
    double times[] = {1024, 1056, 1024, 1088, 1024.1, 1216};
    double two[] = {1024, 3072, 1024};
    double same[] = {512, 512, 512.2, 512};
    assert_true(fabs(kg_gpu_resolution_ns(times, 6) - 32) < 0.2);
    assert_true(kg_gpu_resolution_ns(two, 3) == KG_EVENT_RESOLUTION_NS);
    assert_true(kg_gpu_resolution_ns(same, 4) == KG_EVENT_RESOLUTION_NS);
    assert_true(kg_gpu_resolution_ns(same, 1) == KG_EVENT_RESOLUTION_NS);
}

static void times_are_corrected_but_never_negative(void **state)
{
    assert_true(kg_gpu_time_corrected(5000, 1200) == 3800);
    assert_true(kg_gpu_time_corrected(1000, 1200) == 0);
}

static void far_lower_clocks_are_slow_and_pauses_grow(void **state)
{
    assert_true(kg_gpu_sample_slow(1.4e9, 1.98e9));
    assert_false(kg_gpu_sample_slow(1.5e9, 1.98e9));
    assert_false(kg_gpu_sample_slow(NAN, 1.98e9));
    assert_false(kg_gpu_sample_slow(1e9, NAN));
    assert_true(kg_gpu_recovery_ns(1) == 10e6 && kg_gpu_recovery_ns(2) == 20e6);
    assert_true(kg_gpu_recovery_ns(5) == 160e6 && kg_gpu_recovery_ns(1000) == 160e6);
}

static uint64_t batch(enum kg_timing timing, double gpu_ns, double launch_ns, uint64_t reference)
{
    const struct kg_gpu_batch_facts facts = {.gpu_ns = gpu_ns,
                                             .launch_ns = launch_ns,
                                             .resolution_ns = 500,
                                             .held_calls = 64,
                                             .reference = reference};
    return kg_gpu_batch(timing, &facts);
}

static void only_hot_calls_and_graphs_are_batched(void **state)
{
    assert_int_equal(batch(KG_TIMING_COLD, 10e3, 2e3, 0), 1);
    assert_int_equal(batch(KG_TIMING_WALL, 10e3, 2e3, 16), 1);
    assert_int_equal(batch(KG_TIMING_HOT, 10e3, 2e3, 0), 64);
    assert_int_equal(batch(KG_TIMING_HOT, 10e6, 2e3, 0), 1);
}

static void launch_bound_calls_are_no_more_than_can_be_held(void **state)
{
    assert_int_equal(batch(KG_TIMING_HOT, 1e3, 4e3, 0), 64);
    assert_int_equal(batch(KG_TIMING_HOT, 1e3, 4e3, 1024), 64);
    assert_int_equal(batch(KG_TIMING_HOT, 1e3, 900, 0), 1024);
    assert_int_equal(batch(KG_TIMING_GRAPH, 1e3, 4e3, 0), 1024);
}

static void a_call_that_cannot_be_held_is_batched_all_the_same(void **state)
{
    const struct kg_gpu_batch_facts facts = {
        .gpu_ns = 10e3, .launch_ns = 12e3, .resolution_ns = 500};
    assert_int_equal(kg_gpu_batch(KG_TIMING_HOT, &facts), 64);
}

static void a_references_batch_is_kept_where_it_does(void **state)
{
    assert_int_equal(batch(KG_TIMING_HOT, 10e3, 2e3, 32), 32);
    assert_int_equal(batch(KG_TIMING_HOT, 10e3, 2e3, 4096), 4096);
    assert_int_equal(batch(KG_TIMING_HOT, 10e3, 2e3, 4), 64);
    assert_int_equal(batch(KG_TIMING_HOT, 1e3, 4e3, 64), 64);
}

static void a_batch_is_long_enough_for_the_timer(void **state)
{
    struct kg_random random = {20240607};
    for (int i = 0; i < 1000; i++) {
        const double gpu_ns = pow(10, kg_random_between(&random, 0, 9));
        const double launch_ns = pow(10, kg_random_between(&random, 2, 6));
        const uint64_t calls = batch(KG_TIMING_GRAPH, gpu_ns, launch_ns, 0);
        if ((double)calls * gpu_ns < 500e3 || calls != (calls & -calls))
            fail_msg("seed 20240607, turn %d: %" PRIu64 " calls of %g ns", i, calls, gpu_ns);
    }
}

static void a_graph_holds_a_divisor_of_the_batch(void **state)
{
    for (uint64_t calls = 1; calls < 3000; calls++) {
        const uint64_t recorded = kg_gpu_graph_calls(calls);
        if (!recorded || calls % recorded || recorded > 256)
            fail_msg("%" PRIu64 " of %" PRIu64, recorded, calls);
    }
    assert_int_equal(kg_gpu_graph_calls(1024), 256);
    assert_int_equal(kg_gpu_graph_calls(64), 64);
}

static void holds_are_longer_than_a_launch_and_bounded(void **state)
{
    assert_true(kg_gpu_hold_limit_ns(2e3) == 5e6);
    assert_true(kg_gpu_hold_limit_ns(10e6) == 40e6);
    assert_true(kg_gpu_hold_limit_ns(45e6) == 100e6);
    assert_true(kg_gpu_hold_limit_ns(60e6) == 0);
}

static void held_calls_are_a_millisecond_of_work_at_least(void **state)
{
    assert_int_equal(kg_gpu_held_calls(0), KG_GPU_HELD_MOST);
    assert_int_equal(kg_gpu_held_calls(5e3), KG_GPU_HELD_MOST);
    assert_int_equal(kg_gpu_held_calls(100e3), 16);
    assert_int_equal(kg_gpu_held_calls(50e6), 1);
}

static const char *doubt(enum kg_timing timing, double gpu_ns, double launch_ns,
                         double resolution_ns)
{
    return kg_gpu_doubt(timing, &(struct kg_gpu_doubt_facts){.gpu_ns = gpu_ns,
                                                             .launch_ns = launch_ns,
                                                             .resolution_ns = resolution_ns,
                                                             .holds = true,
                                                             .held = true});
}

static void short_calls_are_doubted_by_what_is_timed(void **state)
{
    assert_non_null(doubt(KG_TIMING_COLD, 3e3, 2e3, 500));
    assert_null(doubt(KG_TIMING_COLD, 50e3, 2e3, 500));
    assert_null(doubt(KG_TIMING_COLD, 3e3, 2e3, 32));
    assert_non_null(doubt(KG_TIMING_HOT, 1e3, 2e3, 32));
    assert_null(doubt(KG_TIMING_HOT, 3e3, 2e3, 500));
    assert_null(doubt(KG_TIMING_GRAPH, 1e3, 2e3, 500));
}

static void assert_doubt(enum kg_timing timing, const struct kg_gpu_doubt_facts *facts,
                         const char *part)
{
    const char *text = kg_gpu_doubt(timing, facts);
    if (part ? !text || !strstr(text, part) : text != NULL)
        fail_msg("%s: \"%s\"", kg_timing_names[timing], text ? text : "");
}

static void what_is_timed_without_a_hold_is_noted(void **state)
{
    const struct kg_gpu_doubt_facts waits = {.gpu_ns = 50e3,
                                             .launch_ns = 60e3,
                                             .resolution_ns = 32,
                                             .holds = true,
                                             .synchronises = true};
    const struct kg_gpu_doubt_facts many = {
        .gpu_ns = 9e6, .launch_ns = 6e6, .resolution_ns = 32, .holds = true};
    const struct kg_gpu_doubt_facts nothing_holds = {
        .gpu_ns = 50e3, .launch_ns = 2e3, .resolution_ns = 32};
    assert_doubt(KG_TIMING_COLD, &waits, "waits for the device");
    assert_doubt(KG_TIMING_HOT, &waits, "waits for the device");
    assert_doubt(KG_TIMING_COLD, &many, "too many launches");
    assert_doubt(KG_TIMING_HOT, &many, "too many launches");
    assert_doubt(KG_TIMING_GRAPH, &many, NULL);
    assert_doubt(KG_TIMING_COLD, &nothing_holds, "compute-sanitizer");
    assert_doubt(KG_TIMING_HOT, &nothing_holds, "compute-sanitizer");
    assert_doubt(KG_TIMING_GRAPH, &nothing_holds, "compute-sanitizer");
    assert_doubt(KG_TIMING_WALL, &waits, NULL);
    assert_doubt(KG_TIMING_WALL, &nothing_holds, NULL);
}

/* A clock that rises like an idle device's, and times that follow it. */
static size_t settled_after(double clock_hz, double rises_by, double scatter, double resolution_ns)
{
    enum { MOST = 400 };
    double times[MOST], clocks[MOST];
    struct kg_random random = {7};
    for (size_t i = 0; i < MOST; i++) {
        clocks[i] = fmin(1.98e9, clock_hz + (double)i * rises_by);
        times[i] = 100e3 * 1.98e9 / clocks[i] * (1 + scatter * (2 * kg_random_unit(&random) - 1));
        if (kg_gpu_settled(times, clocks, i + 1, resolution_ns))
            return i + 1;
    }
    return MOST + 1;
}

static void warm_up_ends_when_times_and_clock_stand_still(void **state)
{
    assert_int_equal(settled_after(1.98e9, 0, 0, 0), 10);
    const size_t rising = settled_after(345e6, 30e6, 0, 0);
    assert_true(rising > 54 && rising < 90);
    /* growing windows detect a clock that rises slowly, sample by sample */
    assert_true(settled_after(1.5e9, 2e6, 0, 0) > 240);
    /* if times scatter too much, their medians settle */
    assert_true(settled_after(1.98e9, 0, 0.02, 0) < 60);
    /* a timer's step is no change */
    assert_int_equal(settled_after(1.98e9, 0, 0.02, 5e3), 10);
}

static void an_unknown_clock_is_no_obstacle(void **state)
{
    double times[10], clocks[10];
    for (int i = 0; i < 10; i++) {
        times[i] = 1000;
        clocks[i] = NAN;
    }
    assert_true(kg_gpu_settled(times, clocks, 10, 1));
    assert_false(kg_gpu_settled(times, clocks, 9, 1));
    clocks[9] = 1.5e9;
    assert_true(kg_gpu_settled(times, clocks, 10, 1));
    clocks[0] = 1.2e9;
    assert_false(kg_gpu_settled(times, clocks, 10, 1));
}

static void warm_up_and_rounds_are_bounded(void **state)
{
    assert_false(kg_gpu_warm_enough(40e6, 50e6, false));
    assert_true(kg_gpu_warm_enough(50e6, 50e6, false));
    assert_false(kg_gpu_warm_enough(1e6, 50e6, true));
    assert_true(kg_gpu_warm_enough(10e6, 50e6, true));
    assert_true(kg_gpu_warm_enough(2e6, 2e6, true));
    assert_false(kg_gpu_round_done(10e6, 100e6, 50e6));
    assert_true(kg_gpu_round_done(50e6, 60e6, 50e6));
    assert_true(kg_gpu_round_done(10e6, 150e6, 50e6));
}

static void a_busy_device_is_warm_when_its_clock_is_steady(void **state)
{
    const double steady[] = {1.98e9, 1.98e9, 1.975e9, 1.98e9, 1.98e9};
    const double rising[] = {1.94e9, 1.95e9, 1.96e9, 1.97e9, 1.98e9};
    const double unknown[] = {1.98e9, 1.98e9, NAN, 1.98e9, 1.98e9};
    assert_false(kg_gpu_clock_settled(10e6, 250e6, true, steady, 5));
    assert_true(kg_gpu_clock_settled(50e6, 250e6, true, steady, 25));
    assert_true(kg_gpu_clock_settled(10e6, 250e6, false, steady, 5));
    assert_false(kg_gpu_clock_settled(8e6, 250e6, false, steady, 4));
    assert_false(kg_gpu_clock_settled(100e6, 250e6, true, rising, 50));
    assert_false(kg_gpu_clock_settled(100e6, 250e6, false, unknown, 50));
    assert_true(kg_gpu_clock_settled(250e6, 250e6, true, rising, 125));
    /* a device that never becomes steady is not waited for each time */
    assert_true(kg_gpu_busy_most_ns(0) == 250e6 && kg_gpu_busy_most_ns(1) == 250e6);
    assert_true(kg_gpu_busy_most_ns(2) == 50e6 && kg_gpu_busy_most_ns(9) == 50e6);
    assert_true(kg_gpu_clock_settled(50e6, 50e6, true, rising, 25));
    assert_true(kg_gpu_clock_settled(250e6, 250e6, true, unknown, 125));
}

static void samples_are_dropped_only_while_that_is_rare(void **state)
{
    assert_true(kg_gpu_sample_dropped(0, 0));
    assert_true(kg_gpu_sample_dropped(0, 2));
    assert_false(kg_gpu_sample_dropped(0, 3));
    assert_true(kg_gpu_sample_dropped(100, 20));
    assert_false(kg_gpu_sample_dropped(100, 28));
}

static void whole_calls_are_few(void **state)
{
    assert_int_equal(kg_gpu_whole_calls(10e3, 50e6), 5);
    assert_int_equal(kg_gpu_whole_calls(2e6, 50e6), 2);
    assert_int_equal(kg_gpu_whole_calls(1e9, 50e6), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(resolution_is_the_smallest_step_seen),
        cmocka_unit_test(times_are_corrected_but_never_negative),
        cmocka_unit_test(far_lower_clocks_are_slow_and_pauses_grow),
        cmocka_unit_test(only_hot_calls_and_graphs_are_batched),
        cmocka_unit_test(launch_bound_calls_are_no_more_than_can_be_held),
        cmocka_unit_test(a_call_that_cannot_be_held_is_batched_all_the_same),
        cmocka_unit_test(a_references_batch_is_kept_where_it_does),
        cmocka_unit_test(a_batch_is_long_enough_for_the_timer),
        cmocka_unit_test(a_graph_holds_a_divisor_of_the_batch),
        cmocka_unit_test(holds_are_longer_than_a_launch_and_bounded),
        cmocka_unit_test(held_calls_are_a_millisecond_of_work_at_least),
        cmocka_unit_test(short_calls_are_doubted_by_what_is_timed),
        cmocka_unit_test(what_is_timed_without_a_hold_is_noted),
        cmocka_unit_test(warm_up_ends_when_times_and_clock_stand_still),
        cmocka_unit_test(an_unknown_clock_is_no_obstacle),
        cmocka_unit_test(warm_up_and_rounds_are_bounded),
        cmocka_unit_test(a_busy_device_is_warm_when_its_clock_is_steady),
        cmocka_unit_test(samples_are_dropped_only_while_that_is_rare),
        cmocka_unit_test(whole_calls_are_few),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
