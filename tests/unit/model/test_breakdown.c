/* The breakdown of a call's time, from invented numbers. */
#include <math.h>

#include "base/random.h"
#include "model/breakdown.h"
#include "test_support.h"

static struct kg_trace seen(double kernel_ns, double transfer_ns, double other_ns, double gap_ns)
{
    struct kg_trace trace = KG_TRACE_NONE;
    trace.kernel_ns = kernel_ns;
    trace.transfer_ns = transfer_ns;
    trace.other_ns = other_ns;
    trace.gap_ns = gap_ns;
    return trace;
}

static struct kg_breakdown divide(double wall_ns, double device_ns, const struct kg_trace *trace)
{
    const struct kg_call_times times = {.wall_ns = wall_ns, .device_ns = device_ns, .cpu_ns = 7};
    return kg_breakdown_of_call(&times, trace);
}

static void the_device_time_is_divided_as_the_trace_saw_it(void **state)
{
    const struct kg_trace trace = seen(30, 60, 10, 20); /* of 120 */
    const struct kg_breakdown breakdown = divide(300, 240, &trace);
    assert_true(breakdown.wall_ns == 300 && breakdown.cpu_ns == 7);
    assert_true(breakdown.gpu_ns == 80 && breakdown.transfer_ns == 120);
    assert_true(breakdown.overhead_ns == 100);
}

static void without_a_device_time_the_trace_stands_for_it(void **state)
{
    const struct kg_trace trace = seen(30, 60, 10, 20);
    const struct kg_breakdown breakdown = divide(300, NAN, &trace);
    assert_true(breakdown.gpu_ns == 40 && breakdown.transfer_ns == 60);
    assert_true(breakdown.overhead_ns == 200);
}

static void without_a_trace_transfers_are_part_of_the_device_time(void **state)
{
    const struct kg_trace trace = KG_TRACE_NONE;
    const struct kg_breakdown breakdown = divide(300, 240, &trace);
    assert_true(breakdown.gpu_ns == 240 && isnan(breakdown.transfer_ns));
    assert_true(breakdown.overhead_ns == 60);
}

static void a_recording_without_copies_knows_that_there_are_no_transfers(void **state)
{
    struct kg_trace trace = KG_TRACE_NONE;
    trace.to_device_bytes = trace.to_host_bytes = 0;
    assert_true(divide(300, 240, &trace).transfer_ns == 0);
    trace.to_host_bytes = 4;
    assert_true(isnan(divide(300, 240, &trace).transfer_ns));
}

static void a_device_time_beyond_the_call_is_scaled_to_fit(void **state)
{
    const struct kg_trace trace = seen(75, 25, 0, 0);
    const struct kg_breakdown breakdown = divide(100, 200, &trace);
    assert_true(breakdown.gpu_ns == 75 && breakdown.transfer_ns == 25);
    assert_true(breakdown.overhead_ns == 0);
}

static void what_is_not_known_is_nan(void **state)
{
    const struct kg_trace trace = KG_TRACE_NONE;
    struct kg_breakdown breakdown = divide(300, NAN, &trace);
    assert_true(isnan(breakdown.gpu_ns) && isnan(breakdown.transfer_ns) &&
                isnan(breakdown.overhead_ns) && breakdown.wall_ns == 300);
    breakdown = divide(NAN, 240, &trace);
    assert_true(isnan(breakdown.wall_ns) && isnan(breakdown.overhead_ns) &&
                breakdown.gpu_ns == 240);
}

static void parts_are_never_negative_nor_more_than_the_whole(void **state)
{
    struct kg_random random = {.state = 20260131};
    for (int i = 0; i < 10000; i++) {
        const struct kg_trace trace =
            seen((double)(kg_random_next(&random) % 1000), (double)(kg_random_next(&random) % 1000),
                 (double)(kg_random_next(&random) % 3), (double)(kg_random_next(&random) % 1000));
        const double wall_ns = 1 + (double)(kg_random_next(&random) % 3000);
        const double device_ns = i % 3 ? (double)(kg_random_next(&random) % 3000) : NAN;
        const struct kg_breakdown breakdown = divide(wall_ns, device_ns, &trace);
        const double gpu_ns = breakdown.gpu_ns, transfer_ns = breakdown.transfer_ns;
        if (isnan(gpu_ns))
            continue;
        if (!(gpu_ns >= 0 && !(transfer_ns < 0) && breakdown.overhead_ns >= 0) ||
            gpu_ns + (isnan(transfer_ns) ? 0 : transfer_ns) + breakdown.overhead_ns >
                wall_ns * (1 + 1e-12))
            fail_msg("seed 20260131, case %d: wall %g device %g -> gpu %g transfer %g overhead %g",
                     i, wall_ns, device_ns, gpu_ns, transfer_ns, breakdown.overhead_ns);
    }
}

