/* Two profiles compared: what is a change, what is not, and what a reader is told. */
#include "compare/profiled.h"
#include "test_support.h"

enum { ROWS = 4, PROCESSES = 6 };

/* A program of four paths, main > (read, work > inner), recorded PROCESSES times; each round is a
 * little off the others. */
struct made {
    struct kg_profile profile;
    struct kg_profile_process processes[PROCESSES];
    struct kg_profile_row rows[ROWS];
    double rounds_ns[ROWS][PROCESSES];
    double calls[ROWS][PROCESSES];
};

static const double row_ns[ROWS] = {100e6, 20e6, 70e6, 30e6};
static const char *const row_names[ROWS] = {"main", "read", "work", "inner"};
static const size_t row_parents[ROWS] = {0, 0, 0, 2}, row_depths[ROWS] = {0, 1, 1, 2};

static void row_make(struct made *made, size_t i, size_t processes, double factor)
{
    struct kg_profile_row *row = &made->rows[i];
    *row = (struct kg_profile_row){
        .path = {.name = row_names[i],
                 .parent = row_parents[i],
                 .depth = row_depths[i],
                 .device = "cpu"},
        .figures = {.calls = 10 * processes, .total_ns = row_ns[i] * factor * (double)processes},
        .rounds_ns = made->rounds_ns[i],
        .round_count = PROCESSES,
        .calls = made->calls[i],
        .process_count = processes};
    for (size_t p = 0; p < PROCESSES; p++) {
        const double off = 1 + 0.004 * ((double)p - 2.5) * (p % 2 ? 1 : -1);
        made->rounds_ns[i][p] = row_ns[i] * factor * off;
        made->calls[i][p] = 10;
    }
}

static struct made *make(size_t processes)
{
    struct made *made = calloc(1, sizeof *made);
    assert_non_null(made);
    for (size_t i = 0; i < ROWS; i++)
        row_make(made, i, processes, 1);
    for (size_t p = 0; p < PROCESSES; p++)
        made->processes[p] =
            (struct kg_profile_process){.host = "host", .sample = 1, .complete = true};
    made->profile = (struct kg_profile){.processes = made->processes,
                                        .process_count = processes,
                                        .rows = made->rows,
                                        .row_count = ROWS,
                                        .entry_count = 40};
    return made;
}

static void compare(const struct made *base, const struct made *head,
                    struct kg_comparison *comparison)
{
    struct kg_error err = {0};
    if (!kg_profile_compare(&base->profile, &head->profile, &kg_profile_judging_usual, comparison,
                            &err))
        fail_msg("%s", err.message);
}

static const struct kg_case_change *change_of(const struct kg_comparison *comparison,
                                              const char *id)
{
    for (size_t i = 0; i < comparison->case_count; i++)
        if (!strcmp(comparison->cases[i].id, id))
            return &comparison->cases[i];
    fail_msg("no case '%s'", id);
    return NULL;
}

static bool noted(const struct kg_comparison *comparison, const char *text)
{
    for (size_t i = 0; i < comparison->note_count; i++)
        if (strstr(comparison->notes[i], text))
            return true;
    return false;
}

static void the_same_profile_has_not_changed(void **state)
{
    (void)state;
    struct made *base = make(PROCESSES), *head = make(PROCESSES);
    struct kg_comparison comparison;
    compare(base, head, &comparison);
    assert_int_equal(comparison.exit_status, KG_EXIT_PASS);
    assert_int_equal(comparison.counts.no_change, ROWS);
    assert_false(noted(&comparison, "one process"));
    kg_comparison_free(&comparison);
    free(base);
    free(head);
}

static void a_slower_path_is_named_and_fails(void **state)
{
    (void)state;
    struct made *base = make(PROCESSES), *head = make(PROCESSES);
    struct kg_comparison comparison;
    row_make(head, 3, PROCESSES, 1.5);
    compare(base, head, &comparison);
    assert_int_equal(comparison.exit_status, KG_EXIT_REGRESSION);
    const struct kg_case_change *change = change_of(&comparison, "main;work;inner/cpu");
    assert_int_equal(change->change, KG_CHANGE_REGRESSION);
    assert_true(fabs(change->metrics[0].ratio - 1.5) < 0.01);
    assert_int_equal(change_of(&comparison, "main;read/cpu")->change, KG_CHANGE_NO_CHANGE);
    kg_comparison_free(&comparison);
    free(base);
    free(head);
}

