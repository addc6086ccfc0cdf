/* A slow machine of a fleet is found, and equal machines are not suspect. */
#include "base/random.h"
#include "judge/compare_parts.h"
#include "judge/shards.h"
#include "test_support.h"

enum { NODES_MOST = 16, READINGS = 5 };

static const double PULSE_NS = 24576, BANDWIDTH = 1e10;

/* One shard per machine: case `w<i>` of one run. */
struct fleet {
    struct kg_results results[NODES_MOST];
    struct kg_probe_reading probes[NODES_MOST][READINGS];
    char names[NODES_MOST][24];
    struct kg_shard_part parts[NODES_MOST];
    size_t count;
    struct kg_comparison comparison;
};

static void fleet_begin(struct fleet *fleet, size_t count)
{
    memset(fleet, 0, sizeof *fleet);
    fleet->count = count;
    for (size_t n = 0; n < count; n++) {
        struct kg_results *results = &fleet->results[n];
        snprintf(fleet->names[n], sizeof fleet->names[n], "n%zu", n);
        *results =
            (struct kg_results){.machine = {.fingerprint = "cpu-2cpu-4gib-00000000"},
                                .shard = {.count = count, .index = n + 1, .node = fleet->names[n]},
                                .probes = fleet->probes[n],
                                .probe_count = READINGS,
                                .elapsed_ns = 2e9};
        fleet->parts[n] = (struct kg_shard_part){.path = "file", .results = results};
        for (size_t r = 0; r < READINGS; r++)
            fleet->probes[n][r] =
                (struct kg_probe_reading){.pulse_ns = PULSE_NS, .bandwidth_bytes_per_s = BANDWIDTH};
    }
}

static void clock_set(struct fleet *fleet, size_t node, double factor)
{
    for (size_t r = 0; r < READINGS; r++)
        fleet->probes[node][r].pulse_ns = PULSE_NS * factor;
}

static void memory_set(struct fleet *fleet, size_t node, double factor)
{
    for (size_t r = 0; r < READINGS; r++)
        fleet->probes[node][r].bandwidth_bytes_per_s = BANDWIDTH / factor;
}

static size_t suspects_of(struct fleet *fleet)
{
    size_t count = 0;
    kg_nodes_judge(fleet->parts, fleet->count, &fleet->comparison);
    for (size_t n = 0; n < fleet->comparison.node_count; n++)
        count += fleet->comparison.nodes[n].suspect;
    return count;
}

static void a_slow_clock_is_suspect_among_two_three_and_eight_peers(void **state)
{
    static const size_t peers[] = {2, 3, 8};
    static struct fleet fleet;
    for (size_t i = 0; i < sizeof peers / sizeof *peers; i++) {
        fleet_begin(&fleet, peers[i] + 1);
        for (size_t n = 0; n < peers[i]; n++)
            clock_set(&fleet, n, n % 2 ? 1.005 : 0.995);
        clock_set(&fleet, peers[i], 1.2);
        const size_t suspects = suspects_of(&fleet);
        const struct kg_node *slow = &fleet.comparison.nodes[peers[i]];
        if (suspects != 1 || !slow->suspect)
            fail_msg("%zu peers: %zu machines are suspect", peers[i], suspects);
        assert_true(fabs(slow->clock_shift - 0.2) < 0.02);
        assert_non_null(strstr(slow->reason, "its core clock is slower by"));
        kg_comparison_free(&fleet.comparison);
    }
}

static void a_slow_memory_is_suspect(void **state)
{
    static struct fleet fleet;
    fleet_begin(&fleet, 5);
    memory_set(&fleet, 1, 1.4);
    assert_int_equal(suspects_of(&fleet), 1);
    assert_true(fleet.comparison.nodes[1].suspect);
    assert_true(fabs(fleet.comparison.nodes[1].bandwidth_shift - 0.4) < 1e-9);
    assert_non_null(strstr(fleet.comparison.nodes[1].reason, "its memory is slower by 40.0 %"));
    kg_comparison_free(&fleet.comparison);
}

static void a_faster_machine_is_not_suspect(void **state)
{
    static struct fleet fleet;
    fleet_begin(&fleet, 4);
    clock_set(&fleet, 0, 0.7);
    assert_int_equal(suspects_of(&fleet), 0);
    kg_comparison_free(&fleet.comparison);
}

static void one_peer_decides_nothing(void **state)
{
    static struct fleet fleet;
    fleet_begin(&fleet, 2);
    clock_set(&fleet, 0, 2);
    assert_int_equal(suspects_of(&fleet), 0);
    assert_true(isnan(fleet.comparison.nodes[0].clock_shift));
    kg_comparison_free(&fleet.comparison);
}

static void machines_of_another_kind_are_no_peers(void **state)
{
    static struct fleet fleet;
    fleet_begin(&fleet, 5);
    fleet.results[4].machine.fingerprint = "cpu-2cpu-4gib-11111111";
    clock_set(&fleet, 4, 1.5);
    assert_int_equal(suspects_of(&fleet), 0);
    kg_comparison_free(&fleet.comparison);
}

static void the_shards_of_a_machine_count_together(void **state)
{
    static struct fleet fleet;
    fleet_begin(&fleet, 6);
    fleet.results[5].shard.node = "n0";
    assert_int_equal(suspects_of(&fleet), 0);
    assert_int_equal(fleet.comparison.node_count, 5);
    assert_int_equal(fleet.comparison.nodes[0].shards, 2);
    assert_true(fleet.comparison.nodes[0].seconds == 4);
    kg_comparison_free(&fleet.comparison);
}

