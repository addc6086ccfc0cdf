/* Which cases became slower, and against which stored run their evidence is held. */
#include "test_support.h"

#include "model/comparison.h"
#include "why/suggest_parts.h"

enum { CASES = 3 };

/* Results beside a baseline that was equal at first; instructions show the change. */
struct scene {
    struct kg_results base;
    struct kg_results current;
    struct kg_baseline baseline;
    struct kg_traits traits[CASES];
    struct kg_suggestions suggestions;
    const char *missing;
    struct kg_arena scratch;
    const struct kg_slower *slowdowns[CASES];
    struct kg_comparison comparison;
    struct kg_case_change changes[CASES];
    struct kg_metric metrics[CASES][2];
};

static void results_make(struct kg_results *results)
{
    support_results(results, CASES, 3, 1e6);
    for (size_t i = 0; i < CASES; i++)
        results->cases[i].look.instructions = 1e6;
}

static void scene_make(struct scene *scene)
{
    *scene = (struct scene){0};
    results_make(&scene->base);
    results_make(&scene->current);
    kg_baseline_from_results(&scene->base, &scene->baseline);
}

static void scene_free(struct scene *scene)
{
    kg_baseline_free(&scene->baseline);
    kg_results_free(&scene->base);
    kg_results_free(&scene->current);
    kg_arena_free(&scene->suggestions.arena);
    kg_arena_free(&scene->scratch);
}

static void slower(struct scene *scene, size_t index, double times)
{
    support_slow(&scene->current.cases[index], times);
    scene->current.cases[index].look.instructions = times * 1e6;
}

static void find(struct scene *scene, bool compared)
{
    const struct kg_suggest_input input = {.results = &scene->current,
                                           .baseline = &scene->baseline,
                                           .comparison = compared ? &scene->comparison : NULL};
    for (size_t i = 0; i < CASES; i++)
        kg_traits_find(&scene->current, &scene->current.cases[i], &scene->traits[i]);
    kg_arena_free(&scene->suggestions.arena);
    kg_changes_find(&input, scene->traits, &scene->scratch, scene->slowdowns, &scene->suggestions,
                    &scene->missing);
}

/* A comparison in which each case's time has the change `change`. */
static void compare_as(struct scene *scene, const char *against, enum kg_change change)
{
    scene->comparison = (struct kg_comparison){.cases = scene->changes, .case_count = CASES};
    for (size_t i = 0; i < CASES; i++) {
        const double base_ns = scene->base.cases[i].summary.median_ns;
        scene->metrics[i][0] = (struct kg_metric){.name = "peak_memory",
                                                  .against = "baseline",
                                                  .change = KG_CHANGE_REGRESSION,
                                                  .baseline = 1,
                                                  .current = 2};
        scene->metrics[i][1] =
            (struct kg_metric){.name = "time",
                               .against = against,
                               .change = change,
                               .baseline = base_ns,
                               .current = scene->current.cases[i].summary.median_ns};
        scene->changes[i] = (struct kg_case_change){.id = scene->current.cases[i].id,
                                                    .order = i,
                                                    .metrics = scene->metrics[i],
                                                    .metric_count = 2};
    }
}

static void nothing_is_borrowed(void **state)
{
    struct scene scene;
    scene_make(&scene);
    slower(&scene, 1, 1.5);
    find(&scene, false);
    kg_baseline_free(&scene.baseline);
    kg_results_free(&scene.base);
    kg_results_free(&scene.current);
    kg_arena_free(&scene.scratch);
    assert_string_equal(scene.suggestions.changes[0].operation, "w1/cpu");
    kg_arena_free(&scene.suggestions.arena);
}

static void a_comparison_decides_where_there_is_one(void **state)
{
    static const enum kg_change others[] = {KG_CHANGE_NO_CHANGE, KG_CHANGE_INCONCLUSIVE,
                                            KG_CHANGE_IMPROVEMENT, KG_CHANGE_NEW};
    struct scene scene;
    scene_make(&scene);
    for (size_t i = 0; i < CASES; i++)
        slower(&scene, i, 1.03); /* a comparison may find changes below the threshold */
    compare_as(&scene, "baseline", KG_CHANGE_REGRESSION);
    find(&scene, true);
    assert_int_equal(scene.suggestions.change_count, CASES);
    compare_as(&scene, "base", KG_CHANGE_REGRESSION);
    find(&scene, true);
    assert_int_equal(scene.suggestions.change_count, CASES);
    compare_as(&scene, "budget", KG_CHANGE_REGRESSION);
    find(&scene, true);
    assert_int_equal(scene.suggestions.change_count, 0);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        compare_as(&scene, "baseline", others[i]);
        find(&scene, true);
        assert_int_equal(scene.suggestions.change_count, 0);
    }
    scene_free(&scene);
}

