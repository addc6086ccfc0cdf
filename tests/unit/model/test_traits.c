/* Traits of hand-made cases, against rooflines worked out by hand; nonsense is not known. */
#include "test_support.h"

#include "base/text.h"
#include "model/traits.h"

static const double MS = 1e6;

/* One thread, and all four. */
static const struct kg_cpu_ceilings cpu = {
    .one = {1, 10e9, 100e9, 200e9, 100e9, 50e9, 10e9},
    .all = {4, 40e9, 400e9, 800e9, 400e9, 150e9, 24e9},
    .cores = 4,
    .l1_bytes = 32 << 10,
    .l2_bytes = 1 << 20,
    .l3_bytes = 16 << 20,
    .l3_count = 1,
    .clock_hz = 3e9,
};
static const struct kg_ceilings gpu = {.copy_bytes_per_s = 2e12,
                                       .read_bytes_per_s = 2.2e12,
                                       .fma_flops_per_s = 50e12,
                                       .tensor_flops_per_s = 800e12,
                                       .launch_ns = 2000,
                                       .sm_clock_hz = 1.7e9};
static struct kg_gpu device = {.l2_bytes = 50000000};

/* One case of 1 ms a call: 8 MB and 1 Mflop, in 64 MiB, by one thread. */
struct one {
    struct kg_results results;
    struct kg_case_result result;
    struct kg_round rounds[3];
    struct kg_kernel_use kernels[3];
    struct kg_series series[3];
};

static void one_make(struct one *one)
{
    *one = (struct one){
        .results = {.ceilings = gpu,
                    .cpu_ceilings = cpu,
                    .machine = {.gpus = &device, .gpu_count = 1},
                    .cases = &one->result,
                    .case_count = 1},
        .result = {.source = "kernel",
                   .device = "cpu",
                   .threads = 1,
                   .memory = {.allocated_bytes = 64 << 20, KG_MEMORY_ON_CPU},
                   .work = {8e6 / 4, 8e6, 1e6, NAN, NAN, NAN, NAN, NAN, NAN, "f32", NAN, NULL},
                   .trace = KG_TRACE_NONE,
                   .look = {4 * MS, 6e6, 80e6, 12e6, "perf", NULL},
                   .rounds = one->rounds,
                   .round_count = 3},
    };
    for (int i = 0; i < 3; i++)
        one->rounds[i] = (struct kg_round){KG_ROUND_ON_CPU,
                                           .median_ns = 1 * MS,
                                           .mean_ns = 1 * MS,
                                           .min_ns = 1 * MS,
                                           .max_ns = 1 * MS,
                                           .p95_ns = 1 * MS,
                                           .cpu_ns = 0.99 * MS,
                                           .wall_ns = 100 * MS,
                                           .calls = 100,
                                           .peak_bytes = 70 << 20,
                                           .minor_faults = (uint64_t)(50 + 100 * i),
                                           .voluntary_switches = (uint64_t)(200 * i),
                                           .involuntary_switches = (uint64_t)(20 * i)};
    kg_case_summarize(&one->result);
}

/* one_make on the GPU: 1.1 GB and 10 Gflop, in 2 GB. */
static void one_on_gpu(struct one *one, const char *timing)
{
    one_make(one);
    one->result.device = "cuda";
    one->result.timing = timing;
    one->result.work =
        (struct kg_case_work){1e6, 1.1e9, 10e9, NAN, NAN, NAN, NAN, NAN, NAN, "f32", NAN, NULL};
    one->result.memory.device_allocated_bytes = 2e9;
    for (int i = 0; i < 3; i++)
        one->rounds[i].call_ns = 1.2 * MS;
    kg_case_summarize(&one->result);
    kg_results_shares(&one->results);
}

static struct kg_traits traits_of(struct one *one)
{
    struct kg_traits traits;
    kg_traits_find(&one->results, &one->result, &traits);
    return traits;
}

static void about(double expected, double value)
{
    if (isnan(expected) ? !isnan(value) : !(fabs(value - expected) <= 1e-12 * fabs(expected)))
        fail_msg("%.15g, expected %.15g", value, expected);
}

#define UNKNOWN(value) about(NAN, value)

