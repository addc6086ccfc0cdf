/* causes_saving.c: the saving of a fix, for causes that can go away entirely. */
#include <math.h>
#include <string.h>

#include "why/rules/causes_weighing.h"
#include "why/rules/rules.h"

/* Half of the 95 % interval of a share of samples. */
static double error_of(double share, double samples)
{
    return samples > 0 ? 2 * sqrt(fmax(0, share * (1 - share)) / samples) : 0;
}

/* Share of the samples below a function; 0: unknown. */
static double total_of(const struct kg_sampled *sampled, const struct kg_place *place)
{
    for (size_t i = 0; place && place->function && i < sampled->function_count; i++) {
        const struct kg_hot_place *one = &sampled->functions[i];
        if (one->place.function && !strcmp(one->place.function, place->function))
            return one->total;
    }
    return 0;
}

/* If the caller goes away too, its whole share is the upper bound of the saving. */
void kg_cause_saving(const struct kg_hot *hot, struct kg_cause *cause)
{
    const struct kg_rule *rule = kg_rule_of_cause(cause->kind);
    if (!isnan(cause->saves_most) || !(rule->needs > 0))
        return;
    const double error = error_of(cause->share, hot->sampled.samples);
    const double around = rule->with_caller ? total_of(&hot->sampled, cause->caller) : 0;
    cause->saves_least = fmax(0, cause->share * (1 - rule->needs) - error);
    cause->saves_most = fmin(1, fmax(cause->share + error, around));
}
