/* hot_pass.h: profiles each case on the CPU, function by function (model/hot_code.h). It uses
 * processes of its own and a bounded time per case. */
#pragma once
#include "run/pass.h"

/* Whether kgate profiles a case. */
bool kg_hot_wanted(const struct kg_session *session, size_t index);

/* Fills `hot` of each case to profile (trace, sample_time). A failed observation stores its
 * reason there, and does not fail the case. */
extern const struct kg_observer kg_hot_observer;
