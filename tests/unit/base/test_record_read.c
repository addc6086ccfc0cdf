/* Records from the bytes of a text: difficult numbers, strings and structure, and every byte
 * replaced. Each text is also read as a tree, and part by part. */
#include "test_support.h"

#include "base/json_text.h"
#include "base/json_tree.h"
#include "base/record.h"

#define SCHEMA "kgate.sample.v1"

struct round {
    double time;
    uint64_t calls;
    double *samples;
    size_t sample_count;
    const char *label, *own;
};

struct sample {
    const char *name;
    double value, share;
    uint64_t count;
    size_t size;
    bool good;
    int colour;
    unsigned bits;
    const char **words;
    size_t word_count;
    struct kg_pair *params;
    size_t param_count;
    struct round one;
    struct round *many, *rounds;
    size_t many_count, round_count;
};

static const char *const colours[] = {"red", "green", "blue", NULL};

#define STRUCT round
static const struct kg_field round_fields[] = {
    KG_FIELD(time, REAL, "of it", KG_OPTIONAL),
    KG_FIELD(calls, COUNT, "in it", KG_OPTIONAL),
    KG_LIST(samples, sample_count, REALS, "kept", KG_OPTIONAL, KG_NULLABLE),
    KG_FIELD(label, STRING, "of several", KG_OPTIONAL),
    KG_FIELD(own, STRING, "of it alone", KG_OPTIONAL),
};
static const struct kg_record round_record = KG_RECORD_OF(round_fields, "A round.");
#undef STRUCT

#define STRUCT sample
static const struct kg_field sample_fields[] = {
    KG_FIELD(name, STRING, "its name", KG_OPTIONAL),
    KG_FIELD(value, REAL, "any", KG_OPTIONAL),
    KG_FIELD(share, REAL, "of all", KG_OPTIONAL, KG_BETWEEN(0, 1)),
    KG_FIELD(count, COUNT, "any", KG_OPTIONAL),
    KG_FIELD(size, SIZE, "1 or 2", KG_OPTIONAL, KG_WORDS("1", "2")),
    KG_FIELD(good, BOOL, "or not", KG_OPTIONAL),
    KG_FIELD(colour, ENUM, "seen", KG_OPTIONAL, KG_NAMES(colours)),
    KG_FIELD(bits, BITS, "mixed", KG_OPTIONAL, KG_NAMES(colours)),
    KG_LIST(words, word_count, STRINGS, "said", KG_OPTIONAL, KG_DISTINCT),
    KG_LIST(params, param_count, PAIRS, "given", KG_OPTIONAL),
    KG_FIELD(one, RECORD, "a round", KG_OPTIONAL, KG_OF(round_record)),
    KG_LIST(many, many_count, RECORDS, "rounds", KG_OPTIONAL, KG_OF(round_record)),
    KG_LIST(rounds, round_count, COLUMNS, "rounds", KG_OPTIONAL, KG_OF(round_record)),
    KG_MENTION(remark, STRING, "for readers", KG_OPTIONAL),
};
static const struct kg_record sample_record = KG_RECORD_OF(sample_fields, "A sample.");
#undef STRUCT

