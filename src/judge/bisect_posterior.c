/* bisect_posterior.c: all positions of one cause, and of two, weighted by their likelihood. A few builds have an offset
 * far beyond the usual one, so the offsets are a mixture of two normal distributions (a contaminated normal, Tukey
 * 1960). The integral over a level then has no closed form: it is a sum over a grid. Commits between two measured
 * neighbours have the same likelihood: they are one cell, so the work grows with the builds and not with the commits. */
#include "judge/bisect_posterior.h"

#include <math.h>
#include <stdlib.h>

const double KG_BISECT_SURE = 0.99, KG_BISECT_SET = 0.95;
const char *const kg_bisect_status_names[6] = {"untried",     "measured", "same-code",
                                               "unbuildable", "left-out", NULL};

/* Prior probability of two causes. */
static const double TWO_PRIOR = 0.05;

/* Share of the builds with a large offset, and its standard deviation over the usual one: 1 of about 70 builds of
 * the study differed by 4 %. */
static const double DEVIATING = 0.01, DEVIATION = 8;

/* Cells of the grid per usual offset: enough for the mean of 60 builds. */
static const double GRID_CELLS = 4;
/* Reach of the grid beyond the measured levels, in usual offsets, and most distance of a level from 0, in effects. */
static const double GRID_REACH = 6, LEVEL_MOST = 20;

/* Commits `after` + 1 to `last`. */
struct cell {
    size_t after, last;
    double weight;  /* sum of the prior weights */
    double squares; /* sum of their squares */
};

/* Levels of one cause, and of two. */
enum level { ONE_GOOD, ONE_BAD, TWO_GOOD, TWO_MIDDLE, TWO_BAD, LEVELS };

