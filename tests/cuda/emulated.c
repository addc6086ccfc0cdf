#include "cuda/emulated.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "base/error.h"
#include "base/record.h"
#include "cuda/emulated_device.h"
#include "suite/sources/params.h"

enum { PARAMS_MOST = 16, ALIGNMENT = 256, HOST_ALIGNMENT = 64, GUARD_BYTES = 256, GUARD = 0xa5 };

/* Lies in the ALIGNMENT bytes before each block of memory; behind it lie GUARD_BYTES of GUARD. */
struct header {
    size_t bytes;
};

/* Counts of unreleased blocks; each kind has its own functions. */
struct counts {
    size_t host;
    size_t device;
    size_t pinned;
};

struct trial {
    const struct kgate_workload *workload;
    const struct emulated_param *params;
    size_t param_count;
    struct kgate_context context;
    struct kgate_value values[PARAMS_MOST];
    struct counts counts;
};

static void *memory_take(size_t bytes, int fill)
{
    char *start = NULL;
    if (bytes > SIZE_MAX / 2 ||
        posix_memalign((void **)&start, ALIGNMENT, ALIGNMENT + bytes + GUARD_BYTES) != 0)
        return NULL;
    memset(start, GUARD, ALIGNMENT);
    memcpy(start, &(struct header){bytes}, sizeof(struct header));
    memset(start + ALIGNMENT, fill, bytes);
    memset(start + ALIGNMENT + bytes, GUARD, GUARD_BYTES);
    emulated_poison(start, ALIGNMENT);
    emulated_poison(start + ALIGNMENT + bytes, GUARD_BYTES);
    return start + ALIGNMENT;
}

static void memory_give(void *memory, size_t *count, const char *kind)
{
    struct header header;
    if (!memory)
        return;
    char *start = (char *)memory - ALIGNMENT;
    emulated_unpoison(start, ALIGNMENT);
    memcpy(&header, start, sizeof header);
    emulated_unpoison((char *)memory + header.bytes, GUARD_BYTES);
    for (size_t i = sizeof header; i < ALIGNMENT; i++)
        if ((unsigned char)start[i] != GUARD)
            fail_msg("%s memory was written before its start", kind);
    for (size_t i = 0; i < GUARD_BYTES; i++)
        if (((unsigned char *)memory)[header.bytes + i] != GUARD)
            fail_msg("%s memory of %zu bytes was written %zu bytes behind its end", kind,
                     header.bytes, i);
    if ((*count)-- == 0)
        fail_msg("more %s memory was released than allocated", kind);
    free(start);
}

static void *host_take(struct kgate_context *context, size_t bytes)
{
    struct trial *trial = context->host;
    void *memory = memory_take(bytes, 0);
    trial->counts.host += memory != NULL;
    return memory;
}

static void host_give(struct kgate_context *context, void *memory)
{
    memory_give(memory, &((struct trial *)context->host)->counts.host, "host");
}

static void *device_take(struct kgate_context *context, size_t bytes)
{
    struct trial *trial = context->host;
    void *memory = memory_take(bytes, 0xff);
    trial->counts.device += memory != NULL;
    return memory;
}

static void device_give(struct kgate_context *context, void *memory)
{
    memory_give(memory, &((struct trial *)context->host)->counts.device, "device");
}

static void *pinned_take(struct kgate_context *context, size_t bytes)
{
    struct trial *trial = context->host;
    void *memory = memory_take(bytes, 0);
    trial->counts.pinned += memory != NULL;
    return memory;
}

static void pinned_give(struct kgate_context *context, void *memory)
{
    memory_give(memory, &((struct trial *)context->host)->counts.pinned, "page-locked");
}

static void report(struct kgate_context *context, const char *name, double value)
{
    (void)context;
    assert_true(name[0] != '\0' && isfinite(value));
}

/* Fails with the workload, its parameters, its seed and the reason. */
static void trial_fail(const struct trial *trial, const char *what)
{
    char text[512] = "";
    size_t length = 0;
    for (size_t i = 0; i < trial->param_count && length < sizeof text; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%s=%s", i ? "," : "",
                                   trial->params[i].name, trial->params[i].value);
    fail_msg("%s/%s, seed %llu: %s%s%s", trial->workload->name, text,
             (unsigned long long)trial->context.seed, what, *trial->context.message ? ": " : "",
             trial->context.message);
}

static void trial_begin(struct trial *trial, const struct kgate_workload *workload,
                        const struct emulated_param *params, size_t param_count, uint64_t seed)
{
    struct kg_pair pairs[PARAMS_MOST];
    struct kg_error err;
    size_t at = 0;
    *trial = (struct trial){.workload = workload, .params = params, .param_count = param_count};
    trial->context = (struct kgate_context){.values = trial->values,
                                            .device = KGATE_DEVICE_CUDA,
                                            .threads = 1 + (unsigned)(seed % 2),
                                            .seed = seed,
                                            .allocate = host_take,
                                            .release = host_give,
                                            .host = trial,
                                            .report = report,
                                            .stream = emulated_stream(),
                                            .allocate_device = device_take,
                                            .release_device = device_give,
                                            .allocate_pinned = pinned_take,
                                            .release_pinned = pinned_give};
    assert_true(param_count <= PARAMS_MOST && workload->param_count <= PARAMS_MOST);
    for (size_t i = 0; i < param_count; i++)
        pairs[i] = (struct kg_pair){params[i].name, params[i].value};
    if (!kg_params_resolve(workload, pairs, param_count, trial->values, &at, &err))
        fail_msg("%s: %s", workload->name, err.message);
    emulated_order(seed);
}

