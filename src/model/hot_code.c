#include "model/hot_code.h"

#include <math.h>
#include <string.h>

#define SHARE(member, help) KG_FIELD(member, REAL, help, KG_OPTIONAL, KG_BETWEEN(0, 1))
#define AMOUNT(member, help) KG_FIELD(member, REAL, help, KG_OPTIONAL, KG_FROM_0)

#define STRUCT kg_place
static const struct kg_field place_fields[] = {
    KG_FIELD(function, STRING, "where there are symbols", KG_OPTIONAL),
    KG_FIELD(file, STRING, "of its source, where there is debug information", KG_OPTIONAL),
    KG_FIELD(line, SIZE, "of that; absent where it is not known", KG_OPTIONAL, KG_UNKNOWN_IF_0),
    KG_FIELD(module, STRING, "the file of machine code", KG_OPTIONAL),
};
const struct kg_record kg_place_record = KG_RECORD_OF(place_fields, "A place in code.");
#undef STRUCT

#define STRUCT kg_hot_place
static const struct kg_field hot_place_fields[] = {
    KG_FIELD(place, RECORD, "where it is", KG_OF(kg_place_record)),
    SHARE(self, "of the samples: it was the innermost"),
    SHARE(total, "of the samples: it was on the stack"),
};
static const struct kg_record hot_place_record =
    KG_RECORD_OF(hot_place_fields, "What samples say of a function or a line.");
#undef STRUCT

#define STRUCT kg_hot_stack
static const struct kg_field stack_fields[] = {
    KG_LIST(frames, frame_count, RECORDS, "the innermost first", KG_OF(kg_place_record)),
    SHARE(share, "of the samples"),
    KG_FIELD(waiting, BOOL, "off the CPU", KG_OPTIONAL),
    KG_FIELD(call, STRING, "the system call that it was in", KG_OPTIONAL),
};
static const struct kg_record hot_stack_record =
    KG_RECORD_OF(stack_fields, "A stack of functions.");
#undef STRUCT

#define STRUCT kg_hot_site
static const struct kg_field site_fields[] = {
    KG_FIELD(place, RECORD, "function of the workload's own code", KG_OF(kg_place_record)),
    KG_FIELD(caller, RECORD, "its caller", KG_OPTIONAL, KG_OF(kg_place_record)),
    KG_FIELD(callee, RECORD, "function of an installed library that it entered", KG_OPTIONAL,
             KG_OF(kg_place_record)),
    KG_FIELD(call, STRING, "system call that it was in", KG_OPTIONAL),
    SHARE(share, "share of all samples"),
    AMOUNT(calls, "calls of the callee by the place, else of the place by its caller, per call of "
                  "the workload"),
};
static const struct kg_record hot_site_record = KG_RECORD_OF(
    site_fields, "A function of the workload, and the library function that it entered.");
#undef STRUCT

#define STRUCT kg_sampled
static const struct kg_field sampled_fields[] = {
    KG_FIELD(source, STRING, "who took the samples", KG_OPTIONAL, KG_WORDS("perf", "ptrace")),
    KG_FIELD(reason, STRING, "why there are none, or not all", KG_OPTIONAL),
    AMOUNT(samples, "how many"),
    SHARE(waiting, "of the first thread's samples: off the CPU"),
    SHARE(system, "of the running samples: in the kernel"),
    SHARE(blocks, "of the samples: in code without a name"),
    KG_LIST(functions, function_count, RECORDS, "the hottest first", KG_OPTIONAL,
            KG_OF(hot_place_record)),
    KG_LIST(lines, line_count, RECORDS, "the hottest first", KG_OPTIONAL, KG_OF(hot_place_record)),
    KG_LIST(stacks, stack_count, RECORDS, "the most frequent first", KG_OPTIONAL,
            KG_OF(hot_stack_record)),
    KG_FIELD(compiler, STRING, "compiler of the own code and its options, by debug information",
             KG_OPTIONAL),
    KG_FIELD(code_bytes, SIZE, "machine code in that file; absent if not known", KG_OPTIONAL,
             KG_UNKNOWN_IF_0),
    KG_FIELD(asserts, BOOL, "whether that file imports the function of a failed assert",
             KG_OPTIONAL),
    KG_LIST(libraries, library_count, STRINGS, "names of the libraries linked to that file",
            KG_OPTIONAL),
    KG_LIST(sites, site_count, RECORDS, "the most frequent first", KG_OPTIONAL,
            KG_OF(hot_site_record)),
};
const struct kg_record kg_sampled_record =
    KG_RECORD_OF(sampled_fields, "Samples of its threads, at even distances of time.");
#undef STRUCT

#define STRUCT kg_system_call
static const struct kg_field system_call_fields[] = {
    KG_FIELD(name, STRING, "of the system call"),
    AMOUNT(calls, "a call of the workload"),
    AMOUNT(bytes, "that it read or wrote"),
    AMOUNT(time_ns, "in all of them, waiting included"),
    KG_FIELD(from, STRING, "the workload's function that came to it most often", KG_OPTIONAL),
};
static const struct kg_record system_call_record =
    KG_RECORD_OF(system_call_fields, "System calls of one kind.");
