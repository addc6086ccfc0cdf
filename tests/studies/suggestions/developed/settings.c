/* The settings of a server, read from a file once and asked for by name in every request. */
#include <stdio.h>
#include <string.h>

#include "workload.h"

enum { SETTINGS = 240, ASKED = 600, SLOTS = 512, NAME_MOST = 32 };

struct setting {
    char name[NAME_MOST];
    int64_t value;
};

struct work {
    struct setting settings[SETTINGS];
    uint16_t slots[SLOTS]; /* index into settings, from 1; 0 if free */
    char asked[ASKED][NAME_MOST];
    int64_t expected;
    int64_t sum;
};

static int64_t setting_get(const struct work *work, const char *name)
{
    for (size_t i = 0; i < SETTINGS; i++)
        if (strcmp(work->settings[i].name, name) == 0)
            return work->settings[i].value;
    return 0;
}

static uint32_t hash(const char *name)
{
    uint32_t sum = 2166136261U;
    for (; *name; name++)
        sum = (sum ^ (unsigned char)*name) * 16777619U;
    return sum % SLOTS;
}

static int64_t setting_hashed(const struct work *work, const char *name)
{
    for (uint32_t slot = hash(name); work->slots[slot]; slot = (slot + 1) % SLOTS) {
        const struct setting *setting = &work->settings[work->slots[slot] - 1];
        if (strcmp(setting->name, name) == 0)
            return setting->value;
    }
    return 0;
}

static void run_bad(void *state)
{
    struct work *work = state;
    work->sum = 0;
    for (size_t i = 0; i < ASKED; i++)
        work->sum += setting_get(work, work->asked[i]);
}

static void run_good(void *state)
{
    struct work *work = state;
    work->sum = 0;
    for (size_t i = 0; i < ASKED; i++)
        work->sum += setting_hashed(work, work->asked[i]);
}

static bool set_up(struct kgate_context *context, void **state)
{
    static const char *const parts[] = {"cache", "listen", "proxy", "upstream", "log", "tls"};
    struct work *work = workload_begin(context, sizeof *work, state);
    if (!work)
        return false;
    uint64_t sequence = context->seed;
    for (size_t i = 0; i < SETTINGS; i++) {
        struct setting *setting = &work->settings[i];
        snprintf(setting->name, NAME_MOST, "%s.limit.%zu", parts[i % 6], i);
        setting->value = (int64_t)(workload_random(&sequence) % 100000);
        uint32_t slot = hash(setting->name);
        while (work->slots[slot])
            slot = (slot + 1) % SLOTS;
        work->slots[slot] = (uint16_t)(i + 1);
    }
    for (size_t i = 0; i < ASKED; i++) {
        const struct setting *setting = &work->settings[workload_random(&sequence) % SETTINGS];
        memcpy(work->asked[i], setting->name, NAME_MOST);
        work->expected += setting->value;
    }
    return true;
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    (void)context;
    const struct work *work = state;
    return workload_wrong(check, work->sum != work->expected);
}

PAIR(settings, "Asks for settings by their names.");
