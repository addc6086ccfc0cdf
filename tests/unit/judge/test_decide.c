/* All tests of a comparison judged together: interim analyses of one test must not help the
 * others. */
#include "base/random.h"
#include "judge/compare_parts.h"
#include "test_support.h"

enum { TESTS = 20 };
static const double ALPHA = 0.01;

struct scene {
    struct kg_metric metrics[TESTS];
    struct kg_evidence evidence[TESTS];
};

/* A difference of logarithms with this one-sided p. */
static struct kg_metric_state state_of(double ratio, double p)
{
    const double freedom = 1e9, deviation = log(ratio) / kg_student_point(p, freedom);
    return (struct kg_metric_state){.tested = true,
                                    .difference = log(ratio),
                                    .round = {deviation * deviation, freedom},
                                    .base_rounds = INFINITY,
                                    .current_rounds = 1,
                                    .run_count = 1,
                                    .rank_p = NAN,
                                    .rank_least = NAN};
}

/* Twenty times: the first 20 % slower, the others 1 % and within the threshold, all by their p. */
static void scene_make(struct scene *scene, double first_p, double other_p, bool others_confirmed)
{
    for (size_t i = 0; i < TESTS; i++) {
        const double ratio = i ? 1.01 : 1.2;
        scene->metrics[i] = (struct kg_metric){.name = "time",
                                               .against = "baseline",
                                               .unit = "ns",
                                               .baseline = 100,
                                               .current = 100 * ratio,
                                               .threshold = 0.05,
                                               .asked_threshold = 0.05,
                                               .pace_doubt = NAN,
                                               .memory_doubt = NAN};
        scene->evidence[i] = (struct kg_evidence){.metric = &scene->metrics[i],
                                                  .row = &kg_metric_rows[KG_METRIC_TIME],
                                                  .means = KG_SHIFT_UNKNOWN,
                                                  .least_means = KG_SHIFT_UNKNOWN,
                                                  .cpu = KG_SHIFT_UNKNOWN,
                                                  .state = state_of(ratio, i ? other_p : first_p),
                                                  .base_rounds = 10,
                                                  .current_rounds = 10,
                                                  .confirmed = !i || others_confirmed};
    }
}

static void decide(struct scene *scene, enum kg_stage stage)
{
    struct kg_arena scratch = {0};
    kg_evidence_decide(&scratch, scene->evidence, TESTS, stage, 0, ALPHA, NULL);
    kg_arena_free(&scratch);
}

static void one_of_twenty_needs_a_twentieth_of_a_look_s_alpha(void **state)
{
    struct scene scene;
    scene_make(&scene, ALPHA / KG_CONFIRMING_LOOKS / 21, 0.3, false);
    decide(&scene, KG_STAGE_SCREEN);
    assert_int_equal(scene.metrics[0].change, KG_CHANGE_REGRESSION);
    scene_make(&scene, ALPHA / KG_CONFIRMING_LOOKS / 19, 0.3, false);
    decide(&scene, KG_STAGE_SCREEN);
    assert_int_equal(scene.metrics[0].change, KG_CHANGE_SUSPECT);
}

/* In Holm's method, smaller p-values help a later one. Only valid p-values may do so. */
static void what_was_looked_at_makes_nothing_easier(void **state)
{
    struct scene scene;
    scene_make(&scene, ALPHA / 10, 1e-9, true);
    decide(&scene, KG_STAGE_SCREEN);
    assert_int_equal(scene.metrics[0].change, KG_CHANGE_REGRESSION);
    scene_make(&scene, ALPHA / 10, 1e-9, false);
    decide(&scene, KG_STAGE_SCREEN);
    assert_int_equal(scene.metrics[0].change, KG_CHANGE_SUSPECT);
    assert_true(fabs(scene.metrics[1].p_value - TESTS * 1e-9) < 1e-12);
    /* with a fixed number of rounds every p is valid */
    scene_make(&scene, ALPHA / 10, 1e-9, false);
    decide(&scene, KG_STAGE_FINAL);
    assert_int_equal(scene.metrics[0].change, KG_CHANGE_REGRESSION);
}

