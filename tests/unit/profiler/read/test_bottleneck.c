/* A report's explanation of a case's time. */
#include "profiler/read/bottleneck.h"
#include "profiler/read/components.h"
#include "test_support.h"

enum { ROWS_MOST = 64 };

/* A profile by hand: rows as kg_profile_read orders them. */
struct scene {
    struct kg_profile profile;
    struct kg_profile_row rows[ROWS_MOST];
    struct kg_profile_process process;
};

/* Adds a row `depth` levels deep. Its own time, and the time of all rows around it, grow by
 * `self_ns`. */
static struct kg_profile_row *add(struct scene *scene, size_t depth, const char *name,
                                  double self_ns)
{
    const size_t row = scene->profile.row_count++;
    size_t parent = row;
    assert_true(row < ROWS_MOST);
    if (depth)
        for (parent = row - 1; scene->rows[parent].path.depth >= depth;)
            parent = scene->rows[parent].path.parent;
    scene->profile.rows = scene->rows;
    scene->rows[row] = (struct kg_profile_row){
        .path = {.name = name, .parent = parent, .depth = depth, .device = "cpu"},
        .figures = {.calls = 1, .self_ns = self_ns, .cpu_ns = NAN}};
    for (size_t at = row;; at = scene->rows[at].path.parent) {
        scene->rows[at].figures.total_ns += self_ns;
        if (scene->rows[at].path.parent == at)
            return &scene->rows[row];
    }
}

static void expect_text(const struct scene *scene, const char *expected)
{
    struct kg_text text = {0};
    kg_profile_bottlenecks(&scene->profile, &text);
    assert_false(text.failed);
    assert_string_equal(kg_text_string(&text), expected);
    kg_text_free(&text);
}

static void the_scope_with_most_time_of_its_own_is_named(void **state)
{
    struct scene scene = {0};
    add(&scene, 0, "attention/cpu", 20);
    add(&scene, 1, "qkv_projection", 50);
    add(&scene, 1, "scores", 610);
    add(&scene, 1, "softmax", 220);
    add(&scene, 1, "output_projection", 100);
    expect_text(&scene, "bottleneck of attention/cpu: scores, 61 % of its time (softmax 22 %)\n");
}

static void a_flat_recording_has_one_bottleneck(void **state)
{
    struct scene scene = {0};
    add(&scene, 0, "search", 600);
    add(&scene, 0, "multiply", 250);
    add(&scene, 0, "(profiler)", 150)->path.kind = KGATE_SCOPE_PROFILER;
    expect_text(&scene, "bottleneck: search, 60 % of the time of all scopes (multiply 25 %)\n");
    scene.rows[0].figures.total_ns = 90;
    scene.rows[1].figures.total_ns = 80;
    scene.rows[2].figures.total_ns = 400;
    expect_text(&scene, "bottleneck: none: no scope has 20 % of the time of all scopes\n");
}

/* The share of the busiest thread says nothing about the sum over all threads. */
static void a_flat_recording_of_threads_has_shares_of_their_sum(void **state)
{
    struct scene scene = {0};
    (void)state;
    add(&scene, 0, "work", 600)->figures.share = 1;
    add(&scene, 0, "io", 400)->figures.share = 0.96;
    expect_text(&scene, "bottleneck: work, 60 % of the time of all scopes (io 40 %)\n");
}

static void components_of_threads_share_their_sum(void **state)
{
    struct kg_profile_name names[] = {
        {.name = "work", .figures = {.calls = 1, .total_ns = 600, .share = 1}},
        {.name = "io", .figures = {.calls = 1, .total_ns = 400, .share = 0.96}}};
    const struct kg_profile profile = {.names = names, .name_count = 2};
    struct kg_components *all;
    struct kg_arena arena = {0};
    (void)state;
    assert_true(kg_components_flat(&arena, &profile, &all));
    assert_float_equal(all->components[0].share, 0.6, 1e-9);
    assert_float_equal(all->components[1].share, 0.4, 1e-9);
    kg_arena_free(&arena);
}

static void two_scopes_of_a_flat_recording_may_be_too_close(void **state)
{
    struct scene scene = {0};
    (void)state;
    add(&scene, 0, "search", 310);
    add(&scene, 0, "multiply", 300);
    add(&scene, 0, "rest", 190);
    add(&scene, 0, "other", 200);
    expect_text(&scene, "bottleneck: search or multiply, 31 and 30 % of the time of all scopes: "
                        "too close to tell apart\n");
}

static void a_scope_with_others_inside_is_meant_without_them(void **state)
{
    struct scene scene = {0};
    add(&scene, 0, "frame", 150);
    add(&scene, 1, "blur", 550);
    add(&scene, 2, "blur_across", 160);
    add(&scene, 2, "blur_along", 140);
    expect_text(
        &scene,
        "bottleneck of frame: blur itself, 55 % of its time (blur_across 16 %, 15 % outside "
        "its inner scopes)\n");
}

