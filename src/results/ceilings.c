#include "results/ceilings.h"

#include <math.h>
#include <stdio.h>

#define CEILING(member)                                                                            \
    {                                                                                              \
        .name = #member, .kind = KG_FIELD_REAL, .optional = true,                                  \
        .offset = offsetof(struct kg_ceilings, member)                                             \
    }
#define TEXT(member)                                                                               \
    {                                                                                              \
        .name = #member, .kind = KG_FIELD_STRING, .optional = true,                                \
        .offset = offsetof(struct kg_ceilings, member)                                             \
    }
static const struct kg_field fields[] = {
    CEILING(copy_bytes_per_s),
    CEILING(read_bytes_per_s),
    CEILING(fma_flops_per_s),
    CEILING(tensor_flops_per_s),
    CEILING(launch_ns),
    CEILING(sm_clock_hz),
    TEXT(tensor_by),
    TEXT(uuid),
    TEXT(measured),
    TEXT(reason),
    TEXT(note),
};
const struct kg_record kg_ceilings_record = KG_RECORD_OF(struct kg_ceilings, fields);

/* Far around everything that there is: slips, units mixed up and signs are found, not hardware that
 * is ten or a hundred times as fast. */
#define BETWEEN(member, least, most)                                                               \
    {                                                                                              \
        offsetof(struct kg_ceilings, member), least, most                                          \
    }
static const struct {
    size_t offset;
    double least, most;
} limits[] = {
    BETWEEN(copy_bytes_per_s, 1e6, 1e16), BETWEEN(read_bytes_per_s, 1e6, 1e16),
    BETWEEN(fma_flops_per_s, 1e6, 1e18),  BETWEEN(tensor_flops_per_s, 1e6, 1e19),
    BETWEEN(launch_ns, 1, 1e9),           BETWEEN(sm_clock_hz, 1e6, 1e11),
};

bool kg_ceilings_good(const struct kg_ceilings *ceilings)
{
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        const double figure = *(const double *)((const char *)ceilings + limits[i].offset);
        if (figure < limits[i].least || figure > limits[i].most)
            return false;
    }
    return true;
}

/* Of "2026-01-31T12:00:00Z", seconds since 1970; false where it is no such time. */
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
    /* two machines that share a home may differ by a little */
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
