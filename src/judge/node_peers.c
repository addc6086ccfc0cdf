/* node_peers.c: finds machines of a fleet that are slower than their peers. Without it, a slow node looks like slow
 * code in the cases that it measured. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/names.h"
#include "base/statistics/stats.h"
#include "judge/compare_parts.h"
#include "judge/ranking.h"
#include "judge/reasons.h"
#include "judge/shards.h"
#include "model/disturbance.h"
#include "model/suite.h"

/* --- Readings of a shard ---------------------------------------------------------------------- */

enum reading { CLOCK, BANDWIDTH, WAIT, READINGS };

/* Median time of the clock probe between the samples of the CPU cases, ns. Paired rounds have no other. */
static double rounds_clock(const struct kg_results *results)
{
    size_t count = 0, known = 0;
    for (size_t i = 0; i < results->case_count; i++)
        count += results->cases[i].round_count;
    double *values = kg_alloc(2 * count + 1, sizeof *values);
    for (size_t i = 0; i < results->case_count; i++) {
        const struct kg_case_result *result = &results->cases[i];
        const bool on_cpu = !strcmp(result->device, kg_device_names[KGATE_DEVICE_CPU]);
        for (size_t r = 0; r < result->round_count && on_cpu; r++)
            if (result->rounds[r].pulse_ns > 0)
                values[known++] = result->rounds[r].pulse_ns;
    }
    const double median = known ? kg_median_of(values, known, values + count) : NAN;
    free(values);
    return median;
}

/* Time of the clock probe, ns: a slower core takes longer. */
static double clock_of(const struct kg_results *results)
{
    const double probed = kg_results_probe(results).pulse_ns;
    return isnan(probed) ? rounds_clock(results) : probed;
}

/* Time per byte of the memory probe, s. */
static double bandwidth_of(const struct kg_results *results)
{
    return 1 / kg_results_probe(results).bandwidth_bytes_per_s;
}

/* 1 + share of the rounds' time in which their threads waited for a CPU. */
static double wait_of(const struct kg_results *results)
{
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < results->case_count; i++)
        for (size_t r = 0; r < results->cases[i].round_count; r++) {
            const double share = results->cases[i].rounds[r].disturbance;
            sum += isnan(share) ? 0 : share;
            count += isnan(share) ? 0 : 1;
        }
    return count ? 1 + sum / (double)count : NAN;
}

/* A reading and the share beyond its peers from which a node is suspect. A share below `least` does not hurt: kgate
 * corrects times by the clock probe and judges times only beyond the suite's threshold. */
static const struct {
    double (*of)(const struct kg_results *results);
    double least;
    const char *words; /* completed by a share */
} readings[READINGS] = {
    [CLOCK] = {clock_of, 0.03, "its core clock is slower"},
    [BANDWIDTH] = {bandwidth_of, 0.15, "its memory is slower"},
    [WAIT] = {wait_of, 0.10, "its rounds waited longer for a CPU"},
};

/* --- Nodes ------------------------------------------------------------------------------------ */

struct node {
    struct kg_node *in_comparison;
    double value[READINGS]; /* median over its shards; NaN: unknown */
};

static void node_start(const struct kg_shard_part *part, struct kg_arena *arena,
                       struct kg_node *node)
{
    const struct kg_machine *machine = &part->results->machine;
    *node = (struct kg_node){.name = kg_arena_keep(arena, kg_shards_node(part->results)),
                             .host = kg_arena_keep(arena, machine->host),
                             .fingerprint = kg_arena_keep(arena, machine->fingerprint),
                             .epoch = kg_arena_keep(arena, machine->epoch),
                             .clock_shift = NAN,
                             .bandwidth_shift = NAN};
}

