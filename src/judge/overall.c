#include "judge/overall.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Returns the case's time against baseline or base, if both sides have one; else NULL. */
static const struct kg_metric *compared_time(const struct kg_case_change *change)
{
    for (size_t m = 0; m < change->metric_count; m++) {
        const struct kg_metric *metric = &change->metrics[m];
        const enum kg_against against = kg_metric_against(metric);
        if (kg_metric_kind_find(metric->name) == KG_METRIC_TIME &&
            (against == KG_AGAINST_BASELINE || against == KG_AGAINST_BASE))
            return isfinite(metric->ratio) && metric->ratio > 0 && metric->doubt != KG_DOUBT_BUSY
                       ? metric
                       : NULL;
    }
    return NULL;
}

static bool is_decided(const struct kg_metric *time)
{
    return (time->change == KG_CHANGE_REGRESSION || time->change == KG_CHANGE_IMPROVEMENT ||
            time->change == KG_CHANGE_NO_CHANGE) &&
           isfinite(time->baseline) && isfinite(time->current);
}

/* Sums up the cases.
 * workload  the workload of all cases; NULL: the whole suite */
static struct kg_overall sum(const struct kg_case_change *const *cases, size_t count,
                             const char *workload)
{
    struct kg_overall overall = {.workload = workload, .cases = count};
    double decided = 0, compared = 0;
    for (size_t i = 0; i < count; i++) {
        const struct kg_metric *time = compared_time(cases[i]);
        if (!time)
            continue;
        overall.compared++;
        compared += log(time->ratio);
        if (!is_decided(time))
            continue;
        overall.counted++;
        overall.baseline_ns += time->baseline;
        overall.current_ns += time->current;
        decided += log(time->ratio);
    }
    overall.geometric_ratio = overall.counted ? exp(decided / (double)overall.counted) : NAN;
    overall.compared_ratio = overall.compared ? exp(compared / (double)overall.compared) : NAN;
    return overall;
}

/* Cases of one workload, in the suite's order. */
struct group {
    const struct kg_case_change *const *cases;
    size_t count;
};

/* By the suite's order. Removed cases share one `order`, so the position in the array breaks ties. */
static int by_order(const struct kg_case_change *a, const struct kg_case_change *b)
{
    if (a->order != b->order)
        return a->order < b->order ? -1 : 1;
    return (a > b) - (a < b);
}

static int by_workload(const void *a, const void *b)
{
    const struct kg_case_change *one = *(const struct kg_case_change *const *)a,
                                *other = *(const struct kg_case_change *const *)b;
    const int difference = strcmp(one->workload, other->workload);
    return difference ? difference : by_order(one, other);
}

static int by_first_case(const void *a, const void *b)
{
    const struct group *one = a, *other = b;
    return by_order(*one->cases, *other->cases);
}

/* Sorts the cases into groups and the groups into the suite's order. Returns the number of groups. */
static size_t groups_make(const struct kg_case_change **cases, size_t count, struct group *groups)
{
    size_t group_count = 0;
    qsort(cases, count, sizeof(void *), by_workload);
    for (size_t i = 0; i < count; i++) {
        if (!i || strcmp(cases[i]->workload, cases[i - 1]->workload) != 0)
            groups[group_count++] = (struct group){.cases = &cases[i]};
        groups[group_count - 1].count++;
    }
    qsort(groups, group_count, sizeof *groups, by_first_case);
    return group_count;
}

static void workloads_sum(struct kg_comparison *comparison, const struct kg_case_change **cases,
                          struct group *groups)
{
    enum { MOST = 100 }; /* no reader needs more */
    const struct kg_overall whole = sum(cases, comparison->case_count, NULL);
    if (!whole.compared)
        return;
    const size_t count = groups_make(cases, comparison->case_count, groups);
    const size_t shown = count < MOST ? count : MOST;
    comparison->overall =
        kg_arena_alloc(&comparison->arena, shown + 1, sizeof *comparison->overall);
    comparison->overall[0] = whole;
    for (size_t i = 0; i < shown; i++)
        comparison->overall[1 + i] =
            sum(groups[i].cases, groups[i].count, (*groups[i].cases)->workload);
    comparison->overall_count = shown + 1;
}

void kg_overall_make(struct kg_comparison *comparison)
{
    struct kg_arena scratch = {0};
    const size_t count = comparison->case_count;
    const struct kg_case_change **cases = kg_arena_alloc(&scratch, count, sizeof *cases);
    struct group *groups = kg_arena_alloc(&scratch, count, sizeof *groups);
    comparison->overall_count = 0;
    for (size_t i = 0; i < count; i++)
        cases[i] = &comparison->cases[i];
    workloads_sum(comparison, cases, groups);
    kg_arena_free(&scratch);
}
