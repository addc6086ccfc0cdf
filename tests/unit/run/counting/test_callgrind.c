/* Callgrind's files and Callgrind's options. */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "run/counting/callgrind.h"
#include "test_support.h"

static char *folder;

static int begin(void **state)
{
    folder = support_folder();
    return 0;
}

static int end(void **state)
{
    support_remove(folder);
    return 0;
}

static const char *file_make(const char *name, const char *text)
{
    static char path[256];
    struct kg_error err;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_true(kg_file_write(path, text, strlen(text), &err));
    return path;
}

static const char plain[] = "version: 1\n"
                            "creator: callgrind-3.19.0\n"
                            "desc: Timerange: Basic block 0 - 100\n"
                            "positions: line\n"
                            "events: Ir\n"
                            "summary: 999\n"
                            "fn=(1) run\n"
                            "5 1000\n"
                            "totals: 1234\n";

#define CACHES                                                                                     \
    "desc: I1 cache: 32768 B, 64 B, 8-way associative\n"                                           \
    "desc: D1 cache: 49152 B, 32 B, 12-way associative\n"                                          \
    "desc: LL cache: 33554432 B, 128 B, 16-way associative\n"

static void instructions_are_read_and_lines_are_not_there(void **state)
{
    const struct kg_counts counts = kg_callgrind_read(file_make("1", plain));
    assert_true(counts.instructions == 1234);
    assert_true(isnan(counts.line_bytes) && isnan(counts.memory_line_bytes));
}

static void misses_are_lines_of_the_size_that_the_file_has(void **state)
{
    const struct kg_counts counts = kg_callgrind_read(
        file_make("1", CACHES "events: Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw ILdmr DLdmr DLdmw\n"
                              "totals: 1000 300 200 99 10 7 88 5 3 1 2 4\n"));
    assert_true(counts.instructions == 1000);
    assert_true(counts.line_bytes == 17 * 32);
    assert_true(counts.memory_line_bytes == (5 + 3 + 1 + 2 + 4) * 128);
}

static void zeros_at_the_end_of_a_line_may_be_missing(void **state)
{
    const struct kg_counts counts = kg_callgrind_read(file_make(
        "1", CACHES "events: Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw\ntotals: 1000 300 200 2 10\n"));
    assert_true(counts.line_bytes == 10 * 32 && counts.memory_line_bytes == 0);
}

static void events_may_be_in_any_order(void **state)
{
    const struct kg_counts counts = kg_callgrind_read(
        file_make("1", CACHES "events: D1mw DLmr Bc D1mr Ir DLmw\ntotals: 1 2 50 3 100 4\n"));
    assert_true(counts.instructions == 100);
    assert_true(counts.line_bytes == 4 * 32 && counts.memory_line_bytes == 6 * 128);
}

static void what_is_no_file_of_callgrinds_counts_nothing(void **state)
{
    static const char *const texts[] = {"", "totals: 5\n", "events: \ntotals: 5\n", "events: Ir\n",
                                        "events: X Y\ntotals: 1 2\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!isnan(kg_callgrind_read(file_make("1", texts[i])).instructions))
            fail_msg("'%s' counted something", texts[i]);
    assert_true(isnan(kg_callgrind_read("/nowhere/1").instructions));
}

static void more_events_than_there_are_do_no_harm(void **state)
{
    struct kg_text text = {0};
    kg_text_append(&text, "events: Ir");
    for (int i = 0; i < 100; i++)
        kg_text_append(&text, " E");
    kg_text_append(&text, "\ntotals: 7");
    for (int i = 0; i < 100; i++)
        kg_text_append(&text, " 1");
    kg_text_append(&text, "\n");
    assert_true(kg_callgrind_read(file_make("1", kg_text_string(&text))).instructions == 7);
    kg_text_free(&text);
}

static void a_folder_is_summed_and_emptied(void **state)
{
    for (int asked_for = 0; asked_for < 2; asked_for++) {
        file_make("100", plain);
        file_make("101", plain);
        file_make("100.1", "events: Ir\ntotals: 10\n");
        const double expected = asked_for ? 10 : 2 * 1234;
        assert_true(kg_callgrind_take(folder, asked_for).instructions == expected);
        assert_true(isnan(kg_callgrind_take(folder, asked_for).instructions));
    }
}

static void the_last_level_has_a_power_of_two_of_sets(void **state)
{
    static const double sizes[] = {65536,    1 << 20,  1.25 * (1 << 20), 33554432, 34603008,
                                   25165824, 31457280, 268435456,        402653184};
    char text[64];
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        unsigned long long bytes, ways;
        int line;
        kg_callgrind_last_level(sizes[i], text, sizeof text);
        if (sscanf(text, "--LL=%llu,%llu,%d", &bytes, &ways, &line) != 3)
            fail_msg("%g bytes: '%s'", sizes[i], text);
        const unsigned long long sets = bytes / ways / (unsigned)line;
        if (sets * ways * (unsigned)line != bytes || (sets & (sets - 1)) != 0 || ways < 8 ||
            fabs((double)bytes / sizes[i] - 1) > 0.07)
            fail_msg("%g bytes: '%s'", sizes[i], text);
    }
}

static void what_is_no_size_leaves_the_last_level_as_it_is(void **state)
{
    static const double sizes[] = {NAN, INFINITY, -INFINITY, 0, -1, 5000, 1e15};
    char text[64];
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        kg_callgrind_last_level(sizes[i], text, sizeof text);
        assert_string_equal(text, "");
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(instructions_are_read_and_lines_are_not_there),
        TEST(misses_are_lines_of_the_size_that_the_file_has),
        TEST(zeros_at_the_end_of_a_line_may_be_missing),
        TEST(events_may_be_in_any_order),
        TEST(what_is_no_file_of_callgrinds_counts_nothing),
        TEST(more_events_than_there_are_do_no_harm),
        TEST(a_folder_is_summed_and_emptied),
        TEST(the_last_level_has_a_power_of_two_of_sets),
        TEST(what_is_no_size_leaves_the_last_level_as_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