#undef STRUCT

#define STRUCT kg_system_calls
static const struct kg_field system_calls_fields[] = {
    KG_FIELD(source, STRING, "who counted them", KG_OPTIONAL, KG_WORDS("ptrace")),
    KG_FIELD(reason, STRING, "why they were not, or not all", KG_OPTIONAL),
    AMOUNT(calls, "of all kinds, a call of the workload"),
    AMOUNT(user_ns, "CPU time in user mode, a call"),
    AMOUNT(system_ns, "CPU time in the kernel, a call"),
    KG_LIST(kinds, kind_count, RECORDS, "by time, most first", KG_OPTIONAL,
            KG_OF(system_call_record)),
};
const struct kg_record kg_system_calls_record =
    KG_RECORD_OF(system_calls_fields, "What a call of the workload asks of the kernel.");
#undef STRUCT

#define STRUCT kg_hot_loop
static const struct kg_field loop_fields[] = {
    KG_FIELD(place, RECORD, "where it is", KG_OF(kg_place_record)),
    SHARE(share, "of the samples"),
    KG_LIST(code, code_count, STRINGS, "the hottest instruction and those around it", KG_OPTIONAL),
    KG_FIELD(code_hottest, SIZE, "index of the hottest in that", KG_OPTIONAL),
    KG_FIELD(whole_function, BOOL, "it is in no loop: counts are of a call of the function",
             KG_OPTIONAL),
    AMOUNT(instructions, "in one turn of the loop"),
    AMOUNT(loads, "likewise"),
    AMOUNT(stores, "likewise"),
    AMOUNT(calls, "likewise"),
    AMOUNT(branches, "conditional, besides the loop's own"),
    AMOUNT(divisions, "and square roots"),
    AMOUNT(locked, "instructions that lock a cache line"),
    AMOUNT(conversions, "between integer, float and double"),
    AMOUNT(scalar_floats, "floating-point arithmetic on one element"),
    AMOUNT(vector_floats, "floating-point arithmetic on several elements"),
    AMOUNT(vectors,
           "of any type: instructions that move 16 bytes or more, or have wider registers"),
    AMOUNT(gathers, "vector loads from several addresses"),
    AMOUNT(address_loads, "loads whose result is the address of a load in the next turn"),
    AMOUNT(chained, "arithmetic on what the turn before gave"),
    AMOUNT(forwarded, "loads of what the loop has just stored, of another width or place"),
    AMOUNT(chain_cycles, "latency of the longest chain from turn to turn"),
    AMOUNT(throughput_cycles, "least cycles of a turn by what the ports can do"),
};
static const struct kg_record hot_loop_record =
    KG_RECORD_OF(loop_fields, "The innermost loop around a hot instruction.");
#undef STRUCT

#define STRUCT kg_counted_line
static const struct kg_field counted_line_fields[] = {
    KG_FIELD(place, RECORD, "where it is", KG_OF(kg_place_record)),
    AMOUNT(instructions, "a call of the workload, as all here"),
    AMOUNT(loads, "and stores"),
    AMOUNT(branches, "conditional"),
    AMOUNT(mispredicted, "of those, and of indirect jumps"),
    AMOUNT(line_misses, "of the first level of cache"),
    AMOUNT(memory_misses, "of the last level"),
};
const struct kg_record kg_counted_line_record =
    KG_RECORD_OF(counted_line_fields, "What was counted at a line of source.");
#undef STRUCT

#define STRUCT kg_counted_edge
static const struct kg_field edge_fields[] = {
    KG_FIELD(caller, STRING, "the function that calls"),
    KG_FIELD(callee, STRING, "the function that is called"),
    AMOUNT(calls, "a call of the workload"),
    AMOUNT(instructions, "in the callee and what it calls"),
};
static const struct kg_record edge_record =
    KG_RECORD_OF(edge_fields, "How often one function calls another.");
#undef STRUCT

#define STRUCT kg_counted
static const struct kg_field counted_fields[] = {
    KG_FIELD(source, STRING, "who counted", KG_OPTIONAL, KG_WORDS("callgrind")),
    KG_FIELD(reason, STRING, "why nothing was counted, or a part of a call", KG_OPTIONAL),
    AMOUNT(calls, "of the workload that were counted; absent: a part of one, whose amounts follow"),
    AMOUNT(instructions, "a call, as all that follows"),
    AMOUNT(loads, "and stores"),
    AMOUNT(branches, "conditional"),
    AMOUNT(mispredicted, "of those, and of indirect jumps"),
    AMOUNT(line_misses, "of the first level of cache"),
    AMOUNT(memory_misses, "of the last level"),
    KG_LIST(lines, line_count, RECORDS, "the dearest first", KG_OPTIONAL,
            KG_OF(kg_counted_line_record)),
    KG_LIST(edges, edge_count, RECORDS, "by instructions, most first", KG_OPTIONAL,
            KG_OF(edge_record)),
};
static const struct kg_record counted_record =
    KG_RECORD_OF(counted_fields, "What a simulated processor counted, by line of source.");
#undef STRUCT

