/* Some calls of a round cost more CPU time. The round's median does not show them, and other work
 * on the machine hides them from its mean. */
#include "test_support.h"

enum { ROUNDS = 8 };

struct scene {
    struct kg_results base, head;
    struct kg_baseline baseline;
    struct kg_comparison comparison;
};

/* Calls of 100 us in both; a call's CPU time is `share` of that in the base, and `more` times as
 * much in the head. The means say nothing: one round in two was interrupted for as long again. */
static void scene_make(struct scene *scene, double share, double more)
{
    *scene = (struct scene){0};
    support_results(&scene->base, 1, ROUNDS, 100e3);
    support_results(&scene->head, 1, ROUNDS, 100e3);
    for (size_t r = 0; r < ROUNDS; r++) {
        struct kg_round *base = &scene->base.cases[0].rounds[r];
        struct kg_round *head = &scene->head.cases[0].rounds[r];
        base->mean_ns = base->median_ns * (r % 2 ? 2 : 1);
        head->mean_ns = head->median_ns * (r % 2 ? 1 : 2) * 1.3;
        base->cpu_ns = base->median_ns * share;
        head->cpu_ns = head->median_ns * share * more;
    }
}

static const struct kg_case_change *judge(struct scene *scene)
{
    kg_baseline_from_results(&scene->base, &scene->baseline);
    kg_compare(&scene->baseline, &scene->head, KG_STAGE_FINAL, &scene->comparison);
    return &scene->comparison.cases[0];
}

static void scene_free(struct scene *scene)
{
    kg_comparison_free(&scene->comparison);
    kg_baseline_free(&scene->baseline);
    kg_results_free(&scene->base);
    kg_results_free(&scene->head);
}

static void expect(struct scene *scene, const char *change)
{
    assert_string_equal(kg_change_name(judge(scene)->change), change);
    scene_free(scene);
}

static void cpu_time_that_moves_alone_is_a_doubt_with_its_figure(void **state)
{
    struct scene scene;
    scene_make(&scene, 1, 1.08);
    const struct kg_case_change *change = judge(&scene);
    assert_string_equal(kg_change_name(change->change), "INCONCLUSIVE");
    assert_string_equal(change->reason, "CPU time per call is +8.0 %, but the median did not "
                                        "change: some calls cost more");
    assert_int_equal(change->metrics[0].doubt, KG_DOUBT_CALL_CPU);
    assert_float_equal(change->metrics[0].call_cpu_ratio, 1.08, 1e-6);
    assert_int_equal(scene.comparison.exit_status, KG_EXIT_NO_VERDICT);
    scene_free(&scene);
}

static void cpu_time_that_rises_by_more_than_twice_the_threshold_is_suspect(void **state)
{
    struct scene scene;
    scene_make(&scene, 1, 1.3);
    const struct kg_case_change *change = judge(&scene);
    assert_string_equal(kg_change_name(change->change), "SUSPECT");
    assert_int_equal(change->metrics[0].doubt, KG_DOUBT_CALL_CPU);
    scene_free(&scene);
}

static void calls_that_cost_less_leave_no_suite_undecided(void **state)
{
    struct scene scene;
    scene_make(&scene, 1, 0.7);
    for (size_t r = 0; r < ROUNDS; r++)
        scene.head.cases[0].rounds[r].mean_ns = scene.base.cases[0].rounds[r].mean_ns;
    const struct kg_case_change *change = judge(&scene);
    assert_string_equal(kg_change_name(change->change), "INCONCLUSIVE");
    assert_non_null(strstr(change->reason, "some calls cost less"));
    assert_int_equal(scene.comparison.exit_status, KG_EXIT_PASS);
    scene_free(&scene);
}

static void what_is_within_the_threshold_is_no_change(void **state)
{
    struct scene scene;
    scene_make(&scene, 1, 1.04);
    expect(&scene, "NO_CHANGE");
    scene_make(&scene, 1, 1);
    expect(&scene, "NO_CHANGE");
}

/* CPU time is a tenth of the time: 30 % more CPU time is 3 % of the time. */
static void a_call_that_mostly_waits_may_use_a_little_more(void **state)
{
    struct scene scene;
    scene_make(&scene, 0.1, 1.3);
    expect(&scene, "NO_CHANGE");
}

static void cpu_time_of_other_threads_or_of_a_gpu_s_host_is_not_the_calls(void **state)
{
    struct scene scene;
    scene_make(&scene, 2, 1.3);
    expect(&scene, "NO_CHANGE");
    scene_make(&scene, 1, 1.3);
    scene.base.cases[0].device = scene.head.cases[0].device = "cuda";
    expect(&scene, "NO_CHANGE");
}

static void without_the_cpu_time_of_every_round_nothing_is_printed(void **state)
{
    struct scene scene;
    scene_make(&scene, 1, 1.3);
    scene.base.cases[0].rounds[3].cpu_ns = NAN;
    expect(&scene, "NO_CHANGE");
    scene_make(&scene, 1, 1.3);
    scene.head.cases[0].rounds[3].cpu_ns = NAN;
    expect(&scene, "NO_CHANGE");
}

/* With a slower core clock all calls cost more: times and CPU times change alike. */
static void a_slower_clock_is_taken_out_of_cpu_time_too(void **state)
{
    struct scene scene;
    scene_make(&scene, 1, 1);
    for (size_t r = 0; r < ROUNDS; r++) {
        struct kg_round *base = &scene.base.cases[0].rounds[r];
        struct kg_round *head = &scene.head.cases[0].rounds[r];
        /* within each run the time follows the clock, too: so the exponent is known */
        const double clock = 1 + 0.01 * (double)(r % 4);
        base->pulse_ns = 1000 * clock;
        base->median_ns = base->cpu_ns = 100e3 * clock;
        head->pulse_ns = 1200 * clock;
        head->median_ns = head->cpu_ns = 120e3 * clock;
    }
    expect(&scene, "NO_CHANGE");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cpu_time_that_moves_alone_is_a_doubt_with_its_figure),
        cmocka_unit_test(cpu_time_that_rises_by_more_than_twice_the_threshold_is_suspect),
        cmocka_unit_test(calls_that_cost_less_leave_no_suite_undecided),
        cmocka_unit_test(what_is_within_the_threshold_is_no_change),
        cmocka_unit_test(a_call_that_mostly_waits_may_use_a_little_more),
        cmocka_unit_test(cpu_time_of_other_threads_or_of_a_gpu_s_host_is_not_the_calls),
        cmocka_unit_test(without_the_cpu_time_of_every_round_nothing_is_printed),
        cmocka_unit_test(a_slower_clock_is_taken_out_of_cpu_time_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
