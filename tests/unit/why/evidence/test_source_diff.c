#include "why/evidence/source_diff.h"

#include <limits.h>

#include "test_support.h"

static const char *const DIFF = "diff --git a/src/parse.c b/src/parse.c\n"
                                "index 1111111..2222222 100644\n"
                                "--- a/src/parse.c\n"
                                "+++ b/src/parse.c\n"
                                "@@ -10,7 +10,7 @@ static int parse_number(const char *s)\n"
                                "     int n = 0;\n"
                                "\n"
                                "     (void)s;\n"
                                "-    for (size_t i = 0; i < length; i++)\n"
                                "+    for (size_t i = 0; i < strlen(s); i++)\n"
                                "         n += s[i];\n"
                                "     return n;\n"
                                " }\n"
                                "@@ -40 +40,2 @@ int total(void)\n"
                                "-    return 1;\n"
                                "+    puts(\"\");\n"
                                "+    return 2;\n"
                                "diff --git a/src/call.c b/src/call.c\n"
                                "--- a/src/call.c\n"
                                "+++ b/src/call.c\n"
                                "@@ -5,3 +5,3 @@ int main(void)\n"
                                " {\n"
                                "-    once = hash_find(table, key);\n"
                                "+    return hash_find(table, key);\n"
                                " }\n"
                                "diff --git a/gone.c b/gone.c\n"
                                "--- a/gone.c\n"
                                "+++ /dev/null\n"
                                "@@ -1 +0,0 @@\n"
                                "-int cached(void);\n"
                                "diff --git a/README b/README\n"
                                "--- a/README\n"
                                "+++ b/README\n"
                                "@@ -1 +1 @@\n"
                                "-Please read main.\n"
                                "+Please read it and main.\n";

static struct kg_arena arena;

static int arena_free(void **state)
{
    kg_arena_free(&arena);
    return 0;
}

static void assert_hunk(const struct kg_place *place, const char *file, const char *text)
{
    struct kg_source_hunk hunk;
    if (!kg_source_hunk_find(&arena, DIFF, place, 1, &hunk))
        fail_msg("%s: no hunk", place->function);
    assert_string_equal(hunk.file, file);
    assert_string_equal(hunk.text, text);
}

static void the_line_of_the_place_decides(void **state)
{
    assert_hunk(
        &(struct kg_place){.function = "other", .file = "/tmp/build/../src/parse.c", .line = 41},
        "src/parse.c", "src/parse.c:40\n-    return 1;\n+    puts(\"\");\n+    return 2;");
}

static void without_its_line_the_function_around_the_hunk_decides(void **state)
{
    assert_hunk(
        &(struct kg_place){.function = "parse_number", .file = "parse.c", .line = 30},
        "src/parse.c",
        "src/parse.c:13\n     (void)s;\n-    for (size_t i = 0; i < length; i++)\n"
        "+    for (size_t i = 0; i < strlen(s); i++)\n         n += s[i];\n     return n;\n }");
}

static void a_changed_line_that_names_the_function_is_found_in_any_file(void **state)
{
    assert_hunk(
        &(struct kg_place){.function = "map::hash_find<int>(int)", .file = "hash.h", .line = 5},
        "src/call.c",
        "src/call.c:6\n {\n-    once = hash_find(table, key);\n+    return hash_find(table, "
        "key);\n }");
    assert_hunk(&(struct kg_place){.function = "cached"}, "gone.c", "gone.c:1\n-int cached(void);");
}

static void the_first_place_comes_first(void **state)
{
    const struct kg_place places[] = {{.function = "hash_find"}, {.function = "strlen"}};
    const struct kg_place turned[] = {places[1], places[0]};
    struct kg_source_hunk hunk;
    assert_true(kg_source_hunk_find(&arena, DIFF, places, 2, &hunk));
    assert_string_equal(hunk.file, "src/call.c");
    assert_true(kg_source_hunk_find(&arena, DIFF, turned, 2, &hunk));
    assert_string_equal(hunk.file, "src/parse.c");
}

