/* Changes that a history finds while runs are added. With SQLite files. */
#include "judge/history/history.h"

#include "judge/history/history_writer.h"
#include "test_support.h"

enum { RUNS = 40, STEP_RUN = 20 /* first run at the new level */ };

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

/* Facts of a run. */
struct facts {
    int number; /* place in time, and in the hash */
    const char *host;
    enum kg_history_kind kind;
    const char *epoch, *code, *definition;
    size_t cases;
    double ratio; /* of the level */
    int per_day;  /* number of runs per day; 0: one */
};

/* A series on host "a" that steps by 5 % at STEP_RUN. */
static struct facts facts_of(int number)
{
    return (struct facts){.number = number,
                          .host = "a",
                          .epoch = "e",
                          .code = "00000000000000aa",
                          .definition = "00000000000000dd",
                          .cases = 1,
                          .ratio = number < STEP_RUN ? 1 : 1.05};
}

/* Noise of about 0.2 % that the number and the case decide. */
static double noise(int number, size_t i)
{
    return 0.003 * sin(12.9898 * number + 78.233 * (double)(i + 1));
}

static void run_put(struct kg_history_writer *writer, const struct facts *facts)
{
    char hash[65], started[48], commit[16], id[32];
    bool present;
    const int day = facts->per_day ? facts->number / facts->per_day : facts->number;
    const int hour = facts->per_day ? facts->number % facts->per_day : 0;
    snprintf(hash, sizeof hash, "%s%d%062d", facts->host, facts->kind, facts->number);
    snprintf(started, sizeof started, "2026-%02d-%02dT%02d:00:00Z", 1 + day / 28, 1 + day % 28,
             facts->kind == KG_HISTORY_CONTROL ? 6 : hour);
    snprintf(commit, sizeof commit, "c%d", facts->number);
    const struct kg_history_run run = {.hash = hash,
                                       .suite = "s",
                                       .kind = facts->kind,
                                       .started = started,
                                       .commit = commit,
                                       .depth = NAN,
                                       .complete = true,
                                       .machine = "m",
                                       .host = facts->host,
                                       .epoch = facts->epoch};
    assert_true(kg_history_writer_run(writer, &run, &present, &err));
    assert_false(present);
    for (size_t i = 0; i < facts->cases; i++) {
        snprintf(id, sizeof id, "w/n=%zu/cpu", i);
        const struct kg_history_series series = {.id_of_case = id,
                                                 .definition = facts->definition,
                                                 .metric = "time",
                                                 .source = "rounds",
                                                 .unit = "ns"};
        const struct kg_history_point point = {.value = 100 * facts->ratio *
                                                        (1 + noise(facts->number, i)),
                                               .error = 0.1,
                                               .deviation = 0.2,
                                               .rounds = 5,
                                               .code = facts->code};
        assert_true(kg_history_writer_point(writer, &series, &point, &err));
    }
    assert_true(kg_history_writer_run_end(writer, &err));
}

static struct kg_history_outcome run_add(const struct facts *facts)
{
    static struct kg_history_writer writer;
    assert_true(kg_history_writer_open(&writer, database, &err));
    run_put(&writer, facts);
    assert_true(kg_history_writer_close(&writer, true, &err));
    return writer.outcome;
}

/* Adds the runs of host "a"; `change` alters their facts. */
static void runs_add(void (*change)(struct facts *facts))
{
    for (int i = 0; i < RUNS; i++) {
        struct facts facts = facts_of(i);
        if (change)
            change(&facts);
        run_add(&facts);
    }
}

/* Checks that all changes have this number and cause. */
static void changes_check(size_t count, const char *cause)
{
    struct kg_history history = {0};
    assert_true(kg_history_changes(database, &all, &history, &err));
    assert_int_equal(history.change_count, count);
    for (size_t i = 0; i < count; i++)
        assert_string_equal(history.changes[i].cause, cause);
    kg_history_free(&history);
}

static void code_change(struct facts *facts)
{
    facts->code = facts->number < STEP_RUN ? "00000000000000aa" : "00000000000000ab";
}

