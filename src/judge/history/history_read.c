/* history_read.c: reads runs, series and changes of a history. */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/nearest.h"
#include "judge/history/history_database.h"

/* Columns of run_read. */
#define RUN_COLUMNS                                                                                \
    "r.id, r.hash, r.suite, r.kind, r.started, c.sha, c.parent, c.branch, c.depth, r.dirty, "      \
    "r.complete, m.class, m.host, e.hash, m.gpus, r.boot, r.version, r.file, r.points "
#define RUN_TABLES                                                                                 \
    "run AS r JOIN machine AS m ON m.id = r.machine JOIN epoch AS e ON e.id = r.epoch LEFT JOIN "  \
    "commit_ AS c ON c.id = r.commit_ "

static const char *or_empty(const char *text)
{
    return text ? text : "";
}

/* A kind of a newer kgate counts as a commit. */
static enum kg_history_kind kind_of(const char *name)
{
    const size_t kind = kg_word_index(name, kg_history_kind_names, KG_HISTORY_KINDS);
    return kind < KG_HISTORY_KINDS ? (enum kg_history_kind)kind : KG_HISTORY_COMMIT;
}

static void run_read(const struct kg_query *query, struct kg_history *history)
{
    struct kg_arena *arena = &history->arena;
    kg_arena_grow(arena, &history->runs, history->run_count, &history->run_capacity,
                  sizeof *history->runs);
    history->runs[history->run_count++] = (struct kg_history_run){
        .id = kg_row_integer(query, 0),
        .hash = kg_row_copy(query, 1, arena),
        .suite = kg_row_copy(query, 2, arena),
        .kind = kind_of(or_empty(kg_row_text(query, 3))),
        .started = kg_row_copy(query, 4, arena),
        .commit = kg_row_keep(query, 5, arena),
        .parent = kg_row_keep(query, 6, arena),
        .branch = kg_row_keep(query, 7, arena),
        .depth = kg_row_real(query, 8),
        .dirty = kg_row_integer(query, 9) != 0,
        .complete = kg_row_integer(query, 10) != 0,
        .machine = kg_row_copy(query, 11, arena),
        .host = kg_row_keep(query, 12, arena),
        .epoch = kg_row_keep(query, 13, arena),
        .gpus = kg_row_keep(query, 14, arena),
        .boot = kg_row_keep(query, 15, arena),
        .kgate_version = kg_row_keep(query, 16, arena),
        .file = kg_row_keep(query, 17, arena),
        .points = (size_t)kg_row_integer(query, 18),
    };
}

static bool rows_read(struct kg_query *query, struct kg_history *history,
                      void (*read)(const struct kg_query *query, struct kg_history *history),
                      struct kg_error *err)
{
    enum kg_step step;
    while ((step = kg_query_step(query, err)) == KG_STEP_ROW)
        read(query, history);
    kg_query_reset(query);
    return step == KG_STEP_DONE;
}

static int64_t last_or_all(const struct kg_history_filter *filter)
{
    return filter->last ? (int64_t)filter->last : INT64_MAX;
}

bool kg_history_runs(struct kg_history_database *database, const struct kg_history_filter *filter,
                     struct kg_history *history, struct kg_error *err)
{
    static const char sql[] =
        "SELECT " RUN_COLUMNS "FROM " RUN_TABLES
        "JOIN (SELECT id, ROW_NUMBER() OVER (PARTITION BY suite, machine ORDER BY started DESC, "
        "hash DESC) AS place FROM run WHERE points > 0 AND ($1 = '' OR suite = $1)) AS newest ON "
        "newest.id = r.id WHERE newest.place <= $2 AND ($3 = '' OR m.class = $3 OR m.host = $3) "
        "ORDER BY r.started, r.hash";
    struct kg_query query = {0};
    history->database = kg_arena_copy(&history->arena, database->name);
    bool good = kg_query_prepare(database, sql, &query, err);
    if (good) {
        kg_query_begin(&query, "tit", or_empty(filter->suite), last_or_all(filter),
                       or_empty(filter->machine));
        good = rows_read(&query, history, run_read, err);
    }
    kg_query_free(&query);
    return good;
}

/* --- Series ----------------------------------------------------------------------------------- */

