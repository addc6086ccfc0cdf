/* Hostile input: kgate refuses it in bounded time and memory, and nothing crashes. Run under the
 * sanitizers, which show a stray read. */
#include "test_support.h"

#include <time.h>

#include "base/text.h"
#include "model/suite.h"

#define HEAD "version: 1\n"

/* Parses a copy of exactly this length, so that sanitizers find a read past its end. */
static bool parse(const char *bytes, size_t length, struct kg_error *err)
{
    struct kg_suite suite;
    char *copy = malloc(length ? length : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, length);
    *err = (struct kg_error){0};
    const bool good = kg_suite_parse("s", copy, length, NULL, 0, &suite, err);
    free(copy);
    if (good)
        kg_suite_free(&suite);
    else if (err->kind != KG_ERROR_USAGE || !err->message[0] || suite.arena.head)
        fail_msg("kind %d: '%s'", (int)err->kind, err->message);
    return good;
}

static void refused(const char *bytes, size_t length, unsigned line, unsigned column,
                    const char *message)
{
    struct kg_error err;
    const clock_t start = clock();
    if (parse(bytes, length, &err))
        fail_msg("accepted; expected: %s", message);
    if (err.line != line || err.column != column || !strstr(err.message, message))
        fail_msg("%u:%u: %s\nexpected %u:%u: %s", err.line, err.column, err.message, line, column,
                 message);
    if ((clock() - start) / CLOCKS_PER_SEC > 20)
        fail_msg("took too long: %s", message);
}

static void refused_text(struct kg_text *text, unsigned line, unsigned column, const char *message)
{
    assert_false(text->failed);
    refused(text->data, text->length, line, column, message);
    kg_text_free(text);
}

static void repeat(struct kg_text *text, const char *string, size_t count)
{
    for (size_t i = 0; i < count; i++)
        kg_text_append(text, string);
}

static void deep_nesting(void **state)
{
    struct kg_text flow = {0}, block = {0}, alias = {0};
    kg_text_append(&flow, HEAD "x-a: ");
    repeat(&flow, "[", 1000000);
    refused_text(&flow, 2, 37, "nested too deeply: at most 32 levels");
    kg_text_append(&block, HEAD "x-a:\n ");
    repeat(&block, "- ", 100000);
    refused_text(&block, 3, 64, "nested too deeply");
    kg_text_append(&alias, HEAD "x-a: &a [[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]\n"
                                "x-b: [[[[[[[[[[[[[[[[[[[[*a]]]]]]]]]]]]]]]]]]]]\n");
    refused_text(&alias, 3, 26, "with aliases followed");
}

static void billion_laughs(void **state)
{
    struct kg_text text = {0};
    kg_text_append(&text, HEAD "x-0: &a0 [l,l,l,l,l,l,l,l,l,l]\n");
    for (int i = 1; i < 10; i++)
        kg_text_printf(&text, "x-%d: &a%d [*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d]\n", i,
                       i, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1);
    refused_text(&text, 7, 39, "more than 1000000 values");
}

static void laughing_merge_keys(void **state)
{
    struct kg_text text = {0};
    kg_text_append(&text, HEAD "x-0: &a0 {k: 1}\n");
    for (int i = 1; i < 30; i++)
        kg_text_printf(&text, "x-%d: &a%d {<<: [*a%d, *a%d]}\n", i, i, i - 1, i - 1);
    /* The list and the mapping of each level count as depth, which is used up before the nodes. */
    refused_text(&text, 18, 18, "nested too deeply");
}

static void large_input(void **state)
{
    struct kg_text scalar = {0}, file = {0}, nodes = {0}, anchors = {0}, key = {0};
    kg_text_append(&scalar, HEAD "suite: ");
    repeat(&scalar, "0123456789abcdef", 65536);
    refused_text(&scalar, 2, 8, "a text of 1048576 bytes; at most 65536");
    repeat(&file, "# 345678901234\n\n", 1024 * 1024);
    kg_text_append(&file, " ");
    refused_text(&file, 0, 0, "at most 16777216 are allowed");
    kg_text_append(&nodes, HEAD "x-a: [");
    repeat(&nodes, "1,\n", 1000001);
    refused_text(&nodes, 999997, 1, "more than 1000000 values");
    kg_text_append(&anchors, HEAD "x-a:\n");
    for (int i = 0; i < 5000; i++)
        kg_text_printf(&anchors, "- &a%d x\n", i);
    refused_text(&anchors, 3 + 1024, 3, "too many anchors: at most 1024");
    kg_text_append(&key, HEAD "? ");
    repeat(&key, "k", 60000);
    kg_text_append(&key, "\n: 1\n");
    refused_text(&key, 2, 3, "unknown key 'kkkkkkkk");
}

static void many_keys(void **state)
{
    struct kg_text text = {0}, params = {0};
    kg_text_append(&text, HEAD);
    for (int i = 0; i < 200000; i++)
        kg_text_printf(&text, "x-%d: 1\n", i);
    kg_text_append(&text, "x-7: 2\n");
    refused_text(&text, 200002, 1, "key 'x-7' is already given in line 9");
    kg_text_append(&params, HEAD "workloads:\n- name: a\n  kernel: a\n  params:\n");
    for (int i = 0; i < 100000; i++)
        kg_text_printf(&params, "    p%d: 1\n", i);
    refused_text(&params, 6 + 64, 5, "too many parameters: at most 64");
}

