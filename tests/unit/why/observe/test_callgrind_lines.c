/* Lines and calls in Callgrind's files. */
#include "base/file.h"
#include "base/random.h"
#include "test_support.h"
#include "why/observe/callgrind_lines.h"

static struct kg_callgrind_lines sums;
static struct kg_arena arena;
static struct kg_counted counted;
static char *folder;

static int begin(void **state)
{
    folder = support_folder();
    counted = (struct kg_counted){0};
    return 0;
}

static int end(void **state)
{
    kg_callgrind_lines_free(&sums);
    kg_arena_free(&arena);
    support_remove(folder);
    return 0;
}

static bool text_add(const char *text, size_t length)
{
    char path[256];
    struct kg_error err;
    snprintf(path, sizeof path, "%s/1", folder);
    assert_true(kg_file_write(path, text, length, &err));
    return kg_callgrind_lines_add(&sums, path);
}

static void sample_read(double calls)
{
    assert_true(kg_callgrind_lines_add(&sums, KGATE_SOURCE_DIR "/tests/data/callgrind.out"));
    kg_callgrind_lines_take(&sums, calls, &arena, &counted);
}

static bool same(const char *a, const char *b)
{
    return a && b ? !strcmp(a, b) : a == b;
}

static const struct kg_counted_line *line_find(const char *function, const char *file, size_t line)
{
    for (size_t i = 0; i < counted.line_count; i++)
        if (same(counted.lines[i].place.function, function) &&
            same(counted.lines[i].place.file, file) && counted.lines[i].place.line == line)
            return &counted.lines[i];
    fail_msg("no line %s %s:%zu", function, file ? file : "?", line);
    return NULL;
}

static const struct kg_counted_edge *edge_find(const char *caller, const char *callee)
{
    for (size_t i = 0; i < counted.edge_count; i++)
        if (same(counted.edges[i].caller, caller) && same(counted.edges[i].callee, callee))
            return &counted.edges[i];
    fail_msg("%s does not call %s", caller, callee);
    return NULL;
}

static void a_line_has_all_that_was_counted_there(void **state)
{
    sample_read(2);
    const struct kg_counted_line *line = line_find("run", "work.c", 10);
    assert_string_equal(line->place.module, "libwork.so");
    assert_true(line->instructions == 50 && line->loads == 15 && line->branches == 4);
    assert_true(line->mispredicted == 2 && line->line_misses == 3 && line->memory_misses == 1);
}

static void positions_are_of_the_one_before(void **state)
{
    sample_read(1);
    assert_true(line_find("run", "work.c", 12)->instructions == 50);
    assert_true(line_find("run", "inlined.h", 7)->instructions == 30);
    /* "+6" after the inlined line 7, and "*" */
    assert_true(line_find("run", "work.c", 13)->instructions == 20 + 10 + 5);
    assert_true(line_find("helper", "other.c", 78)->instructions == 100);
}

static void numbers_stand_for_names(void **state)
{
    sample_read(1);
    const struct kg_counted_line *line = line_find("strcmp", "strcmp.S", 5);
    assert_string_equal(line->place.module, "libc.so.6");
    assert_true(line->instructions == 2410 && line->loads == 482);
}

static void calls_are_edges_and_no_lines(void **state)
{
    sample_read(2);
    assert_true(edge_find("run", "strcmp")->calls == 120);
    assert_true(edge_find("run", "strcmp")->instructions == 1200);
    assert_true(edge_find("run", "helper")->calls == 2);
    assert_true(edge_find("helper", "strcmp")->calls == 0.5);
    assert_int_equal(counted.edge_count, 3);
    assert_string_equal(counted.edges[0].callee, "strcmp"); /* the most instructions */
}

static void code_without_symbols_is_one_line_of_its_file(void **state)
{
    sample_read(1);
    const struct kg_counted_line *line = line_find(NULL, NULL, 0);
    assert_null(line->place.module);
    assert_true(line->instructions == 15 && line->loads == 3);
}

static void the_workers_own_lines_are_left_out(void **state)
{
    sample_read(1);
    for (size_t i = 0; i < counted.line_count; i++)
        assert_false(same(counted.lines[i].place.function, "main"));
    assert_true(counted.instructions == 100 + 50 + 30 + 35 + 300 + 100 + 2410 + 15);
    assert_true(counted.calls == 1);
}

static void of_a_kernels_plugin_what_makes_the_calls_is_left_out(void **state)
{
    static const char text[] = "events: Ir\nob=/opt/stream.so\nfl=???\nfn=kg_kernel_run\n0 5\n"
                               "fn=kg_transpose_plain\n0 7\nfn=count\n0 9\n";
    assert_true(text_add(text, sizeof text - 1));
    kg_callgrind_lines_take(&sums, 1, &arena, &counted);
    assert_int_equal(counted.line_count, 2);
    assert_true(counted.instructions == 16);
}

