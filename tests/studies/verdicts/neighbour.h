/* neighbour.h: a bursty neighbour on the same machine: two processes, one that computes and one
 * that streams through memory, each on and off at random. One at a time; not thread-safe. */
#pragma once
#include <stdbool.h>
#include <sys/types.h>

struct neighbour {
    pid_t children[2];
};

/* Starts both; they end with their parent at the latest. On and off last 0.05 s to a few seconds,
 * exponentially distributed with a mean of 0.5 s. False if a process cannot be started. */
bool neighbour_start(struct neighbour *neighbour, unsigned seed);
void neighbour_stop(struct neighbour *neighbour);
