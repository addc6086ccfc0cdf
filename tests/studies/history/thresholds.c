/* thresholds.c: simulates the thresholds of src/judge/change_point.c and prints the table
 * src/judge/change_thresholds.def.
 *
 * Sequences of independent normal values grow by one value per step. At each step, the threshold is the statistic that
 * the share ALPHA of the sequences without an alarm exceeds. These sequences alarm and leave. So each step alarms with
 * probability ALPHA if no earlier step did (Hawkins, Qiu and Kang 2003, section 4). The last value is the mean over
 * steps with a full window. The output is the same on every run: the seed is fixed.
 *
 * Usage: thresholds [BATCHES]   default 20: some two minutes */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/random.h"
#include "base/statistics/stats.h"
#include "judge/change_point.h"

enum {
    SEQUENCES = 50000,
    STEPS = 256,   /* values of a sequence */
    SETTLED = 192, /* from this step on, the window has been full for long enough */
    BATCHES = 20
};
static const double ALPHA = 0.001;
static const uint64_t SEED = 20031;

/* Prefix sums of one sequence and of its squares. */
struct sequence {
    double sums[STEPS + 1];
    double squares[STEPS + 1];
};

/* Two normal values (Box and Muller 1958). */
static void normal_pair(struct kg_random *random, double *one, double *other)
{
    const double radius = sqrt(-2 * log1p(-kg_random_unit(random)));
    const double angle = 2 * 3.14159265358979323846 * kg_random_unit(random);
    *one = radius * cos(angle);
    *other = radius * sin(angle);
}

static void sequence_draw(struct kg_random *random, struct sequence *sequence)
{
    sequence->sums[0] = sequence->squares[0] = 0;
    for (size_t i = 0; i < STEPS; i += 2) {
        double x[2];
        normal_pair(random, &x[0], &x[1]);
        for (size_t j = i; j < i + 2; j++) {
            sequence->sums[j + 1] = sequence->sums[j] + x[j - i];
            sequence->squares[j + 1] = sequence->squares[j] + x[j - i] * x[j - i];
        }
    }
}

/* The largest part of the squares that a split after `first` to `last` values explains. sums: prefix sums, from 0.
 * weights[k]: n / (k (n - k)) */
static double largest_part(const double *sums, double mean, const double *weights, size_t first,
                           size_t last)
{
    double most = 0;
    for (size_t k = first; k <= last; k++) {
        const double excess = sums[k] - sums[0] - (double)k * mean;
        const double part = excess * excess * weights[k];
        most = part > most ? part : most;
    }
    return most;
}

/* The largest |t| over the splits of the last `n` of `step` values; 0 if its new level is too short for an alarm. */
static double largest(const struct sequence *sequence, size_t step, size_t n, const double *weights)
{
    const double *sums = sequence->sums + step - n;
    const double total = sums[n] - sums[0], mean = total / (double)n;
    const size_t last = n - KG_CHANGE_LEVEL_LEAST;
    const double most = largest_part(sums, mean, weights, KG_CHANGE_LEVEL_LEAST, last);
    if (largest_part(sums, mean, weights, last + 1, n - 1) > most)
        return 0;
    const double all = sequence->squares[step] - sequence->squares[step - n] - total * mean;
    return sqrt(most * (double)(n - 2) / (all - most));
}

/* Adds the thresholds of one batch. */
static void batch_add(struct kg_random *random, struct sequence *sequences, double *found,
                      double *sorted, double *thresholds)
{
    double weights[KG_CHANGE_WINDOW];
    size_t left = SEQUENCES;
    for (size_t i = 0; i < left; i++)
        sequence_draw(random, &sequences[i]);
    for (size_t step = KG_CHANGE_RUNS_LEAST + 1; step <= STEPS; step++) {
        const size_t n = step < KG_CHANGE_WINDOW ? step : KG_CHANGE_WINDOW;
        for (size_t k = 1; k < n; k++)
            weights[k] = (double)n / ((double)k * (double)(n - k));
        for (size_t i = 0; i < left; i++)
            sorted[i] = found[i] = largest(&sequences[i], step, n, weights);
        kg_sort(sorted, left);
        const double threshold = kg_quantile_sorted(sorted, left, 1 - ALPHA);
        thresholds[step] += threshold;
        size_t kept = 0;
        for (size_t i = 0; i < left; i++)
            if (found[i] <= threshold)
                sequences[kept++] = sequences[i];
        left = kept;
    }
}

int main(int argc, char **argv)
{
    const long batches = argc > 1 ? strtol(argv[1], NULL, 10) : BATCHES;
    struct kg_random random = {SEED};
    static double thresholds[STEPS + 1];
    struct sequence *sequences = malloc(SEQUENCES * sizeof *sequences);
    double *found = malloc(SEQUENCES * sizeof *found), *sorted = malloc(SEQUENCES * sizeof *sorted);
    if (!sequences || !found || !sorted || batches < 1)
        return 3;
    for (long i = 0; i < batches; i++)
        batch_add(&random, sequences, found, sorted, thresholds);
    double full = 0;
    for (size_t step = SETTLED; step <= STEPS; step++)
        full += thresholds[step] / (STEPS - SETTLED + 1);
    thresholds[KG_CHANGE_WINDOW] = full;
    puts("/* Thresholds of change_point.c. Printed by tests/studies/history/thresholds.c. */");
    for (size_t n = KG_CHANGE_RUNS_LEAST + 1; n <= KG_CHANGE_WINDOW; n++)
        printf("%.3f,%s", thresholds[n] / (double)batches,
               (n - KG_CHANGE_RUNS_LEAST) % 10 ? " " : "\n");
    free(sorted);
    free(found);
    free(sequences);
}
