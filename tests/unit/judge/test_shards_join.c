/* Results, baselines and missing cases of shards become those of one run. */
#include "judge/shards.h"
#include "test_support.h"

enum { PARTS = 2, CASES = 4 };

/* Two shards that deal four cases in turn: w0 and w2, w1 and w3. */
struct fleet {
    struct kg_results results[PARTS];
    struct kg_case_result cases[PARTS][CASES / PARTS];
    struct kg_shard_part parts[PARTS];
};

static void fleet_begin(struct fleet *fleet)
{
    static const char *const nodes[PARTS] = {"n1", NULL};
    for (size_t p = 0; p < PARTS; p++) {
        struct kg_results *results = &fleet->results[p];
        support_results(results, CASES, 3, 10000);
        for (size_t i = 0; i < CASES / PARTS; i++)
            fleet->cases[p][i] = results->cases[PARTS * i + p];
        results->cases = fleet->cases[p];
        results->case_count = CASES / PARTS;
        results->shard =
            (struct kg_shard){.count = PARTS, .index = p + 1, .cases = CASES, .node = nodes[p]};
        results->machine.host = "00112233";
        fleet->parts[p] = (struct kg_shard_part){.path = "file", .results = results};
    }
}

static void fleet_end(struct fleet *fleet)
{
    for (size_t p = 0; p < PARTS; p++)
        kg_results_free(&fleet->results[p]);
}

/* --- Results ---------------------------------------------------------------------------------- */

static void the_cases_have_the_order_of_the_suite(void **state)
{
    struct fleet fleet;
    struct kg_results joined;
    fleet_begin(&fleet);
    kg_shards_join(fleet.parts, PARTS, true, &joined);
    assert_int_equal(joined.case_count, CASES);
    for (size_t i = 0; i < CASES; i++) {
        char id[16];
        snprintf(id, sizeof id, "w%zu/cpu", i);
        assert_string_equal(joined.cases[i].id, id);
    }
    kg_results_free(&joined);
    fleet.cases[0][0].line = 9; /* w0 stands last in the suite */
    fleet.cases[0][1].line = fleet.cases[1][0].line = fleet.cases[1][1].line = 5;
    kg_shards_join(fleet.parts, PARTS, true, &joined);
    assert_string_equal(joined.cases[CASES - 1].id, "w0/cpu");
    kg_results_free(&joined);
    fleet_end(&fleet);
}

static void sums_and_extremes_are_of_all_shards(void **state)
{
    struct fleet fleet;
    struct kg_results joined;
    fleet_begin(&fleet);
    fleet.results[0].elapsed_ns = 3e9;
    fleet.results[1].elapsed_ns = 5e9;
    fleet.results[0].measured_ns = 1e9;
    fleet.results[1].measured_ns = 2e9;
    fleet.results[1].created = "2026-02-01T12:00:00Z";
    fleet.results[1].sequential = true;
    fleet.results[0].tests = 7;
    kg_shards_join(fleet.parts, PARTS, true, &joined);
    assert_true(joined.elapsed_ns == 5e9 && joined.measured_ns == 3e9);
    assert_string_equal(joined.created, "2026-02-01T12:00:00Z");
    assert_true(joined.sequential && joined.complete);
    assert_int_equal(joined.tests, 0);
    assert_int_equal(joined.shard.count, 0);
    kg_results_free(&joined);
    fleet.results[1].complete = false;
    kg_shards_join(fleet.parts, PARTS, false, &joined);
    assert_false(joined.complete);
    assert_int_equal(joined.tests, 7); /* of the whole suite: some of its cases are missing */
    kg_results_free(&joined);
    fleet_end(&fleet);
}

