/* Names of kernels as people write them. */
#include "run/worker/trace_task.h"
#include "test_support.h"

static struct kg_arena arena;

static void assert_short(const char *declaration, const char *expected)
{
    const char *found = kg_kernel_name_short(&arena, declaration);
    if (strcmp(found, expected) != 0)
        fail_msg("'%s' became '%s', not '%s'", declaration, found, expected);
}

static void results_and_arguments_go(void **state)
{
    (void)state;
    assert_short("copy(float*, int)", "copy");
    assert_short("void copy<float, 4>(float const*, float*, int)", "copy<float, 4>");
    assert_short("void ns::sum<(int)4, true>(ns::view<float, (int)2>)", "ns::sum<(int)4, true>");
    assert_short("void (anonymous namespace)::scan<int>(int*)", "(anonymous namespace)::scan<int>");
    assert_short("void f<void (*)(int)>(void (*)(int))", "f<void (*)(int)>");
    assert_short("copy()", "copy");
}

static void what_is_no_declaration_stays(void **state)
{
    (void)state;
    assert_short("copy", "copy");
    assert_short("", "");
    assert_short("()", "()");
    assert_short(")", ")");
    assert_short("a)(b", "a)(b");
    assert_short("ns::matrix::operator()(int)", "ns::matrix::operator()(int)");
}

static void names_of_c_stay(void **state)
{
    (void)state;
    assert_string_equal(kg_kernel_name(&arena, "copy_float4"), "copy_float4");
    assert_string_equal(kg_kernel_name(&arena, "kernel 1"), "kernel 1");
    assert_string_equal(kg_kernel_name(&arena, "_Z"), "_Z");
    assert_string_equal(kg_kernel_name(&arena, "_Zcannot be read"), "_Zcannot be read");
}

/* If this machine has no C++ library, names stay unchanged. */
static void names_of_cpp_are_read_or_stay(void **state)
{
    const char *name = kg_kernel_name(&arena, "_ZN2ns4copyIfLi4EEEvPT_i");
    (void)state;
    if (strcmp(name, "_ZN2ns4copyIfLi4EEEvPT_i") != 0)
        assert_string_equal(name, "ns::copy<float, 4>");
}

static int end(void **state)
{
    (void)state;
    kg_arena_free(&arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(results_and_arguments_go, end),
        cmocka_unit_test_teardown(what_is_no_declaration_stays, end),
        cmocka_unit_test_teardown(names_of_c_stay, end),
        cmocka_unit_test_teardown(names_of_cpp_are_read_or_stay, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
