#include "gpu_fake.h"

#include "run/timing/gpu_plan.h"

static struct kg_gpu_timer timer;
static struct work work;
static struct kg_gpu_call call = {work_run, &work};
static struct kg_error err;

static void assert_near(double value, double expected, double within)
{
    if (!(fabs(value - expected) <= within))
        fail_msg("%g is not %g within %g", value, expected, within);
}

static int open_timer(void **state)
{
    fake_restart();
    fake->device->event_ns = 400;
    fake->device->event_step_ns = 32;
    err = (struct kg_error){0};
    if (!kg_gpu_timer_open(KGATE_FAKE_CUDA, &timer, &err)) {
        fprintf(stderr, "%s\n", err.message);
        return -1;
    }
    work_open(&timer, "work", &work);
    return 0;
}

static int close_timer(void **state)
{
    work_close(&work);
    kg_gpu_timer_close(&timer);
    assert_nothing_left();
    return 0;
}

static void resolution_and_overhead_of_the_timer_are_found(void **state)
{
    assert_near(timer.resolution_ns, 32, 1);
    /* the stop event; the start event's own time lies before it */
    assert_near(timer.overhead_ns, 400, 32);
}

/* Events of an idle device take several times as long. */
static void overhead_is_that_of_a_device_that_is_warm(void **state)
{
    work_close(&work);
    kg_gpu_timer_close(&timer);
    fake_restart();
    fake->device->event_ns = 400;
    clock_rise(100e6);
    assert_true(kg_gpu_timer_open(KGATE_FAKE_CUDA, &timer, &err));
    assert_near(timer.overhead_ns, 400, 4);
    assert_true(timer.warm);
    work_open(&timer, "work", &work);
}

static void a_cold_call_has_nothing_to_write_back_for_others(void **state)
{
    struct kg_gpu_sample sample;
    work.ns = 10e3;
    assert_true(fake->device->dirty_ns > 5e3);
    assert_true(kg_gpu_cold(&timer, &call, true, &sample, &err));
    assert_near(sample.time_ns, 10e3 + fake->device->gap_ns, 64);
}

static void the_timers_overhead_is_taken_out(void **state)
{
    struct kg_gpu_sample sample;
    work.ns = 10e3;
    assert_true(kg_gpu_cold(&timer, &call, true, &sample, &err));
    /* the gap before the kernel is the device's own */
    assert_near(sample.time_ns, 10e3 + fake->device->gap_ns, 64);
    work.launches = 0;
    assert_true(kg_gpu_cold(&timer, &call, true, &sample, &err));
    assert_near(sample.time_ns, 0, 64);
    assert_true(sample.time_ns >= 0);
}

static void a_cold_call_finds_nothing_in_the_cache_and_a_hot_one_does(void **state)
{
    struct kg_gpu_sample cold, hot;
    work.cold_ns = 30e3;
    assert_true(kg_gpu_hot(&timer, &call, 1, 1, &hot, &err));
    for (int i = 0; i < 3; i++) {
        assert_true(kg_gpu_cold(&timer, &call, true, &cold, &err));
        assert_near(cold.time_ns, 81e3, 64);
        assert_true(kg_gpu_hot(&timer, &call, 16, 16, &hot, &err));
        assert_near(hot.time_ns, 51e3, 64);
    }
}

static void launching_is_outside_of_what_is_held_and_inside_of_what_is_not(void **state)
{
    struct kg_gpu_sample sample;
    fake->device->launch_host_ns = 7e3;
    work.host_ns = 40e3;
    work.launches = 5;
    work.ns = 1e3;
    assert_true(kg_gpu_cold(&timer, &call, true, &sample, &err));
    assert_true(sample.held);
    assert_near(sample.time_ns, 5 * 2e3, 64);
    assert_near(sample.launch_ns, 40e3 + 5 * 7e3, 100);
    assert_true(kg_gpu_hot(&timer, &call, 1, 0, &sample, &err));
    assert_false(sample.held);
    assert_true(sample.time_ns > 40e3 + 4 * 7e3);
}

static void work_on_the_legacy_default_stream_is_timed(void **state)
{
    struct kg_gpu_sample sample;
    work.on_default_stream = true;
    assert_true(kg_gpu_cold(&timer, &call, true, &sample, &err));
    assert_near(sample.time_ns, 51e3, 64);
    assert_true(sample.held);
}