static void a_step_of_five_percent_is_one_change(void **state)
{
    (void)state;
    struct kg_history history = {0};
    runs_add(code_change);
    changes_check(1, "unknown");
    assert_true(kg_history_changes(database, &all, &history, &err));
    const struct kg_history_change *change = &history.changes[0];
    assert_string_equal(change->kind, "step");
    assert_string_equal(change->state, "suspected");
    assert_string_equal(change->commit_before, "c19");
    assert_string_equal(change->commit_after, "c20");
    assert_string_equal(change->found, "2026-01-23T00:00:00Z");
    assert_true(fabs(change->ratio - 1.05) < 0.003);
    assert_true(change->low < change->ratio && change->ratio < change->high);
    kg_history_free(&history);
}

static void show_reads_the_changes_of_its_series(void **state)
{
    (void)state;
    struct kg_history history = {0};
    const struct kg_history_filter filter = {.which = "w/n=0/cpu"};
    struct facts facts;
    for (int i = 0; i < RUNS; i++) {
        facts = facts_of(i);
        facts.cases = 2;
        run_add(&facts);
    }
    assert_true(kg_history_show(database, &filter, &history, &err));
    assert_int_equal(history.series_count, 1);
    assert_int_equal(history.change_count, 1);
    assert_true(history.changes[0].series == history.series[0].id);
    kg_history_free(&history);
}

static void a_step_of_unchanged_code_is_of_the_machine(void **state)
{
    (void)state;
    runs_add(NULL);
    changes_check(1, "machine");
}

/* The split is one run too early. */
static void late_code_change(struct facts *facts)
{
    facts->code = facts->number <= STEP_RUN ? "00000000000000aa" : "00000000000000ab";
}

/* The split is two runs too late. */
static void early_code_change(struct facts *facts)
{
    facts->code = facts->number < STEP_RUN - 2 ? "00000000000000aa" : "00000000000000ab";
}

static void a_step_beside_a_change_of_the_code_is_not_of_the_machine(void **state)
{
    (void)state;
    runs_add(late_code_change);
    changes_check(1, "unknown");
}

static void a_step_two_runs_after_a_change_of_the_code_is_not_of_the_machine(void **state)
{
    (void)state;
    runs_add(early_code_change);
    changes_check(1, "unknown");
}

static void epoch_change(struct facts *facts)
{
    facts->epoch = facts->number < STEP_RUN ? "e" : "f";
}

static void a_step_with_an_updated_machine_is_of_the_environment(void **state)
{
    (void)state;
    runs_add(epoch_change);
    changes_check(1, "environment");
}

static void definition_change(struct facts *facts)
{
    code_change(facts);
    facts->definition = facts->number < STEP_RUN ? "00000000000000dd" : "00000000000000de";
}

static void a_step_to_another_definition_is_named(void **state)
{
    (void)state;
    runs_add(definition_change);
    changes_check(1, "definition");
}

/* Adds the runs of hosts "a" and "b" with four cases and changed code. The peer of a run comes first. */
static void fleet_add(bool both_step)
{
    for (int i = 0; i < RUNS; i++)
        for (int host = 1; host >= 0; host--) {
            struct facts facts = facts_of(i);
            code_change(&facts);
            facts.cases = 4;
            facts.host = host ? "b" : "a";
            if (host && !both_step)
                facts.ratio = 1;
            run_add(&facts);
        }
}

static void a_step_of_a_whole_host_but_not_of_its_peer_is_of_the_machine(void **state)
{
    (void)state;
    fleet_add(false);
    changes_check(4, "machine");
}

static void a_step_on_two_hosts_is_code_on_both(void **state)
{
    (void)state;
    fleet_add(true);
    changes_check(8, "code");
}

/* The runs of a whole import are in the tables before the first alarm. */
static void a_peer_whose_run_is_not_appended_yet_proves_nothing(void **state)
{
    (void)state;
    static struct kg_history_writer writer;
    assert_true(kg_history_writer_open(&writer, database, &err));
    for (int i = 0; i < 2 * RUNS; i++) {
        struct facts facts = facts_of(i / 2);
        code_change(&facts);
        facts.cases = 4;
        facts.host = i % 2 ? "b" : "a";
        run_put(&writer, &facts);
    }
    assert_true(kg_history_writer_close(&writer, true, &err));
    changes_check(8, "code");
}

static void an_older_run_is_stored_and_skipped(void **state)
{
    (void)state;
    struct kg_history history = {0};
    for (int i = 0; i < RUNS; i++)
        if (i != 5) {
            const struct facts facts = facts_of(i);
            assert_int_equal(run_add(&facts).late, 0);
        }
    struct facts late = facts_of(5);
    late.ratio = 3;
    const struct kg_history_outcome outcome = run_add(&late);
    assert_int_equal(outcome.runs, 1);
    assert_int_equal(outcome.late, 1);
    changes_check(1, "machine");
    assert_true(kg_history_runs(database, &all, &history, &err));
    assert_int_equal(history.run_count, RUNS);
    kg_history_free(&history);
}

