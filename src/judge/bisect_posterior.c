/* bisect_posterior.c: all positions of one cause, and of two, weighted by their likelihood. The levels and the offsets
 * are normal, so their integrals have a closed form. Commits between two measured neighbours have the same likelihood:
 * they are one cell, so the work grows with the builds and not with the commits. */
#include "judge/bisect_posterior.h"

#include <math.h>
#include <stdlib.h>

const double KG_BISECT_SURE = 0.99, KG_BISECT_SET = 0.95;
const char *const kg_bisect_status_names[6] = {"untried",     "measured", "same-code",
                                               "unbuildable", "left-out", NULL};

/* Prior probability of two causes. */
static const double TWO_PRIOR = 0.05;

/* Sums over points, each weighted by its precision. */
struct sums {
    double precision;
    double first;   /* of the means */
    double squares; /* of the means */
    double logs;    /* of the precisions */
};

/* Commits `after` + 1 to `last`. */
struct cell {
    size_t after, last;
    double weight;  /* sum of the prior weights */
    double squares; /* sum of their squares */
};

/* Normal prior of a level. */
struct level {
    double mean, deviation;
};

struct work {
    const struct kg_bisect_range *range;
    struct kg_bisect_point *points; /* sorted */
    size_t point_count;
    struct sums *until; /* until[k]: the first k points */
    struct cell *cells; /* cell k ends at point k */
    double *one;        /* per cell: log of the joint probability */
    double *two;        /* per pair of cells, row by row */
    struct level good, middle, bad;
};

/* --- Prior ------------------------------------------------------------------------------------ */

double kg_bisect_weight(const double strengths[KG_BISECT_HINTS])
{
    static const double MOST = 10;
    double sum = 0, sources = 0;
    for (size_t i = 0; i < KG_BISECT_HINTS; i++)
        if (!isnan(strengths[i])) {
            sum += strengths[i];
            sources++;
        }
    return sources > 0 ? pow(MOST, sum / sources) : 1;
}

double kg_bisect_nearness(size_t commit, size_t first, size_t last)
{
    const size_t distance = commit < first ? first - commit : commit > last ? commit - last : 0;
    return exp(-(double)distance / (double)(last - first + 1));
}

/* --- Posterior -------------------------------------------------------------------------------- */

static int by_commit(const void *a, const void *b)
{
    const struct kg_bisect_point *one = a, *other = b;
    return one->commit < other->commit ? -1 : one->commit > other->commit;
}

static void sums_make(struct work *work)
{
    const double offset = work->range->offset * work->range->offset;
    for (size_t k = 0; k < work->point_count; k++) {
        const struct kg_bisect_point *point = &work->points[k];
        const double precision = 1 / (offset + point->variance);
        const struct sums *before = &work->until[k];
        work->until[k + 1] = (struct sums){
            before->precision + precision, before->first + precision * point->mean,
            before->squares + precision * point->mean * point->mean, before->logs + log(precision)};
    }
}

static void cells_make(struct work *work)
{
    size_t after = 0;
    for (size_t k = 0; k < work->point_count; k++) {
        struct cell *cell = &work->cells[k];
        *cell = (struct cell){.after = after, .last = work->points[k].commit};
        for (size_t c = after + 1; c <= cell->last; c++) {
            cell->weight += work->range->weights[c];
            cell->squares += work->range->weights[c] * work->range->weights[c];
        }
        after = cell->last;
    }
}

/* The points from `from` to before `to` about the mean of their level's prior. */
static struct sums between(const struct work *work, size_t from, size_t to, double mean)
{
    const struct sums *a = &work->until[from], *b = &work->until[to];
    const double precision = b->precision - a->precision, first = b->first - a->first;
    return (struct sums){precision, first - mean * precision,
                         b->squares - a->squares - 2 * mean * first + mean * mean * precision,
                         b->logs - a->logs};
}

/* Log likelihood of these points at one level, without the constant. */
static double likelihood(const struct work *work, size_t from, size_t to, struct level level)
{
    const struct sums sums = between(work, from, to, level.mean);
    const double prior = level.deviation * level.deviation;
    const double shrink = prior / (1 + prior * sums.precision);
    return 0.5 * (sums.logs - log1p(prior * sums.precision) - sums.squares +
                  shrink * sums.first * sums.first);
}

static double level_mean(const struct work *work, size_t from, size_t to, struct level level)
{
    const struct sums sums = between(work, from, to, level.mean);
    const double prior = level.deviation * level.deviation;
    return level.mean + prior * sums.first / (1 + prior * sums.precision);
}

