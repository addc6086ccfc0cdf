/* suspect_node.h: hosts that differ in one night from their own past and from the other hosts: a broken fan, a
 * neighbour, a wrong clock. Thread-safe; allocates and frees. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

enum { KG_NODE_PAST = 10 }; /* past nights: the comparison for one night */

/* Log location of a case tonight, minus the median of its newest past runs on the same host.
 * past     count values; reordered
 * returns  NaN if count is less than half of KG_NODE_PAST */
double kg_node_case_distance(double log_location, double *past, size_t count);

/* Distance of a host: the median over its cases that are numbers; NaN if there is none. Reorders them. */
double kg_node_distance(double *distances, size_t cases);

struct kg_node_night {
    double distance; /* of the newest night */
    double excess;   /* distance minus median distance of the other hosts; NaN: unknown */
    double
        deviation; /* robust standard deviation of the excess over the nights before; NaN: too few */
    bool suspect;  /* |excess| above 1.5 % and 4 deviations, and distance at least half of it */
};

/* Judges the newest night of each host. If less than half of the hosts measured it, none is suspect.
 * distances  of (host, night) at host * nights + night; the newest night is last; NaN: not measured
 * nights     at least 1; the rule uses the newest KG_NODE_PAST + 1
 * nodes      one per host, filled */
void kg_suspect_nodes_find(const double *distances, size_t hosts, size_t nights,
                           struct kg_node_night *nodes);