static void a_hunk_elsewhere_is_not_shown(void **state)
{
    static const struct kg_place places[] = {
        {.function = "hash", .file = "parse.c", .line = 100}, /* a part of a word */
        {.function = "once_more", .file = "e.c", .line = 12}, /* "e.c" is no file of the diff */
        {.function = "read"},                                 /* a word of a text */
        {.function = "main"},                                 /* too common a word */
        {.function = NULL, .file = NULL, .line = 0},
        {.function = "", .file = "", .line = 11},
    };
    struct kg_source_hunk hunk;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (kg_source_hunk_find(&arena, DIFF, &places[i], 1, &hunk))
            fail_msg("place %zu has the hunk %s", i, hunk.text);
}

static void a_touch_is_of_the_function_or_else_of_its_file(void **state)
{
    static const struct {
        struct kg_place place;
        enum kg_source_touch touch;
    } rows[] = {
        {{.function = "parse_number", .file = "/tmp/build/src/parse.c"}, KG_TOUCH_FUNCTION},
        {{.function = "hash_find", .file = "hash.c"}, KG_TOUCH_FUNCTION},
        {{.function = "other", .file = "parse.c", .line = 41}, KG_TOUCH_FILE},
        {{.function = "other", .file = "other.c", .line = 41}, KG_TOUCH_OTHER},
        {{.function = NULL}, KG_TOUCH_OTHER},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (kg_source_touch_find(DIFF, &rows[i].place, 1) != rows[i].touch)
            fail_msg("place %zu", i);
    const struct kg_place two[] = {rows[3].place, rows[0].place};
    assert_int_equal(kg_source_touch_find(DIFF, two, 2), KG_TOUCH_FUNCTION);
}

static void bytes_that_a_terminal_acts_on_are_escaped_and_long_hunks_are_cut(void **state)
{
    char diff[4096] = "--- a/x.c\n+++ b/x.c\n@@ -1 +1,20 @@ f\n+\tred \x1b[31m \xff f(\n";
    struct kg_source_hunk hunk;
    for (int i = 0; i < 19; i++)
        strcat(diff, "+0123456789012345678901234567890123456789012345678901234567890123456789"
                     "0123456789012345678901234567890123456789\n");
    assert_true(kg_source_hunk_find(&arena, diff, &(struct kg_place){.function = "f"}, 1, &hunk));
    assert_non_null(strstr(hunk.text, "+    red \\x1b[31m \\xff f("));
    assert_null(strchr(hunk.text, '\x1b'));
    size_t lines = 0;
    for (const char *at = hunk.text; *at; at++)
        lines += *at == '\n';
    assert_int_equal(lines, 9);
    assert_string_equal(hunk.text + strlen(hunk.text) - strlen("…"), "…");
}

/* Texts without a diff, or with a truncated one. */
static void any_text_is_accepted(void **state)
{
    struct kg_source_hunk hunk;
    for (size_t length = 0; length <= strlen(DIFF); length++) {
        char *cut = strndup(DIFF, length);
        kg_source_hunk_find(&arena, cut, &(struct kg_place){.function = "puts"}, 1, &hunk);
        free(cut);
    }
    static const char *const odd[] = {
        "@@ -1 +1 @@\n+f\n", "--- \n+++ \n@@ -,\n+f\n",
        "--- a\n+++ b\n@@ -99999999999999999999 +18446744073709551615,9 @@f\n+f", "@@ -@@ -@@ -"};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
        kg_source_hunk_find(&arena, odd[i],
                            &(struct kg_place){.function = "f", .file = "b", .line = 1}, 1, &hunk);
}

/* --- git -------------------------------------------------------------------------------------- */

static char folder[64], before[PATH_MAX];

static void shell(const char *command)
{
    if (system(command) != 0)
        fail_msg("%s", command);
}

static int repository_make(void **state)
{
    snprintf(folder, sizeof folder, "%s", support_folder());
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(folder), 0);
    shell(
        "git init -q . && git config user.email a@example.com && git config user.name A &&"
        "git config commit.gpgsign false && git config diff.external /bin/false &&"
        "printf 'int f(void)\\n{\\n    return 1;\\n}\\n' >f.c && git add . && git commit -qm One "
        "&& git tag one &&"
        "sed -i 's/return 1/return g() + 1/' f.c && git commit -qam 'Two: call g' && git tag two &&"
        "echo >other && git add . && git commit -qm Three && git tag three");
    return 0;
}