static void the_filter_keeps_what_all_shards_left_out(void **state)
{
    static const struct {
        const char *given, *joined;
    } filters[] = {{NULL, NULL},
                   {"--shard 1/2", NULL},
                   {"--filter w* --shard 1/2", "--filter w*"},
                   {"--filter w*", "--filter w*"}};
    struct fleet fleet;
    struct kg_results joined;
    fleet_begin(&fleet);
    for (size_t i = 0; i < sizeof filters / sizeof *filters; i++) {
        fleet.results[0].filter = filters[i].given;
        kg_shards_join(fleet.parts, PARTS, true, &joined);
        if (!joined.filter != !filters[i].joined ||
            (joined.filter && strcmp(joined.filter, filters[i].joined) != 0))
            fail_msg("'%s' became '%s'", filters[i].given, joined.filter);
        kg_results_free(&joined);
    }
    fleet.results[1].machine.fingerprint = "cpu-8cpu-16gib-00000000";
    kg_shards_join(fleet.parts, PARTS, true, &joined);
    assert_true(joined.mixed);
    kg_results_free(&joined);
    fleet_end(&fleet);
}

static void probes_are_taken_evenly(void **state)
{
    static struct kg_probe_reading readings[PARTS][KG_PROBES_MOST];
    struct fleet fleet;
    struct kg_results joined;
    size_t second = 0;
    fleet_begin(&fleet);
    for (size_t p = 0; p < PARTS; p++) {
        for (size_t i = 0; i < KG_PROBES_MOST; i++)
            readings[p][i].pulse_ns = (double)p;
        fleet.results[p].probes = readings[p];
        fleet.results[p].probe_count = KG_PROBES_MOST;
    }
    kg_shards_join(fleet.parts, PARTS, true, &joined);
    assert_int_equal(joined.probe_count, KG_PROBES_MOST);
    for (size_t i = 0; i < joined.probe_count; i++)
        second += joined.probes[i].pulse_ns > 0;
    assert_int_equal(second, KG_PROBES_MOST / 2);
    kg_results_free(&joined);
    fleet_end(&fleet);
}

/* --- Baselines -------------------------------------------------------------------------------- */

/* A baseline of one shard, run by run, oldest first. */
struct store {
    struct kg_baseline baseline;
    struct kg_baseline_run runs[3];
    struct kg_baseline_case cases[3][3];
};

/* ids  up to three cases, then NULL */
static struct kg_baseline_run *run_add(struct store *store, const char *created, const char *pin,
                                       const char *const ids[])
{
    const size_t index = store->baseline.run_count++;
    struct kg_baseline_run *run = &store->runs[index];
    store->baseline.runs = store->runs;
    *run = (struct kg_baseline_run){
        .suite = "suite", .created = created, .pin = pin, .cases = store->cases[index]};
    for (size_t i = 0; i < 3 && ids[i]; i++)
        store->cases[index][run->case_count++] = (struct kg_baseline_case){.id = ids[i]};
    return run;
}

static bool has_case(const struct kg_baseline_run *run, const char *id)
{
    for (size_t i = 0; i < run->case_count; i++)
        if (!strcmp(run->cases[i].id, id))
            return true;
    return false;
}

static void runs_of_one_age_become_one_run(void **state)
{
    struct fleet fleet;
    struct store a = {0}, b = {0};
    struct kg_baseline joined;
    fleet_begin(&fleet);
    run_add(&a, "1", NULL, (const char *const[]){"w0/cpu", NULL});
    run_add(&a, "2", NULL, (const char *const[]){"w0/cpu", "w2/cpu", NULL});
    run_add(&b, "2", NULL, (const char *const[]){"w1/cpu", "w3/cpu", NULL});
    fleet.parts[0].baseline = &a.baseline;
    fleet.parts[1].baseline = &b.baseline;
    kg_shards_join_baselines(fleet.parts, PARTS, &joined);
    assert_int_equal(joined.run_count, 2);
    assert_string_equal(joined.runs[0].created, "1"); /* oldest first */
    assert_int_equal(joined.runs[0].case_count, 1);
    assert_int_equal(joined.runs[1].case_count, CASES);
    assert_string_equal(joined.fingerprint, "cpu-2cpu-4gib-00000000");
    kg_baseline_free(&joined);
    fleet_end(&fleet);
}

