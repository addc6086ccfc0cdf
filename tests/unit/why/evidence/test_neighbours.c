/* Comparisons of cases in the same results. */
#include "why/facts_support.h"

#include "why/evidence/gather.h"

enum { PARAMS_MOST = 4, CASES_MOST = 16 };

/* A hand-made case; omitted fields are unknown. */
struct made {
    const char *id;
    const char *workload;
    const char *device; /* default: "cpu" */
    const char *target; /* default: "kernel" */
    const char *source; /* default: "kernel" */
    const char *timing;
    struct kg_pair params[PARAMS_MOST];
    double time_ns;
    double items;
    double overhead_ns; /* on the GPU: of a call */
    uint64_t threads;
};

struct made_results {
    struct kg_results results;
    struct kg_case_result cases[CASES_MOST];
    struct kg_facts facts[CASES_MOST];
};

/* Judged by 5 %. */
static struct kg_series time = {.name = "time", .source = KG_SERIES_OF_ROUNDS, .threshold = 0.05};

static size_t params_count(const struct kg_pair *params)
{
    size_t count = 0;
    while (count < PARAMS_MOST && params[count].name)
        count++;
    return count;
}

static void case_make(const struct made *made, struct kg_case_result *result,
                      struct kg_facts *facts)
{
    *result = (struct kg_case_result){
        .id = made->id,
        .workload = made->workload ? made->workload : "workload",
        .device = made->device ? made->device : "cpu",
        .target = made->target ? made->target : "kernel",
        .source = made->source ? made->source : "kernel",
        .timing = made->timing,
        .params = (struct kg_pair *)made->params,
        .param_count = params_count(made->params),
        .threads = made->threads,
        .series = &time,
        .series_count = 1,
        .status = KG_STATUS_OK,
    };
    kg_facts_clear(facts);
    facts->operation = facts->whole = result->id;
    facts->device = result->device;
    facts->traits.time_ns = made->time_ns;
    facts->traits.items = made->items > 0 ? made->items : NAN;
    if (made->device && !strcmp(made->device, "cuda")) {
        facts->traits.gpu_ns = made->time_ns;
        facts->traits.overhead_ns = made->overhead_ns;
    }
}

static void neighbours_make(const struct made *made, size_t count, struct made_results *all)
{
    all->results = (struct kg_results){.cases = all->cases, .case_count = count};
    for (size_t i = 0; i < count; i++)
        case_make(&made[i], &all->cases[i], &all->facts[i]);
    kg_neighbours_find(&all->results, all->facts);
}

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

static void the_other_device_is_noted_with_its_launches(void **state)
{
    static const struct made made[] = {
        {.id = "c", .params = {{"n", "8"}}, .time_ns = 100},
        {.id = "g",
         .device = "cuda",
         .timing = "cold",
         .params = {{"n", "8"}},
         .time_ns = 10,
         .overhead_ns = 70},
        {.id = "g2",
         .device = "cuda",
         .timing = "cold",
         .params = {{"n", "8"}, {"version", "fast"}},
         .time_ns = 30,
         .overhead_ns = 20},
        {.id = "far",
         .device = "cuda",
         .timing = "cold",
         .params = {{"n", "9"}},
         .time_ns = 1,
         .overhead_ns = 1},
        {.id = "other",
         .target = "another",
         .device = "cuda",
         .timing = "cold",
         .params = {{"n", "8"}},
         .time_ns = 1,
         .overhead_ns = 1},
    };
    struct made_results all;
    neighbours_make(made, COUNT_OF(made), &all);
    assert_float_equal(all.facts[0].other_device_ns, 50, 0); /* the fastest of its versions */
    assert_string_equal(all.facts[0].other_device_id, "g2");
    assert_float_equal(all.facts[1].other_device_ns, 100, 0);
    assert_string_equal(all.facts[1].other_device_id, "c");
    assert_true(isnan(all.facts[3].other_device_ns));
    assert_true(isnan(all.facts[4].other_device_ns));
}

static void a_faster_version_is_one_beyond_the_threshold(void **state)
{
    static const struct made made[] = {
        {.id = "a", .params = {{"n", "8"}, {"version", "a"}}, .time_ns = 100},
        {.id = "b", .params = {{"version", "b"}, {"n", "8"}}, .time_ns = 52},
        {.id = "c", .workload = "other", .params = {{"n", "8"}, {"version", "c"}}, .time_ns = 50},
        {.id = "d", .params = {{"n", "9"}, {"version", "d"}}, .time_ns = 1},
        {.id = "e", .params = {{"n", "8"}, {"version", "e"}}, .time_ns = 1, .threads = 2},
        {.id = "f", .params = {{"n", "8"}}, .time_ns = 1},
    };
    struct made_results all;
    neighbours_make(made, COUNT_OF(made), &all);
    assert_float_equal(all.facts[0].faster_version_ns, 50, 0);
    assert_string_equal(all.facts[0].faster_version_id, "c");
    assert_true(isnan(all.facts[1].faster_version_ns)); /* 4 % are noise */
    for (size_t i = 2; i < COUNT_OF(made); i++)
        assert_true(isnan(all.facts[i].faster_version_ns));
}