/* Median of a reading over the parts of a node. `owner` has the node of each part. */
static double reading_of(const struct kg_shard_part *parts, const size_t *owner, size_t count,
                         size_t node, enum reading kind, double *room)
{
    size_t known = 0;
    for (size_t p = 0; p < count; p++) {
        const double value = owner[p] == node ? readings[kind].of(parts[p].results) : NAN;
        if (isfinite(value))
            room[known++] = value;
    }
    return known ? kg_median_of(room, known, room + count) : NAN;
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* How far a node lies beyond its peers. */
struct distance {
    double shift;  /* share above the median of the peers; NaN: fewer than two peers */
    double spread; /* of the peers, as a share of their median */
    size_t peers;
};

/* Joins the spread of a few peers, which may be near 0 by chance, with the usual spread of equal machines: as if four
 * further peers had it. */
static double spread_steady(double spread, size_t peers)
{
    static const double USUAL = 0.02, WEIGHT = 4;
    return sqrt((WEIGHT * USUAL * USUAL + (double)peers * spread * spread) /
                (WEIGHT + (double)peers));
}

/* Compares a node with its peers. The spread is the median distance from the median, as a standard deviation. With few
 * peers it is at least half of their range. */
static struct distance distance_of(const struct node *nodes, size_t count, size_t index,
                                   enum reading kind, double *room)
{
    enum { FEW_PEERS = 6 };
    static const double DEVIATION_OF_MEDIAN = 1.4826; /* of normal values */
    struct distance distance = {.shift = NAN, .spread = NAN};
    const char *fingerprint = nodes[index].in_comparison->fingerprint;
    for (size_t n = 0; n < count; n++)
        if (n != index && isfinite(nodes[n].value[kind]) &&
            !strcmp(nodes[n].in_comparison->fingerprint, fingerprint))
            room[distance.peers++] = nodes[n].value[kind];
    if (distance.peers < 2 || isnan(nodes[index].value[kind]))
        return distance;
    qsort(room, distance.peers, sizeof *room, compare_doubles);
    const double median = kg_median_sorted(room, distance.peers);
    const double range = room[distance.peers - 1] - room[0];
    for (size_t i = 0; i < distance.peers; i++)
        room[i] = fabs(room[i] - median);
    qsort(room, distance.peers, sizeof *room, compare_doubles);
    const double scatter = DEVIATION_OF_MEDIAN * kg_median_sorted(room, distance.peers);
    const double spread = distance.peers < FEW_PEERS ? fmax(scatter, range / 2) : scatter;
    distance.spread = spread_steady(spread / median, distance.peers);
    distance.shift = nodes[index].value[kind] / median - 1;
    return distance;
}

static void reason_add(struct kg_arena *arena, const struct distance *distance, enum reading kind,
                       struct kg_node *node)
{
    node->reason = kg_arena_printf(arena, "%s%s%s by %.1f %% than on %zu other machines",
                                   node->reason ? node->reason : "", node->reason ? "; " : "",
                                   readings[kind].words, 100 * distance->shift, distance->peers);
}

/* Finds out whether the node is slower than its peers by more than they differ from each other. */
static void node_judge(struct kg_arena *arena, struct node *nodes, size_t count, size_t index,
                       double *room)
{
    static const double DEVIATIONS = 5;
    struct kg_node *node = nodes[index].in_comparison;
    for (int kind = 0; kind < READINGS; kind++) {
        const struct distance distance = distance_of(nodes, count, index, (enum reading)kind, room);
        if (kind == CLOCK)
            node->clock_shift = distance.shift;
        if (kind == BANDWIDTH)
            node->bandwidth_shift = distance.shift;
        if (!(distance.shift > fmax(readings[kind].least, DEVIATIONS * distance.spread)))
            continue;
        node->suspect = true;
        reason_add(arena, &distance, (enum reading)kind, node);
    }
}

/* --- Cases of a suspect node ------------------------------------------------------------------ */

/* Turns the metric into a SUSPECT if the machine may be its cause. */
static bool metric_doubt(struct kg_arena *arena, const struct kg_node *node,
                         struct kg_metric *metric)
{
    const enum kg_against against = kg_metric_against(metric);
    const enum kg_metric_kind kind = kg_metric_kind_find(metric->name);
    if (metric->change != KG_CHANGE_REGRESSION || kind == KG_METRIC_KINDS ||
        !kg_metric_rows[kind].timed ||
        (against != KG_AGAINST_BASELINE && against != KG_AGAINST_PIN))
        return false;
    metric->change = KG_CHANGE_SUSPECT;
    metric->doubt = KG_DOUBT_NODE;
    metric->cause =
        kg_arena_printf(arena, "node %s is slower than its peers: %s", node->name, node->reason);
    kg_reason_make(arena, metric);
    return true;
}

static void case_doubt(struct kg_arena *arena, const struct kg_node *node,
                       struct kg_case_change *change)
{
    bool doubted = false;
    for (size_t m = 0; m < change->metric_count; m++)
        doubted |= metric_doubt(arena, node, &change->metrics[m]);
    if (!doubted)
        return;
    kg_case_decide(change);
    change->reason = change->metrics[0].reason;
}

static void cases_doubt(struct kg_comparison *comparison)
{
    for (size_t n = 0; n < comparison->node_count; n++) {
        const struct kg_node *node = &comparison->nodes[n];
        for (size_t c = 0; node->suspect && c < comparison->case_count; c++) {
            struct kg_case_change *change = &comparison->cases[c];
            if (change->node && !strcmp(change->node, node->name))
                case_doubt(&comparison->arena, node, change);
        }
    }
}

/* --- All nodes -------------------------------------------------------------------------------- */

/* Finds the node of each part.
 * owner  set to the index of the node */
static void nodes_collect(const struct kg_shard_part *parts, size_t count, size_t *owner,
                          struct kg_comparison *comparison)
{
    struct kg_arena scratch = {0};
    struct kg_names names = {0};
    comparison->nodes = kg_arena_alloc(&comparison->arena, count, sizeof *comparison->nodes);
    for (size_t p = 0; p < count; p++) {
        const struct kg_results *results = parts[p].results;
        const char *name = kg_shards_node(results);
        const size_t *found = kg_names_find(&names, name, strlen(name));
        owner[p] = found ? *found : comparison->node_count;
        struct kg_node *node = &comparison->nodes[owner[p]];
        if (!found) {
            kg_names_set(&scratch, &names, name, strlen(name), comparison->node_count++);
            node_start(&parts[p], &comparison->arena, node);
        }
        node->shards++;
        node->cases += results->case_count;
        node->seconds += results->elapsed_ns / 1e9;
    }
    kg_arena_free(&scratch);
}

void kg_nodes_judge(const struct kg_shard_part *parts, size_t count,
                    struct kg_comparison *comparison)
{
    size_t *owner = kg_alloc(count + 1, sizeof *owner);
    double *room = kg_alloc(2 * count + 1, sizeof *room);
    nodes_collect(parts, count, owner, comparison);
    struct node *nodes = kg_alloc(comparison->node_count + 1, sizeof *nodes);
    for (size_t n = 0; n < comparison->node_count; n++) {
        nodes[n].in_comparison = &comparison->nodes[n];
        for (int kind = 0; kind < READINGS; kind++)
            nodes[n].value[kind] = reading_of(parts, owner, count, n, (enum reading)kind, room);
    }
    for (size_t n = 0; n < comparison->node_count; n++)
        node_judge(&comparison->arena, nodes, comparison->node_count, n, room);
    cases_doubt(comparison);
    free(nodes);
    free(room);
    free(owner);
}
