/* probe.h: how fast this machine is at the moment: a small fixed piece of computing, of streaming
 * and of pointer chasing, timed between rounds. One thread; owns its memory. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/results.h"

struct kg_probe {
    char *stream; /* read a window at a time, so that it always comes from beyond the caches */
    void **chain; /* each entry points to the next of one random cycle */
    size_t at;
    void **link;
    uint64_t started_ns;
    uint64_t last_ns;
    uint64_t every_ns; /* the least between two readings; doubled when the results are full */
};

/* Allocates and fills 40 MiB. Without memory there are no readings: they explain, and decide
 * nothing. */
void kg_probe_start(struct kg_probe *probe, uint64_t started_ns);

/* Adds a reading to the results if the last one is 100 ms ago or more. It takes about 0.4 ms. cpu
 * to read on; -1: any */
void kg_probe_take(struct kg_probe *probe, int cpu, struct kg_results *results);

void kg_probe_free(struct kg_probe *probe);