/* --- In results ------------------------------------------------------------------------------- */

static struct kg_round round_of(double median_ns, double call_ns)
{
    return (struct kg_round){.median_ns = median_ns,
                             .mean_ns = median_ns,
                             .min_ns = median_ns,
                             .max_ns = median_ns,
                             .p95_ns = median_ns,
                             .cpu_ns = 5,
                             .call_ns = call_ns};
}

static struct kg_case_result case_of(const char *timing, struct kg_round *rounds, size_t count)
{
    return (struct kg_case_result){
        .timing = timing,
        .rounds = rounds,
        .round_count = count,
        .breakdown = {NAN, NAN, NAN, NAN, NAN},
        .work = {.items = NAN, .bytes = 1e6, .flops = 4e6, .arithmetic = KG_ARITHMETIC_F32},
        .trace = KG_TRACE_NONE,
    };
}

static void a_case_on_the_gpu_is_divided_by_its_rounds(void **state)
{
    struct kg_round rounds[] = {round_of(100, 150), round_of(110, NAN), round_of(120, 170)};
    struct kg_case_result result = case_of("hot", rounds, 3);
    kg_case_summarize(&result);
    assert_true(result.breakdown.wall_ns == 160 && result.breakdown.gpu_ns == 110);
    assert_true(result.breakdown.overhead_ns == 50 && result.breakdown.cpu_ns == 5);
    kg_case_summarize(&result);
    assert_true(result.breakdown.wall_ns == 160 && result.breakdown.overhead_ns == 50);
}

static void a_case_by_the_hosts_clock_is_divided_by_its_trace(void **state)
{
    struct kg_round rounds[] = {round_of(200, 150)};
    struct kg_case_result result = case_of("wall", rounds, 1);
    result.trace = seen(50, 30, 0, 10);
    kg_case_summarize(&result);
    assert_true(result.breakdown.wall_ns == 200 && result.breakdown.gpu_ns == 50);
    assert_true(result.breakdown.transfer_ns == 30 && result.breakdown.overhead_ns == 120);
}

static void a_case_on_the_cpu_is_as_it_was(void **state)
{
    struct kg_round rounds[] = {round_of(200, NAN)};
    struct kg_case_result result = case_of(NULL, rounds, 1);
    result.breakdown.overhead_ns = 3;
    kg_case_summarize(&result);
    assert_true(result.breakdown.wall_ns == 200 && isnan(result.breakdown.gpu_ns));
    assert_true(result.breakdown.overhead_ns == 3);
}

static void shares_are_rates_over_ceilings(void **state)
{
    struct kg_round rounds[] = {round_of(1000, NAN)};
    struct kg_case_result cases[] = {case_of("cold", rounds, 1), case_of(NULL, rounds, 1)};
    struct kg_results results = {.ceilings = KG_CEILINGS_NONE, .cases = cases, .case_count = 2};
    cases[1].work.bandwidth_share = NAN;
    kg_case_summarize(&cases[0]);
    kg_case_summarize(&cases[1]);
    results.ceilings.copy_bytes_per_s = 2e12;
    results.ceilings.fma_flops_per_s = 8e12;
    kg_results_shares(&results);
    assert_true(cases[0].work.bandwidth_share == 0.5 && cases[0].work.fma_share == 0.5);
    assert_true(isnan(cases[0].work.tensor_share));
    assert_true(isnan(cases[1].work.bandwidth_share));
    /* reading is faster than copying here: no workload exceeds the peak of memory */
    results.ceilings.read_bytes_per_s = 4e12;
    kg_results_shares(&results);
    assert_true(cases[0].work.bandwidth_share == 0.25);
}

