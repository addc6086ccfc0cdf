/* One metric against one reference: the estimate, its change, and its reason code. */
#include "judge/metric.h"
#include "judge/reasons.h"
#include "test_support.h"

enum { ROUNDS = 10 };

/* Estimates ten rounds of `from` against ten of `to`, each spread evenly by +-`spread`. */
static struct kg_metric estimate_as(enum kg_proof proof, double from, double to, double spread,
                                    double threshold, double min_effect)
{
    double values[2 * ROUNDS], scratch[6 * ROUNDS + 2];
    size_t run_count = ROUNDS;
    struct kg_metric metric = {.unit = "ns"};
    struct kg_metric_state metric_state;
    struct kg_metric_input input = {.values = values,
                                    .run_counts = &run_count,
                                    .run_count = 1,
                                    .current_count = ROUNDS,
                                    .scratch = scratch,
                                    .proof = proof,
                                    .threshold = threshold,
                                    .min_effect = min_effect};
    for (size_t i = 0; i < ROUNDS; i++) {
        const double at = 1 + spread * ((double)i / (ROUNDS - 1) * 2 - 1);
        values[i] = from * at;
        values[ROUNDS + i] = to * at;
    }
    kg_metric_estimate(&input, &metric, &metric_state);
    kg_metric_raise(&metric);
    return metric;
}

static struct kg_metric estimate(double from, double to, double spread, double threshold,
                                 double min_effect)
{
    return estimate_as(KG_PROOF_TEST, from, to, spread, threshold, min_effect);
}

static struct kg_metric peak(double from, double to)
{
    return estimate_as(KG_PROOF_INTERVAL, from, to, 0, 0.1, 4096);
}

static void expect(const struct kg_metric *metric, bool significant, enum kg_change change)
{
    struct kg_metric judged = *metric;
    kg_metric_classify(&judged, significant);
    if (judged.change != change)
        fail_msg("ratio %g (%g to %g), threshold %g, min_effect %g: %s, expected %s", judged.ratio,
                 judged.interval_low, judged.interval_high, judged.threshold, judged.min_effect,
                 kg_change_name(judged.change), kg_change_name(change));
}

static void a_change_is_large_and_significant(void **state)
{
    const struct kg_metric slower = estimate(100, 120, 0.01, 0.05, 1);
    const struct kg_metric faster = estimate(120, 100, 0.01, 0.05, 1);
    expect(&slower, true, KG_CHANGE_REGRESSION);
    expect(&faster, true, KG_CHANGE_IMPROVEMENT);
    expect(&slower, false, KG_CHANGE_INCONCLUSIVE);
    expect(&faster, false, KG_CHANGE_INCONCLUSIVE);
}

/* -4.8 % undoes +5 %: the threshold of an improvement is the inverse. */
static void the_threshold_is_symmetric_in_the_ratio(void **state)
{
    const struct kg_metric above = estimate(100, 105.1, 0, 0.05, 0);
    const struct kg_metric below = estimate(105.1, 100, 0, 0.05, 0);
    const struct kg_metric within = estimate(104.9, 100, 0, 0.05, 0);
    expect(&above, true, KG_CHANGE_REGRESSION);
    expect(&below, true, KG_CHANGE_IMPROVEMENT);
    expect(&within, true, KG_CHANGE_NO_CHANGE);
}

/* The interval reaches the threshold, so the true change may be as large. A certainly smaller
 * change does not count. */
static void a_change_counts_where_its_interval_reaches_the_threshold(void **state)
{
    const struct kg_metric reaching = estimate(100, 104.8, 0.01, 0.05, 0);
    const struct kg_metric below = estimate(100, 103, 0.01, 0.05, 0);
    assert_true(reaching.interval_low > 1 && reaching.interval_high > 1.05);
    expect(&reaching, true, KG_CHANGE_REGRESSION);
    expect(&below, true, KG_CHANGE_NO_CHANGE);
}

/* Estimates five stored runs against a run that is 4 % slower than their mean. Each has five
 * rounds, spread by 0.1 %. The stored runs are `apart` from each other. */
static struct kg_metric of_five_runs(double apart)
{
    enum { RUNS = 5, EACH = 5 };
    double values[(RUNS + 1) * EACH], scratch[3 * (RUNS + 1) * EACH + 2 * RUNS];
    size_t counts[RUNS];
    struct kg_metric metric = {.unit = "ns"};
    struct kg_metric_state metric_state;
    struct kg_metric_input input = {.values = values,
                                    .run_counts = counts,
                                    .run_count = RUNS,
                                    .current_count = EACH,
                                    .scratch = scratch,
                                    .proof = KG_PROOF_TEST,
                                    .threshold = 0.05};
    for (size_t r = 0; r <= RUNS; r++) {
        const double run = r < RUNS ? exp(apart * ((double)r - 2)) : 1.04;
        for (size_t i = 0; i < EACH; i++)
            values[r * EACH + i] = 1000 * run * (1 + 0.001 * (double)i);
        counts[r < RUNS ? r : 0] = EACH;
    }
    kg_metric_estimate(&input, &metric, &metric_state);
    return metric;
}

