/* Measuring until the result is clear: the requested rounds and the decisions, on recorded
 * rounds. */
#include "base/random.h"
#include "gate/calibrate.h"
#include "gate/sequence.h"
#include "test_support.h"

enum { LEAST = 5, MOST = 20, CONFIRMING = 20, SCREENED = 30, RECORDED = SCREENED + CONFIRMING };

static double normal(struct kg_random *random)
{
    const double u = 1 - kg_random_unit(random), v = kg_random_unit(random);
    return sqrt(-2 * log(u)) * cos(2 * 3.14159265358979323846 * v);
}

/* A recorded run: `cases` cases of RECORDED rounds, the last CONFIRMING of which confirm; times
 * scatter by `noise`, log-normally. */
static struct kg_results run_make(size_t cases, double noise, struct kg_random *random)
{
    struct kg_results results;
    support_results(&results, cases, RECORDED, 10000);
    for (size_t i = 0; i < cases; i++)
        for (size_t r = 0; r < RECORDED; r++) {
            struct kg_round *round_ = &results.cases[i].rounds[r];
            round_->median_ns = 10000 * exp(noise * normal(random));
            round_->confirms = r >= SCREENED;
        }
    return results;
}

/* Makes a case slower: its first rounds, or its confirming ones. */
static void slow(struct kg_results *results, size_t index, double factor, bool confirming)
{
    for (size_t r = 0; r < RECORDED; r++)
        if (results->cases[index].rounds[r].confirms == confirming)
            results->cases[index].rounds[r].median_ns *= factor;
}

struct scene {
    struct kg_results base, current;
    struct kg_baseline baseline;
    struct kg_comparison comparison;
    struct kg_replay replay;
};

static void scene_run(struct scene *scene)
{
    struct kg_round_limits limits[8];
    struct kg_error err = {0};
    for (size_t i = 0; i < 8; i++)
        limits[i] = (struct kg_round_limits){LEAST, MOST};
    kg_baseline_from_results(&scene->base, &scene->baseline);
    kg_replay_start(&scene->replay, &scene->current, NULL);
    if (!kg_replay_run(&scene->replay, limits, &scene->baseline, &scene->comparison, &err))
        fail_msg("%s", err.message);
}

static void scene_free(struct scene *scene)
{
    kg_comparison_free(&scene->comparison);
    kg_replay_free(&scene->replay);
    kg_baseline_free(&scene->baseline);
    kg_results_free(&scene->base);
    kg_results_free(&scene->current);
}

static const struct kg_case_change *change_of(const struct scene *scene, size_t order)
{
    for (size_t i = 0; i < scene->comparison.case_count; i++)
        if (scene->comparison.cases[i].order == order)
            return &scene->comparison.cases[i];
    fail_msg("no case %zu", order);
    return NULL;
}

static void is(const struct scene *scene, size_t order, enum kg_change expected, size_t rounds,
               size_t confirming)
{
    const struct kg_case_change *change = change_of(scene, order);
    if (change->change != expected)
        fail_msg("case %zu is %s, expected %s: %s", order, kg_change_name(change->change),
                 kg_change_name(expected), change->reason ? change->reason : "");
    if (change->rounds - change->confirming_rounds != rounds ||
        change->confirming_rounds != confirming)
        fail_msg("case %zu has %zu rounds and %zu confirming ones, expected %zu and %zu", order,
                 change->rounds - change->confirming_rounds, change->confirming_rounds, rounds,
                 confirming);
}

static void clear_cases_stop_at_the_least(void **state)
{
    struct kg_random random = {1};
    struct scene scene = {.base = run_make(3, 0.005, &random),
                          .current = run_make(3, 0.005, &random)};
    (void)state;
    scene_run(&scene);
    for (size_t i = 0; i < 3; i++)
        is(&scene, i, KG_CHANGE_NO_CHANGE, LEAST, 0);
    assert_int_equal(scene.comparison.exit_status, KG_EXIT_PASS);
    scene_free(&scene);
}

