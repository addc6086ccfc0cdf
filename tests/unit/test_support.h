/* test_support.h: common code of unit tests: cmocka and its headers, a folder per test, hand-made
 * results. */
#pragma once
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/baseline.h"
#include "model/comparison.h"
#include "model/results.h"

/* cmocka gives every test and fixture a state, which few of them use. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* A fresh folder, removed by support_remove. */
static inline char *support_folder(void)
{
    static char path[64];
    snprintf(path, sizeof path, "/tmp/kgate-test-XXXXXX");
    assert_non_null(mkdtemp(path));
    return path;
}

static inline void support_remove(const char *folder)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    assert_int_equal(system(command), 0);
}

/* A file of these bytes, not flushed to the disk: for tests that write thousands of them. */
static inline void support_file(const char *path, const char *bytes, size_t length)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

/* Results of `cases` cases "w<i>/cpu" on one machine, each with `rounds` rounds around time_ns * (1
 * + i), spread evenly by +-0.5 %, 1 MiB of peak memory. */
static inline void support_results(struct kg_results *results, size_t cases, size_t rounds,
                                   double time_ns)
{
    *results = (struct kg_results){
        .created = "2026-01-31T12:00:00Z",
        .kgate_version = "0.1.0",
        .suite = "suite",
        .suite_path = "suite.yaml",
        .policy = {.fail_on = 1U << KG_CHANGE_REGRESSION | 1U << KG_CHANGE_FAILED, .alpha = 0.01},
        .complete = true,
        .machine = {.fingerprint = "cpu-2cpu-4gib-00000000",
                    .cpu_model = "CPU",
                    .cpu_count = 2,
                    .memory_bytes = UINT64_C(4) << 30,
                    .compiler = "GNU 12.2.0"},
        .timer_resolution_ns = 30,
        .ceilings = KG_CEILINGS_NONE,
        .cpu_ceilings = KG_CPU_CEILINGS_NONE,
        .case_count = cases,
    };
    results->cases = kg_arena_alloc(&results->arena, cases, sizeof *results->cases);
    assert_non_null(results->cases);
    for (size_t i = 0; i < cases; i++) {
        struct kg_case_result *result = &results->cases[i];
        *result = (struct kg_case_result){
            .id = kg_arena_printf(&results->arena, "w%zu/cpu", i),
            .workload = kg_arena_printf(&results->arena, "w%zu", i),
            .source = "kernel",
            .device = "cpu",
            .backend = "builtin",
            .definition_hash = "0123456789abcdef",
            .status = KG_STATUS_OK,
            .series = kg_arena_alloc(&results->arena, 2, sizeof(struct kg_series)),
            .series_count = 2,
            KG_CASE_UNMEASURED,
            .rounds = kg_arena_alloc(&results->arena, rounds, sizeof(struct kg_round)),
            .round_count = rounds,
        };
        result->series[0] = (struct kg_series){
            .name = "time", .source = KG_SERIES_OF_ROUNDS, .threshold = 0.05, .min_effect = 1};
        result->series[1] = (struct kg_series){.name = "peak_memory",
                                               .source = KG_SERIES_OF_ROUNDS,
                                               .threshold = 0.1,
                                               .min_effect = 1024};
        for (size_t r = 0; r < rounds; r++) {
            const double spread = rounds > 1 ? (double)r / (double)(rounds - 1) - 0.5 : 0;
            const double median = round(time_ns * (double)(1 + i) * (1 + 0.01 * spread));
            struct kg_round *round_ = &result->rounds[r];
            *round_ =
                (struct kg_round){KG_ROUND_ON_CPU,      .median_ns = median,  .mean_ns = median,
                                  .min_ns = median - 1, .max_ns = median + 5, .p95_ns = median + 2,
                                  .cpu_ns = median,     .wall_ns = 50e6,      .warm_up_ns = 1e6,
                                  .calls = 100,         .batch = 10,          .peak_bytes = 1 << 20,
                                  .sample_count = 2};
            round_->samples_ns = kg_arena_alloc(&results->arena, 2, sizeof(double));
            round_->samples_ns[0] = median - 1;
            round_->samples_ns[1] = median + 1;
            results->measured_ns += round_->wall_ns;
        }
        kg_case_summarize(result);
    }
}

/* Multiplies the times of a case. */
static inline void support_slow(struct kg_case_result *result, double factor)
{
    for (size_t r = 0; r < result->round_count; r++)
        result->rounds[r].median_ns *= factor;
    kg_case_summarize(result);
}
