/* hot_code.h: where a call's time goes, by function and by line, for a case on the CPU. kgate
 * observes the case in processes of its own, apart from the timed rounds. Shares are 0 to 1.
 * Unknown numbers are NaN, unknown texts NULL. Strings live in the results' arena. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/record.h"

enum {
    KG_HOT_PLACES_MOST = 24, /* lines and stacks to keep, the hottest first */
    KG_HOT_FUNCTIONS_MOST = 40,
    KG_HOT_SITES_MOST = 64,
    KG_HOT_FRAMES_MOST = 24, /* per stack, from the innermost */
    KG_HOT_CALLS_MOST = 16,
    KG_HOT_LOOPS_MOST = 3,
    KG_HOT_CODE_MOST = 12, /* instructions to show per loop */
    KG_HOT_REPEATS_MOST = 4,
};

/* A place in code. */
struct kg_place {
    const char *function; /* NULL: no symbols */
    const char *file;     /* its source file; NULL: no debug information */
    size_t line;          /* 0: unknown */
    const char *module;   /* the file of machine code: "libm.so.6" */
    /* The function's own source file, if the line is in another that it includes; else NULL. */
    const char *declared;
};

/* A copy whose strings live in `arena`. */
struct kg_place kg_place_copy(struct kg_arena *arena, const struct kg_place *place);

/* Whether both are the same function: its name, and if known its source file and its file of machine
 * code. Two checkouts have different folders, so only the name of the source file counts. Code
 * without a name is the same if its file of machine code is. */
bool kg_place_same(const struct kg_place *a, const struct kg_place *b);

/* Whether the function is in a header of the compiler or the system, as std::map::find, or in Rust's library. */
bool kg_place_is_header(const struct kg_place *place);

/* Whether both functions are known to be in one source file, by its name. */
bool kg_place_same_file(const struct kg_place *a, const struct kg_place *b);

/* Samples of a function or a line. */
struct kg_hot_place {
    struct kg_place place;
    double self;  /* share of the samples: it was innermost */
    double total; /* share of the samples: it was on the stack */
};

/* A sampled stack, with its share of the samples. */
struct kg_hot_stack {
    struct kg_place *frames; /* the innermost first */
    size_t frame_count;
    double share;
    bool waiting;     /* off the CPU */
    const char *call; /* its system call; NULL: none */
};

/* A function of the workload's own code with its caller. `callee` and `call` are the installed
 * library's function or the system call that it entered. Every sample belongs to at most one site,
 * so shares can be added and subtracted. */
struct kg_hot_site {
    struct kg_place place;  /* own code; `line` is its most frequent line */
    struct kg_place caller; /* caller of `place`; all NULL: none */
    /* Function of a system header that `place` calls, as std::vector::push_back; all NULL: none. Its
     * code is in the workload's program. */
    struct kg_place header;
    /* in an installed library, entered by `place` or by `header`; all NULL: the time is in own code */
    struct kg_place callee;
    const char *call; /* system call; NULL: none */
    double share;     /* share of all samples */
    /* Calls per call of the workload: of `callee` by `place`, or without a callee of `place` by
     * `caller`; NaN: not counted. */
    double calls;
    double instructions; /* that these calls execute, with all that they call */
};

/* Samples of all threads that ran or waited in a call, at even distances of time. */
struct kg_sampled {
    const char *source; /* sampler: "perf", "ptrace"; NULL: no samples */
    const char *reason; /* why samples are missing or incomplete; else NULL */
    double samples;
    double waiting; /* share of the first thread's samples: off the CPU and not ready */
    double system;  /* share of the running samples: in the kernel */
    double blocks;  /* share of the samples: in code without a function's name */
    struct kg_hot_place *functions; /* by self, the hottest first */
    size_t function_count;
    struct kg_hot_place *lines; /* by self; only code with debug information */
    size_t line_count;
    struct kg_hot_stack *stacks; /* by share */
    size_t stack_count;
    /* compiler and options of the file with most of the own code (DW_AT_producer); NULL: unknown */
    const char *compiler;
    size_t code_bytes;      /* machine code in that file; 0: unknown, like the next two */
    bool asserts;           /* that file imports the function of a failed assert */
    bool library_checks;    /* that file imports the function of a failed check of libstdc++ */
    const char **libraries; /* names of its linked libraries */
    size_t library_count;
    struct kg_hot_site *sites; /* by share */
    size_t site_count;
};

/* System calls of one kind, per call of the workload. */
struct kg_system_call {
    const char *name; /* "read" */
    double calls;
    double bytes;     /* read or written; NaN: another kind of call, or not counted */
    double time_ns;   /* from beginning to end, waiting included */
    const char *from; /* the workload's function with the most of these calls; NULL: unknown */
};

struct kg_system_calls {
    const char *source; /* "ptrace"; NULL: not observed */
    const char *reason;
    /* only a part of a call was traced: other kinds are possible, and the numbers of kinds without
     * bytes are estimates. Rare kinds are left out */
    bool partial;
    double calls;   /* per call of the workload; if partial: only of the kinds found */
    double user_ns; /* CPU time per call, in user mode and in the kernel */
    double system_ns;
    struct kg_system_call *kinds; /* by time */
    size_t kind_count;
};

/* The calls of that name; NULL: none, or no name. */
const struct kg_system_call *kg_system_call_find(const struct kg_system_calls *calls,
                                                 const char *name);

/* A hot loop of machine code: the innermost loop around the hottest instruction. Counts are
 * instructions per iteration; each instruction has the same weight. */
