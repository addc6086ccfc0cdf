#include "judge/ranking.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What decides a case when its metrics differ: the lower the rank, the worse. */
static const int severity[KG_CHANGE_COUNT] = {
    [KG_CHANGE_FAILED] = 0,       [KG_CHANGE_REGRESSION] = 1,  [KG_CHANGE_SUSPECT] = 2,
    [KG_CHANGE_INCONCLUSIVE] = 3, [KG_CHANGE_IMPROVEMENT] = 4, [KG_CHANGE_NO_CHANGE] = 5,
    [KG_CHANGE_NEW] = 6,          [KG_CHANGE_REMOVED] = 6,     [KG_CHANGE_SKIPPED] = 6};

/* Where reports show it. */
static const int position[KG_CHANGE_COUNT] = {
    [KG_CHANGE_FAILED] = 0,       [KG_CHANGE_REGRESSION] = 1,  [KG_CHANGE_SUSPECT] = 2,
    [KG_CHANGE_INCONCLUSIVE] = 3, [KG_CHANGE_NEW] = 4,         [KG_CHANGE_REMOVED] = 5,
    [KG_CHANGE_SKIPPED] = 6,      [KG_CHANGE_IMPROVEMENT] = 7, [KG_CHANGE_NO_CHANGE] = 8};

int kg_compare_ids(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* How far a metric is from its reference, for ranking: a violated ">=" budget counts as much as its
 * inverse. */
static double distance(const struct kg_metric *metric)
{
    const double size = fabs(log(metric->ratio));
    return isfinite(size) ? size : 0;
}

/* A metric that nobody asked for leaves no case undecided. */
static int severity_of(const struct kg_metric *metric)
{
    const bool ignored = metric->unasked && metric->change == KG_CHANGE_INCONCLUSIVE;
    return ignored ? severity[KG_CHANGE_NO_CHANGE] + 1 : severity[metric->change];
}

static bool decides_over(const struct kg_metric *a, const struct kg_metric *b)
{
    if (severity_of(a) != severity_of(b))
        return severity_of(a) < severity_of(b);
    return a->change != KG_CHANGE_NO_CHANGE && distance(a) > distance(b);
}

void kg_case_decide(struct kg_case_change *change)
{
    size_t best = 0;
    if (!change->metric_count)
        return;
    for (size_t m = 1; m < change->metric_count; m++)
        if (decides_over(&change->metrics[m], &change->metrics[best]))
            best = m;
    const struct kg_metric deciding = change->metrics[best];
    memmove(&change->metrics[1], &change->metrics[0], best * sizeof deciding);
    change->metrics[0] = deciding;
    if (change->change == KG_CHANGE_NEW && deciding.change == KG_CHANGE_NO_CHANGE)
        return;
    change->change = deciding.change;
}

struct ranked {
    const struct kg_case_change *change;
    double size;
    size_t index;
};

static int compare_ranked(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    const int by_position = position[x->change->change] - position[y->change->change];
    if (by_position)
        return by_position;
    if (x->size != y->size)
        return x->size > y->size ? -1 : 1;
    if (x->change->order != y->change->order)
        return x->change->order < y->change->order ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

bool kg_cases_rank(struct kg_comparison *comparison, struct kg_error *err)
{
    const size_t count = comparison->case_count;
    struct ranked *ranked = calloc(count + 1, sizeof *ranked);
    struct kg_case_change *sorted =
        kg_arena_alloc(&comparison->arena, count, sizeof *comparison->cases);
    if (!ranked || !sorted) {
        free(ranked);
        return kg_error_memory(err);
    }
    for (size_t i = 0; i < count; i++) {
        const struct kg_case_change *change = &comparison->cases[i];
        const bool moved =
            change->metric_count &&
            (change->change == KG_CHANGE_REGRESSION || change->change == KG_CHANGE_IMPROVEMENT ||
             change->change == KG_CHANGE_SUSPECT || change->change == KG_CHANGE_INCONCLUSIVE);
        ranked[i] = (struct ranked){
            .change = change, .size = moved ? distance(&change->metrics[0]) : 0, .index = i};
    }
    qsort(ranked, count, sizeof *ranked, compare_ranked);
    for (size_t i = 0; i < count; i++)
        sorted[i] = *ranked[i].change;
    comparison->cases = sorted;
    free(ranked);
    return true;
}
