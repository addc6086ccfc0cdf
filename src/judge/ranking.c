#include "judge/ranking.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/change.h"

int kg_compare_ids(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Distance of a metric from its reference, for ranking. A missed ">=" budget counts like its inverse. */
static double distance(const struct kg_metric *metric)
{
    const double size = fabs(log(metric->ratio));
    return isfinite(size) ? size : 0;
}

/* A metric that the suite did not ask for leaves no case undecided. */
static int rank_of(const struct kg_metric *metric)
{
    const bool ignored = metric->unasked && metric->change == KG_CHANGE_INCONCLUSIVE;
    return ignored ? KG_CHANGE_COUNT : kg_changes[metric->change].rank;
}

static bool decides_over(const struct kg_metric *a, const struct kg_metric *b)
{
    if (rank_of(a) != rank_of(b))
        return rank_of(a) < rank_of(b);
    return a->change != KG_CHANGE_NO_CHANGE && distance(a) > distance(b);
}

static void differences_set(struct kg_case_change *change)
{
    for (size_t m = 0; m < change->metric_count; m++) {
        struct kg_metric *metric = &change->metrics[m];
        metric->difference = metric->current - metric->baseline;
        metric->change_percent = 100 * (metric->ratio - 1);
    }
}

void kg_case_decide(struct kg_case_change *change)
{
    size_t best = 0;
    differences_set(change);
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
    const int by_rank = kg_changes[x->change->change].rank - kg_changes[y->change->change].rank;
    if (by_rank)
        return by_rank;
    if (x->size != y->size)
        return x->size > y->size ? -1 : 1;
    if (x->change->order != y->change->order)
        return x->change->order < y->change->order ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

void kg_cases_rank(struct kg_comparison *comparison)
{
    const size_t count = comparison->case_count;
    struct ranked *ranked = kg_alloc(count + 1, sizeof *ranked);
    struct kg_case_change *sorted =
        kg_arena_alloc(&comparison->arena, count, sizeof *comparison->cases);
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
}
