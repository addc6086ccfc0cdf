/* Traits in the store: the conditions for storing them, valid files, and files of another kgate. */
#include "test_support.h"

#include "base/file.h"
#include "base/text.h"
#include "judge/baseline_store.h"

static char *folder;
static const char *const FINGERPRINT = "cpu-2cpu-4gib-00000000";

static int begin(void **state)
{
    folder = support_folder();
    return 0;
}

static int end(void **state)
{
    support_remove(folder);
    return 0;
}

static const char *store_path(void)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s.json", folder, FINGERPRINT);
    return path;
}

static void load(struct kg_baseline *baseline)
{
    struct kg_error err;
    if (!kg_baseline_load(store_path(), baseline, &err))
        fail_msg("%s", err.message);
}

/* Each time as of another minute: the same run is not stored twice. */
static void update(const struct kg_results *results, const char *pin, bool missing_only)
{
    static unsigned minute;
    char created[32];
    const struct kg_baseline_options options = {
        .pin = pin, .keep = 5, .missing_only = missing_only};
    struct kg_results another = *results;
    struct kg_error err;
    snprintf(created, sizeof created, "2026-01-31T12:%02u:00Z", minute++ % 60);
    another.created = created;
    if (!kg_baseline_update(folder, &another, &options, NULL, &err))
        fail_msg("%s", err.message);
}

static void about(double expected, double value)
{
    if (isnan(expected) ? !isnan(value) : !(fabs(value - expected) <= 1e-5 * fabs(expected)))
        fail_msg("%.15g, expected %.15g", value, expected);
}

static struct kg_traits traits_at(const struct kg_baseline *baseline, size_t run, size_t index)
{
    struct kg_traits traits;
    kg_baseline_traits(&baseline->runs[run], &baseline->runs[run].cases[index], &traits);
    return traits;
}

static void only_the_newest_ordinary_run_and_pins_have_them(void **state)
{
    struct kg_results results;
    struct kg_baseline baseline;
    support_results(&results, 2, 3, 100);
    update(&results, NULL, false);
    update(&results, "v1", false);
    results.suite = "other";
    update(&results, NULL, false);
    results.suite = "suite";
    update(&results, NULL, false);
    load(&baseline);
    assert_int_equal(baseline.run_count, 4);
    assert_int_equal(baseline.runs[0].trait_name_count, 0);
    assert_int_equal(baseline.runs[0].cases[0].trait_count, 0);
    about(NAN, traits_at(&baseline, 0, 0).time_ns);
    for (size_t r = 1; r < 4; r++) {
        about(100, traits_at(&baseline, r, 0).time_ns);
        about(200, traits_at(&baseline, r, 1).time_ns);
        about(1 << 20, traits_at(&baseline, r, 1).peak_bytes);
        about(NAN, traits_at(&baseline, r, 1).launches);
    }
    kg_baseline_free(&baseline);
    kg_results_free(&results);
}

static void what_no_case_knows_takes_no_room(void **state)
{
    struct kg_results results;
    struct kg_baseline baseline;
    support_results(&results, 2, 3, 100);
    results.cases[0].work.items = 4;
    results.cases[1].work.bytes = 123456789;
    kg_baseline_from_results(&results, &baseline);
    const struct kg_baseline_run *run = &baseline.runs[0];
    for (size_t i = 0; i < run->trait_name_count; i++)
        assert_string_not_equal(run->trait_names[i], "launches");
    about(4, traits_at(&baseline, 0, 0).items);
    about(NAN, traits_at(&baseline, 0, 0).bytes);
    about(NAN, traits_at(&baseline, 0, 1).items);
    assert_true(traits_at(&baseline, 0, 1).bytes == 123457000); /* six digits are enough */
    kg_baseline_free(&baseline);
    kg_results_free(&results);
}

