/* A prior in the judgement of one metric, by hand and by properties. */
#include "base/random.h"
#include "judge/prior_apply.h"
#include "test_support.h"

static void equal(double found, double expected)
{
    if (!(fabs(found - expected) <= 1e-9 * fabs(expected)))
        fail_msg("found %.12g, expected %.12g", found, expected);
}

/* Five rounds against one stored run of five: variance 1e-4, 2 % apart. */
static struct kg_metric_state one_run(void)
{
    return (struct kg_metric_state){.tested = true,
                                    .difference = 0.02,
                                    .round = {1e-4, 8},
                                    .base_rounds = 5,
                                    .current_rounds = 5,
                                    .explained = 2e-5,
                                    .between = {0, 0},
                                    .run_count = 1,
                                    .rank_p = NAN,
                                    .rank_least = NAN};
}

/* A history of the same noise, without noise between runs beyond the rounds'. */
static const struct kg_prior_series quiet = {.runs = 70, .between = {0, 60}, .within = {1e-4, 60}};

static double p_of(const struct kg_metric_state *state)
{
    static const struct kg_metric_usual none = {{NAN, 0}, {NAN, 0}};
    struct kg_metric metric = {0};
    kg_metric_settle(&metric, state, &none, 1, 1, NULL);
    return metric.p_value;
}

static void rounds_borrow_the_freedom_of_history(void **unused)
{
    struct kg_metric_state state = one_run();
    (void)unused;
    equal(p_of(&state), kg_student_tail(0.02 / sqrt(4e-5), 8));
    assert_true(kg_prior_apply(&quiet, &state));
    equal(state.round.value, 1e-4);
    equal(state.round.freedom, 68);
    equal(state.between.value, 1);
    /* two variances of 2e-5, with 60 and 68 degrees of freedom */
    equal(p_of(&state), kg_student_tail(0.02 / sqrt(4e-5), 16 / (4.0 / 60 + 4.0 / 68)));
}

/* The history's runs differ by 5e-5 beyond their rounds. One stored run did not tell that. */
static void one_stored_run_learns_how_runs_differ(void **unused)
{
    struct kg_metric_state state = one_run();
    struct kg_prior_series noisy = quiet;
    const double before = p_of(&state);
    (void)unused;
    noisy.between.value = 5e-5;
    assert_true(kg_prior_apply(&noisy, &state));
    equal(state.explained * (state.between.value - 1), 5e-5);
    assert_true(p_of(&state) > before);
}

static void own_runs_and_history_are_weighed(void **unused)
{
    struct kg_metric_state state = one_run();
    (void)unused;
    state.run_count = 5;
    state.between = (struct kg_variance){1.5, 4}; /* 3e-5 */
    assert_true(kg_prior_apply(&quiet, &state));
    equal(state.between.freedom, 64);
    equal(state.explained * (state.between.value - 1), (4 * 3e-5 + 60 * 2e-5) / 64 - 2e-5);
}

static void unchanged_check(const char *what, const struct kg_prior_series *prior,
                            struct kg_metric_state state)
{
    const struct kg_metric_state before = state;
    if (kg_prior_apply(prior, &state))
        fail_msg("%s: applied", what);
    equal(p_of(&state), p_of(&before));
    equal(state.round.value, before.round.value);
    equal(state.between.freedom, before.between.freedom);
}

static void an_unknown_or_contradicted_prior_changes_nothing(void **unused)
{
    struct kg_metric_state state = one_run(), runs = one_run();
    const struct kg_prior_series none = {.between = {NAN, 0}, .within = {NAN, 0}};
    const struct kg_prior_series far_quieter = {.between = {2e-7, 60}, .within = {1e-6, 60}};
    (void)unused;
    runs.run_count = 5;
    runs.between = (struct kg_variance){3, 4};
    unchanged_check("no prior", NULL, state);
    unchanged_check("freedom 0", &none, state);
    unchanged_check("freedom 0, five runs", &none, runs);
    unchanged_check("noisier than history", &far_quieter, runs);
    state.tested = false;
    unchanged_check("untested", &quiet, state);
    state = one_run();
    state.shifted = true;
    unchanged_check("zeros", &quiet, state);
    state = one_run();
    state.explained = 0; /* as for pairs */
    unchanged_check("pairs", &quiet, state);
}

/* The variance that the judgement uses is never far below both the history's and the own one. */
static void random_priors_stay_between(void **unused)
{
    struct kg_random random = {11};
    (void)unused;
    for (size_t i = 0; i < 20000; i++) {
        struct kg_metric_state state = one_run();
        const double own = 1e-4 * exp(4 * kg_random_unit(&random) - 2);
        const struct kg_prior_series prior = {
            .between = {1e-5 * exp(4 * kg_random_unit(&random) - 2), 60 * kg_random_unit(&random)},
            .within = {1e-4 * exp(4 * kg_random_unit(&random) - 2), 60 * kg_random_unit(&random)}};
        state.round.value = own;
        state.explained = own / 5;
        kg_prior_apply(&prior, &state);
        const double least = fmin(own, prior.within.value), most = fmax(own, prior.within.value);
        if (!(state.round.value >= least * (1 - 1e-9) && state.round.value <= most * (1 + 1e-9)) ||
            (state.between.freedom > 0 && !(state.between.value >= 1)))
            fail_msg("seed 11, draw %zu: round %g of %g and %g, between %g", i, state.round.value,
                     own, prior.within.value, state.between.value);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounds_borrow_the_freedom_of_history),
        cmocka_unit_test(one_stored_run_learns_how_runs_differ),
        cmocka_unit_test(own_runs_and_history_are_weighed),
        cmocka_unit_test(an_unknown_or_contradicted_prior_changes_nothing),
        cmocka_unit_test(random_priors_stay_between),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
