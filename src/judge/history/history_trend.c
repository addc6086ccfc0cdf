/* history_trend.c: places the changes of a series among its points, and finds the levels between its steps. Reports
 * draw both, so all of them show the same levels. The detector knows a step only as a range of runs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/statistics/stats.h"
#include "judge/history/history.h"

static bool is_step(const struct kg_history *history, const struct kg_trend_mark *mark)
{
    return !strcmp(history->changes[mark->change].kind, kg_change_kind_names[0]);
}

/* Index of the point of the run; the number of points if it has none. */
static size_t point_find(const struct kg_history *history, const struct kg_history_series *series,
                         const char *hash)
{
    size_t i = 0;
    while (i < series->point_count && strcmp(history->runs[series->points[i].run].hash, hash) != 0)
        i++;
    return i;
}

static int compare_marks(const void *a, const void *b)
{
    const struct kg_trend_mark *x = a, *y = b;
    if (x->after != y->after)
        return x->after < y->after ? -1 : 1;
    return (x->change < y->change) - (x->change > y->change);
}

/* A removed run on the older side counts as the oldest point. */
static void marks_find(struct kg_history *history, struct kg_history_series *series)
{
    size_t most = 0;
    for (size_t i = 0; i < history->change_count; i++)
        most += history->changes[i].series == series->id;
    series->marks = kg_arena_alloc(&history->arena, most, sizeof *series->marks);
    for (size_t i = 0; i < history->change_count; i++) {
        const struct kg_history_change *change = &history->changes[i];
        if (change->series != series->id || !change->after)
            continue;
        const size_t after = point_find(history, series, change->after);
        const size_t before =
            change->before ? point_find(history, series, change->before) : series->point_count;
        if (after < series->point_count)
            series->marks[series->mark_count++] = (struct kg_trend_mark){
                .change = i, .before = before < after ? before : 0, .after = after, .at = after};
    }
    qsort(series->marks, series->mark_count, sizeof *series->marks, compare_marks);
}

/* Sum of squares about the mean. */
static double squares_of(const double *values, size_t count)
{
    const double mean = kg_mean(values, count);
    double squares = 0;
    for (size_t i = 0; i < count; i++)
        squares += (values[i] - mean) * (values[i] - mean);
    return squares;
}

/* The split of the points [first, end) inside the mark's range, with the least squares about two means. */
static size_t split_find(const double *values, const struct kg_trend_mark *mark, size_t first,
                         size_t end)
{
    double least = INFINITY;
    size_t best = mark->after;
    for (size_t at = mark->before + 1; at <= mark->after; at++) {
        if (at <= first)
            continue;
        const double squares =
            squares_of(values + first, at - first) + squares_of(values + at, end - at);
        if (squares < least) {
            least = squares;
            best = at;
        }
    }
    return best;
}

static void splits_find(const struct kg_history *history, struct kg_history_series *series,
                        const double *values)
{
    size_t first = 0;
    for (size_t i = 0; i < series->mark_count; i++) {
        struct kg_trend_mark *mark = &series->marks[i];
        size_t end = series->point_count;
        if (!is_step(history, mark))
            continue;
        for (size_t next = i + 1; next < series->mark_count && end == series->point_count; next++)
            if (is_step(history, &series->marks[next]) && series->marks[next].before > mark->after)
                end = series->marks[next].before;
        mark->at = split_find(values, mark, first, end);
        first = mark->at;
    }
}

static void levels_find(struct kg_history *history, struct kg_history_series *series,
                        const double *values, double *scratch)
{
    struct kg_trend_level *levels =
        kg_arena_alloc(&history->arena, series->mark_count + 1, sizeof *levels);
    size_t count = 0;
    levels[count++].first = 0;
    for (size_t i = 0; i < series->mark_count; i++)
        if (is_step(history, &series->marks[i]) && series->marks[i].at > levels[count - 1].first)
            levels[count++].first = series->marks[i].at;
    for (size_t i = 0; i < count; i++) {
        const size_t end = i + 1 < count ? levels[i + 1].first : series->point_count;
        levels[i].value = kg_median_of(values + levels[i].first, end - levels[i].first, scratch);
    }
    series->levels = levels;
    series->level_count = count;
}

void kg_history_trends_find(struct kg_history *history)
{
    for (size_t i = 0; i < history->series_count; i++) {
        struct kg_history_series *series = &history->series[i];
        double *values = kg_alloc(series->point_count, sizeof *values);
        double *scratch = kg_alloc(series->point_count, sizeof *scratch);
        for (size_t p = 0; p < series->point_count; p++)
            values[p] = series->points[p].value;
        marks_find(history, series);
        splits_find(history, series, values);
        levels_find(history, series, values, scratch);
        free(values);
        free(scratch);
    }
}

size_t kg_history_here(const struct kg_history *history, const struct kg_history_series *series)
{
    for (size_t i = series->point_count; history->here && i-- > 0;) {
        const struct kg_history_run *run = &history->runs[series->points[i].run];
        if (run->commit && !strcmp(run->commit, history->here))
            return i;
    }
    return series->point_count - 1;
}
