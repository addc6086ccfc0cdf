/* The proposed ways to decide an undecided metric, and the limits of the proposal. */
#include "judge/metric.h"
#include "judge/reasons.h"
#include "test_support.h"

/* Ten rounds against ten; tested. */
static struct kg_metric crossing(double low, double ratio, double high, double p)
{
    return (struct kg_metric){.against = "baseline",
                              .unit = "ns",
                              .baseline = 100,
                              .current = 100 * ratio,
                              .ratio = ratio,
                              .interval_low = low,
                              .interval_high = high,
                              .p_value = p,
                              .needed_p = 0.0033,
                              .threshold = 0.05,
                              .asked_threshold = 0.05,
                              .noise_floor = NAN,
                              .screened_ratio = NAN,
                              .base_rounds = 10,
                              .current_rounds = 10,
                              .least_rounds = 3,
                              .change = KG_CHANGE_INCONCLUSIVE,
                              .doubt = KG_DOUBT_CROSSING};
}

static void expect(struct kg_metric metric, const char *part, const char *not_part)
{
    struct kg_arena arena = {0};
    kg_reason_make(&arena, &metric);
    if (!metric.reason || !strstr(metric.reason, part))
        fail_msg("expected '%s' in '%s'", part, metric.reason ? metric.reason : "(nothing)");
    if (not_part && strstr(metric.reason, not_part))
        fail_msg("'%s' is in '%s'", not_part, metric.reason);
    kg_arena_free(&arena);
}

static void the_threshold_that_is_noted_is_the_one_that_decided(void **state)
{
    struct kg_metric metric = crossing(0.541, 1.12, 2.32, 0.3);
    metric.threshold = 5.326; /* waiting for a CPU raised it */
    expect(metric, "could be -45.9 % to +132.0 %, threshold 5.0 %", "532");
}

static void an_interval_beyond_the_threshold_does_not_cross_it(void **state)
{
    struct kg_metric metric = crossing(1.1, 1.15, 1.2, 0.001);
    metric.threshold = 0.3;
    expect(metric,
           "+10.0 % to +20.0 % exceeds the threshold of 5.0 %, but noise "
           "(runs, clock, memory, CPU contention) raises it to 30.0 %",
           "could be");
}

static void what_is_far_from_proven_is_not_promised_a_few_rounds(void **state)
{
    expect(crossing(0.98, 1.2, 1.47, 1), "more rounds", "about 2 more");
    /* z is 1.04: p is 1 for two tests and more. 0.0033 is needed, which takes eight times as many
     * rounds */
    expect(crossing(0.85, 1.2, 1.694, 1), "more rounds on both sides", "about 2 more");
    expect(crossing(0.7, 1.1, 1.728, 1), "only a quieter machine, `kgate ab`, or a threshold",
           "more round");
}

static void what_as_many_rounds_just_did_not_reach_is_not_promised(void **state)
{
    struct kg_metric metric = crossing(0.97, 1.02, 1.0726, 0.3);
    expect(metric, "more rounds on both sides (`--set rounds.max=", "may");
    metric.base_rounds = metric.current_rounds = 0;
    metric.least_rounds = 12;
    for (size_t rounds = 9; rounds <= 11; rounds++) {
        metric = crossing(0.98, 1.2, 1.47, 1);
        metric.against = "base";
        metric.interval_low = 0.98;
        metric.ratio = 1.001;
        metric.interval_high = 1.001 * 1.001 / 0.98;
        metric.least_rounds = 12;
        metric.current_rounds = rounds;
        expect(metric, "more paired rounds or a quieter machine may decide it", "about");
    }
    metric.current_rounds = 6;
    expect(metric, "about 6 more paired rounds (`--set rounds.max=", "may");
    metric.out_of_budget = true;
    expect(metric, "more paired rounds by a longer --budget or a quieter machine may decide it",
           "about");
    metric.doubt = KG_DOUBT_UNPROVEN;
    expect(metric, "raise --budget", "rounds.max");
}

static void what_may_be_better_is_not_suspected(void **state)
{
    struct kg_metric metric = crossing(0.3, 0.36, 0.4, 0.001);
    metric.doubt = KG_DOUBT_UNCONFIRMED;
    expect(metric, "looks better, not confirmed: there are no later rounds", "worse");
    metric.out_of_budget = true;
    expect(metric, "looks better, not confirmed: --budget ended before the later rounds", "worse");
    metric.better = KG_BETTER_HIGHER;
    expect(metric, "looks worse, not confirmed: --budget ended", "better");
}