static void a_name_that_stands_in_several_places_is_given_with_its_path(void **state)
{
    struct scene scene = {0};
    add(&scene, 0, "case/cpu", 0);
    add(&scene, 1, "hidden", 0);
    add(&scene, 2, "multiply", 700);
    add(&scene, 1, "output", 0);
    add(&scene, 2, "a", 0);
    add(&scene, 3, "b", 0);
    add(&scene, 4, "c", 0);
    add(&scene, 5, "multiply", 300);
    expect_text(&scene, "bottleneck of case/cpu: hidden > multiply, 70 % of its time "
                        "(… > b > c > multiply 30 %)\n");
}

/* Twelve layers: no path has a notable share, but one name has. */
static void a_name_counts_in_all_its_places_where_no_path_is_notable(void **state)
{
    struct scene scene = {0};
    add(&scene, 0, "train_step", 0);
    for (size_t i = 0; i < 6; i++) {
        add(&scene, 1, "layer", 10);
        add(&scene, 2, "attention", 100);
        add(&scene, 2, "feed_forward", 60);
    }
    expect_text(&scene, "bottleneck of train_step: attention in 6 places, 59 % of its time\n");
}

static void time_outside_all_scopes_is_noted_as_such(void **state)
{
    struct scene scene = {0};
    add(&scene, 0, "case/cpu", 740);
    add(&scene, 1, "softmax", 220);
    add(&scene, 1, "copy", 40);
    expect_text(
        &scene,
        "bottleneck of case/cpu: 74 % of its time is outside its inner scopes (softmax 22 %)\n");
}

static void time_that_is_spread_has_no_bottleneck(void **state)
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i"};
    struct scene scene = {0};
    add(&scene, 0, "case/cpu", 50);
    for (size_t i = 0; i < 9; i++)
        add(&scene, 1, names[i], i ? 100 : 150);
    expect_text(&scene, "bottleneck of case/cpu: none: no scope has 20 % of its time (a 15 "
                        "%)\n");
}

/* Neither the profiler's own pauses, nor spans, nor the outermost scopes of other threads. */
static void what_is_no_component_is_left_out(void **state)
{
    struct scene scene = {0};
    add(&scene, 0, "case/cpu", 0);
    add(&scene, 1, "(profiler)", 600)->path.kind = KGATE_SCOPE_PROFILER;
    add(&scene, 1, "multiply", 400);
    add(&scene, 0, "request", 5000)->path.span = true;
    add(&scene, 0, "multiply", 300);
    expect_text(&scene, "bottleneck of case/cpu: multiply, 40 % of its time\n");
}

static void a_case_without_scopes_notes_it_and_an_empty_recording_nothing(void **state)
{
    struct scene scene = {0};
    scene.process.label = "copy/cpu";
    scene.profile.processes = &scene.process;
    scene.profile.process_count = 1;
    add(&scene, 0, "copy/cpu", 100);
    add(&scene, 0, "worker", 90);
    expect_text(&scene,
                "bottleneck of copy/cpu: no inner scope has 1 % of its time: name its parts with "
                "kgate/profiler.h, or run `kgate explain`, which lists functions without scopes\n");
    scene.profile.row_count = 0;
    expect_text(&scene, "");
}

/* A case that only launches: 100 ns on the host for 900 ns on the device. */
static void a_case_on_the_gpu_is_judged_by_its_time_there(void **state)
{
    struct scene scene = {0};
    struct kg_profile_row *whole = add(&scene, 0, "case/cuda", 70);
    struct kg_profile_row *layer = add(&scene, 1, "layer", 10);
    struct kg_profile_row *scores = add(&scene, 2, "scores", 10);
    struct kg_profile_row *copy = add(&scene, 1, "copy", 10);
    scores->figures.gpu_ns = 500;
    layer->figures.gpu_ns = 600;
    copy->figures.transfer_ns = 300;
    whole->figures.gpu_ns = 600;
    whole->figures.transfer_ns = 300;
    expect_text(&scene,
                "bottleneck of case/cuda: scores, 56 % of its time on the GPU (copy 33 %)\n");
}

/* Its scopes ended, itself did not. */
static void a_case_that_was_still_open_has_the_time_of_what_is_inside(void **state)
{
    struct scene scene = {0};
    struct kg_profile_row *whole = add(&scene, 0, "main", 0);
    add(&scene, 1, "read", 250);
    add(&scene, 1, "solve", 750);
    whole->figures.calls = 0;
    whole->figures.total_ns = 0;
    expect_text(&scene, "bottleneck of main: solve, 75 % of its time (read 25 %)\n");
}

/* A case that kgate itself called repeatedly: `calls` per scope, with a standard deviation of
 * `deviation_ns`. */
