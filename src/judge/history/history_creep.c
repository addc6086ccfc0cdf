/* history_creep.c: compares the level of each series with its level at the last release, and 30, 90 and 365 days ago.
 * Both levels are in the detector's row, which holds the newest 128 runs since the last step, and a level of every 15
 * days before. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "judge/creep.h"
#include "judge/history/history_detector.h"
#include "model/results.h"

/* Least variance of logs, as in creep.c. */
static const double VARIANCE_LEAST = 1e-8;
static const int lags[] = {30, 90, 365}; /* days */
/* The last release comes first: its build is kept. */
enum { PIN, LAGS_FIRST, LAG_COUNT = LAGS_FIRST + sizeof lags / sizeof *lags, TIMES_MOST = 512 };

/* Start of a run. */
struct run_time {
    int64_t run;
    char started[KG_TIMESTAMP_BYTES];
};

struct times {
    struct run_time rows[TIMES_MOST];
    size_t count;
    char limits[LAG_COUNT][KG_TIMESTAMP_BYTES]; /* newest time that is a lag ago; "": none */
};

/* A series and its comparison. */
struct compared {
    struct kg_tracked *tracked;
    int64_t before; /* id of the newest run of the older level */
};

bool kg_history_creep_prepare(struct kg_history_database *database,
                              struct kg_detection_queries *queries, struct kg_error *err)
{
    return kg_query_prepare(database,
                            "SELECT id, started FROM run WHERE suite = $1 AND machine = $2 AND "
                            "CASE WHEN kind = 'control' THEN 1 ELSE 0 END = $3 ORDER BY started "
                            "DESC, hash DESC LIMIT $4",
                            &queries->times, err) &&
           kg_query_prepare(database,
                            "SELECT started FROM run WHERE suite = $1 AND machine = $2 AND kind = "
                            "'release' AND started <= $3 ORDER BY started DESC LIMIT 1",
                            &queries->pin, err);
}

static int compare_times(const void *a, const void *b)
{
    const struct run_time *x = a, *y = b;
    return (x->run > y->run) - (x->run < y->run);
}

static bool times_read(const struct kg_detection *detection, struct times *times,
                       struct kg_error *err)
{
    struct kg_query *query = &detection->queries->times;
    enum kg_step step;
    kg_query_begin(query, "tiii", detection->run->suite, detection->run->machine,
                   (int64_t)detection->run->control, (int64_t)TIMES_MOST);
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

/* A time that is none in calendars leaves the limits empty: no run is older. */
static void limits_set(const char *started, struct times *times)
{
    const int64_t moment = kg_timestamp_seconds(started);
    for (size_t i = LAGS_FIRST; i < LAG_COUNT && moment != INT64_MIN; i++)
        kg_timestamp_format(moment - lags[i - LAGS_FIRST] * (int64_t)86400, times->limits[i]);
}

static bool pin_read(const struct kg_detection *detection, struct times *times,
                     struct kg_error *err)
{
    struct kg_query *query = &detection->queries->pin;
    kg_query_begin(query, "tit", detection->run->suite, detection->run->machine,
                   detection->run->started);
    const enum kg_step step = kg_query_step(query, err);
    if (step == KG_STEP_ROW) {
        const char *started = kg_row_text(query, 0);
        snprintf(times->limits[PIN], sizeof times->limits[PIN], "%s", started ? started : "");
    }
    kg_query_reset(query);
    return step != KG_STEP_FAILED;
}

/* A run that was pruned, or is not among the newest 512, is old. */
static bool is_older(const struct times *times, size_t lag, int64_t run)
{
    if (!*times->limits[lag])
        return false;
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

/* Days since 1970; 0: the text is no time. */
static int32_t day_of(const char *started)
{
    const int64_t moment = kg_timestamp_seconds(started);
    return moment == INT64_MIN ? 0 : (int32_t)(moment / 86400);
}

static bool creep_make(const struct times *times, struct kg_tracked *tracked, size_t lag,
                       struct kg_creep *creep, struct compared *compared)
{
    const struct kg_change_state *change = &tracked->row.level.change;
    const uint32_t first = first_of(tracked);
    const uint32_t older = older_count(times, lag, &tracked->row);
    if (older >= first &&
        kg_creep_compare(change->tail + first, change->count - first, older - first, creep)) {
        *compared = (struct compared){tracked, tracked->row.runs[older - 1]};
        return true;
    }
    const struct kg_creep_level *level =
        kg_creep_past_compare(&tracked->row.levels, change->tail + first, change->count - first,
                              day_of(times->limits[lag]), creep);
    if (level)
        *compared = (struct compared){tracked, level->run};
    return level;
}

static void creep_add(struct kg_detection *detection, const struct kg_creep *creep,
                      const struct compared *compared)
{
    struct kg_tracked *tracked = compared->tracked;
    const double doubt = kg_student_point(0.025, creep->variance.freedom) *
                         sqrt(2 * fmax(creep->variance.value, VARIANCE_LEAST));
    kg_detection_add(detection, &(struct kg_found_change){.kind = KG_CHANGE_CREEP,
                                                          .tracked = tracked,
                                                          .before = compared->before,
                                                          .after = detection->run->id,
                                                          .code_before = compared->before,
                                                          .code_after = detection->run->id,
                                                          .step = creep->drift,
                                                          .low = creep->drift - doubt,
                                                          .high = creep->drift + doubt});
    tracked->crept = detection->run->id;
    tracked->row.levels.count = 0;
}

/* Keeps the levels of this run for later comparisons. */
static void levels_keep(struct kg_detection *detection)
{
    const int32_t day = day_of(detection->run->started);
    if (!day)
        return;
    for (size_t i = 0; i < detection->tracked_count; i++) {
        struct kg_tracked *tracked = &detection->tracked[i];
        const struct kg_change_state *change = &tracked->row.level.change;
        if (!tracked->skipped)
            kg_creep_past_add(&tracked->row.levels, change->tail, change->count, day,
                              detection->run->id);
    }
}

bool kg_history_creeps_find(struct kg_detection *detection, struct kg_error *err)
{
    const size_t most = detection->tracked_count * LAG_COUNT;
    struct times *times = kg_arena_alloc(detection->arena, 1, sizeof *times);
    struct kg_creep *creeps = kg_arena_alloc(detection->arena, most, sizeof *creeps);
    struct compared *compared = kg_arena_alloc(detection->arena, most, sizeof *compared);
    size_t count = 0;
    if (!times_read(detection, times, err) || !pin_read(detection, times, err))
        return false;
    limits_set(detection->run->started, times);
    for (size_t i = 0; i < detection->tracked_count; i++) {
        struct kg_tracked *tracked = &detection->tracked[i];
        for (size_t lag = 0; lag < LAG_COUNT && !tracked->skipped && !tracked->stepped; lag++)
            count += creep_make(times, tracked, lag, &creeps[count], &compared[count]);
    }
    kg_creep_judge(creeps, count);
    /* The first lag of a series is the one that counts. */
    for (size_t i = 0; i < count; i++)
        if (creeps[i].creeps && compared[i].tracked->crept != detection->run->id)
            creep_add(detection, &creeps[i], &compared[i]);
    levels_keep(detection);
    return true;
}
