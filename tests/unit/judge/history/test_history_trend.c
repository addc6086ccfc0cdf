/* Marks, levels and the user's place in the series of a history. */
#include "judge/history/history.h"
#include "test_support.h"

enum { RUNS = 20 };

static struct kg_history_run runs[RUNS];
static struct kg_history_point points[RUNS];
static char hashes[RUNS][65];
static struct kg_history_series series;
static struct kg_history_change changes[3];
static struct kg_history history;

/* Runs r0, r1, … of commits r0, r1, …: value 100, from `split` on 110. */
static int setup(void **state)
{
    (void)state;
    enum { SPLIT = 12 };
    for (size_t i = 0; i < RUNS; i++) {
        snprintf(hashes[i], sizeof hashes[i], "r%zu", i);
        runs[i] = (struct kg_history_run){.hash = hashes[i], .commit = hashes[i]};
        points[i] = (struct kg_history_point){
            .run = i, .value = (i < SPLIT ? 100 : 110) + 0.1 * (double)(i % 3)};
    }
    series = (struct kg_history_series){.id = 7, .points = points, .point_count = RUNS};
    history = (struct kg_history){
        .runs = runs, .run_count = RUNS, .series = &series, .series_count = 1, .changes = changes};
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    kg_history_free(&history);
    return 0;
}

static void change_add(const char *kind, const char *before, const char *after)
{
    changes[history.change_count++] =
        (struct kg_history_change){.series = 7, .kind = kind, .before = before, .after = after};
}

static void a_series_without_a_change_has_one_level(void **state)
{
    (void)state;
    kg_history_trends_find(&history);
    assert_int_equal(series.mark_count, 0);
    assert_int_equal(series.level_count, 1);
    assert_int_equal(series.levels[0].first, 0);
}

static void a_step_is_placed_where_two_levels_fit_best(void **state)
{
    (void)state;
    change_add("step", "r9", "r14");
    kg_history_trends_find(&history);
    assert_int_equal(series.mark_count, 1);
    assert_int_equal(series.marks[0].before, 9);
    assert_int_equal(series.marks[0].after, 14);
    assert_int_equal(series.marks[0].at, 12);
    assert_int_equal(series.level_count, 2);
    assert_int_equal(series.levels[1].first, 12);
    assert_float_equal(series.levels[0].value, 100.1, 1e-9);
    assert_float_equal(series.levels[1].value, 110.1, 1e-9);
}

static void marks_are_in_the_order_of_the_points_and_a_creep_makes_no_level(void **state)
{
    (void)state;
    change_add("creep", "r2", "r19");
    change_add("step", "r11", "r12");
    kg_history_trends_find(&history);
    assert_int_equal(series.mark_count, 2);
    assert_int_equal(series.marks[0].change, 1);
    assert_int_equal(series.marks[1].change, 0);
    assert_int_equal(series.marks[1].at, 19);
    assert_int_equal(series.level_count, 2);
}

static void removed_runs_move_a_mark_to_the_oldest_point_or_drop_it(void **state)
{
    (void)state;
    change_add("step", "gone", "r3");
    change_add("step", "r1", "gone");
    change_add("step", NULL, NULL);
    kg_history_trends_find(&history);
    assert_int_equal(series.mark_count, 1);
    assert_int_equal(series.marks[0].before, 0);
    assert_int_equal(series.marks[0].after, 3);
}

static void a_change_of_another_series_leaves_no_mark(void **state)
{
    (void)state;
    change_add("step", "r11", "r12");
    changes[0].series = 8;
    kg_history_trends_find(&history);
    assert_int_equal(series.mark_count, 0);
}

static void here_is_the_newest_point_of_the_checkout_else_the_newest_point(void **state)
{
    (void)state;
    assert_int_equal(kg_history_here(&history, &series), RUNS - 1);
    history.here = "r4";
    assert_int_equal(kg_history_here(&history, &series), 4);
    runs[6].commit = "r4";
    assert_int_equal(kg_history_here(&history, &series), 6);
    history.here = "elsewhere";
    assert_int_equal(kg_history_here(&history, &series), RUNS - 1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(a_series_without_a_change_has_one_level),
        TEST(a_step_is_placed_where_two_levels_fit_best),
        TEST(marks_are_in_the_order_of_the_points_and_a_creep_makes_no_level),
        TEST(removed_runs_move_a_mark_to_the_oldest_point_or_drop_it),
        TEST(a_change_of_another_series_leaves_no_mark),
        TEST(here_is_the_newest_point_of_the_checkout_else_the_newest_point),
    };
#undef TEST
    return cmocka_run_group_tests(tests, NULL, NULL);
}
