/* cause.h: the causes of a case's time: kinds, names, shares, places. Pure.
 *
 * To add a cause: add its kind here, and a row to a table of rules (rules.h) with description,
 * bound, sketches and saving. If functions of libraries show the cause, add them to
 * known_functions.c. Otherwise write a function that weighs the cause (causes_weighing.h). */
#pragma once
#include <stddef.h>

#include "base/text.h"
#include "why/evidence/facts.h"
#include "why/rules/diagnosis.h"

enum kg_cause_kind {
    KG_CAUSE_NONE,
    KG_CAUSE_ALLOCATION,
    KG_CAUSE_COPYING,
    KG_CAUSE_FORMATTING,
    KG_CAUSE_STRING_SCANNING,
    KG_CAUSE_EXCEPTIONS,
    KG_CAUSE_LINEAR_SEARCH,
    KG_CAUSE_REPEATED_WORK,
    KG_CAUSE_QUADRATIC_LOOP,
    KG_CAUSE_CALL_OVERHEAD,
    KG_CAUSE_MATH_LIBRARY,
    KG_CAUSE_DIVISION,
    KG_CAUSE_CONVERSION,
    KG_CAUSE_DENORMALS,
    KG_CAUSE_SCALAR_LOOP,
    KG_CAUSE_DEPENDENCY_CHAIN,
    KG_CAUSE_STORE_FORWARDING,
    KG_CAUSE_BRANCH_MISSES,
    KG_CAUSE_POINTER_CHASING,
    KG_CAUSE_CACHE_MISSES,
    KG_CAUSE_PAGE_WALKS,
    KG_CAUSE_ACCESS_PATTERN,
    KG_CAUSE_MEMORY_TRAFFIC,
    KG_CAUSE_PAGE_FAULTS,
    KG_CAUSE_SMALL_IO,
    KG_CAUSE_SYNC_IO,
    KG_CAUSE_PROCESSES,
    KG_CAUSE_LINKING,
    KG_CAUSE_WAITING,
    KG_CAUSE_LOCKS,
    KG_CAUSE_ATOMICS,
    KG_CAUSE_FALSE_SHARING,
    KG_CAUSE_BARRIERS,
    KG_CAUSE_LOAD_IMBALANCE,
    KG_CAUSE_OVERSUBSCRIPTION,
    /* From here on: causes of cases on the GPU. */
    KG_CAUSE_LAUNCH_GAPS,
    KG_CAUSE_PAGEABLE_TRANSFERS,
    KG_CAUSE_OVERLAP_TRANSFERS,
    KG_CAUSE_SMALL_GRID,
    KG_CAUSE_LOW_OCCUPANCY,
    KG_CAUSE_TAIL_EFFECT,
    KG_CAUSE_COUNT
};

enum { KG_CAUSES_MOST = 3 };

/* Features of one iteration of a hot loop. kgate divides the counts of the workload's own code
 * among its loops in proportion to their samples. */
struct kg_loop_turn {
    double turns;        /* iterations per call, estimated; 0: nothing was counted */
    double cycles;       /* NaN: nothing was counted */
    double least_cycles; /* lower bound by the loop's instructions */
    double stalled;      /* share of the cycles that the loop's instructions do not explain */
    double mispredicted;
    double misses;
    double memory_misses;
    double guessed; /* estimated cycles lost to mispredicted branches */
    double missed;
};

/* A cause and the places that show it best. The places belong to the facts' `hot`. */
struct kg_cause {
    enum kg_cause_kind kind;
    double share; /* share of the case's time, 0 to 1 */
    /* Lowest and highest share of the case's time that a fix saves. NaN: unknown, because the
     * saving depends on the replacement. */
    double saves_least, saves_most;
    bool proven;                 /* a count shows many repetitions, or kgate measured the cost */
    bool measured;               /* an experiment or a run with one thread measured the cost */
    const struct kg_place *seen; /* a library function, or a line of the workload; NULL: unknown */
    const struct kg_place *caller;  /* the workload's function that leads there; NULL: unknown */
    const struct kg_hot_loop *loop; /* or NULL */
    struct kg_loop_turn turn;       /* an iteration of `loop`; all zero: not counted */
    const char *in_call;            /* name of the system call with most of the time; NULL: none */
    const struct kg_system_call *call;  /* the traced record of `in_call`; NULL: not traced */
    const struct kg_repeated *repeated; /* observed calls of `seen`; NULL: not observed */
    bool several;                       /* other functions or system calls show the cause too */
};

struct kg_causes {
    struct kg_cause of[KG_CAUSES_MOST]; /* sorted by share, largest first */
    size_t count;
    double unexplained; /* share of the time; NaN if no observation covers the case */
    const struct kg_hot_place *hottest; /* line or function; NULL: unknown */
};

/* The cause of this kind that kgate found for an operation; NULL: not found. */
const struct kg_cause *kg_cause_of(const struct kg_facts *facts, enum kg_cause_kind kind);

/* "74 % in cos, called from make_window (window.c:41)" */
void kg_cause_words(const struct kg_cause *cause, struct kg_text *text);

/* "make_window (window.c:41)", "cos (libm.so.6)" */
void kg_place_words(const struct kg_place *place, struct kg_text *text);
