/* noise.h: public recordings of unchanged programs, as CSV: a header, then lines
 * "BENCHMARK,RUN,VALUE VALUE ...", values in ns. Lines of one benchmark are consecutive. If a run
 * is one process, its values are samples, and their median is the round. Otherwise its values are
 * rounds. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct noise_run {
    double *values;
    size_t count;
};

struct noise_benchmark {
    char name[32];
    struct noise_run *runs;
    size_t run_count;
};

struct noise {
    struct noise_benchmark *benchmarks;
    size_t count;
};

/* Loads a file. On failure prints the reason and returns false. The caller owns all memory until it
 * exits. */
bool noise_load(const char *path, struct noise *noise);

/* The median of the run's values. */
double noise_median(const struct noise_run *run);
