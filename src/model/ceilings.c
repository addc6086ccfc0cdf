#include "model/ceilings.h"

#include <math.h>
#include <stdio.h>

#include "base/record_range.h"

/* Ranges lie far around all existing hardware. They find slips, mixed-up units and wrong signs.
 * They allow hardware that is ten or a hundred times as fast. */
#define STRUCT kg_ceilings
static const struct kg_field fields[] = {
    KG_FIELD(copy_bytes_per_s, REAL,
             "peak bandwidth of copies within the device, reads and writes, bytes per second",
             KG_OPTIONAL, KG_BETWEEN(1e6, 1e16)),
    KG_FIELD(read_bytes_per_s, REAL, "peak bandwidth of reads alone, bytes per second", KG_OPTIONAL,
             KG_BETWEEN(1e6, 1e16)),
    KG_FIELD(fma_flops_per_s, REAL, "peak rate of single-precision multiply-adds, FLOP per second",
             KG_OPTIONAL, KG_BETWEEN(1e6, 1e18)),
    KG_FIELD(tensor_flops_per_s, REAL, "peak rate of bf16 tensor cores, FLOP per second",
             KG_OPTIONAL, KG_BETWEEN(1e6, 1e19)),
    KG_FIELD(tensor_clock_hz, REAL, "SM clock during the tensor cores' peak, Hz", KG_OPTIONAL,
             KG_BETWEEN(1e6, 1e11)),
    KG_FIELD(launch_ns, REAL, "time from one empty kernel to the next, ns", KG_OPTIONAL,
             KG_BETWEEN(1, 1e9)),
    KG_FIELD(sm_clock_hz, REAL, "SM clock during the multiply-adds, Hz", KG_OPTIONAL,
             KG_BETWEEN(1e6, 1e11)),
    KG_FIELD(tensor_by, STRING, "instruction that reached the tensor cores' peak", KG_OPTIONAL,
             KG_WORDS("wgmma", "mma.sync")),
    KG_FIELD(uuid, STRING, "UUID of the GPU", KG_OPTIONAL),
    KG_FIELD(measured, STRING, "time of measuring, UTC", KG_OPTIONAL, KG_PATTERN_TIME),
    KG_FIELD(reason, STRING, "reason for missing values", KG_OPTIONAL),
    KG_FIELD(
        note, STRING,
        "reason why the values are valid for this run only: the device was throttled or shared",
        KG_OPTIONAL),
};
const struct kg_record kg_ceilings_record = KG_RECORD_OF(fields, "Measured peaks of the GPU.");
#undef STRUCT

bool kg_ceilings_good(const struct kg_ceilings *ceilings)
{
    return kg_record_in_range(&kg_ceilings_record, ceilings);
}

/* Seconds since 1970 of a time "2026-01-31T12:00:00Z"; false for any other text. */
static bool time_read(const char *text, int64_t *seconds)
{
    int year, month, day, hour, minute, second, end = 0;
    if (!text || sscanf(text, "%4d-%2d-%2dT%2d:%2d:%2dZ%n", &year, &month, &day, &hour, &minute,
                        &second, &end) != 6)
        return false;
    if (!end || text[end] || year < 1970 || month < 1 || month > 12 || day < 1 || day > 31)
        return false;
    /* Days of the proleptic Gregorian calendar, years from March: a leap day is then the last. */
    const int64_t from_march = (month + 9) % 12, years = month < 3 ? year - 1 : year;
    const int64_t days = years * 365 + years / 4 - years / 100 + years / 400 +
                         (from_march * 306 + 5) / 10 + day - 1 - 719468;
    *seconds = ((days * 24 + hour) * 60 + minute) * 60 + second;
    return true;
}

static const int64_t DAY_S = 24 * 60 * 60;

bool kg_ceilings_recent(const char *measured, int64_t now_s, int64_t age_s)
{
    int64_t measured_s;
    /* the clocks of two machines that share a home may differ a little */
    return time_read(measured, &measured_s) && now_s - measured_s <= age_s &&
           measured_s - now_s <= DAY_S;
}

bool kg_ceilings_current(const struct kg_ceilings *ceilings, int64_t now_s, double clock_hz)
{
    static const int64_t AGE_DAYS = 30;
    static const double CLOCKS_APART = 1.25;
    if (!kg_ceilings_recent(ceilings->measured, now_s, AGE_DAYS * DAY_S))
        return false;
    const double ratio = clock_hz / ceilings->sm_clock_hz;
    return isnan(ratio) || (ratio < CLOCKS_APART && ratio * CLOCKS_APART > 1);
}
