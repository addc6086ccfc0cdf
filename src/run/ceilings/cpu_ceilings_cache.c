#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "run/ceilings/ceilings_measure.h"

/* Raised when a figure changes its meaning, or the way in which it is measured. */
enum { METHOD = 4 };

/* A stored file. */
struct stored {
    uint64_t method;
    const char *fingerprint;
    uint64_t cpu_count;
    const char *cpus;
    const char *vectors;
    double quota_cpus;
    double pulse_ns; /* of the probe, as the next */
    double bandwidth_bytes_per_s;
    struct kg_cpu_ceilings ceilings;
};

#define STRUCT stored
static const struct kg_field fields[] = {
    KG_FIELD(method, COUNT, "version of the measuring method", KG_FROM(1)),
    KG_FIELD(fingerprint, STRING, "fingerprint of the machine", KG_PATTERN("^[0-9A-Za-z-]+$")),
    KG_FIELD(cpu_count, COUNT, "number of CPUs of the process", KG_FROM(1)),
    KG_FIELD(cpus, STRING, "list of these CPUs", KG_PATTERN("^[0-9,.-]+$")),
    KG_FIELD(vectors, STRING, "widest vectors for kernels; absent: none of the known ones",
             KG_OPTIONAL),
    KG_FIELD(quota_cpus, REAL, "CPU quota of the control groups, in CPUs; absent: no limit",
             KG_OPTIONAL, KG_ABOVE_0),
    KG_FIELD(pulse_ns, REAL,
             "median time of the clock probe in that run, ns; absent: too few readings",
             KG_OPTIONAL, KG_ABOVE_0),
    KG_FIELD(bandwidth_bytes_per_s, REAL,
             "median memory bandwidth by the probe in that run, bytes per second", KG_OPTIONAL,
             KG_ABOVE_0),
    KG_FIELD(ceilings, RECORD, "Peaks as in results.", KG_OF(kg_cpu_ceilings_record)),
};
const struct kg_record kg_cpu_ceilings_file_record =
    KG_RECORD_OF(fields, "Measured peaks of a CPU, kept in the user's cache. kgate measures them "
                         "again for another process environment, and after 7 days.");
#undef STRUCT

/* One file per machine and number of CPUs; NULL if the fingerprint cannot be the name of a file. */
static const char *path_of(struct kg_arena *arena, const char *directory,
                           const struct kg_cpu_ceilings_key *key)
{
    static const char LETTERS[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-";
    const char *name = key->fingerprint;
    if (!name || !*name || name[strspn(name, LETTERS)] || !key->cpus)
        return NULL;
    return kg_arena_printf(arena, "%s/cpu-ceilings-%s-%" PRIu64 ".json", directory, name,
                           key->cpu_count);
}

static bool same_number(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static bool fits(const struct stored *stored, const struct kg_cpu_ceilings_key *key)
{
    return stored->method == METHOD && kg_string_same(stored->fingerprint, key->fingerprint) &&
           stored->cpu_count == key->cpu_count && kg_string_same(stored->cpus, key->cpus) &&
           kg_string_same(stored->vectors, key->vectors) &&
           same_number(stored->quota_cpus, key->quota_cpus);
}

/* Figures that could be, and all that every machine has. */
static bool plausible(const struct kg_cpu_ceilings *ceilings)
{
    return kg_cpu_ceilings_good(ceilings) && !ceilings->reason &&
           isfinite(ceilings->one.vector_flops_per_s) &&
           isfinite(ceilings->one.memory_bytes_per_s) &&
           isfinite(ceilings->all.vector_flops_per_s) && isfinite(ceilings->all.memory_bytes_per_s);
}

static bool pace_near(double then, double now)
{
    static const double APART = 1.25;
    const double ratio = now / then;
    return isnan(now) || (ratio < APART && ratio * APART > 1); /* false if `then` is NaN */
}

bool kg_cpu_pace_same(const struct kg_cpu_pace *then, const struct kg_cpu_pace *now)
{
    return pace_near(then->pulse_ns, now->pulse_ns) &&
           pace_near(then->bandwidth_bytes_per_s, now->bandwidth_bytes_per_s);
}

bool kg_cpu_ceilings_cached(const char *directory, const struct kg_cpu_ceilings_key *key,
                            const struct kg_cpu_pace *pace, int64_t now_s, struct kg_arena *arena,
                            struct kg_cpu_ceilings *ceilings)
{
    static const int64_t HOUR_S = 3600, WEEK_S = 7 * 24 * 3600;
    struct stored stored = {0};
    struct kg_error unread;
    const char *path = path_of(arena, directory, key);
    if (!path || !kg_record_load(&kg_cpu_ceilings_file_record, KG_CPU_CEILINGS_SCHEMA, path, arena,
                                 &stored, &unread))
        return false;
    const struct kg_cpu_pace then = {stored.pulse_ns, stored.bandwidth_bytes_per_s};
    if (!fits(&stored, key) || !plausible(&stored.ceilings) || !kg_cpu_pace_same(&then, pace) ||
        !kg_ceilings_recent(stored.ceilings.measured, now_s,
                            stored.ceilings.note ? HOUR_S : WEEK_S))
        return false;
    *ceilings = stored.ceilings;
    return true;
}

bool kg_cpu_ceilings_store(const char *directory, const struct kg_cpu_ceilings_key *key,
                           const struct kg_cpu_pace *pace, const struct kg_cpu_ceilings *ceilings,
                           struct kg_error *err)
{
    struct kg_arena arena = {0};
    const struct stored stored = {.method = METHOD,
                                  .fingerprint = key->fingerprint,
                                  .cpu_count = key->cpu_count,
                                  .cpus = key->cpus,
                                  .vectors = key->vectors,
                                  .quota_cpus = key->quota_cpus,
                                  .pulse_ns = pace->pulse_ns,
                                  .bandwidth_bytes_per_s = pace->bandwidth_bytes_per_s,
                                  .ceilings = *ceilings};
    const char *path = path_of(&arena, directory, key);
    bool good = path && plausible(ceilings)
                    ? kg_directory_make(directory, err)
                    : kg_error_set(err, KG_ERROR_MEASURE,
                                   "the peaks of the CPU are not kept: values are missing, or the "
                                   "machine is not known");
    good = good &&
           kg_record_save(&kg_cpu_ceilings_file_record, &stored, KG_CPU_CEILINGS_SCHEMA, path, err);
    kg_arena_free(&arena);
    return good;
}