static void doubtful_cases_go_on_and_no_other(void **state)
{
    struct kg_random random = {2};
    struct scene scene = {.base = run_make(3, 0.005, &random),
                          .current = run_make(3, 0.005, &random)};
    (void)state;
    for (size_t r = 0; r < RECORDED; r++) /* two modes, 8 % apart */
        scene.current.cases[1].rounds[r].median_ns *= r % 2 ? 1.08 : 1;
    scene_run(&scene);
    is(&scene, 0, KG_CHANGE_NO_CHANGE, LEAST, 0);
    assert_true(change_of(&scene, 1)->rounds > LEAST);
    is(&scene, 2, KG_CHANGE_NO_CHANGE, LEAST, 0);
    scene_free(&scene);
}

/* All rounds wait for half of their time. */
static size_t busy_rounds(double wall_ns)
{
    struct kg_random random = {3};
    struct scene scene = {.base = run_make(1, 0.005, &random),
                          .current = run_make(1, 0.005, &random)};
    for (size_t r = 0; r < RECORDED; r++) {
        scene.current.cases[0].rounds[r].disturbance = 0.5;
        scene.current.cases[0].rounds[r].wall_ns = wall_ns;
    }
    scene_run(&scene);
    const size_t rounds = change_of(&scene, 0)->rounds;
    scene_free(&scene);
    return rounds;
}

static void a_case_that_waited_for_half_a_minute_gets_no_more_rounds(void **state)
{
    (void)state;
    const size_t brief = busy_rounds(1e6), lengthy = busy_rounds(31e9 / LEAST);
    if (brief <= LEAST || lengthy != LEAST)
        fail_msg("%zu rounds of 1 ms, %zu of seconds; expected more than %d, and %d", brief,
                 lengthy, (int)LEAST, (int)LEAST);
}

static void a_suspect_that_is_confirmed_fails_the_gate(void **state)
{
    struct kg_random random = {3};
    struct scene scene = {.base = run_make(3, 0.005, &random),
                          .current = run_make(3, 0.005, &random)};
    (void)state;
    slow(&scene.current, 1, 1.2, false);
    slow(&scene.current, 1, 1.2, true);
    scene_run(&scene);
    is(&scene, 0, KG_CHANGE_NO_CHANGE, LEAST, 0);
    is(&scene, 1, KG_CHANGE_REGRESSION, LEAST, 2 * LEAST);
    assert_int_equal(scene.comparison.exit_status, KG_EXIT_REGRESSION);
    scene_free(&scene);
}

/* A neighbour's burst over the first rounds: the later ones do not show it. */
static void a_suspect_that_is_not_confirmed_does_not(void **state)
{
    struct kg_random random = {4};
    struct scene scene = {.base = run_make(3, 0.005, &random),
                          .current = run_make(3, 0.005, &random)};
    (void)state;
    slow(&scene.current, 1, 1.2, false);
    scene_run(&scene);
    is(&scene, 1, KG_CHANGE_NO_CHANGE, LEAST, 2 * LEAST);
    assert_non_null(strstr(change_of(&scene, 1)->reason, "not confirmed: +"));
    assert_int_equal(scene.comparison.exit_status, KG_EXIT_PASS);
    scene_free(&scene);
}

static void an_improvement_is_confirmed_too(void **state)
{
    struct kg_random random = {5};
    struct scene scene = {.base = run_make(2, 0.005, &random),
                          .current = run_make(2, 0.005, &random)};
    (void)state;
    slow(&scene.current, 0, 0.8, false);
    slow(&scene.current, 0, 0.8, true);
    slow(&scene.current, 1, 0.8, false);
    scene_run(&scene);
    is(&scene, 0, KG_CHANGE_IMPROVEMENT, LEAST, 2 * LEAST);
    is(&scene, 1, KG_CHANGE_NO_CHANGE, LEAST, 2 * LEAST);
    scene_free(&scene);
}