/* Reads an unlinked file of this text by parts. */
static bool parts_read(const char *bytes, size_t length, struct kg_arena *arena,
                       struct sample *sample)
{
    char path[] = "/tmp/kgate_parts_XXXXXX";
    FILE *file = fdopen(mkstemp(path), "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
    const bool good = kg_record_load_parts(&sample_record, SCHEMA, path, arena, sample);
    unlink(path);
    return good;
}

/* Whether the reader accepts a text. Fills `sample`. */
static bool text_read(const char *bytes, size_t length, struct kg_arena *arena,
                      struct sample *sample)
{
    struct kg_error err = {0};
    struct kg_error unsaid;
    const bool good =
        kg_record_parse(&sample_record, SCHEMA, "text", bytes, length, arena, sample, &err);
    const bool json = kg_json_read("text", bytes, length, arena, &unsaid) != NULL;
    if (good ? !json : json && strstr(err.message, "malformed"))
        fail_msg("%.*s: %s as a record, %s as a tree", (int)length, bytes,
                 good ? "read" : err.message, json ? "read" : unsaid.message);
    return good;
}

static bool is_read(const char *bytes, size_t length)
{
    struct kg_arena arena = {0};
    struct sample sample = {0};
    const bool good = text_read(bytes, length, &arena, &sample);
    kg_arena_free(&arena);
    return good;
}

/* is_read for a file with these members. */
static bool member_read(const char *member)
{
    char text[4096];
    const int length = snprintf(text, sizeof text, "{\"schema\": \"" SCHEMA "\", %s}", member);
    return is_read(text, (size_t)length);
}

/* A number, which the C library reads alike. */
static void expect_number(const char *number)
{
    char text[200];
    struct kg_arena arena = {0};
    struct sample sample = {0};
    const int length =
        snprintf(text, sizeof text, "{\"schema\": \"" SCHEMA "\", \"value\": %s}", number);
    const double wanted = strcmp(number, "null") != 0 ? strtod(number, NULL) : NAN;
    if (!text_read(text, (size_t)length, &arena, &sample))
        fail_msg("%s is refused", number);
    if (sample.value != wanted && !(isnan(wanted) && isnan(sample.value)))
        fail_msg("%s is read as %.17g", number, sample.value);
    kg_arena_free(&arena);
}

static void numbers_are_those_of_the_c_library(void **state)
{
    static const char *const good[] = {"0",
                                       "-0",
                                       "-0.0",
                                       "0.0",
                                       "1",
                                       "-1",
                                       "0.1",
                                       "1e5",
                                       "1E+05",
                                       "1e-5",
                                       "123456.789",
                                       "5e-324",
                                       "2.2250738585072011e-308",
                                       "1e-400",
                                       "1.7976931348623157e308",
                                       "9007199254740993",
                                       "9007199254740993.0",
                                       "9223372036854775807",
                                       "-9223372036854775808",
                                       "0e999999999999",
                                       "0.30000000000000004",
                                       "1.00000000000000011102230246251565404236316680908203124",
                                       "1.00000000000000011102230246251565404236316680908203126",
                                       "123456789012345678901e-20",
                                       "8.5e22",
                                       "1e22",
                                       "1e23",
                                       "0.000000000000000000000000000001",
                                       "4503599627370496.5",
                                       "null"};
    static const char *const bad[] = {"01",
                                      "-",
                                      "+1",
                                      ".5",
                                      "1.",
                                      "1e",
                                      "1e+",
                                      "--1",
                                      "1e309",
                                      "-1e309",
                                      "9223372036854775808",
                                      "-9223372036854775809",
                                      "99999999999999999999",
                                      "0x10",
                                      "NaN",
                                      "Infinity",
                                      "1 2",
                                      "1,",
                                      "",
                                      "\"1\"",
                                      "true",
                                      "nul",
                                      "nulls",
                                      "1f",
                                      "1_000"};
    char member[200];
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        expect_number(good[i]);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(member, sizeof member, "\"value\": %s", bad[i]);
        if (member_read(member))
            fail_msg("%s is read", bad[i]);
    }
}

/* Numbers of a digit, and of two around a point, are taken at once in a list. */
static void short_numbers_of_a_list_are_read(void **state)
{
    static const char *const good[] = {"0,9,3", "0.0,9.9,0.5,5.0", "1.5 ,2\n,3",
                                       "10,0.25,1e3,1.5e1,-1.5,-0,00.5"};
    static const char *const ends[] = {"",  " ", ",7",  ",7.5", "x",
                                       ",", ".", ",7.", ",07",  ",0.0.0"};
    char member[200];
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        for (size_t end = 0; end < sizeof ends / sizeof *ends; end++) {
            snprintf(member, sizeof member, "\"one\": {\"samples\": [%s%s]}", good[i], ends[end]);
            if (member_read(member) != (i < 3 && end < 4))
                fail_msg("%s is %s", member, i < 3 && end < 4 ? "refused" : "read");
        }
}

/* The reader takes eight digits at a time if eight bytes are left, and single digits at the end of
 * a text. */
