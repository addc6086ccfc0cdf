/* Two compilers, as debug information names them, and the words for their difference. */
#include "test_support.h"

#include "why/evidence/compiler_options.h"

static const char usual[] = "GNU C17 12.2.0 -mtune=generic -march=x86-64 -g -O2";

static void change_is(const char *base, const char *candidate, const char *expected)
{
    struct kg_arena arena = {0};
    const char *change = kg_compiler_change(&arena, base, candidate);
    if (expected)
        assert_string_equal(change ? change : "", expected);
    else
        assert_null(change);
    kg_arena_free(&arena);
}

static void others_are(const char *base, const char *candidate, const char *expected)
{
    struct kg_arena arena = {0};
    const char *others = kg_compiler_other_options(&arena, base, candidate);
    if (expected)
        assert_string_equal(others ? others : "", expected);
    else
        assert_null(others);
    kg_arena_free(&arena);
}

static void missing_optimisation_is_named(void **state)
{
    change_is(usual, "GNU C17 12.2.0 -mtune=generic -march=x86-64 -g", "built without -O2");
    change_is(usual, "GNU C17 12.2.0 -mtune=generic -march=x86-64 -g -O2 -O0", "built without -O2");
    change_is("GNU C17 12.2.0 -O3", "GNU C17 12.2.0 -O1", "built with -O1 instead of -O3");
}

static void level_without_number_is_the_first(void **state)
{
    change_is("GNU C17 12.2.0 -O2", "GNU C17 12.2.0 -O", "built with -O1 instead of -O2");
    change_is("GNU C17 12.2.0", "GNU C17 12.2.0 -O", "built with -O1 instead of -O0");
    change_is("GNU C17 12.2.0 -O1", "GNU C17 12.2.0 -O", NULL);
}

static void options_that_change_speed_much_are_apart(void **state)
{
    static const char *const decisive[] = {"-fno-inline",
                                           "-fno-inline-functions",
                                           "-fno-tree-vectorize",
                                           "-funroll-loops",
                                           "-mavx2",
                                           "-mno-sse4.1",
                                           "-ffast-math",
                                           "-fno-math-errno",
                                           "-mtune=native",
                                           "-flto=auto",
                                           "-fopenmp",
                                           "-pg"};
    static const char *const others[] = {"-fstack-protector-strong", "-fno-plt", "-mshstk",
                                         "-fno-semantic-interposition"};
    for (size_t i = 0; i < sizeof decisive / sizeof *decisive; i++) {
        char candidate[128], expected[128];
        snprintf(candidate, sizeof candidate, "%s %s", usual, decisive[i]);
        snprintf(expected, sizeof expected, "built with %s", decisive[i]);
        change_is(usual, candidate, expected);
        others_are(usual, candidate, NULL);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        char base[128], expected[128];
        snprintf(base, sizeof base, "%s %s", usual, others[i]);
        snprintf(expected, sizeof expected, "built without %s", others[i]);
        change_is(base, usual, NULL);
        others_are(base, usual, expected);
    }
}

static void added_and_missing_options_are_named(void **state)
{
    change_is(usual, "GNU C17 12.2.0 -mtune=generic -march=x86-64 -g -O2 -fsanitize=address",
              "built with -fsanitize=address");
    change_is("GNU C17 12.2.0 -march=native -flto -O2", "GNU C17 12.2.0 -march=x86-64 -O2",
              "built with -march=x86-64, built without -march=native -flto");
}

static void other_compiler_is_named(void **state)
{
    change_is("GNU C17 12.2.0 -O2", "GNU C17 11.3.0 -O2",
              "built by GNU C17 11.3.0 instead of GNU C17 12.2.0");
    change_is("Debian clang version 14.0.6", "Debian clang version 15.0.7",
              "built by Debian clang version 15.0.7 instead of Debian clang version 14.0.6");
}

static void options_without_effect_on_speed_are_no_change(void **state)
{
    change_is(usual, "GNU C17 12.2.0 -mtune=generic -march=x86-64 -g3 -O2 -fPIE -std=c11", NULL);
    change_is("GNU C17 12.2.0 -O2", "GNU C11 12.2.0 -O2 -std=c11", NULL);
    others_are(usual, "GNU C17 12.2.0 -mtune=generic -march=x86-64 -g3 -O2 -fPIE -std=c11", NULL);
    others_are(usual, NULL, NULL);
    change_is(usual, usual, NULL);
    change_is(NULL, usual, NULL);
    change_is(usual, NULL, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(missing_optimisation_is_named),
        cmocka_unit_test(level_without_number_is_the_first),
        cmocka_unit_test(options_that_change_speed_much_are_apart),
        cmocka_unit_test(added_and_missing_options_are_named),
        cmocka_unit_test(other_compiler_is_named),
        cmocka_unit_test(options_without_effect_on_speed_are_no_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
