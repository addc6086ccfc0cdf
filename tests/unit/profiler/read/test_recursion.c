/* A function that calls itself, directly or through another one: no report counts its time twice. */
#include "profiler/read/bottleneck.h"
#include "recording_support.h"

#include <fcntl.h>

static char *folder;

static int make_folder(void **state)
{
    folder = support_folder();
    return 0;
}

static int remove_folder(void **state)
{
    support_remove(folder);
    return 0;
}

/* Adds up a recording and frees it; its file stays, as r.kgprof. */
static void read_all(struct recording *recording, struct kg_profile *profile)
{
    recording_end(recording);
    recording_read(recording, folder, profile);
}

/* fib 0..1000 { fib 100..600 { fib 200..300 }, fib 700..900 }: itself 300, 400, 100 and 200 */
static void record_fib(struct recording *recording)
{
    recording_process(recording, 1, 1, "");
    recording_name(recording, 1, "fib");
    for (uint32_t node = 1; node <= 3; node++)
        recording_node(recording, 1, node, node - 1, 1);
    recording_entry(recording, 1, 3, 200, 100, 0);
    recording_entry(recording, 1, 2, 100, 500, 1);
    recording_entry(recording, 1, 2, 700, 200, 0);
    recording_entry(recording, 1, 1, 0, 1000, 3);
}

/* parse 0..1000 { expression 100..900 { parse 200..500 { expression 250..350 } } }: parse itself 200
 * and 200, expression 500 and 100 */
static void record_parser(struct recording *recording)
{
    recording_process(recording, 1, 1, "");
    recording_name(recording, 1, "parse");
    recording_name(recording, 2, "expression");
    for (uint32_t node = 1; node <= 4; node++)
        recording_node(recording, 1, node, node - 1, node % 2 ? 1 : 2);
    recording_entry(recording, 1, 4, 250, 100, 0);
    recording_entry(recording, 1, 3, 200, 300, 1);
    recording_entry(recording, 1, 2, 100, 800, 2);
    recording_entry(recording, 1, 1, 0, 1000, 3);
}

/* --- By name and by nesting ------------------------------------------------------------------ */

static void a_function_that_calls_itself_has_its_time_once(void **state)
{
    struct recording recording = {0};
    struct kg_profile profile;
    struct kg_text text = {0};
    record_fib(&recording);
    read_all(&recording, &profile);
    kg_profile_table(&profile, 0, 0, &text);
    report_check(&text, "solver: 1 process, 1 thread, 4 entries, 1.00 us\n"
                        "name  calls    total     avg     min      max  std dev  % time\n"
                        "fib       4  1.00 us  450 ns  100 ns  1.00 us   404 ns   100.0\n");
    kg_profile_tree(&profile, 0, 0, &text);
    report_check(&text, "solver: 1 process, 1 thread, 4 entries, 1.00 us\n"
                        "path     calls    total    self      avg  % time\n"
                        "fib          1  1.00 us  300 ns  1.00 us   100.0\n"
                        "  fib        2   700 ns  600 ns   350 ns    70.0\n"
                        "    fib      1   100 ns  100 ns   100 ns    10.0\n");
    kg_profile_bottlenecks(&profile, &text);
    report_check(&text,
                 "bottleneck of fib: fib itself, 60 % of its time (fib > fib 10 %, 30 % outside "
                 "its inner scopes)\n");
    assert_near(profile_name(&profile, "fib")->self_ns, 1000, 0);
    kg_profile_free(&profile);
}

