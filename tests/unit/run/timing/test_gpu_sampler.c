#include "gpu_fake.h"

#include "run/timing/gpu_plan.h"
#include "run/timing/gpu_sampler.h"

enum { CAPACITY = 1000 };

static struct kg_gpu_timer timer;
static struct work work;
static double buffer[KG_GPU_FIGURES * CAPACITY];
static struct kg_gpu_sampler sampler;
static struct kg_arena arena;
static struct kg_round a_round;
static struct kg_error err;

static void assert_near(double value, double expected, double share)
{
    if (!(fabs(value - expected) <= share * expected))
        fail_msg("%g is not %g within %g", value, expected, share * expected);
}

static int open_sampler(void **state)
{
    fake_restart();
    fake->device->memset_bytes_per_ns = 4000; /* a flush writes and reads */
    err = (struct kg_error){0};
    arena = (struct kg_arena){0};
    if (!kg_gpu_timer_open(KGATE_FAKE_CUDA, &timer, &err))
        return -1;
    work_open(&timer, "work", &work);
    sampler = (struct kg_gpu_sampler){.timer = &timer,
                                      .call = {work_run, &work},
                                      .timing = KG_TIMING_COLD,
                                      .min_time_ns = 20e6,
                                      .buffer = buffer,
                                      .capacity = CAPACITY};
    return 0;
}

static int close_sampler(void **state)
{
    work_close(&work);
    kg_gpu_timer_close(&timer);
    kg_arena_free(&arena);
    assert_nothing_left();
    return 0;
}

/* Finds its call_timing and the batch, and measures a round. */
static bool measure(enum kg_timing timing)
{
    uint64_t batch = 0;
    sampler.timing = timing;
    return kg_gpu_call_timing_find(&timer, &sampler.call, &sampler.call_timing, &err) &&
           kg_gpu_sampler_batch(&sampler, 0, &batch, &err) &&
           kg_gpu_sampler_round(&sampler, batch, &arena, &a_round, &err);
}

static void a_round_has_all_figures(void **state)
{
    work.ns = 99e3;
    assert_true(measure(KG_TIMING_COLD));
    assert_near(a_round.median_ns, 100e3, 0.001);
    assert_near(a_round.mean_ns, 100e3, 0.001);
    assert_true(a_round.min_ns <= a_round.median_ns && a_round.median_ns <= a_round.max_ns);
    assert_true(a_round.median_ns <= a_round.p95_ns);
    assert_true(a_round.wall_ns >= 20e6 && a_round.wall_ns < 20.2e6);
    assert_int_equal(a_round.batch, 1);
    assert_int_equal(a_round.calls, 200);
    assert_int_equal(a_round.sample_count, KG_ROUND_SAMPLES_MOST);
    assert_int_equal(a_round.samples_dropped, 200 - KG_ROUND_SAMPLES_MOST);
    assert_near(a_round.launch_ns, 2e3, 0.1);
    assert_near(a_round.call_ns, 2e3 + 3e3 + 99e3, 0.01);
    assert_near(a_round.sm_clock_hz, 1.98e9, 0.001);
    assert_near(a_round.median_cycles, 100e-6 * 1.98e9, 0.002);
    assert_near(a_round.pulse_ns, 1e9 * KG_PULSE_CYCLES / 1.98e9, 0.001);
    assert_true(a_round.warm_up_ns > 0 && a_round.warm_up_ns < 20e6);
    assert_true(a_round.cpu_ns >= 0);
    assert_true(isnan(a_round.temperature_c) && isnan(a_round.base_ratio));
}

static void cold_hot_graph_and_wall_differ_as_they_should(void **state)
{
    work.ns = 4e3;
    work.cold_ns = 6e3;
    assert_true(measure(KG_TIMING_COLD));
    assert_near(a_round.median_ns, 11e3, 0.01);
    assert_true(measure(KG_TIMING_HOT));
    assert_near(a_round.median_ns, 5e3, 0.01);
    assert_true(a_round.batch > 1);
    assert_true(measure(KG_TIMING_GRAPH));
    assert_near(a_round.median_ns, 4.3e3, 0.01);
    assert_near(a_round.launch_ns, 2e3 / (double)kg_gpu_graph_calls(a_round.batch), 0.1);
    assert_true(measure(KG_TIMING_WALL));
    assert_near(a_round.median_ns, 2e3 + 3e3 + 4e3, 0.02);
    assert_true(a_round.call_ns == a_round.median_ns);
    assert_true(isnan(a_round.median_cycles));
    assert_near(a_round.sm_clock_hz, 1.98e9, 0.01);
}

/* Throttles the device for one call in 60. */
static void throttle_sometimes(struct work *one)
{
    fake->clock_set(one->calls % 60 ? 1.98e9 : 1.2e9);
}