/* A caller waits for the whole call, not only for the device. */
static void a_version_whose_call_takes_longer_is_not_faster(void **state)
{
    struct made made[] = {
        {.id = "a",
         .device = "cuda",
         .timing = "cold",
         .params = {{"version", "a"}},
         .time_ns = 100,
         .overhead_ns = 15},
        {.id = "b",
         .device = "cuda",
         .timing = "cold",
         .params = {{"version", "b"}},
         .time_ns = 60,
         .overhead_ns = 200},
    };
    struct made_results all;
    neighbours_make(made, COUNT_OF(made), &all);
    assert_true(isnan(all.facts[0].faster_version_ns));
    made[1].overhead_ns = 15;
    neighbours_make(made, COUNT_OF(made), &all);
    assert_string_equal(all.facts[0].faster_version_id, "b");
}

static void the_gpu_is_noted_without_what_its_cache_holds(void **state)
{
    static const struct made made[] = {
        {.id = "c", .time_ns = 100},
        {.id = "hot", .device = "cuda", .timing = "hot", .time_ns = 10, .overhead_ns = 5},
        {.id = "cold", .device = "cuda", .timing = "cold", .time_ns = 40, .overhead_ns = 5},
        {.id = "graph", .device = "cuda", .timing = "graph", .time_ns = 5, .overhead_ns = 5},
    };
    struct made_results all;
    neighbours_make(made, COUNT_OF(made), &all);
    assert_string_equal(all.facts[0].other_device_id, "cold");
    assert_true(isnan(all.facts[0].other_transfer_ns));
    neighbours_make(made, 2, &all);
    assert_string_equal(all.facts[0].other_device_id, "hot");
    all.facts[1].traits.transfer_ns = 7;
    kg_neighbours_find(&all.results, all.facts);
    assert_true(all.facts[0].other_transfer_ns == 7);
}

static void a_sweep_shows_growth_and_what_linear_would_be(void **state)
{
    static const struct made made[] = {
        {.id = "1", .params = {{"n", "100"}}, .time_ns = 1e4, .items = 100},
        {.id = "3", .params = {{"n", "400"}}, .time_ns = 16e4, .items = 400},
        {.id = "2", .params = {{"n", "200"}}, .time_ns = 4e4, .items = 200},
        {.id = "alone", .workload = "w", .target = "alone", .params = {{"n", "200"}}, .time_ns = 9},
        {.id = "cold",
         .params = {{"n", "800"}},
         .timing = "cold",
         .device = "cuda",
         .time_ns = 9,
         .overhead_ns = 1},
    };
    struct made_results all;
    neighbours_make(made, COUNT_OF(made), &all);
    for (size_t i = 0; i < 3; i++) {
        assert_float_equal(all.facts[i].time_growth, 2, 1e-9);
        assert_float_equal(all.facts[i].sweep_points, 3, 0);
        assert_string_equal(all.facts[i].sweep_parameter, "n");
        assert_string_equal(all.facts[i].sweep_measure, "items");
    }
    assert_float_equal(all.facts[0].linear_ns, 1e4, 1e-6);
    assert_float_equal(all.facts[1].linear_ns, (4e4 * log(401) / log(101)), 1e-6);
    assert_float_equal(all.facts[2].linear_ns, (2e4 * log(201) / log(101)), 1e-6);
    assert_true(all.facts[0].log_growth > 1.1 && all.facts[0].log_growth < 1.3);
    assert_null(all.facts[3].sweep_parameter);
    assert_null(all.facts[4].sweep_parameter);
}

static void two_sizes_show_the_fixed_part_alone(void **state)
{
    static const struct made made[] = {
        {.id = "1", .params = {{"batch", "1"}}, .time_ns = 1000, .items = 1},
        {.id = "4", .params = {{"batch", "4"}}, .time_ns = 1300, .items = 4},
    };
    struct made_results all;
    neighbours_make(made, COUNT_OF(made), &all);
    assert_float_equal(all.facts[0].fixed_ns, 900, 1e-9);
    assert_float_equal(all.facts[1].fixed_ns, 900, 1e-9);
    assert_true(isnan(all.facts[0].time_growth));
}

static void of_several_sweeps_that_counts_over_which_time_changes_most(void **state)
{
    static const struct made made[] = {
        {.id = "11", .params = {{"m", "1"}, {"k", "1"}}, .time_ns = 100},
        {.id = "12", .params = {{"m", "1"}, {"k", "2"}}, .time_ns = 110},
        {.id = "14", .params = {{"m", "1"}, {"k", "4"}}, .time_ns = 130},
        {.id = "21", .params = {{"m", "2"}, {"k", "1"}}, .time_ns = 200},
        {.id = "41", .params = {{"m", "4"}, {"k", "1"}}, .time_ns = 400},
    };
    struct made_results all;
    neighbours_make(made, COUNT_OF(made), &all);
    assert_string_equal(all.facts[0].sweep_parameter, "m");
    assert_float_equal(all.facts[0].time_growth, 1, 1e-9);
    assert_string_equal(all.facts[1].sweep_parameter, "k");
}