static void functions_that_call_each_other_have_their_time_once(void **state)
{
    struct recording recording = {0};
    struct kg_profile profile;
    struct kg_text text = {0};
    record_parser(&recording);
    read_all(&recording, &profile);
    kg_profile_table(&profile, 0, 0, &text);
    report_check(&text, "solver: 1 process, 1 thread, 4 entries, 1.00 us\n"
                        "name        calls    total     avg     min      max  std dev  % time\n"
                        "parse           2  1.00 us  650 ns  300 ns  1.00 us   495 ns   100.0\n"
                        "expression      2   800 ns  450 ns  100 ns   800 ns   495 ns    80.0\n");
    kg_profile_tree(&profile, 0, 0, &text);
    report_check(&text, "solver: 1 process, 1 thread, 4 entries, 1.00 us\n"
                        "path              calls    total    self      avg  % time\n"
                        "parse                 1  1.00 us  200 ns  1.00 us   100.0\n"
                        "  expression          1   800 ns  500 ns   800 ns    80.0\n"
                        "    parse             1   300 ns  200 ns   300 ns    30.0\n"
                        "      expression      1   100 ns  100 ns   100 ns    10.0\n");
    kg_profile_bottlenecks(&profile, &text);
    report_check(
        &text,
        "bottleneck of parse: expression itself, 50 % of its time (expression > parse itself "
        "20 %, 20 % outside its inner scopes)\n");
    assert_near(profile_name(&profile, "parse")->self_ns, 400, 0);
    assert_near(profile_name(&profile, "expression")->self_ns, 600, 0);
    kg_profile_free(&profile);
}

static void a_limit_of_rows_keeps_their_totals(void **state)
{
    struct recording recording = {0};
    struct kg_profile profile;
    struct kg_text text = {0};
    record_parser(&recording);
    read_all(&recording, &profile);
    kg_profile_table(&profile, 1, 0, &text);
    report_check(&text, "solver: 1 process, 1 thread, 4 entries, 1.00 us\n"
                        "name   calls    total     avg     min      max  std dev  % time\n"
                        "parse      2  1.00 us  650 ns  300 ns  1.00 us   495 ns   100.0\n"
                        "1 of 2 names are shown\n");
    kg_profile_top(&profile, 2, 0, &text);
    report_check(&text, "  self  % time  calls      avg  path\n"
                        "500 ns    50.0      1   800 ns  parse > expression\n"
                        "200 ns    20.0      1  1.00 us  parse\n"
                        "2 of 4 paths with time of their own are shown\n");
    kg_profile_free(&profile);
}

/* Allocated, read and written bytes of a call include the calls inside it, like its time. */
static void bytes_of_a_name_count_recursion_once(void **state)
{
    struct recording recording = {0};
    struct kg_profile profile;
    const struct kg_entry inner = {.start = 100, .duration = 500, .bytes = 40, .node = 2};
    const struct kg_entry outer = {
        .start = 0, .duration = 1000, .bytes = 100, .node = 1, .nested_flags = 1};
    const struct kg_entry_usage less = {.allocated_bytes = 64, .peak_bytes = 64, .cpu_ns = 400};
    const struct kg_entry_usage more = {.allocated_bytes = 96, .peak_bytes = 80, .cpu_ns = 900};
    recording_process(&recording, 1, 1, "");
    recording_name(&recording, 1, "sort");
    recording_node(&recording, 1, 1, 0, 1);
    recording_node(&recording, 1, 2, 1, 1);
    recording_entry_full(&recording, 1, &inner, &less, NULL);
    recording_entry_full(&recording, 1, &outer, &more, NULL);
    read_all(&recording, &profile);
    const struct kg_profile_figures *sort = profile_name(&profile, "sort");
    assert_int_equal(sort->bytes, 100);
    assert_int_equal(sort->allocated_bytes, 96);
    assert_int_equal(sort->peak_bytes, 80);
    assert_near(kg_profile_bandwidth(sort), 1e8, 1e-3);
    kg_profile_free(&profile);
}

/* Killed inside the outermost call: it has no entry, so only the time of inner calls is known. */
static void calls_inside_one_that_never_ended_count(void **state)
{
    struct recording recording = {0};
    struct kg_profile profile;
    recording_process(&recording, 1, 1, "");
    recording_name(&recording, 1, "fib");
    for (uint32_t node = 1; node <= 3; node++)
        recording_node(&recording, 1, node, node - 1, 1);
    recording_entry(&recording, 1, 3, 200, 100, 0);
    recording_entry(&recording, 1, 2, 100, 500, 1);
    read_all(&recording, &profile);
    assert_near(profile_name(&profile, "fib")->total_ns, 500, 0);
    assert_near(profile_name(&profile, "fib")->self_ns, 500, 0);
    kg_profile_free(&profile);
}

