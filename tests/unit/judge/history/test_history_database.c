/* The layer over the databases, with SQLite. */
#include "judge/history/history_database.h"

#include "test_support.h"

static struct kg_history_database *database;
static struct kg_error err;

static int setup(void **state)
{
    char path[128];
    *state = support_folder();
    snprintf(path, sizeof path, "%s/h.db", (const char *)*state);
    assert_true(kg_history_open(path, KG_HISTORY_WRITE, &database, &err));
    assert_true(kg_database_execute(database,
                                    "CREATE TABLE t (i BIGINT, r DOUBLE PRECISION, s TEXT)", &err));
    return 0;
}

static int teardown(void **state)
{
    kg_history_close(database);
    support_remove(*state);
    return 0;
}

static void values_come_back_as_they_were(void **state)
{
    (void)state;
    static const double numbers[] = {0.1, 1e-300, 5e-324, -1.7976931348623157e308, 1.0 / 3};
    struct kg_query put = {0}, get = {0};
    assert_true(kg_query_prepare(database, "INSERT INTO t VALUES ($1, $2, $3)", &put, &err));
    assert_true(kg_query_prepare(database, "SELECT i, r, s FROM t ORDER BY i", &get, &err));
    for (size_t i = 0; i < 5; i++)
        assert_true(kg_query_run(&put, &err, "irt", (int64_t)i, numbers[i], "it's \"x\""));
    assert_true(kg_query_run(&put, &err, "irt", INT64_MAX, NAN, NULL));
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(kg_query_step(&get, &err), KG_STEP_ROW);
        assert_int_equal(kg_row_integer(&get, 0), i);
        assert_true(kg_row_real(&get, 1) == numbers[i]);
        assert_string_equal(kg_row_text(&get, 2), "it's \"x\"");
    }
    assert_int_equal(kg_query_step(&get, &err), KG_STEP_ROW);
    assert_true(kg_row_integer(&get, 0) == INT64_MAX);
    assert_true(isnan(kg_row_real(&get, 1)));
    assert_null(kg_row_text(&get, 2));
    assert_int_equal(kg_query_step(&get, &err), KG_STEP_DONE);
    kg_query_free(&put);
    kg_query_free(&get);
}

static void parameters_have_their_numbers_in_any_order(void **state)
{
    (void)state;
    struct kg_query query = {0};
    int64_t value = 0;
    bool found;
    assert_true(kg_query_prepare(database, "SELECT $2 - $1 - $1 + $3", &query, &err));
    assert_true(
        kg_query_find(&query, &value, &found, &err, "iii", (int64_t)3, (int64_t)10, (int64_t)100));
    assert_true(found);
    assert_int_equal(value, 104);
    kg_query_free(&query);
}

static void a_transaction_that_fails_leaves_nothing(void **state)
{
    (void)state;
    struct kg_query count = {0};
    int64_t value = -1;
    bool found;
    assert_true(kg_database_begin(database, &err));
    assert_true(kg_database_execute(database, "INSERT INTO t VALUES (1, 2, '3')", &err));
    assert_false(kg_database_end(database, false, &err));
    assert_true(kg_query_prepare(database, "SELECT COUNT(*) FROM t", &count, &err));
    assert_true(kg_query_find(&count, &value, &found, &err, ""));
    assert_int_equal(value, 0);
    kg_query_free(&count);
    /* the next transaction begins as usual */
    assert_true(kg_database_begin(database, &err));
    assert_true(kg_database_end(database, true, &err));
}

static void an_error_names_the_history(void **state)
{
    (void)state;
    struct kg_query query = {0};
    assert_false(kg_query_prepare(database, "SELECT absent FROM fact", &query, &err));
    assert_int_equal(err.kind, KG_ERROR_SYSTEM);
    assert_non_null(strstr(err.message, "h.db"));
    assert_non_null(strstr(err.message, "no such column: absent"));
    kg_query_free(&query);
}

static void libpq_is_missing_or_no_server_answers(void **state)
{
    (void)state;
    struct kg_history_database *none;
    assert_false(kg_history_open("postgresql://me:secret@/x?host=/nonexistent&password=other",
                                 KG_HISTORY_READ, &none, &err));
    assert_null(none);
    assert_null(strstr(err.message, "secret"));
    assert_null(strstr(err.message, "other"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(values_come_back_as_they_were, setup, teardown),
        cmocka_unit_test_setup_teardown(parameters_have_their_numbers_in_any_order, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_transaction_that_fails_leaves_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(an_error_names_the_history, setup, teardown),
        cmocka_unit_test_setup_teardown(libpq_is_missing_or_no_server_answers, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
