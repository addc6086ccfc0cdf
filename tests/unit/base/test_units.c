/* Quantities: accepted and refused texts, and rounding in the output. */
#include "test_support.h"

#include "base/units.h"

static void near(const char *text, double expected, double value)
{
    if (!(fabs(value - expected) <= 1e-12 * fabs(expected)))
        fail_msg("'%s' is %.17g, expected %.17g", text, value, expected);
}

static void durations_are_nanoseconds(void **state)
{
    static const struct {
        const char *text;
        double ns;
    } good[] = {{"0ns", 0},     {"50ms", 50e6},   {"50 ms", 50e6}, {"1.5us", 1500}, {"2e3s", 2e12},
                {"1min", 60e9}, {"24h", 86.4e12}, {".5s", 5e8},    {"1E-3s", 1e6},  {"0.1ns", 0.1}};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        double ns = -1;
        if (!kg_duration_parse(good[i].text, &ns))
            fail_msg("'%s' refused", good[i].text);
        near(good[i].text, good[i].ns, ns);
    }
}

static void what_is_no_duration_is_refused(void **state)
{
    static const char *const bad[] = {"",      "5",      "ms",  "-5ms",  "+5ms",   "5  ms",
                                      " 5ms",  "5ms ",   "5MS", "5m",    "nan s",  "infs",
                                      "0x5s",  "1e999s", "1e",  "5e ms", "..5s",   "1.2.3s",
                                      "5\tms", "1,5s",   ".s",  "5s\n",  "1e308h", "5 msec"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        double ns = -1;
        if (kg_duration_parse(bad[i], &ns) || ns != -1)
            fail_msg("'%s' gave %g", bad[i], ns);
    }
}

static void sizes_are_exact(void **state)
{
    static const struct {
        const char *text;
        uint64_t bytes;
    } good[] = {{"0B", 0},
                {"1KiB", 1024},
                {"1kB", 1000},
                {"1.5KiB", 1536},
                {"1.1GB", 1100000000},
                {"0.1kB", 100},
                {"64 MiB", UINT64_C(64) << 20},
                {"1e3B", 1000},
                {"2.50e1MB", 25000000},
                {"0.5KiB", 512},
                {"18446744073709551615B", UINT64_MAX},
                {"9007199254740993B", UINT64_C(9007199254740993)},
                {"00001.000B", 1},
                {"1500e-3kB", 1500},
                {"0e99999999B", 0},
                {"16777215TiB", UINT64_C(16777215) << 40}};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        uint64_t bytes = 7;
        const bool read = kg_size_parse(good[i].text, &bytes);
        if (strstr(good[i].text, "e99999999")) {
            assert_true(!read || bytes == 0);
            continue;
        }
        if (!read || bytes != good[i].bytes)
            fail_msg("'%s' is %llu", good[i].text, (unsigned long long)bytes);
    }
}

static void sizes_that_are_not_whole_or_do_not_fit_are_refused(void **state)
{
    static const char *const bad[] = {"0.1KiB",
                                      "0.5B",
                                      "1",
                                      "18446744073709551616B",
                                      "1e20B",
                                      "16777216TiB",
                                      "-1B",
                                      "1kb",
                                      "1K",
                                      "1e-1B",
                                      "1PB",
                                      "99999999999999999999TB",
                                      "1e999999999999B"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        uint64_t bytes = 7;
        if (kg_size_parse(bad[i], &bytes) || bytes != 7)
            fail_msg("'%s' gave %llu", bad[i], (unsigned long long)bytes);
    }
}

