/* Suites in memory: the text for a kernel as the user named it. */
#include "gate/suite_in_memory.h"
#include "model/suite.h"
#include "test_support.h"

/* Makes the suite of a kernel and reads it back. */
static bool kernel_read(const char *param, const char *matrix, struct kg_suite *suite,
                        struct kg_error *err)
{
    struct kg_text yaml = {0};
    const struct kg_kernel_request request = {.kernel = "softmax",
                                              .params = &param,
                                              .param_count = param != NULL,
                                              .matrix = &matrix,
                                              .matrix_count = matrix != NULL};
    const bool good = kg_suite_of_kernel(&request, &yaml, err) &&
                      kg_suite_parse("", kg_text_string(&yaml), yaml.length, NULL, 0, suite, err);
    kg_text_free(&yaml);
    return good;
}

static void keys_have_their_values(void **state)
{
    struct kg_suite suite;
    struct kg_error err;
    (void)state;
    assert_true(kernel_read("rows=4,x=a \"b\"", "version=plain,fast,n=1", &suite, &err));
    const struct kg_workload_spec *spec = &suite.workloads[0];
    assert_string_equal(spec->target, "softmax");
    assert_int_equal(spec->axis_count, 4);
    assert_string_equal(spec->axes[1].values[0], "a \"b\"");
    assert_int_equal(spec->axes[2].value_count, 2);
    assert_string_equal(spec->axes[2].values[1], "fast");
    assert_string_equal(spec->axes[3].values[0], "1");
    kg_suite_free(&suite);
    assert_true(kernel_read(NULL, NULL, &suite, &err));
    kg_suite_free(&suite);
}

static void other_texts_are_refused(void **state)
{
    static const char *const bad[] = {"", "n", "n=", "=1", "n=1,", "n=1,,m=2", ",n=1", "n=1,n=2"};
    struct kg_suite suite;
    struct kg_error err;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        for (int matrix = 0; matrix < 2; matrix++)
            if (kernel_read(matrix ? NULL : bad[i], matrix ? bad[i] : NULL, &suite, &err))
                fail_msg("'%s' is taken", bad[i]);
    assert_false(kernel_read("n=1,2", NULL, &suite, &err));
    assert_non_null(strstr(err.message, "--matrix takes several values"));
}

/* No line of a file that the user never wrote. */
static void a_parameter_given_twice_is_named_without_a_line(void **state)
{
    struct kg_suite suite;
    struct kg_error err;
    (void)state;
    assert_false(kernel_read("n=1", "n=1,2", &suite, &err));
    assert_string_equal(err.message, "parameter 'n' is in matrix and in params; keep one");
    assert_false(kernel_read("n=1,n=2", NULL, &suite, &err));
    assert_string_equal(err.message, "'n' is given twice");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_have_their_values),
        cmocka_unit_test(other_texts_are_refused),
        cmocka_unit_test(a_parameter_given_twice_is_named_without_a_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
