#include "suggest/rules.h"

#include <string.h>

#include "suggest/rule_parts.h"

const char *const kg_suggestion_type_names[KG_TYPE_COUNT + 1] = {
    "routing", "batching", "memory", "caching", "algorithm", "parallelization", NULL};
const char *const kg_priority_names[KG_PRIORITY_COUNT + 1] = {"critical", "high", "medium", "low",
                                                              NULL};
const char *const kg_basis_names[KG_BASIS_COUNT + 1] = {"measured", "modelled", "at most", NULL};

/* A rule's name with its condition and estimator: of time, or of memory. */
#define ABOUT_TIME(rule)                                                                           \
    .name = #rule, .applies = kg_applies_##rule, .estimate_ns = kg_estimate_##rule
#define ABOUT_MEMORY(rule)                                                                         \
    .name = #rule, .applies = kg_applies_##rule, .estimate_bytes = kg_estimate_##rule

const struct kg_rule kg_rules[] = {
    /* --- Elsewhere, or another version --- */
    {
        ABOUT_TIME(gpu_instead),
        .type = KG_TYPE_ROUTING,
        .priority = KG_PRIORITY_CRITICAL,
        .basis = KG_BASIS_MEASURED,
        .description =
            "A call on the GPU takes {other_device_ns} by the host's clock, where the CPU "
            "takes {time_ns}.",
        .doubtful = kg_doubtful_gpu_instead,
        .doubt = "No transfers were seen in it: where the data are not on the GPU already, theirs "
                 "come on top.",
        .hint = "Send calls of this size to the GPU, as `{other_device_id}` does.",
        .evidence = {"time_ns", "other_device_ns", "other_transfer_ns", "peak_bytes",
                     "gpu_memory_bytes"},
        .when = "a case on the CPU takes `large_call` or more, its memory fits into the GPU's, and "
                "the same was measured there and took less; at most, where no transfers were seen",
        .assumes = "what was measured on the GPU by the host's clock, where its data were not in "
                   "the cache, if that was measured",
        .settings = "large_call",
    },
    {
        ABOUT_TIME(cpu_instead),
        .type = KG_TYPE_ROUTING,
        .priority = KG_PRIORITY_HIGH,
        .basis = KG_BASIS_MEASURED,
        .current_ns = kg_facts_call_ns,
        .description = "A call on the GPU, launch and transfers included, takes longer than the "
                       "{other_device_ns} that the CPU needs for the same.",
        .hint = "Send calls of this size to the CPU, as `{other_device_id}` does, and keep the GPU "
                "for larger ones.",
        .evidence = {"other_device_ns", "gpu_ns", "transfer_ns", "overhead_ns"},
        .when = "a call on the GPU takes less than `small_call`, and the same was measured on the "
                "CPU and took less",
        .assumes = "what was measured on the CPU, against a call by the host's clock",
        .settings = "small_call",
    },
    {
        ABOUT_TIME(gpu_untried),
        .type = KG_TYPE_ROUTING,
        .priority = KG_PRIORITY_LOW,
        .basis = KG_BASIS_AT_MOST,
        .last = true,
        .description = "This takes {time_ns} on the CPU and was not measured on the GPU, whose "
                       "roofs allow {gpu_roof_ns} for the same work; transfers come on top, at a "
                       "rate that is not known.",
        .hint = "Measure a version for the GPU (`devices: [cpu, cuda]`), with its transfers.",
        .evidence = {"time_ns", "gpu_roof_ns", "gpu_launch_ns", "cores_busy", "peak_bytes",
                     "gpu_memory_bytes"},
        .when = "as `gpu_instead`, but the same was not measured on the GPU, whose ceilings are "
                "known; and `utilization` of a CPU or more is busy",
        .assumes = "`attainable` of the GPU's roofs, no less than a launch, and its data over a "
                   "PCI Express 3.0 link of 16 lanes; ranked last",
        .settings = "large_call,utilization,attainable",
    },
    {
        ABOUT_TIME(slower_version),
        .type = KG_TYPE_ALGORITHM,
        .priority = KG_PRIORITY_CRITICAL,
        .basis = KG_BASIS_MEASURED,
        .description = "Another version of the same takes {faster_version_ns} where this one takes "
                       "{time_ns}.",
        .hint = "Use `{faster_version_id}`, or do as it does.",
        .evidence = {"time_ns", "faster_version_ns"},
        .when = "another value of the parameter `version` with all else equal took less, by more "
                "than the case's own threshold",
        .assumes = "what was measured of the fastest version",
    },
    {
        ABOUT_TIME(superlinear),
        .type = KG_TYPE_ALGORITHM,
        .priority = KG_PRIORITY_CRITICAL,
        .basis = KG_BASIS_MODELLED,
        .description = "Over the sweep of `{sweep_parameter}` time grows with the power "
                       "{time_growth} of {sweep_measure}.",
        .doubtful = kg_doubtful_superlinear,
        .doubt = "There may be as much more to do, as in a product of matrices by their side: let "
                 "the workload tell its flops to know.",
        .hint =
            "Look for what is done again for each element: a search inside a loop, an insertion "
            "that moves all that follows, a comparison of all pairs. Sorting first, a hash "
            "table or a tree make it close to linear. Where the work is linear by its nature, "
            "work in blocks that stay in a cache.",
        .evidence = {"time_growth", "log_growth", "sweep_points", "time_ns", "linear_ns"},
        .when = "over a sweep of three or more sizes the exponent of time over what a call does "
                "(flops, else items, else bytes, else the parameter) is that of n log n + `growth` "
                "or more; at most, where that is the parameter itself, or items or bytes that "
                "grow by 1 + `growth` or more over it: it may be a matrix's side",
        .assumes = "time grew as n log n from the smallest size on; not under the roofs",
        .settings = "growth,attainable",
    },
    /* --- Calls --- */
    {
        ABOUT_TIME(batch_small),
        .type = KG_TYPE_BATCHING,
        .priority = KG_PRIORITY_HIGH,
        .basis = KG_BASIS_MODELLED,
        .description = "Of the {time_ns} that a call takes, {fixed_ns} are spent however little "
                       "there is to do (sweep of `{sweep_parameter}`).",
        .hint = "Collect work and do more of it in one call: the fixed part is then paid once. The "
                "estimate is this call's share of a large one.",
        .evidence = {"fixed_ns", "time_ns", "sweep_points", "items"},
        .when =
            "a call takes less than `small_call`, and the sweep's smallest sizes show a fixed part "
            "of `gap_share` of it or more",
        .assumes = "time is a fixed part and one that grows with the work, and the fixed part is "
                   "spread over so many that nothing is left of it; not under the roofs",
        .settings = "small_call,gap_share,attainable",
    },
    {
        ABOUT_TIME(batch_calls),
        .type = KG_TYPE_BATCHING,
        .priority = KG_PRIORITY_HIGH,
        .basis = KG_BASIS_MODELLED,
        .scopes = true,
        .current_ns = kg_batch_calls_current,
        .description = "It is called {calls} times in a row, and between these calls {between_ns} "
                       "are spent in nothing else that is named.",
        .hint = "Make one call that does all of them: hand over an array instead of an element, so "
                "that checks, locks, allocations and look-ups are made once.",
        .evidence = {"calls", "between_ns", "call_ns", "time_ns"},
        .when =
            "a scope is called `batch_calls` times or more inside of one call of what it is in, "
            "and what lies between is `gap_share` or more of both together",
        .assumes = "what lies between the calls is spent once; the calls themselves cost the same",
        .settings = "batch_calls,gap_share",
    },
    {
        ABOUT_TIME(cache_results),
        .type = KG_TYPE_CACHING,
        .priority = KG_PRIORITY_MEDIUM,
        .basis = KG_BASIS_AT_MOST,
        .scopes = true,
        .description = "It is called {calls} times, {call_ns} each: if what goes in repeats, the "
                       "same is computed again and again.",
        .hint = "Keep what it gave for each different input: a table filled once before the loop, "
                "or a small hash table in front of the function.",
        .evidence = {"calls", "call_ns", "time_ns"},
        .when = "a scope that names no bytes of its own, runs on one thread and keeps its CPU busy "
                "(`utilization`) is called `cache_calls` times or more inside of one call of what "
                "it is in, each under `small_call`",
        .assumes = "all calls but one are answered by what was kept; what goes in is not looked at",
        .settings = "cache_calls,small_call,utilization",
    },
    {
        ABOUT_TIME(parallel_regions),
        .type = KG_TYPE_BATCHING,
        .priority = KG_PRIORITY_CRITICAL,
        .basis = KG_BASIS_MODELLED,
        .description = "{parallel_count} parallel regions a call spend {parallel_ns} on starting "
                       "and joining their threads.",
        .hint =
            "Open one region (`#pragma omp parallel`) around the loop and share the work inside "
            "of it (`#pragma omp for nowait`), or fuse the loops.",
        .evidence = {"parallel_ns", "parallel_count", "time_ns", "fork_join_ns"},
        .when = "a profile shows `batch_calls` parallel regions or more, and in them, in no scope, "
                "`gap_share` or more of the time",
        .assumes = "one region is left, which costs what one of them does",
        .settings = "batch_calls,gap_share",
    },
    {
        ABOUT_TIME(synchronisation),
        .type = KG_TYPE_BATCHING,
        .priority = KG_PRIORITY_CRITICAL,
        .basis = KG_BASIS_MODELLED,
        .description = "{wait_count} waits a call take {wait_ns} of {time_ns}.",
        .hint = "Wait once at the end: keep partial results a thread and add them up afterwards, "
                "leave out barriers between loops that touch different data (`nowait`); on the GPU "
                "order work by streams and events rather than cudaDeviceSynchronize.",
        .evidence = {"wait_ns", "wait_count", "time_ns", "imbalance_ns", "barrier_ns"},
        .when = "a profile shows `batch_calls` waits or more, of `wait_share` of the time or more "
                "beyond what an uneven share explains",
        .assumes = "one wait is left, as long as one of them; what is waited for because others "
                   "have more to do stays",
        .settings = "batch_calls,wait_share",
    },
    {
        ABOUT_TIME(page_faults),
        .type = KG_TYPE_MEMORY,
        .priority = KG_PRIORITY_HIGH,
        .basis = KG_BASIS_MODELLED,
        .description = "Every call touches {page_faults} pages for the first time, {page_fault_ns} "
                       "each.",
        .hint = "Allocate buffers once and use them again. Where that cannot be, keep freed memory "
                "(`mallopt(M_MMAP_THRESHOLD, …)`, `M_TRIM_THRESHOLD`) or ask for huge pages "
                "(`madvise(…, MADV_HUGEPAGE)`).",
        .evidence = {"page_faults", "page_fault_ns", "time_ns", "cores_busy"},
        .when = "page faults of a call times what one was measured to cost are `min_gain` of its "
                "time or more",
        .assumes = "no page is touched for the first time; not under the roofs",
        .settings = "min_gain,attainable",
    },
    /* --- What is moved --- */
    {
        ABOUT_TIME(access_pattern),
        .type = KG_TYPE_MEMORY,
        .priority = KG_PRIORITY_CRITICAL,
        .basis = KG_BASIS_MODELLED,
        .description =
            "The work needs {bytes}, but far more came in cache lines, and it waits for them: "
            "lines come in several times, or are used in part.",
        .hint = "Where neighbours in memory are not used one after the other: swap the loops, or "
                "store the array the other way round (or an array for each field instead of an "
                "array of structs). Where the same data are read again and again: work in blocks "
                "that stay in a cache.",
        .evidence = {"bytes", "line_bytes", "memory_line_bytes", "level", "bandwidth_share",
                     "instructions_per_cycle"},
        .when = "cache lines brought in (`metrics: [time, peak_memory, instructions]`) are 1 + "
                "`line_waste` times the work's bytes or more, and those of passes in sequence that "
                "a profile shows, moving them takes more of the time than arithmetic at its roof, "
                "arithmetic is under `bound_share` of its roof, the core does not end two "
                "instructions or more a cycle (three, where moving the lines is `bound_share` of "
                "the time), and the lines of no use are `min_gain` of the time at the ceiling's "
                "bandwidth or more, or the core ends less than one instruction a cycle",
        .assumes = "what moving the lines takes, or what the core's instructions do not explain "
                   "(four a cycle), shrinks as the lines do; the rest, of scalar arithmetic, as "
                   "`unvectorised` assumes; not under the roofs",
        .settings = "line_waste,bound_share,min_gain,attainable",
    },
    {
        ABOUT_TIME(fuse_passes),
        .type = KG_TYPE_MEMORY,
        .priority = KG_PRIORITY_HIGH,
        .basis = KG_BASIS_MODELLED,
        .description = "{fusible_count} passes, one after the other and each limited by memory, "
                       "move {separate_bytes}; the largest alone moves {fused_bytes}.",
        .hint = "Do in one pass what they do in turn: one loop, or one kernel, that keeps what it "
                "made in registers for the next step.",
        .evidence = {"fusible_count", "fusible_ns", "separate_bytes", "fused_bytes", "intensity"},
        .when = "a profile shows two or more scopes with known bytes one after the other, each at "
                "`bound_share` of memory's ceiling or more",
        .assumes = "one pass moves what the largest of them does, at the same rate",
        .settings = "bound_share",
    },
    {
        ABOUT_MEMORY(memory_quadratic),
        .type = KG_TYPE_MEMORY,
        .priority = KG_PRIORITY_HIGH,
        .basis = KG_BASIS_MODELLED,
        .description = "Peak memory of {peak_bytes} grows with the power {memory_growth} of "
                       "`{sweep_parameter}`, the data with {bytes_growth}: an intermediate result "
                       "is held that is larger than what goes in and out.",
        .hint = "Make it in blocks and use each before the next is made, as fused attention does "
                "with its scores.",
        .evidence = {"peak_bytes", "memory_growth", "bytes_growth", "linear_bytes", "bytes",
                     "sweep_points"},
        .when =
            "peak memory is over `memory`, and over a sweep of three or more sizes its exponent "
            "is that of the work's bytes + `growth` or more",
        .assumes = "what grows with the parameter's square is not held, but all else; no less than "
                   "the work's bytes",
        .settings = "memory,growth",
    },
    {
        ABOUT_MEMORY(memory_workspace),
        .type = KG_TYPE_MEMORY,
        .priority = KG_PRIORITY_MEDIUM,
        .basis = KG_BASIS_MODELLED,
        .description = "It holds {peak_bytes} for work on {bytes}: the rest is workspace.",
        .hint =
            "Work in place or in blocks, share one buffer among steps that do not overlap, free "
            "what is no longer read.",
        .evidence = {"peak_bytes", "allocated_bytes", "bytes"},
        .when =
            "peak memory is over `memory`, and what was allocated is 1 + `line_waste` times the "
            "work's bytes or more",
        .assumes = "nothing but the work's bytes is held",
        .settings = "memory,line_waste",
    },
    {
        ABOUT_MEMORY(memory_fragmentation),
        .type = KG_TYPE_MEMORY,
        .priority = KG_PRIORITY_MEDIUM,
        .basis = KG_BASIS_MODELLED,
        .description = "{peak_bytes} are taken, though no more than {allocated_bytes} were asked "
                       "for at once: pools, libraries or fragments hold the rest.",
        .hint = "Allocate few large blocks rather than many of changing sizes, large ones first; "
                "look at what pools (cudaMemPoolTrimTo, malloc_trim) and libraries keep.",
        .evidence = {"peak_bytes", "allocated_bytes"},
        .when =
            "peak memory is over `memory` and 1 + `line_waste` times what was allocated or more",
        .assumes = "nothing but what was asked for is held",
        .settings = "memory,line_waste",
    },
    /* --- What is idle on the CPU --- */
    {
        ABOUT_TIME(unused_cores),
        .type = KG_TYPE_PARALLELIZATION,
        .priority = KG_PRIORITY_CRITICAL,
        .basis = KG_BASIS_MODELLED,
        .description = "It may use {threads} threads, and they gain little or nothing over one: "
                       "{cores_busy} cores are busy, and some of that may be looking for work.",
        .hint = "Share the outermost loop among threads (`#pragma omp parallel for`); what is left "
                "of serial parts then sets the limit. Where it is meant to be serial, say so: "
                "`threads: 1`.",
        .evidence = {"cores_busy", "threads", "time_ns", "alone_ns", "thread_scaling", "roof_ns"},
        .when =
            "one thread takes about as long as all (less than `utilization` of what more threads "
            "could gain) and the roofs are known to be far (`bound_share`) or the other CPUs are "
            "idle; where that was not measured, of the CPUs beyond the first less than "
            "`utilization` are busy; the first is busy, no others had the CPUs, and no profile "
            "shows threads at work, waits or uneven shares instead",
        .assumes = "all of it can be shared, among threads that do together what was measured of "
                   "them; not under the roofs",
        .settings = "utilization,bound_share,min_gain,wait_share,gap_share,imbalance,attainable",
    },
    {
        ABOUT_TIME(idle_cpu),
        .type = KG_TYPE_PARALLELIZATION,
        .priority = KG_PRIORITY_MEDIUM,
        .basis = KG_BASIS_AT_MOST,
        .description = "Of {time_ns} only {cpu_ns} are spent on a CPU: it waits, for files, the "
                       "network, locks or a sleep.",
        .hint = "Have several requests under way at once (threads, io_uring, asynchronous calls), "
                "and compute while waiting. `perf trace -s` and `strace -c -f` tell what it waits "
                "for.",
        .evidence = {"cpu_ns", "time_ns", "cores_busy", "waits"},
        .when =
            "less than `utilization` of one CPU is busy, a thread gives up its CPU in every call "
            "where that is counted, others did not have it most of the rest, and no profile shows "
            "threads waiting for each other",
        .assumes = "all waits of a call are under way at once; where there is one, or it is not "
                   "known how many, other calls compute meanwhile",
        .settings = "utilization,wait_share,gap_share",
    },
    {
        ABOUT_TIME(false_sharing),
        .type = KG_TYPE_MEMORY,
        .priority = KG_PRIORITY_CRITICAL,
        .basis = KG_BASIS_MODELLED,
        .description = "The threads take {thread_busy_ns} together for what one alone does in "
                       "{alone_ns}: they are in each other's way, by cache lines that several "
                       "write, an atomic counter, or a lock.",
        .hint = "`perf c2c` names such lines, `perf lock` such locks. Give each thread memory of "
                "its own: pad what it writes to a line of its own (`alignas(64)`), sum up in a "
                "local variable, and add the sums at the end (`reduction(+: …)`).",
        .evidence = {"thread_busy_ns", "alone_ns", "threads", "waits", "thread_scaling",
                     "bandwidth_share", "imbalance"},
        .when =
            "of the time in scopes of all threads less than `utilization` is what the case takes "
            "with one thread, by what the machine's cores lose when all are busy; and neither "
            "waits, nor uneven shares, nor memory's bandwidth, nor others on the CPUs explain it",
        .assumes = "what the threads take beyond that is saved; not under the roofs",
        .settings = "utilization,imbalance,wait_share,gap_share,bound_share,min_gain,attainable",
    },
    {
        ABOUT_TIME(load_imbalance),
        .type = KG_TYPE_PARALLELIZATION,
        .priority = KG_PRIORITY_CRITICAL,
        .basis = KG_BASIS_MODELLED,
        .description =
            "The busiest of {scope_threads} threads has {imbalance} times an even share; "
            "the others wait for it.",
        .hint = "Hand out smaller pieces as threads get free (`schedule(dynamic)`, tasks), the "
                "largest first, or divide by work rather than by count.",
        .evidence = {"imbalance", "imbalance_ns", "scope_threads", "time_ns", "cores_busy"},
        .when = "a profile shows the busiest thread with 1 + `imbalance` times an even share or "
                "more, and no others had the CPUs",
        .assumes = "all threads have the same share",
        .settings = "imbalance",
    },
    {
        ABOUT_TIME(unvectorised),
        .type = KG_TYPE_ALGORITHM,
        .priority = KG_PRIORITY_CRITICAL,
        .basis = KG_BASIS_MODELLED,
        .description = "{flops_per_instruction} flops an instruction, and the core ends one after "
                       "the other: it computes one element at a time.",
        .hint = "Let the compiler use vectors: -O3 and -march, `#pragma omp simd` (with "
                "`reduction` for sums), `restrict`, no branch or call in the innermost loop, data "
                "side by side. -fopt-info-vec-missed says why not.",
        .evidence = {"flops_per_instruction", "flops_share", "vector_lanes", "instructions",
                     "instructions_per_cycle"},
        .when =
            "instructions are counted (`metrics: [time, peak_memory, instructions]`), fewer "
            "than one flop each but a tenth or more, of single precision, and no more than 4 "
            "bytes of the work; the core ends five in four cycles or more (with one thread, where "
            "several are at work); no "
            "roof is near (`bound_share`), no profile shows threads waiting for each other, "
            "and `access_pattern` does not apply",
        .assumes = "the time on a CPU shrinks by `attainable` of what vectors of 256 bits, or "
                   "narrower ones where there are no such, were measured to gain in "
                   "multiply-adds; not under the roofs",
        .settings = "bound_share,wait_share,gap_share,attainable",
    },
    /* --- The GPU --- */
    {
        ABOUT_TIME(launch_gaps),
        .type = KG_TYPE_BATCHING,
        .priority = KG_PRIORITY_CRITICAL,
        .basis = KG_BASIS_MODELLED,
        .current_ns = kg_facts_call_ns,
        .description = "A call launches {launches} kernels one by one, and {overhead_ns} of it are "
                       "neither kernels nor transfers.",
        .doubtful = kg_doubtful_launch_gaps,
        .doubt = "That is far more than launching takes: the host is late with its launches, for "
                 "work of its own or waiting. A graph helps where it can do that before.",
        .hint = "Capture the sequence once in a CUDA graph (cudaStreamBeginCapture, "
                "cudaGraphLaunch), or fuse kernels that follow one another.",
        .evidence = {"launches", "overhead_ns", "launch_ns", "gap_ns", "gpu_ns", "gpu_launch_ns"},
        .when =
            "a call launches two kernels or more, and the host's time for launching all but one, "
            "as far as neither kernels nor transfers hide it, is `gap_share` or more of the "
            "call by the host's clock; at most, where that is 50 us a kernel or more",
        .assumes = "one launch is left for the host, and for the device what was measured from one "
                   "empty kernel to the next",
        .settings = "gap_share",
    },
    {
        ABOUT_TIME(pageable_transfers),
        .type = KG_TYPE_MEMORY,
        .priority = KG_PRIORITY_HIGH,
        .basis = KG_BASIS_AT_MOST,
        .current_ns = kg_facts_call_ns,
        .description =
            "{pageable_bytes} go to or from pageable memory of the host, which is copied "
            "twice and while nothing else runs.",
        .hint = "Page-lock the host's buffers once (cudaMallocHost, cudaHostRegister), copy by "
                "cudaMemcpyAsync in a stream of its own, and let kernels work on the part before.",
        .evidence = {"transfer_ns", "pageable_bytes", "to_device_bytes", "to_host_bytes", "gpu_ns"},
        .when =
            "transfers take `wait_share` of a call or more, and `bound_share` of their bytes or "
            "more are pageable",
        .assumes = "page-locked memory goes twice as fast, and transfers and kernels hide each "
                   "other",
        .settings = "wait_share,bound_share",
    },
    {
        ABOUT_TIME(overlap_transfers),
        .type = KG_TYPE_PARALLELIZATION,
        .priority = KG_PRIORITY_HIGH,
        .basis = KG_BASIS_MODELLED,
        .current_ns = kg_facts_call_ns,
        .description = "Transfers of {transfer_ns} run while no kernel does; kernels take "
                       "{gpu_ns}.",
        .doubtful = kg_doubtful_overlap_transfers,
        .doubt = "Others run behind kernels, or it is not known that none do: what is left may be "
                 "the first piece and the last.",
        .hint = "Divide the data into pieces and use two streams: cudaMemcpyAsync of one piece "
                "while kernels work on the one before. What can stay on the device, leave there.",
        .evidence = {"transfer_ns", "hidden_ns", "gpu_ns", "overhead_ns", "to_device_bytes",
                     "to_host_bytes"},
        .when =
            "transfers that nothing hides take `wait_share` of a call or more, and "
            "`pageable_transfers` does not apply; at most, where `gap_share` of all transfers or "
            "more are hidden, or that is not known",
        .assumes = "the shorter of these transfers and of kernels that hide none is hidden by the "
                   "longer",
        .settings = "wait_share,gap_share",
    },
    {
        ABOUT_TIME(small_grid),
        .type = KG_TYPE_PARALLELIZATION,
        .priority = KG_PRIORITY_CRITICAL,
        .basis = KG_BASIS_MODELLED,
        .description =
            "The main kernel's grid fills only {waves} of what the device holds at once.",
        .hint = "Launch more blocks: smaller ones, less work for each, or a split of the inner "
                "dimension with a second pass that adds up; or several such kernels at once in "
                "streams.",
        .evidence = {"waves", "occupancy", "main_kernel_ns", "gpu_ns", "bandwidth_share",
                     "flops_share"},
        .when = "the kernel with the most time (without times: the only one) launches fewer blocks "
                "than the device holds at once, "
                "and both roofs are known to be far (under `bound_share`)",
        .assumes = "that kernel shrinks as the device fills; not under the roofs, nor under what "
                   "launching takes",
        .settings = "bound_share,attainable",
    },
    {
        ABOUT_TIME(low_occupancy),
        .type = KG_TYPE_PARALLELIZATION,
        .priority = KG_PRIORITY_HIGH,
        .basis = KG_BASIS_MODELLED,
        .description = "Registers or shared memory of the main kernel let no more than {occupancy} "
                       "of the threads in "
                       "that a multiprocessor holds: too few to hide waiting.",
        .hint = "Use fewer registers (__launch_bounds__, smaller tiles a thread), less shared "
                "memory a block, or blocks of another size; or give each thread more independent "
                "work.",
        .evidence = {"occupancy", "waves", "local_bytes", "main_kernel_ns", "gpu_ns",
                     "bandwidth_share", "flops_share"},
        .when = "occupancy of the kernel with the most time is under `utilization`, both roofs are "
                "known to be far (under "
                "`bound_share`), and `small_grid` does not apply",
        .assumes =
            "that kernel goes faster as occupancy grows, up to `utilization`; not under the roofs, "
            "nor under what launching takes",
        .settings = "utilization,bound_share,attainable",
    },
    {
        ABOUT_TIME(tail_effect),
        .type = KG_TYPE_PARALLELIZATION,
        .priority = KG_PRIORITY_MEDIUM,
        .basis = KG_BASIS_MODELLED,
        .description = "The main kernel's grid is {waves} times what the device holds at once: the "
                       "last blocks "
                       "leave most of it idle.",
        .hint = "Choose blocks so that their number is a little under a multiple of what fits, or "
                "launch just as many as fit and let each take several pieces (a grid-stride loop).",
        .evidence = {"waves", "occupancy", "main_kernel_ns", "gpu_ns", "bandwidth_share",
                     "flops_share"},
        .when = "the last wave of that kernel's blocks leaves more than `gap_share` of all waves "
                "empty, both roofs "
                "are known to be far (under `bound_share`), and `low_occupancy` does not apply",
        .assumes =
            "that kernel shrinks to the waves that are full; not under the roofs, nor under what "
            "launching takes",
        .settings = "gap_share,bound_share,attainable",
    },
};
const size_t kg_rule_count = sizeof kg_rules / sizeof kg_rules[0];

const struct kg_rule *kg_rule_find(const char *name)
{
    for (size_t i = 0; i < kg_rule_count; i++)
        if (!strcmp(kg_rules[i].name, name))
            return &kg_rules[i];
    return NULL;
}
