/* The fields of a worker process's answer: a round, a check, a trace. They are apart from the
 * fields of whole results, which a worker does not use. */
#include "model/results.h"

#define STRUCT kg_round
static const struct kg_field round_fields[] = {
    KG_FIELD(median_ns, REAL, "median of the samples", KG_ABOVE_0),
    KG_FIELD(mean_ns, REAL, "their mean", KG_FROM_0),
    KG_FIELD(min_ns, REAL, "the least sample", KG_FROM_0),
    KG_FIELD(max_ns, REAL, "the greatest sample", KG_FROM_0),
    KG_FIELD(p95_ns, REAL, "95th percentile", KG_FROM_0),
    KG_FIELD(median_error_ns, REAL,
             "standard error of the median, by parts of the round; left out or 0: not known",
             KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(cpu_ns, REAL, "CPU time of all threads; absent or null: not known", KG_NULLABLE,
             KG_FROM_0),
    KG_FIELD(user_ns, REAL, "CPU time in user mode", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(system_ns, REAL, "CPU time in the kernel", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(wall_ns, REAL, "measured time of the whole round", KG_FROM_0),
    KG_FIELD(warm_up_ns, REAL, "time spent on warm-up", KG_FROM_0),
    KG_FIELD(pulse_ns, REAL,
             "the core's pace: time of a fixed chain of multiplications, median over the round",
             KG_OPTIONAL),
    KG_FIELD(calls, COUNT, "timed calls"),
    KG_FIELD(batch, COUNT, "calls a sample"),
    KG_FIELD(
        confirms, BOOL,
        "taken later, to confirm what the other rounds made suspect; left out where no round does",
        KG_OPTIONAL),
    KG_FIELD(base_ratio, REAL,
             "`ab`: time over the base's, turn by turn in this round; left out elsewhere",
             KG_OPTIONAL),
    KG_FIELD(call_ns, REAL, "GPU: host time of a call alone until the device is done", KG_OPTIONAL,
             KG_FROM_0),
    KG_FIELD(launch_ns, REAL, "GPU: host time to put a call on the stream", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(median_cycles, REAL, "GPU: cycles of a multiprocessor a call", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(sm_clock_hz, REAL, "GPU: clock of the multiprocessors, read on the device",
             KG_OPTIONAL, KG_ABOVE_0),
    KG_FIELD(timer_overhead_ns, REAL,
             "GPU: what events around nothing took in this process; taken out of every sample",
             KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(memory_clock_hz, REAL, "GPU: by NVML, at the end", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(temperature_c, REAL, "GPU: by NVML, at the end", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(power_w, REAL, "GPU: by NVML, at the end", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(utilization, REAL, "GPU: busy before the round, 0 to 1", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(other_processes, REAL, "GPU: others with a context on the device", KG_OPTIONAL,
             KG_WHOLE),
    KG_FIELD(throttle, REAL, "GPU: reasons for lower clocks that held, as NVML numbers their bits",
             KG_OPTIONAL, KG_WHOLE),
    KG_FIELD(throttled, BOOL, "GPU: held back while it was measured: not judged", KG_OPTIONAL),
    KG_FIELD(peak_bytes, COUNT, "resident memory beyond the harness's at its peak"),
    KG_FIELD(voluntary_switches, COUNT, "context switches while waiting, in the timed part"),
    KG_FIELD(involuntary_switches, COUNT, "context switches by the scheduler, likewise"),
    KG_FIELD(wait_ns, REAL,
             "time that threads were ready to run and waited for a CPU, in the timed part; what "
             "they took from each other is left out",
             KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(stolen_ns, REAL,
             "time that the host of a virtual machine took from the CPUs that it may use, likewise",
             KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(
        disturbance, REAL,
        "share of the time in which it waited for a CPU, or the host had it, where that may "
        "have reached the median; above `disturbance_limit` another was measured for it, above "
        "twice that it is not judged; `ab`: of the worse of the two builds",
        KG_OPTIONAL, KG_BETWEEN(0, 1)),
    KG_FIELD(minor_faults, COUNT, "page faults without input, in the timed part"),
    KG_FIELD(major_faults, COUNT, "page faults with input, likewise"),
    KG_LIST(samples_ns, sample_count, REALS, "samples that are kept, evenly spread over the round",
            KG_FROM_0),
    KG_FIELD(samples_dropped, COUNT, "samples that are not kept"),
};
const struct kg_record kg_round_record = KG_RECORD_OF(
    round_fields, "All rounds of the case by column: entry i of every list is round i, one fresh "
                  "process. Times are nanoseconds a call but for wall_ns and warm_up_ns.");
#undef STRUCT

#define STRUCT kg_case_check
static const struct kg_field check_fields[] = {
    KG_FIELD(checked, BOOL, "false: the workload has no check"),
    KG_FIELD(error, REAL, "largest deviation", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(tolerance, REAL, "largest allowed", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(
        seed, COUNT,
        "of the rows and projections that the check drew: the same `check_seed` of a suite draws "
        "them again; 0: not known",
        KG_OPTIONAL),
};
const struct kg_record kg_case_check_record =
    KG_RECORD_OF(check_fields, "The result against its reference.");
#undef STRUCT

#define STRUCT kg_kernel_use
static const struct kg_field kernel_fields[] = {
    KG_FIELD(name, STRING, "of the function"),
    KG_FIELD(launches, REAL, "a call", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(blocks, REAL, "of a launch", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(threads, REAL, "of a block", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(registers, REAL, "a thread", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(shared_bytes, REAL, "a block, static and dynamic", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(local_bytes, REAL, "a thread", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(occupancy, REAL, "threads resident on a multiprocessor over those it can hold",
             KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(waves, REAL, "blocks over those that the device holds at once", KG_OPTIONAL,
             KG_FROM_0),
    KG_FIELD(gpu_ns, REAL, "device time a call, all launches", KG_OPTIONAL, KG_FROM_0),
};
static const struct kg_record kernel_record =
    KG_RECORD_OF(kernel_fields, "A kernel that a call launches.");
#undef STRUCT

#define STRUCT kg_trace
static const struct kg_field trace_fields[] = {
    KG_FIELD(source, STRING, "how it was seen", KG_OPTIONAL),
    KG_FIELD(reason, STRING, "what could not be seen and why", KG_OPTIONAL),
    KG_FIELD(launches, REAL, "kernels, copies and fills a call", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(kernel_ns, REAL, "device time of kernels a call", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(transfer_ns, REAL, "of copies between host and device", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(hidden_ns, REAL, "of copies between host and device while kernels run", KG_OPTIONAL,
             KG_FROM_0),
    KG_FIELD(other_ns, REAL, "of copies and fills within the device", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(gap_ns, REAL, "the device idle within a call", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(to_device_bytes, REAL, "a call", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(to_host_bytes, REAL, "a call", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(pageable_bytes, REAL, "of both, what is not page-locked at the host", KG_OPTIONAL,
             KG_FROM_0),
    KG_LIST(kernels, kernel_count, RECORDS, "one for each function", KG_OPTIONAL,
            KG_OF(kernel_record)),
};
const struct kg_record kg_trace_record = KG_RECORD_OF(
    trace_fields, "GPU: what a call puts on the device, seen apart from the timed rounds.");
#undef STRUCT
