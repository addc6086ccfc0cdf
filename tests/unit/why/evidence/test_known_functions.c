/* Names of library functions, and the causes that they stand for. */
#include "test_support.h"

#include "why/evidence/known_functions.h"

static void throw_helpers_of_libstdcxx_are_exceptions(void **state)
{
    static const char *const names[] = {"_ZSt24__throw_invalid_argumentPKc",
                                        "_ZSt20__throw_out_of_rangePKc",
                                        "_ZSt24__throw_out_of_range_fmtPKcz",
                                        "_ZSt17__throw_bad_allocv",
                                        "_ZSt24__throw_invalid_argumentPKc@@GLIBCXX_3.4",
                                        "std::__throw_out_of_range",
                                        "std::__throw_invalid_argument(char const*)"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (kg_known_function(names[i]) != KG_CAUSE_EXCEPTIONS)
            fail_msg("%s", names[i]);
}

static void similar_names_are_no_exceptions(void **state)
{
    static const char *const names[] = {"_ZSt7nothrow", "_ZSt4cout", "std::nothrow", "__throw_away",
                                        "_ZSt"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (kg_known_function(names[i]) == KG_CAUSE_EXCEPTIONS)
            fail_msg("%s", names[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(throw_helpers_of_libstdcxx_are_exceptions),
        cmocka_unit_test(similar_names_are_no_exceptions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