static void a_path_that_is_next_to_nothing_may_grow(void **state)
{
    (void)state;
    struct made *base = make(PROCESSES), *head = make(PROCESSES);
    struct kg_comparison comparison;
    /* below 0.2 % of the program's 100 ms */
    row_make(base, 3, PROCESSES, 1e-4);
    row_make(head, 3, PROCESSES, 3e-4);
    compare(base, head, &comparison);
    assert_int_equal(comparison.exit_status, KG_EXIT_PASS);
    assert_int_equal(change_of(&comparison, "main;work;inner/cpu")->change, KG_CHANGE_NO_CHANGE);
    kg_comparison_free(&comparison);
    free(base);
    free(head);
}

/* A total of a process has no typical call: its mean is its median. */
static void a_path_in_doubt_is_not_told_of_its_typical_call(void **state)
{
    (void)state;
    struct made *base = make(PROCESSES), *head = make(PROCESSES);
    struct kg_comparison comparison;
    for (size_t p = 0; p < PROCESSES; p++)
        head->rounds_ns[3][p] *= 1.04 + 0.02 * (double)p;
    compare(base, head, &comparison);
    for (size_t i = 0; i < comparison.case_count; i++)
        assert_true(!comparison.cases[i].reason ||
                    !strstr(comparison.cases[i].reason, "typical call"));
    kg_comparison_free(&comparison);
    free(base);
    free(head);
}

/* A profile has no rounds to raise and no `kgate ab`: there can be more processes of it. */
static void what_would_settle_a_doubt_is_more_processes(void **state)
{
    (void)state;
    struct made *base = make(PROCESSES), *head = make(PROCESSES);
    struct kg_comparison comparison;
    size_t doubts = 0;
    for (size_t p = 0; p < PROCESSES; p++) {
        head->rounds_ns[1][p] *= p % 2 ? 1.4 : 0.9; /* crosses the threshold */
        head->rounds_ns[2][p] *= 1.01 + 0.03 * (double)p;
        head->rounds_ns[3][p] *= 1.03 + 0.02 * (double)p;
    }
    for (size_t i = 0; i < ROWS; i++)
        base->rows[i].round_count = head->rows[i].round_count = i ? PROCESSES - 1 : 2;
    compare(base, head, &comparison);
    for (size_t i = 0; i < comparison.case_count; i++) {
        const struct kg_case_change *change = &comparison.cases[i];
        if (change->change != KG_CHANGE_INCONCLUSIVE)
            continue;
        doubts++;
        if (!strstr(change->reason, "processes") || strstr(change->reason, "rounds") ||
            strstr(change->reason, "kgate ab"))
            fail_msg("%s: %s", change->id, change->reason);
    }
    assert_true(doubts >= 3);
    kg_comparison_free(&comparison);
    free(base);
    free(head);
}

static void more_calls_are_told(void **state)
{
    (void)state;
    struct made *base = make(PROCESSES), *head = make(PROCESSES);
    struct kg_comparison comparison;
    row_make(head, 1, PROCESSES, 2);
    for (size_t p = 0; p < PROCESSES; p++)
        head->calls[1][p] = 20;
    compare(base, head, &comparison);
    assert_true(noted(&comparison, "main;read/cpu: 20 calls a process, were 10"));
    kg_comparison_free(&comparison);
    free(base);
    free(head);
}

/* Neither proven slower nor unchanged: the calls are what a reader wants to know then. */
static void more_calls_of_a_path_in_doubt_are_told(void **state)
{
    (void)state;
    struct made *base = make(PROCESSES), *head = make(PROCESSES);
    struct kg_comparison comparison;
    for (size_t p = 0; p < PROCESSES; p++) {
        head->rounds_ns[1][p] *= p % 2 ? 1.4 : 0.9;
        head->calls[1][p] = 12;
        head->calls[2][p] = 11;
    }
    compare(base, head, &comparison);
    assert_int_equal(change_of(&comparison, "main;read/cpu")->change, KG_CHANGE_INCONCLUSIVE);
    assert_true(noted(&comparison, "main;read/cpu: 12 calls a process, were 10"));
    assert_false(noted(&comparison, "main;work/cpu: 11 calls"));
    kg_comparison_free(&comparison);
    free(base);
    free(head);
}

