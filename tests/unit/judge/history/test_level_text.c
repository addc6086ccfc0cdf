/* States of detectors as text. */
#include "base/random.h"
#include "base/text.h"
#include "judge/history/history_detector.h"
#include "test_support.h"

/* A row after `count` runs, whose ids go up and down. */
static struct kg_level_row row_of(uint32_t count)
{
    struct kg_level_row row = {0};
    row.level.change.since = count < KG_CHANGE_WINDOW ? count : UINT64_C(1) << 40;
    row.level.change.count = count;
    row.level.before = (struct kg_prior_sum){0.1, 2, 3};
    row.level.runs = UINT64_C(1) << 33;
    row.level.within = (struct kg_prior_within){{3, 2.5, -40, 1.0 / 3, 1e-300}, 1e300};
    for (uint32_t i = 0; i < count; i++) {
        row.level.change.tail[i] = (float)i / 3;
        row.runs[i] = i % 5 == 4 ? INT32_MAX - i : 1000 + 7 * (int64_t)i;
    }
    row.past_count = (uint8_t)(count < KG_NODE_PAST ? count : KG_NODE_PAST);
    for (uint8_t i = 0; i < row.past_count; i++)
        row.past[i] = (float)i / 7;
    if (count % 2) {
        row.control_run = 1234567;
        row.control = (struct kg_control_fit){9, 1.0 / 3, 2, 1e-300, 4, -5};
    }
    row.levels.count = (uint8_t)(count < KG_CREEP_LEVELS ? count : KG_CREEP_LEVELS);
    for (uint8_t i = 0; i < row.levels.count; i++)
        row.levels.levels[i] = (struct kg_creep_level){(float)i / 11, 20000 + 15 * i, 1000 - i};
    return row;
}

static void a_row_comes_back_as_it_was(void **state)
{
    static const uint32_t counts[] = {0, 1, 2, 41, KG_CHANGE_WINDOW};
    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        const struct kg_level_row row = row_of(counts[i]);
        struct kg_level_row again;
        struct kg_text text = {0};
        kg_level_text_append(&row, &text);
        assert_true(kg_level_text_read(kg_text_string(&text), &again));
        assert_memory_equal(&row, &again, sizeof row);
        kg_text_free(&text);
    }
}

static void a_cut_or_longer_text_is_refused(void **state)
{
    struct kg_level_row again;
    struct kg_text text = {0};
    const struct kg_level_row row = row_of(9), zero = {0};
    (void)state;
    kg_level_text_append(&row, &text);
    const size_t whole = text.length;
    kg_text_append(&text, "0");
    for (size_t length = whole + 2; length-- > 0;) {
        kg_text_truncate(&text, length);
        assert_int_equal(kg_level_text_read(kg_text_string(&text), &again), length == whole);
        if (length != whole)
            assert_memory_equal(&again, &zero, sizeof zero);
    }
    kg_text_free(&text);
}

static void damaged_digits_give_a_valid_row_or_none(void **state)
{
    struct kg_random random = {.state = 7};
    struct kg_text text = {0};
    const struct kg_level_row row = row_of(20);
    (void)state;
    kg_level_text_append(&row, &text);
    for (size_t i = 0; i < 20000; i++) {
        char *digits = strdup(kg_text_string(&text));
        struct kg_level_row again;
        for (size_t j = 0; j < 3; j++)
            digits[(size_t)(kg_random_unit(&random) * (double)text.length)] =
                "0123456789abcdefgF "[(size_t)(kg_random_unit(&random) * 19)];
        if (kg_level_text_read(digits, &again))
            assert_true(kg_change_state_valid(&again.level.change));
        free(digits);
    }
    kg_text_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_comes_back_as_it_was),
        cmocka_unit_test(a_cut_or_longer_text_is_refused),
        cmocka_unit_test(damaged_digits_give_a_valid_row_or_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
