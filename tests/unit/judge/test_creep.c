/* Slow drifts between two levels. */
#include "base/random.h"
#include "judge/creep.h"
#include "test_support.h"

enum { CASES = 20 };

/* A case whose level moved by `drift`, with a standard deviation of 0.2 % of a level. */
static struct kg_creep moved(double drift)
{
    return (struct kg_creep){.drift = drift, .earlier = drift, .variance = {4e-6, 12}};
}

static void a_drift_beyond_noise_and_threshold_creeps(void **unused)
{
    struct kg_creep creeps[CASES];
    (void)unused;
    for (size_t i = 0; i < CASES; i++)
        creeps[i] = moved(i == 3 ? 0.03 : i == 5 ? -0.03 : 0.001);
    kg_creep_judge(creeps, CASES);
    for (size_t i = 0; i < CASES; i++)
        assert_int_equal(creeps[i].creeps, i == 3 || i == 5);
    /* t = 0.03 / (0.002 sqrt 2), 12 degrees of freedom, second of 20 */
    const double p = 2 * kg_student_tail(0.03 / (0.002 * sqrt(2)), 12);
    assert_true(fabs(creeps[3].adjusted - 10 * p) < 1e-9 * p + 1e-15);
}

static void a_drift_below_the_threshold_does_not(void **unused)
{
    struct kg_creep creep = moved(0.0099);
    (void)unused;
    kg_creep_judge(&creep, 1);
    assert_true(creep.adjusted < 0.01);
    assert_false(creep.creeps);
}

static void an_unknown_variance_decides_nothing(void **unused)
{
    struct kg_creep creep = moved(1);
    (void)unused;
    creep.variance = (struct kg_variance){NAN, 0};
    kg_creep_judge(&creep, 1);
    assert_true(isnan(creep.adjusted));
    assert_false(creep.creeps);
}

/* A step in the newest level only is the change detector's. */
static void a_fresh_step_is_no_creep(void **unused)
{
    struct kg_creep creep = moved(0.05);
    (void)unused;
    creep.earlier = 0.024;
    kg_creep_judge(&creep, 1);
    assert_false(creep.creeps);
    creep.earlier = 0.026;
    kg_creep_judge(&creep, 1);
    assert_true(creep.creeps);
}

static void a_drift_is_that_of_two_medians_of_five_runs(void **unused)
{
    static const float x[] = {9, 1, 2, 3, 4, 5, 70, 7, 8, 9, 10, 11, 12, 13, 14, 90};
    struct kg_creep creep;
    (void)unused;
    assert_true(kg_creep_compare(x, 16, 6, &creep));
    assert_true(creep.drift == 10 && creep.earlier == 6);
    assert_false(kg_creep_compare(x, 15, 6, &creep));
    assert_false(kg_creep_compare(x, 16, 4, &creep));
    assert_true(kg_creep_compare(x, 16, 5, &creep) && creep.variance.freedom == 0);
}

/* Runs in five pairs of levels 0, 0, d, d …: levels two apart differ by d. */
static void the_variance_is_that_of_changes(void **unused)
{
    struct kg_creep creep;
    float x[40];
    (void)unused;
    for (size_t i = 0; i < 40; i++)
        x[i] = i / 10 % 2 ? 0.02F : 0;
    assert_true(kg_creep_compare(x, 40, 10, &creep));
    assert_true(fabs(creep.variance.value - 0.02 * 0.02 / 2) < 1e-9);
    assert_true(fabs(creep.variance.freedom - 4) < 1e-12);
}

/* A drift of 5 % over 100 runs hardly widens its own yardstick. */
static void a_slow_drift_does_not_hide_itself(void **unused)
{
    enum { PAST = 100 };
    struct kg_random random = {12};
    struct kg_creep still, moving;
    float steady[PAST], drifting[PAST];
    (void)unused;
    for (size_t i = 0; i < PAST; i++) {
        steady[i] = (float)kg_random_between(&random, -0.02, 0.02);
        drifting[i] = steady[i] + 0.0005F * (float)i;
    }
    assert_true(kg_creep_compare(steady, PAST, 10, &still));
    assert_true(kg_creep_compare(drifting, PAST, 10, &moving));
    if (!(moving.variance.value < 2 * still.variance.value))
        fail_msg("seed 12: variances %g and %g", moving.variance.value, still.variance.value);
}

