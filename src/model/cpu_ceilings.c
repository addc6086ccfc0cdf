#include "model/cpu_ceilings.h"

#include <math.h>

#include "base/record_range.h"

/* Ranges lie far around all existing hardware. They find slips, mixed-up units and wrong signs.
 * They allow hardware that is ten or a hundred times as fast. The same ranges hold for one thread
 * and for all. */
#define STRUCT kg_cpu_ceiling
static const struct kg_field ceiling_fields[] = {
    KG_FIELD(threads, REAL, "threads at the same time", KG_OPTIONAL, KG_BETWEEN(1, 1e6)),
    KG_FIELD(
        scalar_flops_per_s, REAL,
        "peak rate of scalar single-precision multiply-adds, two operations each, FLOP per second",
        KG_OPTIONAL, KG_BETWEEN(1e5, 1e16)),
    KG_FIELD(vector_flops_per_s, REAL,
             "peak rate of multiply-adds in the widest vectors that kernels use, FLOP per second",
             KG_OPTIONAL, KG_BETWEEN(1e5, 1e17)),
    KG_FIELD(l1_bytes_per_s, REAL,
             "peak bandwidth of the first level of cache, reads and writes: the fastest of "
             "reading, copying and adding two arrays, bytes per second",
             KG_OPTIONAL, KG_BETWEEN(1e5, 1e17)),
    KG_FIELD(l2_bytes_per_s, REAL, "peak bandwidth of the second level, bytes per second",
             KG_OPTIONAL, KG_BETWEEN(1e5, 1e17)),
    KG_FIELD(l3_bytes_per_s, REAL, "peak bandwidth of the last level, bytes per second",
             KG_OPTIONAL, KG_BETWEEN(1e5, 1e17)),
    KG_FIELD(memory_bytes_per_s, REAL, "peak bandwidth of memory, bytes per second", KG_OPTIONAL,
             KG_BETWEEN(1e5, 1e16)),
};
static const struct kg_record ceiling_record =
    KG_RECORD_OF(ceiling_fields, "Peaks of that number of threads.");
#undef STRUCT

#define STRUCT kg_cpu_ceilings
static const struct kg_field fields[] = {
    KG_FIELD(one, RECORD, "peaks of one thread", KG_OPTIONAL, KG_OF(ceiling_record)),
    KG_FIELD(all, RECORD, "peaks of one thread per CPU, together", KG_OPTIONAL,
             KG_OF(ceiling_record)),
    KG_FIELD(cores, REAL, "number of cores behind the CPUs", KG_OPTIONAL, KG_BETWEEN(1, 1e6)),
    KG_FIELD(l1_bytes, REAL, "data cache per core, first level, bytes", KG_OPTIONAL,
             KG_BETWEEN(1024, 1e9)),
    KG_FIELD(l2_bytes, REAL, "cache per core, second level, bytes", KG_OPTIONAL,
             KG_BETWEEN(1024, 1e10)),
    KG_FIELD(l3_bytes, REAL, "size of the whole last level, bytes; absent: there is none",
             KG_OPTIONAL, KG_BETWEEN(1024, 1e13)),
    KG_FIELD(l3_count, REAL, "number of parts of the last level, each for some of the cores",
             KG_OPTIONAL, KG_BETWEEN(1, 1e6)),
    KG_FIELD(clock_hz, REAL, "clock of a busy core, Hz", KG_OPTIONAL, KG_BETWEEN(1e6, 1e11)),
    KG_FIELD(memory_latency_ns, REAL,
             "latency of a load from memory that depends on the load before, ns", KG_OPTIONAL,
             KG_BETWEEN(0.1, 1e7)),
    KG_FIELD(fork_join_ns, REAL, "time of an empty parallel region of all threads, ns", KG_OPTIONAL,
             KG_BETWEEN(0.1, 1e10)),
    KG_FIELD(barrier_ns, REAL, "time of a barrier of all threads, ns", KG_OPTIONAL,
             KG_BETWEEN(0.1, 1e10)),
    KG_FIELD(line_transfer_ns, REAL,
             "time to move a written cache line from one core's cache to another's, ns",
             KG_OPTIONAL, KG_BETWEEN(0.1, 1e8)),
    KG_FIELD(page_fault_ns, REAL, "time of the first touch of a page, ns", KG_OPTIONAL,
             KG_BETWEEN(0.1, 1e9)),
    KG_FIELD(measured, STRING, "time of measuring, UTC", KG_OPTIONAL, KG_PATTERN_TIME),
    KG_FIELD(reason, STRING, "reason for missing values", KG_OPTIONAL),
    KG_FIELD(note, STRING, "reason why the values are uncertain: kgate measures them again soon",
             KG_OPTIONAL),
};
const struct kg_record kg_cpu_ceilings_record = KG_RECORD_OF(fields, "Measured peaks of the CPU.");
#undef STRUCT

static double figure(const void *object, size_t offset)
{
    return *(const double *)((const char *)object + offset);
}

bool kg_cpu_ceilings_good(const struct kg_cpu_ceilings *ceilings)
{
    for (size_t i = 0; i < ceiling_record.field_count; i++) {
        const size_t offset = ceiling_fields[i].offset;
        if (figure(&ceilings->all, offset) < figure(&ceilings->one, offset))
            return false;
    }
    return kg_record_in_range(&kg_cpu_ceilings_record, ceilings);
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

/* The peak of `threads` threads, from the peaks of one thread and of all. */
static double between(const struct kg_cpu_ceilings *ceilings, size_t offset, double threads)
{
    const double one = figure(&ceilings->one, offset), all = figure(&ceilings->all, offset);
    if (!(threads >= 1))
        return NAN;
    if (threads == 1) /* fmin and fmax would replace a NaN by the other value */
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