/* A perfect copy is at 100 %, and so is a perfect sum, although reading alone is faster. */
static void what_is_written_decides_the_ceiling_of_memory(void **state)
{
    struct kg_ceilings ceilings = KG_CEILINGS_NONE;
    struct kg_case_work work = KG_WORK_UNKNOWN;
    ceilings.copy_bytes_per_s = 4e12;
    ceilings.read_bytes_per_s = 5e12;
    work.bytes = 100;
    assert_true(kg_memory_ceiling(&ceilings, &work) == 5e12);
    work.written_bytes = 50;
    assert_true(kg_memory_ceiling(&ceilings, &work) == 4e12);
    work.written_bytes = 90; /* if a workload writes more than a copy, no ceiling is known */
    assert_true(kg_memory_ceiling(&ceilings, &work) == 4e12);
    work.written_bytes = 25; /* half as a copy, half read: 2 / (1/4 + 1/5) */
    assert_true(fabs(kg_memory_ceiling(&ceilings, &work) - 40e12 / 9) < 1);
    work.written_bytes = 1e-6;
    assert_true(fabs(kg_memory_ceiling(&ceilings, &work) / 5e12 - 1) < 1e-6);
    work.bytes_per_second = 4e12;
    work.written_bytes = 50;
    kg_work_shares(&ceilings, false, ceilings.tensor_flops_per_s, &work);
    assert_true(work.bandwidth_share == 1);
    /* nor does reading limit a copy, if reading was measured slower, or not at all */
    ceilings.read_bytes_per_s = 3e12;
    assert_true(kg_memory_ceiling(&ceilings, &work) == 4e12);
    ceilings.read_bytes_per_s = NAN;
    assert_true(kg_memory_ceiling(&ceilings, &work) == 4e12);
    ceilings.copy_bytes_per_s = NAN;
    assert_true(isnan(kg_memory_ceiling(&ceilings, &work)));
}

static void arithmetic_has_the_ceiling_of_its_kind(void **state)
{
    struct kg_ceilings ceilings = KG_CEILINGS_NONE;
    struct kg_case_work work = KG_WORK_UNKNOWN;
    work.flops_per_second = 1e12;
    ceilings.fma_flops_per_s = 2e12;
    ceilings.tensor_flops_per_s = 10e12;
    kg_work_shares(&ceilings, false, ceilings.tensor_flops_per_s, &work);
    assert_true(isnan(work.fma_share) && isnan(work.tensor_share));
    work.arithmetic = KG_ARITHMETIC_F32;
    kg_work_shares(&ceilings, false, ceilings.tensor_flops_per_s, &work);
    assert_true(work.fma_share == 0.5 && isnan(work.tensor_share));
    work.arithmetic = KG_ARITHMETIC_BF16_TENSOR;
    kg_work_shares(&ceilings, false, ceilings.tensor_flops_per_s, &work);
    assert_true(isnan(work.fma_share) && work.tensor_share == 0.1);
}

static void tensor_cores_are_judged_by_cycles(void **state)
{
    struct kg_ceilings ceilings = KG_CEILINGS_NONE;
    struct kg_gpu gpu = {.compute_capability = "9.0", .multiprocessors = 132};
    ceilings.tensor_flops_per_s = 1.05e15;
    /* whatever the clock at which the peak was measured */
    assert_true(kg_tensor_ceiling(&ceilings, &gpu, 1.5e9) == 4096.0 * 132 * 1.5e9);
    assert_true(kg_tensor_ceiling(&ceilings, &gpu, NAN) == 1.05e15);
    /* an architecture with several rates: the measured peak at the case's clock */
    gpu.compute_capability = "8.9";
    assert_true(kg_tensor_ceiling(&ceilings, &gpu, 1.5e9) == 1.05e15);
    ceilings.tensor_clock_hz = 2e9;
    assert_true(kg_tensor_ceiling(&ceilings, &gpu, 1.5e9) == 0.75 * 1.05e15);
    assert_true(kg_tensor_ceiling(&ceilings, NULL, 1.5e9) == 0.75 * 1.05e15);
}

