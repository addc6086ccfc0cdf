/* Records: errors of a table's rows, their messages, and the accepted schemas. */
#include "test_support.h"

#include "base/record.h"

struct part {
    double height;
};

struct thing {
    const char *name;
    const char *colour;
    double weight, share, marks;
    uint64_t count, grade;
    double *values;
    size_t value_count;
    const char **words;
    size_t word_count;
    struct part *parts;
    size_t part_count;
};

#define STRUCT part
static const struct kg_field part_fields[] = {
    KG_FIELD(height, REAL, "in all", KG_OPTIONAL, KG_ABOVE_0),
};
static const struct kg_record part_record = KG_RECORD_OF(part_fields, "A part.");
#undef STRUCT

#define STRUCT thing
static const struct kg_field thing_fields[] = {
    KG_FIELD(name, STRING, "its name", KG_NOT_EMPTY),
    KG_FIELD(colour, STRING, "seen", KG_OPTIONAL, KG_WORDS("red", "blue")),
    KG_FIELD(weight, REAL, "in air", KG_FROM_0),
    KG_FIELD(share, REAL, "of it", KG_NULLABLE, KG_INSIDE(0, 1)),
    KG_FIELD(marks, REAL, "known or not", KG_OPTIONAL, KG_WHOLE),
    KG_FIELD(count, COUNT, "from one", KG_BETWEEN(1, 9)),
    KG_FIELD(grade, COUNT, "not two", KG_OPTIONAL, KG_WORDS("1", "3")),
    KG_LIST(values, value_count, REALS, "measured", KG_OPTIONAL, KG_NOT_EMPTY, KG_FROM(2)),
    KG_LIST(words, word_count, STRINGS, "said", KG_OPTIONAL, KG_DISTINCT),
    KG_LIST(parts, part_count, COLUMNS, "its parts", KG_OPTIONAL, KG_OF(part_record)),
    KG_MENTION(remark, STRING, "for readers", KG_OPTIONAL),
};

static const struct kg_record thing_record = KG_RECORD_OF(thing_fields, "A thing.");
#undef STRUCT

#define SCHEMA "kgate.thing.v1"

static struct kg_arena arena;

static bool parse(const char *text, struct thing *thing, struct kg_error *err)
{
    *thing = (struct thing){0};
    return kg_record_parse(&thing_record, SCHEMA, "file", text, strlen(text), &arena, thing, err);
}

/* The good members, then more, which would be refused if they were there twice. */
static bool parse_with(const char *members, struct thing *thing, struct kg_error *err)
{
    char text[512];
    snprintf(text, sizeof text, "{\"schema\": \"" SCHEMA "\", %s}", members);
    return parse(text, thing, err);
}

#define GOOD "\"name\": \"a\", \"weight\": 1, \"share\": 0.5, \"count\": 3"

static int arena_release(void **state)
{
    kg_arena_free(&arena);
    return 0;
}

static void what_is_in_range_is_read(void **state)
{
    struct thing thing;
    struct kg_error err;
    if (!parse_with(GOOD
                    ", \"colour\": \"blue\", \"marks\": 4, \"grade\": 3, \"values\": [2, 7.5], "
                    "\"words\": [\"x\", \"y\"], \"parts\": {\"height\": [null, 2]}, "
                    "\"remark\": \"hi\", \"later\": true",
                    &thing, &err))
        fail_msg("%s", err.message);
    assert_string_equal(thing.colour, "blue");
    assert_true(thing.value_count == 2 && thing.values[1] == 7.5);
    assert_true(thing.part_count == 2 && isnan(thing.parts[0].height));
    assert_true(thing.count == 3 && thing.word_count == 2);
}

static void unknown_numbers_are_in_every_range(void **state)
{
    struct thing thing;
    struct kg_error err;
    assert_true(
        parse_with("\"name\": \"a\", \"weight\": 0, \"share\": null, \"count\": 1", &thing, &err));
    assert_true(isnan(thing.share) && isnan(thing.marks) && thing.weight == 0);
}

