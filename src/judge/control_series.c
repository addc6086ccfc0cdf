/* control_series.c: a control variate. On a quiet machine the control is only noise, so it must not be subtracted
 * whole: the factor is fitted. It is fitted to changes from night to night, because a step of the code changes the
 * level of the series for good. Each change is removed with the factor of its own night. A later factor would move the
 * level and look like creep. */
#include "judge/control_series.h"

#include <math.h>

/* Share of its weight that a night keeps on the next night: a mean age of 50. */
static const double KEPT = 0.98;
/* Largest change of the series that counts, as a multiple of the control's: a step of the code is no covariance. */
static const double CHANGE_MOST = 3;
enum { NIGHTS_LEAST = 8 };

double kg_control_factor(const struct kg_control_fit *fit)
{
    if (fit->nights < NIGHTS_LEAST || !(fit->squares > 0))
        return 0;
    return fmin(1, fmax(0, fit->products / fit->squares));
}

double kg_control_remove(struct kg_control_fit *fit, double series, double control)
{
    if (!isfinite(control))
        return series - fit->offset;
    if (fit->nights > 0) {
        const double change = control - fit->last_control;
        const double most = CHANGE_MOST * fabs(change);
        const double followed = fmin(most, fmax(-most, series - fit->last_series));
        fit->products = KEPT * fit->products + followed * change;
        fit->squares = KEPT * fit->squares + change * change;
        fit->offset += kg_control_factor(fit) * change;
    }
    fit->nights++;
    fit->last_series = series;
    fit->last_control = control;
    return series - fit->offset;
}