/* The texts of case i, parted by "; ". */
static const char *notes_of(const struct scene *scene, size_t index)
{
    static char text[2048];
    size_t length = 0;
    text[0] = '\0';
    for (size_t i = 0; i < scene->suggestions.change_count; i++)
        if (!strcmp(scene->suggestions.changes[i].operation, scene->current.cases[index].id))
            length += (size_t)snprintf(text + length, sizeof text - length, "%s%s",
                                       length ? "; " : "", scene->suggestions.changes[i].text);
    assert_true(length < sizeof text);
    return text;
}

static void what_only_looks_worse_is_noted_beyond_its_threshold(void **state)
{
    struct scene scene;
    scene_make(&scene);
    for (size_t i = 0; i < CASES; i++)
        slower(&scene, i, 38);
    compare_as(&scene, "baseline", KG_CHANGE_INCONCLUSIVE);
    for (size_t i = 0; i < CASES; i++) {
        scene.metrics[i][1].ratio = i ? 38 : 1.1;
        scene.metrics[i][1].threshold = 0.15;
    }
    scene.metrics[1][1].min_effect = 1e12;
    find(&scene, true);
    assert_string_equal(notes_of(&scene, 0), "");
    assert_string_equal(notes_of(&scene, 1), "");
    assert_non_null(strstr(notes_of(&scene, 2), "instructions rose from 1.00 M to 38.0 M"));
    scene_free(&scene);
}

static void a_rise_of_memory_or_instructions_alone_is_noted(void **state)
{
    struct scene scene;
    scene_make(&scene);
    compare_as(&scene, "baseline", KG_CHANGE_NO_CHANGE);
    scene.current.cases[0].memory.peak_bytes *= 2;
    scene.current.cases[1].look.instructions = 1.05e6;
    scene.metrics[1][1] = (struct kg_metric){.name = "instructions",
                                             .against = "baseline",
                                             .change = KG_CHANGE_REGRESSION,
                                             .baseline = 1e6,
                                             .current = 1.05e6};
    for (int compared = 0; compared < 2; compared++) { /* by the traits, then by the comparison */
        for (size_t i = 0; i < CASES; i++)
            scene.current.cases[i].metrics = ~0U;
        find(&scene, compared);
        assert_non_null(strstr(notes_of(&scene, 0), "peak memory rose from 1.00 MiB to 2.00 MiB"));
        assert_non_null(strstr(notes_of(&scene, 1), "instructions rose from 1.00 M to 1.05 M"));
        assert_string_equal(notes_of(&scene, 2), "");
    }
    for (size_t i = 0; i < CASES; i++)
        scene.current.cases[i].metrics = 1U << KG_METRIC_TIME;
    find(&scene, false);
    assert_int_equal(scene.suggestions.change_count, 0);
    scene_free(&scene);
}

static void a_case_worse_in_all_is_noted_for_each_and_nothing_twice(void **state)
{
    struct scene scene;
    scene_make(&scene);
    slower(&scene, 1, 2);
    compare_as(&scene, "baseline", KG_CHANGE_REGRESSION);
    scene.current.cases[1].memory.peak_bytes *= 2;
    scene.metrics[1][0] = (struct kg_metric){.name = "peak_memory",
                                             .against = "baseline",
                                             .change = KG_CHANGE_REGRESSION,
                                             .baseline = 1 << 20,
                                             .current = 2 << 20};
    find(&scene, true);
    assert_non_null(strstr(notes_of(&scene, 1), "instructions rose"));
    assert_non_null(strstr(notes_of(&scene, 1), "; peak memory rose"));
    assert_null(strstr(strstr(notes_of(&scene, 1), "memory rose") + 1, "memory rose"));
    scene_free(&scene);
}

