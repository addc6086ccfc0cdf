/* Times and the core's pace: how far the ones follow the other. */
#include "test_support.h"

#include "base/random.h"
#include "base/statistics/stats.h"

enum { COUNT = 20 };

struct scene {
    double times[2][COUNT];
    double paces[2][COUNT];
    struct kg_paced sides[2];
    double scratch[4 * COUNT];
};

/* Two sides with a core clock that jumps by `jump` at random and is `shift` higher on the second.
 * Times follow it with `exponent`, with a noise of their own. */
static struct kg_pace scene_make(struct scene *scene, double exponent, double jump, double shift,
                                 double noise)
{
    struct kg_random random = {42};
    for (int s = 0; s < 2; s++) {
        for (int i = 0; i < COUNT; i++) {
            scene->paces[s][i] = (kg_random_unit(&random) < 0.5 ? jump : 0) + s * shift;
            scene->times[s][i] = exponent * scene->paces[s][i] +
                                 noise * (kg_random_unit(&random) - 0.5) + (s ? 0.1 : 0);
        }
        scene->sides[s] = (struct kg_paced){scene->times[s], scene->paces[s], COUNT};
    }
    return kg_pace_correct(scene->sides, 2, scene->scratch);
}

static double difference(struct scene *scene)
{
    kg_sort(scene->times[0], COUNT);
    kg_sort(scene->times[1], COUNT);
    return kg_median_sorted(scene->times[1], COUNT) - kg_median_sorted(scene->times[0], COUNT);
}

static void near(const char *what, double expected, double value, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%s is %g, expected %g within %g", what, value, expected, tolerance);
}

static void a_time_spent_on_the_core_follows_fully(void **state)
{
    struct scene scene;
    const struct kg_pace pace = scene_make(&scene, 1, 0.04, 0.05, 0.002);
    near("exponent", 1, pace.exponent, 0.11);
    near("shift", 0.05, pace.shift, 0.045); /* medians of two modes */
    near("difference", 0.1, difference(&scene), 0.01);
}

static void a_time_spent_waiting_does_not_follow(void **state)
{
    struct scene scene;
    const struct kg_pace pace = scene_make(&scene, 0, 0.04, 0.05, 0.002);
    near("exponent", 0, pace.exponent, 0.11);
    near("difference", 0.1, difference(&scene), 0.01);
}

static void a_pace_beyond_what_a_clock_does_is_not_taken_out(void **state)
{
    struct scene scene;
    const struct kg_pace pace = scene_make(&scene, 1, 0.04, 1.3, 0.002);
    near("exponent", 0, pace.exponent, 0);
    near("doubt", 0, pace.doubt, 0);
    near("difference", 1.4, difference(&scene), 0.06);
}

/* Then anything from 0 to 1 may be true, and the doubt says so. */
static void a_pace_that_stands_still_within_a_side_shows_nothing(void **state)
{
    struct scene scene;
    const struct kg_pace pace = scene_make(&scene, 1, 0, 0.04, 0.01);
    near("exponent", 0.5, pace.exponent, 0);
    near("doubt", 0.5, pace.doubt, 0);
    near("shift", 0.04, pace.shift, 1e-12);
    /* half of the shift is subtracted; the truth lies within doubt * shift */
    near("difference", 0.1 + 0.04 - 0.02, difference(&scene), 0.005);
}

static void noise_larger_than_the_jumps_leaves_doubt(void **state)
{
    struct scene scene;
    const struct kg_pace pace = scene_make(&scene, 1, 0.005, 0, 0.2);
    assert_true(pace.doubt >= 0.4);
}

static void one_side_alone_is_left_as_it_is(void **state)
{
    struct scene scene;
    scene_make(&scene, 1, 0.04, 0, 0);
    const double before = scene.times[0][3];
    kg_pace_correct(scene.sides, 1, scene.scratch);
    near("time", before, scene.times[0][3], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_time_spent_on_the_core_follows_fully),
        cmocka_unit_test(a_time_spent_waiting_does_not_follow),
        cmocka_unit_test(a_pace_beyond_what_a_clock_does_is_not_taken_out),
        cmocka_unit_test(a_pace_that_stands_still_within_a_side_shows_nothing),
        cmocka_unit_test(noise_larger_than_the_jumps_leaves_doubt),
        cmocka_unit_test(one_side_alone_is_left_as_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