static void a_case_on_the_cpu_has_its_place_under_the_roofs(void **state)
{
    struct one one;
    one_make(&one);
    const struct kg_traits traits = traits_of(&one);
    about(1 * MS, traits.time_ns);
    about(0.99 * MS, traits.cpu_ns);
    about(1, traits.threads);
    about(0.99, traits.cores_busy);
    about(4 * MS, traits.alone_ns);
    about(1.5, traits.page_faults);
    about(2, traits.waits);
    about(0.2, traits.preempted);
    about(8e9, traits.bytes_per_s);
    about(1e9, traits.flops_per_s);
    about(0.125, traits.intensity);
    about(64 << 20, traits.working_set_bytes);
    about(KG_LEVEL_MEMORY, traits.level);
    about(10e9, traits.bandwidth_ceiling_bytes_per_s);
    about(100e9, traits.flops_ceiling_per_s);
    about(10, traits.ridge);
    about(0.8, traits.bandwidth_share);
    about(0.01, traits.flops_share);
    about(0.8 * MS, traits.roof_ns);
    about(6e6, traits.instructions);
    about(2 / 0.99, traits.instructions_per_cycle);
    about(1.0 / 6, traits.flops_per_instruction);
    about(80e6, traits.line_bytes);
    about(12e6, traits.memory_line_bytes);
    about(70 << 20, traits.peak_bytes);
    about(64 << 20, traits.allocated_bytes);
    UNKNOWN(traits.gpu_ns);
    UNKNOWN(traits.overhead_ns);
    UNKNOWN(traits.launches);
    UNKNOWN(traits.occupancy);
}

static void roofs_are_of_the_threads_and_of_the_level_of_the_working_set(void **state)
{
    static const struct {
        uint64_t threads, bytes;
        enum kg_cache_level level;
        double bandwidth, flops;
    } cases[] = {
        {1, 16 << 10, KG_LEVEL_L1, 200e9, 100e9},    {1, 512 << 10, KG_LEVEL_L2, 100e9, 100e9},
        {1, 8 << 20, KG_LEVEL_L3, 50e9, 100e9},      {1, 64 << 20, KG_LEVEL_MEMORY, 10e9, 100e9},
        {2, 16 << 10, KG_LEVEL_L1, 400e9, 200e9},    {2, 64 << 10, KG_LEVEL_L1, 400e9, 200e9},
        {2, 2 << 20, KG_LEVEL_L2, 200e9, 200e9},     {2, 8 << 20, KG_LEVEL_L3, 100e9, 200e9},
        {2, 64 << 20, KG_LEVEL_MEMORY, 20e9, 200e9}, {4, 128 << 10, KG_LEVEL_L1, 800e9, 400e9},
        {4, 4 << 20, KG_LEVEL_L2, 400e9, 400e9},     {4, 16 << 20, KG_LEVEL_L3, 150e9, 400e9},
        {4, 17 << 20, KG_LEVEL_MEMORY, 24e9, 400e9}, {9, 17 << 20, KG_LEVEL_MEMORY, 24e9, 400e9},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct one one;
        one_make(&one);
        one.result.threads = cases[i].threads;
        one.result.memory.allocated_bytes = cases[i].bytes;
        const struct kg_traits traits = traits_of(&one);
        about(cases[i].level, traits.level);
        about(cases[i].bandwidth, traits.bandwidth_ceiling_bytes_per_s);
        about(cases[i].flops, traits.flops_ceiling_per_s);
        about(8e9 / cases[i].bandwidth, traits.bandwidth_share);
        about(cases[i].flops / cases[i].bandwidth, traits.ridge);
        about(1e9 * fmax(8e6 / cases[i].bandwidth, 1e6 / cases[i].flops), traits.roof_ns);
    }
}

static void a_case_with_much_arithmetic_meets_the_other_roof(void **state)
{
    struct one one;
    one_make(&one);
    one.result.work.flops = 50e6;
    one.result.work.bytes = 1e6;
    const struct kg_traits traits = traits_of(&one);
    about(50, traits.intensity);
    about(0.5, traits.flops_share);
    about(0.1, traits.bandwidth_share);
    about(0.5 * MS, traits.roof_ns);
}

static void unknown_threads_are_those_that_are_busy(void **state)
{
    static const struct {
        double cores, bandwidth;
    } cases[] = {{0.02, 10e9}, {1, 10e9}, {1.09, 10e9}, {1.2, 20e9}, {2, 20e9}, {3.7, 24e9}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct one one;
        one_make(&one);
        one.result.threads = 0;
        for (int r = 0; r < 3; r++)
            one.rounds[r].cpu_ns = cases[i].cores * MS;
        const struct kg_traits traits = traits_of(&one);
        UNKNOWN(traits.threads);
        about(cases[i].cores, traits.cores_busy);
        about(cases[i].bandwidth, traits.bandwidth_ceiling_bytes_per_s);
    }
}

static void rounds_that_others_disturbed_do_not_make_cores_idle(void **state)
{
    struct one one;
    one_make(&one);
    one.rounds[0].cpu_ns = 0.1 * MS;
    about(0.99, traits_of(&one).cores_busy);
    one.rounds[1].cpu_ns = 0.2 * MS;
    about((0.2 + 0.99) / 2, traits_of(&one).cores_busy);
}