static void a_figure_of_the_workloads_own_has_the_reasons_of_its_time(void **state)
{
    struct scene scene;
    scene_make(&scene);
    slower(&scene, 1, 2);
    compare_as(&scene, "baseline", KG_CHANGE_NO_CHANGE);
    for (size_t i = 0; i < CASES; i++) {
        scene.metrics[i][0].name = "misses";
        scene.metrics[i][0].change = KG_CHANGE_REGRESSION;
    }
    find(&scene, true);
    assert_string_equal(notes_of(&scene, 0), "");
    assert_non_null(strstr(notes_of(&scene, 1), "instructions rose"));
    scene_free(&scene);
}

static void slower_than_a_pin_alone_is_held_against_the_pin(void **state)
{
    struct scene scene;
    struct kg_baseline_run *runs;
    scene_make(&scene);
    for (size_t i = 0; i < CASES; i++)
        slower(&scene, i, 1.5);
    runs = kg_arena_alloc(&scene.baseline.arena, 2, sizeof *runs);
    assert_non_null(runs);
    runs[0] = scene.baseline.runs[0];
    runs[0].pin = "v1";
    kg_baseline_run_make(&scene.baseline.arena, &scene.current, &runs[1]);
    scene.baseline.runs = runs;
    scene.baseline.run_count = 2;
    find(&scene, false); /* the newest ordinary run is as slow */
    assert_int_equal(scene.suggestions.change_count, 0);
    compare_as(&scene, "pin v1", KG_CHANGE_REGRESSION);
    find(&scene, true);
    assert_int_equal(scene.suggestions.change_count, CASES);
    compare_as(&scene, "pin v2", KG_CHANGE_REGRESSION);
    find(&scene, true);
    assert_int_equal(scene.suggestions.change_count, 0);
    scene_free(&scene);
}

static void the_newest_ordinary_run_with_traits_is_the_one(void **state)
{
    struct scene scene;
    struct kg_baseline_run *runs;
    scene_make(&scene);
    slower(&scene, 2, 1.5);
    runs = kg_arena_alloc(&scene.baseline.arena, 3, sizeof *runs);
    assert_non_null(runs);
    runs[0] = scene.baseline.runs[0];
    kg_baseline_run_make(&scene.baseline.arena, &scene.current, &runs[1]);
    runs[1].trait_name_count = 0; /* an earlier kgate's */
    for (size_t i = 0; i < CASES; i++)
        runs[1].cases[i].trait_count = 0;
    kg_baseline_run_make(&scene.baseline.arena, &scene.current, &runs[2]);
    runs[2].suite = "another suite";
    scene.baseline.runs = runs;
    scene.baseline.run_count = 3;
    find(&scene, false);
    assert_int_equal(scene.suggestions.change_count, 1);
    scene_free(&scene);
}

/* Profile of one function, whose calls were counted or not (NaN). */
static void profile_make(struct kg_hot_site *site, double calls, double instructions,
                         struct kg_sampled *sampled)
{
    *site = (struct kg_hot_site){.place = {.function = "push"},
                                 .caller = {.function = "main"},
                                 .share = 1,
                                 .calls = calls,
                                 .instructions = instructions};
    *sampled =
        (struct kg_sampled){.source = "ptrace", .samples = 500, .sites = site, .site_count = 1};
}

/* Notes of a case whose profiles of both builds have no counts, unlike the profiles of the run and of the stored run.
 * base_code  code of the pair's base; the stored run's is "a" */
static void pair_find(struct scene *scene, const char *base_code)
{
    struct kg_hot_site stored, own, base_site, head_site;
    struct kg_results base, head;
    results_make(&base);
    results_make(&head);
    slower(scene, 1, 8);
    profile_make(&stored, 1000, 1e4, &scene->baseline.runs[0].cases[1].sampled);
    scene->baseline.runs[0].cases[1].code.hash = "a";
    profile_make(&own, 1000, 2e5, &scene->current.cases[1].hot.sampled);
    profile_make(&base_site, NAN, NAN, &base.cases[1].hot.sampled);
    profile_make(&head_site, NAN, NAN, &head.cases[1].hot.sampled);
    base.cases[1].code.hash = base_code;
    const struct kg_suggest_input input = {.results = &scene->current,
                                           .baseline = &scene->baseline,
                                           .pair_base = &base,
                                           .pair_head = &head};
    for (size_t i = 0; i < CASES; i++)
        kg_traits_find(&scene->current, &scene->current.cases[i], &scene->traits[i]);
    kg_arena_free(&scene->suggestions.arena);
    kg_changes_find(&input, scene->traits, &scene->scratch, scene->slowdowns, &scene->suggestions,
                    &scene->missing);
    assert_true(isnan(head_site.calls)); /* the results keep their own profile */
    kg_results_free(&base);
    kg_results_free(&head);
}

