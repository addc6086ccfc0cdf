/* A good suite is read into the right numbers; merge keys, matrices and overrides do as told. */
#include "test_support.h"

#include "kgate/plugin.h"
#include "model/suite.h"

static void load_with(struct kg_suite *suite, const char *yaml, const char *const *overrides,
                      size_t count)
{
    struct kg_error err = {0};
    if (!kg_suite_parse("dir/good.yaml", yaml, strlen(yaml), overrides, count, suite, &err))
        fail_msg("%u:%u: %s\nin:\n%s", err.line, err.column, err.message, yaml);
}

static void load(struct kg_suite *suite, const char *yaml)
{
    load_with(suite, yaml, NULL, 0);
}

static void about(double expected, double value)
{
    if (value < expected * 0.999999 || value > expected * 1.000001)
        fail_msg("%g, expected %g", value, expected);
}

static const char full[] = "version: 1\n"
                           "suite: kernels\n"
                           "policy:\n"
                           "  fail_on: [REGRESSION, NEW]\n"
                           "  missing_device: fail\n"
                           "defaults:\n"
                           "  threshold: 3%\n"
                           "  alpha: 2%\n"
                           "  min_effect: 10ns\n"
                           "  memory_threshold: 20%\n"
                           "  min_memory_effect: 2MiB\n"
                           "  rounds: {min: 4, max: 12}\n"
                           "  min_time: 20ms\n"
                           "  timeout: 2min\n"
                           "  memory_limit: 4GiB\n"
                           "  devices: [cpu, cuda]\n"
                           "  pin: 3\n"
                           "  threads: 2\n"
                           "  seed: 18446744073709551615\n"
                           "workloads:\n"
                           "  - name: gemm\n"
                           "    kernel: gemm\n"
                           "    matrix: {version: [blocked, blas]}\n"
                           "    params: {m: 512, k: 1KiB}\n"
                           "    budget: {time: \"<= 5ms\", items_per_second: '>=100e3',\n"
                           "             peak_memory: <= 64MiB}\n"
                           "    tags: [fast, ci]\n"
                           "    reference: blocked\n"
                           "  - name: saxpy\n"
                           "    plugin: build/lib.so\n"
                           "    devices: [cpu]\n"
                           "    rounds: {min: 2}\n"
                           "    pin: auto\n"
                           "    threads: all\n"
                           "    memory_limit: none\n"
                           "  - name: other\n"
                           "    plugin: build/lib.so\n"
                           "    workload: inner\n"
                           "  - name: cli\n"
                           "    command: [./app, '--n={n}', 5]\n";

static void the_head_of_a_full_suite(void **state)
{
    struct kg_suite suite;
    load(&suite, full);
    assert_string_equal(suite.name, "kernels");
    assert_string_equal(suite.path, "dir/good.yaml");
    assert_int_equal(suite.policy.fail_on, 1u << KG_CHANGE_REGRESSION | 1u << KG_CHANGE_NEW);
    assert_int_equal(suite.policy.missing_device, KG_MISSING_FAIL);
    about(0.02, suite.policy.alpha);
    const struct kg_settings *s = &suite.defaults;
    about(0.03, s->thresholds[KG_METRIC_TIME]);
    about(10, s->min_effect_ns);
    about(0.2, s->thresholds[KG_METRIC_PEAK_MEMORY]);
    assert_true(s->min_memory_effect_bytes == 2u << 20);
    assert_int_equal(s->rounds_min, 4);
    assert_int_equal(s->rounds_max, 12);
    about(20e6, s->min_time_ns);
    about(120e9, s->timeout_ns);
    assert_true(s->memory_limit_bytes == UINT64_C(4) << 30);
    assert_int_equal(s->devices, 1u << KGATE_DEVICE_CPU | 1u << KGATE_DEVICE_CUDA);
    assert_int_equal(s->pin, 3);
    assert_int_equal(s->threads, 2);
    assert_true(s->seed == UINT64_MAX);
    kg_suite_free(&suite);
}

