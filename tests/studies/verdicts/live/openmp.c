/* openmp.c: a loop over an array, shared by OpenMP's threads. It is a plugin of its own, since
 * linking with OpenMP starts its runtime in the process. */
#include <math.h>
#include <stdlib.h>

#include "ordinary.h"

enum { ELEMENTS = 500 };

static unsigned threads;
static double result;

static bool set_up(struct kgate_context *context, void **state)
{
    const size_t count = (size_t)turns * ELEMENTS;
    double *values = malloc(count * sizeof *values);
    *state = values;
    threads = context->threads;
    for (size_t i = 0; values && i < count; i++)
        values[i] = (double)i / (double)count;
    return values != NULL;
}

static void run(void *state)
{
    const double *values = state;
    double sum = 0;
#pragma omp parallel for num_threads(threads) reduction(+ : sum)
    for (unsigned i = 0; i < turns * ELEMENTS; i++)
        sum += exp(values[i]);
    result = sum;
}

static void tear_down(struct kgate_context *context, void *state)
{
    (void)context;
    free(state);
}

static const struct kgate_workload openmp_workload = {.name = "openmp",
                                                      .summary = "A loop shared by threads.",
                                                      .devices = 1u << KGATE_DEVICE_CPU,
                                                      .revision = 1,
                                                      .set_up = set_up,
                                                      .run = run,
                                                      .tear_down = tear_down};
static const struct kgate_workload *const workloads[] = {&openmp_workload};
static const struct kgate_plugin plugin = {KGATE_PLUGIN_ABI, workloads, 1};

const struct kgate_plugin *kgate_plugin_workloads(void);
const struct kgate_plugin *kgate_plugin_workloads(void)
{
    return &plugin;
}
