/* Names and dates of other harnesses, and how a Google Benchmark program is asked for one benchmark. */
#include "test_support.h"

#include "suite/adapters/adapter.h"

static void a_name_is_a_value_and_comes_back(void **state)
{
    static const struct {
        const char *name, *value;
    } rows[] = {{"BM_copy/8", "BM_copy/8"},
                {"BM_pair<int, double>", "BM_pair<int%2C double>"},
                {"a=b%2C\tc\x7f", "a%3Db%252C%09c%7F"},
                {"", ""}};
    struct kg_arena arena = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *value = kg_foreign_name_escape(&arena, rows[i].name);
        assert_string_equal(value, rows[i].value);
        assert_string_equal(kg_foreign_name_restore(&arena, value), rows[i].name);
    }
    /* names without escapes stay unchanged */
    assert_string_equal(kg_foreign_name_restore(&arena, "100%"), "100%");
    assert_string_equal(kg_foreign_name_restore(&arena, "%zz%4"), "%zz%4");
    kg_arena_free(&arena);
}

static void dates_are_in_utc(void **state)
{
    static const struct {
        const char *text, *date;
    } rows[] = {{"2026-11-23T02:18:42+00:00", "2026-11-23T02:18:42Z"},
                {"2026-11-23T02:18:42+01:30", "2026-11-23T00:48:42Z"},
                {"2026-11-23T02:18:42-0730", "2026-11-23T09:48:42Z"},
                {"2026-11-23T02:18:42.123456", "2026-11-23T02:18:42Z"},
                {"2026-11-23T02:18:42.5Z", "2026-11-23T02:18:42Z"},
                {"yesterday", NULL},
                {NULL, NULL}};
    struct kg_arena arena = {0};
    bool good = true;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *date = kg_foreign_date(&arena, rows[i].text);
        if (rows[i].date)
            assert_string_equal(date, rows[i].date);
        else
            assert_null(date);
    }
    assert_true(good);
    kg_arena_free(&arena);
}

static void the_filter_matches_one_name_alone(void **state)
{
    const struct kg_adapter *adapter = kg_adapter_find("google-benchmark");
    const struct kg_foreign_run run = {.name = "BM<a*>/x.y|(1)", .file = "f", .min_time_ns = 2.5e6};
    const char *program = "./bench", **words = &program;
    struct kg_arena arena = {0};
    struct kg_error err = {0};
    size_t count = 1;
    assert_non_null(adapter);
    assert_true(adapter->run_words(&arena, &run, &words, &count, &err));
    assert_int_equal(count, 5);
    assert_string_equal(words[1], "--benchmark_filter=^BM<a\\*>/x\\.y\\|\\(1\\)$");
    assert_string_equal(words[2], "--benchmark_out=f");
    assert_string_equal(words[4], "--benchmark_min_time=0.002500000");
    kg_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_is_a_value_and_comes_back),
        cmocka_unit_test(dates_are_in_utc),
        cmocka_unit_test(the_filter_matches_one_name_alone),
    };
    return cmocka_run_group_tests_name("adapter", tests, NULL, NULL);
}
