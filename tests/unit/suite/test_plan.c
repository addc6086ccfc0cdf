#include "suite/plan.h"
#include "test_support.h"

static struct kg_suite suite;
static struct kg_plan plan;
static struct kg_error err;
static const struct kg_machine machine = {.fingerprint = "f", .cuda_missing = "none was built in"};

/* Plans a suite of these workloads. */
static bool plan_of(const char *workloads, const struct kg_plan_options *options)
{
    char text[4096];
    snprintf(text, sizeof text, "version: 1\nsuite: s\nworkloads:\n%s", workloads);
    if (!kg_suite_parse("s.yaml", text, strlen(text), NULL, 0, &suite, &err))
        fail_msg("%s", err.message);
    const struct kg_plan_options none = {0};
    const bool good = kg_plan_make(&suite, &machine, options ? options : &none, &plan, &err);
    if (!good)
        kg_suite_free(&suite);
    return good;
}

static void done(void)
{
    kg_plan_free(&plan);
    kg_suite_free(&suite);
}

static void matrix_is_the_cross_product_in_the_order_of_the_file(void **state)
{
    assert_true(
        plan_of("  - name: g\n    kernel: gemm\n    matrix: {version: [naive, blas], m: [2, "
                "3]}\n    params: {k: 7}\n",
                NULL));
    assert_int_equal(plan.case_count, 4);
    assert_string_equal(plan.cases[0].id, "g/version=naive,m=2,k=7/cpu");
    assert_string_equal(plan.cases[1].id, "g/version=naive,m=3,k=7/cpu");
    assert_string_equal(plan.cases[3].id, "g/version=blas,m=3,k=7/cpu");
    assert_string_not_equal(plan.cases[0].definition_hash, plan.cases[1].definition_hash);
    done();
}

static void definition_is_what_is_measured_not_how_long(void **state)
{
    char first[17];
    assert_true(plan_of("  - {name: c, kernel: copy, min_time: 1ms}\n", NULL));
    assert_string_equal(plan.cases[0].id, "c/cpu");
    snprintf(first, sizeof first, "%s", plan.cases[0].definition_hash);
    done();
    assert_true(plan_of("  - {name: other, kernel: copy, min_time: 9ms, threshold: 1%}\n", NULL));
    assert_string_equal(plan.cases[0].definition_hash, first);
    done();
    assert_true(plan_of("  - {name: c, kernel: copy, threads: 2}\n", NULL));
    assert_string_not_equal(plan.cases[0].definition_hash, first);
    done();
}

static void filter_and_shards_part_the_cases(void **state)
{
    const char *const workloads =
        "  - name: c\n    command: [x, \"{i}\"]\n    matrix: {i: {range: [1, 10, 1]}}\n";
    struct kg_plan_options options = {.filter = "c/i=1*"};
    size_t total = 0;
    assert_true(plan_of(workloads, &options));
    assert_int_equal(plan.case_count, 2); /* 1 and 10 */
    assert_int_equal(plan.left_out, 8);
    assert_int_equal(plan.elsewhere_count, 0);
    done();
    options.shard_count = 2;
    assert_true(plan_of(workloads, &options));
    assert_int_equal(plan.case_count, 1);
    assert_int_equal(plan.left_out, 9);
    assert_int_equal(plan.elsewhere_count, 1); /* of another shard; the filter left the rest out */
    assert_string_equal(plan.elsewhere[0].id, "c/i=10/cpu");
    done();
    for (size_t shard = 0; shard < 3; shard++) {
        options = (struct kg_plan_options){.shard_index = shard, .shard_count = 3};
        assert_true(plan_of(workloads, &options));
        total += plan.case_count;
        done();
    }
    assert_int_equal(total, 10);
}