static void instructions_a_cycle_are_of_one_busy_thread(void **state)
{
    struct one one;
    one_make(&one);
    one.result.threads = 4; /* of which one works */
    about(2 / 0.99, traits_of(&one).instructions_per_cycle);
    for (int r = 0; r < 3; r++)
        one.rounds[r].cpu_ns = 1.2 * MS;
    UNKNOWN(traits_of(&one).instructions_per_cycle);
    one.result.threads = 1;
    about(2 / 0.99, traits_of(&one).instructions_per_cycle);
}

static void a_thread_that_waits_has_no_cycles(void **state)
{
    struct one one;
    one_make(&one);
    one.result.breakdown.cpu_ns = 0.25 * MS;
    about(8, traits_of(&one).instructions_per_cycle);
    one.result.breakdown.cpu_ns = NAN;
    about(2, traits_of(&one).instructions_per_cycle);
}

static void the_working_set_is_what_was_allocated_else_moved_and_never_above_the_peak(void **state)
{
    struct one one;
    one_make(&one);
    one.result.memory.allocated_bytes = 0;
    about(70 << 20, traits_of(&one).working_set_bytes);
    one.result.memory.peak_bytes = 90 << 20;
    about(80e6, traits_of(&one).working_set_bytes);
    one.result.memory.peak_bytes = 70 << 20;
    UNKNOWN(traits_of(&one).allocated_bytes);
    one.result.work.bytes = NAN;
    about(70 << 20, traits_of(&one).working_set_bytes);
    one.result.memory.peak_bytes = 0;
    UNKNOWN(traits_of(&one).working_set_bytes);
    UNKNOWN(traits_of(&one).level);
    about(0, traits_of(&one).peak_bytes);
}

static void a_call_touches_no_more_than_it_moves_or_brings_in(void **state)
{
    struct one one;
    one_make(&one);
    one.result.look = (struct kg_look)KG_LOOK_NONE;
    about(8e6, traits_of(&one).working_set_bytes); /* of 64 MiB that it holds */
    about(KG_LEVEL_L3, traits_of(&one).level);
    about(50e9, traits_of(&one).bandwidth_ceiling_bytes_per_s);
    one.result.look.line_bytes = 20e6;
    about(20e6, traits_of(&one).working_set_bytes);
    about(KG_LEVEL_MEMORY, traits_of(&one).level);
    one.result.look.line_bytes = 1e9; /* the same ones again and again */
    about(64 << 20, traits_of(&one).working_set_bytes);
    one.result.work.bytes = NAN;
    about(64 << 20, traits_of(&one).working_set_bytes);
}

static void who_is_above_a_roof_is_not_under_it(void **state)
{
    static const struct {
        double bytes, level, ceiling;
    } cases[] = {{11.4e6, KG_LEVEL_MEMORY, 10e9}, {11.6e6, KG_LEVEL_L3, 50e9},
                 {58e6, KG_LEVEL_L2, 100e9},      {116e6, KG_LEVEL_L1, 200e9},
                 {229e6, KG_LEVEL_L1, 200e9},     {231e6, NAN, NAN}};
    struct one one;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        one_make(&one);
        one.result.work.bytes = cases[i].bytes;
        kg_case_summarize(&one.result);
        const struct kg_traits traits = traits_of(&one);
        about(cases[i].level, traits.level);
        about(cases[i].ceiling, traits.bandwidth_ceiling_bytes_per_s);
        about(1e3 * cases[i].bytes / cases[i].ceiling, traits.bandwidth_share);
    }
    one_make(&one);
    one.results.cpu_ceilings.one.l3_bytes_per_s = NAN; /* an unknown peak is skipped */
    one.result.work.bytes = 20e6;
    about(KG_LEVEL_L2, traits_of(&one).level);
    one_make(&one);
    one.result.work.flops = 149e6;
    about(1.49, traits_of(&one).flops_share);
    one.result.work.flops = 151e6;
    UNKNOWN(traits_of(&one).flops_share);
    UNKNOWN(traits_of(&one).flops_ceiling_per_s);
    UNKNOWN(traits_of(&one).roof_ns);
    one_on_gpu(&one, "cold");
    one.result.work.bandwidth_share = 254;
    one.result.work.fma_share = 254;
    UNKNOWN(traits_of(&one).bandwidth_share);
    UNKNOWN(traits_of(&one).level);
    UNKNOWN(traits_of(&one).flops_share);
    UNKNOWN(traits_of(&one).roof_ns);
}

