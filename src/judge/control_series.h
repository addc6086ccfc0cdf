/* control_series.h: removes the machine's part from a series. One kept build is measured every night: its series, the
 * control, moves only if the machine does. Pure functions; no allocation; thread-safe. */
#pragma once
#include <stddef.h>

/* State of the fit for one series: one row of a database. Zero-initialise it before the first night. */
struct kg_control_fit {
    double nights;       /* nights so far, with both values */
    double last_series;  /* log location of the newest night with both values */
    double last_control; /* likewise, of the control */
    double products;     /* weighted sum: change of the series times change of the control */
    double squares;      /* weighted sum: squared change of the control */
    double offset;       /* the machine's part since the first night */
};

/* Share of the control's moves that the series follows: covariance of the nightly changes over the variance of the
 * control's changes, weighted over about 50 nights. 0 to 1; 0 for the first nights. */
double kg_control_factor(const struct kg_control_fit *fit);

/* Adds a night.
 * series   log location of the series, finite
 * control  log location of the control on the same host in the same night; NaN: not measured
 * returns  the series without the machine's part */
double kg_control_remove(struct kg_control_fit *fit, double series, double control);
