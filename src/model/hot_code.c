#include "model/hot_code.h"

#include <math.h>
#include <string.h>

#define SHARE(member, help) KG_FIELD(member, REAL, help, KG_OPTIONAL, KG_BETWEEN(0, 1))
#define AMOUNT(member, help) KG_FIELD(member, REAL, help, KG_OPTIONAL, KG_FROM_0)

#define STRUCT kg_place
static const struct kg_field place_fields[] = {
    KG_FIELD(function, STRING, "name of the function; absent without symbols", KG_OPTIONAL),
    KG_FIELD(file, STRING, "source file; absent without debug information", KG_OPTIONAL),
    KG_FIELD(line, SIZE, "line of the source file; absent: not known", KG_OPTIONAL,
             KG_UNKNOWN_IF_0),
    KG_FIELD(module, STRING, "file of the machine code", KG_OPTIONAL),
    KG_FIELD(declared, STRING,
             "source file of the function, if the line is in a file that it includes", KG_OPTIONAL),
};
const struct kg_record kg_place_record = KG_RECORD_OF(place_fields, "A place in code.");
#undef STRUCT

#define STRUCT kg_hot_place
static const struct kg_field hot_place_fields[] = {
    KG_FIELD(place, RECORD, "function or line", KG_OF(kg_place_record)),
    SHARE(self, "share of the samples in which the place was innermost"),
    SHARE(total, "share of the samples in which the place was on the stack"),
};
static const struct kg_record hot_place_record =
    KG_RECORD_OF(hot_place_fields, "Samples of a function or a line.");
#undef STRUCT

#define STRUCT kg_hot_stack
static const struct kg_field stack_fields[] = {
    KG_LIST(frames, frame_count, RECORDS, "functions of the stack, innermost first",
            KG_OF(kg_place_record)),
    SHARE(share, "share of the samples"),
    KG_FIELD(waiting, BOOL, "whether the thread was off the CPU", KG_OPTIONAL),
    KG_FIELD(call, STRING, "system call during which the sample was taken", KG_OPTIONAL),
};
static const struct kg_record hot_stack_record =
    KG_RECORD_OF(stack_fields, "A stack of functions.");
#undef STRUCT

#define STRUCT kg_hot_site
static const struct kg_field site_fields[] = {
    KG_FIELD(place, RECORD, "function of the workload's own code", KG_OF(kg_place_record)),
    KG_FIELD(caller, RECORD, "caller of the function", KG_OPTIONAL, KG_OF(kg_place_record)),
    KG_FIELD(header, RECORD, "function of a system header that `place` calls", KG_OPTIONAL,
             KG_OF(kg_place_record)),
    KG_FIELD(callee, RECORD, "function of an installed library that `place` entered", KG_OPTIONAL,
             KG_OF(kg_place_record)),
    KG_FIELD(call, STRING, "system call during which the sample was taken", KG_OPTIONAL),
    SHARE(share, "share of all samples"),
    AMOUNT(calls, "calls of the callee by the place, or of the place by its caller, per call of "
                  "the workload"),
    AMOUNT(instructions, "instructions that these calls execute, with all that they call"),
};
static const struct kg_record hot_site_record = KG_RECORD_OF(
    site_fields, "A function of the workload, and the library function that it entered.");
#undef STRUCT

#define STRUCT kg_sampled
static const struct kg_field sampled_fields[] = {
    KG_FIELD(source, STRING, "tool that took the samples", KG_OPTIONAL, KG_WORDS("perf", "ptrace")),
    KG_FIELD(reason, STRING, "reason for missing samples", KG_OPTIONAL),
    AMOUNT(samples, "number of samples"),
    SHARE(waiting, "share of the first thread's samples that were off the CPU"),
    SHARE(system, "share of the running samples that were in the kernel"),
    SHARE(blocks, "share of the samples in code without a name"),
    KG_LIST(functions, function_count, RECORDS, "functions, hottest first", KG_OPTIONAL,
            KG_OF(hot_place_record)),
    KG_LIST(lines, line_count, RECORDS, "lines, hottest first", KG_OPTIONAL,
            KG_OF(hot_place_record)),
    KG_LIST(stacks, stack_count, RECORDS, "stacks, most frequent first", KG_OPTIONAL,
            KG_OF(hot_stack_record)),
    KG_FIELD(compiler, STRING,
             "compiler of the workload's own code and its options, by debug information",
             KG_OPTIONAL),
    KG_FIELD(code_bytes, SIZE, "size of the machine code in that file, bytes; absent: not known",
             KG_OPTIONAL, KG_UNKNOWN_IF_0),
    KG_FIELD(asserts, BOOL, "whether that file imports the function of a failed assert",
             KG_OPTIONAL),
    KG_FIELD(library_checks, BOOL,
             "whether that file imports the function of a failed check of libstdc++", KG_OPTIONAL),
    KG_LIST(libraries, library_count, STRINGS, "names of the libraries linked to that file",
            KG_OPTIONAL),
    KG_LIST(sites, site_count, RECORDS, "calls into libraries, most frequent first", KG_OPTIONAL,
            KG_OF(hot_site_record)),
};
const struct kg_record kg_sampled_record =
    KG_RECORD_OF(sampled_fields, "Samples of the threads, at even intervals.");
