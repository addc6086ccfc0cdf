/* kernel_trial.h: a built-in kernel through its own table, as a worker calls it, on the CPU. For
 * tests under cmocka. */
#pragma once
#include "kernel_find.h"
#include "suite/sources/params.h"
#include "suite/sources/plugin_host.h"
#include "test_support.h"

enum { TRIAL_PARAMS = 16 };

struct trial {
    const struct kgate_workload *workload;
    struct kgate_value values[TRIAL_PARAMS];
    struct kg_host host;
    void *state;
};

/* Resolves the parameters like a suite's, describes and sets up. False if this device lacks the
 * case. */
static inline bool trial_begin_seeded(struct trial *trial, const char *name,
                                      const struct kg_pair *pairs, size_t count, unsigned threads,
                                      uint64_t seed)
{
    struct kg_error err;
    struct kgate_work work;
    size_t at;
    trial->workload = kernel_find(name);
    trial->state = NULL;
    assert_non_null(trial->workload);
    if (!kg_params_resolve(trial->workload, pairs, count, trial->values, &at, &err))
        fail_msg("%s: %s", name, err.message);
    kg_host_start(&trial->host, trial->values, KGATE_DEVICE_CPU, threads, seed);
    if (!trial->workload->describe(&trial->host.context, &work))
        return false;
    assert_true(work.items > 0);
    assert_true(trial->workload->set_up(&trial->host.context, &trial->state));
    return true;
}

static inline bool trial_begin(struct trial *trial, const char *name, const struct kg_pair *pairs,
                               size_t count, unsigned threads)
{
    return trial_begin_seeded(trial, name, pairs, count, threads, 99);
}

/* Whether the current result passes the check. */
static inline bool trial_check(struct trial *trial)
{
    struct kgate_check check = {.error = NAN};
    assert_true(trial->workload->check(&trial->host.context, trial->state, &check));
    return check.error <= check.tolerance;
}

/* Tears down; fails the test if memory is leaked. */
static inline void trial_end(struct trial *trial)
{
    trial->workload->tear_down(&trial->host.context, trial->state);
    assert_int_equal(trial->host.allocated_bytes, 0);
}

/* Runs every version with one and with three threads, twice each: a run must not spoil the next. */
static inline void versions_pass(const char *name, const struct kg_pair *sizes, size_t count)
{
    const struct kgate_workload *workload = kernel_find(name);
    const struct kgate_param *version = &workload->params[workload->param_count - 1];
    assert_string_equal(version->name, "version");
    for (size_t v = 0; version->choices[v]; v++)
        for (unsigned threads = 1; threads <= 3; threads += 2) {
            struct trial trial;
            struct kg_pair pairs[TRIAL_PARAMS];
            memcpy(pairs, sizes, count * sizeof *pairs);
            pairs[count] = (struct kg_pair){"version", version->choices[v]};
            if (!trial_begin(&trial, name, pairs, count + 1, threads)) {
                assert_true(trial.host.context.unavailable); /* the GPU's only */
                continue;
            }
            if (trial_check(&trial))
                fail_msg("%s %s: what was never run passes", name, version->choices[v]);
            trial.workload->run(trial.state);
            trial.workload->run(trial.state);
            if (!trial_check(&trial))
                fail_msg("%s %s with %u threads, first size %s: wrong", name, version->choices[v],
                         threads, sizes[0].value);
            trial_end(&trial);
        }
}