static size_t note_of(const struct kg_comparison *comparison, const char *text)
{
    size_t i = 0;
    while (i < comparison->note_count && !strstr(comparison->notes[i], text))
        i++;
    return i;
}

/* The read grew by more of itself, the work by more time. */
static void what_moved_most_is_told_of_first(void **state)
{
    (void)state;
    struct made *base = make(PROCESSES), *head = make(PROCESSES);
    struct kg_comparison comparison;
    row_make(head, 1, PROCESSES, 1.8);
    row_make(head, 2, PROCESSES, 1.5);
    for (size_t p = 0; p < PROCESSES; p++)
        head->calls[1][p] = head->calls[2][p] = 20;
    compare(base, head, &comparison);
    const size_t work = note_of(&comparison, "main;work/cpu: 20 calls");
    const size_t read = note_of(&comparison, "main;read/cpu: 20 calls");
    assert_true(work < read && read < comparison.note_count);
    kg_comparison_free(&comparison);
    free(base);
    free(head);
}

static void one_process_on_a_side_is_told(void **state)
{
    (void)state;
    struct made *base = make(PROCESSES), *head = make(1);
    struct kg_comparison comparison;
    compare(base, head, &comparison);
    assert_true(noted(&comparison, "of one process there are no rounds"));
    kg_comparison_free(&comparison);
    free(base);
    free(head);
}

static void another_host_is_told(void **state)
{
    (void)state;
    struct made *base = make(PROCESSES), *head = make(PROCESSES);
    struct kg_comparison comparison;
    head->processes[0].host = "other";
    compare(base, head, &comparison);
    assert_true(noted(&comparison, "recorded on 'other', the base on 'host'"));
    kg_comparison_free(&comparison);
    free(base);
    free(head);
}

static void what_ran_for_a_fixed_time_is_refused(void **state)
{
    (void)state;
    struct made *base = make(PROCESSES), *head = make(PROCESSES);
    struct kg_comparison comparison;
    struct kg_error err = {0};
    head->processes[1].program = "/usr/bin/kgate";
    head->processes[1].label = "gemm/cpu";
    assert_false(kg_profile_compare(&base->profile, &head->profile, &kg_profile_judging_usual,
                                    &comparison, &err));
    assert_int_equal(err.kind, KG_ERROR_USAGE);
    assert_non_null(strstr(err.message, "fixed time"));
    free(base);
    free(head);
}

static void profiles_sampled_differently_are_refused(void **state)
{
    (void)state;
    struct made *base = make(PROCESSES), *head = make(PROCESSES);
    struct kg_comparison comparison;
    struct kg_error err = {0};
    head->processes[3].sample = 0.01;
    assert_false(kg_profile_compare(&base->profile, &head->profile, &kg_profile_judging_usual,
                                    &comparison, &err));
    assert_int_equal(err.kind, KG_ERROR_USAGE);
    assert_non_null(strstr(err.message, "sampled differently"));
    free(base);
    free(head);
}

/* Expects a comparison to be refused with `words` in the message. */
static void refused(const struct made *base, const struct made *head, const char *words)
{
    struct kg_comparison comparison;
    struct kg_error err = {0};
    assert_false(kg_profile_compare(&base->profile, &head->profile, &kg_profile_judging_usual,
                                    &comparison, &err));
    assert_int_equal(err.kind, KG_ERROR_USAGE);
    if (!strstr(err.message, words))
        fail_msg("expected '%s' in '%s'", words, err.message);
}

static void a_side_that_lost_entries_is_refused(void **state)
{
    (void)state;
    struct made *base = make(PROCESSES), *head = make(PROCESSES);
    head->processes[2].losses.dropped = 900;
    head->processes[4].losses.dropped = 100;
    refused(base, head, "the current profile lost 1000 entries");
    refused(head, base, "the base lost 1000 entries");
    head->processes[2].losses = (struct kgate_profile_losses){.too_deep = 7};
    head->processes[4].losses = (struct kgate_profile_losses){0};
    refused(base, head, "the current profile lacks 7 scopes");
    free(base);
    free(head);
}