/* Of 100 cases without a drift, few nights have an alarm. */
static void noise_rarely_creeps(void **unused)
{
    enum { MANY = 100, NIGHTS = 300, PAST = 75 };
    struct kg_random random = {13};
    struct kg_creep creeps[MANY];
    size_t alarms = 0;
    (void)unused;
    for (size_t night = 0; night < NIGHTS; night++) {
        for (size_t i = 0; i < MANY; i++) {
            float x[PAST] = {0};
            for (size_t k = 0; k < PAST; k++)
                for (size_t part = 0; part < 4; part++)
                    x[k] += (float)kg_random_between(&random, -0.5, 0.5);
            assert_true(kg_creep_compare(x, PAST, PAST - 30, &creeps[i]));
        }
        kg_creep_judge(creeps, MANY);
        for (size_t i = 0; i < MANY; i++)
            alarms += creeps[i].creeps;
    }
    if (alarms > NIGHTS / 8)
        fail_msg("seed 13: %zu alarms in %d nights", alarms, NIGHTS);
}

/* Ten runs per day for a year, with a drift of 2 % per year and noise that all runs of a day share. */
static void a_drift_of_a_year_creeps_with_many_runs_per_day(void **unused)
{
    enum { DAYS = 400, PER_DAY = 10 };
    static float x[DAYS * PER_DAY];
    struct kg_creep_past past = {0};
    struct kg_random random = {7};
    (void)unused;
    for (size_t day = 0; day < DAYS; day++) {
        const double of_day = 0.002 * (kg_random_unit(&random) - 0.5);
        for (size_t i = 0; i < PER_DAY; i++) {
            const size_t n = day * PER_DAY + i + 1;
            x[n - 1] = (float)(0.02 * (double)day / 365 + of_day);
            kg_creep_past_add(&past, x, n, (int32_t)day, (int64_t)n);
        }
    }
    struct kg_creep creep;
    assert_int_equal(past.count, KG_CREEP_LEVELS);
    const struct kg_creep_level *level =
        kg_creep_past_compare(&past, x, DAYS * PER_DAY, DAYS - 365, &creep);
    assert_non_null(level);
    assert_true(level->day <= DAYS - 365 && level->day > DAYS - 365 - KG_CREEP_SPACING);
    assert_true(level->run > level->day * PER_DAY && level->run <= (level->day + 1) * PER_DAY);
    kg_creep_judge(&creep, 1);
    assert_true(creep.creeps);
    assert_true(fabs(creep.drift - 0.02) < 0.003);
    assert_null(kg_creep_past_compare(&past, x, DAYS * PER_DAY, -1, &creep));
}

static void noise_of_days_rarely_creeps(void **unused)
{
    enum { TRIALS = 400, DAYS = 150 };
    struct kg_random random = {11};
    size_t alarms = 0;
    (void)unused;
    for (size_t trial = 0; trial < TRIALS; trial++) {
        static float x[DAYS * KG_CREEP_RUNS];
        struct kg_creep_past past = {0};
        struct kg_creep creep;
        for (size_t day = 0, n = 0; day < DAYS; day++) {
            const double of_day = 0.02 * (kg_random_unit(&random) - 0.5);
            for (size_t i = 0; i < KG_CREEP_RUNS; i++)
                x[n++] = (float)of_day;
            kg_creep_past_add(&past, x, n, (int32_t)day, 1);
        }
        assert_non_null(kg_creep_past_compare(&past, x, DAYS * KG_CREEP_RUNS, DAYS - 90, &creep));
        kg_creep_judge(&creep, 1);
        alarms += creep.creeps;
    }
    if (alarms > TRIALS / 10 + 20)
        fail_msg("seed 11: %zu alarms in %d trials", alarms, TRIALS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_drift_beyond_noise_and_threshold_creeps),
        cmocka_unit_test(a_drift_below_the_threshold_does_not),
        cmocka_unit_test(a_fresh_step_is_no_creep),
        cmocka_unit_test(an_unknown_variance_decides_nothing),
        cmocka_unit_test(a_drift_is_that_of_two_medians_of_five_runs),
        cmocka_unit_test(the_variance_is_that_of_changes),
        cmocka_unit_test(a_slow_drift_does_not_hide_itself),
        cmocka_unit_test(noise_rarely_creeps),
        cmocka_unit_test(a_drift_of_a_year_creeps_with_many_runs_per_day),
        cmocka_unit_test(noise_of_days_rarely_creeps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