static void an_unconfirmed_change_is_a_suspect(void **state)
{
    struct scene scene;
    scene_make(&scene, ALPHA / 2, 0.3, false);
    scene.evidence[0].confirmed = false;
    decide(&scene, KG_STAGE_SCREEN);
    assert_true(scene.metrics[0].suspected);
    assert_int_equal(scene.metrics[0].change, KG_CHANGE_SUSPECT);
    assert_false(scene.metrics[1].suspected);
    assert_int_equal(scene.metrics[1].change, KG_CHANGE_NO_CHANGE);
}

/* Ten rounds per side. The mean of the second case rose by 28 %, or 28 ns. */
static enum kg_change mean_moved(double min_effect)
{
    struct scene scene;
    scene_make(&scene, 0.3, 0.3, true);
    scene.metrics[1].min_effect = min_effect;
    scene.evidence[1].means.ratio = 1.28;
    scene.evidence[1].means.effect = 28;
    scene.evidence[1].means.p = 1e-5;
    decide(&scene, KG_STAGE_FINAL);
    return scene.metrics[1].change;
}

static void a_moved_mean_is_a_doubt(void **state)
{
    assert_int_equal(mean_moved(0), KG_CHANGE_INCONCLUSIVE);
    assert_int_equal(mean_moved(27), KG_CHANGE_INCONCLUSIVE);
}

static void a_mean_that_moved_by_less_than_counts_is_none(void **state)
{
    assert_int_equal(mean_moved(29), KG_CHANGE_NO_CHANGE);
}

/* If the interval contains "no change", kgate calls nothing changed, for any alpha of a suite. If
 * kgate calls a metric unchanged, its interval lies within the threshold. */
static void interval_expect(const struct kg_metric *metric, double alpha)
{
    const double above = 1 + metric->threshold;
    const bool slower = metric->interval_low > 1, faster = metric->interval_high < 1;
    const bool within = metric->interval_low > 1 / above && metric->interval_high < above;
    if ((metric->change == KG_CHANGE_REGRESSION && !slower) ||
        (metric->change == KG_CHANGE_IMPROVEMENT && !faster) ||
        (metric->change == KG_CHANGE_NO_CHANGE && !within))
        fail_msg("alpha %g, threshold %g, ratio %g, %g to %g, adjusted p %g: %s", alpha,
                 metric->threshold, metric->ratio, metric->interval_low, metric->interval_high,
                 metric->p_value, kg_change_name(metric->change));
}

static void no_verdict_contradicts_its_interval(void **state)
{
    enum { SCENES = 2000 };
    static const double alphas[] = {0.001, 0.01, 0.05, 0.2, 0.9};
    struct kg_random random = {.state = 1};
    size_t changed = 0;
    for (size_t turn = 0; turn < SCENES; turn++) {
        struct scene scene;
        struct kg_arena scratch = {0};
        const double alpha = alphas[turn % (sizeof alphas / sizeof *alphas)];
        const enum kg_stage stage = turn % 2 ? KG_STAGE_SCREEN : KG_STAGE_FINAL;
        scene_make(&scene, 0.5, 0.5, true);
        for (size_t i = 0; i < TESTS; i++) {
            const double p = exp(kg_random_between(&random, log(1e-9), log(0.49)));
            const double ratio = exp(kg_random_between(&random, -0.7, 0.7));
            scene.evidence[i].state = state_of(ratio, p);
            scene.metrics[i].current = 100 * ratio;
            scene.metrics[i].threshold = scene.metrics[i].asked_threshold =
                kg_random_between(&random, 0.01, 0.3);
        }
        kg_evidence_decide(&scratch, scene.evidence, TESTS, stage, 0, alpha, NULL);
        kg_arena_free(&scratch);
        for (size_t i = 0; i < TESTS; i++) {
            interval_expect(&scene.metrics[i], alpha);
            changed += scene.metrics[i].change == KG_CHANGE_REGRESSION ||
                       scene.metrics[i].change == KG_CHANGE_IMPROVEMENT;
        }
    }
    assert_true(changed > SCENES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_of_twenty_needs_a_twentieth_of_a_look_s_alpha),
        cmocka_unit_test(what_was_looked_at_makes_nothing_easier),
        cmocka_unit_test(an_unconfirmed_change_is_a_suspect),
        cmocka_unit_test(a_moved_mean_is_a_doubt),
        cmocka_unit_test(a_mean_that_moved_by_less_than_counts_is_none),
        cmocka_unit_test(no_verdict_contradicts_its_interval),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
