#include "test_support.h"

#include "run/timing/gpu_timer.h"

enum { MULTIPROCESSORS = 132 };

static struct kg_stamps before, after;

/* A millisecond at 1.5 GHz. */
static int stamps_make(void **state)
{
    before = (struct kg_stamps){.number = 7, .count = MULTIPROCESSORS};
    after = (struct kg_stamps){.number = 8, .count = MULTIPROCESSORS};
    for (uint32_t i = 0; i < MULTIPROCESSORS; i++) {
        before.of[i] = (struct kg_stamp){.cycles = 1000000 + 77 * i,
                                         .timer_ns = 5000000 + 1000 * (i % 3),
                                         .step_ns = 1000,
                                         .multiprocessor = i,
                                         .number = 7};
        after.of[i] = before.of[i];
        after.of[i].cycles += 1500000;
        after.of[i].timer_ns += 1000000;
        after.of[i].number = 8;
    }
    return 0;
}

static void the_clock_is_cycles_over_time(void **state)
{
    assert_true(fabs(kg_stamps_clock_hz(&before, &after, 20e3) - 1.5e9) < 1);
}

static void blocks_may_land_on_other_multiprocessors(void **state)
{
    for (size_t i = 0; i < MULTIPROCESSORS / 2; i++) {
        const struct kg_stamp other = after.of[MULTIPROCESSORS - 1 - i];
        after.of[MULTIPROCESSORS - 1 - i] = after.of[i];
        after.of[i] = other;
    }
    assert_true(fabs(kg_stamps_clock_hz(&before, &after, 20e3) - 1.5e9) < 1);
}

static void one_multiprocessor_that_is_off_does_not_count(void **state)
{
    after.of[5].cycles *= 3;
    after.of[6].timer_ns = before.of[6].timer_ns;
    after.of[7].cycles = before.of[7].cycles - 1;
    assert_true(fabs(kg_stamps_clock_hz(&before, &after, 20e3) - 1.5e9) < 1);
}

static void readings_left_from_before_are_not_used(void **state)
{
    for (size_t i = 0; i < MULTIPROCESSORS; i++)
        if (i != 9)
            after.of[i].number = 6;
    after.of[9].cycles += 500000;
    assert_true(fabs(kg_stamps_clock_hz(&before, &after, 20e3) - 2e9) < 1);
    after.of[9].number = 6;
    assert_true(isnan(kg_stamps_clock_hz(&before, &after, 20e3)));
}

static void readings_without_a_step_of_the_timer_are_not_used(void **state)
{
    for (size_t i = 0; i < MULTIPROCESSORS; i++)
        before.of[i].step_ns = 0;
    assert_true(isnan(kg_stamps_clock_hz(&before, &after, 20e3)));
}

static void readings_too_close_give_no_clock(void **state)
{
    assert_true(isnan(kg_stamps_clock_hz(&before, &after, 1.1e6)));
    assert_true(!isnan(kg_stamps_clock_hz(&before, &after, 1e6)));
}

static void multiprocessors_beyond_the_table_are_left_out(void **state)
{
    for (size_t i = 0; i < MULTIPROCESSORS; i++)
        before.of[i].multiprocessor = after.of[i].multiprocessor =
            (uint32_t)(KG_STAMPS_MOST - 1 + i);
    assert_true(fabs(kg_stamps_clock_hz(&before, &after, 20e3) - 1.5e9) < 1);
    before.of[0].multiprocessor = UINT32_MAX;
    assert_true(isnan(kg_stamps_clock_hz(&before, &after, 20e3)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_clock_is_cycles_over_time, stamps_make),
        cmocka_unit_test_setup(blocks_may_land_on_other_multiprocessors, stamps_make),
        cmocka_unit_test_setup(one_multiprocessor_that_is_off_does_not_count, stamps_make),
        cmocka_unit_test_setup(readings_left_from_before_are_not_used, stamps_make),
        cmocka_unit_test_setup(readings_without_a_step_of_the_timer_are_not_used, stamps_make),
        cmocka_unit_test_setup(readings_too_close_give_no_clock, stamps_make),
        cmocka_unit_test_setup(multiprocessors_beyond_the_table_are_left_out, stamps_make),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