static void digits_before_and_after_a_point_may_be_any_number(void **state)
{
    static const char digits[] = "19876543210123456789";
    static const char *const ends[] = {"", "e0", "E-7", " ", ":", "/"};
    char member[200];
    for (int before = 1; before <= 20; before++)
        for (int after = 0; after <= 20; after++)
            for (size_t end = 0; end < sizeof ends / sizeof *ends; end++) {
                snprintf(member, sizeof member, "\"value\": -%.*s%s%.*s%s", before, digits,
                         after ? "." : "", after, digits + 20 - after, ends[end]);
                const bool whole_too_large = !after && end != 1 && end != 2 && before > 19;
                if (member_read(member) != (end < 4 && !whole_too_large))
                    fail_msg("%s is %s", member, end < 4 ? "refused" : "read");
            }
}

static void whole_numbers_and_ranges_are_kept(void **state)
{
    assert_true(member_read("\"count\": 9223372036854775807, \"size\": 2, \"share\": 1"));
    assert_true(member_read("\"count\": -0"));
    static const char *const bad[] = {"\"count\": 1.0",    "\"count\": 1e2", "\"count\": -1",
                                      "\"share\": 1.0001", "\"share\": -1",  "\"size\": 3",
                                      "\"good\": 1",       "\"good\": tru",  "\"count\": [1]"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (member_read(bad[i]))
            fail_msg("%s is read", bad[i]);
}

static void strings_are_unescaped_and_checked(void **state)
{
    static const char *const good[] = {"",
                                       "a",
                                       "\\\"\\\\\\/\\b\\f\\n\\r\\t",
                                       "\\u0041\\u00e9\\u20AC\\uFFFF",
                                       "\\ud83d\\ude00",
                                       "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80",
                                       "\x7f",
                                       "\\\\u0000",
                                       "a\\u0001b"};
    static const char *const bad[] = {"\\u0000",
                                      "\\ud800",
                                      "\\udc00",
                                      "\\ud83d\\u0041",
                                      "\\ud83dx",
                                      "\\u12",
                                      "\\u12G4",
                                      "\\x41",
                                      "\\",
                                      "\n",
                                      "\t",
                                      "\x01",
                                      "\xff",
                                      "\xc0\x80",
                                      "\xc3",
                                      "\xed\xa0\x80",
                                      "\xf4\x90\x80\x80",
                                      "\"",
                                      "\\u"};
    char member[200];
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        snprintf(member, sizeof member, "\"name\": \"%s\", \"x%s\": 1", good[i], good[i]);
        if (!member_read(member))
            fail_msg("'%s' is refused", good[i]);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(member, sizeof member, "\"name\": \"%s\"", bad[i]);
        if (member_read(member))
            fail_msg("'%s' is read", bad[i]);
        snprintf(member, sizeof member, "\"x%s\": 1", bad[i]);
        if (member_read(member))
            fail_msg("a member '%s' is read", bad[i]);
    }
}