static void an_unlikely_one_wants_more_rounds_than_a_likely_one(void **state)
{
    expect(crossing(1.01, 1.1, 1.198, 0.01), "about ", "only a quieter machine");
}

static void more_rounds_do_not_reach_a_threshold_that_noise_raised(void **state)
{
    struct kg_metric metric = crossing(0.615, 1.637, 4.352, 0.3);
    expect(metric, "more rounds", "only a quieter machine");
    metric.threshold = 2.35;
    expect(metric, "only a quieter machine, `kgate ab`, or a threshold", "more round");
}

static void what_runs_differ_by_is_not_settled_by_rounds(void **state)
{
    struct kg_metric metric = crossing(0.98, 1.1, 1.235, 0.04);
    metric.noise_floor = 0.09;
    assert_true(kg_metric_rounds_settle(&metric));
    expect(metric,
           "stored runs differ by 9.0 % from each other. More stored runs or `kgate ab` may "
           "decide it, more rounds cannot",
           "about");
    metric.noise_floor = 0.01;
    expect(metric, "more round", "stored runs differ");
}

static void of_pairs_there_is_no_baseline_to_refresh(void **state)
{
    struct kg_metric metric = crossing(1.1, 1.5, 2, 0.25);
    metric.doubt = KG_DOUBT_UNPROVEN;
    expect(metric, "10 rounds against 10 are too few for a proof (p 0.25, needed 0.0033)", "pair");
    metric.against = "pin v1";
    expect(metric, "raise rounds", "baseline");
    metric.against = "base";
    metric.current_rounds = 8;
    expect(metric,
           "8 paired rounds are too few for a proof (p 0.25, needed 0.0033): raise rounds.max or "
           "--budget",
           "baseline");
    metric.current_rounds = 1;
    expect(metric, "1 paired round is too few for a proof", NULL);
    metric.doubt = KG_DOUBT_FEW_ROUNDS;
    expect(metric, "1 paired round cannot show that nothing changed: `--set rounds.min=3`",
           "against");
    metric.doubt = KG_DOUBT_CROSSING;
    metric.interval_low = 0.98;
    metric.ratio = 1.04;
    metric.interval_high = 1.1036;
    metric.current_rounds = 10;
    expect(metric, "more paired rounds (`--set rounds.max=55`) or a quieter machine",
           "on both sides");
}

static void a_change_called_below_the_threshold_notes_how_large_it_may_be(void **state)
{
    struct kg_metric metric = crossing(1.03, 1.042, 1.055, 0.0001);
    metric.change = KG_CHANGE_REGRESSION;
    metric.doubt = KG_DOUBT_CODE_CHANGED;
    expect(metric,
           "the change is within the threshold of 5.0 %, but its 95 % interval reaches +5.5 %; the "
           "code changed",
           NULL);
    metric.change = KG_CHANGE_IMPROVEMENT;
    metric.ratio = 1 / 1.042;
    metric.interval_low = 0.945;
    metric.interval_high = 0.97;
    expect(metric,
           "the change is within the threshold of 5.0 %, but its 95 % interval reaches -5.5 %; the "
           "code changed",
           NULL);
    metric.ratio = 0.9;
    metric.interval_low = 0.88;
    expect(metric, "the code changed", "may be");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_threshold_that_is_noted_is_the_one_that_decided),
        cmocka_unit_test(an_interval_beyond_the_threshold_does_not_cross_it),
        cmocka_unit_test(what_is_far_from_proven_is_not_promised_a_few_rounds),
        cmocka_unit_test(what_as_many_rounds_just_did_not_reach_is_not_promised),
        cmocka_unit_test(what_may_be_better_is_not_suspected),
        cmocka_unit_test(an_unlikely_one_wants_more_rounds_than_a_likely_one),
        cmocka_unit_test(more_rounds_do_not_reach_a_threshold_that_noise_raised),
        cmocka_unit_test(what_runs_differ_by_is_not_settled_by_rounds),
        cmocka_unit_test(of_pairs_there_is_no_baseline_to_refresh),
        cmocka_unit_test(a_change_called_below_the_threshold_notes_how_large_it_may_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
