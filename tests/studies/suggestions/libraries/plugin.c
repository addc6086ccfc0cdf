/* The plugin: all workloads. Each uses a library of Debian in two ways: with a setting or a use
 * that is known to be slow, and as the library's authors advise. */
#include "../developed/workload.h"

// clang-format off
#define PAIRS(X) \
    X(level) \
    X(streams) \
    X(bytes) \
    X(archive) \
    X(chunks) \
    X(stanzas) \
    X(lookups) \
    X(report) \
    X(dumped) \
    X(hashed) \
    X(commits) \
    X(scan) \
    X(prepare)
// clang-format on

#define DECLARE_PAIR(NAME) extern const struct kgate_workload NAME##_bad, NAME##_good;
#define ENTER_PAIR(NAME) &NAME##_bad, &NAME##_good,
PAIRS(DECLARE_PAIR)

const struct kgate_plugin *kgate_plugin_workloads(void);
const struct kgate_plugin *kgate_plugin_workloads(void)
{
    static const struct kgate_workload *const workloads[] = {PAIRS(ENTER_PAIR)};
    static const struct kgate_plugin plugin = {.abi = KGATE_PLUGIN_ABI,
                                               .workloads = workloads,
                                               .workload_count =
                                                   sizeof workloads / sizeof *workloads};
    return &plugin;
}
