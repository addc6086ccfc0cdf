/* Times of kgate's files as seconds, and back. */
#include "model/results.h"
#include "test_support.h"

static void seconds_and_text_are_inverse(void **unused)
{
    static const char *const times[] = {"1970-01-01T00:00:00Z", "2026-02-28T23:59:59Z",
                                        "1969-12-31T23:59:59Z"};
    static const int64_t seconds[] = {0, 1772323199, -1};
    char text[KG_TIMESTAMP_BYTES];
    (void)unused;
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        assert_int_equal(kg_timestamp_seconds(times[i]), seconds[i]);
        kg_timestamp_format(seconds[i], text);
        assert_string_equal(text, times[i]);
    }
}

static void a_text_that_is_no_time_has_no_seconds(void **unused)
{
    static const char *const texts[] = {"", "2026", "2026-01-01T00:00:00", "2026-01-01T00:00:00Zx"};
    (void)unused;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_true(kg_timestamp_seconds(texts[i]) == INT64_MIN);
}

static void a_time_beyond_all_calendars_is_empty(void **unused)
{
    char text[KG_TIMESTAMP_BYTES] = "x";
    (void)unused;
    kg_timestamp_format(INT64_MAX, text);
    assert_string_equal(text, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(seconds_and_text_are_inverse),
        cmocka_unit_test(a_text_that_is_no_time_has_no_seconds),
        cmocka_unit_test(a_time_beyond_all_calendars_is_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
