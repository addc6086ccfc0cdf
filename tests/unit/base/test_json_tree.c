/* JSON texts as trees: accepted texts, places of errors, values by their paths (the examples of RFC
 * 6901), and a lack of memory. tests/conformance compares the reader with Python's. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/json_text.h"
#include "base/json_tree.h"
#include "base/memory.h"
#include "base/text.h"
#include "test_support.h"

static struct kg_arena arena;

static int arena_release(void **state)
{
    kg_arena_free(&arena);
    return 0;
}

static const struct kg_json *read_text(const char *text)
{
    struct kg_error err;
    const struct kg_json *json = kg_json_read("text", text, strlen(text), &arena, &err);
    if (!json)
        fail_msg("%s: %s", text, err.message);
    return json;
}

static void every_kind_of_value_is_read(void **state)
{
    const struct kg_json *json =
        read_text(" {\"n\": null, \"f\": false, \"t\": true, \"w\": -7, \"r\": 2.5, "
                  "\"s\": \"\\u00e9\\n\", \"l\": [1, [], {}], \"o\": {\"a\": {\"b\": 3}}} ");
    assert_int_equal(kg_json_count(json), 8);
    assert_true(kg_json_is(kg_json_member(json, "n"), KG_JSON_NULL));
    assert_true(kg_json_is(kg_json_member(json, "f"), KG_JSON_FALSE));
    assert_true(kg_json_is(kg_json_member(json, "t"), KG_JSON_TRUE));
    assert_int_equal(kg_json_whole(kg_json_member(json, "w")), -7);
    assert_float_equal(kg_json_real(kg_json_member(json, "w")), -7, 0);
    assert_float_equal(kg_json_real(kg_json_member(json, "r")), 2.5, 0);
    assert_string_equal(kg_json_member_string(json, "s"), "\xc3\xa9\n");
    assert_int_equal(kg_json_count(kg_json_member(json, "l")), 3);
    assert_int_equal(kg_json_whole(kg_json_item(kg_json_member(json, "l"), 0)), 1);
    assert_int_equal(kg_json_whole(kg_json_pointer_find(json, "/o/a/b")), 3);
}

static void values_alone_are_texts_too(void **state)
{
    assert_float_equal(kg_json_real(read_text("2.5")), 2.5, 0);
    assert_float_equal(kg_json_real(read_text("12345678901234567890e3")), 12345678901234567890e3,
                       0);
    assert_string_equal(kg_json_string(read_text("\"a\"")), "a");
    assert_true(kg_json_is(read_text(" null "), KG_JSON_NULL));
}

static void items_and_members_come_in_the_order_of_the_text(void **state)
{
    const struct kg_json *list = read_text("[3, 1, 2]"),
                         *object = read_text("{\"b\": 1, \"a\": 2}");
    int64_t digits = 0;
    for (const struct kg_json *item = NULL; (item = kg_json_next(list, item));)
        digits = 10 * digits + kg_json_whole(item);
    assert_int_equal(digits, 312);
    assert_string_equal(kg_json_next(object, NULL)->name, "b");
    assert_null(kg_json_next(read_text("[]"), NULL));
    assert_null(kg_json_next(NULL, NULL));
}

static void other_kinds_are_as_values_that_are_not_there(void **state)
{
    const struct kg_json *number = read_text("7");
    assert_null(kg_json_string(number));
    assert_null(kg_json_member(number, "a"));
    assert_null(kg_json_item(number, 0));
    assert_int_equal(kg_json_count(number), 0);
    assert_int_equal(kg_json_whole(read_text("7.0")), 0);
    assert_true(isnan(kg_json_real(read_text("\"7\""))));
    assert_true(isnan(kg_json_real(NULL)) && !kg_json_is(NULL, KG_JSON_NULL));
}

static void faults_are_named_at_their_line_and_column(void **state)
{
    static const struct {
        const char *text;
        unsigned line, column;
        const char *message;
    } cases[] = {
        {"", 1, 1, "expected a value, found the end"},
        {"{\"a\": 1,\n \"b\" 2}", 2, 6, "expected ':', found '2'"},
        {"[1,\n2\n3]", 3, 1, "expected ',' or ']', found '3'"},
        {"{\"a\": 1 \"b\"}", 1, 9, "expected ',' or '}', found '\"'"},
        {"[1,]", 1, 4, "expected a value, found ']'"},
        {"{1: 2}", 1, 2, "expected the name of a member, found '1'"},
        {"[\"\xc3\xa9\xe2\x82\xac\", x]", 1, 8, "expected a value, found 'x'"},
        {"[\xff]", 1, 2, "expected a value, found the byte 0xff"},
        {"[\"a\xff\"]", 1, 4, "a string that is not UTF-8"},
        {"[\"a\n\"]", 1, 4, "a control character in a string"},
        {"[\"a\\x\"]", 1, 4, "an unknown escape"},
        {"[\"a", 1, 4, "an unterminated string"},
        {"[01]", 1, 2, "a number with a leading 0"},
        {"[1.]", 1, 2, "an incomplete number"},
        {"[1e400]", 1, 2, "a number too large"},
        {"[9223372036854775808]", 1, 2, "a whole number longer than 64 bits"},
        {"[nul]", 1, 2, "expected null, found 'n'"},
        {"[] []", 1, 4, "expected the end, found '['"},
        {"{\"a\": 1, \"\\u0061\": 2}", 1, 19, "the member 'a' occurs twice"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct kg_error err;
        char message[200];
        snprintf(message, sizeof message, "malformed JSON: %s", cases[i].message);
        assert_null(kg_json_read("file", cases[i].text, strlen(cases[i].text), &arena, &err));
        if (strcmp(err.message, message) != 0 || err.line != cases[i].line ||
            err.column != cases[i].column || strcmp(err.path, "file") != 0)
            fail_msg("%s: '%s' at %u:%u", cases[i].text, err.message, err.line, err.column);
    }
}

static void a_zero_byte_is_no_json(void **state)
{
    static const char text[] = "{\"a\": 1\0}";
    struct kg_error err;
    assert_null(kg_json_read("zero", text, sizeof text - 1, &arena, &err));
    assert_string_equal(err.message, "malformed JSON: expected ',' or '}', found the byte 0x00");
}

static void depth_has_a_limit(void **state)
{
    struct kg_text text = {0};
    struct kg_error err;
    for (int i = 0; i < KG_JSON_DEPTH_MOST; i++)
        kg_text_append(&text, "[");
    for (int i = 0; i < KG_JSON_DEPTH_MOST; i++)
        kg_text_append(&text, "]");
    read_text(text.data);
    kg_text_append(&text, "]");
    text.data[KG_JSON_DEPTH_MOST] = '[';
    assert_null(kg_json_read("deep", text.data, text.length, &arena, &err));
    assert_non_null(strstr(err.message, "nested deeper than 1024"));
    kg_text_free(&text);
}

/* The members of an object, and one more of the name of the first. */
static void many_members(struct kg_text *text, size_t count)
{
    for (size_t i = 0; i <= count; i++)
        kg_text_printf(text, "%s\"m%zu\": %zu", i ? ", " : "{", i % count, i);
    kg_text_append(text, "}");
}

