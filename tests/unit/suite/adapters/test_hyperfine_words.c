/* The words of a hyperfine command: its benchmarks, and one of them alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "suite/adapters/adapter.h"

enum { WORDS_MOST = 24 };

static size_t count_of(const char *const words[WORDS_MOST])
{
    size_t count = 0;
    while (count < WORDS_MOST && words[count])
        count++;
    return count;
}

static void joined(const char *const *words, size_t count, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < count; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? "|" : "", words[i]);
    assert_true(used < size);
}

static void names_are_those_of_hyperfine(void **state)
{
    /* what hyperfine 1.15 exports of the same words */
    static const struct {
        const char *words[WORDS_MOST], *names;
    } rows[] = {
        {{"hyperfine", "a b", "c"}, "a b|c"},
        {{"hyperfine", "-n", "x", "a", "b"}, "x|b"},
        {{"hyperfine", "-iNw3", "-r", "5", "--style=none", "--", "-a"}, "-a"},
        {{"hyperfine", "-L", "x", "1,2", "-L", "y", "a\\,b,c", "echo {x} {y} a", "e {x}{y}"},
         "echo 1 a,b a|e 1a,b|echo 2 a,b a|e 2a,b|echo 1 c a|e 1c|echo 2 c a|e 2c"},
        {{"hyperfine", "-P", "x", "1", "2", "-D", "0.5", "echo {x} a", "echo {x} b"},
         "echo 1 a|echo 1 b|echo 1.5 a|echo 1.5 b|echo 2.0 a|echo 2.0 b"},
        {{"hyperfine", "-P", "x", "-1", "1", "echo {x}"}, "echo -1|echo 0|echo 1"},
        {{"hyperfine", "-P", "x", ".5", "1.50", "-D", ".5", "{x}"}, "0.5|1.0|1.5"},
        {{"hyperfine", "-L", "x", "1,2", "-n", "N {x} {z}", "e {x}"}, "N 1 {z}|N 2 {z}"},
        {{"hyperfine", "-L", "x", "1,2", "-n", "a", "-n", "b", "e {x}"}, "a|b"},
        {{"hyperfine", "-L", "x", "{y},2", "-L", "y", "3", "e {x} {y}"}, "e {y} 3|e 2 3"},
    };
    const struct kg_adapter *adapter = kg_adapter_find("hyperfine");
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct kg_arena arena = {0};
        struct kg_foreign_names names = {0};
        struct kg_error err = {0};
        char text[500];
        if (!adapter->list(&arena, rows[i].words, count_of(rows[i].words), NULL, &names, &err))
            fail_msg("row %zu: %s", i, err.message);
        joined(names.at, names.count, text, sizeof text);
        assert_string_equal(text, rows[i].names);
        kg_arena_free(&arena);
    }
}

