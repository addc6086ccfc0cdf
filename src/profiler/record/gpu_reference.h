/* gpu_reference.h: where events lie on the host's clock. The driver tells only how far two events
 * are apart; so one of our own, on a stream of our own with nothing else on it, is watched as it
 * happens, and others are placed by their distance from it. Every quarter of a second it is
 * replaced by a newer one: the two clocks drift apart by some millionths, and the driver tells
 * distances as floats. */
#pragma once
#include "profiler/record/gpu_driver.h"

/* One context's. Zeros are one that is not known yet. */
struct kg_gpu_reference {
    void *stream;
    void *event;
    void *spare;    /* the next one, until it is known */
    uint64_t ticks; /* when `event` happened */
    uint64_t tried; /* when a new one was last tried, in ticks */
    bool known;
};

/* Puts a new event on our stream where the last is older than a quarter of a second, and watches
 * it: some 20 us. Where the device does not get to it within 100 us, the old one stays. Failures
 * leave the reference as it was. The context is the current one. */
void kg_gpu_reference_refresh(const struct kg_cuda *cuda, struct kg_gpu_reference *reference);

/* When an event that has happened did so, in ticks; 0: not known. */
uint64_t kg_gpu_reference_ticks(const struct kg_cuda *cuda,
                                const struct kg_gpu_reference *reference, void *event,
                                double ns_per_tick);

/* Destroys what it has made. The context is the current one. */
void kg_gpu_reference_free(const struct kg_cuda *cuda, struct kg_gpu_reference *reference);