static void a_share_in_cycles_does_not_move_with_the_clock(void **state)
{
    struct kg_gpu gpu = {.compute_capability = "9.0", .multiprocessors = 100};
    for (double clock = 1e9; clock <= 2e9; clock += 0.5e9) {
        /* 1e6 cycles, and half of the products that 100 multiprocessors could do in them */
        struct kg_round a_round = {.median_ns = 1e15 / clock, .median_cycles = 1e6};
        struct kg_case_result result = {.timing = "hot",
                                        .rounds = &a_round,
                                        .round_count = 1,
                                        .disturbance_limit = NAN,
                                        .work = KG_WORK_UNKNOWN};
        struct kg_results results = {.ceilings = KG_CEILINGS_NONE,
                                     .machine = {.gpus = &gpu, .gpu_count = 1},
                                     .cases = &result,
                                     .case_count = 1};
        result.work.flops = 2048.0 * 100 * 1e6;
        result.work.arithmetic = KG_ARITHMETIC_BF16_TENSOR;
        kg_case_summarize(&result);
        kg_results_shares(&results);
        assert_true(fabs(result.work.tensor_share - 0.5) < 1e-9);
    }
}

/* The share of a call that moves and writes so many times the L2 cache, at half of the peak. */
static double share_of(const char *timing, double moved, double written)
{
    const double l2_bytes = 1 << 20;
    struct kg_gpu gpu = {.l2_bytes = 1 << 20};
    struct kg_case_result result = {
        .timing = timing, .disturbance_limit = NAN, .work = KG_WORK_UNKNOWN};
    struct kg_results results = {.ceilings = KG_CEILINGS_NONE,
                                 .machine = {.gpus = &gpu, .gpu_count = 1},
                                 .cases = &result,
                                 .case_count = 1};
    results.ceilings.copy_bytes_per_s = 2e12;
    result.work.bytes = moved * l2_bytes;
    result.work.written_bytes = written * l2_bytes;
    result.work.bytes_per_second = 1e12;
    kg_results_shares(&results);
    return result.work.bandwidth_share;
}

static void what_the_cache_may_spare_has_no_share_of_memory(void **state)
{
    assert_true(isnan(share_of("hot", 1, 0.5)));
    assert_true(share_of("hot", 2, 1) == 0.5);
    /* cold: the end of the output may stay in the cache */
    assert_true(isnan(share_of("cold", 2, 1)));
    assert_true(isnan(share_of("cold", 15.8, 7.9)));
    assert_true(share_of("cold", 16, 8) == 0.5);
    /* whoever writes little is spared little */
    assert_true(share_of("cold", 1, 1e-6) == 0.5);
    assert_true(isnan(share_of("cold", 1, 0.07)));
    /* it may write all of its bytes */
    assert_true(isnan(share_of("cold", 15, NAN)));
    assert_true(share_of("cold", 16, NAN) == 0.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_device_time_is_divided_as_the_trace_saw_it),
        cmocka_unit_test(without_a_device_time_the_trace_stands_for_it),
        cmocka_unit_test(without_a_trace_transfers_are_part_of_the_device_time),
        cmocka_unit_test(a_recording_without_copies_knows_that_there_are_no_transfers),
        cmocka_unit_test(a_device_time_beyond_the_call_is_scaled_to_fit),
        cmocka_unit_test(what_is_not_known_is_nan),
        cmocka_unit_test(parts_are_never_negative_nor_more_than_the_whole),
        cmocka_unit_test(a_case_on_the_gpu_is_divided_by_its_rounds),
        cmocka_unit_test(a_case_by_the_hosts_clock_is_divided_by_its_trace),
        cmocka_unit_test(a_case_on_the_cpu_is_as_it_was),
        cmocka_unit_test(shares_are_rates_over_ceilings),
        cmocka_unit_test(what_is_written_decides_the_ceiling_of_memory),
        cmocka_unit_test(arithmetic_has_the_ceiling_of_its_kind),
        cmocka_unit_test(tensor_cores_are_judged_by_cycles),
        cmocka_unit_test(a_share_in_cycles_does_not_move_with_the_clock),
        cmocka_unit_test(what_the_cache_may_spare_has_no_share_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
