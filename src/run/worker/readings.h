/* readings.h: what the machine counts of a metric while a round is timed. Counters are read
 * before and after each timed piece of the round, never inside one. One thread. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "run/worker/protocol.h"

enum { KG_PACKAGES_MOST = 16, KG_READINGS_MOST = 4, KG_READING_WHY = 200 };

/* The energy counters of the CPU's packages (RAPL), as Linux's powercap shows them. */
struct kg_powercap {
    char root[256];
    size_t packages;
    int numbers[KG_PACKAGES_MOST]; /* of intel-rapl:N */
    double range_j[KG_PACKAGES_MOST];
    double last_j[KG_PACKAGES_MOST];
    double used_j;
};

/* Finds the packages' counters below `root` ("": this machine).
 * why      on failure one sentence
 * returns  false where there is none that this process may read */
bool kg_powercap_open(const char *root, struct kg_powercap *powercap, char why[KG_READING_WHY]);

/* Joules used by all packages since kg_powercap_open. Counters start again from 0 at the end of
 * their range, after minutes at the least; a wrap between two calls is accounted for. NaN where
 * a counter can no longer be read. */
double kg_powercap_read(struct kg_powercap *powercap);

struct kg_worker;
struct kg_reader;

struct kg_readings {
    struct kg_powercap powercap;
    struct kg_tally {
        const struct kg_reader *reader; /* NULL: nothing here tells; `why` says so */
        enum kg_metric_kind metric;
        double before, sum;
        char why[KG_READING_WHY];
    } tallies[KG_READINGS_MOST];
    size_t count;
};

/* Opens what tells the metrics that the request wants. */
void kg_readings_open(struct kg_worker *worker);
/* Around each timed piece. */
void kg_readings_begin(struct kg_worker *worker);
void kg_readings_end(struct kg_worker *worker);
/* Into the response: sums divided by the round's calls. false where memory is out. */
bool kg_readings_collect(struct kg_worker *worker);
