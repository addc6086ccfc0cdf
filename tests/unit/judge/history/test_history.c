/* Runs of a history: order, choice, changes, removal. With SQLite files. */
#include "judge/history/history.h"

#include "judge/history/history_writer.h"
#include "test_support.h"

static struct kg_history_database *database;
static struct kg_error err;
static const struct kg_history_filter all;

static int setup(void **state)
{
    char path[128];
    *state = support_folder();
    snprintf(path, sizeof path, "sqlite:%s/h.db", (const char *)*state);
    assert_true(kg_history_open(path, KG_HISTORY_WRITE, &database, &err));
    return 0;
}

static int teardown(void **state)
{
    kg_history_close(database);
    support_remove(*state);
    return 0;
}

/* Writes a run with one point per case. Its hash is 64 times the digit `number`.
 * hour   of its start
 * depth  of its commit; NaN: unknown */
static void run_write(int number, int hour, double depth, const char *host, size_t cases)
{
    static struct kg_history_writer writer;
    char hash[65] = "", started[32], commit[16], id[32];
    bool present;
    memset(hash, '0' + number, 64);
    snprintf(started, sizeof started, "2026-01-01T%02d:00:00Z", hour);
    snprintf(commit, sizeof commit, "c%d", number);
    const struct kg_history_run run = {.hash = hash,
                                       .suite = "s",
                                       .started = started,
                                       .commit = commit,
                                       .depth = depth,
                                       .complete = true,
                                       .machine = "m",
                                       .host = host};
    assert_true(kg_history_writer_open(&writer, database, &err));
    assert_true(kg_history_writer_run(&writer, &run, &present, &err));
    assert_false(present);
    for (size_t i = 0; i < cases; i++) {
        snprintf(id, sizeof id, "w/n=%zu/cpu", i);
        const struct kg_history_series series = {
            .id_of_case = id, .metric = "time", .source = "rounds", .unit = "ns"};
        const struct kg_history_point point = {.value = 100.0 * number + (double)i,
                                               .error = NAN,
                                               .deviation = 0.5,
                                               .rounds = 3,
                                               .code = "ffffffffffffffff"};
        assert_true(kg_history_writer_point(&writer, &series, &point, &err));
    }
    assert_true(kg_history_writer_run_end(&writer, &err));
    assert_true(kg_history_writer_close(&writer, true, &err));
}

/* Checks the values of the first series in hundreds: the numbers of its runs, in the order of the points. */
static void order_check(const char *expected)
{
    struct kg_history history = {0};
    char found[16] = "";
    const struct kg_history_filter filter = {.which = "w/n=0/cpu"};
    assert_true(kg_history_show(database, &filter, &history, &err));
    for (size_t i = 0; i < history.series[0].point_count; i++) {
        const struct kg_history_point *point = &history.series[0].points[i];
        found[i] = (char)('0' + (int)(point->value / 100));
        assert_int_equal(history.runs[point->run].hash[0], found[i]);
        assert_string_equal(point->code, "ffffffffffffffff");
        assert_true(isnan(point->error) && point->deviation == 0.5);
    }
    assert_string_equal(found, expected);
    kg_history_free(&history);
}

static void points_are_in_the_order_of_ancestry(void **state)
{
    (void)state;
    run_write(1, 1, 30, "h", 1);
    run_write(2, 2, 10, "h", 1);
    run_write(3, 3, 20, "h", 1);
    order_check("231");
}

static void points_are_in_the_order_of_time_if_a_depth_is_unknown(void **state)
{
    (void)state;
    run_write(1, 3, 30, "h", 1);
    run_write(2, 2, 10, "h", 1);
    run_write(3, 1, NAN, "h", 1);
    order_check("321");
}

