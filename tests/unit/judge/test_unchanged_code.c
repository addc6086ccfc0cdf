#include "test_support.h"

#include "judge/unchanged_code.h"

static const char *libraries[] = {"liblz4.so.1 1111111111111111"};
static const char *other_libraries[] = {"liblz4.so.1 2222222222222222"};

enum { CASES = 2 };

/* A baseline of one run, optionally after a pinned one, and results without measurements. */
struct scene {
    struct kg_results stored, current;
    struct kg_baseline baseline;
    struct kg_baseline_run runs[2];
};

static void scene_make(struct scene *scene)
{
    support_results(&scene->stored, CASES, 5, 1000);
    support_results(&scene->current, CASES, 5, 1000);
    struct kg_results *both[] = {&scene->stored, &scene->current};
    for (size_t b = 0; b < 2; b++) {
        both[b]->machine.kernel = "Linux 6.1";
        for (size_t i = 0; i < CASES; i++)
            both[b]->cases[i].code = (struct kg_code_identity){
                "aaaaaaaaaaaaaaaa", KG_CODE_WITH_LIBRARIES, libraries, 1, NULL};
    }
    for (size_t i = 0; i < CASES; i++) {
        scene->current.cases[i].status = KG_STATUS_UNMEASURED;
        scene->current.cases[i].round_count = 0;
    }
    kg_baseline_from_results(&scene->stored, &scene->baseline);
}

static void scene_free(struct scene *scene)
{
    kg_baseline_free(&scene->baseline);
    kg_arena_free(&scene->stored.arena);
    kg_arena_free(&scene->current.arena);
}

/* How many cases are marked. */
static size_t marked(struct scene *scene)
{
    static const bool all[CASES] = {true, true};
    size_t count = 0;
    kg_unchanged_mark(&scene->baseline, all, &scene->current);
    for (size_t i = 0; i < CASES; i++) {
        count += scene->current.cases[i].status == KG_STATUS_UNCHANGED;
        scene->current.cases[i].status = KG_STATUS_UNMEASURED;
    }
    return count;
}

static void cases_of_the_same_code_are_marked_where_the_suite_asks(void **state)
{
    static const bool wanted[CASES] = {false, true};
    struct scene scene = {0};
    scene_make(&scene);
    assert_int_equal(marked(&scene), CASES);
    kg_unchanged_mark(&scene.baseline, wanted, &scene.current);
    assert_int_equal(scene.current.cases[0].status, KG_STATUS_UNMEASURED);
    assert_int_equal(scene.current.cases[1].status, KG_STATUS_UNCHANGED);
    assert_string_equal(scene.current.cases[1].reason, KG_UNCHANGED_REASON);
    scene_free(&scene);
}

static void what_is_not_the_same_or_not_known_is_measured(void **state)
{
    struct scene scene = {0};
    scene_make(&scene);
    struct kg_case_result *result = &scene.current.cases[0];
    const struct kg_code_identity same = result->code;
    const struct kg_code_identity others[] = {
        {"bbbbbbbbbbbbbbbb", KG_CODE_WITH_LIBRARIES, libraries, 1, NULL},
        {"aaaaaaaaaaaaaaaa", KG_CODE_WITH_LIBRARIES, other_libraries, 1, NULL},
        {"aaaaaaaaaaaaaaaa", KG_CODE_WITH_LIBRARIES, libraries, 0, NULL},
        {"aaaaaaaaaaaaaaaa", KG_CODE_OPEN_ENDED, libraries, 1, NULL},
        {"aaaaaaaaaaaaaaaa", KG_CODE_FILE_ALONE, NULL, 0, NULL},
        {0},
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        result->code = others[i];
        if (marked(&scene) != 1)
            fail_msg("code %zu is taken for the same", i);
    }
    result->code = same;
    result->definition_hash = "0123012301230123";
    assert_int_equal(marked(&scene), 1);
    scene_free(&scene);
}