static void shares_counts_and_numbers(void **state)
{
    double share = -1, number = -1;
    uint64_t count = 7;
    assert_true(kg_share_parse("5%", &share));
    near("5%", 0.05, share);
    assert_true(kg_share_parse("0.01 %", &share));
    near("0.01 %", 0.0001, share);
    assert_false(kg_share_parse("5", &share));
    assert_false(kg_share_parse("-5%", &share));
    assert_false(kg_share_parse("%", &share));
    assert_true(kg_count_parse("18446744073709551615", &count));
    assert_true(count == UINT64_MAX);
    assert_false(kg_count_parse("18446744073709551616", &count));
    assert_false(kg_count_parse("", &count));
    assert_false(kg_count_parse("-1", &count));
    assert_false(kg_count_parse("1.0", &count));
    assert_true(kg_number_parse("-1.5e-3", &number));
    near("-1.5e-3", -0.0015, number);
    assert_true(kg_number_parse("+100e3", &number));
    near("+100e3", 100e3, number);
    static const char *const bad[] = {"", "-", "nan", "inf", "0x10", "1e999", " 1", "1 ", "--1"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        if (kg_number_parse(bad[i], &number))
            fail_msg("'%s' gave %g", bad[i], number);
}

struct written {
    char *(*write)(double value, char *buffer);
    double value;
    const char *text;
};

static void values_are_written_with_three_digits(void **state)
{
    static const struct written cases[] = {
        {kg_duration_format, 0, "0 ns"},
        {kg_duration_format, 12345, "12.3 us"},
        {kg_duration_format, 999.4, "999 ns"},
        {kg_duration_format, 999.6, "1.00 us"},
        {kg_duration_format, 9.999, "10.0 ns"},
        {kg_duration_format, 99.97, "100 ns"},
        {kg_duration_format, 1e9, "1.00 s"},
        {kg_duration_format, 90e9, "1.50 min"},
        {kg_duration_format, 86400e9, "24.0 h"},
        {kg_duration_format, 0.123, "0.123 ns"},
        {kg_duration_format, -1500, "-1.50 us"},
        {kg_duration_format, 1e300, "2.78e+287 h"},
        {kg_size_format, 512, "512 B"},
        {kg_size_format, 1536, "1.50 KiB"},
        {kg_size_format, 1610612736, "1.50 GiB"},
        {kg_size_format, 0, "0 B"},
        {kg_size_format, 1048575, "1.00 MiB"},
        {kg_rate_format, 8.42e9, "8.42 G"},
        {kg_rate_format, 0, "0"},
        {kg_rate_format, 123, "123"},
        {kg_rate_format, 999999, "1.00 M"},
        {kg_change_format, 1.2, "+20.0 %"},
        {kg_change_format, 0.5, "-50.0 %"},
        {kg_change_format, 1, "+0.0 %"},
        {kg_change_format, 0.9999, "+0.0 %"},
        {kg_change_format, 1e300, "+1e+302 %"},
    };
    char buffer[KG_UNIT_BYTES];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_string_equal(cases[i].write(cases[i].value, buffer), cases[i].text);
}

static void what_is_no_number_is_a_dash_and_all_fits(void **state)
{
    char *(*const writers[])(double, char *) = {kg_duration_format, kg_size_format, kg_rate_format,
                                                kg_change_format};
    const double values[] = {INFINITY, -INFINITY, 1.7e308, -1.7e308, 5e-324, -5e-324, 1e18};
    char buffer[KG_UNIT_BYTES];
    for (size_t w = 0; w < 4; w++) {
        assert_string_equal(writers[w](NAN, buffer), "-");
        for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
            assert_true(strlen(writers[w](values[i], buffer)) < KG_UNIT_BYTES - 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(durations_are_nanoseconds),
        cmocka_unit_test(what_is_no_duration_is_refused),
        cmocka_unit_test(sizes_are_exact),
        cmocka_unit_test(sizes_that_are_not_whole_or_do_not_fit_are_refused),
        cmocka_unit_test(shares_counts_and_numbers),
        cmocka_unit_test(values_are_written_with_three_digits),
        cmocka_unit_test(what_is_no_number_is_a_dash_and_all_fits),
    };
    return cmocka_run_group_tests_name("units", tests, NULL, NULL);
}