static void profiles_of_pairs_keep_the_counts_of_the_profiles_that_they_replace(void **state)
{
    struct scene scene;
    scene_make(&scene);
    pair_find(&scene, "a");
    assert_non_null(strstr(notes_of(&scene, 1), "called 1000 times on both sides, each executes "
                                                "20.0 times as many instructions"));
    pair_find(&scene, NULL);
    assert_non_null(strstr(notes_of(&scene, 1), "on both sides"));
    pair_find(&scene, "b"); /* the stored run counted another build */
    assert_non_null(strstr(notes_of(&scene, 1), "push"));
    assert_null(strstr(notes_of(&scene, 1), "on both sides"));
    scene_free(&scene);
}

/* The profile of unchanged code is kept from run to run: it shows no difference. */
static void profile_that_was_kept_is_not_compared_with_itself(void **state)
{
    struct kg_hot_site sites[2] = {{.place = {.function = "push"}, .share = 0.6, .calls = NAN},
                                   {.place = {.function = "pop"}, .share = 0.4, .calls = NAN}};
    const struct kg_sampled sampled = {
        .source = "ptrace", .samples = 500, .sites = sites, .site_count = 2};
    struct scene scene;
    (void)state;
    scene_make(&scene);
    slower(&scene, 1, 8);
    scene.baseline.runs[0].cases[1].sampled = scene.current.cases[1].hot.sampled = sampled;
    scene.baseline.runs[0].cases[1].code.hash = scene.current.cases[1].code.hash = "a";
    find(&scene, false);
    assert_null(strstr(notes_of(&scene, 1), "push"));
    assert_int_equal(scene.suggestions.difference_count, 0);
    scene.current.cases[1].hot.sampled.samples = 480;
    find(&scene, false);
    assert_non_null(strstr(notes_of(&scene, 1), "push"));
    assert_int_equal(scene.suggestions.difference_count, 1);
    scene_free(&scene);
}

/* Expected reasons without a comparison, and with one that has a regression. */
static void missing_is(struct scene *scene, const char *alone, const char *compared)
{
    find(scene, false);
    if (!alone != !scene->missing || (alone && strcmp(alone, scene->missing) != 0))
        fail_msg("'%s', expected '%s'", scene->missing ? scene->missing : "", alone);
    assert_int_equal(scene->suggestions.change_count, 0);
    compare_as(scene, "baseline", KG_CHANGE_NO_CHANGE);
    scene->comparison.counts.of[KG_CHANGE_REGRESSION] = 1;
    find(scene, true);
    if (!compared != !scene->missing || (compared && strcmp(compared, scene->missing) != 0))
        fail_msg("'%s', expected '%s'", scene->missing ? scene->missing : "", compared);
}

static void what_cannot_be_held_against_the_baseline_gives_the_reason(void **state)
{
    static const char old[] = "its runs were stored without evidence, by an older kgate";
    struct scene scene;
    scene_make(&scene);
    missing_is(&scene, NULL, NULL);
    for (size_t i = 0; i < CASES; i++)
        scene.current.cases[i].definition_hash = "fedcba9876543210";
    missing_is(&scene, "it has no run of these cases in their current definition", NULL);
    scene.baseline.runs[0].trait_name_count = 0;
    missing_is(&scene, old, old);
    scene.comparison.counts.of[KG_CHANGE_REGRESSION] = 0;
    find(&scene, true);
    assert_null(scene.missing);
    scene.baseline.runs[0].suite = "another suite";
    missing_is(&scene, "it has no run of the suite 'suite'", NULL);
    scene.baseline.fingerprint = "another machine";
    missing_is(&scene, "it belongs to another machine, 'another machine'", NULL);
    scene.baseline.run_count = 0;
    missing_is(&scene, "it has no runs", NULL);
    scene_free(&scene);
}