/* Fills the logs of one cause in each cell and of two causes in each pair of cells. */
static void logs_make(struct work *work)
{
    const size_t n = work->point_count;
    double total = 0, squares = 0;
    for (size_t k = 0; k < n; k++)
        total += work->cells[k].weight, squares += work->cells[k].squares;
    const double pairs = 0.5 * (total * total - squares);
    const double two = pairs > 0 ? TWO_PRIOR : 0;
    for (size_t i = 0; i < n; i++) {
        const double before = likelihood(work, 0, i, work->good);
        work->one[i] = log1p(-two) + log(work->cells[i].weight / total) + before +
                       likelihood(work, i, n, work->bad);
        for (size_t j = i; j < n; j++) {
            const struct cell *a = &work->cells[i], *b = &work->cells[j];
            const double weight =
                i == j ? 0.5 * (a->weight * a->weight - a->squares) : a->weight * b->weight;
            work->two[i * n + j] = weight > 0 && two > 0
                                       ? log(two * weight / pairs) + before +
                                             likelihood(work, i, j, work->middle) +
                                             likelihood(work, j, n, work->bad)
                                       : -INFINITY;
        }
    }
}

/* Replaces the logs by probabilities with a sum of 1. Returns the probability of two causes. */
static double normalise(struct work *work)
{
    const size_t n = work->point_count;
    double most = -INFINITY, one = 0, two = 0;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, work->one[i]);
    for (size_t i = 0; i < n * n; i++)
        most = fmax(most, work->two[i]);
    for (size_t i = 0; i < n; i++)
        one += work->one[i] = exp(work->one[i] - most);
    for (size_t i = 0; i < n * n; i++)
        two += work->two[i] = exp(work->two[i] - most);
    for (size_t i = 0; i < n; i++)
        work->one[i] /= one + two;
    for (size_t i = 0; i < n * n; i++)
        work->two[i] /= one + two;
    return two / (one + two);
}

/* Divides a cell's probability among its commits. */
static void spread(const struct work *work, size_t cell, double probability, double *commits)
{
    const struct cell *at = &work->cells[cell];
    for (size_t c = at->after + 1; c <= at->last && at->weight > 0; c++)
        commits[c] += probability * work->range->weights[c] / at->weight;
}

static void levels_find(const struct work *work, struct kg_bisect_posterior *posterior)
{
    const size_t n = work->point_count;
    size_t first = 0, second = 0;
    for (size_t i = 0; i < n; i++)
        if (work->one[i] > work->one[first])
            first = i;
    second = first;
    if (n && kg_bisect_is_two(posterior)) {
        size_t best = 0;
        for (size_t k = 0; k < n * n; k++)
            if (work->two[k] > work->two[best])
                best = k;
        first = best / n, second = best % n;
    }
    posterior->good = level_mean(work, 0, first, work->good);
    posterior->middle = first == second ? NAN : level_mean(work, first, second, work->middle);
    posterior->bad = level_mean(work, second, n, work->bad);
}

static void commits_fill(const struct work *work, struct kg_bisect_posterior *posterior)
{
    const size_t n = work->point_count;
    const double one = 1 - posterior->two, two = posterior->two;
    for (size_t i = 0; i < n; i++) {
        if (one > 0)
            spread(work, i, work->one[i] / one, posterior->one);
        for (size_t j = i; j < n && two > 0; j++) {
            spread(work, i, work->two[i * n + j] / two, posterior->first);
            spread(work, j, work->two[i * n + j] / two, posterior->second);
        }
    }
    for (size_t c = 0; c <= work->range->count; c++)
        posterior->cause[c] =
            one * posterior->one[c] + two * (posterior->first[c] + posterior->second[c]);
}

struct kg_bisect_posterior kg_bisect_posterior(const struct kg_bisect_range *range,
                                               const struct kg_bisect_point *points, size_t count,
                                               struct kg_arena *arena)
{
    const size_t commits = range->count + 1;
    struct kg_arena scratch = {0};
    const double effect = range->effect;
    struct work work = {.range = range,
                        .points = kg_arena_alloc(&scratch, count, sizeof *work.points),
                        .point_count = count,
                        .until = kg_arena_alloc(&scratch, count + 1, sizeof *work.until),
                        .cells = kg_arena_alloc(&scratch, count, sizeof *work.cells),
                        .one = kg_arena_alloc(&scratch, count, sizeof *work.one),
                        .two = kg_arena_alloc(&scratch, count * count, sizeof *work.two),
                        /* the good build has an offset, too */
                        .good = {0, range->offset},
                        .middle = {effect / 2, effect / 4},
                        .bad = {0, 2 * effect}};
    struct kg_bisect_posterior posterior = {
        .one = kg_arena_alloc(arena, commits, sizeof *posterior.one),
        .first = kg_arena_alloc(arena, commits, sizeof *posterior.first),
        .second = kg_arena_alloc(arena, commits, sizeof *posterior.second),
        .cause = kg_arena_alloc(arena, commits, sizeof *posterior.cause)};
    for (size_t k = 0; k < count; k++)
        work.points[k] = points[k];
    qsort(work.points, count, sizeof *work.points, by_commit);
    for (size_t k = 0; k < count * count; k++)
        work.two[k] = -INFINITY;
    sums_make(&work);
    cells_make(&work);
    logs_make(&work);
    posterior.two = normalise(&work);
    commits_fill(&work, &posterior);
    levels_find(&work, &posterior);
    kg_arena_free(&scratch);
    return posterior;
}

bool kg_bisect_is_two(const struct kg_bisect_posterior *posterior)
{
    return posterior->two > 0.5;
}
