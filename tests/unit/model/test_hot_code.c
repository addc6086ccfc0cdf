/* Counts of calls, given to the sampled sites. */
#include "test_support.h"

#include "model/hot_code.h"

static void site_gets_the_calls_and_instructions_of_its_edge(void **state)
{
    struct kg_counted_edge edges[] = {{"parse.isra.0", "strlen", 40, 4000, NULL, NULL},
                                      {"main", "parse", 2, 9000, NULL, NULL},
                                      {"walk", "walk'2", 7, 700, NULL, NULL},
                                      {"main", "walk", 1, 800, NULL, NULL}};
    const struct kg_counted counted = {.calls = 1, .edges = edges, .edge_count = 4};
    struct kg_hot_site sites[] = {
        {.place = {.function = "parse"}, .callee = {.function = "strlen"}},
        {.place = {.function = "parse"}, .caller = {.function = "main"}},
        {.place = {.function = "walk"}, .caller = {.function = "walk"}},
        {.place = {.function = "read"}, .caller = {.function = "main"}}};
    struct kg_sampled sampled = {.sites = sites, .site_count = 4};
    kg_counted_sites(&counted, &sampled);
    assert_float_equal(sites[0].calls, 40, 0);
    assert_float_equal(sites[0].instructions, 4000, 0);
    assert_float_equal(sites[1].calls, 2, 0);
    assert_float_equal(sites[1].instructions, 9000, 0);
    assert_float_equal(sites[2].calls, 7, 0);
    assert_true(isnan(sites[2].instructions)); /* the inner call's are part of the outer's */
    assert_true(isnan(sites[3].calls) && isnan(sites[3].instructions));
}

static void part_of_a_call_counts_nothing(void **state)
{
    struct kg_counted_edge edge = {"main", "parse", 2, 9000, NULL, NULL};
    const struct kg_counted counted = {.calls = NAN, .edges = &edge, .edge_count = 1};
    struct kg_hot_site site = {.place = {.function = "parse"},
                               .caller = {.function = "main"},
                               .calls = NAN,
                               .instructions = NAN};
    struct kg_sampled sampled = {.sites = &site, .site_count = 1};
    kg_counted_sites(&counted, &sampled);
    assert_true(isnan(site.calls) && isnan(site.instructions));
}

/* Two files have a function `step`. */
static void calls_of_equal_names_are_told_apart_by_file(void **state)
{
    struct kg_counted_edge edges[] = {{"run", "step", 3, 30, "src/run.c", "src/lexer.c"},
                                      {"run", "step", 8, 800, "src/run.c", "src/parser.c"},
                                      {"run", "next", 5, 50, "src/run.c", "inlined.h"}};
    const struct kg_counted counted = {.calls = 1, .edges = edges, .edge_count = 3};
    struct kg_hot_site sites[] = {
        {.place = {.function = "step", .file = "/build/src/parser.c"},
         .caller = {.function = "run"}},
        {.place = {.function = "next", .file = "next.c"}, .caller = {.function = "run"}}};
    struct kg_sampled sampled = {.sites = sites, .site_count = 2};
    kg_counted_sites(&counted, &sampled);
    assert_float_equal(sites[0].calls, 8, 0);
    assert_float_equal(sites[0].instructions, 800, 0);
    assert_float_equal(sites[1].calls, 5, 0); /* one function has the name */
}

static void functions_are_the_same_by_name_file_and_module(void **state)
{
    const struct kg_place step = {.function = "step", .file = "/a/x.c", .module = "app"};
    const struct kg_place same[] = {
        {.function = "step", .file = "/b/x.c", .line = 7, .module = "app"},
        {.function = "step", .module = "app"},
        {.function = "step", .file = "/a/x.inc", .declared = "/a/x.c", .module = "app"},
        {.function = "step"}};
    const struct kg_place others[] = {{.function = "step", .file = "/a/y.c", .module = "app"},
                                      {.function = "step", .file = "/a/x.c", .module = "lib.so"},
                                      {.function = "stop", .file = "/a/x.c", .module = "app"},
                                      {.module = "app"},
                                      {0}};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        if (!kg_place_same(&step, &same[i]))
            fail_msg("place %zu is the same function", i);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (kg_place_same(&step, &others[i]))
            fail_msg("place %zu is another function", i);
    assert_false(kg_place_same(&others[3], &others[4])); /* code without a name, and no place */
}

/* The other build spends much time in `strlen`; here it takes too little for a sample. */
static void sites_without_samples_have_counts(void **state)
{
    struct kg_counted_edge edges[] = {{"parse", "__strlen_avx2", 3, 30, NULL, NULL},
                                      {"main", "parse", 1, 900, NULL, NULL}};
    const struct kg_counted counted = {.calls = 1, .edges = edges, .edge_count = 2};
    const struct kg_place parse = {.function = "parse", .file = "a.c", .module = "old"};
    struct kg_hot_site own = {.place = parse, .share = 1, .calls = 1};
    struct kg_hot_site others[] = {
        {.place = {.function = "parse", .file = "a.c", .module = "new"}, .share = 0.2},
        {.place = {.function = "parse", .file = "a.c", .module = "new"},
         .callee = {.function = "strlen", .module = "libc.so.6"},
         .share = 0.7},
        {.place = {.function = "fresh", .module = "new"},
         .caller = {.function = "main"},
         .share = 0.1}};
    struct kg_sampled sampled = {.sites = &own, .site_count = 1};
    const struct kg_sampled other = {.sites = others, .site_count = 3};
    struct kg_arena arena = {0};
    kg_counted_sites_add(&counted, &other, &arena, &sampled);
    assert_int_equal(sampled.site_count, 2);
    assert_string_equal(sampled.sites[1].callee.function, "strlen");
    assert_true(sampled.sites[1].share == 0 && sampled.sites[1].calls == 3);
    assert_null(sampled.sites[1].place.module);
    kg_arena_free(&arena);
}

static void headers_of_the_compiler_are_no_own_code(void **state)
{
    static const char *const headers[] = {"/usr/include/c++/12/bits/stl_map.h",
                                          "/opt/gcc/include/c++/14/vector",
                                          "/usr/lib/gcc/x86_64-linux-gnu/12/include/emmintrin.h",
                                          "/rustc/90b35a62/library/alloc/src/vec/mod.rs"};
    static const char *const others[] = {"/home/a/include/map.h", "src/usr/include/x.h", NULL};
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        if (!kg_place_is_header(&(struct kg_place){.function = "f", .file = headers[i]}))
            fail_msg("%s is a header of the system", headers[i]);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (kg_place_is_header(&(struct kg_place){.function = "f", .file = others[i]}))
            fail_msg("%s is own code", others[i] ? others[i] : "no file");
    assert_true(kg_place_is_header(&(struct kg_place){.function = "std::vector<int>::push_back"}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(site_gets_the_calls_and_instructions_of_its_edge),
        cmocka_unit_test(part_of_a_call_counts_nothing),
        cmocka_unit_test(calls_of_equal_names_are_told_apart_by_file),
        cmocka_unit_test(functions_are_the_same_by_name_file_and_module),
        cmocka_unit_test(headers_of_the_compiler_are_no_own_code),
        cmocka_unit_test(sites_without_samples_have_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
