/* A plugin, and with -DPROGRAM a program, with scopes around three stages. SLOWER makes one stage
 * take longer. */
#include <stddef.h>
#include <stdlib.h>

#include "kgate/profiler.h"

#ifndef SLOWER
#define SLOWER 1
#endif

enum { ROOM_BYTES = 3 << 20 };

static volatile double sink;

static void spin(int turns)
{
    double value = 1;
    for (int i = 0; i < turns; i++)
        value = value * 1.0000001 + 1e-9;
    sink = value;
}

static void stages(void)
{
    KGATE_SCOPE("stages");
    {
        KGATE_SCOPE("read");
        void *volatile room = malloc(ROOM_BYTES);
        spin(2000);
        free(room);
    }
    for (int i = 0; i < 3; i++) {
        KGATE_SCOPE_ON("compute", KGATE_DEVICE_CPU, "scalar", 4096);
        spin(2000 * SLOWER);
    }
    KGATE_SCOPE("write");
    spin(1000);
}

#ifdef PROGRAM

int main(int argc, char **argv)
{
    KGATE_FUNCTION();
    const int turns = argc > 1 ? atoi(argv[1]) : 100;
    for (int i = 0; i < turns; i++)
        stages();
    return 0;
}

#else

#include "kgate/plugin.h"

static bool set_up(struct kgate_context *context, void **state)
{
    (void)context;
    *state = NULL;
    return true;
}

static void run(void *state)
{
    (void)state;
    stages();
}

static const struct kgate_workload staged = {
    .name = "staged",
    .summary = "Three stages with scopes.",
    .devices = 1U << KGATE_DEVICE_CPU,
    .revision = 1,
    .set_up = set_up,
    .run = run,
};

const struct kgate_plugin *kgate_plugin_workloads(void);
const struct kgate_plugin *kgate_plugin_workloads(void)
{
    static const struct kgate_workload *const workloads[] = {&staged};
    static const struct kgate_plugin plugin = {
        .abi = KGATE_PLUGIN_ABI, .workloads = workloads, .workload_count = 1};
    return &plugin;
}

#endif
