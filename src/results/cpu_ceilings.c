#include "results/cpu_ceilings.h"

#include <math.h>

const char *const kg_level_names[KG_LEVEL_COUNT + 1] = {"L1", "L2", "L3", "memory", NULL};

#define FIGURE(type, member)                                                                       \
    {                                                                                              \
        .name = #member, .kind = KG_FIELD_REAL, .optional = true, .offset = offsetof(type, member) \
    }
#define CEILING(member) FIGURE(struct kg_cpu_ceiling, member)
static const struct kg_field ceiling_fields[] = {
    CEILING(threads),
    CEILING(scalar_flops_per_s),
    CEILING(vector_flops_per_s),
    CEILING(l1_bytes_per_s),
    CEILING(l2_bytes_per_s),
    CEILING(l3_bytes_per_s),
    CEILING(memory_bytes_per_s),
};
static const struct kg_record ceiling_record = KG_RECORD_OF(struct kg_cpu_ceiling, ceiling_fields);

#define CPU(member) FIGURE(struct kg_cpu_ceilings, member)
#define RATES(member)                                                                              \
    {                                                                                              \
        .name = #member, .kind = KG_FIELD_RECORD, .optional = true,                                \
        .offset = offsetof(struct kg_cpu_ceilings, member), .record = &ceiling_record              \
    }
#define TEXT(member)                                                                               \
    {                                                                                              \
        .name = #member, .kind = KG_FIELD_STRING, .optional = true,                                \
        .offset = offsetof(struct kg_cpu_ceilings, member)                                         \
    }
static const struct kg_field fields[] = {
    RATES(one),         RATES(all),      CPU(cores),
    CPU(l1_bytes),      CPU(l2_bytes),   CPU(l3_bytes),
    CPU(l3_count),      CPU(clock_hz),   CPU(memory_latency_ns),
    CPU(fork_join_ns),  CPU(barrier_ns), CPU(line_transfer_ns),
    CPU(page_fault_ns), TEXT(measured),  TEXT(reason),
    TEXT(note),
};
const struct kg_record kg_cpu_ceilings_record = KG_RECORD_OF(struct kg_cpu_ceilings, fields);

/* Far around everything that there is: slips, units mixed up and signs are found, not hardware that
 * is ten or a hundred times as fast. Rates are of one thread as of all: one that is a tenth of a
 * percent of a real one, or one of a thousand sockets, is nonsense. */
struct limit {
    size_t offset;
    double least, most;
};
#define RATE(member, least, most)                                                                  \
    {                                                                                              \
        offsetof(struct kg_cpu_ceiling, member), least, most                                       \
    }
static const struct limit rate_limits[] = {
    RATE(threads, 1, 1e6),
    RATE(scalar_flops_per_s, 1e5, 1e16),
    RATE(vector_flops_per_s, 1e5, 1e17),
    RATE(l1_bytes_per_s, 1e5, 1e17),
    RATE(l2_bytes_per_s, 1e5, 1e17),
    RATE(l3_bytes_per_s, 1e5, 1e17),
    RATE(memory_bytes_per_s, 1e5, 1e16),
};
#define BETWEEN(member, least, most)                                                               \
    {                                                                                              \
        offsetof(struct kg_cpu_ceilings, member), least, most                                      \
    }
static const struct limit limits[] = {
    BETWEEN(cores, 1, 1e6),
    BETWEEN(l1_bytes, 1024, 1e9),
    BETWEEN(l2_bytes, 1024, 1e10),
    BETWEEN(l3_bytes, 1024, 1e13),
    BETWEEN(l3_count, 1, 1e6),
    BETWEEN(clock_hz, 1e6, 1e11),
    BETWEEN(memory_latency_ns, 0.1, 1e7),
    BETWEEN(fork_join_ns, 0.1, 1e10),
    BETWEEN(barrier_ns, 0.1, 1e10),
    BETWEEN(line_transfer_ns, 0.1, 1e8),
    BETWEEN(page_fault_ns, 0.1, 1e9),
};
enum {
    RATE_COUNT = sizeof rate_limits / sizeof *rate_limits,
    LIMIT_COUNT = sizeof limits / sizeof *limits
};

static double figure(const void *object, size_t offset)
{
    return *(const double *)((const char *)object + offset);
}

/* An unknown one does. */
static bool within(const struct limit *limit, const void *object)
{
    const double value = figure(object, limit->offset);
    return !(value < limit->least) && !(value > limit->most);
}

bool kg_cpu_ceilings_good(const struct kg_cpu_ceilings *ceilings)
{
    for (size_t i = 0; i < LIMIT_COUNT; i++)
        if (!within(&limits[i], ceilings))
            return false;
    for (size_t i = 0; i < RATE_COUNT; i++) {
        const size_t offset = rate_limits[i].offset;
        if (!within(&rate_limits[i], &ceilings->one) || !within(&rate_limits[i], &ceilings->all) ||
            figure(&ceilings->all, offset) < figure(&ceilings->one, offset))
            return false;
    }
    return true;
}

enum kg_cache_level kg_cpu_level(const struct kg_cpu_ceilings *ceilings, double bytes,
                                 double threads)
{
    const double some = threads >= 1 ? threads : 1; /* not NaN */
    const double part = bytes / fmin(some, ceilings->cores);
    const double l3_parts = fmin(some, ceilings->l3_count);
    const double l3_share = ceilings->l3_count >= 1 ? l3_parts / ceilings->l3_count : 1;
    if (!(bytes >= 0))
        return KG_LEVEL_MEMORY;
    if (part <= ceilings->l1_bytes)
        return KG_LEVEL_L1;
    if (part <= ceilings->l2_bytes)
        return KG_LEVEL_L2;
    return bytes <= ceilings->l3_bytes * l3_share ? KG_LEVEL_L3 : KG_LEVEL_MEMORY;
}

/* Of so many threads, from what one and all can do. */
static double between(const struct kg_cpu_ceilings *ceilings, size_t offset, double threads)
{
    const double one = figure(&ceilings->one, offset), all = figure(&ceilings->all, offset);
    if (!(threads >= 1))
        return NAN;
    if (threads == 1) /* fmin and fmax would take the other for one that is NaN */
        return one;
    if (threads >= ceilings->all.threads)
        return all;
    return one * threads < all ? one * threads : isnan(one) ? NAN : all;
}

double kg_cpu_bandwidth(const struct kg_cpu_ceilings *ceilings, enum kg_cache_level level,
                        double threads)
{
    static const size_t offsets[KG_LEVEL_COUNT] = {
        [KG_LEVEL_L1] = offsetof(struct kg_cpu_ceiling, l1_bytes_per_s),
        [KG_LEVEL_L2] = offsetof(struct kg_cpu_ceiling, l2_bytes_per_s),
        [KG_LEVEL_L3] = offsetof(struct kg_cpu_ceiling, l3_bytes_per_s),
        [KG_LEVEL_MEMORY] = offsetof(struct kg_cpu_ceiling, memory_bytes_per_s),
    };
    return (unsigned)level < KG_LEVEL_COUNT ? between(ceilings, offsets[level], threads) : NAN;
}

double kg_cpu_flops(const struct kg_cpu_ceilings *ceilings, bool vectors, double threads)
{
    return between(ceilings,
                   vectors ? offsetof(struct kg_cpu_ceiling, vector_flops_per_s)
                           : offsetof(struct kg_cpu_ceiling, scalar_flops_per_s),
                   threads);
}