static void what_no_machine_has_is_not_known(void **state)
{
    struct one one;
    one_make(&one);
    one.result.threads = 200000;
    UNKNOWN(traits_of(&one).threads);
    one_make(&one);
    one.result.summary.median_ns = 3.3e16; /* a year has 3.2e16 */
    UNKNOWN(traits_of(&one).time_ns);
    one.result.look.alone_ns = one.result.breakdown.cpu_ns = 3.3e16;
    UNKNOWN(traits_of(&one).alone_ns);
    UNKNOWN(traits_of(&one).cpu_ns);
    one.result.work.bytes = one.result.work.items = one.result.look.instructions = 2e18;
    UNKNOWN(traits_of(&one).bytes);
    UNKNOWN(traits_of(&one).items);
    UNKNOWN(traits_of(&one).instructions);
    for (int r = 0; r < 3; r++)
        one.rounds[r].cpu_ns = 2e5 * MS;
    UNKNOWN(traits_of(&one).cores_busy);
}

static void instructions_that_were_compared_do_where_nobody_looked(void **state)
{
    static double values[] = {5e6, 3e6, 4e6};
    struct one one;
    one_make(&one);
    one.result.look = (struct kg_look)KG_LOOK_NONE;
    one.result.series = one.series;
    one.result.series_count = 2;
    one.series[0] = (struct kg_series){
        .name = "instructions", .source = "workload", .values = values, .value_count = 1};
    one.series[1] = (struct kg_series){
        .name = "instructions", .source = "callgrind", .values = values, .value_count = 3};
    about(4e6, traits_of(&one).instructions);
    one.result.series_count = 1; /* a workload may call anything so */
    UNKNOWN(traits_of(&one).instructions);
}

static void a_command_has_no_roofs(void **state)
{
    struct one one;
    one_make(&one);
    one.result.source = "command";
    const struct kg_traits traits = traits_of(&one);
    UNKNOWN(traits.bandwidth_ceiling_bytes_per_s);
    UNKNOWN(traits.flops_ceiling_per_s);
    UNKNOWN(traits.bandwidth_share);
    UNKNOWN(traits.roof_ns);
    UNKNOWN(traits.level);
    about(0.99, traits.cores_busy);
    about(1.5, traits.page_faults);
    one.result.device = "cuda"; /* timed as on the CPU, process by process */
    about(0.99, traits_of(&one).cores_busy);
    UNKNOWN(traits_of(&one).gpu_ns);
}

static void flops_of_another_kind_have_no_ceiling_and_no_least_time(void **state)
{
    static const char *const kinds[] = {NULL, "bf16_tensor", "f64"};
    for (size_t i = 0; i < 3; i++) {
        struct one one;
        one_make(&one);
        one.result.work.arithmetic = kinds[i];
        const struct kg_traits traits = traits_of(&one);
        UNKNOWN(traits.flops_ceiling_per_s);
        UNKNOWN(traits.flops_share);
        UNKNOWN(traits.ridge);
        UNKNOWN(traits.roof_ns);
        about(0.8, traits.bandwidth_share);
        one.result.work.flops = NAN; /* nothing is done under the missing peak */
        about(0.8 * MS, traits_of(&one).roof_ns);
    }
}

static void a_case_on_the_gpu_has_its_place_under_its_roofs(void **state)
{
    struct one one;
    one_on_gpu(&one, "cold");
    const struct kg_traits traits = traits_of(&one);
    about(2e9, traits.working_set_bytes);
    about(KG_LEVEL_MEMORY, traits.level);
    about(2.2e12, traits.bandwidth_ceiling_bytes_per_s);
    about(50e12, traits.flops_ceiling_per_s);
    about(50 / 2.2, traits.ridge);
    about(0.5, traits.bandwidth_share);
    about(0.2, traits.flops_share);
    about(0.5 * MS, traits.roof_ns);
    about(one.result.work.bandwidth_share, traits.bandwidth_share);
    about(one.result.work.fma_share, traits.flops_share);
    about(2e9, traits.allocated_bytes);
    /* effects of kgate's own timing on the process are no traits */
    UNKNOWN(traits.cores_busy);
    UNKNOWN(traits.page_faults);
    UNKNOWN(traits.waits);
    UNKNOWN(traits.preempted);
    UNKNOWN(traits.instructions);
}

static void tensor_cores_have_a_ceiling_of_their_own(void **state)
{
    struct one one;
    one_on_gpu(&one, "cold");
    one.result.work.arithmetic = "bf16_tensor";
    one.result.work.flops = 400e9;
    kg_case_summarize(&one.result);
    kg_results_shares(&one.results);
    about(800e12, traits_of(&one).flops_ceiling_per_s);
    about(0.5, traits_of(&one).flops_share);
    about(one.result.work.tensor_share, traits_of(&one).flops_share);
    one.result.work.arithmetic = NULL;
    UNKNOWN(traits_of(&one).flops_ceiling_per_s);
}

