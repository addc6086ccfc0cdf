/* runs_progress.h: the progress of a suite that is measured several times over: which run it is, and
 * a bar for each. */
#pragma once
#include "cli/progress_bar.h"

struct kg_runs_shown {
    const struct kg_arguments *arguments;
    struct kg_progress_bar bar; /* of the run; to be cleared at the end */
    struct kg_progress progress;
};

/* What measuring is told; `shown` must outlive it. */
struct kg_progress kg_runs_shown_progress(struct kg_runs_shown *shown);

/* Before each run, from 1. user: the struct kg_runs_shown. */
void kg_runs_shown_begin(void *user, size_t run, size_t runs);
