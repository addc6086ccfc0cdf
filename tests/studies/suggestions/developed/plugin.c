/* The plugin: all workloads. */
#include "workload.h"

// clang-format off
#define PAIRS(X) \
    X(mailbox) \
    X(response) \
    X(price_list) \
    X(track) \
    X(indexed) \
    X(query_string) \
    X(symbols) \
    X(settings) \
    X(packets) \
    X(pixels) \
    X(gamma) \
    X(unpremultiply) \
    X(luma) \
    X(motion) \
    X(energy) \
    X(exposure) \
    X(expired) \
    X(orders) \
    X(crawled) \
    X(particles) \
    X(sessions) \
    X(tone) \
    X(unpack) \
    X(records) \
    X(ledger) \
    X(requests) \
    X(spooler) \
    X(tally) \
    X(hits) \
    X(meters) \
    X(rod) \
    X(documents) \
    X(plate) \
    X(fractal)
#define WELL_MADE(X) \
    X(base64) \
    X(dictionary) \
    X(radix) \
    X(product) \
    X(ascii) \
    X(tallies) \
    X(address) \
    X(turned) \
    X(blur) \
    X(copied)
// clang-format on

#define DECLARE(NAME) extern const struct kgate_workload NAME;
#define DECLARE_PAIR(NAME) DECLARE(NAME##_bad) DECLARE(NAME##_good)
#define ENTER(NAME) &(NAME),
#define ENTER_PAIR(NAME) &NAME##_bad, &NAME##_good,
PAIRS(DECLARE_PAIR)
WELL_MADE(DECLARE)

const struct kgate_plugin *kgate_plugin_workloads(void);
const struct kgate_plugin *kgate_plugin_workloads(void)
{
    static const struct kgate_workload *const workloads[] = {PAIRS(ENTER_PAIR) WELL_MADE(ENTER)};
    static const struct kgate_plugin plugin = {.abi = KGATE_PLUGIN_ABI,
                                               .workloads = workloads,
                                               .workload_count =
                                                   sizeof workloads / sizeof *workloads};
    return &plugin;
}