/* The deviation of five runs 2 % apart is 3.16 %; one more lies within t(4) * 3.16 % * sqrt(1.2). */
static void what_runs_differ_by_is_in_the_interval(void **state)
{
    const struct kg_metric alike = of_five_runs(0), apart = of_five_runs(0.02);
    assert_true(alike.interval_low > 1.035 && alike.interval_high < 1.045);
    assert_true(fabs(log(apart.interval_high / apart.ratio) - 2.776 * 0.0316 * sqrt(1.2)) < 0.001);
    assert_true(fabs(apart.noise_floor - expm1(2.776 * 0.0316 * sqrt(1.2))) < 0.002);
    assert_true(apart.p_value > 0.1 && alike.p_value < 1e-6);
}

static void no_change_is_a_claim_about_the_interval(void **state)
{
    const struct kg_metric quiet = estimate(100, 101, 0.01, 0.05, 0);
    const struct kg_metric noisy = estimate(100, 101, 0.30, 0.05, 0);
    expect(&quiet, false, KG_CHANGE_NO_CHANGE);
    expect(&noisy, false, KG_CHANGE_INCONCLUSIVE);
}

static void an_effect_too_small_to_count_is_no_change_however_noisy(void **state)
{
    const struct kg_metric large_share = estimate(100, 150, 0.10, 0.05, 1000);
    expect(&large_share, true, KG_CHANGE_NO_CHANGE);
}

static void one_run_notes_nothing_of_noise_between_runs(void **state)
{
    const struct kg_metric metric = estimate(100, 100, 0.01, 0.05, 0);
    assert_true(isnan(metric.noise_floor));
    assert_true(metric.threshold == 0.05);
}

static void peaks_of_zero_are_compared_and_shown_as_zero(void **state)
{
    const struct kg_metric none = peak(0, 0);
    const struct kg_metric grown = peak(0, 1 << 22);
    const struct kg_metric page = peak(0, 4096);
    const struct kg_metric gone = peak(1 << 22, 0);
    assert_true(grown.baseline == 0 && grown.current == 1 << 22);
    assert_true(kg_metric_outside(&grown) && !kg_metric_outside(&none));
    expect(&none, false, KG_CHANGE_NO_CHANGE);
    expect(&grown, kg_metric_outside(&grown), KG_CHANGE_REGRESSION);
    expect(&page, kg_metric_outside(&page), KG_CHANGE_NO_CHANGE);
    expect(&gone, kg_metric_outside(&gone), KG_CHANGE_IMPROVEMENT);
}

static void expect_doubt(const struct kg_metric *metric, const char *part)
{
    struct kg_arena arena = {0};
    struct kg_metric doubtful = *metric;
    doubtful.against = "baseline";
    doubtful.base_rounds = 5;
    doubtful.current_rounds = 7;
    doubtful.needed_p = 0.01;
    doubtful.change = KG_CHANGE_INCONCLUSIVE;
    doubtful.doubt = kg_metric_doubt(metric);
    kg_reason_make(&arena, &doubtful);
    if (!doubtful.reason || !strstr(doubtful.reason, part))
        fail_msg("expected '%s' in '%s'", part, doubtful.reason ? doubtful.reason : "(nothing)");
    kg_arena_free(&arena);
}

static void a_doubt_names_what_would_settle_it(void **state)
{
    const struct kg_metric crossing = {.unit = "ns",
                                       .baseline = 100,
                                       .current = 104,
                                       .ratio = 1.04,
                                       .interval_low = 0.98,
                                       .interval_high = 1.09,
                                       .p_value = 0.074,
                                       .threshold = 0.05,
                                       .asked_threshold = 0.05};
    const struct kg_metric few = {.unit = "ns",
                                  .baseline = 100,
                                  .current = 150,
                                  .ratio = 1.5,
                                  .interval_low = 1.4,
                                  .interval_high = 1.6,
                                  .p_value = 0.16,
                                  .threshold = 0.05,
                                  .asked_threshold = 0.05};
    const struct kg_metric small = {.unit = "ns",
                                    .baseline = 100,
                                    .current = 110,
                                    .ratio = 1.1,
                                    .interval_low = 1.06,
                                    .interval_high = 1.5,
                                    .threshold = 0.05,
                                    .asked_threshold = 0.05,
                                    .min_effect = 20};
    expect_doubt(&crossing, "could be -2.0 % to +9.0 %, threshold 5.0 %: about "
                            "12 more rounds on both sides (`--set rounds.max=");
    expect_doubt(&few, "7 rounds against 5 are too few for a proof (p 0.16, needed 0.01)");
    expect_doubt(&small, "as large as 50.0 ns, and more than 20.0 ns counts");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_change_is_large_and_significant),
        cmocka_unit_test(the_threshold_is_symmetric_in_the_ratio),
        cmocka_unit_test(a_change_counts_where_its_interval_reaches_the_threshold),
        cmocka_unit_test(what_runs_differ_by_is_in_the_interval),
        cmocka_unit_test(no_change_is_a_claim_about_the_interval),
        cmocka_unit_test(an_effect_too_small_to_count_is_no_change_however_noisy),
        cmocka_unit_test(one_run_notes_nothing_of_noise_between_runs),
        cmocka_unit_test(peaks_of_zero_are_compared_and_shown_as_zero),
        cmocka_unit_test(a_doubt_names_what_would_settle_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
