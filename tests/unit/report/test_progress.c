#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "report/progress.h"

static const uint64_t SECOND = 1000000000;

static void time_left_is_that_of_steps_like_the_last_ones(void **state)
{
    struct kg_progress_meter meter = {.started_ns = SECOND};
    uint64_t now = SECOND;
    (void)state;
    /* eight checks of a millisecond, then rounds of a second */
    for (size_t done = 1; done <= 8; done++)
        kg_progress_note(&meter, done, now += SECOND / 1000);
    for (size_t done = 9; done <= 24; done++)
        kg_progress_note(&meter, done, now += SECOND);
    assert_true(kg_progress_left_ns(&meter, 34) == 10e9);
    kg_progress_note(&meter, 34, now + 10 * SECOND);
    assert_true(kg_progress_left_ns(&meter, 34) == 0);
}

static void nothing_is_said_of_the_time_after_two_steps(void **state)
{
    struct kg_progress_meter meter = {.started_ns = SECOND};
    struct kg_text text = {0};
    (void)state;
    kg_progress_note(&meter, 1, 2 * SECOND);
    kg_progress_note(&meter, 2, 3 * SECOND);
    assert_true(isnan(kg_progress_left_ns(&meter, 9)));
    kg_progress_line(&meter, 8, "gemm/cpu", 4, true, &text);
    assert_string_equal(kg_text_string(&text), "#... 2/8  gemm/cpu");
    kg_text_free(&text);
}

static void a_line_is_due_now_and_then(void **state)
{
    struct kg_progress_meter meter = {.started_ns = SECOND};
    size_t lines = 0;
    (void)state;
    for (uint64_t now = SECOND; now < 300 * SECOND; now += SECOND)
        lines += kg_progress_due(&meter, now);
    assert_int_equal(lines, 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(time_left_is_that_of_steps_like_the_last_ones),
        cmocka_unit_test(nothing_is_said_of_the_time_after_two_steps),
        cmocka_unit_test(a_line_is_due_now_and_then),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