static void lines_are_ranked_by_what_they_cost(void **state)
{
    static const char text[] = "events: Ir D1mr DLmr Bcm\nfl=a.c\nfn=f\n1 900\n2 0 0 10\n3 0 80\n"
                               "4 0 0 0 70\n";
    static const size_t order[] = {2, 1, 3, 4};
    assert_true(text_add(text, sizeof text - 1));
    kg_callgrind_lines_take(&sums, 1, &arena, &counted);
    assert_int_equal(counted.line_count, 4);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(counted.lines[i].place.line, order[i]);
}

static void no_more_lines_are_kept_than_there_is_room_for(void **state)
{
    struct kg_text text = {0};
    kg_text_append(&text, "events: Ir\nfl=a.c\nfn=f\n");
    for (int i = 1; i <= 1000; i++)
        kg_text_printf(&text, "+1 %d\n", i);
    assert_true(text_add(text.data, text.length));
    kg_text_free(&text);
    kg_callgrind_lines_take(&sums, 1, &arena, &counted);
    assert_int_equal(counted.line_count, KG_HOT_PLACES_MOST);
    assert_int_equal(counted.lines[0].place.line, 1000);
    assert_true(counted.instructions == 500500);
}

static void positions_may_be_of_instructions_too(void **state)
{
    static const char text[] = "positions: instr line\nevents: Ir\nob=x\nfl=a.c\nfn=f\n"
                               "0x401000 3 5\n+4 +1 6\n* * 7\ncfn=g\ncalls=2 0x500 9\n+8 -1 50\n";
    assert_true(text_add(text, sizeof text - 1));
    kg_callgrind_lines_take(&sums, 1, &arena, &counted);
    assert_true(line_find("f", "a.c", 3)->instructions == 5);
    assert_true(line_find("f", "a.c", 4)->instructions == 13);
    assert_true(edge_find("f", "g")->instructions == 50);
}

static void several_files_are_summed(void **state)
{
    assert_true(kg_callgrind_lines_add(&sums, KGATE_SOURCE_DIR "/tests/data/callgrind.out"));
    sample_read(1);
    assert_true(line_find("strcmp", "strcmp.S", 5)->instructions == 2 * 2410);
    assert_true(edge_find("run", "strcmp")->calls == 480);
}

static void what_is_no_file_of_callgrinds_adds_nothing(void **state)
{
    static const char *const texts[] = {"", "\n\n", "fn=(1) f\n1 2\n", "events: X\nfn=f\n1 2\n",
                                        "{\"json\": true}\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (text_add(texts[i], strlen(texts[i])))
            fail_msg("'%s' counted something", texts[i]);
    assert_false(kg_callgrind_lines_add(&sums, "/nowhere/1"));
    kg_callgrind_lines_take(&sums, 1, &arena, &counted);
    assert_true(counted.line_count == 0 && counted.edge_count == 0);
}

static void numbers_out_of_any_range_do_no_harm(void **state)
{
    static const char text[] =
        "events: Ir\nob=(99999999999999999999) o\nfn=(18446744073709551615) f\n1 1\nfn=(1048575) "
        "g\n"
        "-99999999999 2\n+99999999999999999999999 3\n* 99999999999999999999999999\nfn=(\n1 1\n"
        "fn=()\n1 1\nfn=(5\n1 1\nfn=(7)\n1 1\ncalls=\n1 1\ncalls=99999999999999999999 +1\n1 1\n"
        "calls=-1\n+\n-\n*\n0x\n+x\n1 -5\n";
    assert_true(text_add(text, sizeof text - 1));
    kg_callgrind_lines_take(&sums, 1, &arena, &counted);
    struct kg_text line = {0};
    kg_record_line(&kg_counted_line_record, &counted.lines[0], NULL, &line);
    assert_true(line.length > 0);
    kg_text_free(&line);
}

/* The sample, cut short at every byte, and with bytes that are others. */
static void broken_files_do_no_harm(void **state)
{
    struct kg_text sample = {0};
    struct kg_error err;
    struct kg_random random = {.state = 20260131};
    assert_true(kg_file_read(KGATE_SOURCE_DIR "/tests/data/callgrind.out", 1 << 20, &sample, &err));
    for (size_t i = 0; i < sample.length; i += 7) {
        struct kg_arena own = {0};
        text_add(sample.data, i);
        sample.data[kg_random_next(&random) % sample.length] =
            (char)(kg_random_next(&random) % 256);
        kg_callgrind_lines_take(&sums, 1, &own, &counted);
        kg_arena_free(&own);
        kg_callgrind_lines_free(&sums);
    }
    kg_text_free(&sample);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_line_has_all_that_was_counted_there),
        TEST(positions_are_of_the_one_before),
        TEST(numbers_stand_for_names),
        TEST(calls_are_edges_and_no_lines),
        TEST(code_without_symbols_is_one_line_of_its_file),
        TEST(the_workers_own_lines_are_left_out),
        TEST(of_a_kernels_plugin_what_makes_the_calls_is_left_out),
        TEST(lines_are_ranked_by_what_they_cost),
        TEST(no_more_lines_are_kept_than_there_is_room_for),
        TEST(positions_may_be_of_instructions_too),
        TEST(several_files_are_summed),
        TEST(what_is_no_file_of_callgrinds_adds_nothing),
        TEST(numbers_out_of_any_range_do_no_harm),
        TEST(broken_files_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
