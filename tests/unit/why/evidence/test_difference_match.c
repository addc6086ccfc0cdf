/* Matching of functions that were renamed, inlined or split. */
#include "difference_support.h"

static void renamed_function_is_not_the_cause(void **state)
{
    sentence_is(
        &(struct side){.sites = {{NULL, "parse_old", "main", 0.8}, {NULL, "print", "main", 0.2}},
                       .time_ns = 1e6},
        &(struct side){.sites = {{NULL, "parse_new", "main", 0.4}, {NULL, "print", "main", 0.6}},
                       .time_ns = 2e6},
        "print (own.c:11), called from main: +1.00 ms, all of the slowdown");
}

static void renamed_function_that_grew_is_the_cause(void **state)
{
    sentence_is(
        &(struct side){.sites = {{NULL, "parse_old", "main", 0.8}, {NULL, "print", "main", 0.2}},
                       .time_ns = 1e6},
        &(struct side){.sites = {{NULL, "parse_new", "main", 0.87}, {NULL, "print", "main", 0.13}},
                       .time_ns = 1.6e6},
        "parse_new (own.c:10), called from main: +592 us, all of the slowdown");
}

/* No function has the gain alone, and the function around it has another name in the candidate. */
static void renamed_function_around_a_gain_is_found(void **state)
{
    sentence_is(&(struct side){.sites = {{NULL, "old", "main", 0.1},
                                         {NULL, "a", "old", 0.28},
                                         {NULL, "b", "old", 0.28},
                                         {NULL, "c", "old", 0.28}},
                               .functions = {{.place = {.function = "old"}, .total = 0.94}},
                               .time_ns = 2e6},
                &(struct side){.sites = {{NULL, "new", "main", 0.2},
                                         {NULL, "a", "new", 0.23},
                                         {NULL, "b", "new", 0.23},
                                         {NULL, "c", "new", 0.23}},
                               .functions = {{.place = {.function = "new"}, .total = 0.89}},
                               .time_ns = 1e6},
                "new (own.c:10): -990 us with all that it calls, all of the gain");
}

/* The candidate inlines `step` into `parse`; `print` became slower. */
static void inlined_function_is_part_of_its_caller(void **state)
{
    sentence_is(
        &(struct side){.sites = {{NULL, "parse", "main", 0.2},
                                 {NULL, "step", "parse", 0.6},
                                 {NULL, "print", "main", 0.2}},
                       .time_ns = 1e6},
        &(struct side){.sites = {{NULL, "parse", "main", 0.4}, {NULL, "print", "main", 0.6}},
                       .time_ns = 2e6},
        "print (own.c:11), called from main: +1.00 ms, all of the slowdown");
}

static void new_function_of_an_unchanged_caller_is_the_cause(void **state)
{
    sentence_is(
        &(struct side){.sites = {{NULL, "parse", "main", 0.8}, {NULL, "print", "main", 0.2}},
                       .time_ns = 1e6},
        &(struct side){.sites = {{NULL, "parse", "main", 0.39},
                                 {NULL, "check", "parse", 0.5},
                                 {NULL, "print", "main", 0.11}},
                       .time_ns = 2e6},
        "check (own.c:11), called from parse: +1.00 ms, all of the slowdown; the "
        "baseline does not run it");
}

/* All functions got another name. `item` has no samples of its own, so the caller does not match. */
static void renamed_functions_match_by_their_lines(void **state)
{
    sentence_is(&(struct side){.sites = {{NULL, "json_mix", "json_item", 0.6},
                                         {NULL, "json_check", "json_item", 0.2},
                                         {NULL, "main", NULL, 0.2}},
                               .time_ns = 10e6},
                &(struct side){.sites = {{NULL, "js_mix", "js_item", 0.45},
                                         {NULL, "js_check", "js_item", 0.4},
                                         {NULL, "main", NULL, 0.15}},
                               .time_ns = 13.3e6},
                "js_check (own.c:11), called from js_item: +3.30 ms, all of the slowdown");
}

/* `mix` was split; its part is two calls below. `verify` grew. */
static void split_function_is_not_the_cause(void **state)
{
    sentence_is(&(struct side){.sites = {{NULL, "verify", "main", 0.2}, {NULL, "mix", "main", 0.8}},
                               .time_ns = 10e6},
                &(struct side){.sites = {{NULL, "main", NULL, 0.02},
                                         {NULL, "verify", "main", 0.38},
                                         {NULL, "mix_part", "mix_whole", 0.6}},
                               .time_ns = 13e6},
                "verify (own.c:11), called from main: +2.94 ms, all of the slowdown");
}

/* The old function was replaced by a slower one: nothing else explains the change. */
static void replaced_function_is_the_cause(void **state)
{
    sentence_is(
        &(struct side){.sites = {{NULL, "read", "main", 0.5}, {NULL, "old_sort", "main", 0.5}},
                       .time_ns = 10e6},
        &(struct side){.sites = {{NULL, "read", "main", 0.36},
                                 {NULL, "heap", "order", 0.04},
                                 {NULL, "new_sort", "order", 0.6}},
                       .time_ns = 14e6},
        "new_sort (own.c:12), called from order: +4.00 ms, all of the slowdown; the "
        "baseline does not run it");
}