static void one_benchmark_keeps_what_concerns_it(void **state)
{
    static const struct {
        const char *words[WORDS_MOST], *name, *alone;
    } rows[] = {
        {{"hyperfine", "a", "b"},
         "b",
         "hyperfine|--min-benchmarking-time=0.002500000|--min-runs=1|--export-json=f|--|b"},
        {{"hyperfine", "-N", "-r5", "-s", "make", "-p", "x", "-p", "y", "--", "a", "-b"},
         "-b",
         "hyperfine|-N|--runs=5|--setup=make|--prepare=y|--export-json=f|--|-b"},
        {{"hyperfine", "-m", "3", "-p", "x", "a", "b"},
         "a",
         "hyperfine|--min-runs=3|--prepare=x|--min-benchmarking-time=0.002500000|--export-json=f|--"
         "|a"},
        {{"hyperfine", "--min-benchmarking-time=9", "-M", "4", "a"},
         "a",
         "hyperfine|--min-benchmarking-time=9|--max-runs=4|--min-runs=1|--export-json=f|--|a"},
        {{"hyperfine", "-r", "1", "-L", "x", "a\\,b\\\\,c", "-n", "N {x}", "e {x}"},
         "N a,b\\",
         "hyperfine|--runs=1|--parameter-list|x|a\\,b\\\\|--command-name=N "
         "{x}|--export-json=f|--|e {x}"},
        {{"hyperfine", "-r", "1", "-P", "x", "1", "2", "-D", "0.5", "--ignore-failure=1,2", "e {x}",
          "g"},
         "e 1.5",
         "hyperfine|--runs=1|--ignore-failure=1,2|--parameter-list|x|1.5|--export-json=f|--|e {x}"},
    };
    const struct kg_adapter *adapter = kg_adapter_find("hyperfine");
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct kg_arena arena = {0};
        struct kg_error err = {0};
        const struct kg_foreign_run run = {.name = rows[i].name, .file = "f", .min_time_ns = 2.5e6};
        const char **words = (const char **)(uintptr_t)rows[i].words;
        size_t count = count_of(rows[i].words);
        char text[500];
        if (!adapter->run_words(&arena, &run, &words, &count, &err))
            fail_msg("row %zu: %s", i, err.message);
        assert_null(words[count]);
        joined(words, count, text, sizeof text);
        assert_string_equal(text, rows[i].alone);
        kg_arena_free(&arena);
    }
}

static void what_cannot_be_measured_is_said(void **state)
{
    static const struct {
        const char *words[WORDS_MOST], *why;
    } rows[] = {
        {{"hyperfine", "-N"}, "no command"},
        {{"hyperfine", "--export-json", "x", "a"}, "'--export-json' is what kgate gives"},
        {{"hyperfine", "--reference", "x", "a"}, "'--reference' makes a benchmark"},
        {{"hyperfine", "--frobnicate", "a"}, "does not know hyperfine's option '--frobnicate'"},
        {{"hyperfine", "-Nz", "a"}, "does not know hyperfine's option '-Nz'"},
        {{"hyperfine", "a", "-r"}, "'-r' lacks a value"},
        {{"hyperfine", "a", "a"}, "two of hyperfine's benchmarks are called 'a'"},
        {{"hyperfine", "-L", "x", "1,2", "a"}, "two of hyperfine's benchmarks are called 'a'"},
        {{"hyperfine", "-n", "x", "-n", "y", "a"}, "'--command-name' is given 2 times"},
        {{"hyperfine", "-p", "x", "-p", "y", "a"}, "'--prepare' is given 2 times"},
        {{"hyperfine", "-P", "x", "3", "1", "{x}"}, "is empty or too large"},
        {{"hyperfine", "-P", "x", "1", "99999999", "{x}"}, "is empty or too large"},
        {{"hyperfine", "-P", "x", "999999999999999", "1", "-D", "0.00000000000001", "{x}"},
         "is empty or too large"},
        {{"hyperfine", "-P", "x", "0.1", "1", "{x}"}, "needs a '--parameter-step-size'"},
        {{"hyperfine", "-P", "x", "1", "z", "{x}"}, "must be of plain numbers"},
        {{"hyperfine", "-P", "x", "1", "2", "-D", "0", "{x}"}, "must be of plain numbers"},
        {{"hyperfine", "-D", "2", "a"}, "without '--parameter-scan'"},
        {{"hyperfine", "-L", "y", "1,2", "-P", "x", "1", "2", "{x}{y}"}, "not both"},
    };
    const struct kg_adapter *adapter = kg_adapter_find("hyperfine");
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct kg_arena arena = {0};
        struct kg_foreign_names names = {0};
        struct kg_error err = {0};
        if (adapter->list(&arena, rows[i].words, count_of(rows[i].words), NULL, &names, &err))
            fail_msg("row %zu: not refused", i);
        if (!strstr(err.message, rows[i].why))
            fail_msg("row %zu: '%s' does not say '%s'", i, err.message, rows[i].why);
        kg_arena_free(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_those_of_hyperfine),
        cmocka_unit_test(one_benchmark_keeps_what_concerns_it),
        cmocka_unit_test(what_cannot_be_measured_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
