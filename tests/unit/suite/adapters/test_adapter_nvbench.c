/* The output of NVBench's --jsonlist-benches, and the options that select one of its states. */
#include "test_support.h"

#include "suite/adapters/adapter.h"

static const char *const program[] = {"./bench"};

static const char *joined(struct kg_arena *arena, const char *const *words, size_t count)
{
    const char *text = "";
    for (size_t i = 0; i < count; i++)
        text = kg_arena_printf(arena, "%s%s%s", text, i ? "|" : "", words[i]);
    return text;
}

static const char *listed(struct kg_arena *arena, const char *json, struct kg_error *err)
{
    struct kg_foreign_names names = {0};
    char *output = kg_arena_copy(arena, json);
    return kg_adapter_find("nvbench")->list(arena, program, 1, output, &names, err)
               ? joined(arena, names.at, names.count)
               : NULL;
}

static void every_state_is_listed_as_a_file_names_it(void **state)
{
    static const struct {
        const char *json, *names;
    } rows[] = {
        {"{\"benchmarks\": [{\"name\": \"plain\", \"axes\": []}, {\"name\": \"a,b\", \"axes\": "
         "[]}]}",
         "plain|a%2Cb"},
        {"{\"benchmarks\": [{\"name\": \"copy\", \"axes\": ["
         "{\"name\": \"T\", \"type\": \"type\", \"values\": [{\"input_string\": \"I32\"}]},"
         "{\"name\": \"Op\", \"type\": \"type\", \"values\": [{\"input_string\": \"+\"}, "
         "{\"input_string\": \"-\"}]},"
         "{\"name\": \"N\", \"type\": \"int64\", \"flags\": \"pow2\","
         " \"values\": [{\"input_string\": \"20\", \"value\": 1048576}]}]}]}",
         "copy,Op=+,T=I32,N=1048576|copy,Op=-,T=I32,N=1048576"},
        {"{\"benchmarks\": [{\"name\": \"f\", \"axes\": [{\"name\": \"Q\", \"type\": \"float64\","
         " \"values\": [{\"value\": 0.1}, {\"value\": 1.0}, {\"value\": 123456.75}, {\"value\": "
         "1e-7}, {\"value\": 1e20},"
         " {\"value\": -2.5}, {\"value\": 1000000.0}]}]}]}",
         "f,Q=0.1|f,Q=1|f,Q=123456.75|f,Q=1e-07|f,Q=1e+20|f,Q=-2.5|f,Q=1000000"},
        {"{\"benchmarks\": [{\"name\": \"s\", \"axes\": [{\"name\": \"M=x\", \"type\": \"string\","
         " \"values\": [{\"input_string\": \"a,b\", \"value\": \"a,b\"}]}]}]}",
         "s,M%3Dx=a%2Cb"},
        {"\n", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct kg_arena arena = {0};
        struct kg_error err = {0};
        const char *names = listed(&arena, rows[i].json, &err);
        if (!names)
            fail_msg("row %zu: %s", i, err.message);
        assert_string_equal(names, rows[i].names);
        kg_arena_free(&arena);
    }
}

static void a_list_that_is_none_is_refused(void **state)
{
    static const char *const rows[] = {
        "# Benchmarks", "{\"benchmarks\": [{}]}",
        "{\"benchmarks\": [{\"name\": \"a\", \"axes\": [{\"name\": \"N\", \"values\": []}]}]}",
        "{\"benchmarks\": [{\"name\": \"a\", \"axes\": [{}]}]}"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct kg_arena arena = {0};
        struct kg_error err = {0};
        if (listed(&arena, rows[i], &err))
            fail_msg("row %zu: taken", i);
        assert_true(err.message[0]);
        kg_arena_free(&arena);
    }
}

static const char *asked(struct kg_arena *arena, const char *const *given, size_t count,
                         const struct kg_foreign_run *run, struct kg_error *err)
{
    const char **words = (const char **)(uintptr_t)given;
    return kg_adapter_find("nvbench")->run_words(arena, run, &words, &count, err)
               ? joined(arena, words, count)
               : NULL;
}

static void one_state_is_asked_for_by_its_values(void **state)
{
    static const struct kg_pair axes[] = {
        {"T", "I32"}, {"N{io}", "1048576"}, {"Mode", "a,b"}, {"Range", "1:2"}, {"M=x", "3"}};
    static const char *const chosen[] = {"./bench", "-d", "1", "--min-time", "2"};
    const struct kg_foreign_run run = {
        .name = "copy", .axes = axes, .axis_count = 5, .file = "f", .min_time_ns = 2.5e7};
    struct kg_foreign_run mean = run;
    struct kg_arena arena = {0};
    struct kg_error err = {0};
    mean.one_file = true;
    mean.axis_count = 0;
    /* values that --axis cannot express are omitted */
    assert_string_equal(asked(&arena, program, 1, &run, &err),
                        "./bench|--benchmark|copy|--devices|0|--axis|T=I32|--axis|N{io}=1048576|"
                        "--min-time|0.025000000|--jsonbin|f");
    assert_string_equal(asked(&arena, chosen, 5, &mean, &err),
                        "./bench|-d|1|--min-time|2|--benchmark|copy|--json|f");
    kg_arena_free(&arena);
}

static void options_that_are_kgates_are_refused(void **state)
{
    static const char *const rows[] = {"-b", "--axis", "--jsonbin", "--list", "--profile"};
    const struct kg_foreign_run run = {.name = "copy", .file = "f", .min_time_ns = 1e6};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *const words[] = {"./bench", rows[i]};
        struct kg_arena arena = {0};
        struct kg_error err = {0};
        assert_null(asked(&arena, words, 2, &run, &err));
        assert_non_null(strstr(err.message, rows[i]));
        kg_arena_free(&arena);
    }
}

static void a_state_is_found_by_its_values(void **state)
{
    static const struct kg_pair half = {"Q", "0.50"}, one = {"Q", "1"}, two = {"Q", "2"};
    static const struct kg_pair *const wanted[] = {&half, &one, &two};
    struct kg_pair has[] = {{"Q", "0.5"}, {"Q", "1.0"}};
    struct kg_arena arena = {0};
    struct kg_foreign foreign = {0};
    struct kg_error err = {0};
    for (size_t i = 0; i < 2; i++) {
        struct kg_foreign_case *found = kg_foreign_case_add(&arena, &foreign, "f");
        found->params = &has[i];
        found->param_count = 1;
    }
    for (size_t i = 0; i < 3; i++) {
        const struct kg_foreign_run run = {.name = "f", .axes = wanted[i], .axis_count = 1};
        const struct kg_foreign_case *found = kg_foreign_run_find(&foreign, &run, &err);
        assert_ptr_equal(found, i < 2 ? &foreign.cases[i] : NULL);
    }
    assert_non_null(strstr(err.message, "no benchmark 'f'"));
    assert_null(kg_foreign_run_find(&foreign, &(struct kg_foreign_run){.name = "f"}, &err));
    assert_non_null(strstr(err.message, "2 times in one process"));
    assert_non_null(strstr(err.message, "--devices 0"));
    kg_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_state_is_listed_as_a_file_names_it),
        cmocka_unit_test(a_list_that_is_none_is_refused),
        cmocka_unit_test(one_state_is_asked_for_by_its_values),
        cmocka_unit_test(options_that_are_kgates_are_refused),
        cmocka_unit_test(a_state_is_found_by_its_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