/* A shard with a case on the GPU and not the one on the CPU could not tell their ratio. */
static void shards_keep_together_what_is_judged_together(void **state)
{
    const char *const workloads =
        "  - {name: a, kernel: copy, devices: [cpu, cuda], timing: [cold, hot],\n"
        "     matrix: {bytes: [1MiB, 2MiB]}, budget: {speedup_over_cpu: '>= 2'}}\n"
        "  - {name: b, kernel: copy, devices: [cpu, cuda]}\n";
    static const char *const expected[2][4] = {
        {"a/bytes=1MiB/cpu", "a/bytes=1MiB/cuda", "a/bytes=1MiB,timing=hot/cuda", "b/cpu"},
        {"a/bytes=2MiB/cpu", "a/bytes=2MiB/cuda", "a/bytes=2MiB,timing=hot/cuda", "b/cuda"}};
    for (size_t shard = 0; shard < 2; shard++) {
        const struct kg_plan_options options = {.shard_index = shard, .shard_count = 2};
        assert_true(plan_of(workloads, &options));
        assert_int_equal(plan.case_count, 4);
        for (size_t i = 0; i < 4; i++)
            assert_string_equal(plan.cases[i].id, expected[shard][i]);
        done();
    }
}

/* The plan of a fleet names the shard of a group by the group's first case. */
static void shard_plan_gives_the_shard_of_a_group(void **state)
{
    const char *const workloads =
        "  - {name: a, kernel: copy, devices: [cpu, cuda], budget: {speedup_over_cpu: '>= 2'}}\n"
        "  - {name: b, kernel: copy}\n"
        "  - {name: new, kernel: copy}\n";
    struct kg_planned_case cases[] = {{.id = "a/cpu", .shard = 2}, {.id = "b/cpu", .shard = 1}};
    const struct kg_planned_case *sorted[] = {&cases[0], &cases[1]};
    const struct kg_shard_plan planned = {
        .shards = 2, .cases = cases, .case_count = 2, .sorted = sorted};
    size_t new_ones = 0;
    for (size_t shard = 0; shard < 2; shard++) {
        const struct kg_plan_options options = {
            .shard_index = shard, .shard_count = 2, .shard_plan = &planned};
        assert_true(plan_of(workloads, &options));
        assert_int_equal(plan.unplanned, 1);
        assert_string_equal(plan.unplanned_id, "new/cpu");
        const bool has_new = !strcmp(plan.cases[plan.case_count - 1].id, "new/cpu");
        new_ones += has_new;
        assert_int_equal(plan.case_count, (shard ? 2 : 1) + has_new);
        assert_string_equal(plan.cases[0].id, shard ? "a/cpu" : "b/cpu");
        if (shard) {
            assert_string_equal(plan.cases[1].id, "a/cuda");
            assert_int_equal(plan.cases[0].group, plan.cases[1].group);
        }
        done();
    }
    assert_int_equal(new_ones, 1);
}

static void commands_get_their_parameters(void **state)
{
    assert_true(
        plan_of("  - {name: c, command: [run, \"--n={n}\", \"{{x}\", \"{{{n}}}\", \"a}}b\"],\n"
                "     params: {n: 5}}\n",
                NULL));
    assert_string_equal(plan.cases[0].command[1], "--n=5");
    assert_string_equal(plan.cases[0].command[2], "{x}");
    assert_string_equal(plan.cases[0].command[3], "{5}");
    assert_string_equal(plan.cases[0].command[4], "a}b");
    assert_null(plan.cases[0].command[5]);
    done();
    assert_false(plan_of("  - {name: c, command: [run, \"{m}\"], params: {n: 5}}\n", NULL));
    assert_non_null(strstr(err.message, "{m}"));
    assert_int_equal(err.line, 4);
}

static void mistakes_are_named_at_their_place(void **state)
{
    static const struct {
        const char *workload;
        unsigned column;
        const char *message;
    } mistakes[] = {
        {"  - {name: c, kernel: cpoy}\n", 23, "did you mean 'copy'?"},
        {"  - {name: c, kernel: copy, params: {byte: 4KiB}}\n", 44, "did you mean 'bytes'?"},
        {"  - {name: c, kernel: copy, params: {bytes: 4}}\n", 45, "a size with its unit"},
        {"  - {name: c, kernel: copy, params: {bytes: 7B}}\n", 12, "multiple of 4"},
        {"  - {name: c, kernel: gemm, params: {m: 0}}\n", 41, "must be from 1"},
        {"  - {name: c, kernel: gemm, params: {m: 1.5}}\n", 41, "a whole number"},
        {"  - {name: c, kernel: copy, params: {version: fats}}\n", 47, "did you mean 'fast'?"},
    };
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        if (plan_of(mistakes[i].workload, NULL))
            fail_msg("planned: %s", mistakes[i].workload);
        if (!strstr(err.message, mistakes[i].message) || err.line != 4 ||
            err.column != mistakes[i].column)
            fail_msg("%s gave %u:%u: %s", mistakes[i].workload, err.line, err.column, err.message);
    }
}

