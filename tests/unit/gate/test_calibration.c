/* Error rates of a suite's gate, from simulated runs: quiet, noisy and drifting. */
#include "base/random.h"
#include "gate/calibrate.h"
#include "test_support.h"

enum { RUNS = 4, LEAST = 7, MOST = 20, SCREENED = 20, RECORDED = 40, CASES = 3 };

static double normal(struct kg_random *random)
{
    const double u = 1 - kg_random_unit(random), v = kg_random_unit(random);
    return sqrt(-2 * log(u)) * cos(2 * 3.14159265358979323846 * v);
}

/* Runs of three cases: rounds scatter by `rounds[i]`, runs by `runs[i]`. */
static void runs_make(struct kg_results results[RUNS], const double rounds[CASES],
                      const double runs[CASES])
{
    struct kg_random random = {17};
    for (size_t r = 0; r < RUNS; r++) {
        support_results(&results[r], CASES, RECORDED, 10000);
        for (size_t c = 0; c < CASES; c++) {
            const double location = 10000 * exp(runs[c] * normal(&random));
            for (size_t i = 0; i < RECORDED; i++) {
                results[r].cases[c].rounds[i].median_ns =
                    location * exp(rounds[c] * normal(&random));
                results[r].cases[c].rounds[i].confirms = i >= SCREENED;
            }
        }
    }
}

static void calibrate(struct kg_results results[RUNS], struct kg_calibration *calibration)
{
    struct kg_round_limits limits[CASES];
    struct kg_error err = {0};
    for (size_t c = 0; c < CASES; c++)
        limits[c] = (struct kg_round_limits){LEAST, MOST};
    if (!kg_calibrate(results, RUNS, limits, calibration, &err))
        fail_msg("%s", err.message);
}

static void all_free(struct kg_results results[RUNS], struct kg_calibration *calibration)
{
    kg_calibration_free(calibration);
    for (size_t r = 0; r < RUNS; r++)
        kg_results_free(&results[r]);
}

static void a_quiet_case_catches_little_more_than_its_threshold(void **state)
{
    struct kg_results results[RUNS];
    struct kg_calibration calibration;
    (void)state;
    runs_make(results, (const double[]){0.002, 0.002, 0.002}, (const double[]){0, 0, 0});
    calibrate(results, &calibration);
    assert_int_equal(calibration.pairs, RUNS * (RUNS - 1));
    assert_int_equal(calibration.alarmed_pairs, 0);
    assert_int_equal(calibration.alarmed_runs, 0);
    for (size_t c = 0; c < CASES; c++) {
        const struct kg_calibrated_case *calibrated = &calibration.cases[c];
        if (!(calibrated->caught > 0.05 && calibrated->caught < 0.06))
            fail_msg("catches %g, expected a little above 0.05", calibrated->caught);
        assert_true(fabs(calibrated->rounds - LEAST) < 1e-6);
        assert_true(calibrated->round_scatter > 0.001 && calibrated->round_scatter < 0.003);
        assert_non_null(strstr(calibrated->advice, "quiet enough for a threshold of"));
    }
    all_free(results, &calibration);
}

static void rounds_that_scatter_ask_for_more_rounds(void **state)
{
    struct kg_results results[RUNS];
    struct kg_calibration calibration;
    (void)state;
    runs_make(results, (const double[]){0.002, 0.3, 0.002}, (const double[]){0, 0, 0});
    calibrate(results, &calibration);
    const struct kg_calibrated_case *noisy = &calibration.cases[1];
    assert_true(isnan(noisy->caught) || noisy->caught > 0.2);
    assert_true(noisy->doubts > 0 && noisy->rounds > LEAST);
    assert_non_null(noisy->advice);
    assert_non_null(strstr(noisy->advice, "raise rounds"));
    assert_true(calibration.cases[0].caught < 0.06);
    all_free(results, &calibration);
}

/* Quiet within each run, but every run elsewhere: the store of one run alarms. */
static void runs_that_differ_ask_for_a_higher_threshold(void **state)
{
    struct kg_results results[RUNS];
    struct kg_calibration calibration;
    (void)state;
    runs_make(results, (const double[]){0.002, 0.002, 0.002}, (const double[]){0, 0.15, 0});
    calibrate(results, &calibration);
    const struct kg_calibrated_case *moving = &calibration.cases[1];
    assert_true(moving->alarms > 0 && calibration.alarmed_pairs > 0);
    assert_true(moving->run_scatter > 10 * moving->round_scatter);
    assert_non_null(moving->advice);
    if (!strstr(moving->advice, "more rounds would not help") &&
        !strstr(moving->advice, "leave it out"))
        fail_msg("%s", moving->advice);
    all_free(results, &calibration);
}

static void it_goes_to_json_and_back(void **state)
{
    struct kg_results results[RUNS];
    struct kg_calibration calibration, read = {0};
    struct kg_text text = {0}, again = {0};
    struct kg_error err = {0};
    (void)state;
    runs_make(results, (const double[]){0.002, 0.01, 0.3}, (const double[]){0, 0.1, 0});
    calibrate(results, &calibration);
    assert_true(
        kg_record_print(&kg_calibration_record, &calibration, KG_CALIBRATION_SCHEMA, &text, &err));
    assert_true(kg_record_parse(&kg_calibration_record, KG_CALIBRATION_SCHEMA, "text",
                                kg_text_string(&text), text.length, &read.arena, &read, &err));
    assert_true(
        kg_record_print(&kg_calibration_record, &read, KG_CALIBRATION_SCHEMA, &again, &err));
    assert_string_equal(kg_text_string(&text), kg_text_string(&again));
    kg_text_free(&text);
    kg_text_free(&again);
    kg_calibration_free(&read);
    all_free(results, &calibration);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_quiet_case_catches_little_more_than_its_threshold),
        cmocka_unit_test(rounds_that_scatter_ask_for_more_rounds),
        cmocka_unit_test(runs_that_differ_ask_for_a_higher_threshold),
        cmocka_unit_test(it_goes_to_json_and_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