static void what_stays_in_the_l2_cache_has_no_roof_of_memory(void **state)
{
    struct one one;
    one_on_gpu(&one, "hot");
    about(KG_LEVEL_MEMORY, traits_of(&one).level);
    one.result.work.bytes = 50e6;
    kg_case_summarize(&one.result);
    kg_results_shares(&one.results);
    const struct kg_traits traits = traits_of(&one);
    UNKNOWN(traits.level);
    UNKNOWN(traits.bandwidth_ceiling_bytes_per_s);
    UNKNOWN(traits.bandwidth_share);
    UNKNOWN(traits.roof_ns);
    about(0.2, traits.flops_share);
    one.result.timing = "cold";
    UNKNOWN(traits_of(&one).level); /* all of it may be written later */
    one.result.work.written_bytes = 1e6;
    about(KG_LEVEL_MEMORY, traits_of(&one).level);
    one.result.work.bytes = NAN;
    UNKNOWN(traits_of(&one).level);
}

static void the_main_kernel_is_the_longest_or_the_only_one(void **state)
{
    struct one one;
    one_on_gpu(&one, "cold");
    one.result.trace.kernels = one.kernels;
    one.result.trace.kernel_count = 3;
    one.kernels[0] =
        (struct kg_kernel_use){.occupancy = 0.9, .waves = 9, .local_bytes = 0, .gpu_ns = 10};
    one.kernels[1] =
        (struct kg_kernel_use){.occupancy = 0.6, .waves = 6, .local_bytes = 64, .gpu_ns = 500};
    one.kernels[2] =
        (struct kg_kernel_use){.occupancy = 0.3, .waves = 0.5, .local_bytes = 8, .gpu_ns = 100};
    about(0.6, traits_of(&one).occupancy);
    about(6, traits_of(&one).waves);
    about(64, traits_of(&one).local_bytes);
    for (int i = 0; i < 3; i++)
        one.kernels[i].gpu_ns = NAN;
    UNKNOWN(traits_of(&one).occupancy); /* the main kernel is unknown */
    UNKNOWN(traits_of(&one).waves);
    UNKNOWN(traits_of(&one).local_bytes);
    UNKNOWN(traits_of(&one).main_kernel_ns);
    one.result.trace.kernel_count = 1;
    about(0.9, traits_of(&one).occupancy);
    about(9, traits_of(&one).waves);
    about(one.result.breakdown.gpu_ns, traits_of(&one).main_kernel_ns);
}

static void its_time_is_scaled_and_copies_are_no_launches(void **state)
{
    struct one one;
    one_on_gpu(&one, "cold");
    one.result.trace.source = "cupti";
    one.result.trace.launches = 7; /* and two copies */
    one.result.trace.kernel_ns = 2 * MS;
    one.result.trace.transfer_ns = one.result.trace.other_ns = one.result.trace.gap_ns = 0;
    one.result.trace.kernels = one.kernels;
    one.result.trace.kernel_count = 2;
    one.kernels[0] = (struct kg_kernel_use){.launches = 4, .gpu_ns = 1.5 * MS};
    one.kernels[1] = (struct kg_kernel_use){.launches = 1, .gpu_ns = 0.5 * MS};
    kg_case_summarize(&one.result);
    about(0.75 * one.result.breakdown.gpu_ns, traits_of(&one).main_kernel_ns);
    about(5, traits_of(&one).launches);
    one.result.trace.kernel_count = 0;
    UNKNOWN(traits_of(&one).launches);
    one.result.trace.launches = 0;
    about(0, traits_of(&one).launches);
}

static void launching_is_known_where_the_host_neither_waits_nor_launches_a_graph(void **state)
{
    static const char *const timings[] = {"cold", "hot", "graph", "wall"};
    for (int t = 0; t < 4; t++) {
        struct one one;
        one_on_gpu(&one, timings[t]);
        for (int i = 0; i < 3; i++)
            one.rounds[i].launch_ns = 4000 + i;
        if (t < 2)
            about(4001, traits_of(&one).launch_ns);
        else
            UNKNOWN(traits_of(&one).launch_ns);
    }
}

static void times_of_the_trace_are_scaled_to_the_measured_one(void **state)
{
    struct one one;
    one_on_gpu(&one, "cold");
    one.result.trace = (struct kg_trace){.source = "cupti",
                                         .launches = 3,
                                         .kernel_ns = 1.2 * MS,
                                         .transfer_ns = 0.4 * MS,
                                         .other_ns = 0,
                                         .hidden_ns = 0.8 * MS,
                                         .gap_ns = 0.4 * MS,
                                         .to_device_bytes = 1000,
                                         .to_host_bytes = 0,
                                         .pageable_bytes = 0};
    kg_case_summarize(&one.result);
    const struct kg_traits traits = traits_of(&one);
    about(0.6 * MS, traits.gpu_ns);
    about(0.2 * MS, traits.transfer_ns);
    about(0.2 * MS, traits.gap_ns);
    about(0.4 * MS, traits.hidden_ns);
    about(0.4 * MS, traits.overhead_ns); /* of 1.2 ms by the host's clock */
    about(1000, traits.to_device_bytes);
    about(0, traits.to_host_bytes);
    about(0, traits.pageable_bytes);
    one.result.trace.transfer_ns = NAN;
    one.result.breakdown.gpu_ns = NAN;
    about(0.4 * MS, traits_of(&one).gap_ns);
}

