/* hot_code.h: where a call's time goes, function by function and line by line: what is seen of a case on
 * the CPU in processes of its own, apart from the timed rounds. Shares are 0 to 1; a figure that is
 * not known is NaN, a text NULL. Strings live in the results' arena. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/record.h"

enum {
    KG_HOT_PLACES_MOST = 24, /* lines and stacks that are kept, the hottest first */
    KG_HOT_FUNCTIONS_MOST = 40,
    KG_HOT_SITES_MOST = 64,
    KG_HOT_FRAMES_MOST = 24, /* of a stack, from the innermost */
    KG_HOT_CALLS_MOST = 16,
    KG_HOT_LOOPS_MOST = 3,
    KG_HOT_CODE_MOST = 12, /* instructions of a loop that are shown */
};

/* A place in code. */
struct kg_place {
    const char *function; /* NULL where there are no symbols */
    const char *file;     /* of its source; NULL without debug information */
    size_t line;          /* 0: not known */
    const char *module;   /* the file of machine code: "libm.so.6" */
};

/* A copy whose strings live in `arena`. */
struct kg_place kg_place_copy(struct kg_arena *arena, const struct kg_place *place);

/* What samples say of a function, or of a line. */
struct kg_hot_place {
    struct kg_place place;
    double self;  /* share of the samples in which it was the innermost */
    double total; /* likewise: it was on the stack */
};

/* A stack that samples found, with its share of them. */
struct kg_hot_stack {
    struct kg_place *frames; /* the innermost first */
    size_t frame_count;
    double share;
    bool waiting;     /* off the CPU */
    const char *call; /* the system call that it was in; NULL where in none */
};

/* A function of the workload's own code with its caller, and the installed library's function or the
 * system call that it entered. Every sample belongs to one site at most, so shares can be added and subtracted. */
struct kg_hot_site {
    struct kg_place place;  /* own code; `line` is the most frequent one */
    struct kg_place caller; /* of that function; all NULL: none */
    struct kg_place
        callee;       /* function of an installed library; all NULL: the time is in own code */
    const char *call; /* system call; NULL: none */
    double share;     /* of all samples */
    double calls;     /* per call of the workload: of `callee` by `place`, without one of `place` by
                         `caller`; NaN: not counted */
};

/* Samples of all threads that ran or waited in a call, at even distances of time. */
struct kg_sampled {
    const char *source; /* who took them: "perf", "ptrace"; NULL: there are none */
    const char *reason; /* why there are none, or not all; else NULL */
    double samples;
    double waiting; /* share in which the workload's first thread was off the CPU and not ready */
    double system;  /* share of the running samples that were in the kernel */
    double blocks;  /* code without symbols: share of samples without a function's name */
    struct kg_hot_place *functions; /* by self, the hottest first */
    size_t function_count;
    struct kg_hot_place *lines; /* likewise; of code with debug information */
    size_t line_count;
    struct kg_hot_stack *stacks; /* by share */
    size_t stack_count;
    const char *compiler; /* of the file with most of the own code, and its options: DW_AT_producer;
                             NULL: not known */
    size_t code_bytes;    /* machine code in that file; 0: not known, as the next two */
    bool asserts;         /* that file imports the function of a failed assert */
    const char **libraries; /* names of its linked libraries */
    size_t library_count;
    struct kg_hot_site *sites; /* by share */
    size_t site_count;
};

/* A system call, a call of the workload. */
struct kg_system_call {
    const char *name; /* "read" */
    double calls;
    double bytes;     /* that it read or wrote, by what it returned; NaN where it is none such */
    double time_ns;   /* from its beginning to its end, waiting included */
    const char *from; /* the workload's function that came to it most often; NULL: not known */
};

struct kg_system_calls {
    const char *source; /* "ptrace"; NULL: they were not looked at */
    const char *reason;
    double calls;   /* of all kinds, a call of the workload */
    double user_ns; /* CPU time of a call in user mode, and in the kernel */
    double system_ns;
    struct kg_system_call *kinds; /* by time */
    size_t kind_count;
};

/* A hot loop of machine code: the innermost loop around the hottest instruction. Counts are of the
 * instructions in one turn of it, each weighed alike. */
