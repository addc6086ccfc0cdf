/* src/device/code/timing.cu on the host, with clocks that the test moves: above all, that the holding
 * kernel ends, whatever happens. */
#include "cuda/cmocka_cpp.h"

#include "device/code/launch.cuh"
#include "device/code/timing.cu"

static uint64_t now_ns, cycles, step_ns, reads;
static double ns_a_read;
static struct kg_gate gate;
static uint64_t release_after; /* so many readings of the timer; 0: never */

/* The timer moves in steps; time passes by being looked at. */
uint64_t timer_ns()
{
    now_ns += (uint64_t)ns_a_read;
    if (++reads == release_after)
        gate.released = 7;
    return step_ns ? now_ns / step_ns * step_ns : 0;
}

uint32_t multiprocessor()
{
    return 100 + blockIdx.x;
}

long long clock64()
{
    cycles += 40;
    return (long long)cycles;
}

void __threadfence_system()
{
}

static int clocks_start(void **)
{
    now_ns = 5000123;
    cycles = 1000;
    step_ns = 1000;
    ns_a_read = 20;
    reads = release_after = 0;
    gate = {.released = 6, .timed_out = 6};
    return 0;
}

static void hold(uint32_t number, uint64_t limit_ns, uint64_t limit_cycles)
{
    KG_LAUNCH(kg_hold, 1, 1, 0, kg_emulated_stream(), &gate, number, limit_ns, limit_cycles);
    assert_int_equal(cudaGetLastError(), cudaSuccess);
}

static void a_hold_that_is_released_before_ends_at_once(void **)
{
    hold(6, 100000, 400000);
    assert_int_equal(gate.timed_out, 6);
    assert_true(reads <= 1);
    hold(5, 100000, 400000);
    assert_true(reads <= 2);
}

static void a_hold_ends_when_it_is_released(void **)
{
    release_after = 50;
    hold(7, 100000, 400000);
    assert_int_equal(gate.timed_out, 6);
    assert_true(reads >= 50 && reads < 55);
}

static void a_hold_that_nobody_releases_ends_by_the_timer(void **)
{
    hold(7, 100000, UINT64_MAX);
    assert_int_equal(gate.timed_out, 7);
    assert_true(now_ns - 5000123 >= 99000 && now_ns - 5000123 < 102000);
}

static void a_hold_ends_by_cycles_where_the_timer_stands_still(void **)
{
    step_ns = 0;
    hold(7, 100000, 400000);
    assert_int_equal(gate.timed_out, 7);
    assert_true(cycles >= 400000 && cycles < 402000);
}

static void numbers_of_holds_may_wrap_around(void **)
{
    gate.released = UINT32_MAX;
    hold(UINT32_MAX, 100000, 400000);
    assert_int_equal(gate.timed_out, 6);
    hold(1, 100000, 400000);
    assert_int_equal(gate.timed_out, 1);
    gate.released = 1;
    const uint64_t before = reads;
    hold(UINT32_MAX, 100000, 400000);
    assert_true(reads <= before + 1);
}

enum { BLOCKS = 16 };

static void stamps_are_taken_right_after_a_step(void **)
{
    struct kg_stamp stamps[BLOCKS] = {};
    KG_LAUNCH(kg_stamp, BLOCKS, 1, 0, kg_emulated_stream(), stamps, uint64_t(42), uint64_t(4096));
    for (uint32_t i = 0; i < BLOCKS; i++) {
        assert_int_equal(stamps[i].number, 42);
        assert_int_equal(stamps[i].multiprocessor, 100 + i);
        assert_int_equal(stamps[i].step_ns, 1000);
        assert_int_equal(stamps[i].timer_ns % 1000, 0);
        assert_true(stamps[i].cycles > 1000);
    }
}

static void stamps_do_not_wait_for_a_timer_that_stands_still(void **)
{
    struct kg_stamp stamps[BLOCKS] = {};
    ns_a_read = 0;
    KG_LAUNCH(kg_stamp, BLOCKS, 1, 0, kg_emulated_stream(), stamps, uint64_t(42), uint64_t(4096));
    for (uint32_t i = 0; i < BLOCKS; i++) {
        assert_int_equal(stamps[i].number, 42);
        assert_int_equal(stamps[i].step_ns, 0);
    }
    assert_true(cycles < 1000 + BLOCKS * (4096 + 200));
}

static void busy(float *never, uint64_t limit_ns, uint64_t limit_cycles)
{
    KG_LAUNCH(kg_busy, 2, 32, 0, kg_emulated_stream(), never, 0.5F, limit_ns, limit_cycles);
    assert_int_equal(cudaGetLastError(), cudaSuccess);
}

static void what_keeps_the_device_busy_ends_by_the_timer(void **)
{
    float never = 7;
    busy(&never, 10000, UINT64_MAX);
    assert_true(now_ns - 5000123 >= 9000);
    assert_true(reads < 2 * 32 * 10000 / 20 + 2 * 32 * 60);
    assert_true(never == 7);
}

static void what_keeps_the_device_busy_ends_by_cycles_where_the_timer_stands_still(void **)
{
    float never = 7;
    step_ns = 0;
    busy(&never, 10000, 40000);
    assert_true(cycles < 1000 + 2 * 32 * (40000 + 200));
    assert_true(never == 7);
}

/* A word that is not zero shows that its vector was read. */
static void all_vectors_are_read_and_none_beyond(void **)
{
    enum { BLOCKS_READING = 2, WAVE = 4 * BLOCKS_READING * KG_BUSY_THREADS };
    static const size_t counts[] = {1, KG_BUSY_THREADS, WAVE - 1, WAVE, 2 * WAVE + 3};
    static uint4 vectors[2 * WAVE + 4];
    for (const size_t count : counts)
        for (const size_t marked : {size_t(0), count / 2, count - 1, count}) {
            float never = 7;
            memset(vectors, 0, sizeof vectors);
            vectors[marked].z = 1;
            KG_LAUNCH(kg_clean, BLOCKS_READING, KG_BUSY_THREADS, 0, kg_emulated_stream(), vectors,
                      uint64_t(count), &never);
            assert_int_equal(cudaGetLastError(), cudaSuccess);
            assert_true((never == 7) == (marked == count));
        }
}

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_hold_that_is_released_before_ends_at_once, clocks_start),
        cmocka_unit_test_setup(a_hold_ends_when_it_is_released, clocks_start),
        cmocka_unit_test_setup(a_hold_that_nobody_releases_ends_by_the_timer, clocks_start),
        cmocka_unit_test_setup(a_hold_ends_by_cycles_where_the_timer_stands_still, clocks_start),
        cmocka_unit_test_setup(numbers_of_holds_may_wrap_around, clocks_start),
        cmocka_unit_test_setup(stamps_are_taken_right_after_a_step, clocks_start),
        cmocka_unit_test_setup(stamps_do_not_wait_for_a_timer_that_stands_still, clocks_start),
        cmocka_unit_test_setup(what_keeps_the_device_busy_ends_by_the_timer, clocks_start),
        cmocka_unit_test_setup(
            what_keeps_the_device_busy_ends_by_cycles_where_the_timer_stands_still, clocks_start),
        cmocka_unit_test(all_vectors_are_read_and_none_beyond),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