static void a_comparison_of_another_file_does_no_harm(void **state)
{
    struct kg_case_change many[3 * CASES];
    struct scene scene;
    scene_make(&scene);
    for (size_t i = 0; i < CASES; i++)
        slower(&scene, i, 1.5);
    compare_as(&scene, "baseline", KG_CHANGE_REGRESSION);
    for (size_t i = 0; i < 3 * CASES; i++)
        many[i] = scene.changes[0];
    many[1].order = 77;
    many[2].id = "someone/cpu";
    scene.comparison.cases = many;
    scene.comparison.case_count = 3 * CASES;
    find(&scene, true);
    assert_true(scene.suggestions.change_count <= CASES * 4);
    scene_free(&scene);
}

static void without_results_or_baseline_there_is_nothing(void **state)
{
    struct scene scene;
    struct kg_suggest_input input = {0};
    scene_make(&scene);
    input.baseline = &scene.baseline;
    kg_changes_find(&input, scene.traits, &scene.scratch, scene.slowdowns, &scene.suggestions,
                    &scene.missing);
    input = (struct kg_suggest_input){.results = &scene.current};
    kg_changes_find(&input, scene.traits, &scene.scratch, scene.slowdowns, &scene.suggestions,
                    &scene.missing);
    assert_int_equal(scene.suggestions.change_count, 0);
    scene_free(&scene);
}

/* Expects "instructions rose … a call: " with this ending. */
static void note_ends(const struct scene *scene, const char *ending)
{
    assert_int_equal(scene->suggestions.change_count, 1);
    const char *text = scene->suggestions.changes[0].text;
    const size_t length = strlen(text), most = strlen(ending);
    if (length < most || strcmp(text + length - most, ending) != 0)
        fail_msg("noted '%s', expected it to end with '%s'", text, ending);
}

static void another_environment_is_noted_where_the_code_may_be_the_same(void **state)
{
    struct kg_pair before = {"LC_ALL", "C"}, now = {"LC_ALL", "C.UTF-8"};
    const char *own[] = {"LC_ALL"};
    struct scene scene;
    scene_make(&scene);
    slower(&scene, 1, 2);
    struct kg_case_result *result = &scene.current.cases[1];
    scene.baseline.runs[0].environment = (struct kg_environment){true, &before, 1};
    scene.current.environment = (struct kg_environment){true, &now, 1};
    find(&scene, false);
    note_ends(&scene, ": LC_ALL is 'C.UTF-8' here, was 'C'");
    result->own_variables = own;
    result->own_variable_count = 1;
    find(&scene, false);
    note_ends(&scene, ": more work per call");
    result->own_variable_count = 0;
    scene.baseline.runs[0].cases[1].code.hash = "aaaaaaaaaaaaaaaa";
    result->code.hash = "bbbbbbbbbbbbbbbb";
    find(&scene, false);
    note_ends(&scene, ": more work per call");
    scene_free(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_borrowed),
        cmocka_unit_test(another_environment_is_noted_where_the_code_may_be_the_same),
        cmocka_unit_test(a_comparison_decides_where_there_is_one),
        cmocka_unit_test(what_only_looks_worse_is_noted_beyond_its_threshold),
        cmocka_unit_test(a_rise_of_memory_or_instructions_alone_is_noted),
        cmocka_unit_test(a_case_worse_in_all_is_noted_for_each_and_nothing_twice),
        cmocka_unit_test(a_figure_of_the_workloads_own_has_the_reasons_of_its_time),
        cmocka_unit_test(slower_than_a_pin_alone_is_held_against_the_pin),
        cmocka_unit_test(the_newest_ordinary_run_with_traits_is_the_one),
        cmocka_unit_test(profiles_of_pairs_keep_the_counts_of_the_profiles_that_they_replace),
        cmocka_unit_test(profile_that_was_kept_is_not_compared_with_itself),
        cmocka_unit_test(what_cannot_be_held_against_the_baseline_gives_the_reason),
        cmocka_unit_test(a_comparison_of_another_file_does_no_harm),
        cmocka_unit_test(without_results_or_baseline_there_is_nothing),
    };
    return cmocka_run_group_tests_name("changed", tests, NULL, NULL);
}
