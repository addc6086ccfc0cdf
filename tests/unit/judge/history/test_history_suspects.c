/* Suspected changes with their builds, and the decisions on them. With SQLite files. */
#include "judge/history/history.h"

#include "judge/history/history_writer.h"
#include "test_support.h"

static struct kg_history_database *database;
static struct kg_error err;
static struct kg_history history;
static struct kg_history_suspect *suspects;
static size_t count;

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
    kg_history_free(&history);
    kg_history_close(database);
    support_remove(*state);
    return 0;
}

/* A run of commit "c1" with one case, whose code is `code` in the file `build`. */
struct run {
    int number; /* of run and commit */
    const char *code, *build;
};

static void run_write(const struct run *wanted)
{
    static struct kg_history_writer writer;
    char hash[65] = "", started[32], commit[16], parent[16];
    bool present;
    memset(hash, '0' + wanted->number, 64);
    snprintf(started, sizeof started, "2026-01-01T%02d:00:00Z", wanted->number);
    snprintf(commit, sizeof commit, "c%d", wanted->number);
    snprintf(parent, sizeof parent, "c%d", wanted->number - 1);
    const struct kg_history_run run = {.hash = hash,
                                       .suite = "s",
                                       .started = started,
                                       .commit = commit,
                                       .parent = parent,
                                       .depth = NAN,
                                       .complete = true,
                                       .machine = "m",
                                       .host = "h"};
    const struct kg_history_series series = {
        .id_of_case = "w/cpu", .definition = "d", .metric = "time", .source = "rounds"};
    const struct kg_history_point point = {
        .value = 100, .error = NAN, .deviation = NAN, .rounds = 1, .code = wanted->code};
    const char *libraries[] = {"a.so 1", "b.so 2"};
    struct kg_case_result result = {.build = wanted->build,
                                    .code = {.hash = wanted->code,
                                             .scope = KG_CODE_WITH_LIBRARIES,
                                             .libraries = libraries,
                                             .library_count = 2}};
    const struct kg_results results = {.cases = &result, .case_count = 1, .file_count = 1};
    assert_true(kg_history_writer_open(&writer, database, &err));
    assert_true(kg_history_writer_run(&writer, &run, &present, &err));
    assert_true(kg_history_writer_point(&writer, &series, &point, &err));
    assert_true(kg_history_builds_write(&writer, &results, &err));
    assert_true(kg_history_writer_run_end(&writer, &err));
    assert_true(kg_history_writer_close(&writer, true, &err));
}

static void change_write(int before, int after, const char *cause, const char *state)
{
    char sql[512];
    snprintf(sql, sizeof sql,
             "INSERT INTO change (series, run_before, run_after, found_run, ratio, cause, state, "
             "proof, culprit) VALUES (1, %d, %d, %d, 1.5, '%s', '%s', '', '')",
             before, after, after, cause, state);
    assert_true(kg_database_execute(database, sql, &err));
}

static void suspects_read(const char *host)
{
    const struct kg_history_filter filter = {.suite = "s"};
    kg_history_free(&history);
    assert_true(
        kg_history_suspects(database, &filter, "m", host, &history, &suspects, &count, &err));
}

static void only_changes_of_the_machine_that_measuring_may_decide(void **state)
{
    (void)state;
    run_write(&(struct run){1, "00000000000000aa", "A"});
    run_write(&(struct run){2, "00000000000000ab", "B"});
    change_write(1, 2, "unknown", "suspected");
    change_write(1, 2, "machine", "suspected");
    change_write(1, 2, "code", "suspected");
    change_write(1, 2, "unknown", "confirmed");
    suspects_read("h");
    assert_int_equal(count, 2);
    assert_string_equal(suspects[0].change->cause, "unknown");
    assert_string_equal(suspects[0].definition, "d");
    assert_true(suspects[0].value == 100 && suspects[0].adjacent);
    suspects_read("other");
    assert_int_equal(count, 0);
    suspects_read(NULL);
    assert_int_equal(count, 0);
}

static void a_build_is_found_by_its_code_and_that_of_the_commit_first(void **state)
{
    (void)state;
    run_write(&(struct run){1, "00000000000000aa", "Z"});
    run_write(&(struct run){2, "00000000000000aa", "A"});
    run_write(&(struct run){3, "ffffffffffffffab", "B"});
    change_write(1, 3, "unknown", "suspected");
    suspects_read("h");
    assert_int_equal(suspects[0].build_counts[KG_HISTORY_BEFORE], 2);
    assert_string_equal(suspects[0].builds[KG_HISTORY_BEFORE][0].hash, "Z");
    assert_int_equal(suspects[0].build_counts[KG_HISTORY_AFTER], 1);
    const struct kg_history_build *after = suspects[0].builds[KG_HISTORY_AFTER];
    assert_string_equal(after->hash, "B");
    assert_string_equal(after->code.hash, "ffffffffffffffab");
    assert_int_equal(after->code.scope, KG_CODE_WITH_LIBRARIES);
    assert_int_equal(after->code.library_count, 2);
    assert_string_equal(after->code.libraries[1], "b.so 2");
    assert_false(suspects[0].adjacent);
}

static void a_pruned_run_is_found_by_its_commit_if_that_has_one_build(void **state)
{
    (void)state;
    run_write(&(struct run){1, "00000000000000aa", "A"});
    run_write(&(struct run){2, "00000000000000ab", "B"});
    change_write(1, 2, "unknown", "suspected");
    assert_true(kg_database_execute(database, "DELETE FROM point WHERE run = 1", &err));
    suspects_read("h");
    assert_true(isnan(suspects[0].value));
    assert_int_equal(suspects[0].build_counts[KG_HISTORY_BEFORE], 1);
    assert_string_equal(suspects[0].builds[KG_HISTORY_BEFORE][0].hash, "A");
    assert_true(kg_database_execute(
        database, "INSERT INTO build SELECT suite, 1, commit_, 'C', scope, '' FROM build", &err));
    suspects_read("h");
    assert_int_equal(suspects[0].build_counts[KG_HISTORY_BEFORE], 0);
}

static void a_change_is_decided_once(void **state)
{
    (void)state;
    const struct kg_history_decision none = {.seconds = 1},
                                     first = {"refuted", "machine", "+0.1 %", NULL, 2},
                                     second = {"confirmed", "code", "+50 %", "c2", 4};
    const struct kg_history_filter filter = {0}, owner = {.refuted = true};
    bool stored;
    run_write(&(struct run){1, "00000000000000aa", "A"});
    change_write(1, 1, "unknown", "suspected");
    assert_true(kg_history_decide(database, 1, &none, &stored, &err));
    assert_true(stored);
    assert_true(kg_history_decide(database, 1, &first, &stored, &err));
    assert_true(stored);
    assert_true(kg_history_decide(database, 1, &second, &stored, &err));
    assert_false(stored);
    assert_true(kg_history_changes(database, &filter, &history, &err));
    assert_int_equal(history.change_count, 0);
    kg_history_free(&history);
    assert_true(kg_history_changes(database, &owner, &history, &err));
    assert_int_equal(history.change_count, 1);
    assert_string_equal(history.changes[0].state, "refuted");
    assert_string_equal(history.changes[0].proof, "+0.1 %");
    assert_true(history.changes[0].seconds == 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(only_changes_of_the_machine_that_measuring_may_decide,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(a_build_is_found_by_its_code_and_that_of_the_commit_first,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(a_pruned_run_is_found_by_its_commit_if_that_has_one_build,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(a_change_is_decided_once, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
