#include "model/stored_runs.h"

#include <math.h>
#include <string.h>

/* Compares values with the precision of a file. */
static bool same_series(const struct kg_baseline_series *a, const struct kg_baseline_series *b)
{
    if (!b || a->value_count != b->value_count)
        return false;
    for (size_t i = 0; i < a->value_count; i++)
        if (fabs(a->values[i] - b->values[i]) > 1e-9 * fabs(b->values[i]))
            return false;
    return true;
}

static bool same_values(const struct kg_baseline_case *a, const struct kg_baseline_case *b)
{
    if (strcmp(a->id, b->id) != 0 || strcmp(a->definition_hash, b->definition_hash) != 0)
        return false;
    for (size_t i = 0; i < a->series_count; i++)
        if (!same_series(&a->series[i],
                         kg_baseline_series_find(b, a->series[i].name, a->series[i].source)))
            return false;
    return true;
}

bool kg_stored_run_same(const struct kg_baseline_run *a, const struct kg_baseline_run *b)
{
    if (strcmp(a->created, b->created) != 0 || strcmp(a->suite, b->suite) != 0 ||
        a->case_count != b->case_count || !a->case_count)
        return false;
    for (size_t i = 0; i < a->case_count; i++)
        if (!same_values(&a->cases[i], &b->cases[i]))
            return false;
    return true;
}

static bool times_check(const struct kg_baseline *baseline, struct kg_error *err)
{
    for (size_t i = 0; i < baseline->run_count; i++)
        if (!kg_timestamp_is(baseline->runs[i].created))
            return kg_error_set(err, KG_ERROR_USAGE,
                                "runs[%zu].created: expected a time such as 2026-01-31T12:00:00Z, "
                                "found '%.40s'",
                                i, baseline->runs[i].created);
    return true;
}

/* Refuses an ordinary run that is there twice; a pinned copy is allowed. */
static bool once_check(const struct kg_baseline *baseline, struct kg_error *err)
{
    const struct kg_baseline_run *runs = baseline->runs;
    for (size_t i = 0; i < baseline->run_count; i++)
        for (size_t j = 0; j < i; j++)
            if (!runs[i].pin && !runs[j].pin && kg_stored_run_same(&runs[j], &runs[i]))
                return kg_error_set(err, KG_ERROR_USAGE,
                                    "runs[%zu] repeats runs[%zu] of %s: two copies would pass as "
                                    "runs that agree; remove one of them",
                                    i, j, runs[i].created);
    return true;
}

/* Insertion sort: a file that kgate wrote is already in order. */
static void sort(struct kg_baseline *baseline)
{
    for (size_t i = 1; i < baseline->run_count; i++) {
        const struct kg_baseline_run run = baseline->runs[i];
        size_t to = i;
        for (; to && strcmp(baseline->runs[to - 1].created, run.created) > 0; to--)
            baseline->runs[to] = baseline->runs[to - 1];
        baseline->runs[to] = run;
    }
}

bool kg_stored_runs_settle(struct kg_baseline *baseline, struct kg_error *err)
{
    if (!times_check(baseline, err) || !once_check(baseline, err))
        return false;
    sort(baseline);
    return true;
}
