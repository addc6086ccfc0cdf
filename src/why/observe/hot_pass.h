/* hot_pass.h: looks where the time of each case on the CPU goes, function by function (model/hot_code.h),
 * in processes of its own, for a bounded time a case. */
#pragma once
#include "run/pass.h"

/* Whether a case is to be looked at. */
bool kg_hot_wanted(const struct kg_session *session, size_t index);

/* Fills `hot` of every case that is to be looked at (trace, sample_time). What cannot be seen has its
 * reason there, and fails no case. */
extern const struct kg_observer kg_hot_observer;