/* A suspect without confirming rounds, for example after a timeout, is no regression. */
static void without_confirming_rounds_a_suspect_stays_one(void **state)
{
    struct kg_random random = {6};
    struct scene scene = {.base = run_make(2, 0.005, &random),
                          .current = run_make(2, 0.005, &random)};
    (void)state;
    slow(&scene.current, 0, 1.2, false);
    scene.current.cases[0].round_count = LEAST;
    scene.current.cases[1].round_count = LEAST;
    scene_run(&scene);
    is(&scene, 0, KG_CHANGE_SUSPECT, LEAST, 0);
    assert_int_equal(scene.comparison.exit_status, KG_EXIT_NO_VERDICT);
    assert_non_null(strstr(change_of(&scene, 0)->reason, "looks worse"));
    scene_free(&scene);
}

/* A suite against itself, with noise that often crosses the threshold. */
static void looking_often_raises_no_alarms(void **state)
{
    enum { SEED = 7, TRIALS = 200, CASES = 8 };
    struct kg_random random = {SEED};
    size_t alarms = 0;
    (void)state;
    for (int t = 0; t < TRIALS; t++) {
        struct scene scene = {.base = run_make(CASES, 0.08, &random),
                              .current = run_make(CASES, 0.08, &random)};
        scene_run(&scene);
        alarms += scene.comparison.exit_status == KG_EXIT_REGRESSION;
        scene_free(&scene);
    }
    printf("seed %d: %zu of %d gates alarmed\n", SEED, alarms, TRIALS);
    /* alpha is 1 %: of 200, more than six come by chance once in two hundred times */
    assert_true(alarms <= 6);
}

/* Gates of unchanged code whose runs differ by `scatter`, against `stored` runs; returns alarms. */
static size_t moving_alarms(size_t trials, size_t stored, double scatter)
{
    enum { CASES = 8, STORED_MOST = 5 };
    struct kg_random random = {21};
    size_t alarms = 0;
    for (size_t t = 0; t < trials; t++) {
        struct kg_results runs[STORED_MOST + 1];
        struct kg_baseline_run kept[STORED_MOST];
        struct scene scene = {0};
        for (size_t r = 0; r <= stored; r++) {
            runs[r] = run_make(CASES, 0.005, &random);
            for (size_t c = 0; c < CASES; c++) {
                const double moved = exp(scatter * normal(&random));
                slow(&runs[r], c, moved, false);
                slow(&runs[r], c, moved, true);
            }
        }
        scene.base = runs[0];
        scene.current = runs[stored];
        struct kg_round_limits limits[CASES];
        struct kg_error err = {0};
        for (size_t i = 0; i < CASES; i++)
            limits[i] = (struct kg_round_limits){LEAST, MOST};
        scene.baseline = (struct kg_baseline){.fingerprint = runs[0].machine.fingerprint,
                                              .machine = runs[0].machine,
                                              .runs = kept,
                                              .run_count = stored};
        for (size_t r = 0; r < stored; r++)
            kg_baseline_run_make(&scene.baseline.arena, &runs[r], &kept[r]);
        kg_replay_start(&scene.replay, &scene.current, NULL);
        assert_true(kg_replay_run(&scene.replay, limits, &scene.baseline, &scene.comparison, &err));
        alarms += scene.comparison.exit_status == KG_EXIT_REGRESSION;
        for (size_t r = 1; r < stored; r++)
            kg_results_free(&runs[r]);
        scene_free(&scene);
    }
    return alarms;
}

/* Runs that differ by 2 %, against a threshold of 5 %. Several stored runs show this difference, a
 * single one cannot. Prints a table. */
