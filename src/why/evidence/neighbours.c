#include "why/evidence/gather.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/units.h"
#include "model/series.h"
#include "why/evidence/growth.h"

static const char version_name[] = "version";

/* A case under a key. Equal keys make cases neighbours of one kind. */
struct entry {
    uint64_t key;
    double value;          /* in a sweep: value of the parameter */
    size_t index;          /* index of the case */
    const char *parameter; /* in a sweep: name of the parameter */
};

struct entries {
    struct entry *of;
    size_t count;
};

/* State of the search for neighbours. */
struct search {
    const struct kg_results *results;
    struct kg_facts *facts;
    struct entries entries;
    struct kg_sweep_point *points; /* room for a sweep of all cases */
    double *spread;                /* per case: spread of the sweep in its facts; 0: none */
};

/* Sums of hashes do not depend on order. Each bit affects all others, so that no two hashes
 * cancel out (finalizer of SplitMix64: Steele, Lea and Flood 2014). */
static uint64_t scrambled(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static uint64_t pair_hash(const struct kg_pair *pair)
{
    return scrambled(kg_hash_string(kg_hash_string(KG_HASH_START, pair->name), pair->value));
}

static bool usable(const struct search *search, size_t i)
{
    return search->results->cases[i].status == KG_STATUS_OK &&
           kg_known(search->facts[i].traits.time_ns);
}

static bool on(const struct kg_case_result *result, const char *device)
{
    return result->device && !strcmp(result->device, device);
}

static bool is_version(const struct kg_pair *pair)
{
    return !strcmp(pair->name, version_name);
}

static const char *version_of(const struct kg_case_result *result)
{
    for (size_t i = 0; i < result->param_count; i++)
        if (is_version(&result->params[i]))
            return result->params[i].value;
    return NULL;
}

/* Hash of the workload's identity, independent of the device. */
static uint64_t target_hash(const struct kg_case_result *result)
{
    const char *source = result->source ? result->source : "";
    uint64_t hash = kg_hash_string(KG_HASH_START, source);
    if (result->target)
        hash = kg_hash_string(hash, result->target);
    /* a process's arguments decide its work, so the program's name alone is not enough */
    const struct kg_source_facts *facts = kg_source_find(source);
    if (!result->target || (facts && facts->own_process))
        hash = kg_hash_string(hash, result->workload);
    return hash;
}

/* Adds the way of measuring to a hash. */
static uint64_t way_hash(uint64_t hash, const struct kg_case_result *result)
{
    hash = kg_hash_string(hash, result->device ? result->device : "");
    hash = kg_hash_string(hash, result->timing ? result->timing : "");
    return kg_hash_bytes(hash, &result->threads, sizeof result->threads);
}

static uint64_t params_hash(const struct kg_case_result *result, bool with_version)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < result->param_count; i++)
        if (with_version || !is_version(&result->params[i]))
            sum += pair_hash(&result->params[i]);
    return sum;
}

