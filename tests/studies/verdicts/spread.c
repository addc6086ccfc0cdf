/* spread: error rates of the rule of judge/slow_tail.c on public noise: false findings, and found
 * slowdowns of a part of the rounds.
 *
 *     spread FORKS.csv RUNS.csv [DRAWS]
 *
 * A draw takes a benchmark, a baseline and a candidate of unchanged rounds. If a rule finds a wider
 * spread there, the finding is false. Then each round of the candidate is made slower with a
 * probability. The two halves of the benchmarks have a row each, since RATIO was chosen on the even
 * one. */
#include <stdio.h>
#include <stdlib.h>

#include "base/random.h"
#include "judge/evidence.h"
#include "noise.h"

enum { ROUNDS_MOST = 64 };
static const double THRESHOLD = 0.05;

static const struct slowdown {
    double share; /* of the candidate's rounds */
    double factor;
} slowdowns[] = {{0, 1}, {0.2, 10}, {0.4, 10}, {0.2, 2}, {0.4, 2}};
enum { SLOWDOWNS = sizeof slowdowns / sizeof *slowdowns };

static const struct shape {
    const char *name;
    size_t base_runs, base_rounds, rounds;
    bool of_processes; /* each run of FORKS is a process; its median is one round */
} shapes[] = {
    {"processes, 5 and 5", 5, 1, 5, true},
    {"5 runs of 10 and 10", 5, 10, 10, false},
    {"1 run of 10 and 10", 1, 10, 10, false},
    {"1 run of 10 and 20", 1, 10, 20, false},
};

/* Appends `wanted` rounds of a run, in random order, or its median. */
static size_t rounds_take(const struct noise_run *run, size_t wanted, bool of_processes,
                          struct kg_random *random, double *rounds)
{
    size_t order[ROUNDS_MOST];
    const size_t count = run->count < ROUNDS_MOST ? run->count : ROUNDS_MOST;
    const size_t taken = wanted < count ? wanted : count;
    if (of_processes) {
        *rounds = noise_median(run);
        return 1;
    }
    for (size_t i = 0; i < count; i++)
        order[i] = i;
    kg_random_shuffle(random, order, count);
    for (size_t i = 0; i < taken; i++)
        rounds[i] = run->values[order[i]];
    return taken;
}

static bool widened(const struct shape *shape, const struct noise_benchmark *benchmark,
                    const struct slowdown *slowdown, struct kg_random *random)
{
    double base[5 * ROUNDS_MOST], now[ROUNDS_MOST], scratch[6 * ROUNDS_MOST];
    size_t order[ROUNDS_MOST], base_count = 0, count = 0;
    const size_t runs = benchmark->run_count < ROUNDS_MOST ? benchmark->run_count : ROUNDS_MOST;
    for (size_t i = 0; i < runs; i++)
        order[i] = i;
    kg_random_shuffle(random, order, runs);
    for (size_t i = 0; i < shape->base_runs; i++)
        base_count += rounds_take(&benchmark->runs[order[i]], shape->base_rounds,
                                  shape->of_processes, random, base + base_count);
    for (size_t i = shape->base_runs; count < shape->rounds && i < runs; i++)
        count += rounds_take(&benchmark->runs[order[i]], shape->rounds - count, shape->of_processes,
                             random, now + count);
    for (size_t i = 0; i < count; i++)
        if (kg_random_unit(random) < slowdown->share)
            now[i] *= slowdown->factor;
    const struct kg_widening_rounds rounds = {
        .base = base, .base_count = base_count, .current = now, .current_count = count};
    return kg_widening_find(&rounds, THRESHOLD, scratch).widened;
}

static void row_print(const struct shape *shape, const struct noise *noise, size_t half,
                      size_t draws)
{
    static const char *const halves[] = {"even", "odd"};
    printf("| %s, %s half |", shape->name, halves[half]);
    for (size_t s = 0; s < SLOWDOWNS; s++) {
        struct kg_random random = {37 + half};
        size_t found = 0;
        for (size_t d = 0; d < draws; d++) {
            const size_t index =
                2 * (size_t)kg_random_below(&random, (noise->count + 1 - half) / 2) + half;
            found += widened(shape, &noise->benchmarks[index], &slowdowns[s], &random);
        }
        printf(" %.2f %% |", 100 * (double)found / (double)draws);
    }
    printf("\n");
}

int main(int argc, char **argv)
{
    struct noise forks, runs;
    const size_t draws = argc > 3 ? (size_t)strtoul(argv[3], NULL, 10) : 4000;
    if (argc < 3 || !draws) {
        fprintf(stderr, "usage: spread FORKS.csv RUNS.csv [DRAWS]\n");
        return 2;
    }
    if (!noise_load(argv[1], &forks) || !noise_load(argv[2], &runs))
        return 2;
    printf("| rounds of baseline and candidate | false |");
    for (size_t s = 1; s < SLOWDOWNS; s++)
        printf(" %.0f x in %.0f %% |", slowdowns[s].factor, 100 * slowdowns[s].share);
    printf("\n| :-- |");
    for (size_t s = 0; s < SLOWDOWNS; s++)
        printf(" --: |");
    printf("\n");
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (size_t half = 0; half < 2; half++)
            row_print(&shapes[i], shapes[i].of_processes ? &forks : &runs, half, draws);
    return 0;
}