static void missing_devices_are_skipped_with_the_reason(void **state)
{
    assert_true(plan_of("  - {name: c, kernel: copy, devices: [cpu, cuda]}\n", NULL));
    assert_int_equal(plan.case_count, 2);
    assert_null(plan.cases[0].skip_reason);
    assert_string_equal(plan.cases[1].skip_reason, "no CUDA device: none was built in");
    done();
}

/* Reasons of skipped cases: of a kernel, of a plugin, and of a command with its own device code. */
static void expect_skips(const struct kg_machine *on, const char *kernel, const char *plugin,
                         const char *command)
{
    const char *const expected[] = {kernel, plugin, command};
    static const char text[] = "version: 1\nsuite: s\nworkloads:\n"
                               "  - {name: k, kernel: copy, devices: [cuda]}\n"
                               "  - {name: p, plugin: p.so, devices: [cuda]}\n"
                               "  - {name: c, command: [a], devices: [cuda]}\n";
    const struct kg_plan_options none = {0};
    assert_true(kg_suite_parse("s.yaml", text, strlen(text), NULL, 0, &suite, &err));
    assert_true(kg_plan_make(&suite, on, &none, &plan, &err));
    assert_int_equal(plan.case_count, 3);
    for (size_t i = 0; i < 3; i++) {
        const char *found = plan.cases[i].skip_reason;
        if (expected[i] ? !found || strcmp(found, expected[i]) != 0 : found != NULL)
            fail_msg("%s: %s", plan.cases[i].id, found ? found : "not skipped");
    }
    done();
}

/* A build without CUDA has no CUDA version of any kernel. */
#ifdef KGATE_HAVE_CUDA
#define OF_KERNEL(reason) (reason)
#else
#define OF_KERNEL(reason) "version 'fast' does not exist on the GPU"
#endif

static void gpus_that_cannot_be_used_are_skipped_with_the_reason(void **state)
{
    const char *const code = "this kgate was built without CUDA";
    struct kg_gpu gpus[2] = {{.name = "A"}, {.name = "B"}};
    struct kg_machine on = {.fingerprint = "f", .gpus = gpus, .gpu_count = 2, .gpu_chosen = 1};
    expect_skips(&on, OF_KERNEL(NULL), NULL, NULL);
    gpus[0].problem = "of the other one";
    expect_skips(&on, OF_KERNEL(NULL), NULL, NULL);
    on.cuda_code_missing = code;
    expect_skips(&on, code, code, NULL);
    gpus[1].problem = "busy";
    expect_skips(&on, "cuda:1 (B): busy", "cuda:1 (B): busy", "cuda:1 (B): busy");
}

static void what_kgate_times_is_skipped_where_the_driver_is_too_old_for_its_code(void **state)
{
    struct kg_gpu gpu = {.name = "A"};
    struct kg_machine on = {.fingerprint = "f",
                            .gpus = &gpu,
                            .gpu_count = 1,
                            .cuda_driver = "12.4",
                            .cuda_toolkit = "13.0.88"};
    static const char why[] = "kgate's GPU code is built with CUDA 13.0.88; the driver is for CUDA "
                              "12.4: an NVIDIA driver of version 580 or later is needed";
    expect_skips(&on, why, why, NULL);
    on.cuda_toolkit = "12.9.1"; /* of the same major version a later minor one will do */
    expect_skips(&on, OF_KERNEL(NULL), NULL, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matrix_is_the_cross_product_in_the_order_of_the_file),
        cmocka_unit_test(definition_is_what_is_measured_not_how_long),
        cmocka_unit_test(filter_and_shards_part_the_cases),
        cmocka_unit_test(shards_keep_together_what_is_judged_together),
        cmocka_unit_test(shard_plan_gives_the_shard_of_a_group),
        cmocka_unit_test(commands_get_their_parameters),
        cmocka_unit_test(mistakes_are_named_at_their_place),
        cmocka_unit_test(missing_devices_are_skipped_with_the_reason),
        cmocka_unit_test(gpus_that_cannot_be_used_are_skipped_with_the_reason),
        cmocka_unit_test(what_kgate_times_is_skipped_where_the_driver_is_too_old_for_its_code),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
