#include "run/worker/cupti.h"

#include <stdio.h>

#include "base/cuda_folders.h"
#include "base/library.h"
#include "run/worker/cupti_abi.h"

enum { MAJOR_FIRST = 12, MAJOR_LAST = 13 };

#define CALL(member) offsetof(struct kg_cupti, member)
static const struct kg_symbol symbols[] = {
    {"cuptiGetResultString", NULL, CALL(result_string), false},
    {"cuptiGetTimestamp", NULL, CALL(timestamp), false},
    {"cuptiActivityRegisterCallbacks", NULL, CALL(activity_callbacks), false},
    {"cuptiActivityEnable", NULL, CALL(activity_enable), false},
    {"cuptiActivityDisable", NULL, CALL(activity_disable), false},
    {"cuptiActivityFlushAll", NULL, CALL(activity_flush), false},
    {"cuptiActivityGetNextRecord", NULL, CALL(activity_next), false},
    {"cuptiActivityGetNumDroppedRecords", NULL, CALL(activity_dropped), false},
};

int kg_cupti_version(uint32_t reported)
{
    /* Until CUDA 12.9 versions were counted from 1; since then it is the toolkit's, as 130001. */
    enum { FIRST_OF_12 = 19, LAST_COUNTED = 99, SINCE_13 = 130000 };
    if (reported >= SINCE_13)
        return (int)(1000 * (reported / 10000) + 10 * (reported / 100 % 100));
    return reported >= FIRST_OF_12 && reported <= LAST_COUNTED ? 12000 : 0;
}

static bool version_fits(struct kg_cupti *cupti, int driver_version, char *why, size_t why_bytes)
{
    uint32_t reported = 0;
    int (*ask)(uint32_t * version) = NULL;
    static const struct kg_symbol symbol = {"cuptiGetVersion", NULL, 0, true};
    kg_library_symbols(cupti->library, &symbol, 1, &ask);
    cupti->version = ask && ask(&reported) == KG_CUPTI_SUCCESS ? kg_cupti_version(reported) : 0;
    const int major = cupti->version / 1000;
    if (major < MAJOR_FIRST || major > MAJOR_LAST)
        snprintf(why, why_bytes,
                 "kgate does not know version %u of the CUPTI that it found: it knows those of "
                 "CUDA %d and %d",
                 reported, MAJOR_FIRST, MAJOR_LAST);
    else if (driver_version && major > driver_version / 1000)
        snprintf(why, why_bytes,
                 "the CUPTI found is for CUDA %d, but the driver knows only up to CUDA %d", major,
                 driver_version / 1000);
    else
        return true;
    return false;
}

/* An unsuitable library stays open: closing it would not stop the parts that CUPTI has started. */
static bool library_try(const char *path, int driver_version, struct kg_cupti *cupti, char *why,
                        size_t why_bytes)
{
    *cupti = (struct kg_cupti){.library = kg_library_open(path, NULL, 0)};
    if (!cupti->library || !version_fits(cupti, driver_version, why, why_bytes))
        return false;
    const char *missing =
        kg_library_symbols(cupti->library, symbols, sizeof symbols / sizeof *symbols, cupti);
    if (missing)
        snprintf(why, why_bytes, "the CUPTI found has no %s", missing);
    return !missing;
}

struct opening {
    struct kg_cupti *cupti;
    int driver_version;
    char *why;
    size_t why_bytes;
};

static bool library_take(const char *path, void *user)
{
    const struct opening *opening = user;
    return library_try(path, opening->driver_version, opening->cupti, opening->why,
                       opening->why_bytes);
}

bool kg_cupti_open(const char *library, int driver_version, struct kg_cupti *cupti, char *why,
                   size_t why_bytes)
{
    struct opening opening = {cupti, driver_version, why, why_bytes};
    char file[32];
    snprintf(why, why_bytes,
             "CUPTI, of the CUDA toolkit, is not installed: it is neither " KG_CUDA_PLACES_WORDS);
    if (library)
        return library_take(library, &opening);
    for (int major = MAJOR_LAST; major >= MAJOR_FIRST; major--) {
        snprintf(file, sizeof file, "libcupti.so.%d", major);
        if (kg_cuda_places(file, library_take, &opening))
            return true;
    }
    return false;
}

bool kg_cupti_good(const struct kg_cupti *cupti, int code, const char *what, struct kg_error *err)
{
    const char *words = NULL;
    if (code == KG_CUPTI_SUCCESS)
        return true;
    if (code == KG_CUPTI_INSUFFICIENT_PRIVILEGES ||
        code == KG_CUPTI_VIRTUALIZED_INSUFFICIENT_PRIVILEGES)
        return kg_error_set(
            err, KG_ERROR_MEASURE,
            "%s: the driver allows it to administrators only. Load its kernel module with "
            "NVreg_RestrictProfilingToAdminUsers=0, or run kgate with CAP_SYS_ADMIN",
            what);
    if (cupti->result_string(code, &words) != KG_CUPTI_SUCCESS || !words)
        words = "error without words in this CUPTI";
    return kg_error_set(err, KG_ERROR_MEASURE, "%s: %s (code %d)", what, words, code);
}
