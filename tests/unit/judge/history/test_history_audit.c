/* The audit of a history: false alarms, the sign test, and the smallest visible change. */
#include "judge/history/history_audit.h"

#include "base/random.h"
#include "base/statistics/stats.h"
#include "test_support.h"

enum { RUNS = 60 };

static struct kg_history_run runs[RUNS];
static char started[RUNS][32];
static struct kg_history_point points[RUNS];
static struct kg_history_series series;
static struct kg_history_change changes[40];
static struct kg_trend_mark marks[40];
static struct kg_history history;

/* Runs of one code with a noise of 0.5 %; each has five rounds with a deviation of 0.2 %. */
static int setup(void **state)
{
    struct kg_random random = {3};
    (void)state;
    for (size_t i = 0; i < RUNS; i++) {
        double noise = 0;
        for (size_t part = 0; part < 12; part++)
            noise += kg_random_between(&random, -0.5, 0.5);
        snprintf(started[i], sizeof started[i], "2026-01-01T%02zu:00:00Z", i);
        runs[i] =
            (struct kg_history_run){.hash = "", .started = started[i], .kind = KG_HISTORY_NIGHTLY};
        points[i] = (struct kg_history_point){.run = i,
                                              .value = 1000 * (1 + 0.005 * noise),
                                              .deviation = 2,
                                              .rounds = 5,
                                              .code = "00000000000000aa"};
    }
    series = (struct kg_history_series){.suite = "s",
                                        .id_of_case = "w/cpu",
                                        .metric = "time",
                                        .machine = "m",
                                        .points = points,
                                        .point_count = RUNS,
                                        .marks = marks};
    history = (struct kg_history){
        .runs = runs, .run_count = RUNS, .series = &series, .series_count = 1, .changes = changes};
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    kg_history_free(&history);
    return 0;
}

static void change_add(size_t before, size_t after, double ratio, const char *cause)
{
    const size_t i = history.change_count++;
    changes[i] = (struct kg_history_change){
        .kind = "step", .ratio = ratio, .cause = cause, .state = "suspected"};
    marks[series.mark_count++] = (struct kg_trend_mark){i, before, after, after};
}

static const struct kg_history_audit *audit(void)
{
    kg_history_audit(&history, 0.01, 5);
    assert_int_equal(history.audit_count, 1);
    return &history.audits[0];
}

static void a_step_at_unchanged_code_is_a_false_alarm(void **state)
{
    (void)state;
    change_add(20, 21, 1.03, "machine");
    change_add(40, 42, 1.03, "unknown");
    points[50].code = "00000000000000bb";
    change_add(49, 50, 1.03, "code");
    const struct kg_history_audit *found = audit();
    assert_int_equal(found->alarms, 2);
    assert_int_equal(found->blamed, 1);
    /* the first eight runs are untested; run 50 and the one after it differ from the run before */
    assert_int_equal(found->same, RUNS - 8 - 2);
    assert_true(found->low < 2.0 / 50 && found->high > 2.0 / 50);
}

static void control_runs_are_replayed(void **state)
{
    (void)state;
    for (size_t i = 0; i < RUNS; i++) {
        runs[i].kind = KG_HISTORY_CONTROL;
        points[i].value *= i < 30 ? 1 : 1.1;
    }
    change_add(29, 30, 1.1, "control"); /* the history may have the step, too */
    const struct kg_history_audit *found = audit();
    assert_int_equal(found->alarms, 1);
    assert_in_range(found->same, 40, RUNS - 8);
    assert_int_equal(found->case_count, 0);
}

static void steps_of_code_are_counted_by_direction(void **state)
{
    (void)state;
    points[10].code = points[12].code = points[14].code = points[16].code = NULL;
    change_add(9, 10, 1.05, "code");
    change_add(11, 12, 1.05, "unknown");
    change_add(13, 14, 0.95, "code");
    change_add(15, 16, 1.05, "code");
    changes[3].state = "refuted";
    const struct kg_history_audit *found = audit();
    assert_int_equal(found->regressions, 2);
    assert_int_equal(found->improvements, 1);
    assert_float_equal(found->sign_p, 1, 1e-12);
}

static void the_direction_of_an_own_metric_is_unknown(void **state)
{
    (void)state;
    series.metric = "quality";
    points[10].code = NULL;
    change_add(9, 10, 1.05, "code");
    assert_int_equal(audit()->regressions, 0);
}

/* Two runs of variance 0.005^2 differ by 0.0071. t(0.5 %) + t(10 %) is about 3.9 to 4.2 for 50 to 30 degrees of
 * freedom. Logarithms of sample variances are low on average, and kgate corrects them: 0.2 % becomes 0.23 %. */
static void the_visible_change_follows_the_noise_between_runs(void **state)
{
    (void)state;
    const struct kg_history_audit *found = audit();
    assert_int_equal(found->case_count, 1);
    assert_float_equal(found->cases[0].between, 0.005, 0.001);
    assert_float_equal(found->cases[0].within, 0.0023, 1e-4);
    assert_float_equal(found->cases[0].visible, 0.029, 0.006);
}

static void intervals_and_sign_test_have_known_values(void **state)
{
    (void)state;
    const struct kg_interval none = kg_share_interval(0, 100);
    assert_float_equal(none.low, 0, 1e-12);
    assert_float_equal(none.high, 0.0370, 1e-4);
    const struct kg_interval some = kg_share_interval(8, 1000);
    assert_float_equal(some.low, 0.00406, 1e-5);
    assert_float_equal(some.high, 0.01571, 1e-5);
    assert_true(isnan(kg_share_interval(0, 0).low));
    assert_float_equal(kg_sign_test(10, 0), 2.0 / 1024, 1e-12);
    assert_float_equal(kg_sign_test(7, 3), 352.0 / 1024, 1e-12);
    assert_float_equal(kg_sign_test(5, 5), 1, 1e-12);
    assert_true(isnan(kg_sign_test(0, 0)));
    assert_true(kg_sign_test(100000, 99000) > 0.01);
}

static void seconds_of_paired_rounds_are_counted(void **state)
{
    static const struct {
        const char *state;
        double seconds;
    } rows[] = {{"confirmed", 30}, {"refuted", 10}, {"suspected", 5}, {"suspected", NAN}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        change_add(10 * i, 10 * i + 1, 1.03, "code");
        changes[i].suite = "s";
        changes[i].machine = "m";
        changes[i].state = rows[i].state;
        changes[i].seconds = rows[i].seconds;
    }
    const struct kg_history_audit *found = audit();
    assert_int_equal(found->confirmed, 1);
    assert_int_equal(found->refuted, 1);
    assert_int_equal(found->undecided, 1);
    assert_true(found->seconds == 45);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(a_step_at_unchanged_code_is_a_false_alarm),
        TEST(control_runs_are_replayed),
        TEST(steps_of_code_are_counted_by_direction),
        TEST(the_direction_of_an_own_metric_is_unknown),
        TEST(the_visible_change_follows_the_noise_between_runs),
        TEST(seconds_of_paired_rounds_are_counted),
        TEST(intervals_and_sign_test_have_known_values),
    };
#undef TEST
    return cmocka_run_group_tests(tests, NULL, NULL);
}
