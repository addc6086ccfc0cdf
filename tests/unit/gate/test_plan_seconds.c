#include "gate/plan_seconds.h"
#include "judge/baseline_store.h"
#include "test_support.h"

enum { CASES = 4 };

static struct kg_workload_spec spec = {.settings = {.rounds_min = 5, .min_time_ns = 2e6}};
static const struct kg_suite suite = {.name = "suite"};

/* Stores a run of the first two cases, with times around `time_ns` and ten rounds. */
static void run_store(const char *folder, const char *fingerprint, const char *created,
                      double time_ns)
{
    struct kg_results results;
    struct kg_error err;
    const struct kg_baseline_options options = {.keep = 5};
    support_results(&results, 2, 10, time_ns);
    results.created = created;
    results.machine.fingerprint = fingerprint;
    for (size_t i = 0; i < results.case_count; i++)
        results.cases[i].rounds[0].batch = 1;
    if (!kg_baseline_update(folder, &results, &options, NULL, &err))
        fail_msg("%s", err.message);
    kg_results_free(&results);
}

static struct kg_shard_plan plan_of(struct kg_case *cases, const char *folder)
{
    const struct kg_plan plan = {.cases = cases, .case_count = CASES};
    const struct kg_prepared_suite what = {.suite = &suite, .plan = &plan};
    struct kg_shard_plan planned = {0};
    struct kg_error err;
    if (!kg_fleet_plan(&what, folder, 2, &planned, &err))
        fail_msg("%s", err.message);
    return planned;
}

static void cases_make(struct kg_case *cases)
{
    static const char *const ids[CASES] = {"w0/cpu", "w1/cpu", "w2/cpu", "w2/cuda"};
    for (size_t i = 0; i < CASES; i++)
        cases[i] = (struct kg_case){.id = ids[i],
                                    .definition_hash = "0123456789abcdef",
                                    .spec = &spec,
                                    .group = i < 2 ? i : 2};
}

static void expect_seconds(const struct kg_planned_case *planned, double seconds, bool known)
{
    if (fabs(planned->seconds - seconds) > 0.02 * seconds || planned->known != known)
        fail_msg("%s: %g s", planned->id, planned->seconds);
}

static void newest_run_of_any_machine_gives_the_times(void **state)
{
    const char *folder = support_folder();
    struct kg_case cases[CASES];
    (void)state;
    cases_make(cases);
    run_store(folder, "b-cpu", "2026-01-30T12:00:00Z", 1e9);
    run_store(folder, "a-cpu", "2026-01-31T12:00:00Z", 1e6);
    run_store(folder, "c-cpu", "2026-01-29T12:00:00Z", 3e9);
    struct kg_shard_plan planned = plan_of(cases, folder);
    expect_seconds(&planned.cases[0], 10 * 2e-3, true); /* a round measures 2 ms, not 1 ms */
    expect_seconds(&planned.cases[1], 10 * 2e-3, true);
    expect_seconds(&planned.cases[2], 2 * 5 * 2e-3, false);
    kg_shard_plan_free(&planned);
    run_store(folder, "a-cpu", "2026-02-01T12:00:00Z", 1e8);
    cases[1].definition_hash = "1123456789abcdef"; /* the old time is another work's */
    planned = plan_of(cases, folder);
    expect_seconds(&planned.cases[0], 10 * 1e-1, true);
    expect_seconds(&planned.cases[1], 2 * 5 * 2e-3, false);
    kg_shard_plan_free(&planned);
    support_remove(folder);
}

static void iterations_give_the_time_of_a_round(void **state)
{
    const char *folder = support_folder();
    const struct kg_workload_spec by_time = spec;
    struct kg_case cases[CASES];
    (void)state;
    cases_make(cases);
    run_store(folder, "a-cpu", "2026-01-30T12:00:00Z", 1e6);
    spec.settings.iterations = 30;
    struct kg_shard_plan planned = plan_of(cases, folder);
    spec = by_time;
    expect_seconds(&planned.cases[0], 10 * 30 * 1e-3, true);
    kg_shard_plan_free(&planned);
    support_remove(folder);
}

static void groups_stay_together_without_a_store(void **state)
{
    struct kg_case cases[CASES];
    (void)state;
    cases_make(cases);
    struct kg_shard_plan planned = plan_of(cases, "/nowhere");
    assert_int_equal(planned.case_count, CASES);
    assert_int_equal(planned.cases[2].shard, planned.cases[3].shard);
    assert_true(fabs(planned.seconds - CASES * 2e-2) < 1e-9);
    kg_shard_plan_free(&planned);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(newest_run_of_any_machine_gives_the_times),
        cmocka_unit_test(iterations_give_the_time_of_a_round),
        cmocka_unit_test(groups_stay_together_without_a_store),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
