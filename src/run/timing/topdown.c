#include "run/timing/core_events.h"

#include <math.h>
#include <stddef.h>

/* Counters that took turns do not add up exactly. */
static const double INEXACT = 0.05;

static const struct kg_topdown UNKNOWN = {NAN, NAN, NAN, NAN, NAN};

/* Ice Lake and later count the four by themselves. Linux's perf divides by their sum, not by slots
 * (tools/perf/pmu-events/arch/x86/icelake/icl-metrics.json, tma_retiring and others). */
static struct kg_topdown by_four(const double *counts)
{
    const double slots = counts[KG_CORE_RETIRED] + counts[KG_CORE_WASTED] + counts[KG_CORE_UNFED] +
                         counts[KG_CORE_BLOCKED];
    return (struct kg_topdown){.retiring = counts[KG_CORE_RETIRED] / slots,
                               .bad_speculation = counts[KG_CORE_WASTED] / slots,
                               .frontend_bound = counts[KG_CORE_UNFED] / slots,
                               .backend_bound = counts[KG_CORE_BLOCKED] / slots,
                               .memory_bound = counts[KG_CORE_MEMORY] / slots};
}

/* Sandy Bridge to Skylake: Yasin 2014, table 1. The rest of the slots is bound by the backend. */
static struct kg_topdown by_recovery(const double *counts)
{
    const double slots = counts[KG_CORE_SLOTS];
    struct kg_topdown of = {
        .retiring = counts[KG_CORE_RETIRED] / slots,
        .bad_speculation =
            (counts[KG_CORE_ISSUED] - counts[KG_CORE_RETIRED] + counts[KG_CORE_RECOVERY]) / slots,
        .frontend_bound = counts[KG_CORE_UNFED] / slots,
        .memory_bound = NAN};
    of.backend_bound = 1 - of.retiring - of.bad_speculation - of.frontend_bound;
    return of;
}

/* Zen 4 and 5: tools/perf/pmu-events/arch/x86/amdzen4/pipeline.json. */
static struct kg_topdown by_dispatch(const double *counts)
{
    const double slots = counts[KG_CORE_SLOTS];
    const double backend = counts[KG_CORE_BLOCKED] / slots;
    return (struct kg_topdown){
        .retiring = counts[KG_CORE_RETIRED] / slots,
        .bad_speculation = (counts[KG_CORE_ISSUED] - counts[KG_CORE_RETIRED]) / slots,
        .frontend_bound = counts[KG_CORE_UNFED] / slots,
        .backend_bound = backend,
        .memory_bound = backend * counts[KG_CORE_LOADING] / counts[KG_CORE_UNRETIRED]};
}

/* Limits a share to the range from 0 to 1. False if the share exceeds the range by more than
 * INEXACT. */
static bool share_take(double *share)
{
    if (!(*share >= -INEXACT && *share <= 1 + INEXACT))
        return false;
    *share = fmin(1, fmax(0, *share));
    return true;
}

struct kg_topdown kg_topdown_of(const double counts[KG_CORE_EVENTS])
{
    struct kg_topdown of = !isnan(counts[KG_CORE_WASTED])     ? by_four(counts)
                           : !isnan(counts[KG_CORE_RECOVERY]) ? by_recovery(counts)
                                                              : by_dispatch(counts);
    double *const shares[] = {&of.retiring, &of.bad_speculation, &of.frontend_bound,
                              &of.backend_bound};
    double sum = 0;
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        if (!share_take(shares[i]))
            return UNKNOWN;
        sum += *shares[i];
    }
    if (sum > 1 + INEXACT)
        return UNKNOWN;
    if (!share_take(&of.memory_bound) || of.memory_bound > of.backend_bound + INEXACT)
        of.memory_bound = NAN;
    of.memory_bound = of.memory_bound > of.backend_bound ? of.backend_bound : of.memory_bound;
    return of;
}
