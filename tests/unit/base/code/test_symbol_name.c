/* Names of functions as people write them. */
#include "base/code/symbol_name.h"
#include "test_support.h"

static struct kg_arena arena;

static void assert_short(const char *declaration, const char *expected)
{
    const char *found = kg_declaration_name(&arena, declaration);
    if (strcmp(found, expected) != 0)
        fail_msg("'%s' became '%s', not '%s'", declaration, found, expected);
}

static void results_and_arguments_go(void **state)
{
    assert_short("copy(float*, int)", "copy");
    assert_short("void copy<float, 4>(float const*, float*, int)", "copy<float, 4>");
    assert_short("void ns::sum<(int)4, true>(ns::view<float, (int)2>)", "ns::sum<(int)4, true>");
    assert_short("void (anonymous namespace)::scan<int>(int*)", "(anonymous namespace)::scan<int>");
    assert_short("void f<void (*)(int)>(void (*)(int))", "f<void (*)(int)>");
    assert_short("copy()", "copy");
}

static void what_is_no_declaration_stays(void **state)
{
    assert_short("copy", "copy");
    assert_short("", "");
    assert_short("()", "()");
    assert_short(")", ")");
    assert_short("a)(b", "a)(b");
}

static void names_of_operators_keep_their_symbols(void **state)
{
    assert_short("ns::matrix::operator()(int)", "ns::matrix::operator()");
    assert_short("bool std::operator< <char>(std::pair<char, int> const&)",
                 "std::operator< <char>");
    assert_short("bool std::operator==<char>(int)", "std::operator==<char>");
    assert_short("text::operator std::string() const", "text::operator std::string");
    assert_short("operator new(unsigned long)", "operator new");
    assert_short("list::operator->() const", "list::operator->");
    assert_short("run(int) const::{lambda(int)#1}::operator()(int) const",
                 "run(int) const::{lambda(int)#1}::operator()");
}

static void versions_and_tags_go(void **state)
{
    assert_short("blur(int) const [clone .isra.0]", "blur");
    assert_short("sum(int) [clone ._omp_fn.0]", "sum._omp_fn.0");
    assert_short("name[abi:cxx11](int)", "name");
    assert_short("std::map<int, std::set<int> >::find(int const&)",
                 "std::map<int, std::set<int>>::find");
    assert_short("core::ops::call::h0123456789abcdef", "core::ops::call");
}

static void names_of_c_stay(void **state)
{
    assert_string_equal(kg_symbol_name(&arena, "copy_float4"), "copy_float4");
    assert_string_equal(kg_symbol_name(&arena, "kernel 1"), "kernel 1");
    assert_string_equal(kg_symbol_name(&arena, "_Z"), "_Z");
    assert_string_equal(kg_symbol_name(&arena, "_Zcannot be read"), "_Zcannot be read");
}

/* If this machine has no C++ library, names stay unchanged. */
static void names_of_cpp_are_read_or_stay(void **state)
{
    const char *name = kg_symbol_name(&arena, "_ZN2ns4copyIfLi4EEEvPT_i");
    if (strcmp(name, "_ZN2ns4copyIfLi4EEEvPT_i") != 0)
        assert_string_equal(name, "ns::copy<float, 4>");
}

static void last_part_has_no_scope_and_no_arguments(void **state)
{
    static const char *const names[][2] = {{"std::map<int, a::b>::find", "find"},
                                           {"json::parse<int>(char)", "parse"},
                                           {"(anonymous namespace)::step", "step"},
                                           {"list::operator->", "operator->"},
                                           {"step", "step"},
                                           {"", ""}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t length;
        const char *last = kg_name_last(names[i][0], &length);
        if (length != strlen(names[i][1]) || strncmp(last, names[i][1], length) != 0)
            fail_msg("'%s' ends in '%.*s'", names[i][0], (int)length, last);
    }
}

static void names_for_readers_are_short(void **state)
{
    static const char *const names[][2] = {
        {"std::map<int, std::set<int>>::find", "std::map::find"},
        {"std::__cxx11::basic_string<char, std::char_traits<char>>::append", "std::string::append"},
        {"std::operator< <char>", "std::operator<"},
        {"std::operator==<char>", "std::operator=="},
        {"matrix<float>::row", "matrix<float>::row"},
        {"matrix<float, fixed_allocator>::row", "matrix<…>::row"},
        {"list::operator->", "list::operator->"},
        {"<unbalanced", "<unbalanced"},
        {"a_function_whose_name_has_exactly_48_characters_x",
         "a_function_whose…ame_has_exactly_48_characters_x"},
        {"a_function_whose_name_has_48_characters_exactly_",
         "a_function_whose_name_has_48_characters_exactly_"},
        {"aaaaaaaaaaaaaaaéeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeé",
         "aaaaaaaaaaaaaaa…eeeeeeeeeeeeeeeeeeeeeeeeeeeeeé"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct kg_text text = {0};
        kg_name_print(&text, names[i][0]);
        if (strcmp(kg_text_string(&text), names[i][1]) != 0)
            fail_msg("'%s' became '%s'", names[i][0], kg_text_string(&text));
        kg_text_free(&text);
    }
}

static int end(void **state)
{
    kg_arena_free(&arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(results_and_arguments_go, end),
        cmocka_unit_test_teardown(what_is_no_declaration_stays, end),
        cmocka_unit_test_teardown(names_of_operators_keep_their_symbols, end),
        cmocka_unit_test_teardown(versions_and_tags_go, end),
        cmocka_unit_test_teardown(names_of_c_stay, end),
        cmocka_unit_test_teardown(names_for_readers_are_short, end),
        cmocka_unit_test_teardown(last_part_has_no_scope_and_no_arguments, end),
        cmocka_unit_test_teardown(names_of_cpp_are_read_or_stay, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
