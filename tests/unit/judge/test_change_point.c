/* The detector of lasting steps, on series of known levels. */
#include "base/random.h"
#include "judge/change_point.h"
#include "test_support.h"

/* Twelve uniform values: near enough to a normal one. */
static double normal(struct kg_random *random)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += kg_random_unit(random);
    return sum;
}

/* A small scatter about 0 without randomness. */
static double scatter(size_t i)
{
    return 0.001 * (double)(i * 7 % 5) - 0.002;
}

/* Appends runs at a level. Returns the number of the first run that alarms, from 1; 0: none. */
static size_t append_level(struct kg_change_state *state, double level, size_t runs,
                           struct kg_change_alarm *alarm)
{
    for (size_t i = 0; i < runs; i++)
        if (kg_change_append(state, level + scatter(i), alarm))
            return i + 1;
    return 0;
}

static void a_step_is_found_at_its_third_run(void **unused)
{
    struct kg_change_state state = {0};
    struct kg_change_alarm alarm;
    (void)unused;
    assert_int_equal(append_level(&state, 5, 30, &alarm), 0);
    assert_int_equal(append_level(&state, 5.1, 10, &alarm), 3);
    assert_int_equal(alarm.newer, 3);
    assert_int_equal(alarm.newer_least, 3);
    assert_int_equal(alarm.newer_most, 3);
    assert_true(fabs(alarm.step - 0.1) < 0.002);
    assert_true(alarm.step_low < 0.1 && 0.1 < alarm.step_high);
    assert_true(alarm.statistic > alarm.threshold);
    assert_int_equal(state.since, 3);
    assert_int_equal(state.count, 3);
    assert_true(fabsf(state.tail[0] - 5.1F) < 0.003F);
}

/* |t| of 6 against 3 values by hand: means 0 and 1, sums of squares 6 * 0.01 and 0. */
static void the_statistic_is_students(void **unused)
{
    static const double x[] = {0.1, -0.1, 0.1, -0.1, 0.1, -0.1, 1, 1, 1};
    const double deviation = sqrt(0.06 / 7), expected = 1 / (deviation * sqrt(1.0 / 6 + 1.0 / 3));
    struct kg_change_state state = {0};
    struct kg_change_alarm alarm;
    (void)unused;
    for (size_t i = 0; i < 8; i++)
        assert_false(kg_change_append(&state, x[i], &alarm));
    assert_true(kg_change_append(&state, x[8], &alarm));
    assert_true(fabs(alarm.statistic - expected) < 1e-4);
    /* The 97.5 % point of t with 7 degrees of freedom is 2.3646. */
    assert_true(fabs(alarm.step_high - 1 - 2.3646 / expected) < 1e-4);
}

static void one_or_two_bad_nights_are_no_step(void **unused)
{
    struct kg_change_state state = {0};
    struct kg_change_alarm alarm;
    (void)unused;
    for (size_t nights = 1; nights <= 2; nights++) {
        assert_int_equal(append_level(&state, 1, 30, &alarm), 0);
        assert_int_equal(append_level(&state, 1.5, nights, &alarm), 0);
        assert_int_equal(append_level(&state, 1, 30, &alarm), 0);
    }
}

static void a_step_below_two_percent_is_none(void **unused)
{
    struct kg_change_state state = {0};
    struct kg_change_alarm alarm;
    (void)unused;
    assert_int_equal(append_level(&state, 1, 40, &alarm), 0);
    assert_int_equal(append_level(&state, 1.018, 100, &alarm), 0);
    state = (struct kg_change_state){0};
    assert_int_equal(append_level(&state, 1, 40, &alarm), 0);
    assert_true(append_level(&state, 1 - 0.022, 20, &alarm) > 0);
    assert_true(alarm.step < -0.02);
}

static void eight_runs_come_before_the_first_test(void **unused)
{
    struct kg_change_state state = {0};
    struct kg_change_alarm alarm;
    (void)unused;
    assert_int_equal(append_level(&state, 0, 4, &alarm), 0);
    assert_int_equal(append_level(&state, 1, 10, &alarm), 5);
    assert_int_equal(alarm.newer, 5);
}

static void values_that_are_not_finite_are_ignored(void **unused)
{
    struct kg_change_state state = {0}, before;
    struct kg_change_alarm alarm;
    (void)unused;
    append_level(&state, 1, 12, &alarm);
    before = state;
    assert_false(kg_change_append(&state, NAN, &alarm));
    assert_false(kg_change_append(&state, INFINITY, &alarm));
    assert_false(kg_change_append(&state, 1e300, &alarm)); /* no float */
    assert_memory_equal(&state, &before, sizeof state);
}