/* Paired rounds decide although the machine was busy, and the difference then needs both profiles. */
static void a_busy_side_of_a_pair_has_them(void **state)
{
    struct kg_results results;
    struct kg_baseline baseline;
    support_results(&results, 2, 3, 100);
    results.pair = "a pair";
    results.cases[0].status = KG_STATUS_UNMEASURED;
    results.cases[0].hot.sampled.samples = 50;
    results.cases[1].hot.sampled.samples = 70;
    kg_baseline_from_results(&results, &baseline);
    assert_int_equal(baseline.runs[0].case_count, 2);
    /* the busy one comes last */
    assert_string_equal(baseline.runs[0].cases[1].id, results.cases[0].id);
    about(200, traits_at(&baseline, 0, 0).time_ns);
    about(100, traits_at(&baseline, 0, 1).time_ns);
    about(70, baseline.runs[0].cases[0].sampled.samples);
    about(50, baseline.runs[0].cases[1].sampled.samples);
    about(NAN, baseline.runs[0].cases[1].system_calls.calls);
    kg_baseline_free(&baseline);
    kg_results_free(&results);
}

/* Functions are in order of their own time: a caller without own time comes last. */
static void callers_without_own_time_are_kept(void **state)
{
    struct kg_results results;
    struct kg_baseline baseline;
    struct kg_hot_place functions[] = {
        {.place = {.function = "work"}, .self = 0.9, .total = 0.9},
        {.place = {.function = "rare"}, .self = 0.001, .total = 0.001},
        {.place = {.function = "main"}, .self = 0, .total = 1}};
    support_results(&results, 1, 3, 100);
    results.cases[0].hot.sampled.functions = functions;
    results.cases[0].hot.sampled.function_count = 3;
    kg_baseline_from_results(&results, &baseline);
    const struct kg_sampled *kept = &baseline.runs[0].cases[0].sampled;
    assert_int_equal(kept->function_count, 2);
    assert_string_equal(kept->functions[1].place.function, "main");
    kg_baseline_free(&baseline);
    kg_results_free(&results);
}

static void added_cases_bring_theirs_into_the_newest_run(void **state)
{
    struct kg_results results;
    struct kg_baseline baseline;
    support_results(&results, 3, 3, 100);
    results.case_count = 2;
    update(&results, NULL, false);
    results.case_count = 3;
    results.cases[2].work.items = 7; /* a trait that the run has no name for */
    results.cases[0].definition_hash = "fedcba9876543210";
    support_slow(&results.cases[0], 2);
    update(&results, NULL, true);
    load(&baseline);
    assert_int_equal(baseline.run_count, 1);
    assert_int_equal(baseline.runs[0].case_count, 3);
    for (size_t i = 0; i < 3; i++) {
        const struct kg_traits traits = traits_at(&baseline, 0, i);
        const char *id = baseline.runs[0].cases[i].id;
        about(!strcmp(id, "w2/cpu") ? 300 : 200, traits.time_ns);
        about(!strcmp(id, "w2/cpu") ? 7 : NAN, traits.items);
    }
    kg_baseline_free(&baseline);
    kg_results_free(&results);
}

/* A store of one run with one case. The arguments are the members after the required ones. */
static bool file_load(const char *run, const char *stored, struct kg_baseline *baseline,
                      struct kg_error *err)
{
    struct kg_text text = {0};
    kg_text_printf(
        &text,
        "{\"schema\": \"kgate.baseline.v1\", \"fingerprint\": \"%s\", \"machine\": "
        "{\"fingerprint\": \"%s\", \"cpu_model\": \"CPU\", \"cpu_count\": 2, "
        "\"memory_bytes\": 1, \"gpus\": []}, \"runs\": [{\"created\": "
        "\"2026-01-31T12:00:00Z\", \"suite\": \"s\", \"kgate_version\": \"9\", %s"
        "\"cases\": [{\"id\": \"a/cpu\", \"definition_hash\": \"0123456789abcdef\", "
        "\"series\": [{\"name\": \"time\", \"source\": \"rounds\", \"values\": [1]}]%s}]}]}",
        FINGERPRINT, FINGERPRINT, run, stored);
    FILE *file = fopen(store_path(), "w");
    assert_non_null(file);
    fputs(kg_text_string(&text), file);
    fclose(file);
    kg_text_free(&text);
    return kg_baseline_load(store_path(), baseline, err);
}