static void several_stored_runs_know_how_much_runs_differ(void **state)
{
    enum { TRIALS = 300 };
    static const size_t stored[] = {1, 2, 3, 5};
    (void)state;
    for (size_t i = 0; i < sizeof stored / sizeof *stored; i++) {
        const size_t alarms = moving_alarms(TRIALS, stored[i], 0.02);
        printf("%zu stored: %.1f %% of gates of 8 cases alarm\n", stored[i],
               100.0 * (double)alarms / TRIALS);
        if (stored[i] > 1 && alarms > 9)
            fail_msg("%zu of %d gates alarmed against %zu runs", alarms, TRIALS, stored[i]);
    }
}

static void the_next_look_is_half_as_many_rounds_again(void **state)
{
    (void)state;
    assert_int_equal(kg_sequence_next(5, 5, 30), 8);
    assert_int_equal(kg_sequence_next(8, 8, 30), 12);
    assert_int_equal(kg_sequence_next(1, 1, 30), 2);
    assert_int_equal(kg_sequence_next(25, 25, 30), 30);
    assert_int_equal(kg_sequence_next(30, 30, 30), 30);
}

/* Seven long rounds took the time of 40 short ones: 20 more rounds. If the rounds are longer still:
 * one more. */
static void the_next_look_is_half_as_much_time_again(void **state)
{
    (void)state;
    assert_int_equal(kg_sequence_next(7, 40, 200), 27);
    assert_int_equal(kg_sequence_next(7, 0.5, 200), 8);
}

static void twice_as_many_rounds_confirm(void **state)
{
    struct kg_confirming confirming = {.screened = 5,
                                       .most = 30,
                                       .base_rounds = 30,
                                       .tests = 20,
                                       .alpha = 0.01,
                                       .variance = NAN,
                                       .effect = NAN,
                                       .threshold = NAN};
    (void)state;
    assert_int_equal(kg_sequence_confirming(&confirming), 10);
    confirming.most = 8;
    assert_int_equal(kg_sequence_confirming(&confirming), 8);
}

/* Pairs that scatter by 10 %, and 15 % seen against 5 %: 10 % must be found. A normal variable goes
 * beyond 3.48 standard deviations in 1 % / 20, and nine of ten beyond -1.28: 22.7 rounds, and 6.1
 * for Student's t. */
static void confirming_rounds_are_as_many_as_the_noise_asks_for(void **state)
{
    struct kg_confirming confirming = {.screened = 60,
                                       .least = 5,
                                       .most = 300,
                                       .tests = 20,
                                       .alpha = 0.01,
                                       .paired = true,
                                       .variance = 0.01,
                                       .effect = 0.15,
                                       .threshold = 0.05};
    (void)state;
    assert_int_equal(kg_sequence_confirming(&confirming), 29);
    confirming.effect = -0.15;
    assert_int_equal(kg_sequence_confirming(&confirming), 29);
    confirming.variance = 1e-6;
    confirming.least = 20;
    assert_int_equal(kg_sequence_confirming(&confirming), 20);
    confirming.variance = 1;
    assert_int_equal(kg_sequence_confirming(&confirming), 300);
}

/* A source of rounds that costs time. */
struct clocked {
    struct kg_replay replay;
    double round_ns;
    size_t asked;
};

static size_t rounds_of(const struct kg_results *results)
{
    size_t rounds = 0;
    for (size_t i = 0; i < results->case_count; i++)
        rounds += results->cases[i].round_count;
    return rounds;
}

/* Index of the next recorded round: a confirming or a screening one. */
static size_t next_recorded(const struct kg_case_result *shown, bool confirm)
{
    size_t next = confirm ? SCREENED : 0;
    for (size_t r = 0; r < shown->round_count; r++)
        next += shown->rounds[r].confirms == confirm;
    return next;
}

static bool clocked_measure(void *user, const size_t *wanted, bool confirm, struct kg_error *err)
{
    struct clocked *clocked = user;
    struct kg_results *shown = &clocked->replay.shown;
    (void)err;
    for (size_t i = 0; i < shown->case_count; i++)
        while (shown->cases[i].round_count < wanted[i]) {
            struct kg_case_result *result = &shown->cases[i];
            const struct kg_case_result *recorded = &clocked->replay.recorded->cases[i];
            result->rounds[result->round_count] = recorded->rounds[next_recorded(result, confirm)];
            result->rounds[result->round_count++].confirms = confirm;
        }
    clocked->asked++;
    return true;
}