#define STRUCT kg_core_counts
static const struct kg_field core_fields[] = {
    KG_FIELD(source, STRING, "who counted", KG_OPTIONAL, KG_WORDS("perf")),
    KG_FIELD(reason, STRING, "why nothing was counted", KG_OPTIONAL),
    AMOUNT(cycles, "a call, of all threads in user mode, as all that follows"),
    AMOUNT(instructions, "retired"),
    AMOUNT(branches, "retired"),
    AMOUNT(mispredicted, "of those"),
    AMOUNT(cache_references, "of the last level"),
    AMOUNT(cache_misses, "of those"),
    AMOUNT(stalled_frontend, "cycles in which nothing was fetched"),
    AMOUNT(stalled_backend, "cycles in which nothing could be taken"),
    SHARE(retiring, "of the pipeline's slots: did what was wanted"),
    SHARE(bad_speculation, "likewise: did what a wrong guess led to"),
    SHARE(frontend_bound, "likewise: nothing was fetched and decoded in time"),
    SHARE(backend_bound, "likewise: nothing behind could take it"),
    SHARE(memory_bound, "of these: loads and stores were waited for"),
};
static const struct kg_record core_record =
    KG_RECORD_OF(core_fields, "What the processor's own counters say of a call.");
#undef STRUCT

#define STRUCT kg_experiment
static const struct kg_field experiment_fields[] = {
    KG_FIELD(name, STRING, "what was changed",
             KG_WORDS("flush_denormals", "huge_pages", "kept_memory")),
    AMOUNT(base_ns, "as it is"),
    AMOUNT(time_ns, "with the change"),
    AMOUNT(ratio, "of the times"),
    AMOUNT(ratio_low, "95 % interval of that"),
    AMOUNT(ratio_high, "likewise"),
    AMOUNT(pairs, "turn by turn"),
};
static const struct kg_record experiment_record =
    KG_RECORD_OF(experiment_fields, "The case measured again with one thing changed.");
#undef STRUCT

#define STRUCT kg_hot
static const struct kg_field hot_fields[] = {
    KG_FIELD(kept, STRING, "by which it is kept from run to run", KG_OPTIONAL),
    KG_FIELD(sampled, RECORD, "by functions", KG_OPTIONAL, KG_OF(kg_sampled_record)),
    KG_FIELD(system_calls, RECORD, "by kind", KG_OPTIONAL, KG_OF(kg_system_calls_record)),
    KG_FIELD(counted, RECORD, "by line", KG_OPTIONAL, KG_OF(counted_record)),
    KG_FIELD(core, RECORD, "by the processor's counters", KG_OPTIONAL, KG_OF(core_record)),
    KG_LIST(loops, loop_count, RECORDS, "the hottest first", KG_OPTIONAL, KG_OF(hot_loop_record)),
    KG_LIST(experiments, experiment_count, RECORDS, "what was tried", KG_OPTIONAL,
            KG_OF(experiment_record)),
};
const struct kg_record kg_hot_record =
    KG_RECORD_OF(hot_fields, "CPU: where a call's time goes, function by function.");
#undef STRUCT

bool kg_counted_is(const char *counted, const char *name)
{
    const size_t length = strlen(name);
    return !strncmp(counted, name, length) && strchr(".@'", counted[length]);
}

static double site_calls(const struct kg_counted *counted, const char *caller, const char *callee)
{
    double calls = NAN;
    for (size_t i = 0; caller && callee && i < counted->edge_count; i++) {
        const struct kg_counted_edge *edge = &counted->edges[i];
        if (kg_counted_is(edge->caller, caller) && kg_counted_is(edge->callee, callee))
            calls = isnan(calls) ? edge->calls : calls + edge->calls;
    }
    return calls;
}

void kg_counted_sites(const struct kg_counted *counted, struct kg_sampled *sampled)
{
    if (isnan(counted->calls))
        return;
    for (size_t i = 0; i < sampled->site_count; i++) {
        struct kg_hot_site *site = &sampled->sites[i];
        site->calls = site->callee.function
                          ? site_calls(counted, site->place.function, site->callee.function)
                          : site_calls(counted, site->caller.function, site->place.function);
    }
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

bool kg_hot_account_tells(const struct kg_hot *hot)
{
    static const double TICK_NS = 10e6; /* longest tick of any kernel build */
    const struct kg_system_calls *calls = &hot->system_calls;
    const double cpu_ns = calls->user_ns + calls->system_ns;
    return calls->source && cpu_ns > 0 && cpu_ns >= processes_of(calls) * TICK_NS;
}

double kg_hot_kernel_share(const struct kg_hot *hot)
{
    const struct kg_system_calls *calls = &hot->system_calls;
    return kg_hot_account_tells(hot) ? calls->system_ns / (calls->user_ns + calls->system_ns)
                                     : hot->sampled.system;
}

struct kg_place kg_place_copy(struct kg_arena *arena, const struct kg_place *place)
{
    return (struct kg_place){.function = kg_arena_keep(arena, place->function),
                             .file = kg_arena_keep(arena, place->file),
                             .line = place->line,
                             .module = kg_arena_keep(arena, place->module)};
}
