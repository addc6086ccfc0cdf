/* Two builds that differ in assertions, libraries or size, and the words for it. */
#include "test_support.h"

#include "why/evidence/build_change.h"

static const char usual[] = "GNU C17 12.2.0 -g -O2";
static const char *const c_library[] = {"libc.so.6"};
static const char *const checked[] = {"libasan.so.8", "libc.so.6"};
static const char *const fast[] = {"libfast.so.1", "libc.so.6"};

static struct kg_sampled side(const char *const *libraries, size_t count)
{
    return (struct kg_sampled){.compiler = usual,
                               .code_bytes = 100 * 1024,
                               .libraries = (const char **)(size_t)libraries,
                               .library_count = count};
}

static void text_is(const char *text, const char *expected)
{
    if (expected)
        assert_string_equal(text ? text : "", expected);
    else
        assert_null(text);
}

static void made_is(const struct kg_sampled *base, const struct kg_sampled *candidate,
                    const char *expected)
{
    struct kg_arena arena = {0};
    text_is(kg_build_made(&arena, base, candidate), expected);
    kg_arena_free(&arena);
}

static void parts_are(const struct kg_sampled *base, const struct kg_sampled *candidate,
                      const char *expected)
{
    struct kg_arena arena = {0};
    text_is(kg_build_parts(&arena, base, candidate), expected);
    kg_arena_free(&arena);
}

static void assertions_are_named(void **state)
{
    const struct kg_sampled base = side(c_library, 1);
    struct kg_sampled candidate = base;
    made_is(&base, &candidate, NULL);
    candidate.asserts = true;
    made_is(&base, &candidate, "built with assertions");
    made_is(&candidate, &base, "built without assertions");
    candidate.compiler = "GNU C17 12.2.0 -g";
    made_is(&base, &candidate, "built without -O2, built with assertions");
}

static void checks_of_the_library_are_named(void **state)
{
    const struct kg_sampled base = side(c_library, 1);
    struct kg_sampled candidate = base;
    candidate.library_checks = true;
    made_is(&base, &candidate,
            "built with checks of libstdc++ (_GLIBCXX_DEBUG or _GLIBCXX_ASSERTIONS)");
    made_is(&candidate, &base,
            "built without checks of libstdc++ (_GLIBCXX_DEBUG or _GLIBCXX_ASSERTIONS)");
}

static void checker_is_named_once(void **state)
{
    const struct kg_sampled base = side(c_library, 1);
    struct kg_sampled candidate = side(checked, 2);
    made_is(&base, &candidate, "linked to libasan.so.8");
    parts_are(&base, &candidate, NULL);
    candidate.compiler = "GNU C17 12.2.0 -g -O2 -fsanitize=address";
    made_is(&base, &candidate, "built with -fsanitize=address");
}

static void libraries_and_size_are_parts(void **state)
{
    const struct kg_sampled base = side(c_library, 1);
    struct kg_sampled candidate = side(fast, 2);
    parts_are(&base, &candidate, "linked to libfast.so.1");
    made_is(&base, &candidate, NULL);
    candidate.code_bytes = 109 * 1024;
    parts_are(&candidate, &base, "no longer linked to libfast.so.1");
    candidate.code_bytes = 150 * 1024;
    parts_are(&base, &candidate,
              "linked to libfast.so.1; machine code grew from 100 KiB to 150 KiB");
}

static void small_change_of_size_is_noise(void **state)
{
    struct kg_sampled base = side(c_library, 1), candidate = base;
    base.code_bytes = 640;
    candidate.code_bytes = 743;
    parts_are(&base, &candidate, NULL);
    candidate.code_bytes = 640 + 4095;
    parts_are(&base, &candidate, NULL);
    candidate.code_bytes++;
    parts_are(&base, &candidate, "machine code grew from 640 B to 4.62 KiB");
}

static void other_options_are_parts(void **state)
{
    const struct kg_sampled base = side(c_library, 1);
    struct kg_sampled candidate = side(fast, 2);
    candidate.compiler = "GNU C17 12.2.0 -g -O2 -fstack-protector-strong";
    made_is(&base, &candidate, NULL);
    parts_are(&base, &candidate, "built with -fstack-protector-strong, linked to libfast.so.1");
    candidate.code_bytes = 0;
    parts_are(&base, &candidate, "built with -fstack-protector-strong");
}

static void unknown_side_notes_nothing(void **state)
{
    struct kg_sampled base = side(c_library, 1);
    const struct kg_sampled unknown = {0};
    base.asserts = true;
    made_is(&base, &unknown, NULL);
    parts_are(&unknown, &base, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(assertions_are_named),
        cmocka_unit_test(checks_of_the_library_are_named),
        cmocka_unit_test(checker_is_named_once),
        cmocka_unit_test(libraries_and_size_are_parts),
        cmocka_unit_test(small_change_of_size_is_noise),
        cmocka_unit_test(other_options_are_parts),
        cmocka_unit_test(unknown_side_notes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