struct kg_hot_loop {
    struct kg_place place;
    double share;      /* share of the samples */
    const char **code; /* text of the hottest instruction and its neighbours */
    size_t code_count;
    size_t code_hottest; /* index of the hottest in `code` */
    bool whole_function; /* it is in no loop: counts are per call of its function */
    double instructions;
    double loads;
    double stores;
    double calls;
    double branches;      /* conditional, besides the loop's own */
    double divisions;     /* and square roots */
    double locked;        /* lock prefix, xchg with memory */
    double conversions;   /* between integer, float and double */
    double scalar_floats; /* floating-point arithmetic on one element */
    double vector_floats; /* on several */
    double vectors;       /* any type: moves 16 bytes or more, or has wider registers */
    double gathers;
    double address_loads; /* loads whose result is the address of a load in the next iteration */
    /* arithmetic whose result goes through one register to the next iteration */
    double chained;
    double forwarded;         /* loads from where the loop has just stored, wider or at an offset */
    double chain_cycles;      /* latency of the longest chain across iterations; NaN: unknown */
    double throughput_cycles; /* least cycles per iteration, by the ports' capacity; NaN: unknown */
};

/* Counts at a line of source, per call of the workload. */
struct kg_counted_line {
    struct kg_place place;
    double instructions;
    double loads;         /* and stores */
    double branches;      /* conditional */
    double mispredicted;  /* of branches and of indirect jumps */
    double line_misses;   /* of the first level of cache */
    double memory_misses; /* of the last level */
};

/* Calls from one function to another, per call of the workload. */
struct kg_counted_edge {
    const char *caller;
    const char *callee;
    double calls;
    double instructions;     /* in the callee, with everything that it calls */
    const char *caller_file; /* source file; NULL: unknown */
    const char *callee_file;
};

struct kg_counted {
    const char *source; /* "callgrind"; NULL: no counts by line */
    const char *reason; /* why counts are missing, or are of a part of a call; else NULL */
    /* counted calls of the workload; NaN: amounts are of a part of one call */
    double calls;
    double instructions; /* sums over all lines, per call */
    double loads;
    double branches;
    double mispredicted;
    double line_misses;
    double memory_misses;
    /* by the cost of instructions and misses, the most expensive first */
    struct kg_counted_line *lines;
    size_t line_count;
    struct kg_counted_edge *edges; /* by instructions */
    size_t edge_count;
};

/* Whether Callgrind's name `counted` is the function `name`. Compilers append suffixes to split or
 * specialised functions (`find.isra.0`). Callgrind appends a number to recursive calls (`find'2`). The C library has
 * versions for some processors (`__strlen_avx2`). */
bool kg_counted_is(const char *counted, const char *name);

/* Sets `calls` and `instructions` of the sites whose calls were counted. Functions of one name are told
 * apart by their source files. Values stay NaN if only a part of a call was counted. So do the
 * instructions of recursive calls, which Callgrind counts several times. */
void kg_counted_sites(const struct kg_counted *counted, struct kg_sampled *sampled);

/* Adds sites of another build that were counted here but not sampled, with a share of 0: a short call may have no
 * sample. Their files of machine code stay unknown, because another build may name them otherwise. */
void kg_counted_sites_add(const struct kg_counted *counted, const struct kg_sampled *other,
                          struct kg_arena *arena, struct kg_sampled *sampled);

/* Calls of a function in one call of the workload. Arguments are equal if their values are, and for
 * a pointer the contents. */
struct kg_repeated {
    struct kg_place place;
    double calls;       /* observed calls; NaN: not observed, like the next field */
    double repeated;    /* calls with the arguments of an earlier call */
    const char *reason; /* why nothing was observed; else NULL */
};

struct kg_repeats {
    const char *source;            /* "ptrace"; NULL: no function was observed */
    const char *reason;            /* why no function could be observed; else NULL */
    struct kg_repeated *functions; /* by instructions */
    size_t function_count;
};

/* Counts of the processor per call of the workload, for all its threads in user mode. Shares are of
 * the slots of its pipeline (run/timing/topdown.h). */
struct kg_core_counts {
    const char *source; /* "perf"; NULL: this machine has no readable counters */
    const char *reason; /* why nothing was counted with readable counters; else NULL */
    double cycles;
    double instructions;
    double branches;
    double mispredicted;
    double cache_references; /* of the last level, in this processor's sense */
    double cache_misses;
    double stalled_frontend; /* cycles */
    double stalled_backend;
    double retiring;
    double bad_speculation;
    double frontend_bound;
    double backend_bound;
    double memory_bound; /* of backend_bound */
};

/* The case measured again with one change, interleaved with itself. */
struct kg_experiment {
    const char *name; /* "flush_denormals", "huge_pages" */
    double base_ns;
    double time_ns;
    double ratio; /* of the times, with its 95 % interval */
    double ratio_low;
    double ratio_high;
    double pairs;
};

struct kg_hot {
    const char *kept; /* key for keeping it from run to run; NULL: not kept */
    struct kg_sampled sampled;
    struct kg_system_calls system_calls;
    struct kg_counted counted;
    struct kg_core_counts core;
    struct kg_repeats repeats;
    struct kg_hot_loop *loops;
    size_t loop_count;
    struct kg_experiment *experiments;
    size_t experiment_count;
};

extern const struct kg_record kg_hot_record, kg_place_record, kg_sampled_record;
extern const struct kg_record kg_counted_line_record, kg_system_calls_record;

/* Whether the kernel's account of CPU time separates user mode from the kernel. The account goes by
 * ticks: a process that ends before its first tick counts as all in user mode. */
bool kg_hot_account_is_precise(const struct kg_hot *hot);

/* Share of a call's CPU time in the kernel: by the kernel's account if that is precise enough, else
 * by samples. NaN: unknown. */
double kg_hot_kernel_share(const struct kg_hot *hot);

/* Sets everything to unknown. */
void kg_hot_clear(struct kg_hot *hot);
