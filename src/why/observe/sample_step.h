/* sample_step.h: the first look at a case: samples of its threads while it runs. */
#pragma once
#include "why/observe/hot_step.h"

/* Starts a worker that runs the workload for the suite's sample_time, and samples it meanwhile. What
 * goes wrong there is the reason in `sampled`. */
kg_hot_step kg_sample_step;
