#include "judge/waivers_apply.h"

#include <math.h>
#include <string.h>

double kg_acceptable_bound(const struct kg_metric *metric)
{
    const bool higher = metric->better == KG_BETTER_HIGHER;
    const double end = higher ? metric->interval_low : metric->interval_high;
    return isfinite(end) && (higher ? end < metric->ratio : end > metric->ratio) ? end
                                                                                 : metric->ratio;
}

double kg_acceptable_change(const struct kg_metric *metric)
{
    const double bound = kg_acceptable_bound(metric), tenths = 1000 * (bound - 1);
    return (bound > 1 ? ceil(tenths - 1e-6) : floor(tenths + 1e-6)) / 1000;
}

static bool is_worse(const struct kg_metric *metric)
{
    return (metric->change == KG_CHANGE_REGRESSION || metric->change == KG_CHANGE_SUSPECT) &&
           kg_metric_against(metric) != KG_AGAINST_BUDGET;
}

/* Whether the case changed more in the same metric against another reference, such as a pin. One entry in the list of
 * accepted changes covers both. */
static bool is_outdone(const struct kg_case_change *change, const struct kg_metric *metric)
{
    for (size_t i = 0; i < change->metric_count; i++) {
        const struct kg_metric *other = &change->metrics[i];
        if (other != metric && is_worse(other) && !strcmp(other->name, metric->name) &&
            fabs(kg_acceptable_change(other)) > fabs(kg_acceptable_change(metric)))
            return true;
    }
    return false;
}

bool kg_is_acceptable(const struct kg_case_change *change, const struct kg_metric *metric)
{
    return is_worse(metric) && !is_outdone(change, metric);
}
