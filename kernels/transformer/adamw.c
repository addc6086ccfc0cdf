#include "transformer/adamw.h"

static double rate_at(double rate, size_t step)
{
    return step < KG_ADAMW_WARM_UP ? rate * (double)step / KG_ADAMW_WARM_UP : rate;
}

struct kg_adamw_scales kg_adamw_scales_of(double rate, size_t step)
{
    const double t = (double)step;
    return (struct kg_adamw_scales){
        .rate = (float)rate_at(rate, step),
        .correction1 = (float)(1 / (1 - pow((double)KG_ADAMW_BETA1, t))),
        .correction2 = (float)(1 / (1 - pow((double)KG_ADAMW_BETA2, t))),
    };
}

double kg_adamw_undo(double rate, size_t step, double parameter, double moment1, double moment2)
{
    const struct kg_adamw_scales scales = kg_adamw_scales_of(rate, step);
    const double direction =
        moment1 * (double)scales.correction1 /
        (sqrt(moment2 * (double)scales.correction2) + (double)KG_ADAMW_EPSILON);
    const double step_rate = rate_at(rate, step);
    return (parameter + step_rate * direction) / (1 - step_rate * (double)KG_ADAMW_DECAY);
}