static void bytes_of_the_gpus_memory_are_both_ways(void **state)
{
    static double read[] = {3e6}, written[] = {1e6};
    struct one one;
    one_on_gpu(&one, "cold");
    one.result.series = one.series;
    one.result.series_count = 2;
    one.series[0] = (struct kg_series){
        .name = "dram_read_bytes", .source = "cupti", .values = read, .value_count = 1};
    one.series[1] = (struct kg_series){
        .name = "dram_write_bytes", .source = "cupti", .values = written, .value_count = 1};
    about(4e6, traits_of(&one).memory_line_bytes);
    one.result.series_count = 1;
    UNKNOWN(traits_of(&one).memory_line_bytes);
}

static void a_case_without_rounds_has_no_traits(void **state)
{
    struct one one;
    one_make(&one);
    one.result.round_count = 0;
    const struct kg_traits traits = traits_of(&one);
    for (size_t i = 0; i < kg_trait_count; i++)
        UNKNOWN(kg_trait_get(&traits, &kg_trait_table[i]));
}

static void what_makes_no_sense_is_not_known(void **state)
{
    static const double wrong[] = {0, -1, NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct one one;
        one_make(&one);
        one.result.summary.median_ns = wrong[i];
        UNKNOWN(traits_of(&one).time_ns);
        UNKNOWN(traits_of(&one).bytes_per_s);
        UNKNOWN(traits_of(&one).flops_share);
        one_make(&one);
        one.result.work.bytes = wrong[i];
        UNKNOWN(traits_of(&one).bytes_per_s);
        UNKNOWN(traits_of(&one).bandwidth_share);
        UNKNOWN(traits_of(&one).intensity);
        one_make(&one);
        one.results.cpu_ceilings.one.memory_bytes_per_s = wrong[i];
        UNKNOWN(traits_of(&one).bandwidth_ceiling_bytes_per_s);
        UNKNOWN(traits_of(&one).bandwidth_share);
        UNKNOWN(traits_of(&one).ridge);
        UNKNOWN(traits_of(&one).roof_ns);
        one_make(&one);
        one.results.cpu_ceilings.one.vector_flops_per_s = wrong[i];
        UNKNOWN(traits_of(&one).flops_share);
        UNKNOWN(traits_of(&one).roof_ns);
        about(0.8, traits_of(&one).bandwidth_share);
        one_make(&one);
        one.results.cpu_ceilings.clock_hz = wrong[i];
        UNKNOWN(traits_of(&one).instructions_per_cycle);
        one_make(&one);
        one.result.look.instructions = one.result.look.line_bytes = wrong[i];
        UNKNOWN(traits_of(&one).instructions);
        UNKNOWN(traits_of(&one).line_bytes);
        UNKNOWN(traits_of(&one).flops_per_instruction);
        one_make(&one);
        for (int r = 0; r < 3; r++)
            one.rounds[r].wall_ns = wrong[i];
        UNKNOWN(traits_of(&one).cores_busy);
        about(1.5, traits_of(&one).page_faults);
        one_on_gpu(&one, "cold");
        one.results.ceilings.copy_bytes_per_s = one.results.ceilings.read_bytes_per_s =
            one.results.ceilings.fma_flops_per_s = wrong[i];
        kg_results_shares(&one.results);
        UNKNOWN(traits_of(&one).bandwidth_ceiling_bytes_per_s);
        UNKNOWN(traits_of(&one).bandwidth_share);
        UNKNOWN(traits_of(&one).flops_share);
        UNKNOWN(traits_of(&one).roof_ns);
    }
}

static void a_call_moves_a_byte_and_does_an_operation_at_least(void **state)
{
    struct one one;
    one_make(&one);
    one.result.work.bytes = one.result.work.flops = 1e-300;
    UNKNOWN(traits_of(&one).bytes);
    UNKNOWN(traits_of(&one).flops);
    UNKNOWN(traits_of(&one).flops_per_instruction);
    UNKNOWN(traits_of(&one).bandwidth_share);
    UNKNOWN(traits_of(&one).flops_share);
}

