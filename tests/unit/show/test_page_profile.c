/* Entries of a profile that a page keeps. */
#include "test_support.h"

#include "show/page.h"

enum { ENTRIES = 30000, KEPT = 20000 };

/* A profile of one process: short entries, and from `long_from` on long ones. */
static FILE *profile_of(int entries, int long_from)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    fputs("{\n  \"processes\": [\n    {\"label\":\"a\"}\n  ],\n  \"entries\": [\n", file);
    for (int i = 0; i < entries; i++)
        fprintf(
            file,
            "    {\"process\":0,\"thread\":1,\"path\":%d,\"start_ns\":%d,\"duration_ns\":%d}%s\n",
            i, i, i >= long_from ? 5000 : 10, i + 1 < entries ? "," : "");
    fputs("  ]\n}\n", file);
    return file;
}

static char *page_of(FILE *file)
{
    struct kg_text text = {0};
    struct kg_error err;
    if (!kg_page_profile(file, &text, &err))
        fail_msg("refused: %s", err.message);
    fclose(file);
    return (char *)(uintptr_t)kg_text_string(&text);
}

static size_t entries_of(const char *json)
{
    size_t count = 0;
    for (const char *at = json; (at = strstr(at, "{\"process\":")); at++)
        count++;
    return count;
}

static void a_short_profile_is_kept_whole(void **state)
{
    char *json = page_of(profile_of(3, 3));
    assert_string_equal(
        json, "{  \"processes\": [    {\"label\":\"a\"}  ],  \"entries\": ["
              "    {\"process\":0,\"thread\":1,\"path\":0,\"start_ns\":0,\"duration_ns\":10},"
              "    {\"process\":0,\"thread\":1,\"path\":1,\"start_ns\":1,\"duration_ns\":10},"
              "    {\"process\":0,\"thread\":1,\"path\":2,\"start_ns\":2,\"duration_ns\":10}  ]}");
    free(json);
}

static void of_a_long_one_the_longest_and_the_first_are_kept(void **state)
{
    char *json = page_of(profile_of(ENTRIES, ENTRIES - 5));
    assert_int_equal(entries_of(json), KEPT);
    assert_non_null(strstr(json, "\"path\":0,"));
    assert_non_null(strstr(json, "\"path\":19994,"));
    assert_null(strstr(json, "\"path\":19995,"));
    assert_non_null(strstr(json, "\"path\":29995,"));
    assert_non_null(strstr(json, "\"path\":29999,"));
    free(json);
}

static void of_equally_long_ones_the_first_are_kept(void **state)
{
    char *json = page_of(profile_of(ENTRIES, ENTRIES));
    assert_int_equal(entries_of(json), KEPT);
    assert_non_null(strstr(json, "\"path\":19999,"));
    assert_null(strstr(json, "\"path\":20000,"));
    free(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_short_profile_is_kept_whole),
        cmocka_unit_test(of_a_long_one_the_longest_and_the_first_are_kept),
        cmocka_unit_test(of_equally_long_ones_the_first_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