static void runs_of_one_command_are_put_in_order(void **state)
{
    (void)state;
    static struct kg_history_writer writer;
    assert_true(kg_history_writer_open(&writer, database, &err));
    for (int i = RUNS; i-- > 0;) {
        const struct facts facts = facts_of(i);
        run_put(&writer, &facts);
    }
    assert_true(kg_history_writer_close(&writer, true, &err));
    assert_int_equal(writer.outcome.changes, 1);
    assert_int_equal(writer.outcome.late, 0);
    changes_check(1, "machine");
}

static void nothing_is_appended_if_the_transaction_fails(void **state)
{
    (void)state;
    static struct kg_history_writer writer;
    for (int i = 0; i < RUNS; i++) {
        const struct facts facts = facts_of(i);
        assert_true(kg_history_writer_open(&writer, database, &err));
        run_put(&writer, &facts);
        assert_false(kg_history_writer_close(&writer, false, &err));
        run_add(&facts);
    }
    changes_check(1, "machine");
}

static void pull_request(struct facts *facts)
{
    facts->kind = KG_HISTORY_PULL_REQUEST;
}

static void a_pull_request_is_not_followed(void **state)
{
    (void)state;
    runs_add(pull_request);
    changes_check(0, "");
}

/* --- Controls --------------------------------------------------------------------------------- */

/* The machine's part of a run: it moves by up to 1 % from night to night. */
static double machine_part(int number)
{
    return 0.01 * sin(4.1 * number);
}

static struct facts control_of(int number, double ratio)
{
    struct facts facts = facts_of(number);
    facts.kind = KG_HISTORY_CONTROL;
    facts.cases = 5;
    facts.ratio = ratio;
    return facts;
}

static struct facts night_of(int number, double ratio)
{
    struct facts facts = facts_of(number);
    code_change(&facts);
    facts.ratio = ratio;
    return facts;
}

static void control_change(struct facts *facts)
{
    facts->kind = KG_HISTORY_CONTROL;
}

static void a_step_of_a_control_is_of_the_machine(void **state)
{
    (void)state;
    runs_add(control_change);
    changes_check(1, "control");
}

static void a_step_that_the_control_shares_is_not_in_the_series(void **state)
{
    (void)state;
    struct kg_history history = {0};
    for (int i = 0; i < RUNS; i++) {
        const double ratio = exp(machine_part(i)) * (i < STEP_RUN ? 1 : 1.05);
        const struct facts control = control_of(i, ratio), night = night_of(i, ratio);
        run_add(&control);
        run_add(&night);
    }
    changes_check(5, "control");
    assert_true(kg_history_show(database, &all, &history, &err));
    for (size_t i = 0; i < history.series_count; i++)
        for (size_t j = 0; j < history.change_count; j++)
            assert_true(history.series[i].control ||
                        history.changes[j].series != history.series[i].id);
    kg_history_free(&history);
}

/* The median of a fleet's cases would hide a step of all cases. The control does not move. */
static void a_step_of_the_code_stays(void **state)
{
    (void)state;
    for (int i = 0; i < RUNS; i++) {
        const double machine = exp(machine_part(i));
        const struct facts control = control_of(i, machine),
                           night = night_of(i, machine * (i < STEP_RUN ? 1 : 1.05));
        run_add(&control);
        run_add(&night);
    }
    changes_check(1, "unknown");
}

/* Three times the control's step: the rest is a step, and its cause is the same. */
static void a_step_larger_than_that_of_the_control_has_its_cause(void **state)
{
    (void)state;
    for (int i = 0; i < RUNS; i++) {
        const double machine = exp(machine_part(i)), step = i < STEP_RUN ? 0 : 0.05;
        const struct facts control = control_of(i, machine * exp(step)),
                           night = night_of(i, machine * exp(3 * step));
        run_add(&control);
        run_add(&night);
    }
    changes_check(6, "control");
}

