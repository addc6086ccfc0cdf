/* change_point.h: finds lasting steps in the history of one series, run by run. Pure functions; no
 * allocation; thread-safe.
 *
 * The method is the change-point model of Hawkins, Qiu and Kang (2003). Each run is tested against
 * all runs since the last change. An alarm is never taken back. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum {
    KG_CHANGE_WINDOW = 128,   /* newest runs that the detector compares */
    KG_CHANGE_RUNS_LEAST = 8, /* runs before the first test */
    /* runs of either level: one or two bad nights are no step */
    KG_CHANGE_LEVEL_LEAST = 3
};

/* State of one series: one row of a database. Zero-initialise it before the first run. */
struct kg_change_state {
    uint64_t since;               /* runs since the last change */
    uint32_t count;               /* number of values in `tail` */
    float tail[KG_CHANGE_WINDOW]; /* newest log locations since the last change, oldest first */
};

/* A step. Its runs are counted back from the newest run, which is number 1. */
struct kg_change_alarm {
    uint32_t newer; /* runs at the new level: number `newer` is the first of them */
    /* 95 % interval of `newer`. Bisect from run number newer_most + 1 to run number newer_least. */
    uint32_t newer_least, newer_most;
    double step;                /* log of new level over old level */
    double step_low, step_high; /* 95 % interval of the step at this split */
    double statistic;           /* |t| of the split */
    double threshold;           /* |t| that one run in 1,000 exceeds without a step */
};

/* Whether a state can be one that kg_change_append made: for states from files and databases. */
bool kg_change_state_valid(const struct kg_change_state *state);

/* Appends the location of the next run. Time and memory do not grow with the history.
 * state         valid
 * log_location  log of the run's location; the state ignores a value that is not finite
 * alarm         filled if a step is found; the state then keeps the runs at the new level only
 * returns whether a step of at least 2 % is found */
bool kg_change_append(struct kg_change_state *state, double log_location,
                      struct kg_change_alarm *alarm);
