/* hot_loops.h: a step of the hot pass: the loops around the hottest addresses. */
#pragma once
#include "why/observe/hot_step.h"

/* After the samples. */
kg_hot_step kg_loops_step;
