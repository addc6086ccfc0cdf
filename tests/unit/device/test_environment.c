/* Environment variables that a committed file may contain. */
#include "device/environment.h"
#include "test_support.h"

static struct kg_arena arena;

/* The kept variables of these strings, as "NAME=VALUE NAME=VALUE". */
static const char *kept(char *const *strings)
{
    static char text[4096];
    struct kg_environment environment;
    size_t length = 0;
    text[0] = '\0';
    kg_environment_read(&arena, strings, &environment);
    assert_true(environment.known);
    for (size_t i = 0; i < environment.count; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%s=%s", i ? " " : "",
                                   environment.variables[i].name, environment.variables[i].value);
    assert_true(length < sizeof text);
    return text;
}

static const char *kept_one(const char *string)
{
    char copy[4096];
    char *strings[] = {copy, NULL};
    snprintf(copy, sizeof copy, "%s", string);
    return kept(strings);
}

static void those_of_the_table_are_kept_by_name(void **state)
{
    char *strings[] = {
        (char *)"OMP_NUM_THREADS=4", (char *)"HOME=/home/user",
        (char *)"LC_ALL=C.UTF-8",    (char *)"GLIBC_TUNABLES=glibc.malloc.tcache_count=0",
        (char *)"GOGC=off",          NULL};
    (void)state;
    assert_string_equal(kept(strings), "GLIBC_TUNABLES=glibc.malloc.tcache_count=0 GOGC=off "
                                       "LC_ALL=C.UTF-8 OMP_NUM_THREADS=4");
    char *none[] = {NULL};
    assert_string_equal(kept(none), "");
}

static void secrets_and_what_only_looks_like_a_setting_are_not(void **state)
{
    static const char *const others[] = {"GITHUB_TOKEN=x",
                                         "AWS_SECRET_ACCESS_KEY=x",
                                         "NVIDIA_API_KEY=x",
                                         "CUDA_TOKEN=x",
                                         "LC_SECRET=x",
                                         "LANGUAGES=x",
                                         "OMP_=x",
                                         "OMP_num_threads=2",
                                         "OMP_NUM THREADS=2",
                                         "PASSWORD=x",
                                         "LD_PRELOADED=x",
                                         "XOMP_NUM_THREADS=2",
                                         "LC_ALL",
                                         "LC_ALL=",
                                         "=C",
                                         "",
                                         "MALLOC_\x1b[31m=yes"};
    (void)state;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (*kept_one(others[i]))
            fail_msg("'%s' is kept as '%s'", others[i], kept_one(others[i]));
    assert_false(kg_environment_has("GITHUB_TOKEN"));
    assert_true(kg_environment_has("OMP_PLACES"));
}

/* Only the hash of the value is kept. Different values have different hashes. */
static void is_hashed(const char *name, const char *value, const char *other)
{
    char strings[2][256], texts[2][256];
    snprintf(strings[0], sizeof strings[0], "%s=%s", name, value);
    snprintf(strings[1], sizeof strings[1], "%s=%s", name, other);
    for (int i = 0; i < 2; i++)
        snprintf(texts[i], sizeof texts[i], "%s", kept_one(strings[i]) + strlen(name) + 1);
    if (strncmp(texts[0], "hash ", 5) != 0 || strlen(texts[0]) != 5 + 8 || strstr(texts[0], value))
        fail_msg("'%s' is kept as '%s'", strings[0], texts[0]);
    assert_string_not_equal(texts[0], texts[1]);
}

static void paths_and_options_are_hashed(void **state)
{
    (void)state;
    is_hashed("LD_PRELOAD", "libx.so", "liby.so");
    is_hashed("LD_LIBRARY_PATH", "/home/somebody/lib", "/home/somebody/lib64");
    is_hashed("JAVA_TOOL_OPTIONS", "-Dpassword=secret", "-Dpassword=other");
    is_hashed("NODE_OPTIONS", "--max-old-space-size=4096", "--max-old-space-size=8192");
    /* a path instead of a word, and characters with a meaning to a terminal or a page */
    is_hashed("MALLOC_TRACE", "/home/somebody/trace", "/home/somebody/other");
    is_hashed("LANG", "C'; x", "C'; y");
    is_hashed("LANG", "\x1b[31m", "\x1b[32m");
    is_hashed("LANG", "d\xc3\xa4nisch", "d\xc3\xa9nisch");
}

static void a_long_value_is_cut_and_still_distinguished(void **state)
{
    char strings[2][256] = {"OMP_PLACES=", "OMP_PLACES="}, texts[2][256];
    (void)state;
    for (int i = 0; i < 2; i++) {
        for (int c = 0; c < 40; c++)
            strcat(strings[i], "{0},");
        strcat(strings[i], i ? "{1}" : "{2}");
        snprintf(texts[i], sizeof texts[i], "%s", kept_one(strings[i]));
    }
    assert_true(strlen(texts[0]) < 80 && !strncmp(texts[0], "OMP_PLACES={0},{0}", 18));
    assert_string_not_equal(texts[0], texts[1]);
}

static void more_than_there_is_room_for_is_left_out(void **state)
{
    enum { MANY = 500 };
    static char names[MANY][32];
    char *strings[MANY + 1];
    struct kg_environment environment;
    (void)state;
    for (size_t i = 0; i < MANY; i++) {
        snprintf(names[i], sizeof names[i], "OMP_X%zu=1", i);
        strings[i] = names[i];
    }
    strings[MANY] = NULL;
    kg_environment_read(&arena, strings, &environment);
    assert_true(environment.count >= 100 && environment.count < MANY);
}

static void only_the_locale_is_overridden_by_lc_all(void **state)
{
    (void)state;
    assert_true(kg_environment_of_locale("LANG") && kg_environment_of_locale("LC_COLLATE"));
    assert_false(kg_environment_of_locale("LANGUAGE") || kg_environment_of_locale("OMP_PLACES"));
}

static int arena_clear(void **state)
{
    (void)state;
    kg_arena_free(&arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(those_of_the_table_are_kept_by_name),
        cmocka_unit_test(secrets_and_what_only_looks_like_a_setting_are_not),
        cmocka_unit_test(paths_and_options_are_hashed),
        cmocka_unit_test(a_long_value_is_cut_and_still_distinguished),
        cmocka_unit_test(more_than_there_is_room_for_is_left_out),
        cmocka_unit_test(only_the_locale_is_overridden_by_lc_all),
    };
    return cmocka_run_group_tests_name("environment", tests, NULL, arena_clear);
}