static void rounds_without_calls_note_nothing_of_a_call(void **state)
{
    struct one one;
    one_make(&one);
    for (int r = 0; r < 3; r++)
        one.rounds[r].calls = 0;
    UNKNOWN(traits_of(&one).page_faults);
    UNKNOWN(traits_of(&one).waits);
    UNKNOWN(traits_of(&one).cores_busy);
}

static void without_the_sizes_of_caches_no_level_is_claimed(void **state)
{
    struct one one;
    one_make(&one);
    one.results.cpu_ceilings = (struct kg_cpu_ceilings)KG_CPU_CEILINGS_NONE;
    UNKNOWN(traits_of(&one).level);
    UNKNOWN(traits_of(&one).roof_ns);
    about(8e9, traits_of(&one).bytes_per_s);
}

static uint64_t next_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005U + 1442695040888963407U;
    return *seed >> 33;
}

/* Whatever a file says, a trait is NaN, or finite and from 0 up. */
static void nonsense_of_all_kinds_gives_no_infinite_and_no_negative_trait(void **state)
{
    static const double values[] = {0,      -1,     NAN,   INFINITY, -INFINITY, 1e308,
                                    1e-308, 5e-324, 1e300, 1,        0.5,       1e9};
    static const size_t count = sizeof values / sizeof *values;
    uint64_t seed = 20260131;
    printf("seed %llu\n", (unsigned long long)seed);
    for (int turn = 0; turn < 20000; turn++) {
        struct one one;
        if (turn % 2)
            one_make(&one);
        else
            one_on_gpu(&one, turn % 4 ? "hot" : "cold");
        one.result.trace.kernels = one.kernels;
        one.result.trace.kernel_count = 3;
        double *const numbers[] = {
            (double *)&one.result.summary,   (double *)&one.result.breakdown,
            (double *)&one.result.work,      (double *)&one.result.look,
            (double *)&one.results.ceilings, (double *)&one.results.cpu_ceilings,
            &one.result.trace.launches,      &one.result.memory.device_peak_bytes,
            &one.kernels[0].launches,        &one.kernels[1].launches,
            &one.rounds[0].median_ns,        &one.rounds[1].median_ns,
        };
        static const size_t counts[] = {8, 5, 9, 4, 6, 24, 8, 3, 9, 9, 8, 8};
        for (int change = 0; change < 6; change++) {
            const size_t which = next_random(&seed) % (sizeof counts / sizeof *counts);
            numbers[which][next_random(&seed) % counts[which]] = values[next_random(&seed) % count];
        }
        one.result.threads = next_random(&seed) % 3 ? 1 : 0;
        const struct kg_traits traits = traits_of(&one);
        for (size_t i = 0; i < kg_trait_count; i++) {
            const double value = kg_trait_get(&traits, &kg_trait_table[i]);
            if (!isnan(value) && !(isfinite(value) && value >= 0))
                fail_msg("turn %d: %s is %g", turn, kg_trait_table[i].name, value);
        }
    }
}

static bool ends(const char *name, const char *end)
{
    const size_t length = strlen(name), end_length = strlen(end);
    return length >= end_length && !strcmp(name + length - end_length, end);
}

static void the_table_has_every_member_in_order(void **state)
{
    assert_int_equal(kg_trait_count * sizeof(double), sizeof(struct kg_traits));
    for (size_t i = 0; i < kg_trait_count; i++) {
        const struct kg_trait *trait = &kg_trait_table[i];
        assert_int_equal(trait->offset, i * sizeof(double));
        assert_true(*trait->words != '\0');
        if (ends(trait->name, "_ns"))
            assert_int_equal(trait->unit, KG_TRAIT_NS);
        if (ends(trait->name, "bytes"))
            assert_int_equal(trait->unit, KG_TRAIT_BYTES);
        if (ends(trait->name, "share"))
            assert_int_equal(trait->unit, KG_TRAIT_SHARE);
        for (size_t j = 0; j < i; j++) {
            assert_string_not_equal(trait->name, kg_trait_table[j].name);
            assert_string_not_equal(trait->words, kg_trait_table[j].words);
        }
    }
    assert_null(kg_trait_unit_names[KG_TRAIT_LEVEL + 1]);
}

static void what_is_set_is_got(void **state)
{
    struct kg_traits traits;
    kg_traits_clear(&traits);
    for (size_t i = 0; i < kg_trait_count; i++) {
        UNKNOWN(kg_trait_get(&traits, &kg_trait_table[i]));
        kg_trait_set(&traits, &kg_trait_table[i], (double)i + 0.5);
    }
    for (size_t i = 0; i < kg_trait_count; i++)
        about((double)i + 0.5, kg_trait_get(&traits, &kg_trait_table[i]));
    about(0.5, traits.time_ns);
}