static void no_member_is_twice_among_any_number(void **state)
{
    for (size_t count = 1; count < 3000; count += count < 80 ? 1 : 977) {
        struct kg_text text = {0};
        struct kg_error err;
        many_members(&text, count);
        assert_null(kg_json_read("many", text.data, text.length, &arena, &err));
        assert_string_equal(err.message, "malformed JSON: the member 'm0' occurs twice");
        *strrchr(text.data, 'm') = 'n';
        const struct kg_json *json = kg_json_read("many", text.data, text.length, &arena, &err);
        assert_int_equal(kg_json_count(json), count + 1);
        assert_int_equal(kg_json_whole(kg_json_member(json, "n0")), count);
        kg_text_free(&text);
    }
}

/* --- Pointers --------------------------------------------------------------------------------- */

static void the_examples_of_the_rfc_are_found(void **state)
{
    static const char *const pointers[] = {"/",     "/a~1b", "/c%d", "/e^f", "/g|h",
                                           "/i\\j", "/k\"l", "/ ",   "/m~0n"};
    const struct kg_json *json =
        read_text("{\"foo\": [\"bar\", \"baz\"], \"\": 0, \"a/b\": 1, \"c%d\": 2, \"e^f\": 3, "
                  "\"g|h\": 4, \"i\\\\j\": 5, \"k\\\"l\": 6, \" \": 7, \"m~n\": 8}");
    assert_ptr_equal(kg_json_pointer_find(json, ""), json);
    assert_int_equal(kg_json_count(kg_json_pointer_find(json, "/foo")), 2);
    assert_string_equal(kg_json_string(kg_json_pointer_find(json, "/foo/0")), "bar");
    for (size_t i = 0; i < sizeof pointers / sizeof *pointers; i++) {
        assert_true(kg_json_pointer_good(pointers[i]));
        assert_int_equal(kg_json_whole(kg_json_pointer_find(json, pointers[i])), i);
    }
}

