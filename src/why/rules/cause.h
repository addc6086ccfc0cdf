/* cause.h: the causes of a case's time: kinds, names, shares, places. Pure.
 *
 * To add a cause: its kind here, and its row among the rules (rules.h). The row has its words, its bound,
 * its sketches and its saving. If functions of libraries show it: rows in known_functions.c. Else a function
 * that weighs it (causes_weighing.h). */
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
    KG_CAUSE_LAUNCH_GAPS, /* from here on of cases on the GPU */
    KG_CAUSE_PAGEABLE_TRANSFERS,
    KG_CAUSE_OVERLAP_TRANSFERS,
    KG_CAUSE_SMALL_GRID,
    KG_CAUSE_LOW_OCCUPANCY,
    KG_CAUSE_TAIL_EFFECT,
    KG_CAUSE_COUNT
};

enum { KG_CAUSES_MOST = 3 };

/* A turn of a hot loop: what it took, and what was counted in it. The loop has that share of what
 * was counted of the workload's own code, as of its samples. */
struct kg_loop_turn {
    double turns;        /* in a call, about; 0: nothing was counted */
    double cycles;       /* NaN: likewise */
    double least_cycles; /* that it takes by its instructions */
    double stalled;      /* share of the cycles that its instructions do not explain */
    double mispredicted;
    double misses;
    double memory_misses;
    double guessed; /* cycles that wrong guesses cost, and that misses do: about */
    double missed;
};

/* A cause, with where it is best seen. Places are of the facts' `hot`. */
struct kg_cause {
    enum kg_cause_kind kind;
    double share; /* of the case's time that it explains, 0 to 1 */
    /* Share of the case's time that mending it saves, at the least and at the most; NaN: not known,
     * as it depends on what takes its place. */
    double saves_least, saves_most;
    bool proven;   /* it is counted that this is done over and over, or measured what it costs */
    bool measured; /* an experiment, or a run with one thread, says so */
    const struct kg_place *seen;    /* the function of a library, or the line; NULL: not known */
    const struct kg_place *caller;  /* the workload's function that leads there; NULL: not known */
    const struct kg_hot_loop *loop; /* or NULL */
    struct kg_loop_turn turn;       /* of that; all zero without */
    const char *in_call;            /* the system call that most of it is in; NULL: in none */
    const struct kg_system_call *call; /* that, as it was traced; NULL: it was not */
    bool several;                      /* it is in other functions, or system calls, too */
};

struct kg_causes {
    struct kg_cause of[KG_CAUSES_MOST]; /* by the time that each explains, most first */
    size_t count;
    double unexplained;                 /* share of the time; NaN where nothing was seen */
    const struct kg_hot_place *hottest; /* line or function; NULL: none is known */
};

/* The cause of that kind among those that were found for an operation; NULL without. */
const struct kg_cause *kg_cause_of(const struct kg_facts *facts, enum kg_cause_kind kind);

/* "74 % in cos, called from make_window (window.c:41)" */
void kg_cause_words(const struct kg_cause *cause, struct kg_text *text);

/* "make_window (window.c:41)", "cos (libm.so.6)" */
void kg_place_words(const struct kg_place *place, struct kg_text *text);
