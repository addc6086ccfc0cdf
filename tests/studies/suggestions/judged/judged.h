/* judged.h: common code of the judged workloads. A pair is one file with two functions of the same
 * result: run_bad makes one ordinary mistake, run_good avoids it. A workload's state begins with
 * the result of the last call. truth.tsv names each mistake. */
#pragma once
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kgate/plugin.h"

/* A function as in another file of a large program: calls are not inlined. */
#define ELSEWHERE __attribute__((noinline))

/* Marsaglia (2003): the next of a sequence of numbers that look random. *random is not 0. */
static inline uint64_t xorshift(uint64_t *random)
{
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    return *random;
}

/* A random number below `limit`. */
static inline unsigned below(uint64_t *random, unsigned limit)
{
    return (unsigned)((xorshift(random) >> 16) % limit);
}

static inline bool refuse(struct kgate_context *context, const char *why)
{
    snprintf(context->message, sizeof context->message, "%s", why);
    return false;
}

/* An empty file in the folder for temporary files, gone when the process ends; below 0 without. */
static inline int temporary_file(void)
{
    const char *folder = getenv("TMPDIR");
    char path[4096];
    snprintf(path, sizeof path, "%s/judged-XXXXXX", folder && *folder ? folder : "/tmp");
    const int file = mkstemp(path);
    if (file >= 0)
        unlink(path);
    return file;
}

/* Compares the result of `run` with the result of each version. */
static inline bool same_results(void *state, void (*const versions[])(void *), size_t count,
                                double tolerance, struct kgate_check *check)
{
    const double *result = state;
    const double expected = *result;
    *check = (struct kgate_check){.error = 0, .tolerance = tolerance};
    for (size_t i = 0; i < count; i++) {
        versions[i](state);
        const double error = fabs(*result - expected) / fmax(1, fabs(expected));
        if (!(error <= check->error))
            check->error = error;
    }
    return true;
}

#define WORKLOAD(title, function, words)                                                           \
    const struct kgate_workload title##_workload = {.name = #title,                                \
                                                    .summary = words,                              \
                                                    .devices = 1u << KGATE_DEVICE_CPU,             \
                                                    .revision = 1,                                 \
                                                    .set_up = set_up,                              \
                                                    .run = function,                               \
                                                    .check = check}

/* The workloads `title`_bad and `title`_good, from set_up, run_bad and run_good. Memory is left to
 * the end of the process. */
#define PAIR(title, tolerance, words)                                                              \
    static bool check(struct kgate_context *context, void *state, struct kgate_check *outcome)     \
    {                                                                                              \
        (void)context;                                                                             \
        void (*const versions[])(void *) = {run_bad, run_good};                                    \
        return same_results(state, versions, 2, tolerance, outcome);                               \
    }                                                                                              \
    WORKLOAD(title##_bad, run_bad, words);                                                         \
    WORKLOAD(title##_good, run_good, words)

/* The workload `title`, well made, from set_up, run and reference, which works the result out in
 * the obvious way. */
#define SINGLE(title, tolerance_, words)                                                           \
    static bool check(struct kgate_context *context, void *state, struct kgate_check *outcome)     \
    {                                                                                              \
        (void)context;                                                                             \
        const double expected = reference(state), result = *(const double *)state;                 \
        outcome->error = fabs(result - expected) / fmax(1, fabs(expected));                        \
        outcome->tolerance = tolerance_;                                                           \
        return true;                                                                               \
    }                                                                                              \
    WORKLOAD(title, run, words)