static void sites_are_rows(struct kg_hot_site *old, size_t old_count, struct kg_hot_site *new,
                           size_t new_count, size_t rows)
{
    const struct kg_sampled base = {.samples = 500, .sites = old, .site_count = old_count};
    const struct kg_sampled current = {.samples = 500, .sites = new, .site_count = new_count};
    struct kg_arena arena = {0};
    struct kg_difference difference;
    kg_difference_make(&arena, &base, 1e6, &current, 2e6, &difference);
    assert_int_equal(difference.count, rows);
    kg_arena_free(&arena);
}

/* A stripped program has another file name on each side. */
static void own_code_without_names_is_one_place(void **state)
{
    struct kg_hot_site old[] = {{.place = {.module = "app_old"}, .share = 0.8, .calls = NAN},
                                {.place = {.module = "libc.so.6"}, .share = 0.2, .calls = NAN}};
    struct kg_hot_site new[] = {
        {.place = {.module = "app_new"}, .share = 0.6, .calls = NAN},
        {.place = {.module = "libc.so.6"}, .share = 0.2, .calls = NAN},
        {.place = {.module = "[made at run time]"}, .share = 0.2, .calls = NAN}};
    sites_are_rows(old, 2, new, 2, 2);
    sites_are_rows(old, 2, new, 3, 3);
}

/* The program and its library both have a function `hash`, and both have another file name in the candidate. */
static void files_of_machine_code_are_paired_by_their_functions(void **state)
{
    struct kg_hot_site old[] = {
        {.place = {.function = "parse", .module = "app_old"}, .share = 0.1, .calls = NAN},
        {.place = {.function = "hash", .module = "app_old"}, .share = 0.1, .calls = NAN},
        {.place = {.function = "hash", .module = "libx.so.1"}, .share = 0.4, .calls = NAN},
        {.place = {.function = "pack", .module = "libx.so.1"}, .share = 0.4, .calls = NAN}};
    struct kg_hot_site new[] = {
        {.place = {.function = "parse", .module = "app_new"}, .share = 0.4, .calls = NAN},
        {.place = {.function = "hash", .module = "app_new"}, .share = 0.4, .calls = NAN},
        {.place = {.function = "hash", .module = "libx.so.2"}, .share = 0.1, .calls = NAN},
        {.place = {.function = "pack", .module = "libx.so.2"}, .share = 0.1, .calls = NAN}};
    sites_are_rows(old, 4, new, 4, 4);
}

static void function_that_moved_to_another_file_is_one_row(void **state)
{
    struct kg_hot_site old[] = {
        {.place = {.function = "parse", .file = "a.c"}, .share = 0.5, .calls = NAN},
        {.place = {.function = "print", .file = "a.c"}, .share = 0.5, .calls = NAN}};
    struct kg_hot_site new[] = {
        {.place = {.function = "parse", .file = "b.c"}, .share = 0.8, .calls = NAN},
        {.place = {.function = "print", .file = "a.c"}, .share = 0.2, .calls = NAN}};
    sites_are_rows(old, 2, new, 2, 2);
}

/* The candidate inlines `step`: its calls are none of `parse`. */
static void calls_of_an_inlined_function_do_not_count(void **state)
{
    sentence_is(
        &(struct side){.sites = {{NULL, "parse", "main", 0.2},
                                 {NULL, "step", "parse", 0.7},
                                 {NULL, "print", "main", 0.1}},
                       .calls = {20000, 20000, 5},
                       .time_ns = 1e6},
        &(struct side){.sites = {{NULL, "parse", "main", 0.95}, {NULL, "print", "main", 0.05}},
                       .calls = {20000, 5},
                       .time_ns = 2e6},
        "parse (own.c:10), called from main: +1.00 ms, all of the slowdown; called 20.0 k "
        "times on both sides, each takes 2.1 times as long");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(renamed_function_is_not_the_cause),
        cmocka_unit_test(renamed_function_that_grew_is_the_cause),
        cmocka_unit_test(renamed_function_around_a_gain_is_found),
        cmocka_unit_test(inlined_function_is_part_of_its_caller),
        cmocka_unit_test(new_function_of_an_unchanged_caller_is_the_cause),
        cmocka_unit_test(renamed_functions_match_by_their_lines),
        cmocka_unit_test(split_function_is_not_the_cause),
        cmocka_unit_test(replaced_function_is_the_cause),
        cmocka_unit_test(own_code_without_names_is_one_place),
        cmocka_unit_test(files_of_machine_code_are_paired_by_their_functions),
        cmocka_unit_test(function_that_moved_to_another_file_is_one_row),
        cmocka_unit_test(calls_of_an_inlined_function_do_not_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