static double clocked_elapsed(void *user)
{
    const struct clocked *clocked = user;
    return (double)rounds_of(&clocked->replay.shown) * clocked->round_ns;
}

static bool clocked_stopped(void *user)
{
    (void)user;
    return false;
}

/* Eight doubtful cases and a budget for 60 rounds in all. */
static void the_budget_ends_it(void **state)
{
    enum { CASES = 8, BUDGET = 60 };
    struct kg_random random = {8};
    struct kg_results base = run_make(CASES, 0.1, &random);
    struct kg_results current = run_make(CASES, 0.1, &random);
    struct kg_round_limits limits[CASES];
    struct clocked clocked = {.round_ns = 1e6};
    struct kg_baseline baseline;
    struct kg_comparison comparison;
    struct kg_error err = {0};
    (void)state;
    for (size_t i = 0; i < CASES; i++)
        limits[i] = (struct kg_round_limits){LEAST, MOST};
    kg_baseline_from_results(&base, &baseline);
    kg_replay_start(&clocked.replay, &current, NULL);
    const struct kg_sequence sequence = {.measure = clocked_measure,
                                         .elapsed_ns = clocked_elapsed,
                                         .stopped = clocked_stopped,
                                         .user = &clocked,
                                         .limits = limits,
                                         .budget_ns = BUDGET * 1e6};
    assert_true(kg_sequence_run(&sequence, &baseline, &clocked.replay.shown, &comparison, &err));
    const size_t rounds = rounds_of(&clocked.replay.shown);
    if (rounds > BUDGET || rounds <= CASES * LEAST)
        fail_msg("%zu rounds were taken of a budget of %d", rounds, BUDGET);
    kg_comparison_free(&comparison);
    kg_replay_free(&clocked.replay);
    kg_baseline_free(&baseline);
    kg_results_free(&base);
    kg_results_free(&current);
}

/* So many rounds that the suite's most must confirm; all as long as the suite asks. */
static void scattered_plan(void *user, size_t index, struct kg_round_plan *plan)
{
    const struct clocked *clocked = user;
    const double taken = (double)clocked->replay.shown.cases[index].round_count;
    *plan = (struct kg_round_plan){.elapsed_ns = taken * clocked->round_ns,
                                   .fixed_ns = 0,
                                   .asked_ns = clocked->round_ns,
                                   .least_ns = clocked->round_ns,
                                   .most_ns = clocked->round_ns,
                                   .spread = {.between = 1, .within_ns = 0}};
}

/* Runs the scene's rounds, of a millisecond each, within the time of `budget` rounds. */
static void budget_run(struct scene *scene, double budget, bool scattered)
{
    struct kg_round_limits limits[8];
    struct clocked clocked = {.round_ns = 1e6};
    struct kg_error err = {0};
    for (size_t i = 0; i < 8; i++)
        limits[i] = (struct kg_round_limits){LEAST, MOST};
    kg_baseline_from_results(&scene->base, &scene->baseline);
    kg_replay_start(&clocked.replay, &scene->current, NULL);
    const struct kg_sequence sequence = {.measure = clocked_measure,
                                         .plan = scattered ? scattered_plan : NULL,
                                         .elapsed_ns = clocked_elapsed,
                                         .stopped = clocked_stopped,
                                         .user = &clocked,
                                         .limits = limits,
                                         .budget_ns = budget * 1e6};
    if (!kg_sequence_run(&sequence, &scene->baseline, &clocked.replay.shown, &scene->comparison,
                         &err))
        fail_msg("%s", err.message);
    scene->replay = clocked.replay;
}

