/* Workloads that make the table of a checksum for each of many pieces, and a program that does;
 * tests/cli/repeats.bats. */
#include <stdlib.h>

#include "kgate/plugin.h"

#define APART __attribute__((noinline, used))

enum { PIECES = 60, ENTRIES = 256, BITS = 8, POLYNOMIAL = 0x6db88320 };

struct repeats {
    uint32_t table[ENTRIES];
    uint32_t sum;
};

APART static void fill_table(uint32_t table[ENTRIES], uint32_t polynomial)
{
    for (uint32_t i = 0; i < ENTRIES; i++) {
        uint32_t entry = i;
        for (int bit = 0; bit < BITS; bit++)
            entry = entry & 1 ? (entry >> 1) ^ polynomial : entry >> 1;
        table[i] = entry;
    }
}

static void same(void *state)
{
    struct repeats *repeats = state;
    for (uint32_t i = 0; i < PIECES; i++) {
        fill_table(repeats->table, POLYNOMIAL);
        repeats->sum ^= repeats->table[i];
    }
}

#ifdef PROGRAM

int main(void)
{
    enum { TURNS = 80 }; /* longer than the start of a process */
    static struct repeats repeats;
    for (int i = 0; i < TURNS; i++)
        same(&repeats);
    return repeats.sum == 1;
}

#else

static void others(void *state)
{
    struct repeats *repeats = state;
    for (uint32_t i = 0; i < PIECES; i++) {
        fill_table(repeats->table, POLYNOMIAL + i);
        repeats->sum ^= repeats->table[i];
    }
}

static bool set_up(struct kgate_context *context, void **state)
{
    return (*state = context->allocate(context, sizeof(struct repeats))) != NULL;
}

#define WORKLOAD(called)                                                                           \
    static const struct kgate_workload called##_workload = {                                       \
        .name = #called,                                                                           \
        .summary = "Makes tables.",                                                                \
        .devices = 1u << KGATE_DEVICE_CPU,                                                         \
        .revision = 1,                                                                             \
        .set_up = set_up,                                                                          \
        .run = called,                                                                             \
    }
WORKLOAD(same);
WORKLOAD(others);

static const struct kgate_workload *const workloads[] = {&same_workload, &others_workload};
static const struct kgate_plugin plugin = {KGATE_PLUGIN_ABI, workloads,
                                           sizeof workloads / sizeof *workloads};

const struct kgate_plugin *kgate_plugin_workloads(void);

const struct kgate_plugin *kgate_plugin_workloads(void)
{
    return &plugin;
}

#endif
