/* history_creep.c: compares the level of each series with its level 30, 90 and 365 days ago. Both levels are in the
 * detector's row, which holds the newest 128 runs since the last step. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "judge/creep.h"
#include "judge/history/history_detector.h"

/* Least drift. */
static const double THRESHOLD = 0.02;
/* Least variance of logs, as in creep.c. */
static const double VARIANCE_LEAST = 1e-8;
static const int lags[] = {30, 90, 365}; /* days */
enum { LAG_COUNT = sizeof lags / sizeof *lags, TIMES_MOST = 512 };

/* Start of a run. */
struct run_time {
    int64_t run;
    char started[32];
};

struct times {
    struct run_time rows[TIMES_MOST];
    size_t count;
    char limits[LAG_COUNT][32]; /* newest time that is a lag ago */
};

/* A series and its comparison. */
struct compared {
    struct kg_tracked *tracked;
    uint32_t older; /* number of its runs up to the limit */
};

static int compare_times(const void *a, const void *b)
{
    const struct run_time *x = a, *y = b;
    return (x->run > y->run) - (x->run < y->run);
}

static bool times_read(const struct kg_detection *detection, struct times *times,
                       struct kg_error *err)
{
    struct kg_query *query = detection->times;
    enum kg_step step;
    kg_query_begin(query, "tii", detection->run->suite, detection->run->machine,
                   (int64_t)TIMES_MOST);
    while ((step = kg_query_step(query, err)) == KG_STEP_ROW && times->count < TIMES_MOST) {
        struct run_time *row = &times->rows[times->count++];
        const char *started = kg_row_text(query, 1);
        row->run = kg_row_integer(query, 0);
        snprintf(row->started, sizeof row->started, "%s", started ? started : "");
    }
    kg_query_reset(query);
    qsort(times->rows, times->count, sizeof *times->rows, compare_times);
    return step != KG_STEP_FAILED;
}

/* Sets the limits. A time that is none in calendars leaves them empty: no run is older. */
static void limits_set(const char *started, struct times *times)
{
    static const char format[] = "%Y-%m-%dT%H:%M:%SZ";
    struct tm parts = {0};
    if (!strptime(started, format, &parts))
        return;
    const time_t moment = timegm(&parts);
    for (size_t i = 0; i < LAG_COUNT; i++) {
        const time_t limit = moment - lags[i] * (time_t)86400;
        if (!gmtime_r(&limit, &parts) ||
            !strftime(times->limits[i], sizeof times->limits[i], format, &parts))
            times->limits[i][0] = '\0';
    }
}

/* A run that was pruned, or is not among the newest 512, is old. */
static bool is_older(const struct times *times, size_t lag, int64_t run)
{
    const struct run_time wanted = {.run = run};
    const struct run_time *found =
        bsearch(&wanted, times->rows, times->count, sizeof *times->rows, compare_times);
    return !found || strcmp(found->started, times->limits[lag]) <= 0;
}

/* Number of the series' runs that are at least a lag old. */
static uint32_t older_count(const struct times *times, size_t lag, const struct kg_level_row *row)
{
    uint32_t low = 0, high = row->level.change.count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (is_older(times, lag, row->runs[middle]))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* First run after the one that showed the last creep: its drift was reported. */
static uint32_t first_of(const struct kg_tracked *tracked)
{
    for (uint32_t i = tracked->row.level.change.count; i-- > 0;)
        if (tracked->crept && tracked->row.runs[i] == tracked->crept)
            return i + 1;
    return 0;
}

static bool creep_make(const struct times *times, struct kg_tracked *tracked, size_t lag,
                       struct kg_creep *creep, struct compared *compared)
{
    double x[KG_CHANGE_WINDOW];
    const struct kg_change_state *change = &tracked->row.level.change;
    const uint32_t first = first_of(tracked);
    const uint32_t older = older_count(times, lag, &tracked->row);
    if (older < first + KG_CREEP_RUNS || change->count < older + KG_CREEP_RUNS)
        return false;
    const uint32_t count = change->count - first;
    for (uint32_t i = 0; i < count; i++)
        x[i] = (double)change->tail[first + i];
    const uint32_t past = count < KG_CREEP_PAST ? count : KG_CREEP_PAST;
    *creep = (struct kg_creep){.level = kg_creep_level(x, count),
                               .reference = kg_creep_level(x, older - first),
                               .variance = kg_creep_variance(x + (count - past), past)};
    *compared = (struct compared){tracked, older};
    return true;
}

static void creep_add(struct kg_detection *detection, const struct kg_creep *creep,
                      const struct compared *compared)
{
    struct kg_tracked *tracked = compared->tracked;
    const double doubt = kg_student_point(0.025, creep->variance.freedom) *
                         sqrt(2 * fmax(creep->variance.value, VARIANCE_LEAST));
    kg_detection_add(detection,
                     &(struct kg_found_change){.kind = KG_CHANGE_CREEP,
                                               .tracked = tracked,
                                               .before = tracked->row.runs[compared->older - 1],
                                               .after = detection->run->id,
                                               .step = creep->drift,
                                               .low = creep->drift - doubt,
                                               .high = creep->drift + doubt});
    tracked->crept = detection->run->id;
}

bool kg_history_creeps_find(struct kg_detection *detection, struct kg_error *err)
{
    const size_t most = detection->tracked_count * LAG_COUNT;
    struct times *times = kg_arena_alloc(detection->arena, 1, sizeof *times);
    struct kg_creep *creeps = kg_arena_alloc(detection->arena, most, sizeof *creeps);
    struct compared *compared = kg_arena_alloc(detection->arena, most, sizeof *compared);
    size_t count = 0;
    if (!times_read(detection, times, err))
        return false;
    limits_set(detection->run->started, times);
    for (size_t i = 0; i < detection->tracked_count; i++) {
        struct kg_tracked *tracked = &detection->tracked[i];
        for (size_t lag = 0; lag < LAG_COUNT && !tracked->skipped && !tracked->stepped; lag++)
            count += creep_make(times, tracked, lag, &creeps[count], &compared[count]);
    }
    kg_creep_judge(creeps, count, THRESHOLD);
    /* The shortest lag of a series comes first, and is the one that counts. */
    for (size_t i = 0; i < count; i++)
        if (creeps[i].creeps && compared[i].tracked->crept != detection->run->id)
            creep_add(detection, &creeps[i], &compared[i]);
    return true;
}