static void states_of_a_broken_file_are_refused(void **unused)
{
    struct kg_change_state state = {0};
    struct kg_change_alarm alarm;
    (void)unused;
    assert_true(kg_change_state_valid(&state));
    for (size_t i = 0; i < 200; i++) {
        kg_change_append(&state, 1 + scatter(i), &alarm);
        assert_true(kg_change_state_valid(&state));
    }
    state.tail[5] = NAN;
    assert_false(kg_change_state_valid(&state));
    state = (struct kg_change_state){.since = 500, .count = KG_CHANGE_WINDOW + 1};
    assert_false(kg_change_state_valid(&state));
    state = (struct kg_change_state){.since = 3, .count = 4};
    assert_false(kg_change_state_valid(&state));
    state = (struct kg_change_state){.since = 4, .count = 3};
    assert_false(kg_change_state_valid(&state));
}

/* Counts repeat exactly: their variance is 0. */
static void equal_values_divide_by_no_zero(void **unused)
{
    struct kg_change_state state = {0};
    struct kg_change_alarm alarm = {0};
    (void)unused;
    for (size_t i = 0; i < 300; i++)
        assert_false(kg_change_append(&state, 20, &alarm));
    assert_int_equal(state.count, KG_CHANGE_WINDOW);
    assert_int_equal(state.since, 300);
    for (size_t i = 0; i < 2; i++)
        assert_false(kg_change_append(&state, 20.05, &alarm));
    assert_true(kg_change_append(&state, 20.05, &alarm));
    assert_true(isfinite(alarm.statistic) && fabs(alarm.step - 0.05) < 1e-5);
}

/* A split that the data do not place well comes with a wide range, and the range holds the truth. */
static void the_range_holds_the_split(void **unused)
{
    enum { TRIALS = 300, OLDER = 40, MOST = 80 };
    struct kg_random random = {32};
    size_t found = 0, held = 0;
    (void)unused;
    for (size_t trial = 0; trial < TRIALS; trial++) {
        struct kg_change_state state = {0};
        struct kg_change_alarm alarm;
        size_t run = 0;
        bool alarmed = false;
        while (run < OLDER + MOST && !alarmed) {
            alarmed = kg_change_append(&state, normal(&random) + (run < OLDER ? 0 : 2), &alarm);
            run++;
        }
        if (!alarmed || run <= OLDER)
            continue;
        const size_t newer = run - OLDER;
        found++;
        assert_true(alarm.newer_least <= alarm.newer && alarm.newer <= alarm.newer_most);
        held += alarm.newer_least <= newer && newer <= alarm.newer_most;
    }
    if (found < TRIALS * 9 / 10 || (double)held < 0.9 * (double)found)
        fail_msg("seed 32: %zu found of %d, %zu ranges hold the split", found, TRIALS, held);
}

/* Share of the runs that alarm if none before did. Neighbouring runs have this correlation. */
static double noise_alarms(double correlation)
{
    enum { SERIES = 1500, RUNS = 200 };
    struct kg_random random = {2003};
    size_t alarms = 0, runs = 0;
    for (size_t s = 0; s < SERIES; s++) {
        struct kg_change_state state = {0};
        struct kg_change_alarm alarm;
        bool alarmed = false;
        double x = normal(&random);
        for (size_t i = 0; i < RUNS && !alarmed; i++) {
            alarmed = kg_change_append(&state, x, &alarm);
            x = correlation * x + sqrt(1 - correlation * correlation) * normal(&random);
            runs += i >= KG_CHANGE_RUNS_LEAST;
        }
        alarms += alarmed;
    }
    return (double)alarms / (double)runs;
}

static void noise_alarms_once_in_a_thousand_runs(void **unused)
{
    const double independent = noise_alarms(0), similar = noise_alarms(0.2);
    (void)unused;
    if (!(independent > 0 && independent < 0.0003 && similar > 0.0004 && similar < 0.0012))
        fail_msg("seed 2003: shares of %.5f and %.5f", independent, similar);
}

/* The state depends on the runs since the change alone: two histories end in the same row. */
static void the_past_before_a_change_is_forgotten(void **unused)
{
    struct kg_change_state one = {0}, other = {0};
    struct kg_change_alarm alarm;
    (void)unused;
    append_level(&one, 1, 30, &alarm);
    append_level(&other, 3, 200, &alarm);
    assert_int_equal(append_level(&one, 2, 9, &alarm), 3);
    assert_int_equal(append_level(&other, 2, 9, &alarm), 3);
    assert_int_equal(one.since, other.since);
    assert_memory_equal(one.tail, other.tail, one.count * sizeof *one.tail);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_is_found_at_its_third_run),
        cmocka_unit_test(the_statistic_is_students),
        cmocka_unit_test(one_or_two_bad_nights_are_no_step),
        cmocka_unit_test(a_step_below_two_percent_is_none),
        cmocka_unit_test(eight_runs_come_before_the_first_test),
        cmocka_unit_test(values_that_are_not_finite_are_ignored),
        cmocka_unit_test(states_of_a_broken_file_are_refused),
        cmocka_unit_test(equal_values_divide_by_no_zero),
        cmocka_unit_test(the_range_holds_the_split),
        cmocka_unit_test(noise_alarms_once_in_a_thousand_runs),
        cmocka_unit_test(the_past_before_a_change_is_forgotten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
