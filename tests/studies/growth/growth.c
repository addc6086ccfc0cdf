/* growth.c: costs that grow with the number of cases: finding each case in the store, and starting
 * a worker from a process that holds the results. Prints a line per count. At the end, the ratios
 * from the smallest to the largest count: time to find one case, time of a start.
 *     cmake --build --preset test --target growth && build/test/tests/growth */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/process/supervise.h"
#include "model/baseline_index.h"

enum { STARTS = 200, FINDS = 7, BYTES_A_CASE = 16384 };

static bool cases_make(struct kg_arena *arena, struct kg_baseline_run *run, size_t count)
{
    *run = (struct kg_baseline_run){.suite = "growth", .case_count = count};
    run->cases = kg_arena_alloc(arena, count, sizeof *run->cases);
    /* as rounds and samples would be: memory in use */
    char *held = kg_arena_alloc(arena, count, BYTES_A_CASE);
    if (!run->cases || !held)
        return false;
    memset(held, 1, count * BYTES_A_CASE);
    for (size_t i = 0; i < count; i++) {
        run->cases[i].id = kg_arena_printf(arena, "workload/size=%zu/cpu", i);
        run->cases[i].definition_hash = "0123456789abcdef";
        if (!run->cases[i].id)
            return false;
    }
    return true;
}

/* Nanoseconds to find every case, once. */
static double find_once_ns(struct kg_arena *arena, const struct kg_baseline *baseline)
{
    struct kg_baseline_index index;
    const struct kg_baseline_run *run = baseline->runs;
    const uint64_t start = kg_clock_ns();
    size_t found = 0;
    kg_baseline_index_make(arena, baseline, run->suite, false, &index);
    for (size_t i = 0; i < run->case_count; i++)
        found +=
            kg_baseline_index_find(&index, run->cases[i].id, run->cases[i].definition_hash) != NULL;
    if (found != run->case_count)
        exit(EXIT_FAILURE);
    return (double)(kg_clock_ns() - start);
}

static double find_ns(struct kg_arena *arena, const struct kg_baseline *baseline)
{
    double least = INFINITY;
    for (int i = 0; i < FINDS; i++)
        least = fmin(least, find_once_ns(arena, baseline));
    return least;
}

/* Nanoseconds to start a program and see its end: the least, which other work on the machine moves
 * least. */
static double start_ns(void)
{
    char *arguments[] = {(char *)"true", NULL};
    sigset_t mask;
    sigprocmask(SIG_SETMASK, NULL, &mask);
    const struct kg_launch launch = {.program = "/bin/true",
                                     .arguments = arguments,
                                     .request = "",
                                     .threads = 1,
                                     .pin = -1,
                                     .timeout_ns = 10e9,
                                     .mask = &mask};
    double least = INFINITY;
    for (int i = 0; i < STARTS; i++) {
        struct kg_outcome outcome;
        struct kg_error err;
        const uint64_t start = kg_clock_ns();
        if (!kg_supervise(&launch, &outcome, &err))
            exit(EXIT_FAILURE);
        least = fmin(least, (double)(kg_clock_ns() - start));
        kg_outcome_free(&outcome);
    }
    return least;
}

int main(void)
{
    static const size_t counts[] = {1000, 10000, 30000};
    double find[3], start[3];
    for (int i = 0; i < 3; i++) {
        struct kg_arena arena = {0};
        struct kg_baseline_run run;
        if (!cases_make(&arena, &run, counts[i]))
            return EXIT_FAILURE;
        const struct kg_baseline baseline = {.runs = &run, .run_count = 1};
        find[i] = find_ns(&arena, &baseline);
        start[i] = start_ns();
        printf("%6zu cases: all found in %8.3f ms, a worker started and ended in %7.1f us\n",
               counts[i], find[i] * 1e-6, start[i] * 1e-3);
        kg_arena_free(&arena);
    }
    printf("30 times the cases: finding one takes %.2f times as long, a start %.2f times\n",
           find[2] / find[0] / 30, start[2] / start[0]);
    return EXIT_SUCCESS;
}
