/* suspect_node.c: a change of the code moves a case on every host. A sick host moves most of its cases, and no other
 * host's. So the median over the cases, minus that of the others, is the host's own. */
#include "judge/suspect_node.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/statistics/stats.h"

static const double EXCESS_LEAST = 0.015;
static const double DEVIATIONS = 4;
static const double NORMAL = 1.4826; /* standard deviation over median absolute deviation */
enum { PAST_LEAST = KG_NODE_PAST / 2, EXCESSES_LEAST = 5 };

/* Median of the values that are numbers; NaN if fewer than `least`. Reorders them. */
static double median_known(double *values, size_t count, size_t least)
{
    size_t known = 0;
    for (size_t i = 0; i < count; i++)
        if (!isnan(values[i]))
            values[known++] = values[i];
    if (known < least || known == 0)
        return NAN;
    kg_sort(values, known);
    return kg_median_sorted(values, known);
}

double kg_node_case_distance(double log_location, double *past, size_t count)
{
    return log_location - median_known(past, count, PAST_LEAST);
}

double kg_node_distance(double *distances, size_t cases)
{
    return median_known(distances, cases, 1);
}

/* Excesses of all hosts in a night. `scratch`: room for one value per host. */
static void excesses_find(const double *distances, size_t hosts, size_t nights, size_t night,
                          double *scratch, double *excesses)
{
    for (size_t h = 0; h < hosts; h++) {
        size_t others = 0;
        for (size_t i = 0; i < hosts; i++)
            if (i != h)
                scratch[others++] = distances[i * nights + night];
        excesses[h] = distances[h * nights + night] - median_known(scratch, others, 1);
    }
}

/* With few hosts, the median of the others holds the sick host. So a suspect must also differ from its own past, by at
 * least half of its excess. */
static bool is_suspect(const struct kg_node_night *node)
{
    const double excess = fabs(node->excess);
    return excess > log1p(EXCESS_LEAST) && excess > DEVIATIONS * node->deviation &&
           node->distance / node->excess >= 0.5;
}

/* Robust standard deviation of the excesses of the nights before the newest one. */
static double deviation_find(const double *distances, size_t hosts, size_t nights)
{
    const size_t first = nights > KG_NODE_PAST + 1 ? nights - KG_NODE_PAST - 1 : 0;
    double *scratch = kg_alloc(hosts + 1, sizeof *scratch);
    double *excesses = kg_alloc(hosts * KG_NODE_PAST + 1, sizeof *excesses);
    size_t count = 0;
    for (size_t night = first; night + 1 < nights; night++, count += hosts)
        excesses_find(distances, hosts, nights, night, scratch, excesses + count);
    for (size_t i = 0; i < count; i++)
        excesses[i] = fabs(excesses[i]);
    const double deviation = NORMAL * median_known(excesses, count, EXCESSES_LEAST);
    free(excesses);
    free(scratch);
    return deviation;
}

void kg_suspect_nodes_find(const double *distances, size_t hosts, size_t nights,
                           struct kg_node_night *nodes)
{
    const double deviation = deviation_find(distances, hosts, nights);
    double *room = kg_alloc(2 * hosts + 1, sizeof *room), *excesses = room + hosts;
    size_t missing = 0;
    excesses_find(distances, hosts, nights, nights - 1, room, excesses);
    for (size_t h = 0; h < hosts; h++)
        missing += isnan(distances[h * nights + nights - 1]) ? 1 : 0;
    for (size_t h = 0; h < hosts; h++) {
        nodes[h] = (struct kg_node_night){.distance = distances[h * nights + nights - 1],
                                          .excess = excesses[h],
                                          .deviation = deviation};
        nodes[h].suspect = 2 * missing <= hosts && is_suspect(&nodes[h]);
    }
    free(room);
}