static void structure_is_checked(void **state)
{
    static const char *const good[] = {
        "\"colour\": \"\\u0072ed\", \"bits\": [\"red\", \"blue\", \"red\"]",
        "\"c\\u006flour\": \"blue\"",
        "\"words\": [], \"params\": {}, \"many\": [], \"rounds\": {}",
        "\"words\": [\"a\", \"b\"], \"params\": {\"x\": \"1\", \"w\": \"2\"}",
        "\"one\": {}, \"many\": [{}, {\"calls\": 1}]",
        "\"one\": null, \"name\": null, \"many\": null, \"good\": null",
        "\"rounds\": {\"time\": [1, null], \"samples\": [[], [1, null]], \"other\": {}}",
        "\"rounds\": {\"samples\": [[1]], \"calls\": [7], \"time\": [0.5]}",
        "\"words\" : [\"a\"], \"value\": 1, \"newer\": 2, \"shared\": 3, \"sh\": 4, \"share\": 0.5",
        "\"newer\": {\"a\": [1, {\"b\": null}, \"c\"], \"d\": true}, \"remark\": [false]"};
    static const char *const bad[] = {"\"schema\": \"" SCHEMA "\"",
                                      "\"name\": \"a\", \"name\": \"a\"",
                                      "\"n\\u0061me\": \"a\", \"name\": \"a\"",
                                      "\"newer\": 1, \"newer\": 2",
                                      "\"newer\": {\"a\": 1, \"a\": 1}",
                                      "\"remark\": 1, \"remark\": 1",
                                      "\"params\": {\"x\": \"1\", \"x\": \"2\"}",
                                      "\"params\": {\"x\": 1}",
                                      "\"one\": {\"time\": 1, \"time\": 1}",
                                      "\"rounds\": {\"time\": [1], \"time\": [1]}",
                                      "\"rounds\": {\"time\": [1], \"calls\": [1, 2]}",
                                      "\"rounds\": {\"time\": [1, 2], \"calls\": [1]}",
                                      "\"rounds\": {\"calls\": [1]}",
                                      "\"rounds\": {\"time\": null}",
                                      "\"words\": [\"a\", \"b\", \"a\"]",
                                      "\"words\": [\"a\",]",
                                      "\"words\": [,\"a\"]",
                                      "\"words\": [\"a\" \"b\"]",
                                      "\"colour\": \"pink\"",
                                      "\"bits\": [\"pink\"]",
                                      "\"many\": [{}",
                                      "\"newer\": [1}",
                                      "\"newer\"",
                                      "\"newer\": ",
                                      ", \"name\": \"a\"",
                                      "name: 1"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        if (!member_read(good[i]))
            fail_msg("%s is refused", good[i]);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (member_read(bad[i]))
            fail_msg("%s is read", bad[i]);
}

static void a_text_of_every_other_byte_does_no_harm(void **state)
{
    static const unsigned char others[] = {0,   ' ', '"', '\\', ',', ':', '[', ']',  '{',
                                           '}', '0', '9', '-',  '.', 'e', 'u', 0x1f, 0xff};
    char text[] = " {\"schema\":\"" SCHEMA "\",\"name\":\"a\\u00e9\\n\",\"value\":-12.5e-3,"
                  "\"good\":true,\"bits\":[\"red\"],\"params\":{\"x\":\"1\"},\"words\":[\"a\"],"
                  "\"rounds\":{\"time\":[1.5,null],\"calls\":[10,2],\"samples\":[[1,2],[]]},"
                  "\"many\":[{\"calls\":3},{}],\"newer\":{\"a\":[null,0]}}\n";
    const size_t length = sizeof text - 1;
    assert_true(is_read(text, length));
    for (size_t cut = 0; cut < length - 1; cut++)
        assert_false(is_read(text, cut));
    for (size_t i = 0; i < length; i++) {
        const char kept = text[i];
        for (size_t k = 0; k < sizeof others; k++) {
            text[i] = (char)others[k];
            is_read(text, length);
        }
        text[i] = kept;
    }
}

static void a_file_that_is_refused_leaves_the_object_as_it_was(void **state)
{
    struct kg_arena arena = {0};
    struct sample sample = {.count = 7};
    static const char text[] = "{\"schema\":\"" SCHEMA "\",\"name\":\"a\",\"count\":3,\"size\":9}";
    assert_false(parts_read(text, sizeof text - 1, &arena, &sample));
    assert_int_equal(sample.count, 7);
    assert_null(sample.name);
    assert_null(arena.head);
}

static void refusals_name_their_line_and_column(void **state)
{
    static const struct {
        const char *member;
        unsigned line, column;
        const char *message;
    } cases[] = {
        {"\n \"count\": -1", 2, 11,
         "count: expected a whole number from 0 up, found a negative number"},
        {"\"many\": [{},\n{\"calls\": 1.5}]", 2, 11,
         "many[1].calls: expected a whole number, found a number with a fraction"},
        {"\"rounds\": {\"time\": [1,\n2],\n \"calls\": [1]}", 3, 11,
         "rounds.calls: expected a list of 2 values, as in the other columns, found a list of "
         "another length"},
        {"\"rounds\": {\"time\": [1, \"x\"]}", 1, 54,
         "rounds.time[1]: expected a number, found a string"},
        {"\"params\": {\"\xc3\xa9\": 7}", 1, 47,
         "params.\xc3\xa9: expected a string, found a number"},
        {"\"bits\": [\"red\", \"pink\"]", 1, 47,
         "bits[1]: expected one of red, green, blue, found 'pink'"},
        {"\"one\": []", 1, 38, "one: expected an object, found a list"},
        {"\"good\": 1", 1, 39, "good: expected true or false, found a number"},
        {"\"many\": [{\"time\": }]", 1, 49, "malformed JSON: expected a value, found '}'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[300];
        struct kg_arena arena = {0};
        struct sample sample = {0};
        struct kg_error err = {0};
        const int length =
            snprintf(text, sizeof text, "{\"schema\": \"" SCHEMA "\", %s}", cases[i].member);
        assert_false(kg_record_parse(&sample_record, SCHEMA, "f", text, (size_t)length, &arena,
                                     &sample, &err));
        if (strcmp(err.message, cases[i].message) != 0 || err.line != cases[i].line ||
            err.column != cases[i].column || strcmp(err.path, "f") != 0)
            fail_msg("'%s' at %u:%u", err.message, err.line, err.column);
        kg_arena_free(&arena);
    }
}

/* A text larger than the initial table of strings. Its objects also have members that the table
 * does not name. */
static void large_text(struct kg_text *text, size_t rounds, const char *end)
{
    kg_text_append(text,
                   "{\"schema\": \"" SCHEMA "\", \"newer\": 1, \"name\": \"once\", \"many\": [");
    for (size_t i = 0; i < rounds; i++)
        kg_text_printf(text,
                       "%s{\"calls\": %zu, \"label\": \"same\", \"own\": \"%zu\", \"fresh\": 2}",
                       i ? ",\n" : "", i, i);
    kg_text_printf(text, "]%s}", end);
    assert_false(text->failed);
}

static bool file_read(const struct kg_text *text, struct kg_arena *arena, struct sample *sample)
{
    return parts_read(text->data, text->length, arena, sample);
}

static void a_file_longer_than_the_window_gives_what_its_text_gives(void **state)
{
    enum { ROUNDS = 150000 };
    struct kg_text text = {0};
    struct kg_arena arena = {0};
    struct sample sample = {0};
    size_t copies = 0;
    large_text(&text, ROUNDS, "");
    assert_true(text.length > 2 * KG_JSON_WINDOW);
    assert_true(file_read(&text, &arena, &sample));
    assert_int_equal(sample.many_count, ROUNDS);
    for (size_t i = 0; i < ROUNDS; i++) {
        char own[24];
        snprintf(own, sizeof own, "%zu", i);
        assert_int_equal(sample.many[i].calls, i);
        assert_string_equal(sample.many[i].own, own);
        assert_string_equal(sample.many[i].label, "same");
        copies += !i || sample.many[i].label != sample.many[i - 1].label;
    }
    assert_in_range(copies, 1, ROUNDS / 1000); /* it is forgotten now and then */
    assert_string_equal(sample.name, "once");
    kg_text_free(&text);
    kg_arena_free(&arena);
}

/* The reader compares the name with one that has left the window. */
static void a_member_again_behind_a_window_is_refused(void **state)
{
    struct kg_text text = {0};
    struct kg_arena arena = {0};
    struct sample sample = {0};
    large_text(&text, 150000, ", \"newer\": 1");
    assert_false(file_read(&text, &arena, &sample));
    kg_text_free(&text);
    kg_arena_free(&arena);
}

/* Any amount of white space may follow the end. If the file is cut off there, the reader invents
 * nothing. */
static void what_follows_the_end_is_seen_in_a_later_window(void **state)
{
    static const char *const ends[] = {"", "x", "{}"};
    struct kg_arena arena = {0};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        struct kg_text text = {0};
        struct sample sample = {0};
        large_text(&text, 10, "");
        kg_text_printf(&text, "%*s%s", 2 * KG_JSON_WINDOW, "", ends[i]);
        assert_int_equal(file_read(&text, &arena, &sample), !*ends[i]);
        kg_text_free(&text);
    }
    struct kg_text cut = {0};
    struct sample sample = {0};
    large_text(&cut, 150000, "");
    kg_text_truncate(&cut, cut.length - 1);
    assert_false(file_read(&cut, &arena, &sample));
    assert_int_equal(sample.many_count, 0);
    kg_text_free(&cut);
    kg_arena_free(&arena);
}

/* The path of a file of this text, to be unlinked. */
static void file_write(const struct kg_text *text, char *path)
{
    FILE *file = fdopen(mkstemp(path), "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text->data, 1, text->length, file), text->length);
    assert_int_equal(fclose(file), 0);
}

/* An object too long for the window is read from the whole text. */
static void an_object_longer_than_the_window_is_read_all_the_same(void **state)
{
    char path[] = "/tmp/kgate_long_XXXXXX";
    struct kg_text text = {0};
    struct kg_arena arena = {0};
    struct sample sample = {0};
    struct kg_error err = {0};
    kg_text_append(&text,
                   "{\"schema\": \"" SCHEMA "\", \"name\": \"n\", \"many\": [{\"label\": \"");
    for (size_t i = 0; i < 2 * KG_JSON_WINDOW; i += 8)
        kg_text_append(&text, "longlong");
    kg_text_append(&text, "\", \"own\": \"o\"}]}");
    assert_false(file_read(&text, &arena, &sample));
    file_write(&text, path);
    assert_true(kg_record_load(&sample_record, SCHEMA, path, &arena, &sample, &err));
    assert_int_equal(strlen(sample.many[0].label), 2 * KG_JSON_WINDOW);
    unlink(path);
    kg_text_free(&text);
    kg_arena_free(&arena);
}

static void strings_that_come_again_are_kept_once(void **state)
{
    struct kg_shared shared;
    struct kg_arena arena = {0};
    kg_shared_begin(&shared);
    const char *first = kg_shared_copy(&shared, &arena, "abcd", 3);
    assert_string_equal(first, "abc");
    assert_ptr_equal(kg_shared_copy(&shared, &arena, "abc", 3), first);
    assert_string_equal(kg_shared_copy(&shared, &arena, "ab", 2), "ab");
    assert_string_equal(kg_shared_copy(&shared, &arena, "abcd", 4), "abcd");
    assert_string_equal(kg_shared_copy(&shared, &arena, "", 0), "");
    for (size_t i = 0; i < 100000; i++) { /* more than are remembered */
        char text[24];
        const int length = snprintf(text, sizeof text, "%zu", i);
        assert_string_equal(kg_shared_copy(&shared, &arena, text, (size_t)length), text);
    }
    assert_string_equal(first, "abc");
    kg_shared_end(&shared);
    assert_ptr_not_equal(kg_shared_copy(&shared, &arena, "abc", 3), first);
    kg_arena_free(&arena);
}

/* A file read in parts has the same error messages as any other. */
static void a_large_file_is_refused_as_a_small_one(void **state)
{
    enum { SPACES = 65 << 20 };
    char path[] = "/tmp/kgate_large_XXXXXX";
    const int descriptor = mkstemp(path);
    FILE *file = fdopen(descriptor, "w");
    struct kg_arena arena = {0};
    struct sample sample = {0};
    struct kg_error err = {0};
    assert_non_null(file);
    fprintf(file, "{\"schema\": \"" SCHEMA "\", \"many\": [{}%*s, {}], \"size\": 9}", SPACES, "");
    assert_int_equal(fclose(file), 0);
    assert_false(kg_record_load(&sample_record, SCHEMA, path, &arena, &sample, &err));
    assert_string_equal(err.path, path);
    assert_non_null(strstr(err.message, "size"));
    kg_arena_free(&arena);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_those_of_the_c_library),
        cmocka_unit_test(short_numbers_of_a_list_are_read),
        cmocka_unit_test(digits_before_and_after_a_point_may_be_any_number),
        cmocka_unit_test(whole_numbers_and_ranges_are_kept),
        cmocka_unit_test(strings_are_unescaped_and_checked),
        cmocka_unit_test(structure_is_checked),
        cmocka_unit_test(a_text_of_every_other_byte_does_no_harm),
        cmocka_unit_test(a_file_that_is_refused_leaves_the_object_as_it_was),
        cmocka_unit_test(refusals_name_their_line_and_column),
        cmocka_unit_test(a_file_longer_than_the_window_gives_what_its_text_gives),
        cmocka_unit_test(a_member_again_behind_a_window_is_refused),
        cmocka_unit_test(what_follows_the_end_is_seen_in_a_later_window),
        cmocka_unit_test(an_object_longer_than_the_window_is_read_all_the_same),
        cmocka_unit_test(a_large_file_is_refused_as_a_small_one),
        cmocka_unit_test(strings_that_come_again_are_kept_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
