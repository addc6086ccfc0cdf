/* suspect_node.h: hosts that differ in one night from their own past and from the other hosts: a broken fan, a
 * neighbour, a wrong clock. Thread-safe; allocates and frees. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

enum {
    KG_NODE_PAST = 10,                    /* past nights: the comparison for one night */
    KG_NODE_NIGHTS = 2 * KG_NODE_PAST + 1 /* nights that the rule can use */
};

/* The newest nights of a fleet. */
struct kg_fleet_nights {
    size_t hosts, cases, nights;
    /* log location of (host, case, night) at (host * cases + case) * nights + night; the newest night is last; NaN: not
     * measured */
    const double *log_locations;
};

struct kg_node_night {
    double
        distance; /* median over its cases: log location minus median of the case's past on this host */
    double
        excess; /* distance minus median distance of the other hosts; NaN: no past, or no other host */
    double
        deviation; /* robust standard deviation of the excess over the nights before; NaN: too few */
    bool suspect;  /* |excess| above 1.5 % and 4 deviations, and distance at least half of it */
};

/* Judges the newest night of each host.
 * nights  at least KG_NODE_PAST + 2 in the fleet's history, else no host is suspect
 * nodes   one per host, filled */
void kg_suspect_nodes_find(const struct kg_fleet_nights *fleet, struct kg_node_night *nodes);
