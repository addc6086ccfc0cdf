/* The instability of a case, by the medians of its stored runs. */
#include "test_support.h"

#include "judge/waivers_apply.h"

static double of(size_t count, const double *medians)
{
    double room[16];
    return kg_instability(medians, count, room);
}

static void two_runs_note_nothing(void **state)
{
    assert_true(isnan(of(2, (const double[]){1, 2})));
}

static void runs_that_go_up_and_down_are_unstable(void **state)
{
    assert_float_equal(of(5, (const double[]){10, 15, 10, 15, 10}), 0.5, 1e-9);
}

static void one_step_to_a_new_level_is_stable(void **state)
{
    assert_float_equal(of(5, (const double[]){10, 10, 10, 7, 7}), 0, 1e-9);
    assert_true(of(5, (const double[]){10, 10.1, 10, 7, 7.1}) < 0.02);
    assert_float_equal(of(3, (const double[]){10, 10, 19.1}), 0, 1e-9);
    assert_float_equal(of(3, (const double[]){10, 19.1, 19.1}), 0, 1e-9);
    assert_float_equal(of(3, (const double[]){10, 19.1, 10}), 0.91, 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_runs_note_nothing),
        cmocka_unit_test(runs_that_go_up_and_down_are_unstable),
        cmocka_unit_test(one_step_to_a_new_level_is_stable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