static double normal(struct kg_random *random)
{
    const double u = 1 - kg_random_unit(random), v = kg_random_unit(random);
    return sqrt(-2 * log(u)) * cos(2 * 3.14159265358979323846 * v);
}

/* Clock and memory of equal machines scatter by 2 %. */
static void equal_machines_are_rarely_suspect(void **state)
{
    enum { SEED = 31, FLEETS = 1000 };
    static const size_t sizes[] = {3, 4, 6, 9, 16};
    static struct fleet fleet;
    struct kg_random random = {SEED};
    size_t all = 0;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        size_t alarmed = 0;
        for (int f = 0; f < FLEETS; f++) {
            fleet_begin(&fleet, sizes[s]);
            for (size_t n = 0; n < sizes[s]; n++) {
                clock_set(&fleet, n, exp(0.02 * normal(&random)));
                memory_set(&fleet, n, exp(0.02 * normal(&random)));
            }
            alarmed += suspects_of(&fleet) > 0;
            kg_comparison_free(&fleet.comparison);
        }
        printf("seed %d: %zu machines: a suspect in %zu of %d fleets\n", SEED, sizes[s], alarmed,
               FLEETS);
        all += alarmed;
    }
    assert_true(all <= 5 * FLEETS / 100);
}

/* The least slowdown that is found in most fleets of machines that scatter by 2 %. */
static void a_machine_slower_by_a_sixth_is_found_in_most_fleets(void **state)
{
    enum { SEED = 32, FLEETS = 1000 };
    static const size_t sizes[] = {4, 9, 16};
    static struct fleet fleet;
    struct kg_random random = {SEED};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        size_t found = 0;
        for (int f = 0; f < FLEETS; f++) {
            fleet_begin(&fleet, sizes[s]);
            for (size_t n = 0; n < sizes[s]; n++)
                clock_set(&fleet, n, (n ? 1 : 7.0 / 6) * exp(0.02 * normal(&random)));
            suspects_of(&fleet);
            found += fleet.comparison.nodes[0].suspect;
            kg_comparison_free(&fleet.comparison);
        }
        printf("seed %d: %zu machines: found in %zu of %d fleets\n", SEED, sizes[s], found, FLEETS);
        if (found < FLEETS * 9 / 10)
            fail_msg("seed %d, %zu machines: found in %zu of %d fleets", SEED, sizes[s], found,
                     FLEETS);
    }
}

/* Against stored runs: the machine may be the cause. In paired rounds both sides ran on it. */
static void only_times_against_stored_runs_are_doubted(void **state)
{
    static struct fleet fleet;
    struct kg_metric metrics[] = {
        {KG_METRIC_NOT_ESTIMATED, .name = "time", .against = "baseline", .unit = "ns",
         .change = KG_CHANGE_REGRESSION},
        {KG_METRIC_NOT_ESTIMATED, .name = "time", .against = "base", .unit = "ns",
         .change = KG_CHANGE_REGRESSION},
        {KG_METRIC_NOT_ESTIMATED, .name = "peak_memory", .against = "baseline", .unit = "bytes",
         .change = KG_CHANGE_REGRESSION},
        {KG_METRIC_NOT_ESTIMATED, .name = "time", .against = "baseline", .unit = "ns",
         .change = KG_CHANGE_IMPROVEMENT},
    };
    enum { COUNT = sizeof metrics / sizeof *metrics };
    struct kg_case_change cases[COUNT + 1] = {0};
    fleet_begin(&fleet, 4);
    clock_set(&fleet, 1, 1.2);
    for (size_t c = 0; c < COUNT; c++)
        cases[c] = (struct kg_case_change){.id = "w/cpu",
                                           .node = "n1",
                                           .change = metrics[c].change,
                                           .metrics = &metrics[c],
                                           .metric_count = 1};
    struct kg_metric elsewhere = metrics[0];
    cases[COUNT] = (struct kg_case_change){.id = "w/cpu",
                                           .node = "n2",
                                           .change = KG_CHANGE_REGRESSION,
                                           .metrics = &elsewhere,
                                           .metric_count = 1};
    fleet.comparison.cases = cases;
    fleet.comparison.case_count = COUNT + 1;
    assert_int_equal(suspects_of(&fleet), 1);
    assert_int_equal(cases[0].change, KG_CHANGE_SUSPECT);
    assert_int_equal(metrics[0].doubt, KG_DOUBT_NODE);
    assert_non_null(strstr(cases[0].reason, "node n1 is slower than its peers"));
    assert_int_equal(cases[1].change, KG_CHANGE_REGRESSION);
    assert_int_equal(cases[2].change, KG_CHANGE_REGRESSION);
    assert_int_equal(cases[3].change, KG_CHANGE_IMPROVEMENT);
    assert_int_equal(cases[COUNT].change, KG_CHANGE_REGRESSION);
    kg_comparison_free(&fleet.comparison);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slow_clock_is_suspect_among_two_three_and_eight_peers),
        cmocka_unit_test(a_slow_memory_is_suspect),
        cmocka_unit_test(a_faster_machine_is_not_suspect),
        cmocka_unit_test(one_peer_decides_nothing),
        cmocka_unit_test(machines_of_another_kind_are_no_peers),
        cmocka_unit_test(the_shards_of_a_machine_count_together),
        cmocka_unit_test(equal_machines_are_rarely_suspect),
        cmocka_unit_test(a_machine_slower_by_a_sixth_is_found_in_most_fleets),
        cmocka_unit_test(only_times_against_stored_runs_are_doubted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
