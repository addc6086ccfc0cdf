#include "test_support.h"

#include "base/escape.h"
#include "show/progress.h"

static const uint64_t SECOND = 1000000000;

static void time_left_is_that_of_steps_like_the_last_ones(void **state)
{
    struct kg_progress_meter meter = {.started_ns = SECOND};
    uint64_t now = SECOND;
    /* eight checks of a millisecond, then rounds of a second */
    for (size_t done = 1; done <= 8; done++)
        kg_progress_note(&meter, done, now += SECOND / 1000);
    for (size_t done = 9; done <= 24; done++)
        kg_progress_note(&meter, done, now += SECOND);
    assert_true(kg_progress_left_ns(&meter, 34) == 10e9);
    kg_progress_note(&meter, 34, now + 10 * SECOND);
    assert_true(kg_progress_left_ns(&meter, 34) == 0);
}

static void nothing_is_printed_of_the_time_after_two_steps(void **state)
{
    struct kg_progress_meter meter = {.started_ns = SECOND};
    struct kg_text text = {0};
    kg_progress_note(&meter, 1, 2 * SECOND);
    kg_progress_note(&meter, 2, 3 * SECOND);
    assert_true(isnan(kg_progress_left_ns(&meter, 9)));
    kg_progress_line(&meter, 8, "gemm/cpu", &(struct kg_progress_look){4, 0, true}, &text);
    assert_string_equal(kg_text_string(&text), "#... 2/8  gemm/cpu");
    kg_text_free(&text);
}

static void measuring_that_begins_anew_is_counted_anew(void **state)
{
    struct kg_progress_meter meter = {.started_ns = SECOND};
    struct kg_text text = {0};
    for (size_t done = 1; done <= 89; done++)
        kg_progress_note(&meter, done, done * SECOND);
    kg_progress_note(&meter, 1, 90 * SECOND);
    assert_true(isnan(kg_progress_left_ns(&meter, 18)));
    kg_progress_line(&meter, 18, "gemm/cpu", &(struct kg_progress_look){9, 0, true}, &text);
    assert_string_equal(kg_text_string(&text), "......... 1/18  gemm/cpu");
    kg_text_free(&text);
}

static void time_left_is_noted_in_whole_units(void **state)
{
    static const struct {
        uint64_t step;
        const char *words;
    } rows[] = {{SECOND / 1000, "about 1 s left"},
                {6 * SECOND, "about 30 s left"},
                {18 * SECOND, "about 1 min 30 s left"},
                {1560 * SECOND, "about 2 h 10 min left"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct kg_progress_meter meter = {.started_ns = SECOND};
        struct kg_text text = {0};
        for (size_t done = 1; done <= 3; done++)
            kg_progress_note(&meter, done, done * rows[i].step);
        kg_progress_line(&meter, 8, "gemm/cpu", &(struct kg_progress_look){0, 0, true}, &text);
        assert_non_null(strstr(kg_text_string(&text), rows[i].words));
        kg_text_free(&text);
    }
}

static void a_line_is_due_now_and_then(void **state)
{
    struct kg_progress_meter meter = {.started_ns = SECOND};
    size_t lines = 0;
    for (uint64_t now = SECOND; now < 300 * SECOND; now += SECOND)
        lines += kg_progress_due(&meter, now);
    assert_int_equal(lines, 9);
}

static void a_line_fits_its_terminal(void **state)
{
    static const char id[] = "encode/lattice=D4,q=4,M=2,batch=1000000,version=fast/cpu";
    const struct kg_progress_meter meter = {.done = 3};
    for (size_t width = 20; width <= 130; width += 10) {
        struct kg_text text = {0};
        kg_progress_line(&meter, 8, id, &(struct kg_progress_look){24, width, false}, &text);
        assert_true(kg_text_width(kg_text_string(&text)) <= width);
        assert_non_null(strstr(kg_text_string(&text), "3/8"));
        if (width >= 60) /* ids differ at their ends */
            assert_non_null(strstr(kg_text_string(&text), "fast/cpu"));
        kg_text_free(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(time_left_is_that_of_steps_like_the_last_ones),
        cmocka_unit_test(nothing_is_printed_of_the_time_after_two_steps),
        cmocka_unit_test(measuring_that_begins_anew_is_counted_anew),
        cmocka_unit_test(time_left_is_noted_in_whole_units),
        cmocka_unit_test(a_line_is_due_now_and_then),
        cmocka_unit_test(a_line_fits_its_terminal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