static int entry_compare(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

static void entry_add(struct entries *entries, struct entry entry)
{
    entries->of[entries->count++] = entry;
}

/* Calls `visit` for each group of entries with one key, and then removes all entries. */
static void groups_visit(struct search *search,
                         void (*visit)(struct search *, const struct entry *, size_t))
{
    struct entries *entries = &search->entries;
    qsort(entries->of, entries->count, sizeof *entries->of, entry_compare);
    for (size_t i = 0, end; i < entries->count; i = end) {
        for (end = i + 1; end < entries->count && entries->of[end].key == entries->of[i].key;)
            end++;
        if (end - i > 1)
            visit(search, &entries->of[i], end - i);
    }
    entries->count = 0;
}

/* --- The other device --- */

/* Whether the case may find its data in the GPU's cache. A caller's fresh data are not there. */
static bool warm(const struct kg_case_result *result)
{
    return result->timing && (!strcmp(result->timing, kg_timing_names[KG_TIMING_HOT]) ||
                              !strcmp(result->timing, kg_timing_names[KG_TIMING_GRAPH]));
}

/* Whether `entry` represents its device better than `other`. */
static bool before(const struct search *search, const struct entry *entry,
                   const struct entry *other)
{
    const struct kg_case_result *cases = search->results->cases;
    if (warm(&cases[entry->index]) != warm(&cases[other->index]))
        return warm(&cases[other->index]);
    return kg_facts_call_ns(&search->facts[entry->index]) <
           kg_facts_call_ns(&search->facts[other->index]);
}

/* The entry of this device with the fastest call; NULL: there is none. */
static const struct entry *fastest_on(const struct search *search, const char *device,
                                      const struct entry *group, size_t count)
{
    const struct entry *fastest = NULL;
    for (size_t i = 0; i < count; i++) {
        const double ns = kg_facts_call_ns(&search->facts[group[i].index]);
        if (!on(&search->results->cases[group[i].index], device) || !kg_known(ns))
            continue;
        if (!fastest || before(search, &group[i], fastest))
            fastest = &group[i];
    }
    return fastest;
}

static void devices_visit(struct search *search, const struct entry *group, size_t count)
{
    const struct entry *cpu = fastest_on(search, "cpu", group, count);
    const struct entry *cuda = fastest_on(search, "cuda", group, count);
    for (size_t i = 0; i < count; i++) {
        const struct entry *other = on(&search->results->cases[group[i].index], "cpu") ? cuda : cpu;
        struct kg_facts *facts = &search->facts[group[i].index];
        if (!other)
            continue;
        facts->other_device_ns = kg_facts_call_ns(&search->facts[other->index]);
        facts->other_transfer_ns = search->facts[other->index].traits.transfer_ns;
        facts->other_device_id = search->results->cases[other->index].id;
    }
}

static void devices_find(struct search *search)
{
    for (size_t i = 0; i < search->results->case_count; i++) {
        const struct kg_case_result *result = &search->results->cases[i];
        if (usable(search, i))
            entry_add(&search->entries,
                      (struct entry){target_hash(result) + params_hash(result, false), 0, i, NULL});
    }
    groups_visit(search, devices_visit);
}

/* --- Versions --- */

/* A version that is faster on the device may have a slower call. */
static bool call_is_faster(const struct kg_facts *facts, const struct kg_facts *than)
{
    const double ns = kg_facts_call_ns(facts), than_ns = kg_facts_call_ns(than);
    return !kg_known(ns) || !kg_known(than_ns) || ns < than_ns;
}

static void versions_visit(struct search *search, const struct entry *group, size_t count)
{
    const struct kg_case_result *cases = search->results->cases;
    size_t fastest = group[0].index;
    for (size_t i = 1; i < count; i++)
        if (search->facts[group[i].index].traits.time_ns < search->facts[fastest].traits.time_ns)
            fastest = group[i].index;
    const double best_ns = search->facts[fastest].traits.time_ns;
    for (size_t i = 0; i < count; i++) {
        struct kg_facts *facts = &search->facts[group[i].index];
        const struct kg_case_result *result = &cases[group[i].index];
        const struct kg_series *time = kg_case_series(result, KG_METRIC_TIME);
        const double noise = time && isfinite(time->threshold) ? fmax(time->threshold, 0) : 0;
        if (!strcmp(version_of(result), version_of(&cases[fastest])) ||
            best_ns >= facts->traits.time_ns * (1 - noise) ||
            !call_is_faster(&search->facts[fastest], facts))
            continue;
        facts->known_slower = true;
        if (result->reference)
            continue;
        facts->faster_version_ns = best_ns;
        facts->faster_version_id = cases[fastest].id;
    }
}

static void versions_find(struct search *search)
{
    for (size_t i = 0; i < search->results->case_count; i++) {
        const struct kg_case_result *result = &search->results->cases[i];
        if (usable(search, i) && version_of(result))
            entry_add(&search->entries, (struct entry){way_hash(target_hash(result), result) +
                                                           params_hash(result, false),
                                                       0, i, NULL});
    }
    groups_visit(search, versions_visit);
}

/* --- Sweeps --- */

static struct kg_sweep_point point_of(const struct search *search, const struct entry *entry)
{
    const struct kg_traits *traits = &search->facts[entry->index].traits;
    const struct kg_series *time =
        kg_case_series(&search->results->cases[entry->index], KG_METRIC_TIME);
    const double threshold = time ? time->threshold : NAN;
    return (struct kg_sweep_point){.parameter = entry->value,
                                   .time_ns = traits->time_ns,
                                   .items = traits->items,
                                   .bytes = traits->bytes,
                                   .flops = traits->flops,
                                   .peak_bytes = traits->peak_bytes,
                                   .noise = isfinite(threshold) ? fmax(threshold, 0) : 0};
}

/* Makes the points of a group; of two cases with one value, the faster counts. */
static size_t points_make(struct search *search, const struct entry *group, size_t count)
{
    size_t made = 0;
    for (size_t i = 0; i < count; i++) {
        const struct kg_sweep_point point = point_of(search, &group[i]);
        if (!made || search->points[made - 1].parameter < point.parameter)
            search->points[made++] = point;
        else if (point.time_ns < search->points[made - 1].time_ns)
            search->points[made - 1] = point;
    }
    return made;
}

static void sweep_fill(struct search *search, const struct entry *entry, size_t points,
                       const struct kg_growth *growth)
{
    struct kg_facts *facts = &search->facts[entry->index];
    const struct kg_sweep_point point = point_of(search, entry);
    search->spread[entry->index] = growth->spread;
    facts->sweep_parameter = entry->parameter;
    facts->sweep_measure = kg_sweep_measure(growth);
    facts->sweep_points = (double)points;
    facts->time_growth = growth->time;
    facts->log_growth = growth->log;
    facts->work_growth = growth->work;
    facts->bytes_growth = growth->bytes;
    facts->memory_growth = growth->memory;
    facts->linear_bytes = kg_sweep_linear_bytes(growth, &point);
    facts->fixed_ns = growth->fixed_ns;
    facts->largest_ns = search->points[points - 1].time_ns;
    facts->linear_ns = growth->smallest_ns * (kg_n_log_n(kg_sweep_work(growth, &point)) /
                                              kg_n_log_n(growth->smallest_work));
}

static void sweeps_visit(struct search *search, const struct entry *group, size_t count)
{
    struct kg_growth growth;
    const size_t points = points_make(search, group, count);
    if (!kg_growth_find(search->points, points, &growth))
        return;
    for (size_t i = 0; i < count; i++)
        if (growth.spread > search->spread[group[i].index])
            sweep_fill(search, &group[i], points, &growth);
}

static void sweeps_find(struct search *search)
{
    for (size_t i = 0; i < search->results->case_count; i++) {
        const struct kg_case_result *result = &search->results->cases[i];
        if (!usable(search, i))
            continue;
        const uint64_t all = way_hash(target_hash(result), result) + params_hash(result, true);
        for (size_t p = 0; p < result->param_count; p++) {
            const struct kg_pair *pair = &result->params[p];
            struct entry entry = {.index = i, .parameter = pair->name};
            if (is_version(pair) || !kg_number_parse(pair->value, &entry.value) ||
                !kg_known(entry.value))
                continue;
            entry.key = all - pair_hash(pair) + scrambled(kg_hash_string(0, pair->name));
            entry_add(&search->entries, entry);
        }
    }
    groups_visit(search, sweeps_visit);
}

void kg_neighbours_find(const struct kg_results *results, struct kg_facts *facts)
{
    struct kg_arena arena = {0};
    size_t most = results->case_count;
    for (size_t i = 0; i < results->case_count; i++)
        most += results->cases[i].param_count;
    struct search search = {
        .results = results,
        .facts = facts,
        .entries = {.of = kg_arena_alloc(&arena, most, sizeof(struct entry))},
        .points = kg_arena_alloc(&arena, results->case_count, sizeof(struct kg_sweep_point)),
        .spread = kg_arena_alloc(&arena, results->case_count, sizeof(double)),
    };
    devices_find(&search);
    versions_find(&search);
    sweeps_find(&search);
    kg_arena_free(&arena);
}