static void the_workloads_of_a_full_suite(void **state)
{
    struct kg_suite suite;
    load(&suite, full);
    assert_int_equal(suite.workload_count, 4);
    const struct kg_workload_spec *gemm = &suite.workloads[0], *saxpy = &suite.workloads[1];
    assert_int_equal(gemm->source, KG_SOURCE_KERNEL);
    assert_int_equal(gemm->mark.line, 21);
    assert_int_equal(gemm->axis_count, 3);
    assert_string_equal(gemm->axes[0].name, "version");
    assert_string_equal(gemm->axes[0].values[1], "blas");
    assert_int_equal(gemm->axes[0].value_marks[1].column, 33);
    assert_string_equal(gemm->axes[2].values[0], "1KiB");
    assert_int_equal(gemm->budget_count, 3);
    assert_string_equal(gemm->budgets[0].metric, "time");
    assert_int_equal(gemm->budgets[0].relation, KG_AT_MOST);
    about(5e6, gemm->budgets[0].limit);
    assert_int_equal(gemm->budgets[1].relation, KG_AT_LEAST);
    about(100e3, gemm->budgets[1].limit);
    about(67108864, gemm->budgets[2].limit);
    assert_int_equal(gemm->tag_count, 2);
    assert_string_equal(gemm->reference, "blocked");
    assert_string_equal(saxpy->entry, "saxpy");
    assert_int_equal(saxpy->settings.devices, 1u << KGATE_DEVICE_CPU);
    assert_int_equal(saxpy->settings.rounds_min, 2);
    assert_int_equal(saxpy->settings.rounds_max, 12);
    assert_int_equal(saxpy->settings.pin, KG_PIN_AUTO);
    assert_int_equal(saxpy->settings.threads, 0);
    assert_int_equal(saxpy->settings.memory_limit_bytes, 0);
    assert_string_equal(suite.workloads[2].entry, "inner");
    assert_int_equal(suite.workloads[3].command_count, 3);
    assert_string_equal(suite.workloads[3].command[1], "--n={n}");
    assert_string_equal(suite.workloads[3].target, "./app");
    kg_suite_free(&suite);
}

/* Whichever of the two keys stands first; a range is two limits. */
static void budgets_may_be_on_the_workloads_own_counters(void **state)
{
    static const char *const suites[] = {
        "version: 1\nworkloads:\n- name: a\n  kernel: a\n"
        "  budget: {ratio: ['>= 4', <= 8], speedup_over_cpu: '>= 30', time: [<= 1s]}\n"
        "  counters: {ratio: {better: higher, threshold: 1%}}\n",
        "version: 1\nworkloads:\n- name: a\n  kernel: a\n"
        "  counters: {ratio: {better: higher, threshold: 1%}}\n"
        "  budget: {ratio: ['>= 4', <= 8], speedup_over_cpu: '>= 30', time: [<= 1s]}\n",
    };
    static const struct {
        const char *metric;
        enum kg_relation relation;
        double limit;
    } expected[] = {{"ratio", KG_AT_LEAST, 4},
                    {"ratio", KG_AT_MOST, 8},
                    {KG_SPEEDUP_OVER_CPU, KG_AT_LEAST, 30},
                    {"time", KG_AT_MOST, 1e9}};
    for (size_t s = 0; s < 2; s++) {
        struct kg_suite suite;
        load(&suite, suites[s]);
        const struct kg_workload_spec *spec = &suite.workloads[0];
        assert_int_equal(spec->budget_count, 4);
        for (size_t i = 0; i < 4; i++) {
            assert_string_equal(spec->budgets[i].metric, expected[i].metric);
            assert_int_equal(spec->budgets[i].relation, expected[i].relation);
            about(expected[i].limit, spec->budgets[i].limit);
        }
        kg_suite_free(&suite);
    }
}