struct work {
    const struct kg_bisect_range *range;
    struct kg_bisect_point *points; /* sorted */
    size_t point_count;
    size_t size;           /* of the grid */
    double low, width;     /* its first level, and the distance between two */
    double *until;         /* row k: per level the log density of the first k points */
    struct cell *cells;    /* cell k ends at point k */
    double *one;           /* per cell: log of the joint probability */
    double *two;           /* per pair of cells, row by row */
    double *prior[LEVELS]; /* per level: log of its prior probability */
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

static double log_normal(double distance, double variance)
{
    return -0.5 * (distance * distance / variance + log(variance));
}

/* Log densities of a build's offset, measured with an error of this variance, without the constant. */
static double log_usual(const struct work *work, double distance, double variance)
{
    const double offset = work->range->offset;
    return log1p(-DEVIATING) + log_normal(distance, offset * offset + variance);
}

static double log_large(const struct work *work, double distance, double variance)
{
    const double offset = DEVIATION * work->range->offset;
    return log(DEVIATING) + log_normal(distance, offset * offset + variance);
}

static double log_offset(const struct work *work, double distance, double variance)
{
    const double usual = log_usual(work, distance, variance);
    const double large = log_large(work, distance, variance);
    return fmax(usual, large) + log1p(exp(-fabs(usual - large)));
}

static bool is_usual(const struct work *work, double distance, double variance)
{
    return log_usual(work, distance, variance) > log_large(work, distance, variance);
}

static double level_at(const struct work *work, size_t at)
{
    return work->low + (double)at * work->width;
}

/* The grid spans the measured levels. */
static void grid_make(struct work *work, struct kg_arena *arena)
{
    const double offset = work->range->offset, most = LEVEL_MOST * work->range->effect;
    double low = 0, high = work->range->effect;
    for (size_t k = 0; k < work->point_count; k++) {
        struct kg_bisect_point *point = &work->points[k];
        point->mean = fmin(fmax(point->mean, -most), most);
        low = fmin(low, point->mean);
        high = fmax(high, point->mean);
    }
    work->low = low - GRID_REACH * offset;
    work->width = offset / GRID_CELLS;
    work->size = (size_t)((high + GRID_REACH * offset - work->low) / work->width) + 1;
    work->until = kg_arena_alloc(arena, (work->point_count + 1) * work->size, sizeof(double));
    for (size_t i = 0; i < LEVELS; i++)
        work->prior[i] = kg_arena_alloc(arena, work->size, sizeof(double));
}

/* Probability that a normal value around 0 is at most `most`. */
static double normal_below(double most, double deviation)
{
    return 0.5 * erfc(-most / (deviation * sqrt(2)));
}

static double offset_below(const struct work *work, double most)
{
    const double offset = work->range->offset;
    return (1 - DEVIATING) * normal_below(most, offset) +
           DEVIATING * normal_below(most, DEVIATION * offset);
}

/* The good end has an offset, too. */
static void good_prior_make(struct work *work, enum level level, double most)
{
    const double whole = log(offset_below(work, most));
    for (size_t at = 0; at < work->size; at++)
        work->prior[level][at] = level_at(work, at) <= most
                                     ? log_offset(work, level_at(work, at), 0) - whole
                                     : -INFINITY;
}

static void bad_prior_make(struct work *work, enum level level, double least)
{
    const double deviation = 2 * work->range->effect;
    const double whole = log(normal_below(-least, deviation));
    for (size_t at = 0; at < work->size; at++)
        work->prior[level][at] = level_at(work, at) >= least
                                     ? log_normal(level_at(work, at), deviation * deviation) - whole
                                     : -INFINITY;
}

/* Bounds between the levels keep a step from vanishing: otherwise a large offset of an end would be a cause at any
 * commit. Every prior has the sum 1 over all levels. Otherwise the number of levels alone would decide between one cause
 * and two. */
static void priors_make(struct work *work)
{
    const double effect = work->range->effect;
    const double unit = log(work->width) - 0.5 * log(2 * M_PI);
    good_prior_make(work, ONE_GOOD, 0.5 * effect);
    good_prior_make(work, TWO_GOOD, 0.25 * effect);
    bad_prior_make(work, ONE_BAD, 0.5 * effect);
    bad_prior_make(work, TWO_BAD, 0.75 * effect);
    for (size_t at = 0; at < work->size; at++)
        work->prior[TWO_MIDDLE][at] =
            log_normal(level_at(work, at) - effect / 2, effect * effect / 16);
    for (size_t level = 0; level < LEVELS; level++)
        for (size_t at = 0; at < work->size; at++)
            work->prior[level][at] += unit;
}

static void densities_make(struct work *work)
{
    const size_t size = work->size;
    for (size_t k = 0; k < work->point_count; k++) {
        const struct kg_bisect_point *point = &work->points[k];
        for (size_t at = 0; at < size; at++)
            work->until[(k + 1) * size + at] =
                work->until[k * size + at] +
                log_offset(work, point->mean - level_at(work, at), point->variance);
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

/* A level between two causes, or beside one. */
struct found {
    double mean, mode;
};

/* Log likelihood of the points from `from` to before `to` at one level, without the constant. Without points: of the
 * part of the prior on the grid, as for points without information.
 * found  set; NULL: not wanted */
static double likelihood(const struct work *work, size_t from, size_t to, enum level level,
                         struct found *found)
{
    const double *before = &work->until[from * work->size], *until = &work->until[to * work->size];
    const double *prior = work->prior[level];
    double most = -INFINITY, sum = 0, first = 0;
    size_t best = 0;
    for (size_t at = 0; at < work->size; at++)
        if (prior[at] + until[at] - before[at] > most) {
            most = prior[at] + until[at] - before[at];
            best = at;
        }
    for (size_t at = 0; at < work->size; at++) {
        const double share = exp(prior[at] + until[at] - before[at] - most);
        sum += share;
        first += share * level_at(work, at);
    }
    if (found)
        *found = (struct found){first / sum, level_at(work, best)};
    return most + log(sum);
}

/* Mean of a level, and the number of its builds with a usual offset from the mode. Two builds far apart may have their
 * mean between them, where no build is.
 * end  whether the good end counts, too */
static double level_find(const struct work *work, size_t from, size_t to, enum level level,
                         bool end, size_t *builds)
{
    struct found found;
    likelihood(work, from, to, level, &found);
    *builds = end && is_usual(work, found.mode, 0);
    for (size_t k = from; k < to; k++)
        *builds += is_usual(work, work->points[k].mean - found.mode, work->points[k].variance);
    return found.mean;
}

/* Fills the logs of one cause in each cell and of two causes in each pair of cells. */
static void logs_make(struct work *work, double *after)
{
    const size_t n = work->point_count;
    double total = 0, squares = 0;
    for (size_t k = 0; k < n; k++)
        total += work->cells[k].weight, squares += work->cells[k].squares;
    const double pairs = 0.5 * (total * total - squares);
    const double two = pairs > 0 ? TWO_PRIOR : 0;
    for (size_t j = 0; j < n; j++)
        after[j] = likelihood(work, j, n, TWO_BAD, NULL);
    for (size_t i = 0; i < n; i++) {
        const double before = likelihood(work, 0, i, TWO_GOOD, NULL);
        work->one[i] = log1p(-two) + log(work->cells[i].weight / total) +
                       likelihood(work, 0, i, ONE_GOOD, NULL) +
                       likelihood(work, i, n, ONE_BAD, NULL);
        for (size_t j = i; j < n; j++) {
            const struct cell *a = &work->cells[i], *b = &work->cells[j];
            const double weight =
                i == j ? 0.5 * (a->weight * a->weight - a->squares) : a->weight * b->weight;
            work->two[i * n + j] = weight > 0 && two > 0
                                       ? log(two * weight / pairs) + before +
                                             likelihood(work, i, j, TWO_MIDDLE, NULL) + after[j]
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
    const bool is_two = kg_bisect_is_two(posterior);
    size_t first = 0, second = 0;
    for (size_t i = 0; i < n; i++)
        if (work->one[i] > work->one[first])
            first = i;
    second = first;
    if (n && is_two) {
        size_t best = 0;
        for (size_t k = 0; k < n * n; k++)
            if (work->two[k] > work->two[best])
                best = k;
        first = best / n, second = best % n;
    }
    posterior->good =
        level_find(work, 0, first, is_two ? TWO_GOOD : ONE_GOOD, true, &posterior->good_builds);
    posterior->middle =
        level_find(work, first, second, TWO_MIDDLE, false, &posterior->middle_builds);
    if (first == second)
        posterior->middle = NAN;
    posterior->bad =
        level_find(work, second, n, is_two ? TWO_BAD : ONE_BAD, false, &posterior->bad_builds);
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
    struct work work = {.range = range,
                        .points = kg_arena_alloc(&scratch, count, sizeof *work.points),
                        .point_count = count,
                        .cells = kg_arena_alloc(&scratch, count, sizeof *work.cells),
                        .one = kg_arena_alloc(&scratch, count, sizeof *work.one),
                        .two = kg_arena_alloc(&scratch, count * count, sizeof *work.two)};
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
    grid_make(&work, &scratch);
    priors_make(&work);
    densities_make(&work);
    cells_make(&work);
    logs_make(&work, kg_arena_alloc(&scratch, count, sizeof(double)));
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
