/* Reads a GPS track: a line for each fix, with time, latitude and longitude in millionths of a
 * degree. */
#include <stdio.h>

#include "workload.h"

enum { FIXES = 1500, LINE_MOST = 40 };

struct fix {
    int64_t time;
    int64_t latitude;
    int64_t longitude;
};

struct work {
    struct fix expected[FIXES];
    struct fix fixes[FIXES];
    char lines[FIXES][LINE_MOST];
};

static bool scan_fix(const char *line, struct fix *fix)
{
    return sscanf(line, "%ld,%ld,%ld", &fix->time, &fix->latitude, &fix->longitude) == 3;
}

static const char *read_number(const char *at, int64_t *value)
{
    const bool negative = *at == '-';
    at += negative;
    int64_t sum = 0;
    while (*at >= '0' && *at <= '9')
        sum = 10 * sum + (*at++ - '0');
    *value = negative ? -sum : sum;
    return at;
}

static bool read_fix(const char *line, struct fix *fix)
{
    const char *at = read_number(line, &fix->time);
    if (*at++ != ',')
        return false;
    at = read_number(at, &fix->latitude);
    if (*at++ != ',')
        return false;
    return *read_number(at, &fix->longitude) == '\0';
}

static void run_bad(void *state)
{
    struct work *work = state;
    for (size_t i = 0; i < FIXES; i++)
        if (!scan_fix(work->lines[i], &work->fixes[i]))
            return;
}

static void run_good(void *state)
{
    struct work *work = state;
    for (size_t i = 0; i < FIXES; i++)
        if (!read_fix(work->lines[i], &work->fixes[i]))
            return;
}

static bool set_up(struct kgate_context *context, void **state)
{
    struct work *work = workload_begin(context, sizeof *work, state);
    if (!work)
        return false;
    uint64_t sequence = context->seed;
    for (size_t i = 0; i < FIXES; i++) {
        struct fix *fix = &work->expected[i];
        fix->time = 1700000000 + (int64_t)i;
        fix->latitude = (int64_t)(workload_random(&sequence) % 180000000) - 90000000;
        fix->longitude = (int64_t)(workload_random(&sequence) % 360000000) - 180000000;
        snprintf(work->lines[i], LINE_MOST, "%ld,%ld,%ld", fix->time, fix->latitude,
                 fix->longitude);
    }
    return true;
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    (void)context;
    const struct work *work = state;
    size_t wrong = 0;
    for (size_t i = 0; i < FIXES; i++)
        wrong += work->fixes[i].time != work->expected[i].time ||
                 work->fixes[i].latitude != work->expected[i].latitude ||
                 work->fixes[i].longitude != work->expected[i].longitude;
    return workload_wrong(check, wrong);
}

PAIR(track, "Reads the lines of a GPS track.");