struct kg_hot_loop {
    struct kg_place place;
    double share;      /* of the samples */
    const char **code; /* its text, the hottest instruction and those around it */
    size_t code_count;
    size_t code_hottest; /* index of the hottest in it */
    bool
        whole_function; /* it is in no loop: what follows is of the function around it, of a call */
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
    double vectors;       /* of any type: what moves 16 bytes or more, or has wider registers */
    double gathers;
    double address_loads; /* loads whose result is the address of a load in the next turn */
    double chained;       /* arithmetic whose result goes through one register from turn to turn */
    double forwarded;     /* loads from where the loop has just stored, wider or at an offset */
    double chain_cycles;  /* latency of the longest chain from turn to turn; NaN: not known */
    double throughput_cycles; /* least cycles of a turn by what the ports can do; NaN: not known */
};

/* What was counted at a line of source, a call of the workload. */
struct kg_counted_line {
    struct kg_place place;
    double instructions;
    double loads;         /* and stores */
    double branches;      /* conditional */
    double mispredicted;  /* of those, and of indirect jumps */
    double line_misses;   /* of the first level of cache */
    double memory_misses; /* of the last */
};

/* How often one function calls another, a call of the workload. */
struct kg_counted_edge {
    const char *caller;
    const char *callee;
    double calls;
    double instructions; /* in the callee and what it calls */
};

struct kg_counted {
    const char *source;  /* "callgrind"; NULL: nothing was counted by line */
    const char *reason;  /* why nothing was, or only a part of a call; else NULL */
    double calls;        /* of the workload that were counted; NaN: a part of one, of which all
                            amounts are then */
    double instructions; /* sums over all lines, a call */
    double loads;
    double branches;
    double mispredicted;
    double line_misses;
    double memory_misses;
    struct kg_counted_line *lines; /* by instructions and what misses cost, the dearest first */
    size_t line_count;
    struct kg_counted_edge *edges; /* by instructions */
    size_t edge_count;
};

/* Whether Callgrind's name `counted` is the function `name`. Compilers append suffixes to split or
 * specialised functions (`find.isra.0`). Callgrind appends a number to recursive calls (`find'2`). */
bool kg_counted_is(const char *counted, const char *name);

/* Sets `calls` of the sites whose calls were counted. Sites stay NaN if only a part of a call was counted. */
void kg_counted_sites(const struct kg_counted *counted, struct kg_sampled *sampled);

/* What the processor's counters say of a call of the workload, of all its threads in user mode.
 * Shares are of the slots of its pipeline (run/timing/topdown.h). */
struct kg_core_counts {
    const char *source; /* "perf"; NULL: this machine lets no counters be read */
    const char *reason; /* why nothing was counted, though it does; else NULL */
    double cycles;
    double instructions;
    double branches;
    double mispredicted;
    double cache_references; /* of the last level, as this processor understands that */
    double cache_misses;
    double stalled_frontend; /* cycles */
    double stalled_backend;
    double retiring;
    double bad_speculation;
    double frontend_bound;
    double backend_bound;
    double memory_bound; /* of backend_bound */
};

/* The case measured again with one thing changed, turn by turn with itself. */
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
    const char *kept; /* the key by which it is kept from run to run; NULL: it is not */
    struct kg_sampled sampled;
    struct kg_system_calls system_calls;
    struct kg_counted counted;
    struct kg_core_counts core;
    struct kg_hot_loop *loops;
    size_t loop_count;
    struct kg_experiment *experiments;
    size_t experiment_count;
};

extern const struct kg_record kg_hot_record, kg_place_record, kg_sampled_record;
extern const struct kg_record kg_counted_line_record, kg_system_calls_record;

/* Whether the kernel's account of CPU time tells user mode from the kernel: it goes by ticks, and
 * has a process that ended before its first one as all in user mode. */
bool kg_hot_account_tells(const struct kg_hot *hot);

/* Share of a call's CPU time in the kernel: by that account where it tells, else by samples. NaN:
 * not known. */
double kg_hot_kernel_share(const struct kg_hot *hot);

/* Nothing known. */
void kg_hot_clear(struct kg_hot *hot);