static void bytes_that_are_no_text(void **state)
{
    static const char nul[] = HEAD "suite: a\0b\n";
    static const char utf16[] = "\xFF\xFEv\0e\0r\0";
    refused(HEAD "suite: \"\xC3\xA4\xFF\"\n", 11 + 12, 2, 10, "not a text file in UTF-8");
    refused(HEAD "suite: \xED\xA0\x80\n", 11 + 11, 2, 8, "not a text file in UTF-8");
    refused(HEAD "suite: \xC0\x80\n", 11 + 10, 2, 8, "not a text file in UTF-8");
    refused(HEAD "suite: \xC3", 11 + 8, 2, 8, "not a text file in UTF-8");
    refused(nul, sizeof nul - 1, 2, 9, "control characters are not allowed");
    refused(HEAD "suite: \x1B[2J\n", 11 + 12, 2, 8, "control characters are not allowed");
    refused(utf16, sizeof utf16 - 1, 1, 1, "not a text file in UTF-8");
}

static void too_many_cases(void **state)
{
    static const char *const cases[] = {
        HEAD "workloads:\n- name: a\n  kernel: a\n  matrix:\n"
             "    a: {range: [1, 1000, 1]}\n    b: {range: [1, 1000, 1]}\n"
             "    c: {range: [1, 1000, 1]}\n",
        HEAD "workloads:\n- name: a\n  kernel: a\n  matrix: {a: {range: [1, 50001, 1]}}\n"
             "  devices: [cpu, cuda]\n",
        HEAD "workloads:\n- {name: b, kernel: a, matrix: {a: {range: [1, 99999, 1]}}}\n"
             "- name: a\n  matrix: {a: [1, 2]}\n  kernel: a\n",
    };
    struct kg_text text = {0};
    struct kg_error err;
    refused(cases[0], strlen(cases[0]), 5, 3, "too many combinations: at most 100000");
    refused(cases[1], strlen(cases[1]), 5, 3, "too many cases: at most 100000");
    refused(cases[2], strlen(cases[2]), 5, 3, "too many cases: at most 100000");
    kg_text_append(&text, HEAD "workloads:\n- name: a\n  kernel: a\n  matrix:\n");
    for (int i = 0; i < 64; i++)
        kg_text_printf(&text, "    p%d: {range: [1, 1000000, 1]}\n", i);
    refused_text(&text, 5, 3, "too many combinations");
    static const char most[] =
        HEAD "workloads: [{name: a, kernel: a, matrix: {n: {range: [1, 100000, 1]}}}]\n";
    assert_true(parse(most, sizeof most - 1, &err));
}

static const char good[] =
    "\xEF\xBB\xBF" HEAD "suite: \"gr\\u00fc\xC3\x9F\"\n"
    "x-a: &a {threshold: 1%, rounds: {min: 3}}\n"
    "policy: {fail_on: [NEW], missing_device: fail}\n"
    "defaults: {devices: [cpu, cuda], alpha: 1%, pin: auto, memory_limit: none}\n"
    "workloads:\n"
    "  - {name: a, kernel: k, <<: *a, matrix: {n: {pow2: [0, 9]}, m: {range: [1, 9, 2]}}}\n"
    "  - name: b\n    <<: [*a]\n    command:\n      - |\n        sh\n      - >-\n        x {n}\n"
    "    params: {n: 'it''s', o: 1}\n    budget: {time: \"<= 5ms\"}\n    tags: [t]\n"
    "  - name: c\n    plugin: b.so\n    workload: w\n    timeout: 1s\n";

static void every_truncation_is_read_or_refused(void **state)
{
    struct kg_error err;
    for (size_t length = 0; length < sizeof good; length++)
        parse(good, length, &err);
    assert_true(parse(good, sizeof good - 1, &err));
}

static uint64_t random_next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void random_damage_is_read_or_refused(void **state)
{
    static const char syntax[] = "{}[]:,&*!|>'\"%@`#-? \n\t~\\";
    uint64_t seed = 0x9E3779B97F4A7C15;
    struct kg_error err;
    print_message("seed %llx\n", (unsigned long long)seed);
    for (int round = 0; round < 6000; round++) {
        char bytes[sizeof good];
        memcpy(bytes, good, sizeof good);
        for (uint64_t flips = 1 + random_next(&seed) % 4; flips; flips--) {
            const size_t at = random_next(&seed) % (sizeof good - 1);
            if (random_next(&seed) % 2)
                bytes[at] = syntax[random_next(&seed) % (sizeof syntax - 1)];
            else
                bytes[at] = (char)(bytes[at] ^ (1 << random_next(&seed) % 8));
        }
        parse(bytes, sizeof good - 1, &err);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(deep_nesting),
        cmocka_unit_test(billion_laughs),
        cmocka_unit_test(laughing_merge_keys),
        cmocka_unit_test(large_input),
        cmocka_unit_test(many_keys),
        cmocka_unit_test(bytes_that_are_no_text),
        cmocka_unit_test(too_many_cases),
        cmocka_unit_test(every_truncation_is_read_or_refused),
        cmocka_unit_test(random_damage_is_read_or_refused),
    };
    return cmocka_run_group_tests_name("suite hostile", tests, NULL, NULL);
}