static void a_thread_has_the_time_of_a_name_once(void **state)
{
    struct recording recording = {0};
    struct kg_profile profile;
    record_parser(&recording);
    recording_node(&recording, 2, 1, 0, 1);
    recording_entry(&recording, 2, 1, 0, 600, 0);
    read_all(&recording, &profile);
    const struct kg_profile_figures *parse = profile_name(&profile, "parse");
    assert_int_equal(parse->threads, 2);
    assert_near(parse->total_ns, 1600, 0);
    assert_near(parse->busiest_thread_ns, 1000, 0);
    assert_near(parse->even_thread_ns, 800, 0);
    kg_profile_free(&profile);
}

/* --- Exports --------------------------------------------------------------------------------- */

/* speedscope and flamegraph.pl add up collapsed stacks, so their sum must be the time. */
static void stacks_add_up_to_the_time(void **state)
{
    struct recording recording = {0};
    struct kg_profile profile;
    struct kg_text text = {0};
    record_parser(&recording);
    read_all(&recording, &profile);
    kg_profile_folded(&profile, &text);
    report_check(&text, "parse 200\n"
                        "parse;expression 500\n"
                        "parse;expression;parse 200\n"
                        "parse;expression;parse;expression 100\n");
    kg_profile_free(&profile);
}

/* Each call once, with its own beginning and end: viewers nest them by that. */
static void exports_of_entries_have_each_call_once(void **state)
{
    static const char *const expected[] = {
        "\n0,1,1,parse;expression;parse;expression,expression,cpu,,compute,0,250,100,0,0,",
        "\n0,1,1,parse;expression;parse,parse,cpu,,compute,0,200,300,1,10,",
        "\n0,1,1,parse;expression,expression,cpu,,compute,0,100,800,2,20,",
        "\n0,1,1,parse,parse,cpu,,compute,0,0,1000,3,30,",
        "\"ts\":0.250,\"dur\":0.100,\"name\":\"expression\"",
        "\"ts\":0.200,\"dur\":0.300,\"name\":\"parse\"",
        "\"ts\":0.100,\"dur\":0.800,\"name\":\"expression\"",
        "\"ts\":0.000,\"dur\":1.000,\"name\":\"parse\"",
    };
    enum { EXPECTED = sizeof expected / sizeof *expected };
    struct recording recording = {0};
    struct kg_profile profile;
    struct kg_error err;
    char *bytes = NULL;
    size_t length = 0;
    record_parser(&recording);
    read_all(&recording, &profile);
    kg_profile_free(&profile);
    char path[256];
    snprintf(path, sizeof path, "%s/r.kgprof", folder);
    const int file = open(path, O_RDONLY);
    FILE *output = open_memstream(&bytes, &length);
    assert_true(file >= 0 && output);
    assert_true(kg_profile_csv(file, path, output, &err));
    assert_true(kg_profile_trace(file, path, output, &err));
    fclose(output);
    close(file);
    for (size_t i = 0; i < EXPECTED; i++) {
        const char *found = strstr(bytes, expected[i]);
        if (!found || strstr(found + 1, expected[i]))
            fail_msg("not once: %s", expected[i]);
    }
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_function_that_calls_itself_has_its_time_once),
        cmocka_unit_test(functions_that_call_each_other_have_their_time_once),
        cmocka_unit_test(a_limit_of_rows_keeps_their_totals),
        cmocka_unit_test(bytes_of_a_name_count_recursion_once),
        cmocka_unit_test(calls_inside_one_that_never_ended_count),
        cmocka_unit_test(a_thread_has_the_time_of_a_name_once),
        cmocka_unit_test(stacks_add_up_to_the_time),
        cmocka_unit_test(exports_of_entries_have_each_call_once),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
