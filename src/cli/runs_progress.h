/* runs_progress.h: progress of a suite that kgate measures several times: the number of the run, and a bar per run. */
#pragma once
#include "cli/progress_bar.h"

struct kg_runs_shown {
    const struct kg_arguments *arguments;
    struct kg_progress_bar bar; /* bar of the current run; the caller clears it at the end */
    struct kg_progress progress;
};

/* Returns the progress callback of the measurement. `shown` must outlive it. */
struct kg_progress kg_runs_shown_progress(struct kg_runs_shown *shown);

/* Call before each run, numbered from 1.
 * user  a struct kg_runs_shown */
void kg_runs_shown_begin(void *user, size_t run, size_t runs);