static void what_does_not_fit_is_named_with_what_was_expected(void **state)
{
    static const struct {
        const char *members, *message;
    } cases[] = {
        {"\"name\": \"\", \"weight\": 1, \"share\": 0.5, \"count\": 3",
         "name: expected a non-empty string, found \"\""},
        {"\"name\": \"a\", \"weight\": -1, \"share\": 0.5, \"count\": 3",
         "weight: expected a number from 0 up, found -1"},
        {"\"name\": \"a\", \"weight\": null, \"share\": 0.5, \"count\": 3",
         "weight: expected a number, found null"},
        {"\"name\": \"a\", \"weight\": 1, \"share\": 1, \"count\": 3",
         "share: expected a number between 0 and 1, found 1"},
        {"\"name\": \"a\", \"weight\": 1, \"share\": 0.5, \"count\": 0",
         "count: expected a whole number from 1 to 9, found 0"},
        {"\"name\": \"a\", \"weight\": 1, \"share\": 0.5, \"count\": 10",
         "count: expected a whole number from 1 to 9, found 10"},
        {GOOD ", \"colour\": \"green\"", "colour: expected one of red, blue, found 'green'"},
        {GOOD ", \"grade\": 2", "grade: expected one of 1, 3, found '2'"},
        {GOOD ", \"marks\": 0.5",
         "marks: expected a whole number from 0 up, of at most 63 bits, found 0.5"},
        {GOOD ", \"values\": []", "values: expected a list of at least one number, found none"},
        {GOOD ", \"values\": [2, 1]", "values[1]: expected a number from 2 up, found 1"},
        {GOOD ", \"values\": [null]", "values[0]: expected a number, found null"},
        {GOOD ", \"words\": [\"x\", \"y\", \"x\"]",
         "words: expected different strings, found 'x' twice"},
        {GOOD ", \"parts\": {\"height\": [1, 0]}",
         "parts.height[1]: expected a number above 0, found 0"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct thing thing;
        struct kg_error err;
        if (parse_with(cases[i].members, &thing, &err))
            fail_msg("read: %s", cases[i].members);
        if (strcmp(err.message, cases[i].message) != 0)
            fail_msg("'%s', expected '%s'", err.message, cases[i].message);
    }
}

static void other_versions_and_files_are_refused_by_name(void **state)
{
    static const char *const cases[][2] = {
        {"kgate.thing.v2", "written by a newer kgate (kgate.thing.v2; this kgate reads up to v1)"},
        {"kgate.thing.v12",
         "written by a newer kgate (kgate.thing.v12; this kgate reads up to v1)"},
        {"kgate.thing.v0", "schema: expected 'kgate.thing.v1', found 'kgate.thing.v0'"},
        {"kgate.other.v2",
         "this is a file of kind 'other', but kind 'thing' is needed (schema: expected "
         "'kgate.thing.v1', found 'kgate.other.v2')"},
        {"kgate.thing.v-1", "schema: expected 'kgate.thing.v1', found 'kgate.thing.v-1'"},
        {"kgate.thing.v+2", "schema: expected 'kgate.thing.v1', found 'kgate.thing.v+2'"},
        {"kgate.thing.v2x", "schema: expected 'kgate.thing.v1', found 'kgate.thing.v2x'"},
        {"kgate.thing.v", "schema: expected 'kgate.thing.v1', found 'kgate.thing.v'"},
        {"thing", "schema: expected 'kgate.thing.v1', found 'thing'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct thing thing;
        struct kg_error err;
        char text[128];
        snprintf(text, sizeof text, "{\"schema\": \"%s\", " GOOD "}", cases[i][0]);
        assert_false(parse(text, &thing, &err));
        assert_string_equal(err.message, cases[i][1]);
        assert_string_equal(err.path, "file");
    }
}

static void a_schema_is_of_a_kind_whatever_its_version(void **state)
{
    assert_true(kg_schema_is("kgate.results.v1", "kgate.results.v20"));
    assert_false(kg_schema_is("kgate.results.v1", "kgate.result.v1"));
    assert_false(kg_schema_is("kgate.results.v1", "kgate.results.v-1"));
    assert_false(kg_schema_is("kgate.ceilings.v1", "kgate.cpu_ceilings.v1"));
}

/* Diffs of baselines in a repository are read: a member a line, but numbers beside each other. */
static void a_file_has_a_line_for_each_member_and_one_for_a_list_of_numbers(void **state)
{
    static const char *const words[] = {"said \"so\"", "ung\374ltig"};
    double values[] = {2, 2.5};
    struct part parts[] = {{1}, {NAN}};
    const struct thing thing = {.name = "a",
                                .weight = 0.1,
                                .share = NAN,
                                .marks = NAN,
                                .count = 3,
                                .grade = 1,
                                .values = values,
                                .value_count = 2,
                                .words = (const char **)(uintptr_t)words,
                                .word_count = 2,
                                .parts = parts,
                                .part_count = 2};
    struct kg_text text = {0};
    struct kg_error err;
    if (!kg_record_print(&thing_record, &thing, SCHEMA, &text, &err))
        fail_msg("%s", err.message);
    assert_string_equal(text.data, "{\n  \"schema\": \"" SCHEMA "\",\n  \"name\": \"a\",\n"
                                   "  \"weight\": 0.1,\n  \"share\": null,\n  \"count\": 3,\n"
                                   "  \"grade\": 1,\n  \"values\": [2.0, 2.5],\n"
                                   "  \"words\": [\"said \\\"so\\\"\", \"ung\\\\xfcltig\"],\n"
                                   "  \"parts\": {\n    \"height\": [1.0, null]\n  }\n}\n");
    kg_text_free(&text);
    kg_record_line(&part_record, &parts[0], "kgate.part.v1", &text);
    kg_record_line(&part_record, &parts[1], NULL, &text);
    assert_string_equal(text.data, "{\"schema\": \"kgate.part.v1\", \"height\": 1.0}{}");
    kg_text_free(&text);
}

static void what_could_not_be_read_again_is_not_written(void **state)
{
    const struct thing thing = {.name = "a", .weight = -1, .count = 3, .grade = 1};
    struct kg_text text = {0};
    struct kg_error err;
    assert_false(kg_record_print(&thing_record, &thing, SCHEMA, &text, &err));
    assert_int_equal(err.kind, KG_ERROR_SYSTEM);
    assert_non_null(strstr(err.message, "weight: expected a number from 0 up, found -1"));
    kg_text_free(&text);
}

static void what_is_too_long_to_be_read_is_refused_with_what_to_do(void **state)
{
    struct kg_error err = {0};
    assert_true(kg_record_length_good(KG_RECORD_FILE_MOST, &err));
    assert_false(kg_record_length_good(KG_RECORD_FILE_MOST + 1, &err));
    assert_int_equal(err.kind, KG_ERROR_SYSTEM);
    assert_non_null(strstr(err.message, "at most 1 GiB"));
    assert_non_null(strstr(err.message, "--keep"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_in_range_is_read),
        cmocka_unit_test(unknown_numbers_are_in_every_range),
        cmocka_unit_test(what_does_not_fit_is_named_with_what_was_expected),
        cmocka_unit_test(other_versions_and_files_are_refused_by_name),
        cmocka_unit_test(a_schema_is_of_a_kind_whatever_its_version),
        cmocka_unit_test(a_file_has_a_line_for_each_member_and_one_for_a_list_of_numbers),
        cmocka_unit_test(what_could_not_be_read_again_is_not_written),
        cmocka_unit_test(what_is_too_long_to_be_read_is_refused_with_what_to_do),
    };
    return cmocka_run_group_tests_name("record", tests, NULL, arena_release);
}