static void a_process_without_entries_is_refused(void **state)
{
    (void)state;
    struct made *base = make(PROCESSES), *head = make(PROCESSES);
    for (size_t i = 0; i < ROWS; i++)
        head->calls[i][3] = 0;
    refused(base, head, "1 of 6 processes of the current profile have no entries");
    refused(head, base, "1 of 6 processes of the base have no entries");
    for (size_t i = 0; i < ROWS; i++)
        for (size_t p = 0; p < PROCESSES; p++)
            head->calls[i][p] = 0;
    refused(base, head, "the current profile has no entries");
    free(base);
    free(head);
}

static void processes_that_did_not_end_are_told(void **state)
{
    (void)state;
    struct made *base = make(PROCESSES), *head = make(PROCESSES);
    struct kg_comparison comparison;
    head->processes[0].complete = head->processes[5].complete = false;
    compare(base, head, &comparison);
    assert_true(noted(&comparison, "2 of 6 processes of the current profile did not end"));
    assert_false(noted(&comparison, "of the base did not end"));
    kg_comparison_free(&comparison);
    free(base);
    free(head);
}

static void the_profilers_own_time_is_no_case(void **state)
{
    (void)state;
    struct made *base = make(PROCESSES), *head = make(PROCESSES);
    struct kg_comparison comparison;
    base->rows[1].path.kind = head->rows[1].path.kind = KGATE_SCOPE_PROFILER;
    compare(base, head, &comparison);
    assert_int_equal(comparison.case_count, ROWS - 1);
    kg_comparison_free(&comparison);
    free(base);
    free(head);
}

static void paths_that_an_id_cannot_tell_apart_are_numbered(void **state)
{
    (void)state;
    struct made *base = make(PROCESSES), *head = make(PROCESSES);
    struct kg_comparison comparison;
    base->rows[2].path.name = head->rows[2].path.name = "read";
    base->rows[2].path.kind = head->rows[2].path.kind = KGATE_SCOPE_TRANSFER;
    compare(base, head, &comparison);
    change_of(&comparison, "main;read/cpu");
    change_of(&comparison, "main;read/cpu#2");
    kg_comparison_free(&comparison);
    free(base);
    free(head);
}

static void a_path_only_one_side_has_is_new_or_removed(void **state)
{
    (void)state;
    struct made *base = make(PROCESSES), *head = make(PROCESSES);
    struct kg_comparison comparison;
    base->rows[1].path.name = "load";
    compare(base, head, &comparison);
    const struct kg_case_change *read = change_of(&comparison, "main;read/cpu");
    const struct kg_case_change *load = change_of(&comparison, "main;load/cpu");
    assert_int_equal(read->change, KG_CHANGE_NEW);
    assert_string_equal(read->reason, "not in the base");
    assert_int_equal(load->change, KG_CHANGE_REMOVED);
    assert_string_equal(load->reason, "in the base, but not recorded now");
    assert_int_equal(comparison.exit_status, KG_EXIT_PASS);
    kg_comparison_free(&comparison);
    free(base);
    free(head);
}

static void profiles_without_a_common_path_are_refused(void **state)
{
    (void)state;
    struct made *base = make(PROCESSES), *head = make(PROCESSES);
    head->rows[0].path.name = "another";
    refused(base, head, "no path in common");
    free(base);
    free(head);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_profile_has_not_changed),
        cmocka_unit_test(a_slower_path_is_named_and_fails),
        cmocka_unit_test(a_path_that_is_next_to_nothing_may_grow),
        cmocka_unit_test(a_path_in_doubt_is_not_told_of_its_typical_call),
        cmocka_unit_test(what_would_settle_a_doubt_is_more_processes),
        cmocka_unit_test(more_calls_are_told),
        cmocka_unit_test(more_calls_of_a_path_in_doubt_are_told),
        cmocka_unit_test(what_moved_most_is_told_of_first),
        cmocka_unit_test(one_process_on_a_side_is_told),
        cmocka_unit_test(another_host_is_told),
        cmocka_unit_test(what_ran_for_a_fixed_time_is_refused),
        cmocka_unit_test(profiles_sampled_differently_are_refused),
        cmocka_unit_test(a_side_that_lost_entries_is_refused),
        cmocka_unit_test(a_process_without_entries_is_refused),
        cmocka_unit_test(processes_that_did_not_end_are_told),
        cmocka_unit_test(the_profilers_own_time_is_no_case),
        cmocka_unit_test(paths_that_an_id_cannot_tell_apart_are_numbered),
        cmocka_unit_test(a_path_only_one_side_has_is_new_or_removed),
        cmocka_unit_test(profiles_without_a_common_path_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
