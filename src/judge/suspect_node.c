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

/* Distance of a host in night `night`. `scratch`: room for one value per case. */
static double distance_of(const struct kg_fleet_nights *fleet, size_t host, size_t night,
                          double *scratch)
{
    for (size_t c = 0; c < fleet->cases; c++) {
        const double *nights = fleet->log_locations + (host * fleet->cases + c) * fleet->nights;
        double past[KG_NODE_PAST];
        for (size_t i = 0; i < KG_NODE_PAST; i++)
            past[i] = nights[night - KG_NODE_PAST + i];
        scratch[c] = nights[night] - median_known(past, KG_NODE_PAST, PAST_LEAST);
    }
    return median_known(scratch, fleet->cases, 1);
}

/* Excess of a host. `scratch`: room for one value per host. */
static double excess_of(const double *distances, size_t hosts, size_t host, double *scratch)
{
    size_t others = 0;
    for (size_t i = 0; i < hosts; i++)
        if (i != host)
            scratch[others++] = distances[i];
    return distances[host] - median_known(scratch, others, 1);
}

/* Appends the absolute excesses of a night to `excesses`, if it is before the newest one. */
static void night_add(const struct kg_fleet_nights *fleet, size_t night,
                      struct kg_node_night *nodes, double *scratch, double *excesses)
{
    double *distances = scratch, *rest = scratch + fleet->hosts;
    for (size_t h = 0; h < fleet->hosts; h++)
        distances[h] = distance_of(fleet, h, night, rest);
    for (size_t h = 0; h < fleet->hosts; h++) {
        const double excess = excess_of(distances, fleet->hosts, h, rest);
        if (night + 1 == fleet->nights)
            nodes[h] = (struct kg_node_night){.distance = distances[h], .excess = excess};
        else
            excesses[h] = fabs(excess);
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

void kg_suspect_nodes_find(const struct kg_fleet_nights *fleet, struct kg_node_night *nodes)
{
    const size_t hosts = fleet->hosts, widest = hosts > fleet->cases ? hosts : fleet->cases;
    double *scratch = kg_alloc(hosts + widest + 1, sizeof *scratch);
    double *excesses = kg_alloc(hosts * KG_NODE_PAST + 1, sizeof *excesses);
    size_t first = fleet->nights > KG_NODE_NIGHTS ? fleet->nights - KG_NODE_PAST - 1 : KG_NODE_PAST,
           count = 0;
    for (size_t h = 0; h < hosts; h++)
        nodes[h] = (struct kg_node_night){NAN, NAN, NAN, false};
    for (size_t night = first; night < fleet->nights; night++, count += hosts)
        night_add(fleet, night, nodes, scratch, excesses + count);
    const double deviation =
        count > hosts ? NORMAL * median_known(excesses, count - hosts, EXCESSES_LEAST) : NAN;
    for (size_t h = 0; h < hosts; h++) {
        nodes[h].deviation = deviation;
        nodes[h].suspect = is_suspect(&nodes[h]);
    }
    free(excesses);
    free(scratch);
}