static void throttle_for_good(struct work *one)
{
    fake->clock_set(one->calls < 200 ? 1.98e9 : 1.2e9);
}

static void a_sample_at_a_far_lower_clock_does_not_count(void **state)
{
    work.ns = 99e3;
    work.each = throttle_sometimes;
    assert_true(measure(KG_TIMING_COLD));
    assert_near(a_round.median_ns, 100e3, 0.01);
    assert_near(a_round.max_ns, 100e3, 0.01);
    /* where it is common, it is how the device works */
    work.calls = 0;
    work.each = throttle_for_good;
    sampler.min_time_ns = 100e6;
    assert_true(measure(KG_TIMING_COLD));
    assert_near(a_round.median_ns, 165e3, 0.02);
    work.each = NULL;
}

static void short_samples_have_a_clock_together(void **state)
{
    work.ns = 1e3;
    assert_true(measure(KG_TIMING_COLD));
    assert_near(a_round.sm_clock_hz, 1.98e9, 0.005);
    assert_near(a_round.median_cycles, 2e-6 * 1.98e9, 0.02);
}

static void clock_drops(struct work *slowed)
{
    if (slowed->calls == 150)
        fake->clock_set(0.99e9);
}

static void a_moved_clock_shows_in_times_and_not_in_cycles(void **state)
{
    fake->device->gap_ns = 0;
    work.ns = 200e3;
    assert_true(measure(KG_TIMING_COLD));
    const struct kg_round usual = a_round;
    fake->clock_set(1.32e9);
    assert_true(measure(KG_TIMING_COLD));
    assert_near(a_round.median_ns, 1.5 * usual.median_ns, 0.002);
    assert_near(a_round.sm_clock_hz, usual.sm_clock_hz / 1.5, 0.002);
    assert_near(a_round.pulse_ns, usual.pulse_ns * 1.5, 0.002);
    assert_near(a_round.median_cycles, usual.median_cycles, 0.005);
    /* if the clock changes within the round, each sample has its own */
    fake->clock_set(1.98e9);
    work.calls = 0;
    work.each = clock_drops;
    sampler.min_time_ns = 60e6;
    assert_true(measure(KG_TIMING_COLD));
    assert_near(a_round.max_ns, 2 * a_round.min_ns, 0.01);
    assert_near(a_round.median_cycles, usual.median_cycles, 0.005);
}

static void clock_rises(struct work *warming)
{
    fake->clock_set(fmin(1.98e9, 0.3e9 + 5e6 * (double)warming->calls));
}

static void warm_up_goes_on_until_the_clock_stands_still(void **state)
{
    work.ns = 10e3;
    work.each = clock_rises;
    sampler.min_time_ns = 200e6;
    assert_true(measure(KG_TIMING_COLD));
    assert_near(a_round.max_ns, a_round.min_ns, 0.05);
    assert_near(a_round.sm_clock_hz, 1.98e9, 0.01);
}

/* Ten samples of such a call are too short to show a rising clock. */
static void short_calls_do_not_begin_while_the_clock_rises(void **state)
{
    clock_rise(150e6);
    work.ns = 2e3;
    fake->device->gap_ns = 0;
    sampler.call_timing = (struct kg_gpu_call_timing){.held_calls = 64, .call_ns = 10e3};
    assert_true(kg_gpu_sampler_round(&sampler, 1, &arena, &a_round, &err));
    assert_near(a_round.max_ns, a_round.min_ns, 0.01);
    assert_near(a_round.sm_clock_hz, 1.98e9, 0.005);
}

static void gets_faster(struct work *warming)
{
    warming->ns = fmax(5e3, 20e3 - 100 * (double)warming->calls);
}

static void a_case_warms_up_by_itself(void **state)
{
    sampler.call_timing = (struct kg_gpu_call_timing){.held_calls = 64, .call_ns = 30e3};
    assert_true(kg_gpu_warm(&timer, &err));
    work.each = gets_faster;
    assert_true(kg_gpu_sampler_round(&sampler, 1, &arena, &a_round, &err));
    assert_near(a_round.max_ns, a_round.min_ns, 0.01);
    assert_true(a_round.warm_up_ns >= 10e6 && a_round.warm_up_ns < 20e6);
}

static void gets_slower(struct work *changing)
{
    changing->ns = 20e3 * (1 + 0.02 * (double)changing->calls);
}