/* Ten confirming rounds are planned. Seven fit, so these decide; four are fewer than any case gets. */
static void where_the_planned_rounds_do_not_fit_those_confirm_that_do(void **state)
{
    static const struct {
        double budget;
        enum kg_change expected;
        size_t confirming;
    } rows[] = {{LEAST + 10, KG_CHANGE_REGRESSION, 10},
                {LEAST + 7, KG_CHANGE_REGRESSION, 7},
                {LEAST + 4, KG_CHANGE_SUSPECT, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct kg_random random = {10};
        struct scene scene = {.base = run_make(1, 0.005, &random),
                              .current = run_make(1, 0.005, &random)};
        slow(&scene.current, 0, 1.2, false);
        slow(&scene.current, 0, 1.2, true);
        budget_run(&scene, rows[i].budget, false);
        is(&scene, 0, rows[i].expected, LEAST, rows[i].confirming);
        const struct kg_case_change *change = change_of(&scene, 0);
        assert_int_equal(change->metrics[0].out_of_budget, !rows[i].confirming);
        if (!rows[i].confirming)
            assert_string_equal(change->reason, "looks worse, not confirmed: --budget ended before "
                                                "the later rounds. Raise --budget");
        scene_free(&scene);
    }
}

/* As above, but the time is too short for the planned rounds. */
static void confirming_with_what_fits_raises_no_alarms(void **state)
{
    enum { SEED = 13, TRIALS = 300, CASES = 4, BUDGET = CASES * LEAST + 8 };
    struct kg_random random = {SEED};
    size_t alarms = 0, in_part = 0;
    (void)state;
    for (int t = 0; t < TRIALS; t++) {
        struct scene scene = {.base = run_make(CASES, 0.08, &random),
                              .current = run_make(CASES, 0.08, &random)};
        slow(&scene.current, 0, 1.3, false); /* a suspect that its confirming rounds clear */
        budget_run(&scene, BUDGET, false);
        const size_t confirming = change_of(&scene, 0)->confirming_rounds;
        in_part += confirming > 0 && confirming < 2 * LEAST;
        alarms += scene.comparison.exit_status == KG_EXIT_REGRESSION;
        scene_free(&scene);
    }
    printf("seed %d: %zu of %d gates alarmed, %zu confirmed in part\n", SEED, alarms, TRIALS,
           in_part);
    assert_true(in_part > TRIALS / 2);
    assert_true(alarms <= 8);
}

/* The planned rounds of the worst leave time for five, and these confirm the other. */
static void the_suspects_whose_rounds_fit_come_first(void **state)
{
    struct kg_random random = {11};
    struct scene scene = {.base = run_make(2, 0.005, &random),
                          .current = run_make(2, 0.005, &random)};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        slow(&scene.current, i, 1.2 + 0.1 * (double)i, false);
        slow(&scene.current, i, 1.2 + 0.1 * (double)i, true);
    }
    budget_run(&scene, 2 * LEAST + 15, false);
    is(&scene, 1, KG_CHANGE_REGRESSION, LEAST, 10); /* the worst */
    is(&scene, 0, KG_CHANGE_REGRESSION, LEAST, 5);
    scene_free(&scene);
}

/* The budget is 28 rounds, and 18 are left. Confirming the suspect would take 20. kgate reserves
 * half of the budget for it. The undecided case gets three of the others, the suspect gets the
 * rest. */
static void doubtful_cases_go_on_where_confirming_cannot_be_paid(void **state)
{
    struct kg_random random = {12};
    struct scene scene = {.base = run_make(2, 0.005, &random),
                          .current = run_make(2, 0.005, &random)};
    (void)state;
    slow(&scene.current, 0, 1.2, false);
    slow(&scene.current, 0, 1.2, true);
    for (size_t r = 0; r < RECORDED; r++) /* two modes, 8 % apart */
        scene.current.cases[1].rounds[r].median_ns *= r % 2 ? 1.08 : 1;
    budget_run(&scene, 2 * LEAST + MOST - 2, true);
    is(&scene, 0, KG_CHANGE_REGRESSION, LEAST, 15);
    assert_int_equal(change_of(&scene, 1)->rounds, LEAST + 3);
    scene_free(&scene);
}