static void called(struct scene *scene, uint64_t calls, double deviation_ns)
{
    scene->process.label = scene->rows[0].path.name;
    scene->profile.processes = &scene->process;
    scene->profile.process_count = 1;
    for (size_t i = 0; i < scene->profile.row_count; i++) {
        scene->rows[i].figures.calls = calls;
        scene->rows[i].figures.standard_deviation_ns = deviation_ns;
    }
}

static void attention_of(struct scene *scene)
{
    *scene = (struct scene){0};
    add(scene, 0, "attention/cpu", 200);
    add(scene, 1, "scores", 410);
    add(scene, 1, "softmax", 390);
}

/* A mean of 80 ns with a deviation of 26 in five calls: the totals are known to some 60 ns each. */
static void first_and_second_that_scatter_over_each_other_are_both_named(void **state)
{
    struct scene scene;
    attention_of(&scene);
    called(&scene, 5, 26);
    expect_text(
        &scene,
        "bottleneck of attention/cpu: scores or softmax, 41 and 39 % of its time: too close "
        "to tell apart in 5 calls (20 % outside its inner scopes)\n");
    attention_of(&scene);
    called(&scene, 100, 0.5);
    expect_text(&scene,
                "bottleneck of attention/cpu: scores, 41 % of its time (softmax 39 %, 20 % outside "
                "its inner scopes)\n");
}

static void a_few_calls_are_noted_as_such(void **state)
{
    struct scene scene;
    attention_of(&scene);
    called(&scene, 9, 0);
    expect_text(&scene,
                "bottleneck of attention/cpu: scores, 41 % of its time in 9 calls (softmax 39 %, "
                "20 % outside its inner scopes)\n");
    called(&scene, 1, 0);
    expect_text(&scene,
                "bottleneck of attention/cpu: scores, 41 % of its time in 1 call (softmax 39 %, "
                "20 % outside its inner scopes)\n");
}

/* A program's calls may read a small or a large file, so different times are no reason for
 * doubt. */
static void calls_of_a_program_may_differ_as_they_like(void **state)
{
    struct scene scene;
    attention_of(&scene);
    called(&scene, 5, 200);
    scene.process.label = "program";
    expect_text(&scene,
                "bottleneck of attention/cpu: scores, 41 % of its time (softmax 39 %, 20 % outside "
                "its inner scopes)\n");
}

static void only_the_slowest_cases_have_a_line(void **state)
{
    struct scene scene = {0};
    struct kg_text text = {0};
    struct kg_bottleneck *found;
    size_t count, lines = 0;
    enum { CASES = 19 };
    for (size_t i = 0; i < CASES; i++) {
        add(&scene, 0, "case\x1b[31m", 0);
        add(&scene, 1, "all", 100);
    }
    kg_profile_bottlenecks(&scene.profile, &text);
    for (const char *c = kg_text_string(&text); *c; c++)
        lines += *c == '\n';
    assert_int_equal(lines, 17);
    assert_non_null(strstr(kg_text_string(&text), "\n3 more bottlenecks are in the JSON report\n"));
    assert_null(strchr(kg_text_string(&text), '\x1b'));
    kg_text_free(&text);
    assert_true(kg_bottlenecks_find(&scene.profile, &found, &count));
    assert_int_equal(count, CASES);
    assert_int_equal(found[7].path, 14);
    assert_int_equal(found[7].component, 15);
    assert_true(found[7].share == 1);
    free(found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_scope_with_most_time_of_its_own_is_named),
        cmocka_unit_test(a_flat_recording_has_one_bottleneck),
        cmocka_unit_test(a_flat_recording_of_threads_has_shares_of_their_sum),
        cmocka_unit_test(components_of_threads_share_their_sum),
        cmocka_unit_test(two_scopes_of_a_flat_recording_may_be_too_close),
        cmocka_unit_test(a_scope_with_others_inside_is_meant_without_them),
        cmocka_unit_test(a_name_that_stands_in_several_places_is_given_with_its_path),
        cmocka_unit_test(a_name_counts_in_all_its_places_where_no_path_is_notable),
        cmocka_unit_test(time_outside_all_scopes_is_noted_as_such),
        cmocka_unit_test(time_that_is_spread_has_no_bottleneck),
        cmocka_unit_test(what_is_no_component_is_left_out),
        cmocka_unit_test(a_case_without_scopes_notes_it_and_an_empty_recording_nothing),
        cmocka_unit_test(a_case_on_the_gpu_is_judged_by_its_time_there),
        cmocka_unit_test(a_case_that_was_still_open_has_the_time_of_what_is_inside),
        cmocka_unit_test(first_and_second_that_scatter_over_each_other_are_both_named),
        cmocka_unit_test(a_few_calls_are_noted_as_such),
        cmocka_unit_test(calls_of_a_program_may_differ_as_they_like),
        cmocka_unit_test(only_the_slowest_cases_have_a_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