static void what_does_not_settle_is_measured_after_min_time(void **state)
{
    sampler.capacity = 64;
    sampler.call_timing = (struct kg_gpu_call_timing){.held_calls = 64, .call_ns = 30e3};
    work.each = gets_slower;
    assert_true(kg_gpu_sampler_round(&sampler, 1, &arena, &a_round, &err));
    assert_true(a_round.warm_up_ns >= 20e6 && a_round.warm_up_ns < 20.2e6);
    assert_true(a_round.max_ns > 1.1 * a_round.min_ns);
}

static void a_call_that_waits_is_measured_without_a_hold(void **state)
{
    work.synchronises = true;
    assert_true(measure(KG_TIMING_COLD));
    assert_true(sampler.call_timing.synchronises);
    assert_true(a_round.median_ns >= 50e3);
    assert_true(measure(KG_TIMING_HOT));
    assert_true(measure(KG_TIMING_WALL));
    assert_false(measure(KG_TIMING_GRAPH));
    assert_non_null(strstr(err.message, "cannot be recorded into a graph"));
    assert_true(fake->counts->timed_out <= 8);
}

static void a_call_of_many_launches_has_a_graph_and_is_timed_without_a_hold(void **state)
{
    work.launches = 3000;
    work.ns = 100;
    assert_true(measure(KG_TIMING_COLD));
    assert_near(a_round.median_ns, 3000 * 2e3, 0.02);
    assert_true(measure(KG_TIMING_GRAPH));
    assert_near(a_round.median_ns, 3000 * 400, 0.002);
}

/* Its time without a hold is the host's, much more than the graph's. */
static void a_graphs_batch_is_of_its_own_time(void **state)
{
    work.host_ns = 60e6;
    work.ns = 5e3;
    assert_true(measure(KG_TIMING_GRAPH));
    assert_near(a_round.median_ns, 5.3e3, 0.02);
    assert_true((double)a_round.batch * a_round.median_ns >= 100e3);
}

static void a_round_of_short_calls_ends_in_time(void **state)
{
    work.ns = 100;
    fake->device->gap_ns = 0;
    fake->device->memset_bytes_per_ns = 500; /* flushing takes 200 us */
    uint64_t batch;
    assert_true(kg_gpu_call_timing_find(&timer, &sampler.call, &sampler.call_timing, &err));
    assert_true(kg_gpu_sampler_batch(&sampler, 0, &batch, &err));
    assert_true(kg_gpu_warm(&timer, &err));
    const uint64_t start = host_ns;
    assert_true(kg_gpu_sampler_round(&sampler, batch, &arena, &a_round, &err));
    assert_true((double)(host_ns - start) < 10.5e6 + 4.1 * sampler.min_time_ns);
    assert_true(a_round.calls > 100);
    assert_true(a_round.wall_ns < sampler.min_time_ns);
}

static void a_long_call_is_sampled_once(void **state)
{
    work.ns = 300e6;
    assert_true(measure(KG_TIMING_COLD));
    assert_int_equal(a_round.calls, 1);
    assert_int_equal(a_round.sample_count, 1);
    assert_near(a_round.median_ns, 300e6, 0.01);
}

static void sometimes_late(struct work *late)
{
    late->host_ns = late->calls % 50 == 49 ? 120e6 : 0;
}

static void samples_whose_hold_ran_out_do_not_count(void **state)
{
    work.each = sometimes_late;
    sampler.min_time_ns = 100e6;
    assert_true(measure(KG_TIMING_COLD));
    assert_true(fake->counts->timed_out > 0);
    assert_near(a_round.max_ns, 51e3, 0.01);
}

static void a_buffer_that_is_full_is_thinned(void **state)
{
    sampler.capacity = 16;
    work.ns = 20e3;
    assert_true(measure(KG_TIMING_COLD));
    assert_true(a_round.calls > 500);
    assert_near(a_round.median_ns, 21e3, 0.01);
    assert_near(a_round.sm_clock_hz, 1.98e9, 0.01);
    assert_int_equal(a_round.samples_dropped + a_round.sample_count, a_round.calls);
}

static void a_call_that_puts_nothing_on_the_stream_is_noted(void **state)
{
    work.launches = 0;
    assert_false(measure(KG_TIMING_COLD));
    assert_int_equal(err.kind, KG_ERROR_MEASURE);
    assert_non_null(strstr(err.message, "puts nothing on its stream"));
}

static void launch_bound_calls_are_timed_as_far_as_they_are_held(void **state)
{
    work.ns = 500;
    fake->device->launch_host_ns = 5e3;
    assert_true(measure(KG_TIMING_HOT));
    assert_int_equal(a_round.batch, KG_GPU_HELD_MOST);
    assert_near(a_round.median_ns, 1500, 0.02);
    assert_near(a_round.launch_ns, 5e3, 0.1);
}

