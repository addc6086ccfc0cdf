/* Reports the resident memory of a plugin's own objects, and its private part. These objects lie
 * outside the system's folders. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "kgate/plugin.h"

/* Enough code for several pages. */
__attribute__((used)) static const char filling[64 * 1024] = {1};

/* Whether a line of smaps begins a mapping. *ours: whether it maps such an object. */
static bool mapping_begins(const char *line, bool *ours)
{
    uint64_t from, to;
    const char *path = strchr(line, '/');
    if (sscanf(line, "%" SCNx64 "-%" SCNx64 " ", &from, &to) != 2)
        return false;
    *ours = path && strstr(path, ".so") && strncmp(path, "/usr/", 5) != 0 &&
            strncmp(path, "/lib", 4) != 0;
    return true;
}

static bool set_up(struct kgate_context *context, void **state)
{
    char line[4608];
    unsigned long kib, resident = 0, own = 0;
    bool ours = false;
    FILE *maps = fopen("/proc/self/smaps", "re");
    while (maps && fgets(line, sizeof line, maps)) {
        if (mapping_begins(line, &ours) || !ours)
            continue;
        if (sscanf(line, "Rss: %lu", &kib) == 1)
            resident += kib;
        if (sscanf(line, "Anonymous: %lu", &kib) == 1)
            own += kib;
    }
    if (maps)
        fclose(maps);
    context->report(context, "resident_kib", (double)resident);
    context->report(context, "own_kib", (double)own);
    *state = context;
    return true;
}

static void run(void *state)
{
    (void)state;
}

static const struct kgate_workload pages = {
    .name = "pages", .devices = 1U << KGATE_DEVICE_CPU, .set_up = set_up, .run = run};
static const struct kgate_workload *const workloads[] = {&pages};
static const struct kgate_plugin all = {
    .abi = KGATE_PLUGIN_ABI, .workloads = workloads, .workload_count = 1};

const struct kgate_plugin *kgate_plugin_workloads(void)
{
    return &all;
}
