/* The machine's part of a series, on series whose parts are known. */
#include "base/random.h"
#include "judge/control_series.h"
#include "test_support.h"

/* A value from -0.01 to 0.01. */
static double noise(struct kg_random *random)
{
    return kg_random_between(random, -0.01, 0.01);
}

static void a_control_that_explains_all_is_subtracted_whole(void **unused)
{
    struct kg_random random = {7};
    struct kg_control_fit fit = {0};
    double last = NAN;
    (void)unused;
    for (size_t i = 0; i < 40; i++) {
        const double machine = noise(&random);
        const double rest = kg_control_remove(&fit, 5 + machine, 3 + machine);
        assert_true(i < 9 || fabs(rest - last) < 1e-12);
        last = rest;
    }
    assert_true(fabs(kg_control_factor(&fit) - 1) < 1e-9);
}

static void a_control_that_explains_nothing_is_left(void **unused)
{
    struct kg_random random = {8};
    struct kg_control_fit fit = {0};
    double sum = 0;
    (void)unused;
    for (size_t i = 0; i < 400; i++) {
        kg_control_remove(&fit, noise(&random), noise(&random));
        sum += kg_control_factor(&fit);
    }
    if (!(sum / 400 < 0.2))
        fail_msg("seed 8: mean factor %g", sum / 400);
}

/* Half of the machine's moves, and as much noise of its own. */
static void the_factor_is_covariance_over_variance(void **unused)
{
    struct kg_random random = {9};
    struct kg_control_fit fit = {0};
    double sum = 0;
    (void)unused;
    for (size_t i = 0; i < 1000; i++) {
        const double machine = noise(&random);
        kg_control_remove(&fit, 0.5 * machine + 0.3 * noise(&random), machine);
        sum += i < 100 ? 0 : kg_control_factor(&fit) / 900;
    }
    if (!(fabs(sum - 0.5) < 0.05))
        fail_msg("seed 9: mean factor %g", sum);
}

static void a_step_of_the_machine_goes_and_one_of_the_code_stays(void **unused)
{
    struct kg_random random = {10};
    struct kg_control_fit fit = {0};
    double before = 0, after = 0, later = 0;
    (void)unused;
    for (size_t i = 0; i < 90; i++) {
        const double machine = 0.3 * noise(&random) + (i < 30 ? 0 : 0.1);
        const double code = i < 60 ? 0 : 0.05;
        const double rest = kg_control_remove(&fit, machine + code + 0.1 * noise(&random), machine);
        *(i < 30 ? &before : i < 60 ? &after : &later) += rest / 30;
    }
    if (!(fabs(after - before) < 0.01 && fabs(later - after - 0.05) < 0.01))
        fail_msg("seed 10: levels %g, %g, %g", before, after, later);
}

static void a_night_without_the_control_keeps_the_offset(void **unused)
{
    struct kg_random random = {11};
    struct kg_control_fit fit = {0};
    (void)unused;
    for (size_t i = 0; i < 20; i++) {
        const double machine = noise(&random);
        kg_control_remove(&fit, machine, machine);
    }
    const struct kg_control_fit before = fit;
    assert_true(kg_control_remove(&fit, 0.5, NAN) == 0.5 - before.offset);
    assert_memory_equal(&fit, &before, sizeof fit);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_control_that_explains_all_is_subtracted_whole),
        cmocka_unit_test(a_control_that_explains_nothing_is_left),
        cmocka_unit_test(the_factor_is_covariance_over_variance),
        cmocka_unit_test(a_step_of_the_machine_goes_and_one_of_the_code_stays),
        cmocka_unit_test(a_night_without_the_control_keeps_the_offset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