static struct kgate_check trial_check(struct trial *trial, void *state)
{
    struct kgate_check check = {.error = NAN, .tolerance = 0};
    if (!trial->workload->check(&trial->context, state, &check))
        trial_fail(trial, "check refuses");
    return check;
}

/* Returns the result of the check, which must be good. */
static struct kgate_check trial_check_good(struct trial *trial, void *state)
{
    const struct kgate_check found = trial_check(trial, state);
    if (!(found.error <= found.tolerance)) {
        snprintf(trial->context.message, sizeof trial->context.message, "error %g, tolerance %g",
                 found.error, found.tolerance);
        trial_fail(trial, "wrong");
    }
    return found;
}

/* Returns the result of the check after the run. */
static struct kgate_check trial_run(struct trial *trial, void *state)
{
    const size_t attributes = emulated_attributes();
    trial->workload->run(state);
    if (emulated_attributes() != attributes)
        trial_fail(trial, "run sets an attribute of a kernel");
    return trial_check_good(trial, state);
}

static void trial_end(struct trial *trial, void *state)
{
    trial->workload->tear_down(&trial->context, state);
    if (trial->counts.host || trial->counts.device || trial->counts.pinned)
        trial_fail(trial, "memory is left over");
}

static void (*spoil_results)(void *state);

void emulated_spoil(void (*spoil)(void *state))
{
    spoil_results = spoil;
}

bool emulated_run(const struct kgate_workload *workload, const struct emulated_param *params,
                  size_t param_count, uint64_t seed, struct kgate_check *check)
{
    struct trial trial;
    struct kgate_work work = {0};
    void *state = NULL;
    trial_begin(&trial, workload, params, param_count, seed);
    if (!(workload->devices >> KGATE_DEVICE_CUDA & 1))
        trial_fail(&trial, "it does not offer the GPU");
    if (workload->describe && !workload->describe(&trial.context, &work)) {
        if (!trial.context.unavailable)
            trial_fail(&trial, "describe refuses");
        return false;
    }
    if (!workload->set_up(&trial.context, &state))
        trial_fail(&trial, "set_up refuses");
    const struct kgate_check before = trial_check(&trial, state);
    if (before.error <= before.tolerance)
        trial_fail(&trial, "what was never run passes the check");
    trial_run(&trial, state);
    if (spoil_results)
        spoil_results(state);
    const struct kgate_check after = trial_run(&trial, state);
    trial_end(&trial, state);
    if (check)
        *check = after;
    return true;
}

bool emulated_run_recorded(const struct kgate_workload *workload,
                           const struct emulated_param *params, size_t param_count, uint64_t seed)
{
    struct trial trial;
    struct kgate_work work = {0};
    void *state = NULL;
    trial_begin(&trial, workload, params, param_count, seed);
    if (!workload->describe(&trial.context, &work) || !workload->set_up(&trial.context, &state))
        trial_fail(&trial, "describe or set_up refuses");
    const bool recorded = emulated_record(workload->run, state);
    if (recorded)
        trial_check_good(&trial, state);
    else
        (void)emulated_error();
    trial_run(&trial, state);
    /* kgate ends a case of the GPU by recording a call. */
    emulated_record(workload->run, state);
    trial_end(&trial, state);
    assert_string_equal(emulated_error(), "cudaSuccess");
    return recorded;
}

void emulated_refused(const struct kgate_workload *workload, const struct emulated_param *params,
                      size_t param_count, uint64_t seed)
{
    struct trial trial;
    void *state = NULL;
    trial_begin(&trial, workload, params, param_count, seed);
    emulated_attributes_refuse(true);
    const bool made = workload->set_up(&trial.context, &state);
    emulated_attributes_refuse(false);
    if (made)
        trial_fail(&trial, "set_up does not refuse");
    assert_string_equal(trial.context.message, "CUDA: invalid argument");
    if (trial.counts.host || trial.counts.device || trial.counts.pinned)
        trial_fail(&trial, "memory is left over");
}

size_t emulated_run_versions(const struct kgate_workload *workload,
                             const struct emulated_param *params, size_t param_count, uint64_t seed)
{
    struct emulated_param all[PARAMS_MOST];
    const struct kgate_param *version = NULL;
    size_t count = 0;
    for (size_t i = 0; i < workload->param_count; i++)
        if (!strcmp(workload->params[i].name, "version"))
            version = &workload->params[i];
    assert_non_null(version);
    assert_true(param_count < PARAMS_MOST);
    if (param_count)
        memcpy(all, params, param_count * sizeof *all);
    for (size_t v = 0; version->choices[v]; v++) {
        all[param_count] = (struct emulated_param){"version", version->choices[v]};
        count += emulated_run(workload, all, param_count + 1, seed, NULL);
    }
    return count;
}

uint64_t emulated_seed(size_t i)
{
    static uint64_t first;
    if (!first) {
        const char *given = getenv("KGATE_TEST_SEED");
        first = given ? strtoull(given, NULL, 10) : 1;
        print_message("KGATE_TEST_SEED=%llu\n", (unsigned long long)first);
    }
    return first + i;
}