static void a_control_of_the_same_command_may_come_later(void **state)
{
    (void)state;
    static struct kg_history_writer writer;
    for (int i = 0; i < RUNS; i++) {
        const double ratio = exp(machine_part(i)) * (i < STEP_RUN ? 1 : 1.05);
        const struct facts control = control_of(i, ratio), night = night_of(i, ratio);
        assert_true(kg_history_writer_open(&writer, database, &err));
        run_put(&writer, &night);
        run_put(&writer, &control);
        assert_true(kg_history_writer_close(&writer, true, &err));
    }
    changes_check(5, "control");
}

/* The control of the next release is 20 % faster. */
static void another_kept_build_is_no_step(void **state)
{
    (void)state;
    for (int i = 0; i < RUNS; i++) {
        const double machine = exp(machine_part(i));
        struct facts control = control_of(i, machine * (i < STEP_RUN ? 1 : 0.8));
        const struct facts night = night_of(i, machine);
        code_change(&control);
        run_add(&control);
        run_add(&night);
    }
    changes_check(0, "");
}

/* --- Removal ---------------------------------------------------------------------------------- */

static const int WRONG_RUN = STEP_RUN + 1;

/* One wrong night before two that are 3 % slower: together they pass for a level. */
static void wrong_night(struct facts *facts)
{
    const int after = facts->number - WRONG_RUN;
    facts->ratio = after == 0 ? 1.06 : after == 1 || after == 2 ? 1.032 : 1;
}

static void run_remove(int number)
{
    struct kg_history_outcome outcome;
    char time[48];
    snprintf(time, sizeof time, "2026-%02d-%02d", 1 + number / 28, 1 + number % 28);
    assert_true(kg_history_run_prune(database, time, &all, &outcome, &err));
    assert_int_equal(outcome.runs, 1);
}

static void a_change_that_a_removed_run_caused_goes(void **state)
{
    (void)state;
    runs_add(wrong_night);
    struct kg_history history = {0};
    assert_true(kg_history_changes(database, &all, &history, &err));
    assert_true(history.change_count > 0);
    kg_history_free(&history);
    run_remove(WRONG_RUN);
    changes_check(0, "");
}

/* A run of three times the time makes all scatter large. */
static void hiding_night(struct facts *facts)
{
    if (facts->number == STEP_RUN - 5)
        facts->ratio = 3;
}

static void a_change_that_a_removed_run_hid_is_found(void **state)
{
    (void)state;
    runs_add(hiding_night);
    changes_check(0, "");
    run_remove(STEP_RUN - 5);
    changes_check(1, "machine");
}

/* Decides the only change, removes a run, and expects the decision again. */
static void removal_check(const char *decided, int removed)
{
    const struct kg_history_decision decision = {decided, "code", "+5 %", "c20", 7};
    const struct kg_history_filter owner = {.refuted = true};
    struct kg_history history = {0};
    bool stored;
    runs_add(code_change);
    assert_true(kg_history_decide(database, 1, &decision, &stored, &err));
    assert_true(stored);
    run_remove(removed);
    assert_true(kg_history_changes(database, &owner, &history, &err));
    assert_int_equal(history.change_count, 1);
    assert_string_equal(history.changes[0].state, decided);
    assert_string_equal(history.changes[0].proof, "+5 %");
    assert_string_equal(history.changes[0].culprit, "c20");
    assert_string_equal(history.changes[0].commit_before, "c19");
    assert_true(history.changes[0].seconds == 7);
    kg_history_free(&history);
}

static void a_removal_before_a_change_keeps_its_decision(void **state)
{
    (void)state;
    removal_check("refuted", 5);
}

static void a_removal_after_a_change_keeps_its_decision(void **state)
{
    (void)state;
    removal_check("refuted", 35);
}

static void a_removal_of_its_first_run_keeps_a_confirmed_change(void **state)
{
    (void)state;
    const struct kg_history_decision decision = {"confirmed", "code", "+3 %", NULL, 7};
    struct kg_history history = {0};
    bool stored;
    runs_add(wrong_night);
    assert_true(kg_history_decide(database, 1, &decision, &stored, &err));
    run_remove(WRONG_RUN);
    assert_true(kg_history_changes(database, &all, &history, &err));
    assert_int_equal(history.change_count, 1);
    assert_string_equal(history.changes[0].state, "confirmed");
    kg_history_free(&history);
}

