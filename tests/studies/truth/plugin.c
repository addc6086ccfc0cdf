/* The functions of the plain program, for kgate to time. */
#include <string.h>

#include "kgate/plugin.h"
#include "work.h"

static const char *const names[] = {"chain",           "blocks", "region",   "regions",
                                    "regions_of_both", "pooled", "spinning", NULL};
static const struct kgate_param params[] = {
    {"work", KGATE_PARAM_CHOICE, "chain", 0, 0, names, "what is called"},
    {"size", KGATE_PARAM_INTEGER, "50", 1, 1e12, NULL, "steps"},
};

struct state {
    const struct truth_work *work;
    uint64_t size;
};

static bool set_up(struct kgate_context *context, void **state)
{
    struct state *made = context->allocate(context, sizeof *made);
    if (!made)
        return false;
    *made = (struct state){.work = truth_find(names[context->values[0].integer]),
                           .size = (uint64_t)context->values[1].integer};
    truth_start(made->work, false);
    *state = made;
    return true;
}

static void run(void *state)
{
    const struct state *made = state;
    made->work->run(made->size);
}

static const struct kgate_workload workload = {
    .name = "truth",
    .summary = "calls of known length",
    .params = params,
    .param_count = sizeof params / sizeof *params,
    .devices = 1u << KGATE_DEVICE_CPU,
    .revision = 1,
    .set_up = set_up,
    .run = run,
};
static const struct kgate_workload *const workloads[] = {&workload};
static const struct kgate_plugin plugin = {KGATE_PLUGIN_ABI, workloads, 1};

const struct kgate_plugin *kgate_plugin_workloads(void);

const struct kgate_plugin *kgate_plugin_workloads(void)
{
    return &plugin;
}
