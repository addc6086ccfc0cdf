#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "device/device_code.h"
#include "run/ceilings/ceilings_measure.h"

/* A stored file. */
struct stored {
    const char *uuid;
    const char *driver;
    double clock_limit_hz;
    const char *code; /* hash of the kernels that measured */
    struct kg_ceilings ceilings;
};

#define STRUCT stored
static const struct kg_field fields[] = {
    KG_FIELD(uuid, STRING, "UUID of the GPU, or of its MIG instance",
             KG_PATTERN("^[0-9A-Za-z-]+$")),
    KG_FIELD(driver, STRING, "version of the driver"),
    KG_FIELD(clock_limit_hz, REAL, "highest possible clock, Hz; absent: not known", KG_OPTIONAL,
             KG_ABOVE_0),
    KG_FIELD(code, STRING, "hash of the measuring kernels", KG_PATTERN_HASH),
    KG_FIELD(ceilings, RECORD, "Measured peaks; absent values could not be measured.",
             KG_OF(kg_ceilings_record)),
};
const struct kg_record kg_ceilings_file_record =
    KG_RECORD_OF(fields, "Measured peaks of a GPU, kept in the user's cache. kgate measures them "
                         "again for another GPU or driver, and after 30 days.");
#undef STRUCT

const char *kg_ceilings_directory(struct kg_arena *arena)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    /* The XDG Base Directory Specification: a relative path is to be ignored. */
    if (cache && cache[0] == '/')
        return kg_arena_printf(arena, "%s/kgate", cache);
    return home && home[0] == '/' ? kg_arena_printf(arena, "%s/.cache/kgate", home) : NULL;
}

/* One file per GPU; NULL if its UUID cannot be the name of a file. */
static const char *path_of(struct kg_arena *arena, const char *directory, const char *uuid)
{
    static const char LETTERS[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-";
    if (!uuid || !*uuid || uuid[strspn(uuid, LETTERS)])
        return NULL;
    return kg_arena_printf(arena, "%s/ceilings-%s.json", directory, uuid);
}

/* Of the kernels: another kgate may measure otherwise. */
static const char *code_hash(struct kg_arena *arena)
{
    size_t bytes = 0;
    const void *code = kg_device_code("ceilings", &bytes);
    return kg_arena_printf(arena, "%016" PRIx64, kg_hash_bytes(KG_HASH_START, code, bytes));
}

static bool same_clock(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

/* Figures that could be, and some. */
static bool plausible(const struct kg_ceilings *ceilings)
{
    return kg_ceilings_good(ceilings) &&
           !(isnan(ceilings->copy_bytes_per_s) && isnan(ceilings->read_bytes_per_s) &&
             isnan(ceilings->fma_flops_per_s) && isnan(ceilings->tensor_flops_per_s) &&
             isnan(ceilings->launch_ns));
}

bool kg_ceilings_cached(const char *directory, const struct kg_ceilings_key *key,
                        struct kg_arena *arena, struct kg_ceilings *ceilings)
{
    struct stored stored = {0};
    struct kg_error err;
    const char *path = path_of(arena, directory, key->uuid);
    if (!path || !key->driver ||
        !kg_record_load(&kg_ceilings_file_record, KG_CEILINGS_SCHEMA, path, arena, &stored, &err))
        return false;
    if (strcmp(stored.uuid, key->uuid) != 0 || strcmp(stored.driver, key->driver) != 0 ||
        strcmp(stored.code, code_hash(arena)) != 0 ||
        !same_clock(stored.clock_limit_hz, key->clock_limit_hz) || !plausible(&stored.ceilings))
        return false;
    *ceilings = stored.ceilings;
    ceilings->uuid = stored.uuid;
    return true;
}

bool kg_ceilings_store(const char *directory, const struct kg_ceilings_key *key,
                       const struct kg_ceilings *ceilings, struct kg_error *err)
{
    struct kg_arena arena = {0};
    const struct stored stored = {.uuid = key->uuid,
                                  .driver = key->driver,
                                  .clock_limit_hz = key->clock_limit_hz,
                                  .code = code_hash(&arena),
                                  .ceilings = *ceilings};
    const char *path = path_of(&arena, directory, key->uuid);
    bool good = path && stored.driver ? kg_directory_make(directory, err)
                                      : kg_error_set(err, KG_ERROR_MEASURE,
                                                     "the peaks of the GPU are not kept: its UUID "
                                                     "or the version of its driver is not known");
    good = good && kg_record_save(&kg_ceilings_file_record, &stored, KG_CEILINGS_SCHEMA, path, err);
    kg_arena_free(&arena);
    return good;
}