static void a_removed_control_moves_no_series(void **state)
{
    (void)state;
    for (int i = 0; i < RUNS; i++) {
        const double ratio = exp(machine_part(i)) * (i < STEP_RUN ? 1 : 1.05);
        const struct facts control = control_of(i, i == 30 ? 9 : ratio), night = night_of(i, ratio);
        run_add(&control);
        run_add(&night);
    }
    struct kg_history_outcome outcome;
    assert_true(kg_history_run_prune(database, "2026-02-03T06", &all, &outcome, &err));
    assert_int_equal(outcome.runs, 1);
    changes_check(5, "control");
}

/* --- Nodes ------------------------------------------------------------------------------------ */

/* Adds the runs of three hosts. In the last night, host `sick` is 4 % slower, and the code is 10 % slower. */
static size_t class_add(const char *sick)
{
    static const char *const hosts[] = {"a", "b", "c"};
    size_t nodes = 0;
    for (int i = 0; i < STEP_RUN; i++)
        for (size_t h = 0; h < 3; h++) {
            struct facts facts = night_of(i, i + 1 == STEP_RUN ? 1.1 : 1);
            facts.host = hosts[h];
            facts.cases = 6;
            facts.ratio *= 1 + noise(7 * i + (int)h, 50);
            if (i + 1 == STEP_RUN && !strcmp(facts.host, sick))
                facts.ratio *= 1.04;
            nodes += run_add(&facts).nodes;
        }
    return nodes;
}

static void a_host_unlike_its_class_is_a_suspect_node(void **state)
{
    static const char *const hosts[] = {"a", "c"}; /* the first and the last of the night */
    char path[128];
    for (size_t i = 0; i < 2; i++) {
        struct kg_history history = {0};
        kg_history_close(database);
        snprintf(path, sizeof path, "sqlite:%s/nodes%zu.db", (const char *)*state, i);
        assert_true(kg_history_open(path, KG_HISTORY_WRITE, &database, &err));
        assert_int_equal(class_add(hosts[i]), 1);
        assert_true(kg_history_nodes(database, &all, &history, &err));
        assert_int_equal(history.node_count, 1);
        assert_string_equal(history.nodes[0].host, hosts[i]);
        assert_true(fabs(history.nodes[0].ratio - 1.04 * 1.1) < 0.01);
        assert_true(fabs(history.nodes[0].excess - 1.04) < 0.01);
        assert_true(history.nodes[0].deviation > 0 && history.nodes[0].deviation < 0.01);
        kg_history_free(&history);
    }
}

static void a_class_that_is_slower_has_no_suspect_node(void **state)
{
    (void)state;
    assert_int_equal(class_add("none"), 0);
}

static void prune_keeps_detectors_and_changes(void **state)
{
    (void)state;
    struct kg_history_outcome outcome;
    runs_add(NULL);
    assert_true(kg_history_prune(database, 3, NULL, &outcome, &err));
    for (int i = RUNS; i < 2 * RUNS; i++) {
        struct facts facts = facts_of(i);
        facts.ratio = i < RUNS + STEP_RUN ? 1.05 : 1;
        run_add(&facts);
    }
    changes_check(2, "machine");
}

static void a_damaged_row_begins_again(void **state)
{
    (void)state;
    for (int i = 0; i < STEP_RUN; i++) {
        const struct facts facts = facts_of(i);
        run_add(&facts);
    }
    assert_true(kg_database_execute(database, "UPDATE level SET state = 'x'", &err));
    for (int i = STEP_RUN; i < 2 * RUNS; i++) {
        struct facts facts = facts_of(i);
        facts.ratio = i < RUNS ? 1 : 1.05;
        run_add(&facts);
    }
    changes_check(1, "machine");
}

/* 0.03 % per night: no step of 2 % between two levels. */
static void a_slow_drift_is_one_creep(void **state)
{
    (void)state;
    struct kg_history history = {0};
    for (int i = 0; i < 75; i++) {
        struct facts facts = facts_of(i);
        code_change(&facts);
        facts.ratio = exp(0.0003 * i);
        run_add(&facts);
    }
    assert_true(kg_history_changes(database, &all, &history, &err));
    assert_int_equal(history.change_count, 1);
    const struct kg_history_change *change = &history.changes[0];
    assert_string_equal(change->kind, "creep");
    assert_true(change->ratio > 1.009 && change->ratio < 1.025);
    assert_true(change->low < change->ratio && change->ratio < change->high);
    kg_history_free(&history);
}