static void texts_and_versions_make_no_sweep(void **state)
{
    static const struct made made[] = {
        {.id = "a", .params = {{"order", "rows"}, {"version", "1"}}, .time_ns = 100},
        {.id = "b", .params = {{"order", "columns"}, {"version", "1"}}, .time_ns = 200},
        {.id = "c", .params = {{"order", "rows"}, {"version", "2"}}, .time_ns = 300},
        {.id = "d", .params = {{"order", "rows"}, {"version", "4"}}, .time_ns = 900},
        {.id = "e", .params = {{"order", "0"}, {"version", "1"}}, .time_ns = 1},
        {.id = "f", .params = {{"order", "-1"}, {"version", "1"}}, .time_ns = 2},
    };
    struct made_results all;
    neighbours_make(made, COUNT_OF(made), &all);
    for (size_t i = 0; i < COUNT_OF(made); i++)
        assert_null(all.facts[i].sweep_parameter);
}

static void commands_are_known_by_their_workload(void **state)
{
    static const struct made made[] = {
        {.id = "a",
         .source = "command",
         .target = "sh",
         .workload = "a",
         .params = {{"n", "1"}},
         .time_ns = 100},
        {.id = "b",
         .source = "command",
         .target = "sh",
         .workload = "b",
         .params = {{"n", "2"}},
         .time_ns = 900},
        {.id = "c",
         .source = "command",
         .target = "sh",
         .workload = "a",
         .params = {{"n", "4"}},
         .time_ns = 200},
    };
    struct made_results all;
    neighbours_make(made, COUNT_OF(made), &all);
    assert_float_equal(all.facts[0].sweep_points, 2, 0);
    assert_null(all.facts[1].sweep_parameter);
}

static void what_was_not_measured_is_no_neighbour(void **state)
{
    struct made made[] = {
        {.id = "1", .params = {{"n", "1"}, {"version", "a"}}, .time_ns = 100},
        {.id = "2", .params = {{"n", "1"}, {"version", "b"}}, .time_ns = NAN},
        {.id = "3", .params = {{"n", "1"}, {"version", "c"}}, .time_ns = 0},
        {.id = "4", .params = {{"n", "1"}, {"version", "d"}}, .time_ns = -1},
        {.id = "5", .params = {{"n", "1"}, {"version", "e"}}, .time_ns = INFINITY},
        {.id = "6", .params = {{"n", "1"}, {"version", "f"}}, .time_ns = 10},
    };
    struct made_results all;
    neighbours_make(made, 5, &all);
    assert_true(isnan(all.facts[0].faster_version_ns));
    neighbours_make(made, 6, &all);
    assert_float_equal(all.facts[0].faster_version_ns, 10, 0);
    all.cases[5].status = KG_STATUS_FAILED;
    kg_facts_clear(&all.facts[0]);
    all.facts[0].traits.time_ns = 100;
    kg_neighbours_find(&all.results, all.facts);
    assert_true(isnan(all.facts[0].faster_version_ns));
}

/* Old files say neither target nor threads. */
static void results_without_targets_are_known_by_their_workload(void **state)
{
    struct made made[] = {
        {.id = "1", .params = {{"version", "a"}}, .time_ns = 100},
        {.id = "2", .params = {{"version", "b"}}, .time_ns = 10},
        {.id = "3", .workload = "other", .params = {{"version", "c"}}, .time_ns = 1},
    };
    struct made_results all;
    neighbours_make(made, 0, &all);
    all.results.case_count = COUNT_OF(made);
    for (size_t i = 0; i < COUNT_OF(made); i++) {
        case_make(&made[i], &all.cases[i], &all.facts[i]);
        all.cases[i].target = NULL;
    }
    kg_neighbours_find(&all.results, all.facts);
    assert_float_equal(all.facts[0].faster_version_ns, 10, 0);
    assert_true(isnan(all.facts[2].faster_version_ns));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_other_device_is_noted_with_its_launches),
        cmocka_unit_test(a_faster_version_is_one_beyond_the_threshold),
        cmocka_unit_test(a_version_whose_call_takes_longer_is_not_faster),
        cmocka_unit_test(the_gpu_is_noted_without_what_its_cache_holds),
        cmocka_unit_test(a_sweep_shows_growth_and_what_linear_would_be),
        cmocka_unit_test(two_sizes_show_the_fixed_part_alone),
        cmocka_unit_test(of_several_sweeps_that_counts_over_which_time_changes_most),
        cmocka_unit_test(texts_and_versions_make_no_sweep),
        cmocka_unit_test(commands_are_known_by_their_workload),
        cmocka_unit_test(what_was_not_measured_is_no_neighbour),
        cmocka_unit_test(results_without_targets_are_known_by_their_workload),
    };
    return cmocka_run_group_tests_name("neighbours", tests, NULL, NULL);
}