static void a_references_batch_is_kept(void **state)
{
    uint64_t batch = 0;
    sampler.timing = KG_TIMING_HOT;
    assert_true(kg_gpu_call_timing_find(&timer, &sampler.call, &sampler.call_timing, &err));
    assert_true(kg_gpu_sampler_batch(&sampler, 5, &batch, &err));
    assert_int_equal(batch, 5);
}

static void turns_add_up_to_a_round(void **state)
{
    struct kg_gpu_sampling sampling;
    double measured_ns = 0;
    assert_true(kg_gpu_call_timing_find(&timer, &sampler.call, &sampler.call_timing, &err));
    assert_true(kg_gpu_sampling_begin(&sampling, &sampler, 1, &err));
    for (int turn = 1; turn <= 4; turn++) {
        assert_true(kg_gpu_sampling_run(&sampling, 1e6, &measured_ns, &err));
        assert_true(measured_ns >= turn * 1e6);
    }
    assert_true(kg_gpu_sampling_end(&sampling, &arena, &a_round, &err));
    kg_gpu_sampling_free(&sampling);
    assert_near(a_round.wall_ns, measured_ns, 1e-9);
}

static void what_is_loaded_at_the_first_call_is_loaded_before_the_hold(void **state)
{
    const enum kg_timing timings[] = {KG_TIMING_COLD, KG_TIMING_HOT, KG_TIMING_GRAPH};
    fake->device->lazy = true;
    /* found in another process */
    sampler.call_timing = (struct kg_gpu_call_timing){.held_calls = 4, .call_ns = 60e3};
    for (size_t i = 0; i < sizeof timings / sizeof *timings; i++) {
        work_close(&work);
        work_open(&timer, "work", &work);
        sampler.timing = timings[i];
        assert_true(kg_gpu_sampler_round(&sampler, 1, &arena, &a_round, &err));
        assert_int_equal(fake->counts->timed_out, 0);
    }
}

/* Each driver call fails once, one per trial, through a whole round of each timing. */
static void each_failure_within_a_round_is_noted(void **state)
{
    work.ns = 400e3;
    sampler.min_time_ns = 1e6;
    for (int timing = KG_TIMING_COLD; timing <= KG_TIMING_WALL; timing++) {
        assert_true(measure((enum kg_timing)timing));
        unsigned calls = 0;
        for (bool refused = true; refused; calls++) {
            fake->refuse_later(calls, 999);
            const bool good = measure((enum kg_timing)timing);
            refused = fake->refused();
            fake->refuse_later(0, 0);
            /* errors of the workload's own driver calls are the workload's to report */
            if (!good && !strstr(err.message, "CUDA_ERROR_UNKNOWN"))
                fail_msg("%d, call %u: \"%s\"", timing, calls, err.message);
        }
        assert_true(calls > 30);
        assert_true(measure((enum kg_timing)timing));
    }
}

#define WITH_SAMPLER(test) cmocka_unit_test_setup_teardown(test, open_sampler, close_sampler)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_SAMPLER(a_round_has_all_figures),
        WITH_SAMPLER(cold_hot_graph_and_wall_differ_as_they_should),
        WITH_SAMPLER(a_sample_at_a_far_lower_clock_does_not_count),
        WITH_SAMPLER(short_samples_have_a_clock_together),
        WITH_SAMPLER(a_moved_clock_shows_in_times_and_not_in_cycles),
        WITH_SAMPLER(warm_up_goes_on_until_the_clock_stands_still),
        WITH_SAMPLER(short_calls_do_not_begin_while_the_clock_rises),
        WITH_SAMPLER(a_case_warms_up_by_itself),
        WITH_SAMPLER(what_does_not_settle_is_measured_after_min_time),
        WITH_SAMPLER(a_call_that_waits_is_measured_without_a_hold),
        WITH_SAMPLER(a_call_of_many_launches_has_a_graph_and_is_timed_without_a_hold),
        WITH_SAMPLER(a_graphs_batch_is_of_its_own_time),
        WITH_SAMPLER(a_round_of_short_calls_ends_in_time),
        WITH_SAMPLER(a_long_call_is_sampled_once),
        WITH_SAMPLER(samples_whose_hold_ran_out_do_not_count),
        WITH_SAMPLER(a_buffer_that_is_full_is_thinned),
        WITH_SAMPLER(a_call_that_puts_nothing_on_the_stream_is_noted),
        WITH_SAMPLER(launch_bound_calls_are_timed_as_far_as_they_are_held),
        WITH_SAMPLER(a_references_batch_is_kept),
        WITH_SAMPLER(turns_add_up_to_a_round),
        WITH_SAMPLER(what_is_loaded_at_the_first_call_is_loaded_before_the_hold),
        WITH_SAMPLER(each_failure_within_a_round_is_noted),
    };
    fake_open();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