#undef STRUCT

#define STRUCT kg_system_call
static const struct kg_field system_call_fields[] = {
    KG_FIELD(name, STRING, "name of the system call"),
    AMOUNT(calls, "number per call of the workload"),
    AMOUNT(bytes, "bytes read or written per call of the workload"),
    AMOUNT(time_ns, "time in all of them, waits included, ns"),
    KG_FIELD(from, STRING, "workload's function that led to it most often", KG_OPTIONAL),
};
static const struct kg_record system_call_record =
    KG_RECORD_OF(system_call_fields, "System calls of one kind.");
#undef STRUCT

#define STRUCT kg_system_calls
static const struct kg_field system_calls_fields[] = {
    KG_FIELD(source, STRING, "tool that counted", KG_OPTIONAL, KG_WORDS("ptrace")),
    KG_FIELD(reason, STRING, "reason for missing counts", KG_OPTIONAL),
    KG_FIELD(
        partial, BOOL,
        "whether only a part of a call was traced: numbers of kinds without bytes are estimates",
        KG_OPTIONAL),
    AMOUNT(calls, "number per call of the workload; if `partial`: only of the kinds in `kinds`"),
    AMOUNT(user_ns, "CPU time in user mode per call, ns"),
    AMOUNT(system_ns, "CPU time in the kernel per call, ns"),
    KG_LIST(kinds, kind_count, RECORDS, "kinds of system call, most time first", KG_OPTIONAL,
            KG_OF(system_call_record)),
};
const struct kg_record kg_system_calls_record =
    KG_RECORD_OF(system_calls_fields, "System calls per call of the workload.");
#undef STRUCT

#define STRUCT kg_hot_loop
static const struct kg_field loop_fields[] = {
    KG_FIELD(place, RECORD, "place of the loop", KG_OF(kg_place_record)),
    SHARE(share, "share of the samples"),
    KG_LIST(code, code_count, STRINGS, "hottest instruction and its neighbours", KG_OPTIONAL),
    KG_FIELD(code_hottest, SIZE, "index of the hottest instruction in `code`", KG_OPTIONAL),
    KG_FIELD(whole_function, BOOL,
             "whether the instruction is in no loop: counts are per call of the function",
             KG_OPTIONAL),
    AMOUNT(instructions, "instructions per iteration of the loop"),
    AMOUNT(loads, "loads per iteration"),
    AMOUNT(stores, "stores per iteration"),
    AMOUNT(calls, "function calls per iteration"),
    AMOUNT(branches, "conditional branches per iteration, except the loop's own"),
    AMOUNT(divisions, "divisions and square roots per iteration"),
    AMOUNT(locked, "instructions per iteration that lock a cache line"),
    AMOUNT(conversions, "conversions between integer, float and double per iteration"),
    AMOUNT(scalar_floats, "floating-point instructions on one element, per iteration"),
    AMOUNT(vector_floats, "floating-point instructions on several elements, per iteration"),
    AMOUNT(vectors, "vector instructions of any type per iteration: they move 16 bytes or more, or "
                    "use wider registers"),
    AMOUNT(gathers, "vector loads from several addresses, per iteration"),
    AMOUNT(address_loads,
           "loads per iteration whose result is the address of a load in the next iteration"),
    AMOUNT(chained,
           "arithmetic instructions per iteration that use a result of the iteration before"),
    AMOUNT(forwarded, "loads per iteration from bytes just stored with another width or offset"),
    AMOUNT(chain_cycles, "latency of the longest chain from iteration to iteration, cycles"),
    AMOUNT(throughput_cycles, "least cycles per iteration by the throughput of the ports"),
};
static const struct kg_record hot_loop_record =
    KG_RECORD_OF(loop_fields, "The innermost loop around a hot instruction.");
#undef STRUCT

#define STRUCT kg_counted_line
static const struct kg_field counted_line_fields[] = {
    KG_FIELD(place, RECORD, "line of source", KG_OF(kg_place_record)),
    AMOUNT(instructions,
           "instructions per call of the workload; the other counts too are per call"),
    AMOUNT(loads, "loads and stores"),
    AMOUNT(branches, "conditional branches"),
    AMOUNT(mispredicted, "mispredicted conditional branches and indirect jumps"),
    AMOUNT(line_misses, "misses of the first level of cache"),
    AMOUNT(memory_misses, "misses of the last level of cache"),
};
const struct kg_record kg_counted_line_record =
    KG_RECORD_OF(counted_line_fields, "Counts of a line of source.");
