/* The fields of a worker process's answer: a round, a check, a trace. They are apart from the
 * fields of whole results, which a worker does not use. */
#include "model/results.h"

#define STRUCT kg_round
static const struct kg_field round_fields[] = {
    KG_FIELD(median_ns, REAL, "median of the samples", KG_ABOVE_0),
    KG_FIELD(mean_ns, REAL, "mean of the samples", KG_FROM_0),
    KG_FIELD(min_ns, REAL, "least sample", KG_FROM_0),
    KG_FIELD(max_ns, REAL, "greatest sample", KG_FROM_0),
    KG_FIELD(p95_ns, REAL, "95th percentile of the samples", KG_FROM_0),
    KG_FIELD(median_error_ns, REAL,
             "standard error of the median, from parts of the round; absent or 0: not known",
             KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(cpu_ns, REAL, "CPU time of all threads; absent or null: not known", KG_NULLABLE,
             KG_FROM_0),
    KG_FIELD(user_ns, REAL, "CPU time in user mode", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(system_ns, REAL, "CPU time in the kernel", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(wall_ns, REAL, "measured time of the whole round", KG_FROM_0),
    KG_FIELD(warm_up_ns, REAL, "time spent on warm-up", KG_FROM_0),
    KG_FIELD(pulse_ns, REAL,
             "time of the clock probe, a fixed chain of multiplications: median over the round",
             KG_OPTIONAL),
    KG_FIELD(calls, COUNT, "number of timed calls"),
    KG_FIELD(batch, COUNT, "calls per sample"),
    KG_FIELD(confirms, BOOL,
             "whether the round was measured later, to confirm a suspected change; absent if no "
             "round was",
             KG_OPTIONAL),
    KG_FIELD(base_ratio, REAL,
             "`ab`: time over the baseline's time, interleaved in this round; absent otherwise",
             KG_OPTIONAL),
    KG_FIELD(call_ns, REAL, "GPU: host time of a single call until the device is done", KG_OPTIONAL,
             KG_FROM_0),
    KG_FIELD(launch_ns, REAL, "GPU: host time to put a call on the stream", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(median_cycles, REAL, "GPU: cycles of a multiprocessor per call", KG_OPTIONAL,
             KG_FROM_0),
    KG_FIELD(sm_clock_hz, REAL, "GPU: clock of the multiprocessors, read on the device",
             KG_OPTIONAL, KG_ABOVE_0),
    KG_FIELD(timer_overhead_ns, REAL,
             "GPU: time between two events with nothing between them, in this process; subtracted "
             "from every sample",
             KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(memory_clock_hz, REAL, "GPU: memory clock by NVML at the end, Hz", KG_OPTIONAL,
             KG_FROM_0),
    KG_FIELD(temperature_c, REAL, "GPU: temperature by NVML at the end, °C", KG_OPTIONAL,
             KG_FROM_0),
    KG_FIELD(power_w, REAL, "GPU: power by NVML at the end, W", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(utilization, REAL, "GPU: utilization before the round, 0 to 1", KG_OPTIONAL,
             KG_FROM_0),
    KG_FIELD(other_processes, REAL, "GPU: number of other processes with a context on the device",
             KG_OPTIONAL, KG_WHOLE),
    KG_FIELD(throttle, REAL, "GPU: active reasons for lower clocks, as NVML numbers their bits",
             KG_OPTIONAL, KG_WHOLE),
    KG_FIELD(power_limit_w, REAL, "GPU: enforced power limit by NVML, W", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(throttled_ns, REAL,
             "GPU: time of the round in which power or temperature lowered the clocks, by NVML",
             KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(throttled, BOOL,
             "GPU: whether it was throttled during the round; kgate judges such a round only if "
             "most rounds were throttled",
             KG_OPTIONAL),
    KG_FIELD(peak_bytes, COUNT, "peak of the resident memory beyond the harness, bytes"),
    KG_FIELD(voluntary_switches, COUNT, "voluntary context switches in the timed part"),
    KG_FIELD(involuntary_switches, COUNT, "context switches by the scheduler in the timed part"),
    KG_FIELD(wait_ns, REAL,
             "time in which runnable threads waited for a CPU in the timed part, without waits for "
             "each other",
             KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(
        stolen_ns, REAL,
        "steal time of the usable CPUs in the timed part, taken by the host of a virtual machine",
        KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(disturbance, REAL,
             "share of the time lost to CPU contention or steal time, if it may have reached the "
             "median. Above `disturbance_limit` kgate measures an additional round; above twice "
             "the limit it does not judge this round. `ab`: the worse of the two builds",
             KG_OPTIONAL, KG_BETWEEN(0, 1)),
    KG_FIELD(minor_faults, COUNT, "page faults without input in the timed part"),
    KG_FIELD(major_faults, COUNT, "page faults with input in the timed part"),
    KG_LIST(samples_ns, sample_count, REALS, "kept samples, evenly spread over the round",
            KG_FROM_0),
    KG_FIELD(samples_dropped, COUNT, "number of samples that were not kept"),
};
const struct kg_record kg_round_record = KG_RECORD_OF(
    round_fields, "All rounds of the case by column: entry i of every list is round i, one fresh "
                  "process. Times are nanoseconds per call, except wall_ns and warm_up_ns.");
#undef STRUCT

#define STRUCT kg_case_check
static const struct kg_field check_fields[] = {
    KG_FIELD(checked, BOOL, "false: the workload has no check"),
    KG_FIELD(error, REAL, "largest deviation from the reference", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(tolerance, REAL, "largest allowed deviation", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(seed, COUNT,
             "seed of the checked rows and projections, repeated by the suite's `check_seed`; 0: "
             "not known",
             KG_OPTIONAL),
};
const struct kg_record kg_case_check_record =
    KG_RECORD_OF(check_fields, "The check of the result against its reference.");
#undef STRUCT

#define STRUCT kg_kernel_use
static const struct kg_field kernel_fields[] = {
    KG_FIELD(name, STRING, "name of the function"),
    KG_FIELD(launches, REAL, "launches per call", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(blocks, REAL, "blocks per launch", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(threads, REAL, "threads per block", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(registers, REAL, "registers per thread", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(shared_bytes, REAL, "shared memory per block, static and dynamic, bytes", KG_OPTIONAL,
             KG_FROM_0),
    KG_FIELD(local_bytes, REAL, "local memory per thread, bytes", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(occupancy, REAL, "resident threads of a multiprocessor over its maximum", KG_OPTIONAL,
             KG_FROM_0),
    KG_FIELD(waves, REAL, "blocks over the number that the device holds at once", KG_OPTIONAL,
             KG_FROM_0),
    KG_FIELD(gpu_ns, REAL, "device time per call, all launches, ns", KG_OPTIONAL, KG_FROM_0),
};
static const struct kg_record kernel_record =
    KG_RECORD_OF(kernel_fields, "A kernel that a call launches.");
#undef STRUCT

#define STRUCT kg_trace
static const struct kg_field trace_fields[] = {
    KG_FIELD(source, STRING, "method of observation", KG_OPTIONAL),
    KG_FIELD(reason, STRING, "reason for missing observations", KG_OPTIONAL),
    KG_FIELD(launches, REAL, "kernels, copies and fills per call", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(kernel_ns, REAL, "device time of kernels per call, ns", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(transfer_ns, REAL, "device time of copies between host and device, ns", KG_OPTIONAL,
             KG_FROM_0),
    KG_FIELD(hidden_ns, REAL, "device time of copies between host and device while kernels run, ns",
             KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(other_ns, REAL, "device time of copies and fills within the device, ns", KG_OPTIONAL,
             KG_FROM_0),
    KG_FIELD(gap_ns, REAL, "idle time of the device within a call, ns", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(to_device_bytes, REAL, "bytes copied to the device per call", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(to_host_bytes, REAL, "bytes copied to the host per call", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(pageable_bytes, REAL, "part of these bytes that is not page-locked on the host",
             KG_OPTIONAL, KG_FROM_0),
    KG_LIST(kernels, kernel_count, RECORDS, "kernels, one entry per function", KG_OPTIONAL,
            KG_OF(kernel_record)),
};
const struct kg_record kg_trace_record = KG_RECORD_OF(
    trace_fields, "GPU: activity of a call on the device, observed outside the timed rounds.");
#undef STRUCT