/* Pairs whose ratio is steady although both sides swing together by a fifth. */
static void pairs_see_what_two_runs_cannot(void **state)
{
    struct kg_random random = {9};
    struct scene scene = {.base = run_make(2, 0.2, &random), .current = run_make(2, 0.2, &random)};
    (void)state;
    scene.base.pair = kg_arena_copy(&scene.base.arena, "pair");
    scene.current.pair = kg_arena_copy(&scene.current.arena, "pair");
    for (size_t r = 0; r < RECORDED; r++) {
        scene.current.cases[0].rounds[r].base_ratio = exp(0.002 * normal(&random));
        scene.current.cases[1].rounds[r].base_ratio = 1.06 * exp(0.002 * normal(&random));
    }
    scene_run(&scene);
    assert_int_equal(change_of(&scene, 0)->change, KG_CHANGE_NO_CHANGE);
    assert_int_equal(change_of(&scene, 1)->change, KG_CHANGE_REGRESSION);
    assert_string_equal(change_of(&scene, 1)->metrics[0].against, "base");
    assert_true(fabs(change_of(&scene, 1)->metrics[0].ratio - 1.06) < 0.005);
    scene_free(&scene);
}

/* Paired rounds drawn on request, of a millisecond each. */
struct drawn {
    struct kg_replay replay;
    struct kg_random *random;
    double noise, effect; /* of the logarithm of a pair's ratio */
};

static bool drawn_measure(void *user, const size_t *wanted, bool confirm, struct kg_error *err)
{
    struct drawn *drawn = user;
    struct kg_case_result *shown = drawn->replay.shown.cases;
    (void)err;
    for (; shown->round_count < wanted[0]; shown->round_count++) {
        struct kg_round *round = &shown->rounds[shown->round_count];
        *round = drawn->replay.recorded->cases[0].rounds[0];
        round->base_ratio = exp(drawn->effect + drawn->noise * normal(drawn->random));
        round->confirms = confirm;
    }
    return true;
}

static double drawn_elapsed(void *user)
{
    return 1e6 * (double)((const struct drawn *)user)->replay.shown.cases[0].round_count;
}

struct outcome {
    enum kg_change change;
    enum kg_verdict verdict;
    size_t rounds;
};

/* One case in paired rounds. Their ratio scatters by 15 %; the threshold is 5 %. */
static struct outcome drawn_run(struct kg_random *random, double ratio, double budget)
{
    enum { ROOM = 3000 };
    const struct kg_round_limits limits = {LEAST, MOST};
    struct drawn drawn = {.random = random, .noise = 0.15, .effect = log(ratio)};
    struct kg_results base, current;
    struct kg_baseline baseline;
    struct kg_comparison comparison;
    struct kg_error err = {0};
    support_results(&base, 1, LEAST, 10000);
    support_results(&current, 1, ROOM, 10000);
    base.pair = kg_arena_copy(&base.arena, "pair");
    current.pair = kg_arena_copy(&current.arena, "pair");
    kg_baseline_from_results(&base, &baseline);
    kg_replay_start(&drawn.replay, &current, NULL);
    const struct kg_sequence sequence = {.measure = drawn_measure,
                                         .elapsed_ns = drawn_elapsed,
                                         .stopped = clocked_stopped,
                                         .user = &drawn,
                                         .limits = &limits,
                                         .budget_ns = budget * 1e6};
    if (!kg_sequence_run(&sequence, &baseline, &drawn.replay.shown, &comparison, &err))
        fail_msg("%s", err.message);
    const struct outcome outcome = {comparison.cases[0].change, comparison.verdict,
                                    comparison.cases[0].rounds};
    kg_comparison_free(&comparison);
    kg_replay_free(&drawn.replay);
    kg_baseline_free(&baseline);
    kg_results_free(&base);
    kg_results_free(&current);
    return outcome;
}

