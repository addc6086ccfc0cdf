/* Which variables differ, of which a case gets from the caller. */
#include "judge/environment_words.h"
#include "test_support.h"

enum { CASES = 2, MOST = 8 };

struct scene {
    struct kg_arena arena;
    struct kg_pair pairs[2][MOST];
    struct kg_case_result cases[CASES];
    struct kg_results results;
    struct kg_baseline_run run;
};

static size_t pairs_fill(struct kg_pair *pairs, const char *const *given)
{
    size_t count = 0;
    for (; given[2 * count]; count++)
        pairs[count] = (struct kg_pair){given[2 * count], given[2 * count + 1]};
    assert_true(count <= MOST);
    return count;
}

#define LIST(...)                                                                                  \
    (const char *const[])                                                                          \
    {                                                                                              \
        __VA_ARGS__, NULL                                                                          \
    }
#define NOTHING ((const char *const[]){NULL})

static void scene_make(struct scene *scene, const char *const *before, const char *const *now)
{
    *scene = (struct scene){0};
    scene->run.environment = (struct kg_environment){true, scene->pairs[0], 0};
    scene->run.environment.count = pairs_fill(scene->pairs[0], before);
    scene->results.environment = (struct kg_environment){true, scene->pairs[1], 0};
    scene->results.environment.count = pairs_fill(scene->pairs[1], now);
    scene->results.cases = scene->cases;
    scene->results.case_count = CASES;
}

/* Expects the note on case `index`, or on the run if it is negative; "" if none. Frees the
 * scene. */
static void expect_note(struct scene *scene, int index, const char *expected)
{
    const struct kg_case_result *result = index < 0 ? NULL : &scene->cases[index];
    const char *words = kg_environment_words(&scene->arena, &scene->results, result, &scene->run);
    if (strcmp(words ? words : "", expected) != 0)
        fail_msg("noted '%s', expected '%s'", words ? words : "", expected);
    kg_arena_free(&scene->arena);
}

static void values_of_both_sides_are_noted(void **state)
{
    struct scene scene;
    scene_make(&scene, LIST("LC_ALL", "C"), LIST("LC_ALL", "C.UTF-8"));
    expect_note(&scene, -1, "LC_ALL is 'C.UTF-8' here, was 'C'");
    expect_note(&scene, 0, "LC_ALL is 'C.UTF-8' here, was 'C'");
    scene_make(&scene, LIST("GOGC", "off", "LANG", "C"), LIST("LANG", "C", "OMP_NUM_THREADS", "2"));
    expect_note(&scene, -1,
                "OMP_NUM_THREADS is '2' here, was not set; GOGC is not set here, was 'off'");
    scene_make(&scene, NOTHING, LIST("LD_PRELOAD", "hash 0123abcd"));
    expect_note(&scene, -1, "LD_PRELOAD is set (hash 0123abcd) here, was not set");
    scene_make(&scene, LIST("LANG", "C"), LIST("LANG", "C"));
    expect_note(&scene, -1, "");
}

static void a_side_that_does_not_report_differs_in_nothing(void **state)
{
    struct scene scene;
    for (int side = 0; side < 2; side++) {
        scene_make(&scene, side ? LIST("LANG", "C") : NOTHING, side ? NOTHING : LIST("LANG", "C"));
        expect_note(&scene, -1,
                    side ? "LANG is not set here, was 'C'" : "LANG is 'C' here, was not set");
        *(side ? &scene.results.environment : &scene.run.environment) = (struct kg_environment){0};
        expect_note(&scene, -1, "");
    }
}

static void what_the_suite_sets_is_no_news(void **state)
{
    const char *own[] = {"LC_ALL"};
    struct scene scene;
    scene_make(&scene, LIST("LC_ALL", "C"), LIST("LC_ALL", "C.UTF-8"));
    scene.cases[0].own_variables = own;
    scene.cases[0].own_variable_count = 1;
    expect_note(&scene, 0, "");
    expect_note(&scene, 1, "LC_ALL is 'C.UTF-8' here, was 'C'");
    expect_note(&scene, -1, "LC_ALL is 'C.UTF-8' here, was 'C'"); /* of the other case */
    scene.cases[1] = scene.cases[0];
    expect_note(&scene, -1, "");
}

static void one_lc_all_hides_the_rest_of_the_locale(void **state)
{
    const char *own[] = {"LC_ALL"};
    struct scene scene;
    scene_make(&scene, LIST("LANG", "C", "LC_ALL", "C"), LIST("LC_ALL", "C", "LC_TIME", "de_DE"));
    expect_note(&scene, -1, "");
    scene_make(&scene, LIST("LANG", "C"), LIST("LANG", "de_DE"));
    expect_note(&scene, 0, "LANG is 'de_DE' here, was 'C'");
    scene.cases[0].own_variables = own;
    scene.cases[0].own_variable_count = 1;
    expect_note(&scene, 0, "");
    expect_note(&scene, 1, "LANG is 'de_DE' here, was 'C'");
    scene_make(&scene, LIST("LANGUAGE", "a", "LC_ALL", "C"), LIST("LANGUAGE", "b", "LC_ALL", "C"));
    expect_note(&scene, -1, "LANGUAGE is 'b' here, was 'a'");
}

static void of_many_the_first_four_are_named(void **state)
{
    struct scene scene;
    scene_make(&scene, NOTHING,
               LIST("GOGC", "1", "LANG", "C", "MALLOC_A", "1", "OMP_A", "1", "OMP_B", "1"));
    expect_note(
        &scene, -1,
        "GOGC is '1' here, was not set; LANG is 'C' here, was not set; MALLOC_A is '1' here, was "
        "not set; OMP_A is '1' here, was not set; and 1 more variable");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_of_both_sides_are_noted),
        cmocka_unit_test(a_side_that_does_not_report_differs_in_nothing),
        cmocka_unit_test(what_the_suite_sets_is_no_news),
        cmocka_unit_test(one_lc_all_hides_the_rest_of_the_locale),
        cmocka_unit_test(of_many_the_first_four_are_named),
    };
    return cmocka_run_group_tests_name("environment words", tests, NULL, NULL);
}
