/* spin.c: a plugin with a parameter, a figure for its work, and a check of its result. */
#include <kgate/plugin.h>

struct spin {
    volatile uint64_t count;
    uint64_t turns;
};

static const struct kgate_param params[] = {
    {.name = "turns",
     .type = KGATE_PARAM_INTEGER,
     .default_text = "100",
     .minimum = 1,
     .maximum = 1e9,
     .help = "turns of the loop"},
};

static bool describe(struct kgate_context *context, struct kgate_work *work)
{
    work->items = (double)context->values[0].integer;
    work->item_name = "turns";
    return true;
}

static bool set_up(struct kgate_context *context, void **state)
{
    struct spin *spin = context->allocate(context, sizeof *spin);
    if (!spin)
        return false;
    spin->turns = (uint64_t)context->values[0].integer;
    *state = spin;
    return true;
}

static void run(void *state)
{
    struct spin *spin = state;
    spin->count = 0;
    for (uint64_t i = 0; i < spin->turns; i++)
        spin->count = spin->count + 1;
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    const struct spin *spin = state;
    (void)context;
    check->error = spin->count == spin->turns ? 0 : 1;
    check->tolerance = 0;
    return true;
}

static void tear_down(struct kgate_context *context, void *state)
{
    context->release(context, state);
}

static const struct kgate_workload spin_workload = {
    .name = "spin",
    .summary = "Counts.",
    .params = params,
    .param_count = 1,
    .devices = 1u << KGATE_DEVICE_CPU,
    .revision = 1,
    .describe = describe,
    .set_up = set_up,
    .run = run,
    .check = check,
    .tear_down = tear_down,
};
static const struct kgate_workload *const workloads[] = {&spin_workload};
static const struct kgate_plugin plugin = {KGATE_PLUGIN_ABI, workloads, 1};

const struct kgate_plugin *kgate_plugin_workloads(void);
const struct kgate_plugin *kgate_plugin_workloads(void)
{
    return &plugin;
}
