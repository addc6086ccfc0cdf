/* Rates that no machine has, by ceilings and cases made up for the purpose. */
#include <math.h>

#include "run/extra_passes.h"
#include "test_support.h"

/* Peaks: 100 GFLOP/s and 1 TB/s on one thread, twice as much on both. */
static struct kg_results machine(void)
{
    struct kg_results results = {.cpu_ceilings = KG_CPU_CEILINGS_NONE,
                                 .ceilings = KG_CEILINGS_NONE};
    struct kg_cpu_ceilings *ceilings = &results.cpu_ceilings;
    ceilings->one.threads = 1;
    ceilings->one.vector_flops_per_s = 1e11;
    ceilings->one.l1_bytes_per_s = 1e12;
    ceilings->all = ceilings->one;
    ceilings->all.threads = 2;
    ceilings->all.vector_flops_per_s = 2e11;
    ceilings->all.l1_bytes_per_s = 2e12;
    ceilings->measured = "2026-01-31T12:00:00Z";
    return results;
}

static struct kg_case_result one(double flops, double bytes, const char *arithmetic)
{
    struct kg_case_result result = {.threads = 1, .work = KG_WORK_UNKNOWN};
    result.work.flops_per_second = flops;
    result.work.bytes_per_second = bytes;
    result.work.arithmetic = arithmetic;
    return result;
}

static bool impossible(const struct kg_results *results, const struct kg_case_result *result)
{
    char reason[256];
    return kg_case_impossible(&results->cpu_ceilings, &results->ceilings, result, reason,
                              sizeof reason);
}

static void what_is_far_above_a_ceiling_is_impossible(void **state)
{
    char reason[256];
    const struct kg_results results = machine();
    const struct kg_case_result fast = one(1.17e16, NAN, KG_ARITHMETIC_F32);
    const struct kg_case_result moving = one(NAN, 5e12, NULL);
    assert_true(
        kg_case_impossible(&results.cpu_ceilings, &results.ceilings, &fast, reason, sizeof reason));
    assert_non_null(
        strstr(reason, "computing at 1.17e+16 FLOP/s is 1.17e+05 times the measured peak, 1e+11"));
    assert_true(kg_case_impossible(&results.cpu_ceilings, &results.ceilings, &moving, reason,
                                   sizeof reason));
    assert_non_null(
        strstr(reason, "moving data at 5e+12 B/s is 5 times the measured peak, 1e+12 B/s"));
}

static void what_measurement_error_may_explain_is_not(void **state)
{
    const struct kg_results results = machine();
    const struct kg_case_result near = one(3.9e11, 3.9e12, KG_ARITHMETIC_F32);
    struct kg_case_result both = one(7e11, NAN, KG_ARITHMETIC_F32);
    assert_false(impossible(&results, &near));
    assert_true(impossible(&results, &both));
    both.threads = 2;
    assert_false(impossible(&results, &both));
    both.threads = 0; /* not known: all */
    assert_false(impossible(&results, &both));
}

static void where_a_ceiling_is_not_known_nothing_is(void **state)
{
    struct kg_results results = machine();
    const struct kg_case_result fast = one(1e16, 1e16, KG_ARITHMETIC_F32);
    const struct kg_case_result other = one(1e16, NAN, NULL);
    assert_false(impossible(&results, &other));
    results.cpu_ceilings.measured = NULL;
    assert_false(impossible(&results, &fast));
}

static void what_a_busy_machine_measured_refuses_only_what_no_machine_can_do(void **state)
{
    struct kg_results results = machine();
    const struct kg_case_result ten_times = one(1e12, 1e13, KG_ARITHMETIC_F32);
    const struct kg_case_result far = one(1e16, NAN, KG_ARITHMETIC_F32);
    struct kg_case_result on_gpu = one(6e13, 9e13, KG_ARITHMETIC_F32);
    assert_true(impossible(&results, &ten_times));
    results.cpu_ceilings.note = "other work had the CPUs";
    assert_false(impossible(&results, &ten_times));
    assert_true(impossible(&results, &far));
    on_gpu.timing = "warm";
    on_gpu.work.fma_share = 5;
    results.ceilings.note = "other processes were on the device";
    assert_false(impossible(&results, &on_gpu));
    on_gpu.work.fma_share = 101;
    assert_true(impossible(&results, &on_gpu));
}

/* By the summary's shares of the device's ceilings. */
static void a_case_on_the_gpu_is_compared_with_its_device(void **state)
{
    const struct kg_results results = machine();
    struct kg_case_result result = one(6e13, 9e13, KG_ARITHMETIC_F32);
    result.timing = "warm";
    assert_false(impossible(&results, &result));
    result.work.bandwidth_share = 3;
    assert_false(impossible(&results, &result));
    result.work.fma_share = 5;
    assert_true(impossible(&results, &result));
}

/* It has no share if the L2 cache may spare a part of its bytes, at most half. */
static void a_cold_case_without_a_share_has_the_peak_of_memory(void **state)
{
    struct kg_results results = machine();
    struct kg_case_result result = one(NAN, 9e13, NULL);
    results.ceilings = (struct kg_ceilings)KG_CEILINGS_NONE;
    result.timing = "cold";
    assert_false(impossible(&results, &result));
    results.ceilings.copy_bytes_per_s = 4e12;
    assert_true(impossible(&results, &result));
    result.work.bytes_per_second = 7e12;
    assert_false(impossible(&results, &result));
    /* calls with data in the cache have no peak */
    result.timing = "hot";
    result.work.bytes_per_second = 9e13;
    assert_false(impossible(&results, &result));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_far_above_a_ceiling_is_impossible),
        cmocka_unit_test(what_measurement_error_may_explain_is_not),
        cmocka_unit_test(a_case_on_the_gpu_is_compared_with_its_device),
        cmocka_unit_test(a_cold_case_without_a_share_has_the_peak_of_memory),
        cmocka_unit_test(what_a_busy_machine_measured_refuses_only_what_no_machine_can_do),
        cmocka_unit_test(where_a_ceiling_is_not_known_nothing_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
