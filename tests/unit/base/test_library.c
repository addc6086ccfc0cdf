/* Libraries opened at run time: the C library's mathematics, which is on every machine. */
#include <math.h>

#include "base/file.h"
#include "base/library.h"
#include "test_support.h"

#define MATHEMATICS "libm.so.6"

struct table {
    double (*square_root)(double);
    double (*renamed)(double);
    double (*absent)(double);
};

static void functions_are_found_and_called(void **state)
{
    static const struct kg_symbol symbols[] = {
        {"sqrt", NULL, offsetof(struct table, square_root), false},
        {"kg_cosine_v2", "cos", offsetof(struct table, renamed), false},
        {"kg_nowhere", NULL, offsetof(struct table, absent), true},
    };
    struct table table;
    memset(&table, 1, sizeof table);
    void *library = kg_library_open(MATHEMATICS, NULL, 0);
    assert_non_null(library);
    assert_null(kg_library_symbols(library, symbols, 3, &table));
    assert_true(table.square_root(9) == 3);
    assert_true(table.renamed(0) == 1);
    assert_true(table.absent == NULL);
    kg_library_close(library);
}

static void a_needed_function_that_is_missing_is_named(void **state)
{
    static const struct kg_symbol symbols[] = {
        {"sqrt", NULL, offsetof(struct table, square_root), false},
        {"kg_nowhere_v2", "kg_nowhere", offsetof(struct table, absent), false},
    };
    struct table table;
    void *library = kg_library_open(MATHEMATICS, NULL, 0);
    assert_non_null(library);
    assert_string_equal(kg_library_symbols(library, symbols, 2, &table), "kg_nowhere_v2");
    kg_library_close(library);
}

/* A missing library gives an empty reason. A broken library gives the loader's message. */
static void an_absent_library_is_distinguished_from_a_broken_one(void **state)
{
    char path[128], why[256] = "unchanged";
    struct kg_error err;
    char *folder = support_folder();
    assert_null(kg_library_open("libkg-nowhere.so.1", why, sizeof why));
    assert_string_equal(why, "");
    snprintf(path, sizeof path, "%s/broken.so", folder);
    assert_null(kg_library_open(path, why, sizeof why));
    assert_string_equal(why, "");
    assert_true(kg_file_write(path, "no library", 10, &err));
    assert_null(kg_library_open(path, why, sizeof why));
    assert_non_null(strstr(why, "broken.so"));
    support_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_are_found_and_called),
        cmocka_unit_test(a_needed_function_that_is_missing_is_named),
        cmocka_unit_test(an_absent_library_is_distinguished_from_a_broken_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
