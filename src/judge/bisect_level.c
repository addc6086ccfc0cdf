/* bisect_level.c: the level of a build by its pairs. A CPU that others use for a moment moves one pair by a fifth of its
 * value. So the spread of all pairs is a median, and pairs far from the median of their build do not count. If many are
 * far, the build was measured under a load that comes and goes: nobody knows which pairs are right. */
#include <math.h>

#include "base/statistics/stats.h"
#include "judge/bisect_posterior.h"
#include "judge/bisect_record.h"

/* Least standard deviation of a pair: clocks repeat no better. */
static const double DEVIATION_LEAST = 1e-4;
/* A pair farther from the median than so many standard deviations does not count. */
static const double FAR = 3;
/* Share of near pairs from which a level is clear. */
static const double CLEAR = 0.75;
/* Variance of a median over that of a mean, for a normal distribution: pi / 2. */
static const double MEDIAN = 1.5708;
/* Standard deviation of a normal distribution over its median absolute deviation. */
static const double NORMAL = 1.4826;

/* Of n values, the distances from their own median are smaller than from the true one: the factor n / (n - 0.8) corrects
 * that (Croux and Rousseeuw 1992). */
static double correction(size_t n)
{
    return (double)n / ((double)n - 0.8);
}

double kg_bisect_deviation(const struct kg_bisect *bisect)
{
    struct kg_arena scratch = {0};
    size_t room = 1, count = 0;
    for (size_t c = 0; c < bisect->commit_count; c++)
        room += bisect->commits[c].pair_count;
    double *distances = kg_arena_alloc(&scratch, room, sizeof *distances);
    double *sorted = kg_arena_alloc(&scratch, room, sizeof *sorted);
    for (size_t c = 0; c < bisect->commit_count; c++) {
        const struct kg_bisect_commit *commit = &bisect->commits[c];
        if (commit->pair_count < 2)
            continue;
        const double median = kg_median_of(commit->pairs, commit->pair_count, sorted);
        for (size_t i = 0; i < commit->pair_count; i++)
            distances[count++] = fabs(commit->pairs[i] - median) * correction(commit->pair_count);
    }
    const double deviation = count ? NORMAL * kg_median_of(distances, count, sorted) : 0;
    kg_arena_free(&scratch);
    return fmax(deviation, DEVIATION_LEAST);
}

struct kg_bisect_level kg_bisect_level(const double *pairs, size_t n, double deviation)
{
    struct kg_arena scratch = {0};
    double *sorted = kg_arena_alloc(&scratch, n + 1, sizeof *sorted);
    double sum = 0;
    size_t near = 0;
    const double median = n ? kg_median_of(pairs, n, sorted) : NAN;
    for (size_t i = 0; i < n; i++)
        if (fabs(pairs[i] - median) <= FAR * deviation) {
            sum += pairs[i];
            near++;
        }
    kg_arena_free(&scratch);
    if (near > 0 && (double)near >= CLEAR * (double)n)
        return (struct kg_bisect_level){sum / (double)near, deviation * deviation / (double)near,
                                        true};
    const double own = kg_standard_deviation(pairs, n);
    return (struct kg_bisect_level){median, MEDIAN * own * own / (double)n, false};
}
