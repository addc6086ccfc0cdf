/* A prior in the judgement of one metric, by hand and by properties. */
#include "base/random.h"
#include "judge/metric.h"
#include "test_support.h"

static void equal(double found, double expected)
{
    if (!(fabs(found - expected) <= 1e-9 * fabs(expected)))
        fail_msg("found %.12g, expected %.12g", found, expected);
}

static const struct kg_metric_usual none = {{NAN, 0}, {NAN, 0}};

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
                                    .prior = none,
                                    .rank_p = NAN,
                                    .rank_least = NAN};
}

/* The same against five stored runs, whose locations have a variance of 3e-5. */
static struct kg_metric_state five_runs(void)
{
    struct kg_metric_state state = one_run();
    state.run_count = 5;
    state.between = (struct kg_variance){1.5, 4};
    return state;
}

/* A history of the same noise, without noise between runs beyond the rounds'. */
static const struct kg_metric_usual quiet = {{1e-4, 60}, {0, 60}};

static double p_of(const struct kg_metric_state *state, const struct kg_metric_usual *usual)
{
    struct kg_metric metric = {0};
    kg_metric_settle(&metric, state, usual, 1, 1, NULL);
    return metric.p_value;
}

static void rounds_borrow_the_freedom_of_history(void **unused)
{
    struct kg_metric_state state = one_run();
    (void)unused;
    equal(p_of(&state, &none), kg_student_tail(0.02 / sqrt(4e-5), 8));
    state.prior = quiet;
    equal(p_of(&state, &none), kg_student_tail(0.02 / sqrt(4e-5), 68));
}

/* The history's runs differ by 5e-5 beyond their rounds. One stored run did not tell that. */
static void one_stored_run_learns_how_runs_differ(void **unused)
{
    struct kg_metric_state state = one_run();
    (void)unused;
    state.prior = (struct kg_metric_usual){{1e-4, 60}, {5e-5, 60}};
    const double freedom = 1.4e-4 * 1.4e-4 / (1e-4 * 1e-4 / 60 + 4e-5 * 4e-5 / 68);
    equal(p_of(&state, &none), kg_student_tail(0.02 / sqrt(1.4e-4), freedom));
}

static void own_runs_and_history_are_weighed(void **unused)
{
    struct kg_metric_state state = five_runs();
    const double runs = 1.2 * ((4 * 3e-5 + 60 * 2e-5) / 64 - 2e-5), rounds = 2e-5 + 4e-6;
    (void)unused;
    state.prior = quiet;
    equal(p_of(&state, &none),
          kg_student_tail(0.02 / sqrt(runs + rounds),
                          pow(runs + rounds, 2) / (runs * runs / 64 + rounds * rounds / 68)));
}

static void unchanged_check(const char *what, struct kg_metric_state state,
                            struct kg_metric_usual prior, const struct kg_metric_usual *usual)
{
    const double before = p_of(&state, usual);
    state.prior = prior;
    if (p_of(&state, usual) != before)
        fail_msg("%s: p %g, then %g", what, before, p_of(&state, usual));
}

static void an_unknown_or_contradicted_prior_changes_nothing(void **unused)
{
    const struct kg_metric_usual suite = {{2e-4, 20}, {2, 20}}, weak = {{1e-4, 19}, {0, 19}};
    const struct kg_metric_usual far_quieter = {{1e-6, 60}, {2e-7, 60}};
    struct kg_metric_state runs = five_runs();
    (void)unused;
    runs.between.value = 3;
    unchanged_check("one run", one_run(), none, &none);
    unchanged_check("five runs", runs, none, &suite);
    unchanged_check("noisier than history", runs, far_quieter, &none);
    unchanged_check("noisier than history, as the suite", runs, far_quieter, &suite);
    unchanged_check("weaker than the suite's usual noise", runs, weak, &suite);
}

/* Random priors of noise between runs: the interval never becomes narrower than the rounds alone make it with unlimited
 * degrees of freedom, and a prior without such noise leaves p as it was. */
static void noise_between_runs_never_narrows_the_interval(void **unused)
{
    struct kg_random random = {11};
    (void)unused;
    for (size_t i = 0; i < 20000; i++) {
        struct kg_metric_state state = one_run();
        struct kg_metric metric = {0};
        state.round.value = 1e-4 * exp(4 * kg_random_unit(&random) - 2);
        state.explained = state.round.value / 5;
        const double before = p_of(&state, &none);
        state.prior.between = (struct kg_variance){0, 1 + 59 * kg_random_unit(&random)};
        equal(p_of(&state, &none), before);
        state.prior.between.value = 1e-5 * exp(6 * kg_random_unit(&random) - 3);
        kg_metric_settle(&metric, &state, &none, 1, 1, NULL);
        if (!(log(metric.interval_high) - state.difference >=
              1.96 * sqrt(2 * (state.explained + state.prior.between.value)) * (1 - 1e-6)))
            fail_msg("seed 11, draw %zu: %g", i, metric.interval_high);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounds_borrow_the_freedom_of_history),
        cmocka_unit_test(one_stored_run_learns_how_runs_differ),
        cmocka_unit_test(own_runs_and_history_are_weighed),
        cmocka_unit_test(an_unknown_or_contradicted_prior_changes_nothing),
        cmocka_unit_test(noise_between_runs_never_narrows_the_interval),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