static void the_newest_runs_of_each_machine_are_chosen(void **state)
{
    (void)state;
    struct kg_history history = {0};
    const struct kg_history_filter filter = {.which = "*", .last = 2};
    for (int i = 1; i <= 4; i++)
        run_write(i, i, i, "a", 2);
    run_write(5, 5, 5, "b", 2);
    assert_true(kg_history_show(database, &filter, &history, &err));
    assert_int_equal(history.series_count, 4);
    assert_int_equal(history.run_count, 3);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(history.series[i].point_count,
                         strcmp(history.series[i].host, "a") ? 1 : 2);
    kg_history_free(&history);
}

static void a_batch_that_is_not_full_is_written_whole(void **state)
{
    (void)state;
    static const size_t counts[] = {1, KG_WRITER_BATCH - 1, KG_WRITER_BATCH, KG_WRITER_BATCH + 1,
                                    3 * KG_WRITER_BATCH + 7};
    for (int i = 0; i < 5; i++)
        run_write(i + 1, i, i, "h", counts[i]);
    struct kg_history history = {0};
    size_t points = 0, expected = 0;
    assert_true(kg_history_show(database, &all, &history, &err));
    for (size_t i = 0; i < history.series_count; i++)
        points += history.series[i].point_count;
    for (size_t i = 0; i < 5; i++)
        expected += counts[i];
    assert_int_equal(points, expected);
    kg_history_free(&history);
}

static void prune_keeps_the_run_that_a_change_names(void **state)
{
    (void)state;
    struct kg_history history = {0};
    struct kg_history_outcome outcome;
    for (int i = 1; i <= 5; i++)
        run_write(i, i, i, "h", 1);
    assert_true(kg_database_execute(
        database,
        "INSERT INTO change (series, run_before, run_after, found_run, ratio, cause, state, proof, "
        "culprit) SELECT s.id, b.id, a.id, a.id, 1.25, 'code', 'suspected', '', '' FROM series AS "
        "s, run AS b, run AS a WHERE b.hash LIKE '1%' AND a.hash LIKE '2%'",
        &err));
    assert_true(kg_history_prune(database, 2, NULL, &outcome, &err));
    assert_int_equal(outcome.runs, 3);
    assert_int_equal(outcome.points, 3);
    order_check("45");
    assert_true(kg_history_changes(database, &all, &history, &err));
    assert_int_equal(history.change_count, 1);
    assert_string_equal(history.changes[0].commit_before, "c1");
    assert_string_equal(history.changes[0].commit_after, "c2");
    assert_string_equal(history.changes[0].cause, "code");
    assert_true(history.changes[0].ratio == 1.25 && isnan(history.changes[0].low));
    kg_history_free(&history);
    /* and nothing more the second time */
    assert_true(kg_history_prune(database, 2, NULL, &outcome, &err));
    assert_int_equal(outcome.runs, 0);
}

static void a_reader_changes_nothing_and_needs_tables(void **state)
{
    char path[128];
    struct kg_history_database *reader;
    snprintf(path, sizeof path, "%s/h.db", (const char *)*state);
    assert_true(kg_history_open(path, KG_HISTORY_READ, &reader, &err));
    assert_false(kg_database_execute(reader, "DELETE FROM fact", &err));
    kg_history_close(reader);
    snprintf(path, sizeof path, "%s/empty.db", (const char *)*state);
    support_file(path, "", 0);
    assert_false(kg_history_open(path, KG_HISTORY_READ, &reader, &err));
    assert_int_equal(err.kind, KG_ERROR_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(points_are_in_the_order_of_ancestry, setup, teardown),
        cmocka_unit_test_setup_teardown(points_are_in_the_order_of_time_if_a_depth_is_unknown,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(the_newest_runs_of_each_machine_are_chosen, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_batch_that_is_not_full_is_written_whole, setup, teardown),
        cmocka_unit_test_setup_teardown(prune_keeps_the_run_that_a_change_names, setup, teardown),
        cmocka_unit_test_setup_teardown(a_reader_changes_nothing_and_needs_tables, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
