#include "gpu_support.h"

enum { HOUR_S = 3600 };

/* The largest error of a scope's start over a simulated hour of scopes, one about every `gap_ns`.
 * The device's clock runs at `rate`. */
static double error_over_an_hour(double rate, double gap_ns)
{
    struct kg_gpu_done done[4];
    double most = 0, starts[4];
    size_t begun = 0, taken = 0;
    const uint64_t end = host_ns + (uint64_t)HOUR_S * 1000000000;
    gpu_teardown(NULL);
    fake_restart(rate);
    gpu = kg_gpu_new();
    srand(1);
    while (host_ns < end) {
        assert_true(scope(stream, 2e4, begun, &starts[begun % 4]));
        begun++;
        pass(gap_ns * (0.5 + (double)rand() / RAND_MAX));
        const size_t count = kg_gpu_collect(gpu, 0, done, 4);
        for (size_t i = 0; i < count; i++) {
            assert_true(is_timed(&done[i]));
            most = fmax(most, fabs((double)done[i].gpu.start - starts[taken++ % 4]));
        }
    }
    assert_int_equal(taken, begun);
    return most;
}

static void starts_are_right_within_microseconds_for_an_hour(void **state)
{
    (void)state;
    assert_true(error_over_an_hour(1, 7e9) < 1e3);
    assert_true(error_over_an_hour(1, 1e7) < 1e3);
    assert_true(error_over_an_hour(1, 2e6) < 1e3);
}

/* Quartz clocks differ by up to 50 millionths: 12.5 us in the quarter of a second between two
 * looks. */
static void a_device_whose_clock_drifts_is_followed(void **state)
{
    (void)state;
    assert_true(error_over_an_hour(1 + 50e-6, 7e9) < 1.5e4);
    assert_true(error_over_an_hour(1 - 50e-6, 1e7) < 1.5e4);
}

/* Distances are floats of milliseconds: after an hour, their resolution is 0.25 ms. */
static void without_a_newer_reference_starts_become_coarse_only(void **state)
{
    (void)state;
    struct kg_gpu_done done;
    double start_ns = 0;
    assert_true(scope(stream, 1e3, 0, NULL));
    fake->stall(true);
    for (int i = 0; i < HOUR_S; i++)
        pass(1e9);
    pass(123456789);
    assert_true(scope(stream, 1e3, 1, &start_ns));
    pass(1e6);
    assert_int_equal(kg_gpu_collect(gpu, 0, &done, 1), 1);
    fake->stall(false);
    assert_int_equal(kg_gpu_collect(gpu, 0, &done, 1), 1);
    assert_true(is_timed(&done));
    assert_in_range(done.gpu.duration_ns, 900, 1200);
    assert_true(fabs((double)done.gpu.start - start_ns) < 0.3e6);
}

static void a_device_that_does_not_get_to_the_reference_holds_nobody_up(void **state)
{
    (void)state;
    struct kg_gpu_done done;
    fake->stall(true);
    const uint64_t begun = host_ns;
    for (uint64_t i = 0; i < 100; i++)
        assert_true(scope(stream, 1e3, i, NULL));
    assert_in_range(host_ns - begun, 0, 150000);
    pass(1e6);
    for (uint64_t i = 0; i < 100; i++) {
        assert_int_equal(kg_gpu_collect(gpu, 0, &done, 1), 1);
        assert_true(is_timed(&done));
        assert_int_equal(done.gpu.start, 0);
    }
    fake->stall(false);
    pass(1e9);
    assert_true(scope(stream, 1e3, 0, NULL));
    pass(1e6);
    assert_int_equal(kg_gpu_collect(gpu, 0, &done, 1), 1);
    assert_true(done.gpu.start > begun);
    assert_int_equal(kg_gpu_dropped(gpu), 0);
    assert_all_destroyed();
}

/* Work from before its reference event. */
static void an_event_may_be_older_than_the_reference(void **state)
{
    (void)state;
    struct kg_gpu_done done[2];
    double start_ns[2] = {0};
    assert_true(scope(stream, 1e9, 0, &start_ns[0]));
    pass(3e8);
    assert_true(scope(NULL, 1e3, 1, &start_ns[1]));
    pass(1e9);
    assert_int_equal(kg_gpu_collect(gpu, 0, done, 2), 2);
    for (size_t i = 0; i < 2; i++)
        assert_true(fabs((double)done[i].gpu.start - start_ns[i]) < 1000);
}

static bool older_driver_serves(void)
{
    struct kg_gpu_done done;
    double start_ns = 0;
    fake_open(KGATE_FAKE_CUDA_OLDER);
    gpu_setup(NULL);
    bool right = scope(stream, 1e6, 1, &start_ns);
    pass(1e7);
    /* It may refuse to tell while a stream is captured: then later. */
    fake->refuse("cuEventQuery", 900, 1);
    right &= kg_gpu_collect(gpu, 0, &done, 1) == 0;
    right &= kg_gpu_collect(gpu, 0, &done, 1) == 1 && is_timed(&done);
    right &= fabs((double)done.gpu.start - start_ns) < 1000 && !kg_gpu_dropped(gpu);
    return right && gpu_teardown(NULL) == 0;
}

static bool older_driver_served;

static uint64_t real_now(void)
{
    return kg_monotonic_ns();
}

/* On the machine's own clocks: a start is in ticks of the processor's counter, and lies between the
 * readings before and after. */
static bool start_is_noted_in_ticks(void)
{
    struct kg_gpu_done done;
    host_is_real = true;
    fake_open(KGATE_FAKE_CUDA);
    kg_ticks_start();
    gpu_setup(NULL);
    fake->restart(real_now, 1, 5e15);
    fake->context_use(fake->context_new());
    bool right = scope(NULL, 0, 0, NULL);
    usleep(100000);
    right &= kg_gpu_collect(gpu, 0, &done, 1) == 1;
    const uint64_t before = kg_ticks();
    right &= scope(NULL, 0, 0, NULL);
    const uint64_t after = kg_ticks();
    usleep(1000);
    right &= kg_gpu_collect(gpu, 0, &done, 1) == 1 && is_timed(&done);
    const double margin = 1e5 / kg_ticks_estimate();
    right &= (double)done.gpu.start > (double)before - margin;
    right &= (double)done.gpu.start < (double)after + margin;
    return right && gpu_teardown(NULL) == 0;
}

static bool start_was_noted_in_ticks;

static void starts_are_ticks_of_the_host_s_counter(void **state)
{
    (void)state;
    assert_true(start_was_noted_in_ticks);
}

static void drivers_from_before_cuda_12_do(void **state)
{
    (void)state;
    assert_true(older_driver_served);
}

#define GPU_TEST(function) cmocka_unit_test_setup_teardown(function, gpu_setup, gpu_teardown)

int main(void)
{
    older_driver_served = right_in_child(older_driver_serves);
    start_was_noted_in_ticks = right_in_child(start_is_noted_in_ticks);
    fake_open(KGATE_FAKE_CUDA);
    const struct CMUnitTest tests[] = {
        GPU_TEST(starts_are_right_within_microseconds_for_an_hour),
        GPU_TEST(a_device_whose_clock_drifts_is_followed),
        GPU_TEST(without_a_newer_reference_starts_become_coarse_only),
        GPU_TEST(a_device_that_does_not_get_to_the_reference_holds_nobody_up),
        GPU_TEST(an_event_may_be_older_than_the_reference),
        cmocka_unit_test(starts_are_ticks_of_the_host_s_counter),
        cmocka_unit_test(drivers_from_before_cuda_12_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