/* The window of the detector covers 16 days. */
static void a_slow_drift_is_a_creep_with_eight_runs_per_day(void **state)
{
    (void)state;
    static struct kg_history_writer writer;
    struct kg_history history = {0};
    assert_true(kg_history_writer_open(&writer, database, &err));
    for (int i = 0; i < 800; i++) {
        struct facts facts = night_of(i, exp(0.0003 * i / 8));
        facts.per_day = 8;
        run_put(&writer, &facts);
    }
    assert_true(kg_history_writer_close(&writer, true, &err));
    assert_true(kg_history_changes(database, &all, &history, &err));
    assert_int_equal(history.change_count, 1);
    assert_string_equal(history.changes[0].kind, "creep");
    assert_true(history.changes[0].ratio > 1.009 && history.changes[0].ratio < 1.025);
    assert_non_null(history.changes[0].commit_before);
    kg_history_free(&history);
}

/* The drift since the release passes 1 % before that of 30 days does. */
static void a_drift_since_the_last_release_is_a_creep(void **state)
{
    (void)state;
    struct kg_history history = {0};
    for (int i = 0; i < 75; i++) {
        struct facts facts = night_of(i, exp(0.00025 * i));
        run_add(&facts);
        if (i == 6) {
            facts.kind = KG_HISTORY_RELEASE;
            run_add(&facts);
        }
    }
    assert_true(kg_history_changes(database, &all, &history, &err));
    assert_int_equal(history.change_count, 1);
    assert_string_equal(history.changes[0].kind, "creep");
    assert_string_equal(history.changes[0].commit_before, "c6");
    kg_history_free(&history);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_step_of_five_percent_is_one_change, setup, teardown),
        cmocka_unit_test_setup_teardown(show_reads_the_changes_of_its_series, setup, teardown),
        cmocka_unit_test_setup_teardown(a_step_of_unchanged_code_is_of_the_machine, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_step_beside_a_change_of_the_code_is_not_of_the_machine,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(
            a_step_two_runs_after_a_change_of_the_code_is_not_of_the_machine, setup, teardown),
        cmocka_unit_test_setup_teardown(a_step_with_an_updated_machine_is_of_the_environment, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_step_to_another_definition_is_named, setup, teardown),
        cmocka_unit_test_setup_teardown(
            a_step_of_a_whole_host_but_not_of_its_peer_is_of_the_machine, setup, teardown),
        cmocka_unit_test_setup_teardown(a_step_on_two_hosts_is_code_on_both, setup, teardown),
        cmocka_unit_test_setup_teardown(a_peer_whose_run_is_not_appended_yet_proves_nothing, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(an_older_run_is_stored_and_skipped, setup, teardown),
        cmocka_unit_test_setup_teardown(runs_of_one_command_are_put_in_order, setup, teardown),
        cmocka_unit_test_setup_teardown(nothing_is_appended_if_the_transaction_fails, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_pull_request_is_not_followed, setup, teardown),
        cmocka_unit_test_setup_teardown(a_step_of_a_control_is_of_the_machine, setup, teardown),
        cmocka_unit_test_setup_teardown(a_step_that_the_control_shares_is_not_in_the_series, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_step_of_the_code_stays, setup, teardown),
        cmocka_unit_test_setup_teardown(a_step_larger_than_that_of_the_control_has_its_cause, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_control_of_the_same_command_may_come_later, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(another_kept_build_is_no_step, setup, teardown),
        cmocka_unit_test_setup_teardown(a_host_unlike_its_class_is_a_suspect_node, setup, teardown),
        cmocka_unit_test_setup_teardown(a_class_that_is_slower_has_no_suspect_node, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_drift_since_the_last_release_is_a_creep, setup, teardown),
        cmocka_unit_test_setup_teardown(prune_keeps_detectors_and_changes, setup, teardown),
        cmocka_unit_test_setup_teardown(a_change_that_a_removed_run_caused_goes, setup, teardown),
        cmocka_unit_test_setup_teardown(a_change_that_a_removed_run_hid_is_found, setup, teardown),
        cmocka_unit_test_setup_teardown(a_removal_before_a_change_keeps_its_decision, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_removal_after_a_change_keeps_its_decision, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_removal_of_its_first_run_keeps_a_confirmed_change, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_removed_control_moves_no_series, setup, teardown),
        cmocka_unit_test_setup_teardown(a_damaged_row_begins_again, setup, teardown),
        cmocka_unit_test_setup_teardown(a_slow_drift_is_one_creep, setup, teardown),
        cmocka_unit_test_setup_teardown(a_slow_drift_is_a_creep_with_eight_runs_per_day, setup,
                                        teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
