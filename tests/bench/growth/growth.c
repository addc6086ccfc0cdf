/* growth.c: what grows with the number of cases: finding each in the store, and starting a worker from a
 * process that holds the results. Prints a line for each count, and how much more the largest takes
 * than the smallest, for each case.
 *     cmake --build --preset release --target growth && build/release/tests/growth */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "baseline/baseline_index.h"
#include "measure/supervise.h"
#include "timing/clock.h"

enum { STARTS = 200, BYTES_A_CASE = 16384 };

static bool cases_make(struct kg_arena *arena, struct kg_baseline_run *run, size_t count)
{
    *run = (struct kg_baseline_run){.suite = "growth", .case_count = count};
    run->cases = kg_arena_alloc(arena, count, sizeof *run->cases);
    for (size_t i = 0; run->cases && i < count; i++) {
        char *held = kg_arena_alloc(arena, BYTES_A_CASE, 1);
        run->cases[i].id = kg_arena_printf(arena, "workload/size=%zu/cpu", i);
        run->cases[i].definition_hash = "0123456789abcdef";
        if (!held || !run->cases[i].id)
            return false;
        memset(held, 1, BYTES_A_CASE); /* as rounds and samples would be: memory in use */
    }
    return run->cases;
}

/* Nanoseconds to find every case. */
static double find_ns(struct kg_arena *arena, const struct kg_baseline *baseline)
{
    struct kg_baseline_index index;
    const struct kg_baseline_run *run = baseline->runs;
    const uint64_t start = kg_clock_ns();
    size_t found = 0;
    if (!kg_baseline_index_make(arena, baseline, run->suite, false, &index))
        exit(EXIT_FAILURE);
    for (size_t i = 0; i < run->case_count; i++)
        found +=
            kg_baseline_index_find(&index, run->cases[i].id, run->cases[i].definition_hash) != NULL;
    if (found != run->case_count)
        exit(EXIT_FAILURE);
    return (double)(kg_clock_ns() - start);
}

/* Nanoseconds to start a program and see its end. */
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
    const uint64_t start = kg_clock_ns();
    for (int i = 0; i < STARTS; i++) {
        struct kg_outcome outcome;
        struct kg_error err;
        if (!kg_supervise(&launch, &outcome, &err))
            exit(EXIT_FAILURE);
        kg_outcome_free(&outcome);
    }
    return (double)(kg_clock_ns() - start) / STARTS;
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