static void figures_read_well(void **state)
{
    static const struct {
        enum kg_trait_unit unit;
        double value;
        const char *text;
    } cases[] = {
        {KG_TRAIT_NS, 3.2e6, "3.20 ms"},
        {KG_TRAIT_BYTES, 3 << 20, "3.00 MiB"},
        {KG_TRAIT_BYTES_PER_S, 12.4e9, "12.4 GB/s"},
        {KG_TRAIT_BYTES_PER_S, 124, "124 B/s"},
        {KG_TRAIT_FLOPS_PER_S, 1.5e12, "1.50 Tflop/s"},
        {KG_TRAIT_SHARE, 0.41, "41 %"},
        {KG_TRAIT_SHARE, 0.999, "100 %"},
        {KG_TRAIT_SHARE, 1.2, "120 %"},
        {KG_TRAIT_SHARE, 0.0414, "4.1 %"},
        {KG_TRAIT_SHARE, 0.0996, "10 %"},
        {KG_TRAIT_SHARE, 0.0005, "0.05 %"},
        {KG_TRAIT_SHARE, 0, "0 %"},
        {KG_TRAIT_COUNT, 2, "2"},
        {KG_TRAIT_COUNT, 0, "0"},
        {KG_TRAIT_COUNT, 1.02, "1.02"},
        {KG_TRAIT_COUNT, 9999, "9999"},
        {KG_TRAIT_COUNT, 6.25e9, "6.25 G"},
        {KG_TRAIT_LEVEL, KG_LEVEL_L2, "L2"},
        {KG_TRAIT_LEVEL, KG_LEVEL_MEMORY, "memory"},
        {KG_TRAIT_LEVEL, 1.5, "-"},
        {KG_TRAIT_LEVEL, 17, "-"},
        {KG_TRAIT_NS, NAN, "-"},
        {KG_TRAIT_SHARE, INFINITY, "-"},
        {KG_TRAIT_LEVEL, NAN, "-"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct kg_text text = {0};
        kg_trait_format(cases[i].unit, cases[i].value, &text);
        assert_string_equal(kg_text_string(&text), cases[i].text);
        kg_text_free(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_case_on_the_cpu_has_its_place_under_the_roofs),
        cmocka_unit_test(roofs_are_of_the_threads_and_of_the_level_of_the_working_set),
        cmocka_unit_test(a_case_with_much_arithmetic_meets_the_other_roof),
        cmocka_unit_test(unknown_threads_are_those_that_are_busy),
        cmocka_unit_test(rounds_that_others_disturbed_do_not_make_cores_idle),
        cmocka_unit_test(instructions_a_cycle_are_of_one_busy_thread),
        cmocka_unit_test(a_thread_that_waits_has_no_cycles),
        cmocka_unit_test(the_working_set_is_what_was_allocated_else_moved_and_never_above_the_peak),
        cmocka_unit_test(a_call_touches_no_more_than_it_moves_or_brings_in),
        cmocka_unit_test(who_is_above_a_roof_is_not_under_it),
        cmocka_unit_test(what_no_machine_has_is_not_known),
        cmocka_unit_test(instructions_that_were_compared_do_where_nobody_looked),
        cmocka_unit_test(a_command_has_no_roofs),
        cmocka_unit_test(flops_of_another_kind_have_no_ceiling_and_no_least_time),
        cmocka_unit_test(a_case_on_the_gpu_has_its_place_under_its_roofs),
        cmocka_unit_test(tensor_cores_have_a_ceiling_of_their_own),
        cmocka_unit_test(what_stays_in_the_l2_cache_has_no_roof_of_memory),
        cmocka_unit_test(the_main_kernel_is_the_longest_or_the_only_one),
        cmocka_unit_test(its_time_is_scaled_and_copies_are_no_launches),
        cmocka_unit_test(launching_is_known_where_the_host_neither_waits_nor_launches_a_graph),
        cmocka_unit_test(times_of_the_trace_are_scaled_to_the_measured_one),
        cmocka_unit_test(bytes_of_the_gpus_memory_are_both_ways),
        cmocka_unit_test(a_case_without_rounds_has_no_traits),
        cmocka_unit_test(what_makes_no_sense_is_not_known),
        cmocka_unit_test(a_call_moves_a_byte_and_does_an_operation_at_least),
        cmocka_unit_test(rounds_without_calls_note_nothing_of_a_call),
        cmocka_unit_test(without_the_sizes_of_caches_no_level_is_claimed),
        cmocka_unit_test(nonsense_of_all_kinds_gives_no_infinite_and_no_negative_trait),
        cmocka_unit_test(the_table_has_every_member_in_order),
        cmocka_unit_test(what_is_set_is_got),
        cmocka_unit_test(figures_read_well),
    };
    return cmocka_run_group_tests_name("traits", tests, NULL, NULL);
}
