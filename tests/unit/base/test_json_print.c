/* Printed JSON gives the same value when read back. Strings and layout match byte for byte, so
 * files do not change with the writer. */
#include "test_support.h"

#include "base/json_print.h"
#include "base/json_tree.h"
#include "base/random.h"

enum { TRIES = 20000 };

/* The printed text as the reader parses it. */
static const struct kg_json *read_back(const struct kg_text *printed, struct kg_arena *arena)
{
    struct kg_error err;
    const struct kg_json *json = kg_json_read("text", printed->data, printed->length, arena, &err);
    if (!json)
        fail_msg("%s: %s", printed->data, err.message);
    return json;
}

static void expect_real(double value)
{
    struct kg_text text = {0};
    struct kg_arena arena = {0};
    char fifteen[40];
    kg_json_print_real(&text, value);
    const struct kg_json *json = read_back(&text, &arena);
    const double back = kg_json_real(json);
    snprintf(fifteen, sizeof fifteen, "%.15g", value);
    const size_t digits = strtod(fifteen, NULL) == value ? 15 : 17;
    const size_t most = digits + sizeof "-0.0001e-300" - 1;
    if (!kg_json_is(json, KG_JSON_REAL) || back != value || signbit(back) != signbit(value) ||
        text.length > most)
        fail_msg("%.17g came back as %.17g from %s", value, back, text.data);
    kg_arena_free(&arena);
    kg_text_free(&text);
}

static void chosen_numbers_come_back(void **state)
{
    static const double values[] = {0,
                                    -0.0,
                                    1,
                                    -1,
                                    10,
                                    0.1,
                                    0.5,
                                    100.25,
                                    1e-4,
                                    9.99e-5,
                                    1e14,
                                    1e15,
                                    999999999999999,
                                    1e16,
                                    1e22,
                                    1e300,
                                    1e-300,
                                    5e-324,
                                    0x1p53,
                                    0x1p-1022,
                                    1.0 / 3,
                                    2e15,
                                    0.3,
                                    123.456,
                                    1e-5,
                                    1e-10,
                                    1.5e-12,
                                    99.9999999999999,
                                    1e100,
                                    0.1 + 0.2,
                                    861.4999999999999, /* 861.5 with 15 digits */
                                    1795605238.64321,
                                    72611.298,
                                    1.7976931348623157e308};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        expect_real(values[i]);
        expect_real(-values[i]);
    }
}

static void random_numbers_come_back(void **state)
{
    struct kg_random random = {1}; /* the seed */
    for (int i = 0; i < TRIES; i++) {
        const uint64_t bits = kg_random_next(&random);
        double any;
        memcpy(&any, &bits, sizeof any);
        if (isfinite(any))
            expect_real(any);
        /* of few decimal places, of many, and of a usual size */
        expect_real((double)(bits % 100000000) / 1000);
        expect_real((double)(bits % 1000000000000000) / pow(10, (double)(bits >> 60)));
        expect_real((double)(bits >> 11) / 0x1p53 * 1e6);
    }
}

static void what_is_no_number_is_null(void **state)
{
    struct kg_text text = {0};
    kg_json_print_real(&text, NAN);
    kg_json_print_real(&text, -INFINITY);
    assert_string_equal(text.data, "nullnull");
    kg_text_free(&text);
}

static void numbers_have_few_digits(void **state)
{
    static const struct {
        double value;
        const char *printed;
    } cases[] = {{0, "0.0"},           {-0.0, "-0.0"},     {1, "1.0"},
                 {100.25, "100.25"},   {0.1, "0.1"},       {1e-4, "0.0001"},
                 {9.99e-5, "9.99e-5"}, {1e15, "1e15"},     {1e300, "1e300"},
                 {1e-300, "1e-300"},   {1.5e22, "1.5e22"}, {0.1 + 0.2, "0.30000000000000004"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct kg_text text = {0};
        kg_json_print_real(&text, cases[i].value);
        assert_string_equal(text.data, cases[i].printed);
        kg_text_free(&text);
    }
}

static void whole_numbers_come_back(void **state)
{
    static const int64_t values[] = {0, 1, -1, 10, -10, 1234567890, INT64_MAX, INT64_MIN};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        struct kg_text text = {0};
        struct kg_arena arena = {0};
        kg_json_print_whole(&text, values[i]);
        assert_true(kg_json_whole(read_back(&text, &arena)) == values[i]);
        kg_arena_free(&arena);
        kg_text_free(&text);
    }
}

static void strings_are_escaped_and_other_bytes_shown(void **state)
{
    static const char *const cases[][2] = {
        {"", "\"\""},
        {"plain", "\"plain\""},
        {"a \"word\" of \\ and /", "\"a \\\"word\\\" of \\\\ and /\""},
        {"\b\f\n\r\t", "\"\\b\\f\\n\\r\\t\""},
        {"\x01\x1f\x7f", "\"\\u0001\\u001F\x7f\""},
        {"größe µ 時間", "\"größe µ 時間\""},
        {"cut \xe6\x99", "\"cut \\\\xe6\\\\x99\""},
        {"\x80 first, µ after", "\"\\\\x80 first, µ after\""}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct kg_text text = {0};
        struct kg_arena arena = {0};
        kg_json_print_string(&text, cases[i][0]);
        assert_string_equal(text.data, cases[i][1]);
        assert_non_null(kg_json_string(read_back(&text, &arena)));
        kg_arena_free(&arena);
        kg_text_free(&text);
    }
}

static void objects_and_lists_have_a_line_for_each_item(void **state)
{
    struct kg_text text = {0};
    struct kg_json_writer writer = {.text = &text};
    kg_json_begin(&writer, NULL, "{");
    kg_json_put_string(&writer, "a", NULL);
    kg_json_begin(&writer, "list", "[");
    kg_json_put_whole(&writer, NULL, 1);
    kg_json_put_bool(&writer, NULL, true);
    kg_json_finish(&writer, "]");
    kg_json_begin(&writer, "empty", "[");
    kg_json_finish(&writer, "]");
    kg_json_put_real(&writer, "b", 0.5);
    kg_json_finish(&writer, "}");
    assert_string_equal(text.data, "{\n  \"a\": null,\n  \"list\": [\n    1,\n    true\n  ],\n"
                                   "  \"empty\": [],\n  \"b\": 0.5\n}");
    kg_text_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chosen_numbers_come_back),
        cmocka_unit_test(random_numbers_come_back),
        cmocka_unit_test(what_is_no_number_is_null),
        cmocka_unit_test(numbers_have_few_digits),
        cmocka_unit_test(whole_numbers_come_back),
        cmocka_unit_test(strings_are_escaped_and_other_bytes_shown),
        cmocka_unit_test(objects_and_lists_have_a_line_for_each_item),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