static void another_machine_or_another_system_on_it_is_measured_on(void **state)
{
    struct scene scene = {0};
    scene_make(&scene);
    struct kg_machine *machine = &scene.current.machine;
    const struct kg_machine same = *machine;
    machine->compiler = "clang 19"; /* kgate's compiler: the code of its kernels contains it */
    assert_int_equal(marked(&scene), CASES);
    const char **facts[] = {&machine->kernel, &machine->governor, &machine->vectors,
                            &machine->fingerprint};
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        *machine = same;
        *facts[i] = "other";
        if (marked(&scene) != 0)
            fail_msg("fact %zu is not looked at", i);
    }
    scene_free(&scene);
}

static void another_environment_is_measured_in_unless_the_case_sets_it(void **state)
{
    struct kg_pair before = {"LC_ALL", "C"}, now = {"LC_ALL", "C.UTF-8"};
    const char *own[] = {"LC_ALL"};
    struct scene scene = {0};
    scene_make(&scene);
    scene.baseline.runs[0].environment = (struct kg_environment){true, &before, 1};
    assert_int_equal(marked(&scene), CASES); /* this side does not say */
    scene.current.environment = (struct kg_environment){true, &now, 1};
    assert_int_equal(marked(&scene), 0);
    scene.current.cases[0].own_variables = own;
    scene.current.cases[0].own_variable_count = 1;
    assert_int_equal(marked(&scene), 1);
    scene_free(&scene);
}

static void budgets_and_metrics_that_the_reference_lacks_are_measured(void **state)
{
    struct kg_limit limit = {"time", "<=", 1e9};
    struct scene scene = {0};
    scene_make(&scene);
    struct kg_case_result *result = &scene.current.cases[0];
    result->budgets = &limit;
    result->budget_count = 1;
    assert_int_equal(marked(&scene), 1);
    result->budget_count = 0;
    assert_int_equal(marked(&scene), CASES);
    result->metrics = 1U << KG_METRIC_TIME | 1U << KG_METRIC_INSTRUCTIONS;
    assert_int_equal(marked(&scene), 1);
    scene_free(&scene);
}

static void a_pin_of_other_code_is_compared_with(void **state)
{
    struct scene scene = {0};
    scene_make(&scene);
    struct kg_baseline_case cases[CASES];
    scene.runs[0] = scene.runs[1] = scene.baseline.runs[0];
    scene.runs[0].pin = "v1";
    memcpy(cases, scene.runs[0].cases, sizeof cases);
    scene.runs[0].cases = cases;
    scene.baseline.runs = scene.runs;
    scene.baseline.run_count = 2;
    assert_int_equal(marked(&scene), CASES);
    cases[0].code.hash = "bbbbbbbbbbbbbbbb";
    assert_int_equal(marked(&scene), 1);
    cases[0].definition_hash = "0123012301230123"; /* not comparable with it */
    assert_int_equal(marked(&scene), CASES);
    scene_free(&scene);
}

static void the_newest_run_decides(void **state)
{
    struct scene scene = {0};
    scene_make(&scene);
    scene.runs[0] = scene.runs[1] = scene.baseline.runs[0];
    scene.baseline.runs = scene.runs;
    scene.baseline.run_count = 2;
    scene.runs[1].case_count = 1; /* it does not have the second */
    assert_int_equal(marked(&scene), 1);
    scene.runs[1].suite = "another";
    assert_int_equal(marked(&scene), CASES);
    scene_free(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cases_of_the_same_code_are_marked_where_the_suite_asks),
        cmocka_unit_test(what_is_not_the_same_or_not_known_is_measured),
        cmocka_unit_test(another_machine_or_another_system_on_it_is_measured_on),
        cmocka_unit_test(another_environment_is_measured_in_unless_the_case_sets_it),
        cmocka_unit_test(budgets_and_metrics_that_the_reference_lacks_are_measured),
        cmocka_unit_test(a_pin_of_other_code_is_compared_with),
        cmocka_unit_test(the_newest_run_decides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