static void defaults_are_those_of_the_tables(void **state)
{
    struct kg_suite suite;
    load(&suite, "version: 1\nworkloads: [{name: a, kernel: a}]\n");
    const struct kg_settings *s = &suite.workloads[0].settings;
    assert_string_equal(suite.name, "good");
    assert_int_equal(suite.policy.fail_on, 1u << KG_CHANGE_REGRESSION | 1u << KG_CHANGE_FAILED);
    assert_int_equal(suite.policy.missing_device, KG_MISSING_SKIP);
    about(0.01, suite.policy.alpha);
    about(0.05, s->thresholds[KG_METRIC_TIME]);
    about(0.1, s->thresholds[KG_METRIC_PEAK_MEMORY]);
    assert_true(s->min_effect_ns <= 0 && s->min_memory_effect_bytes == 1048576);
    assert_true(s->rounds_min == 5 && s->rounds_max == 30);
    about(50e6, s->min_time_ns);
    about(60e9, s->timeout_ns);
    assert_true(s->memory_limit_bytes == 0 && s->threads == 0 && s->seed == 1);
    assert_int_equal(s->devices, 1u << KGATE_DEVICE_CPU);
    assert_int_equal(s->pin, KG_PIN_NONE);
    kg_suite_free(&suite);
}

static void ranges_are_inclusive(void **state)
{
    static const struct {
        const char *form;
        const char *values;
    } cases[] = {
        {"{pow2: [0, 3]}", "1 2 4 8"},
        {"{pow2: [62, 62]}", "4611686018427387904"},
        {"{range: [1, 7, 3]}", "1 4 7"},
        {"{range: [0, 5, 2]}", "0 2 4"},
        {"{range: [3, -3, -3]}", "3 0 -3"},
        {"{range: [5, 5, 1]}", "5"},
        {"{range: [-9223372036854775808, 9223372036854775807, 9223372036854775807]}",
         "-9223372036854775808 -1 9223372036854775806"},
        {"{range: [9223372036854775807, -9223372036854775808, -9223372036854775808]}",
         "9223372036854775807 -1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char yaml[512], values[256] = "";
        struct kg_suite suite;
        snprintf(yaml, sizeof yaml,
                 "version: 1\nworkloads: [{name: a, kernel: a, matrix: {n: %s}}]", cases[i].form);
        load(&suite, yaml);
        const struct kg_axis *axis = &suite.workloads[0].axes[0];
        for (size_t v = 0; v < axis->value_count; v++) {
            const size_t used = strlen(values);
            snprintf(values + used, sizeof values - used, "%s%s", v ? " " : "", axis->values[v]);
        }
        assert_string_equal(values, cases[i].values);
        kg_suite_free(&suite);
    }
}

static void merge_keys_lend_what_is_not_given(void **state)
{
    struct kg_suite suite;
    load(&suite, "version: 1\n"
                 "x-a: &a {threshold: 1%, min_time: 1ms, params: {m: 1}}\n"
                 "x-b: &b {threshold: 2%, timeout: 2s}\n"
                 "x-c: &c {<<: *b, seed: 9}\n"
                 "workloads:\n"
                 "  - {name: one, kernel: k, <<: *a, min_time: 7ms}\n"
                 "  - {<<: [*a, *c], name: two, kernel: k}\n"
                 "  - {name: three, kernel: k, params: {<<: {n: 1, o: 2}, o: 3}}\n");
    const struct kg_workload_spec *w = suite.workloads;
    about(0.01, w[0].settings.thresholds[KG_METRIC_TIME]);
    about(7e6, w[0].settings.min_time_ns);
    assert_string_equal(w[0].axes[0].name, "m");
    about(0.01, w[1].settings.thresholds[KG_METRIC_TIME]);
    about(2e9, w[1].settings.timeout_ns);
    assert_int_equal(w[1].settings.seed, 9);
    assert_int_equal(w[2].axis_count, 2);
    assert_string_equal(w[2].axes[0].name, "n");
    assert_string_equal(w[2].axes[1].values[0], "3");
    kg_suite_free(&suite);
}

static void iterations_and_min_time_replace_each_other(void **state)
{
    static const char *const overrides[] = {"iterations=9"};
    struct kg_suite suite;
    struct kg_error err;
    (void)state;
    const char *text = "version: 1\n"
                       "defaults: {iterations: 100}\n"
                       "workloads:\n"
                       "  - {name: one, kernel: k}\n"
                       "  - {name: two, kernel: k, min_time: 7ms}\n"
                       "  - {name: three, kernel: k, iterations: 1}\n";
    static const char *const both[] = {"iterations=9", "min_time=5ms"};
    load(&suite, text);
    assert_int_equal(suite.workloads[0].settings.iterations, 100);
    assert_int_equal(suite.workloads[1].settings.iterations, 0);
    about(7e6, suite.workloads[1].settings.min_time_ns);
    assert_int_equal(suite.workloads[2].settings.iterations, 1);
    kg_suite_free(&suite);
    assert_true(kg_suite_parse("s", text, strlen(text), overrides, 1, &suite, &err));
    assert_int_equal(suite.workloads[0].settings.iterations, 9);
    assert_int_equal(suite.workloads[2].settings.iterations, 1);
    kg_suite_free(&suite);
    assert_false(kg_suite_parse("s", text, strlen(text), both, 2, &suite, &err));
    assert_non_null(strstr(err.message, "both set the length of a round"));
}

static void the_own_length_of_a_round_wins_over_a_merged_one(void **state)
{
    struct kg_suite suite;
    (void)state;
    load(&suite, "version: 1\n"
                 "x-long: &long {min_time: 1s}\n"
                 "x-few: &few {<<: *long, iterations: 5}\n"
                 "workloads:\n"
                 "  - {<<: *long, name: own, kernel: k, iterations: 3}\n"
                 "  - {<<: *few, name: nested, kernel: k}\n"
                 "  - {<<: *few, name: time, kernel: k, min_time: 7ms}\n"
                 "  - {<<: [*long, *few], name: list, kernel: k}\n");
    const struct kg_workload_spec *w = suite.workloads;
    assert_int_equal(w[0].settings.iterations, 3);
    assert_int_equal(w[1].settings.iterations, 5);
    assert_int_equal(w[2].settings.iterations, 0);
    about(7e6, w[2].settings.min_time_ns);
    assert_int_equal(w[3].settings.iterations, 0);
    about(1e9, w[3].settings.min_time_ns);
    kg_suite_free(&suite);
}

static void an_inherited_number_of_iterations_skips_a_format(void **state)
{
    struct kg_suite suite;
    (void)state;
    load(&suite, "version: 1\n"
                 "defaults: {iterations: 100}\n"
                 "workloads:\n"
                 "  - {name: one, kernel: k}\n"
                 "  - {name: two, command: [x], format: google-benchmark}\n");
    assert_int_equal(suite.workloads[0].settings.iterations, 100);
    assert_int_equal(suite.workloads[1].settings.iterations, 0);
    kg_suite_free(&suite);
}

static void overrides_come_before_inheritance(void **state)
{
    static const char *const overrides[] = {"threshold=2%",
                                            "rounds.min=40",
                                            "rounds.max=50",
                                            "devices=cpu,cuda",
                                            "alpha=0.05",
                                            "policy.fail_on=INCONCLUSIVE",
                                            "policy.missing_device=fail",
                                            "pin=auto"};
    struct kg_suite suite;
    load_with(&suite,
              "version: 1\ndefaults: {threshold: 9%}\nworkloads:\n"
              "  - {name: a, kernel: a}\n  - {name: b, kernel: b, threshold: 7%}\n",
              overrides, sizeof overrides / sizeof overrides[0]);
    about(0.02, suite.defaults.thresholds[KG_METRIC_TIME]);
    about(0.02, suite.workloads[0].settings.thresholds[KG_METRIC_TIME]);
    about(0.07, suite.workloads[1].settings.thresholds[KG_METRIC_TIME]);
    assert_int_equal(suite.workloads[0].settings.rounds_min, 40);
    assert_int_equal(suite.workloads[0].settings.devices, 3);
    assert_int_equal(suite.workloads[0].settings.pin, KG_PIN_AUTO);
    assert_int_equal(suite.policy.fail_on, 1u << KG_CHANGE_INCONCLUSIVE);
    assert_int_equal(suite.policy.missing_device, KG_MISSING_FAIL);
    about(0.05, suite.policy.alpha);
    kg_suite_free(&suite);
}

static void bad_overrides_name_themselves(void **state)
{
    static const struct {
        const char *override;
        const char *message;
    } cases[] = {
        {"treshold=2%", "--set treshold=2%: unknown key 'treshold'; did you mean 'threshold'?"},
        {"threshold=2",
         "--set threshold=2: 'threshold' is '2', but must be a share with %; write 2%"},
        {"threshold", "--set threshold: write key=value"},
        {"=5", "--set =5: write key=value"},
        {"rounds=5", "--set rounds=5: unknown key 'rounds'"},
        {"rounds.mim=5", "did you mean 'rounds.min'?"},
        {"rounds.min=31", "--set rounds.min=31: rounds.min is 31, but rounds.max only 30"},
        {"policy.fail_on=REGRESION", "did you mean 'REGRESSION'?"},
        {"policy.fail=REGRESSION", "unknown key 'policy.fail'"},
        {"devices=", "'devices' cannot be ''"},
        {"devices=cpu,cpu", "'devices' names cpu twice"},
        {"seed=\xFF\x1B[2J", "'seed' is '\\xFF\\x1B[2J'"},
    };
    static const char yaml[] = "version: 1\nworkloads: [{name: a, kernel: a}]\n";
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct kg_error err = {0};
        struct kg_suite suite;
        assert_false(
            kg_suite_parse("s", yaml, sizeof yaml - 1, &cases[i].override, 1, &suite, &err));
        assert_int_equal(err.kind, KG_ERROR_USAGE);
        assert_int_equal(err.line, 0);
        if (!strstr(err.message, cases[i].message))
            fail_msg("'%s' says: %s", cases[i].override, err.message);
    }
}