static void a_pin_is_joined_by_its_name(void **state)
{
    struct fleet fleet;
    struct store a = {0}, b = {0};
    struct kg_baseline joined;
    fleet_begin(&fleet);
    run_add(&a, "1", "v1", (const char *const[]){"w0/cpu", NULL});
    run_add(&a, "2", NULL, (const char *const[]){"w0/cpu", NULL});
    run_add(&b, "2", NULL, (const char *const[]){"w1/cpu", NULL});
    run_add(&b, "3", "v1", (const char *const[]){"w1/cpu", NULL});
    run_add(&b, "4", "v2", (const char *const[]){"w1/cpu", NULL});
    fleet.parts[0].baseline = &a.baseline;
    fleet.parts[1].baseline = &b.baseline;
    kg_shards_join_baselines(fleet.parts, PARTS, &joined);
    assert_int_equal(joined.run_count, 3);
    for (size_t r = 0; r < joined.run_count; r++) {
        const struct kg_baseline_run *run = &joined.runs[r];
        const bool alone = run->pin && !strcmp(run->pin, "v2");
        assert_int_equal(run->case_count, alone ? 1 : 2);
        assert_true(has_case(run, "w1/cpu"));
    }
    kg_baseline_free(&joined);
    fleet_end(&fleet);
}

/* The store of a machine that measured two shards has the cases of both. */
static void each_shard_takes_its_own_cases_of_a_common_store(void **state)
{
    struct fleet fleet;
    struct store store = {0};
    struct kg_baseline joined;
    fleet_begin(&fleet);
    run_add(&store, "1", NULL, (const char *const[]){"w0/cpu", "w1/cpu", "gone/cpu"});
    fleet.parts[0].baseline = fleet.parts[1].baseline = &store.baseline;
    kg_shards_join_baselines(fleet.parts, PARTS, &joined);
    assert_int_equal(joined.run_count, 1);
    assert_int_equal(joined.runs[0].case_count, 3);
    assert_true(has_case(&joined.runs[0], "gone/cpu"));
    kg_baseline_free(&joined);
    fleet_end(&fleet);
}

static void a_case_of_no_shard_is_there_once_although_two_baselines_have_it(void **state)
{
    struct fleet fleet;
    struct store a = {0}, b = {0};
    struct kg_baseline joined;
    fleet_begin(&fleet);
    run_add(&a, "1", NULL, (const char *const[]){"w0/cpu", "gone/cpu", NULL});
    run_add(&b, "1", NULL, (const char *const[]){"w1/cpu", "gone/cpu", "w0/cpu"});
    fleet.parts[0].baseline = &a.baseline;
    fleet.parts[1].baseline = &b.baseline;
    kg_shards_join_baselines(fleet.parts, PARTS, &joined);
    assert_int_equal(joined.runs[0].case_count, 3); /* w0 of its own shard, w1, gone */
    kg_baseline_free(&joined);
    fleet_end(&fleet);
}

static void other_suites_are_left_out(void **state)
{
    struct fleet fleet;
    struct store a = {0};
    struct kg_baseline joined;
    fleet_begin(&fleet);
    run_add(&a, "1", NULL, (const char *const[]){"w0/cpu", NULL})->suite = "other";
    fleet.parts[0].baseline = &a.baseline;
    kg_shards_join_baselines(fleet.parts, PARTS, &joined);
    assert_int_equal(joined.run_count, 0);
    kg_baseline_free(&joined);
    fleet_end(&fleet);
}

