/* Counts of calls, given to the sampled sites. */
#include "model/hot_code.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void site_gets_the_calls_and_instructions_of_its_edge(void **state)
{
    (void)state;
    struct kg_counted_edge edges[] = {{"parse.isra.0", "strlen", 40, 4000},
                                      {"main", "parse", 2, 9000},
                                      {"walk", "walk'2", 7, 700},
                                      {"main", "walk", 1, 800}};
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
    (void)state;
    struct kg_counted_edge edge = {"main", "parse", 2, 9000};
    const struct kg_counted counted = {.calls = NAN, .edges = &edge, .edge_count = 1};
    struct kg_hot_site site = {.place = {.function = "parse"},
                               .caller = {.function = "main"},
                               .calls = NAN,
                               .instructions = NAN};
    struct kg_sampled sampled = {.sites = &site, .site_count = 1};
    kg_counted_sites(&counted, &sampled);
    assert_true(isnan(site.calls) && isnan(site.instructions));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(site_gets_the_calls_and_instructions_of_its_edge),
        cmocka_unit_test(part_of_a_call_counts_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