static void a_call_that_only_launches_is_asynchronous(void **state)
{
    struct kg_gpu_call_timing call_timing;
    assert_true(kg_gpu_call_timing_find(&timer, &call, &call_timing, &err));
    assert_false(call_timing.synchronises);
    assert_true(call_timing.capturable);
    assert_int_equal(call_timing.held_calls, kg_gpu_held_calls(51e3));
    assert_near(call_timing.gpu_ns, 51e3, 64);
    assert_near(call_timing.launch_ns, 2e3, 100);
    assert_true(call_timing.call_ns > call_timing.gpu_ns);
    assert_int_equal(fake->counts->timed_out, 0);
    assert_int_equal(fake->counts->graphs_live + fake->counts->executables_live, 0);
}

static void a_call_that_waits_is_found_and_hangs_nothing(void **state)
{
    struct kg_gpu_call_timing call_timing;
    struct kg_gpu_sample sample;
    work.synchronises = true;
    const uint64_t start = host_ns;
    assert_true(kg_gpu_call_timing_find(&timer, &call, &call_timing, &err));
    assert_true(call_timing.synchronises);
    assert_int_equal(call_timing.held_calls, 0);
    assert_false(call_timing.capturable);
    assert_non_null(strstr(call_timing.why_not, "it waits for the device"));
    assert_non_null(strstr(call_timing.why_not, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED"));
    assert_true((double)(host_ns - start) < 250e6);
    /* kgate still times it, without a blocking kernel */
    const unsigned timed_out = fake->counts->timed_out;
    assert_true(kg_gpu_cold(&timer, &call, call_timing.held_calls > 0, &sample, &err));
    assert_true(sample.time_ns >= 50e3);
    assert_int_equal(fake->counts->timed_out, timed_out);
}

static void waits_once(struct work *waiting)
{
    waiting->synchronises = waiting->calls == 1;
}

static void a_first_call_that_waits_does_not_decide(void **state)
{
    struct kg_gpu_call_timing call_timing;
    fake->device->lazy = true;
    work.each = waits_once;
    assert_true(kg_gpu_call_timing_find(&timer, &call, &call_timing, &err));
    assert_false(call_timing.synchronises);
    assert_int_equal(fake->counts->timed_out, 0);
}

/* The host was kept from it for longer than the first trial's limit, once. */
static void late_once(struct work *late)
{
    late->host_ns = late->calls == 3 ? 20e6 : 0;
}

static void a_call_that_is_late_once_is_tried_again(void **state)
{
    struct kg_gpu_call_timing call_timing;
    work.each = late_once;
    assert_true(kg_gpu_call_timing_find(&timer, &call, &call_timing, &err));
    assert_int_equal(fake->counts->timed_out, 1);
    assert_false(call_timing.synchronises);
}

static void calls_of_many_launches_are_held_in_smaller_numbers(void **state)
{
    struct kg_gpu_call_timing call_timing;
    struct kg_gpu_sample sample;
    work.launches = 100;
    work.ns = 20;
    fake->device->gap_ns = 10;
    fake->device->launch_host_ns = 500;
    assert_true(kg_gpu_call_timing_find(&timer, &call, &call_timing, &err));
    assert_false(call_timing.synchronises);
    assert_true(call_timing.held_calls >= 1 && call_timing.held_calls < 10);
    const unsigned blocked = fake->counts->blocked;
    assert_true(kg_gpu_hot(&timer, &call, 64, call_timing.held_calls, &sample, &err));
    assert_true(sample.held);
    assert_int_equal(fake->counts->blocked, blocked);
}

static void a_full_queue_ends_with_the_hold(void **state)
{
    struct kg_gpu_sample sample;
    work.launches = 2000;
    work.ns = 1e3;
    const uint64_t start = host_ns;
    assert_true(kg_gpu_cold(&timer, &call, true, &sample, &err));
    assert_false(sample.held);
    assert_true(fake->counts->blocked > 0);
    assert_true((double)(host_ns - start) < 150e6);
}

static void a_call_of_more_launches_than_the_queue_takes_does_not_wait(void **state)
{
    struct kg_gpu_call_timing call_timing;
    struct kg_gpu_sample sample;
    struct kg_gpu_graph graph;
    work.launches = 3000;
    work.ns = 1e3;
    assert_true(kg_gpu_call_timing_find(&timer, &call, &call_timing, &err));
    assert_true(call_timing.capturable);
    assert_false(call_timing.synchronises);
    assert_int_equal(call_timing.held_calls, 0);
    assert_near(call_timing.gpu_ns, 3000 * 2e3, 60e3);
    /* its graph is a single launch, for which a blocking kernel works */
    assert_true(kg_gpu_graph_record(&timer, &call, 1, &graph, &err));
    assert_true(kg_gpu_graph_time(&timer, &graph, 1, &sample, &err));
    assert_true(sample.held);
    assert_near(sample.time_ns, 3000 * 1.3e3, 2e3);
    kg_gpu_graph_free(&timer, &graph);
}

/* That its host part is too long for a hold does not mean that it waits. */
static void a_call_that_takes_the_host_long_does_not_wait(void **state)
{
    struct kg_gpu_call_timing call_timing;
    work.host_ns = 60e6;
    assert_true(kg_gpu_call_timing_find(&timer, &call, &call_timing, &err));
    assert_int_equal(call_timing.held_calls, 0);
    assert_false(call_timing.synchronises);
    assert_int_equal(fake->counts->timed_out, 0);
}

static void a_batch_goes_on_after_its_hold(void **state)
{
    struct kg_gpu_sample sample;
    work.ns = 20e3;
    assert_true(kg_gpu_hot(&timer, &call, 500, 50, &sample, &err));
    assert_true(sample.held);
    assert_near(sample.time_ns, 21e3, 100);
    assert_int_equal(fake->counts->blocked, 0);
}

static void a_host_that_is_slow_lets_the_device_begin(void **state)
{
    struct kg_gpu_sample sample;
    work.host_ns = 15e6;
    assert_true(kg_gpu_hot(&timer, &call, 10, 10, &sample, &err));
    assert_true(sample.held);
    assert_int_equal(fake->counts->timed_out, 0);
}

static void graphs_run_without_the_gaps_of_launches(void **state)
{
    struct kg_gpu_graph graph;
    struct kg_gpu_sample sample;
    work.ns = 2e3;
    assert_true(kg_gpu_graph_record(&timer, &call, 50, &graph, &err));
    assert_int_equal(graph.calls, 50);
    const uint64_t calls = work.calls;
    assert_true(kg_gpu_graph_time(&timer, &graph, 4, &sample, &err));
    assert_near(sample.time_ns, 2.3e3 + (1e3 - 300) / 50, 10);
    assert_true(sample.launch_ns < 100);
    assert_true(sample.held);
    assert_int_equal(work.calls, calls);
    kg_gpu_graph_free(&timer, &graph);
    kg_gpu_graph_free(&timer, &graph);
}

static void a_call_that_cannot_be_recorded_gives_the_reason_and_spoils_nothing(void **state)
{
    struct kg_gpu_graph graph;
    struct kg_gpu_sample sample;
    work.synchronises = true;
    assert_false(kg_gpu_graph_record(&timer, &call, 3, &graph, &err));
    assert_non_null(strstr(err.message, "the call cannot be recorded into a graph"));
    assert_non_null(strstr(err.message, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED"));
    assert_int_equal(err.kind, KG_ERROR_MEASURE);
    work.synchronises = false;
    assert_true(kg_gpu_cold(&timer, &call, true, &sample, &err));
    assert_near(sample.time_ns, 51e3, 64);
    work.on_default_stream = true;
    assert_false(kg_gpu_graph_record(&timer, &call, 1, &graph, &err));
    work.on_default_stream = false;
    assert_true(kg_gpu_graph_record(&timer, &call, 1, &graph, &err));
    kg_gpu_graph_free(&timer, &graph);
}

static void the_clock_is_read_on_the_device(void **state)
{
    struct kg_gpu_sample sample;
    work.ns = 1e6;
    assert_true(kg_gpu_cold(&timer, &call, true, &sample, &err));
    assert_near(sample.sm_clock_hz, 1.98e9, 1e6);
    const double cycles = sample.time_ns * sample.sm_clock_hz;
    fake->clock_set(1.2e9);
    assert_true(kg_gpu_cold(&timer, &call, true, &sample, &err));
    assert_near(sample.sm_clock_hz, 1.2e9, 1e6);
    assert_true(sample.time_ns > 1.5e6);
    assert_near(sample.time_ns * sample.sm_clock_hz, cycles, 0.002 * cycles);
}

static void a_sample_shorter_than_the_timers_steps_allow_has_no_clock(void **state)
{
    struct kg_gpu_sample sample;
    work.ns = 2e3;
    assert_true(kg_gpu_cold(&timer, &call, true, &sample, &err));
    assert_true(isnan(sample.sm_clock_hz));
    assert_near(sample.time_ns, 3e3, 64);
}

static void a_timer_that_hardly_moves_gives_no_clock(void **state)
{
    struct kg_gpu_sample sample;
    fake->device->timer_step_ns = 1e6;
    work.ns = 10.2e6;
    assert_true(kg_gpu_cold(&timer, &call, true, &sample, &err));
    /* unless a step happened to come while both were looking */
    assert_true(isnan(sample.sm_clock_hz) || fabs(sample.sm_clock_hz / 1.98e9 - 1) < 0.01);
}

static double busy_ms(void)
{
    const uint64_t start = host_ns;
    assert_true(kg_gpu_warm(&timer, &err));
    return 1e-6 * (double)(host_ns - start);
}

static void a_device_is_kept_busy_until_its_clock_is_steady(void **state)
{
    clock_rise(120e6);
    assert_near(busy_ms(), 130, 10);
    /* after that, only for the time needed to notice it */
    assert_near(busy_ms(), 10, 2);
    clock_rise(60e6);
    assert_near(busy_ms(), 70, 10);
}

static void a_device_is_kept_busy_for_a_while_whatever_its_clock_does(void **state)
{
    timer.warm = false; /* as in a new process */
    assert_near(busy_ms(), 51, 2);
    clock_rise(1e9);
    assert_near(busy_ms(), 251, 2);
}

static void whole_calls_are_timed_by_the_host(void **state)
{
    struct kg_gpu_sample sample;
    work.host_ns = 20e3;
    assert_true(kg_gpu_wall(&timer, &call, &sample, &err));
    assert_near(sample.time_ns, 20e3 + 2e3 + 3e3 + 50e3, 200);
    assert_near(sample.launch_ns, 22e3, 100);
}

static void a_device_that_fails_is_noted_and_closed(void **state)
{
    struct kg_gpu_sample sample;
    work_close(&work);
    work_open(&timer, "fault", &work);
    assert_false(kg_gpu_cold(&timer, &call, true, &sample, &err));
    assert_non_null(strstr(err.message, "an illegal memory access was encountered"));
    assert_false(kg_gpu_hot(&timer, &call, 4, 4, &sample, &err));
    work_close(&work);
    kg_gpu_timer_close(&timer);
    assert_int_equal(fake->counts->misuse, 0);
    fake_restart();
}

/* Each driver call fails once, one per trial, from opening to closing. */
static void each_failure_is_noted_and_leaves_nothing(void **state)
{
    unsigned calls = 0;
    for (bool refused = true; refused; calls++) {
        struct kg_gpu_sample sample;
        struct kg_gpu_graph graph = {0};
        fake_restart();
        err = (struct kg_error){0};
        fake->refuse_later(calls, 999);
        bool good = kg_gpu_timer_open(KGATE_FAKE_CUDA, &timer, &err);
        if (good) {
            work = (struct work){.timer = &timer, .function = timer.empty_function, .launches = 1};
            good = kg_gpu_warm(&timer, &err) && kg_gpu_cold(&timer, &call, true, &sample, &err) &&
                   kg_gpu_hot(&timer, &call, 2, 2, &sample, &err) &&
                   kg_gpu_graph_record(&timer, &call, 2, &graph, &err) &&
                   kg_gpu_graph_time(&timer, &graph, 1, &sample, &err) &&
                   kg_gpu_wall(&timer, &call, &sample, &err);
            kg_gpu_graph_free(&timer, &graph);
        }
        refused = fake->refused();
        if (!good) {
            assert_int_equal(err.kind, KG_ERROR_MEASURE);
            if (!strstr(err.message, "CUDA_ERROR_"))
                fail_msg("call %u: \"%s\"", calls, err.message);
        }
        fake->refuse_later(0, 0);
        kg_gpu_timer_close(&timer);
        assert_nothing_left();
    }
    assert_true(calls > 30);
}

/* As under compute-sanitizer. */
static void launches_that_wait_cost_no_holds(void **state)
{
    struct kg_gpu_call_timing call_timing;
    struct kg_gpu_sample sample;
    struct kg_gpu_graph graph;
    fake_restart();
    fake->device->blocking = true;
    assert_true(kg_gpu_timer_open(KGATE_FAKE_CUDA, &timer, &err));
    assert_false(timer.holds);
    work_open(&timer, "work", &work);
    const unsigned timed_out = fake->counts->timed_out;
    assert_true(kg_gpu_call_timing_find(&timer, &call, &call_timing, &err));
    assert_false(call_timing.synchronises);
    assert_int_equal(call_timing.held_calls, 0);
    assert_true(call_timing.capturable);
    assert_true(kg_gpu_cold(&timer, &call, true, &sample, &err));
    assert_true(sample.time_ns >= 50e3);
    assert_false(sample.held);
    assert_true(kg_gpu_graph_record(&timer, &call, 4, &graph, &err));
    assert_true(kg_gpu_graph_time(&timer, &graph, 2, &sample, &err));
    kg_gpu_graph_free(&timer, &graph);
    assert_int_equal(fake->counts->timed_out, timed_out);
}

static void a_machine_without_a_driver_is_noted(void **state)
{
    assert_false(kg_gpu_timer_open("/nowhere/libcuda.so.1", &timer, &err));
    assert_string_equal(err.message, "no NVIDIA driver is installed");
    kg_gpu_timer_close(&timer);
}

static void a_context_that_cannot_be_made_is_noted(void **state)
{
    fake_restart();
    setenv("FAKE_CUDA_FAIL", "busy", 1);
    assert_false(kg_gpu_timer_open(KGATE_FAKE_CUDA, &timer, &err));
    unsetenv("FAKE_CUDA_FAIL");
    assert_non_null(strstr(err.message, "cannot make a CUDA context"));
    assert_non_null(strstr(err.message, "CUDA_ERROR_DEVICE_UNAVAILABLE"));
}

#define WITH_TIMER(test) cmocka_unit_test_setup_teardown(test, open_timer, close_timer)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_TIMER(resolution_and_overhead_of_the_timer_are_found),
        WITH_TIMER(overhead_is_that_of_a_device_that_is_warm),
        WITH_TIMER(a_cold_call_has_nothing_to_write_back_for_others),
        WITH_TIMER(the_timers_overhead_is_taken_out),
        WITH_TIMER(a_cold_call_finds_nothing_in_the_cache_and_a_hot_one_does),
        WITH_TIMER(launching_is_outside_of_what_is_held_and_inside_of_what_is_not),
        WITH_TIMER(work_on_the_legacy_default_stream_is_timed),
        WITH_TIMER(a_call_that_only_launches_is_asynchronous),
        WITH_TIMER(a_call_that_waits_is_found_and_hangs_nothing),
        WITH_TIMER(a_first_call_that_waits_does_not_decide),
        WITH_TIMER(a_call_that_is_late_once_is_tried_again),
        WITH_TIMER(calls_of_many_launches_are_held_in_smaller_numbers),
        WITH_TIMER(a_full_queue_ends_with_the_hold),
        WITH_TIMER(a_call_of_more_launches_than_the_queue_takes_does_not_wait),
        WITH_TIMER(a_call_that_takes_the_host_long_does_not_wait),
        WITH_TIMER(a_batch_goes_on_after_its_hold),
        WITH_TIMER(a_host_that_is_slow_lets_the_device_begin),
        WITH_TIMER(graphs_run_without_the_gaps_of_launches),
        WITH_TIMER(a_call_that_cannot_be_recorded_gives_the_reason_and_spoils_nothing),
        WITH_TIMER(the_clock_is_read_on_the_device),
        WITH_TIMER(a_sample_shorter_than_the_timers_steps_allow_has_no_clock),
        WITH_TIMER(a_timer_that_hardly_moves_gives_no_clock),
        WITH_TIMER(a_device_is_kept_busy_until_its_clock_is_steady),
        WITH_TIMER(a_device_is_kept_busy_for_a_while_whatever_its_clock_does),
        WITH_TIMER(whole_calls_are_timed_by_the_host),
        cmocka_unit_test_setup(a_device_that_fails_is_noted_and_closed, open_timer),
        cmocka_unit_test(each_failure_is_noted_and_leaves_nothing),
        cmocka_unit_test_teardown(launches_that_wait_cost_no_holds, close_timer),
        cmocka_unit_test(a_machine_without_a_driver_is_noted),
        cmocka_unit_test(a_context_that_cannot_be_made_is_noted),
    };
    fake_open();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
