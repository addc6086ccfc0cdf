/* What is printed as JSON is what jansson prints of the same value, byte for byte, so that files do not
 * change with the writer; and every number comes back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_print.h"
#include "base/json_string.h"
#include "base/random.h"

enum { TRIES = 20000 };

/* Frees the JSON. */
static void expect_same(const struct kg_text *printed, json_t *json, size_t digits)
{
    char *expected = json_dumps(json, JSON_ENCODE_ANY | JSON_REAL_PRECISION(digits));
    assert_non_null(expected);
    assert_string_equal(printed->data, expected);
    free(expected);
    json_decref(json);
}

static void expect_real(double value)
{
    struct kg_text text = {0};
    char fifteen[40];
    kg_json_print_real(&text, value);
    const double back = strtod(text.data, NULL);
    if (back != value || signbit(back) != signbit(value))
        fail_msg("%.17g came back from %s", value, text.data);
    snprintf(fifteen, sizeof fifteen, "%.15g", value);
    expect_same(&text, json_real(value), strtod(fifteen, NULL) == value ? 15 : 17);
    kg_text_free(&text);
}

static void chosen_numbers_are_printed_as_by_jansson(void **state)
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
    (void)state;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        expect_real(values[i]);
        expect_real(-values[i]);
    }
}

static void random_numbers_are_printed_as_by_jansson(void **state)
{
    struct kg_random random = {1}; /* the seed */
    (void)state;
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
    (void)state;
    kg_json_print_real(&text, NAN);
    kg_json_print_real(&text, -INFINITY);
    assert_string_equal(text.data, "nullnull");
    kg_text_free(&text);
}

static void whole_numbers_are_printed_as_by_jansson(void **state)
{
    static const int64_t values[] = {0, 1, -1, 10, -10, 1234567890, INT64_MAX, INT64_MIN};
    (void)state;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        struct kg_text text = {0};
        kg_json_print_whole(&text, values[i]);
        expect_same(&text, json_integer(values[i]), 15);
        kg_text_free(&text);
    }
}

static void strings_are_printed_as_by_jansson(void **state)
{
    static const char *const strings[] = {"",
                                          "plain",
                                          "a \"word\" of \\ and /",
                                          "\b\f\n\r\t",
                                          "\x01\x1f\x7f",
                                          "größe µ",
                                          "\xe6\x99\x82",
                                          "cut \xe6\x99",
                                          "\xff\xfe",
                                          "\x80 first \"then\" \n"};
    (void)state;
    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++) {
        struct kg_text text = {0};
        kg_json_print_string(&text, strings[i]);
        expect_same(&text, kg_json_string(strings[i]), 15);
        kg_text_free(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chosen_numbers_are_printed_as_by_jansson),
        cmocka_unit_test(random_numbers_are_printed_as_by_jansson),
        cmocka_unit_test(what_is_no_number_is_null),
        cmocka_unit_test(whole_numbers_are_printed_as_by_jansson),
        cmocka_unit_test(strings_are_printed_as_by_jansson),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
