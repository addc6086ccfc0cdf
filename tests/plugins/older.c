/* A plugin as it was built for version 5 of the interface: its table ends before `refresh`, and what
 * lies there is no function. */
#include <stddef.h>
#include <string.h>

#include "kgate/plugin.h"

static bool set_up(struct kgate_context *context, void **state)
{
    *state = context;
    return true;
}

static void run(void *state)
{
    (void)state;
    for (volatile int i = 0; i < 1000; i++)
        continue;
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    (void)context;
    (void)state;
    *check = (struct kgate_check){0};
    return true;
}

static const struct kgate_workload now = {.name = "older",
                                          .summary = "Was built before.",
                                          .devices = 1u << KGATE_DEVICE_CPU,
                                          .revision = 1,
                                          .set_up = set_up,
                                          .run = run,
                                          .check = check};

const struct kgate_plugin *kgate_plugin_workloads(void);
const struct kgate_plugin *kgate_plugin_workloads(void)
{
    static struct kgate_workload then;
    static const struct kgate_workload *const workloads[] = {&then};
    static const struct kgate_plugin plugin = {5, workloads, 1};
    memset(&then, 0x5a, sizeof then);
    memcpy(&then, &now, offsetof(struct kgate_workload, refresh));
    return &plugin;
}