static void a_suite_is_loaded_from_its_file(void **state)
{
    struct kg_suite suite;
    struct kg_error err = {0};
    char path[] = "/tmp/kgate-suite-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, full, sizeof full - 1), sizeof full - 1);
    close(file);
    assert_true(kg_suite_load(path, NULL, 0, &suite, &err));
    assert_int_equal(suite.workload_count, 4);
    kg_suite_free(&suite);
    unlink(path);
    assert_false(kg_suite_load(path, NULL, 0, &suite, &err));
    assert_int_equal(err.kind, KG_ERROR_USAGE);
    assert_null(suite.workloads);
    assert_false(kg_suite_load("/tmp", NULL, 0, &suite, &err));
    assert_int_equal(err.kind, KG_ERROR_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_head_of_a_full_suite),
        cmocka_unit_test(the_workloads_of_a_full_suite),
        cmocka_unit_test(budgets_may_be_on_the_workloads_own_counters),
        cmocka_unit_test(defaults_are_those_of_the_tables),
        cmocka_unit_test(ranges_are_inclusive),
        cmocka_unit_test(merge_keys_lend_what_is_not_given),
        cmocka_unit_test(iterations_and_min_time_replace_each_other),
        cmocka_unit_test(the_own_length_of_a_round_wins_over_a_merged_one),
        cmocka_unit_test(an_inherited_number_of_iterations_skips_a_format),
        cmocka_unit_test(overrides_come_before_inheritance),
        cmocka_unit_test(bad_overrides_name_themselves),
        cmocka_unit_test(a_suite_is_loaded_from_its_file),
    };
    return cmocka_run_group_tests_name("suite", tests, NULL, NULL);
}