static void names_of_a_later_kgate_are_left_aside_and_kept(void **state)
{
    struct kg_baseline baseline;
    struct kg_results results;
    struct kg_error err;
    assert_true(file_load("\"trait_names\": [\"warp_drive\", \"items\", \"flops\", \"waves\"], ",
                          ", \"traits\": [3, 4, null]", &baseline, &err));
    about(4, traits_at(&baseline, 0, 0).items);
    about(NAN, traits_at(&baseline, 0, 0).flops);
    about(NAN, traits_at(&baseline, 0, 0).waves);
    about(NAN, traits_at(&baseline, 0, 0).time_ns);
    kg_baseline_free(&baseline);
    support_results(&results, 1, 3, 100);
    results.suite = "s";
    update(&results, NULL, true);
    load(&baseline);
    assert_string_equal(baseline.runs[0].trait_names[0], "warp_drive");
    about(3, baseline.runs[0].cases[0].traits[0]);
    about(4, traits_at(&baseline, 0, 0).items);
    about(100, traits_at(&baseline, 0, 1).time_ns);
    kg_baseline_free(&baseline);
    kg_results_free(&results);
}

static void a_file_may_have_none(void **state)
{
    struct kg_baseline baseline;
    struct kg_error err;
    assert_true(file_load("", "", &baseline, &err));
    about(NAN, traits_at(&baseline, 0, 0).time_ns);
    kg_baseline_free(&baseline);
}

static void what_makes_no_sense_is_refused(void **state)
{
    static const struct {
        const char *run, *stored, *message;
    } cases[] = {
        {"\"trait_names\": [\"items\", \"items\"], ", "",
         "trait_names: expected different strings, found 'items' twice"},
        {"\"trait_names\": [\"items\"], ", ", \"traits\": [1, 2]",
         "at most as many as trait_names"},
        {"", ", \"traits\": [1]", "at most as many as trait_names"},
        {"\"trait_names\": [\"items\"], ", ", \"traits\": [-1]", "traits[0]: expected a number"},
        {"\"trait_names\": [\"items\"], ", ", \"traits\": [\"x\"]", "expected a number"},
        {"\"trait_names\": [7], ", "", "expected a string"},
        {"\"trait_names\": 7, ", "", "trait_names"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct kg_baseline baseline;
        struct kg_error err = {0};
        assert_false(file_load(cases[i].run, cases[i].stored, &baseline, &err));
        assert_int_equal(err.kind, KG_ERROR_USAGE);
        if (!strstr(err.message, cases[i].message))
            fail_msg("'%s' says: %s", cases[i].message, err.message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(callers_without_own_time_are_kept),
        cmocka_unit_test_setup_teardown(only_the_newest_ordinary_run_and_pins_have_them, begin,
                                        end),
        cmocka_unit_test_setup_teardown(what_no_case_knows_takes_no_room, begin, end),
        cmocka_unit_test(a_busy_side_of_a_pair_has_them),
        cmocka_unit_test_setup_teardown(added_cases_bring_theirs_into_the_newest_run, begin, end),
        cmocka_unit_test_setup_teardown(names_of_a_later_kgate_are_left_aside_and_kept, begin, end),
        cmocka_unit_test_setup_teardown(a_file_may_have_none, begin, end),
        cmocka_unit_test_setup_teardown(what_makes_no_sense_is_refused, begin, end),
    };
    return cmocka_run_group_tests_name("stored traits", tests, NULL, NULL);
}