static int repository_remove(void **state)
{
    assert_int_equal(chdir(before), 0);
    support_remove(folder);
    return arena_free(state);
}

static void two_commits_give_the_hunk_and_the_commit_that_brought_it(void **state)
{
    const struct kg_source_diff diff = kg_source_diff_read(&arena, "one", "three");
    struct kg_source_hunk hunk;
    assert_non_null(diff.text);
    assert_true(kg_source_hunk_find(&arena, diff.text,
                                    &(struct kg_place){.function = "f", .file = "f.c", .line = 3},
                                    1, &hunk));
    assert_non_null(strstr(hunk.text, "f.c:3\n"));
    assert_non_null(strstr(hunk.text, "+    return g() + 1;"));
    const char *commits = kg_source_diff_commits(&arena, &diff, &hunk);
    assert_non_null(commits);
    assert_non_null(strstr(commits, " Two: call g"));
    assert_null(strchr(commits, '\n'));
}

static void a_dirty_candidate_is_the_working_tree_and_in_no_commit(void **state)
{
    struct kg_source_hunk hunk;
    shell("sed -i 's/g() + 1/h()/' f.c");
    const struct kg_source_diff diff = kg_source_diff_read(&arena, "three", "three-dirty");
    assert_non_null(diff.text);
    assert_true(
        kg_source_hunk_find(&arena, diff.text, &(struct kg_place){.function = "h"}, 1, &hunk));
    assert_non_null(strstr(hunk.text, "+    return h();"));
    assert_null(kg_source_diff_commits(&arena, &diff, &hunk));
}

/* git would start the filter to compare the working tree. */
static void a_filter_of_the_repository_is_never_started(void **state)
{
    shell("git config filter.spy.clean 'touch started; cat' && echo '*.c filter=spy' "
          ">.gitattributes && "
          "sed -i 's/g() + 1/h()/' f.c");
    assert_null(kg_source_diff_read(&arena, "two", "three-dirty").text);
    shell("git tag x-dirty");
    assert_null(kg_source_diff_read(&arena, "two", "x-dirty").text);
    assert_int_not_equal(access("started", F_OK), 0);
}

static void what_git_does_not_know_has_no_diff(void **state)
{
    static const char *const pairs[][2] = {
        {NULL, "two"}, {"one", NULL},         {"two", "two"},       {"none", "two"},
        {"", "two"},   {"one", "--output=x"}, {"one two", "three"}, {"one", "two:f.c"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (kg_source_diff_read(&arena, pairs[i][0], pairs[i][1]).text)
            fail_msg("pair %zu has a diff", i);
    assert_int_not_equal(access("x", F_OK), 0);
}

#define HUNK(test) cmocka_unit_test_teardown(test, arena_free)
#define GIT(test) cmocka_unit_test_setup_teardown(test, repository_make, repository_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        HUNK(the_line_of_the_place_decides),
        HUNK(without_its_line_the_function_around_the_hunk_decides),
        HUNK(a_changed_line_that_names_the_function_is_found_in_any_file),
        HUNK(the_first_place_comes_first),
        HUNK(a_hunk_elsewhere_is_not_shown),
        HUNK(a_touch_is_of_the_function_or_else_of_its_file),
        HUNK(bytes_that_a_terminal_acts_on_are_escaped_and_long_hunks_are_cut),
        HUNK(any_text_is_accepted),
        GIT(two_commits_give_the_hunk_and_the_commit_that_brought_it),
        GIT(a_dirty_candidate_is_the_working_tree_and_in_no_commit),
        GIT(a_filter_of_the_repository_is_never_started),
        GIT(what_git_does_not_know_has_no_diff),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
