#include "noise.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/statistics/stats.h"

static void *grown(void *array, size_t count, size_t size)
{
    return count & (count - 1) ? array : realloc(array, (count ? 2 * count : 1) * size);
}

static bool values_read(const char *text, struct noise_run *run)
{
    char *end;
    for (;; text = end) {
        const double value = strtod(text, &end);
        if (end == text)
            return run->count > 0;
        run->values = grown(run->values, run->count, sizeof *run->values);
        if (!run->values || !(value > 0))
            return false;
        run->values[run->count++] = value;
    }
}

static struct noise_benchmark *benchmark_of(struct noise *noise, const char *name, size_t length)
{
    struct noise_benchmark *last = noise->count ? &noise->benchmarks[noise->count - 1] : NULL;
    if (last && strlen(last->name) == length && !strncmp(last->name, name, length))
        return last;
    noise->benchmarks = grown(noise->benchmarks, noise->count, sizeof *noise->benchmarks);
    if (!noise->benchmarks || length >= sizeof last->name)
        return NULL;
    last = &noise->benchmarks[noise->count++];
    *last = (struct noise_benchmark){0};
    memcpy(last->name, name, length);
    return last;
}

static bool line_read(struct noise *noise, const char *line)
{
    const char *run = strchr(line, ','), *values = run ? strchr(run + 1, ',') : NULL;
    if (!values)
        return false;
    struct noise_benchmark *benchmark = benchmark_of(noise, line, (size_t)(run - line));
    if (!benchmark)
        return false;
    benchmark->runs = grown(benchmark->runs, benchmark->run_count, sizeof *benchmark->runs);
    if (!benchmark->runs)
        return false;
    struct noise_run *added = &benchmark->runs[benchmark->run_count++];
    *added = (struct noise_run){0};
    return values_read(values + 1, added);
}

bool noise_load(const char *path, struct noise *noise)
{
    FILE *file = fopen(path, "re");
    char *line = NULL;
    size_t capacity = 0, number = 0;
    bool good = file != NULL;
    *noise = (struct noise){0};
    while (good && getline(&line, &capacity, file) > 0)
        good = number++ == 0 || line_read(noise, line);
    if (!good)
        fprintf(stderr, "%s:%zu: %s\n", path, number, file ? "cannot be read" : strerror(errno));
    free(line);
    if (file)
        fclose(file);
    return good && noise->count > 0;
}

double noise_median(const struct noise_run *run)
{
    double *scratch = malloc(run->count * sizeof *scratch);
    if (!scratch)
        abort();
    const double median = kg_median_of(run->values, run->count, scratch);
    free(scratch);
    return median;
}