#undef STRUCT

#define STRUCT kg_counted_edge
static const struct kg_field edge_fields[] = {
    KG_FIELD(caller, STRING, "calling function"),
    KG_FIELD(callee, STRING, "called function"),
    AMOUNT(calls, "calls per call of the workload"),
    AMOUNT(instructions, "instructions in the callee and its callees"),
    KG_FIELD(caller_file, STRING, "source file of the caller", KG_OPTIONAL),
    KG_FIELD(callee_file, STRING, "source file of the callee", KG_OPTIONAL),
};
static const struct kg_record edge_record =
    KG_RECORD_OF(edge_fields, "Calls from one function to another.");
#undef STRUCT

#define STRUCT kg_counted
static const struct kg_field counted_fields[] = {
    KG_FIELD(source, STRING, "tool that counted", KG_OPTIONAL, KG_WORDS("callgrind")),
    KG_FIELD(reason, STRING, "reason for missing counts, or for a partly counted call",
             KG_OPTIONAL),
    AMOUNT(calls, "number of counted calls; absent: kgate counted a part of one call"),
    AMOUNT(instructions,
           "instructions per call of the workload; the other counts too are per call"),
    AMOUNT(loads, "loads and stores"),
    AMOUNT(branches, "conditional branches"),
    AMOUNT(mispredicted, "mispredicted conditional branches and indirect jumps"),
    AMOUNT(line_misses, "misses of the first level of cache"),
    AMOUNT(memory_misses, "misses of the last level of cache"),
    KG_LIST(lines, line_count, RECORDS, "lines of source, most instructions first", KG_OPTIONAL,
            KG_OF(kg_counted_line_record)),
    KG_LIST(edges, edge_count, RECORDS, "calls between functions, most instructions first",
            KG_OPTIONAL, KG_OF(edge_record)),
};
static const struct kg_record counted_record =
    KG_RECORD_OF(counted_fields, "Counts of a simulated processor, by line of source.");
#undef STRUCT

#define STRUCT kg_repeated
static const struct kg_field repeated_fields[] = {
    KG_FIELD(place, RECORD, "function", KG_OF(kg_place_record)),
    AMOUNT(calls, "number of observed calls in one call of the workload"),
    AMOUNT(repeated, "number of observed calls with the arguments of an earlier call"),
    KG_FIELD(reason, STRING, "reason for missing counts", KG_OPTIONAL),
};
static const struct kg_record repeated_record =
    KG_RECORD_OF(repeated_fields, "Calls of a function with equal arguments.");
#undef STRUCT

#define STRUCT kg_repeats
static const struct kg_field repeats_fields[] = {
    KG_FIELD(source, STRING, "tool that observed the calls", KG_OPTIONAL, KG_WORDS("ptrace")),
    KG_FIELD(reason, STRING, "reason for missing counts", KG_OPTIONAL),
    KG_LIST(functions, function_count, RECORDS, "functions, most instructions first", KG_OPTIONAL,
            KG_OF(repeated_record)),
};
static const struct kg_record repeats_record =
    KG_RECORD_OF(repeats_fields, "Repeated calls within one call of the workload.");
#undef STRUCT

#define STRUCT kg_core_counts
static const struct kg_field core_fields[] = {
    KG_FIELD(source, STRING, "tool that counted", KG_OPTIONAL, KG_WORDS("perf")),
    KG_FIELD(reason, STRING, "reason for missing counts", KG_OPTIONAL),
    AMOUNT(cycles, "cycles per call, all threads in user mode; the other counts too are per call"),
    AMOUNT(instructions, "retired instructions"),
    AMOUNT(branches, "retired branches"),
    AMOUNT(mispredicted, "mispredicted branches"),
    AMOUNT(cache_references, "references to the last level of cache"),
    AMOUNT(cache_misses, "misses of the last level of cache"),
    AMOUNT(stalled_frontend, "cycles in which the front end delivered nothing"),
    AMOUNT(stalled_backend, "cycles in which the back end accepted nothing"),
    SHARE(retiring, "share of the pipeline's slots that did useful work"),
    SHARE(bad_speculation, "share of the slots that followed a wrong prediction"),
    SHARE(frontend_bound,
          "share of the slots for which no instruction was fetched and decoded in time"),
    SHARE(backend_bound, "share of the slots that the back end did not accept"),
    SHARE(memory_bound,
          "share of the slots that waited for loads and stores; part of backend_bound"),
};
static const struct kg_record core_record =
    KG_RECORD_OF(core_fields, "Counts of the processor's own counters per call.");