#define SERIES_SELECT                                                                              \
    "SELECT s.id, s.suite, s.case_, s.definition, s.metric, s.source, s.unit, m.class, m.host, "   \
    "s.machine, s.control FROM series AS s JOIN machine AS m ON m.id = s.machine "
#define SERIES_ORDER                                                                               \
    " ORDER BY s.suite, s.case_, m.class, m.host, CASE WHEN s.metric = 'time' THEN 0 ELSE 1 END, " \
    "s.metric, s.source, s.definition, s.control"

/* A series while its points are read. */
struct found {
    struct kg_history_series series;
    int64_t machine;
};

struct search {
    struct kg_history_database *database;
    const struct kg_history_filter *filter;
    struct kg_arena arena;
    struct found *found;
    size_t count, capacity;
    struct kg_query runs, points;
};

static bool is_wanted(const struct kg_query *query, const struct kg_history_filter *filter,
                      bool exact)
{
    const char *id = or_empty(kg_row_text(query, 2));
    const struct {
        const char *wanted;
        size_t column, other;
    } rows[] = {{filter->suite, 1, 1}, {filter->metric, 4, 4}, {filter->machine, 7, 8}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].wanted &&
            strcmp(rows[i].wanted, or_empty(kg_row_text(query, rows[i].column))) != 0 &&
            strcmp(rows[i].wanted, or_empty(kg_row_text(query, rows[i].other))) != 0)
            return false;
    return exact || !filter->which || fnmatch(filter->which, id, 0) == 0 ||
           strstr(id, filter->which);
}

static void series_read(struct search *search, const struct kg_query *query, struct kg_arena *arena)
{
    kg_arena_grow(&search->arena, &search->found, search->count, &search->capacity,
                  sizeof *search->found);
    search->found[search->count++] =
        (struct found){.series = {.id = kg_row_integer(query, 0),
                                  .suite = kg_row_copy(query, 1, arena),
                                  .id_of_case = kg_row_copy(query, 2, arena),
                                  .definition = kg_row_keep(query, 3, arena),
                                  .metric = kg_row_copy(query, 4, arena),
                                  .source = kg_row_copy(query, 5, arena),
                                  .unit = kg_row_keep(query, 6, arena),
                                  .machine = kg_row_copy(query, 7, arena),
                                  .host = kg_row_keep(query, 8, arena),
                                  .control = kg_row_integer(query, 10) != 0},
                       .machine = kg_row_integer(query, 9)};
}

/* Finds the series of the case with exactly this id, or else those that match. */
static bool series_find(struct search *search, bool exact, struct kg_arena *arena,
                        struct kg_error *err)
{
    struct kg_query query = {0};
    enum kg_step step = KG_STEP_FAILED;
    if (!kg_query_prepare(search->database,
                          exact ? SERIES_SELECT "WHERE s.case_ = $1" SERIES_ORDER
                                : SERIES_SELECT SERIES_ORDER,
                          &query, err))
        return false;
    kg_query_begin(&query, exact ? "t" : "", search->filter->which);
    while ((step = kg_query_step(&query, err)) == KG_STEP_ROW)
        if (is_wanted(&query, search->filter, exact))
            series_read(search, &query, arena);
    kg_query_free(&query);
    return step == KG_STEP_DONE;
}

/* --- Points ----------------------------------------------------------------------------------- */

/* Runs of one suite on one machine: a part of the history's array. */
struct range {
    size_t first, count;
    bool by_depth; /* every run knows the depth of its commit */
};

