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

/* A parameter as a suite writes it; those not given have their defaults. */
struct emulated_param {
    const char *name;
    const char *value;
};

/* describe, set_up, check of what was never run, run and check twice (each check of a built-in kernel
 * runs it once more), tear_down, each on
 * KGATE_DEVICE_CUDA with device memory filled with bytes 0xff. Fails the test, and says on which
 * parameters and seed, where
 * - a function refuses, a launch fails, or the error is above the tolerance,
 * - what was never run passes the check,
 * - `run` sets an attribute of a kernel: that is for set_up, since it counts as time of a launch,
 * - device or host memory is left over, or was written beyond its end.
 * seed   of the input and of the order of blocks and threads
 * check  filled where not NULL
 * returns false where describe says that the GPU does not have it (context->unavailable) */
bool emulated_run(const struct kgate_workload *workload, const struct emulated_param *params,
                  size_t param_count, uint64_t seed, struct kgate_check *check);

/* The same with the parameters, and last `version`, each of the workload's versions in turn.
 * returns how many versions the GPU has */
size_t emulated_run_versions(const struct kgate_workload *workload,
                             const struct emulated_param *params, size_t param_count,
                             uint64_t seed);

/* describe, set_up, and `run` while its stream is recorded into a CUDA graph, as kgate does to look
 * at a call. Where it can be recorded, the graph's results are checked; where it cannot, a call
 * afterwards works as ever. Fails the test like emulated_run, and where tear_down leaves an error
 * for CUDA to remember.
 * returns whether it could be recorded */
bool emulated_run_recorded(const struct kgate_workload *workload,
                           const struct emulated_param *params, size_t param_count, uint64_t seed);

/* Fails the test unless set_up refuses where no attribute of a kernel can be set, says so, and
 * leaves no memory. */
void emulated_refused(const struct kgate_workload *workload, const struct emulated_param *params,
                      size_t param_count, uint64_t seed);

/* From here on, `spoil` damages the results between the two runs, so that a second one that does
 * nothing shows; NULL for none. Device memory can be written like any other here. */
void emulated_spoil(void (*spoil)(void *state));

/* Seeds for a test with `count` of them: seed 0 is from the clock, or from KGATE_TEST_SEED in the
 * environment, and printed; seed i is the i-th after it. */
uint64_t emulated_seed(size_t i);

#ifdef __cplusplus
}
#endif
