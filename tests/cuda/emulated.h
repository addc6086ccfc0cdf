/* emulated.h: a built-in workload's CUDA side run on the emulator (cuda/emulator.h), from its
 * table, as a worker would. For tests under cmocka, in C or C++. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kgate/plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A parameter as a suite writes it; missing parameters have their defaults. */
struct emulated_param {
    const char *name;
    const char *value;
};

/* describe, set_up, check before any run, run and check twice, tear_down, each on KGATE_DEVICE_CUDA
 * with device memory filled with bytes 0xff. Each check of a built-in kernel runs it once more. The
 * test fails, with parameters and seed, on
 * - a function that refuses, a failed launch, or an error above the tolerance;
 * - a check that passes before any run;
 * - an attribute of a kernel set by `run`: it would count as a launch's time, so set_up must do it;
 * - leaked device or host memory, or writes beyond its end.
 * seed   of the input and of the order of blocks and threads.
 * check  filled if not NULL.
 * returns false if describe reports that the GPU lacks the case (context->unavailable) */
bool emulated_run(const struct kgate_workload *workload, const struct emulated_param *params,
                  size_t param_count, uint64_t seed, struct kgate_check *check);

/* emulated_run for each of the workload's versions, with `version` as the last parameter.
 * returns number of versions that the GPU has */
size_t emulated_run_versions(const struct kgate_workload *workload,
                             const struct emulated_param *params, size_t param_count,
                             uint64_t seed);

/* describe, set_up, and `run` while a CUDA graph records its stream, as kgate does to inspect a
 * call. If it can be recorded, the test checks the graph's results. If not, a later call must work
 * normally. Fails the test like emulated_run, and if tear_down leaves a CUDA error.
 * returns whether it could be recorded */
bool emulated_run_recorded(const struct kgate_workload *workload,
                           const struct emulated_param *params, size_t param_count, uint64_t seed);

/* Fails the test unless set_up refuses, with a message and without leaked memory, if no attribute
 * of a kernel can be set. */
void emulated_refused(const struct kgate_workload *workload, const struct emulated_param *params,
                      size_t param_count, uint64_t seed);

/* From here on, `spoil` damages the results between the two runs, so that a second run without
 * effect shows; NULL for none. Device memory is ordinary memory here. */
void emulated_spoil(void (*spoil)(void *state));

/* Seed number i of a test. Seed 0 is 1, the same in each run, or KGATE_TEST_SEED in the environment,
 * and printed. Seed i is the i-th after it. */
uint64_t emulated_seed(size_t i);

#ifdef __cplusplus
}
#endif