static int compare_runs(const void *a, const void *b)
{
    const struct kg_history_run *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

/* Reads the runs, in the order of their ids so that points find them. */
static bool range_read(struct search *search, const struct found *found, struct kg_history *history,
                       struct range *range, struct kg_error *err)
{
    range->first = history->run_count;
    kg_query_begin(&search->runs, "tii", found->series.suite, found->machine,
                   last_or_all(search->filter));
    if (!rows_read(&search->runs, history, run_read, err))
        return false;
    range->count = history->run_count - range->first;
    struct kg_history_run *runs = history->runs + range->first;
    qsort(runs, range->count, sizeof *runs, compare_runs);
    range->by_depth = range->count > 0;
    for (size_t i = 0; i < range->count; i++)
        range->by_depth = range->by_depth && runs[i].depth >= 0;
    return true;
}

struct placed {
    const struct kg_history_run *run;
    struct kg_history_point point;
    bool by_depth;
};

static int compare_placed(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;
    if (x->by_depth && x->run->depth != y->run->depth)
        return x->run->depth < y->run->depth ? -1 : 1;
    const int by_time = strcmp(x->run->started, y->run->started);
    return by_time ? by_time : strcmp(x->run->hash, y->run->hash);
}

void kg_history_point_read(const struct kg_query *query, size_t column, struct kg_arena *arena,
                           struct kg_history_point *point)
{
    const char *code = kg_row_text(query, column + 3);
    point->value = kg_row_real(query, column);
    point->error = kg_row_real(query, column + 1);
    point->deviation = kg_row_real(query, column + 2);
    point->code = code ? kg_arena_printf(arena, "%016llx",
                                         (unsigned long long)kg_row_integer(query, column + 3))
                       : NULL;
    point->rounds = (size_t)kg_row_integer(query, column + 4);
    point->flags = (unsigned)kg_row_integer(query, column + 5);
}

static void points_settle(struct placed *placed, size_t count, struct kg_arena *arena,
                          struct kg_history_series *series)
{
    qsort(placed, count, sizeof *placed, compare_placed);
    series->points = kg_arena_alloc(arena, count, sizeof *series->points);
    series->point_count = count;
    for (size_t i = 0; i < count; i++)
        series->points[i] = placed[i].point;
}

static bool points_read(struct search *search, const struct found *found, const struct range *range,
                        struct kg_history *history, struct kg_history_series *series,
                        struct kg_error *err)
{
    struct kg_query *query = &search->points;
    struct placed *placed = kg_alloc(range->count, sizeof *placed);
    const struct kg_history_run *runs = history->runs + range->first;
    size_t count = 0;
    enum kg_step step;
    kg_query_begin(query, "tiii", found->series.suite, found->machine, last_or_all(search->filter),
                   found->series.id);
    while ((step = kg_query_step(query, err)) == KG_STEP_ROW) {
        const struct kg_history_run wanted = {.id = kg_row_integer(query, 0)};
        const struct kg_history_run *run =
            bsearch(&wanted, runs, range->count, sizeof *runs, compare_runs);
        if (!run || count == range->count)
            continue; /* another process added the run just now */
        struct placed *place = &placed[count++];
        *place = (struct placed){.run = run, .by_depth = range->by_depth};
        kg_history_point_read(query, 1, &history->arena, &place->point);
        place->point.run = (size_t)(run - history->runs);
    }
    kg_query_reset(query);
    points_settle(placed, count, &history->arena, series);
    free(placed);
    return step == KG_STEP_DONE;
}

static bool search_prepare(struct search *search, struct kg_error *err)
{
    static const char runs[] = "SELECT " RUN_COLUMNS "FROM " RUN_TABLES
                               "WHERE r.suite = $1 AND r.machine = $2 AND r.points > 0 ORDER BY "
                               "r.started DESC, r.hash DESC LIMIT $3";
    /* CROSS JOIN: SQLite then begins with the runs, and finds each point by its key. */
    static const char points[] =
        "SELECT p.run, p.value, p.error, p.deviation, p.code, p.rounds, p.flags FROM (SELECT id "
        "FROM run WHERE suite = $1 AND machine = $2 AND points > 0 ORDER BY started DESC, hash "
        "DESC LIMIT $3) AS r CROSS JOIN point AS p WHERE p.run = r.id AND p.series = $4";
    return kg_query_prepare(search->database, runs, &search->runs, err) &&
           kg_query_prepare(search->database, points, &search->points, err);
}

/* Puts the runs into the order of time. Points then name runs by their new places. */
static int compare_by_time(const void *a, const void *b)
{
    const struct kg_history_run *x = a, *y = b;
    const int by_time = strcmp(x->started, y->started);
    return by_time ? by_time : strcmp(x->hash, y->hash);
}

static void runs_sort(struct kg_history *history)
{
    size_t *places = kg_alloc(history->run_count, sizeof *places);
    for (size_t i = 0; i < history->run_count; i++)
        history->runs[i].id = (int64_t)i;
    if (history->run_count)
        qsort(history->runs, history->run_count, sizeof *history->runs, compare_by_time);
    for (size_t i = 0; i < history->run_count; i++)
        places[history->runs[i].id] = i;
    for (size_t i = 0; i < history->series_count; i++)
        for (size_t j = 0; j < history->series[i].point_count; j++)
            history->series[i].points[j].run = places[history->series[i].points[j].run];
    free(places);
}

/* Series of one suite and machine follow each other only in part, so the ranges are kept. */
struct kept_range {
    const char *suite;
    int64_t machine;
    struct range range;
};

static bool range_find(struct search *search, const struct found *found, struct kg_history *history,
                       struct kept_range *ranges, size_t *count, const struct range **range,
                       struct kg_error *err)
{
    for (size_t i = *count; i-- > 0;)
        if (ranges[i].machine == found->machine && !strcmp(ranges[i].suite, found->series.suite)) {
            *range = &ranges[i].range;
            return true;
        }
    struct kept_range *kept = &ranges[(*count)++];
    *kept = (struct kept_range){.suite = found->series.suite, .machine = found->machine};
    *range = &kept->range;
    return range_read(search, found, history, &kept->range, err);
}

static bool found_read(struct search *search, struct kg_history *history, struct kg_error *err)
{
    struct kept_range *ranges = kg_alloc(search->count, sizeof *ranges);
    const struct range *range;
    size_t count = 0;
    bool good = search_prepare(search, err);
    history->series = kg_arena_alloc(&history->arena, search->count, sizeof *history->series);
    for (size_t i = 0; good && i < search->count; i++) {
        struct kg_history_series *series = &history->series[history->series_count];
        *series = search->found[i].series;
        good = range_find(search, &search->found[i], history, ranges, &count, &range, err) &&
               points_read(search, &search->found[i], range, history, series, err);
        history->series_count += series->point_count > 0;
    }
    if (good)
        runs_sort(history);
    free(ranges);
    return good;
}

static int compare_ids(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Keeps the changes of the history's series. */
static void changes_choose(struct kg_history *history)
{
    int64_t *ids = kg_alloc(history->series_count + 1, sizeof *ids);
    size_t kept = 0;
    for (size_t i = 0; i < history->series_count; i++)
        ids[i] = history->series[i].id;
    qsort(ids, history->series_count, sizeof *ids, compare_ids);
    for (size_t i = 0; i < history->change_count; i++)
        if (bsearch(&history->changes[i].series, ids, history->series_count, sizeof *ids,
                    compare_ids))
            history->changes[kept++] = history->changes[i];
    history->change_count = kept;
    free(ids);
}

bool kg_history_show(struct kg_history_database *database, const struct kg_history_filter *filter,
                     struct kg_history *history, struct kg_error *err)
{
    struct search search = {.database = database, .filter = filter};
    history->database = kg_arena_copy(&history->arena, database->name);
    bool good = !filter->which || series_find(&search, true, &history->arena, err);
    if (good && !search.count)
        good = series_find(&search, false, &history->arena, err);
    if (good && !search.count && filter->which)
        good = kg_history_case_refuse(database, filter->which, err);
    good = good && found_read(&search, history, err) &&
           kg_history_changes(database, filter, history, err);
    history->content = KG_HISTORY_TRENDS;
    if (good) {
        changes_choose(history);
        kg_history_trends_find(history);
    }
    kg_query_free(&search.runs);
    kg_query_free(&search.points);
    kg_arena_free(&search.arena);
    return good;
}

/* --- Changes ---------------------------------------------------------------------------------- */

static void change_read(const struct kg_query *query, struct kg_history *history)
{
    struct kg_arena *arena = &history->arena;
    kg_arena_grow(arena, &history->changes, history->change_count, &history->change_capacity,
                  sizeof *history->changes);
    history->changes[history->change_count++] = (struct kg_history_change){
        .id = kg_row_integer(query, 0),
        .suite = kg_row_copy(query, 1, arena),
        .id_of_case = kg_row_copy(query, 2, arena),
        .metric = kg_row_copy(query, 3, arena),
        .machine = kg_row_copy(query, 4, arena),
        .host = kg_row_keep(query, 5, arena),
        .before = kg_row_keep(query, 6, arena),
        .after = kg_row_keep(query, 7, arena),
        .commit_before = kg_row_keep(query, 8, arena),
        .commit_after = kg_row_keep(query, 9, arena),
        .found = kg_row_keep(query, 10, arena),
        .ratio = kg_row_real(query, 11),
        .low = kg_row_real(query, 12),
        .high = kg_row_real(query, 13),
        .cause = kg_row_copy(query, 14, arena),
        .state = kg_row_copy(query, 15, arena),
        .proof = kg_row_keep(query, 16, arena),
        .culprit = kg_row_keep(query, 17, arena),
        .kind = kg_row_copy(query, 18, arena),
        .series = kg_row_integer(query, 19),
        .seconds = kg_row_real(query, 20),
    };
}

bool kg_history_changes(struct kg_history_database *database,
                        const struct kg_history_filter *filter, struct kg_history *history,
                        struct kg_error *err)
{
    static const char sql[] =
        "SELECT h.id, s.suite, s.case_, s.metric, m.class, m.host, b.hash, a.hash, cb.sha, ca.sha, "
        "f.started, h.ratio, h.low, h.high, h.cause, h.state, h.proof, h.culprit, h.kind, s.id, "
        "h.seconds "
        "FROM change AS h "
        "JOIN series AS s ON s.id = h.series JOIN machine AS m ON m.id = s.machine "
        "LEFT JOIN run AS b ON b.id = h.run_before LEFT JOIN run AS a ON a.id = h.run_after "
        "LEFT JOIN run AS f ON f.id = h.found_run LEFT JOIN commit_ AS cb ON cb.id = b.commit_ "
        "LEFT JOIN commit_ AS ca ON ca.id = a.commit_ WHERE ($1 = '' OR s.suite = $1) AND ($2 = '' "
        "OR m.class = $2 OR m.host = $2) AND ($3 = '' OR s.metric = $3) AND ($4 = 1 OR h.state <> "
        "'refuted' OR h.cause <> 'machine') ORDER BY h.id DESC";
    struct kg_query query = {0};
    history->content = KG_HISTORY_CHANGES;
    history->database = kg_arena_copy(&history->arena, database->name);
    bool good = kg_query_prepare(database, sql, &query, err);
    if (good) {
        kg_query_begin(&query, "ttti", or_empty(filter->suite), or_empty(filter->machine),
                       or_empty(filter->metric), (int64_t)filter->refuted);
        good = rows_read(&query, history, change_read, err);
    }
    kg_query_free(&query);
    return good;
}

/* --- Nodes ------------------------------------------------------------------------------------ */

static void node_read(const struct kg_query *query, struct kg_history *history)
{
    struct kg_arena *arena = &history->arena;
    kg_arena_grow(arena, &history->nodes, history->node_count, &history->node_capacity,
                  sizeof *history->nodes);
    history->nodes[history->node_count++] =
        (struct kg_history_node){.suite = kg_row_copy(query, 0, arena),
                                 .machine = kg_row_copy(query, 1, arena),
                                 .host = kg_row_keep(query, 2, arena),
                                 .run = kg_row_copy(query, 3, arena),
                                 .started = kg_row_copy(query, 4, arena),
                                 .commit = kg_row_keep(query, 5, arena),
                                 .ratio = exp(kg_row_real(query, 6)),
                                 .excess = exp(kg_row_real(query, 7)),
                                 .deviation = kg_row_real(query, 8)};
}

bool kg_history_nodes(struct kg_history_database *database, const struct kg_history_filter *filter,
                      struct kg_history *history, struct kg_error *err)
{
    static const char sql[] =
        "SELECT r.suite, m.class, m.host, r.hash, r.started, c.sha, r.distance, r.excess, "
        "r.deviation FROM run AS r JOIN machine AS m ON m.id = r.machine LEFT JOIN commit_ AS c ON "
        "c.id = r.commit_ WHERE r.excess IS NOT NULL AND ($1 = '' OR r.suite = $1) AND ($2 = '' OR "
        "m.class = $2 OR m.host = $2) ORDER BY r.started DESC, r.hash";
    struct kg_query query = {0};
    bool good = kg_query_prepare(database, sql, &query, err);
    if (good) {
        kg_query_begin(&query, "tt", or_empty(filter->suite), or_empty(filter->machine));
        good = rows_read(&query, history, node_read, err);
    }
    kg_query_free(&query);
    return good;
}