/* Features are numbers by the names of their run. */
static void features_of_another_kgate_are_dropped(void **state)
{
    const char *ours[] = {"ipc", "misses"}, *others[] = {"misses", "ipc"};
    double traits[] = {1, 2};
    struct fleet fleet;
    struct store a = {0}, b = {0};
    struct kg_baseline joined;
    fleet_begin(&fleet);
    struct kg_baseline_run *first = run_add(&a, "1", NULL, (const char *const[]){"w0/cpu", NULL});
    struct kg_baseline_run *second = run_add(&b, "1", NULL, (const char *const[]){"w1/cpu", NULL});
    first->trait_names = ours;
    second->trait_names = others;
    first->trait_name_count = second->trait_name_count = 2;
    first->cases[0].traits = second->cases[0].traits = traits;
    first->cases[0].trait_count = second->cases[0].trait_count = 2;
    fleet.parts[0].baseline = &a.baseline;
    fleet.parts[1].baseline = &b.baseline;
    kg_shards_join_baselines(fleet.parts, PARTS, &joined);
    assert_int_equal(joined.runs[0].cases[0].trait_count, 2);
    assert_int_equal(joined.runs[0].cases[1].trait_count, 0);
    kg_baseline_free(&joined);
    fleet_end(&fleet);
}

/* --- Cases of the comparison ------------------------------------------------------------------ */

static const char *reason_of(void *user, size_t shard)
{
    (void)user;
    return shard == 2 ? "lost" : NULL;
}

static void cases_get_shard_and_node_and_expected_ones_are_missing(void **state)
{
    const struct kg_expected_case expected[] = {{"w0/cpu", 1}, {"w7/n=1/cpu", 2}, {"w8/cpu", 0}};
    struct fleet fleet;
    struct kg_comparison comparison;
    struct kg_results joined;
    struct kg_baseline base;
    fleet_begin(&fleet);
    kg_shards_join(fleet.parts, PARTS, false, &joined);
    kg_baseline_from_results(&joined, &base);
    kg_compare(&base, &joined, KG_STAGE_FINAL, &comparison);
    kg_shards_name(fleet.parts, PARTS, &comparison);
    kg_shards_missing_append(expected, 3, reason_of, NULL, &comparison);
    assert_int_equal(comparison.case_count, CASES + 2);
    for (size_t c = 0; c < CASES; c++) {
        const bool first =
            !strcmp(comparison.cases[c].id, "w0/cpu") || !strcmp(comparison.cases[c].id, "w2/cpu");
        assert_int_equal(comparison.cases[c].shard, first ? 1 : 2);
        assert_string_equal(comparison.cases[c].node, first ? "n1" : "00112233");
    }
    const struct kg_case_change *lost = &comparison.cases[CASES], *unknown = lost + 1;
    assert_int_equal(lost->change, KG_CHANGE_MISSING);
    assert_string_equal(lost->workload, "w7");
    assert_string_equal(lost->device, "cpu");
    assert_string_equal(lost->reason, "lost");
    assert_int_equal(lost->shard, 2);
    assert_string_equal(unknown->reason, "no shard has its results");
    kg_comparison_free(&comparison);
    kg_baseline_free(&base);
    kg_results_free(&joined);
    fleet_end(&fleet);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cases_have_the_order_of_the_suite),
        cmocka_unit_test(sums_and_extremes_are_of_all_shards),
        cmocka_unit_test(the_filter_keeps_what_all_shards_left_out),
        cmocka_unit_test(probes_are_taken_evenly),
        cmocka_unit_test(runs_of_one_age_become_one_run),
        cmocka_unit_test(a_pin_is_joined_by_its_name),
        cmocka_unit_test(each_shard_takes_its_own_cases_of_a_common_store),
        cmocka_unit_test(a_case_of_no_shard_is_there_once_although_two_baselines_have_it),
        cmocka_unit_test(other_suites_are_left_out),
        cmocka_unit_test(features_of_another_kgate_are_dropped),
        cmocka_unit_test(cases_get_shard_and_node_and_expected_ones_are_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
