/* causes_saving.c: what mending a cause saves, where it can go away entirely. */
#include <math.h>
#include <string.h>

#include "why/rules/causes_weighing.h"

/* Work that can go away, and how much of it the mended code still needs at the most. Where the
 * function around it goes away too (who looks through strings turn by turn does nothing else), no
 * more is left than what is outside of that function. What is in none of these rows is replaced by
 * something that no measurement of the slow version shows: a hash table, another layout, vectors. */
static const struct {
    enum kg_cause_kind kind;
    double needs;
    bool with_caller;
} gone[] = {
    {KG_CAUSE_ALLOCATION, 0.1, false},   {KG_CAUSE_COPYING, 0.1, true},
    {KG_CAUSE_FORMATTING, 0.2, false},   {KG_CAUSE_STRING_SCANNING, 0.1, true},
    {KG_CAUSE_MATH_LIBRARY, 0.3, false}, {KG_CAUSE_SMALL_IO, 0.1, false},
    {KG_CAUSE_PROCESSES, 0.1, false},
};

/* Half of the 95 % interval of a share of samples. */
static double error_of(double share, double samples)
{
    return samples > 0 ? 2 * sqrt(fmax(0, share * (1 - share)) / samples) : 0;
}

/* Share of the samples below a function; 0: not known. */
static double total_of(const struct kg_sampled *sampled, const struct kg_place *place)
{
    for (size_t i = 0; place && place->function && i < sampled->function_count; i++) {
        const struct kg_hot_place *one = &sampled->functions[i];
        if (one->place.function && !strcmp(one->place.function, place->function))
            return one->total;
    }
    return 0;
}

void kg_cause_saving(const struct kg_hot *hot, struct kg_cause *cause)
{
    if (!isnan(cause->saves_most))
        return;
    for (size_t i = 0; i < sizeof gone / sizeof *gone; i++) {
        if (gone[i].kind != cause->kind)
            continue;
        const double error = error_of(cause->share, hot->sampled.samples);
        const double around = gone[i].with_caller ? total_of(&hot->sampled, cause->caller) : 0;
        cause->saves_least = fmax(0, cause->share * (1 - gone[i].needs) - error);
        cause->saves_most = fmin(1, fmax(cause->share + error, around));
    }
}