#undef STRUCT

#define STRUCT kg_experiment
static const struct kg_field experiment_fields[] = {
    KG_FIELD(name, STRING, "changed setting",
             KG_WORDS("flush_denormals", "huge_pages", "kept_memory")),
    AMOUNT(base_ns, "time without the change, ns"),
    AMOUNT(time_ns, "time with the change, ns"),
    AMOUNT(ratio, "ratio of the two times"),
    AMOUNT(ratio_low, "lower end of the ratio's 95 % interval"),
    AMOUNT(ratio_high, "upper end of the ratio's 95 % interval"),
    AMOUNT(pairs, "number of paired rounds"),
};
static const struct kg_record experiment_record =
    KG_RECORD_OF(experiment_fields, "The case measured again with one setting changed.");
#undef STRUCT

#define STRUCT kg_hot
static const struct kg_field hot_fields[] = {
    KG_FIELD(kept, STRING, "key under which kgate keeps the profile from run to run", KG_OPTIONAL),
    KG_FIELD(sampled, RECORD, "samples by function", KG_OPTIONAL, KG_OF(kg_sampled_record)),
    KG_FIELD(system_calls, RECORD, "system calls by kind", KG_OPTIONAL,
             KG_OF(kg_system_calls_record)),
    KG_FIELD(counted, RECORD, "simulated counts by line", KG_OPTIONAL, KG_OF(counted_record)),
    KG_FIELD(core, RECORD, "counts of the processor's own counters", KG_OPTIONAL,
             KG_OF(core_record)),
    KG_FIELD(repeats, RECORD, "calls of functions with equal arguments", KG_OPTIONAL,
             KG_OF(repeats_record)),
    KG_LIST(loops, loop_count, RECORDS, "hot loops, hottest first", KG_OPTIONAL,
            KG_OF(hot_loop_record)),
    KG_LIST(experiments, experiment_count, RECORDS, "experiments", KG_OPTIONAL,
            KG_OF(experiment_record)),
};
const struct kg_record kg_hot_record =
    KG_RECORD_OF(hot_fields, "CPU: where the time of a call goes, by function.");
#undef STRUCT

const struct kg_system_call *kg_system_call_find(const struct kg_system_calls *calls,
                                                 const char *name)
{
    for (size_t i = 0; name && i < calls->kind_count; i++)
        if (!strcmp(calls->kinds[i].name, name))
            return &calls->kinds[i];
    return NULL;
}

void kg_hot_clear(struct kg_hot *hot)
{
    *hot = (struct kg_hot){
        .sampled = {.samples = NAN, .waiting = NAN, .system = NAN, .blocks = NAN},
        .system_calls = {.calls = NAN, .user_ns = NAN, .system_ns = NAN},
        .counted = {.calls = NAN,
                    .instructions = NAN,
                    .loads = NAN,
                    .branches = NAN,
                    .mispredicted = NAN,
                    .line_misses = NAN,
                    .memory_misses = NAN},
        .core = {.cycles = NAN,
                 .instructions = NAN,
                 .branches = NAN,
                 .mispredicted = NAN,
                 .cache_references = NAN,
                 .cache_misses = NAN,
                 .stalled_frontend = NAN,
                 .stalled_backend = NAN,
                 .retiring = NAN,
                 .bad_speculation = NAN,
                 .frontend_bound = NAN,
                 .backend_bound = NAN,
                 .memory_bound = NAN},
    };
}

/* Number of processes that start or end in a call, whichever is larger. */
static double processes_of(const struct kg_system_calls *calls)
{
    static const char *const each[] = {"execve", "exit_group"};
    double most = 0;
    for (size_t i = 0; i < calls->kind_count; i++)
        for (size_t k = 0; k < sizeof each / sizeof *each; k++)
            if (!strcmp(calls->kinds[i].name, each[k]))
                most = fmax(most, calls->kinds[i].calls);
    return most;
}

bool kg_hot_account_is_precise(const struct kg_hot *hot)
{
    static const double TICK_NS = 10e6; /* longest tick of any kernel build */
    const struct kg_system_calls *calls = &hot->system_calls;
    const double cpu_ns = calls->user_ns + calls->system_ns;
    return calls->source && cpu_ns > 0 && cpu_ns >= processes_of(calls) * TICK_NS;
}

double kg_hot_kernel_share(const struct kg_hot *hot)
{
    const struct kg_system_calls *calls = &hot->system_calls;
    return kg_hot_account_is_precise(hot) ? calls->system_ns / (calls->user_ns + calls->system_ns)
                                          : hot->sampled.system;
}