static void what_is_not_there_is_not_found(void **state)
{
    static const char *const missing[] = {
        "/b",    "/a/2",   "/a/-", "/a/01", "/a/1x",
        "/a/0/", "/a/0/x", "/aa",  "/a~0",  "/a/99999999999999999999"};
    const struct kg_json *json = read_text("{\"a\": [1, 2]}");
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++)
        assert_null(kg_json_pointer_find(json, missing[i]));
}

static void what_is_no_pointer_is_refused(void **state)
{
    assert_true(kg_json_pointer_good(""));
    assert_false(kg_json_pointer_good("a"));
    assert_false(kg_json_pointer_good("a/b"));
    assert_false(kg_json_pointer_good("/~"));
    assert_false(kg_json_pointer_good("/~2"));
}

/* --- Memory ----------------------------------------------------------------------------------- */

enum { LONG = 8 * 1024 * 1024, MORE = 4 * 1024 * 1024 };

/* Limits this process to `more` bytes above its current memory. */
static void memory_limit(size_t more)
{
    size_t pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (!file || fscanf(file, "%zu", &pages) != 1)
        _exit(1);
    fclose(file);
    const struct rlimit limit = {pages * (size_t)sysconf(_SC_PAGESIZE) + more, RLIM_INFINITY};
    if (setrlimit(RLIMIT_AS, &limit) != 0)
        _exit(1);
}

enum { NO_MEMORY = 9 };

/* In a process of its own. */
static void parse_without_memory(const char *text)
{
    struct kg_error err;
    memory_limit(MORE);
    kg_memory_end_process(NO_MEMORY, "");
    kg_json_read("long", text, strlen(text), &arena, &err);
}

static void string_that_memory_does_not_hold_ends_the_process_and_is_never_shorter(void **state)
{
    int status;
#ifdef __SANITIZE_ADDRESS__
    skip(); /* AddressSanitizer ends a process that has no memory */
#endif
    char *text = malloc(LONG + 16);
    assert_non_null(text);
    strcpy(text, "{\"a\": \"");
    const size_t start = strlen(text);
    memset(text + start, 'x', LONG);
    strcpy(text + start + LONG, "\"}");
    const pid_t child = fork();
    if (child == 0) {
        parse_without_memory(text);
        _exit(2);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), NO_MEMORY);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_value_is_read),
        cmocka_unit_test(values_alone_are_texts_too),
        cmocka_unit_test(items_and_members_come_in_the_order_of_the_text),
        cmocka_unit_test(other_kinds_are_as_values_that_are_not_there),
        cmocka_unit_test(faults_are_named_at_their_line_and_column),
        cmocka_unit_test(a_zero_byte_is_no_json),
        cmocka_unit_test(depth_has_a_limit),
        cmocka_unit_test(no_member_is_twice_among_any_number),
        cmocka_unit_test(the_examples_of_the_rfc_are_found),
        cmocka_unit_test(what_is_not_there_is_not_found),
        cmocka_unit_test(what_is_no_pointer_is_refused),
        cmocka_unit_test(string_that_memory_does_not_hold_ends_the_process_and_is_never_shorter),
    };
    return cmocka_run_group_tests_name("json_tree", tests, NULL, arena_release);
}