enum { GATES = 200 };

/* Number of gates per verdict, and of gates that call the case unchanged. */
struct gates {
    size_t verdicts[3], unchanged;
};

static struct gates gates_run(double ratio, double budget)
{
    struct kg_random random = {17};
    struct gates gates = {0};
    for (int i = 0; i < GATES; i++) {
        const struct outcome outcome = drawn_run(&random, ratio, budget);
        assert_true((double)outcome.rounds <= budget);
        gates.verdicts[outcome.verdict]++;
        gates.unchanged += outcome.change == KG_CHANGE_NO_CHANGE;
    }
    printf("ratio %.2f, budget of %g pairs: %zu FAIL, %zu UNDECIDED, %zu unchanged\n", ratio,
           budget, gates.verdicts[KG_VERDICT_FAIL], gates.verdicts[KG_VERDICT_UNDECIDED],
           gates.unchanged);
    return gates;
}

static void a_budget_takes_the_place_of_the_most_rounds(void **state)
{
    const struct gates same = gates_run(1, INFINITY), same_long = gates_run(1, 1500);
    const struct gates slower = gates_run(1.1, INFINITY), slower_long = gates_run(1.1, 1500);
    (void)state;
    assert_true(same.verdicts[KG_VERDICT_UNDECIDED] > GATES / 4);
    assert_true(same_long.verdicts[KG_VERDICT_UNDECIDED] < GATES / 20);
    assert_true(slower.verdicts[KG_VERDICT_FAIL] < 3 * GATES / 4);
    assert_true(slower_long.verdicts[KG_VERDICT_FAIL] > GATES - GATES / 20);
}

/* 200 gates at an alpha of 1 %: more than six chance alarms occur once in two hundred times. */
static void a_longer_budget_raises_no_alarms_and_passes_nothing_slower(void **state)
{
    (void)state;
    assert_true(gates_run(1, 3000).verdicts[KG_VERDICT_FAIL] <= 6);
    assert_true(gates_run(1.1, 3000).unchanged <= 2);
    assert_true(gates_run(1.05, 3000).unchanged <= GATES / 10); /* just as much as counts */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clear_cases_stop_at_the_least),
        cmocka_unit_test(doubtful_cases_go_on_and_no_other),
        cmocka_unit_test(a_case_that_waited_for_half_a_minute_gets_no_more_rounds),
        cmocka_unit_test(a_suspect_that_is_confirmed_fails_the_gate),
        cmocka_unit_test(a_suspect_that_is_not_confirmed_does_not),
        cmocka_unit_test(an_improvement_is_confirmed_too),
        cmocka_unit_test(without_confirming_rounds_a_suspect_stays_one),
        cmocka_unit_test(looking_often_raises_no_alarms),
        cmocka_unit_test(several_stored_runs_know_how_much_runs_differ),
        cmocka_unit_test(the_next_look_is_half_as_many_rounds_again),
        cmocka_unit_test(the_next_look_is_half_as_much_time_again),
        cmocka_unit_test(twice_as_many_rounds_confirm),
        cmocka_unit_test(confirming_rounds_are_as_many_as_the_noise_asks_for),
        cmocka_unit_test(the_budget_ends_it),
        cmocka_unit_test(where_the_planned_rounds_do_not_fit_those_confirm_that_do),
        cmocka_unit_test(confirming_with_what_fits_raises_no_alarms),
        cmocka_unit_test(the_suspects_whose_rounds_fit_come_first),
        cmocka_unit_test(doubtful_cases_go_on_where_confirming_cannot_be_paid),
        cmocka_unit_test(pairs_see_what_two_runs_cannot),
        cmocka_unit_test(a_budget_takes_the_place_of_the_most_rounds),
        cmocka_unit_test(a_longer_budget_raises_no_alarms_and_passes_nothing_slower),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
