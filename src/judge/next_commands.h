/* next_commands.h: the commands that a FAIL suggests for its worst case. */
#pragma once
#include <stdbool.h>

#include "judge/undecided.h"
#include "model/comparison.h"

/* Where the comparison comes from. */
struct kg_next_source {
    const char *directory; /* folder with comparison.json; NULL: not written */
    bool is_measured;      /* whether the folder has the candidate's results too */
    const char *baselines; /* folder of baselines, if the command has to name it; else NULL */
    const char *options;   /* other options of the `gate`, such as " --set threshold=1%"; or NULL */
    const struct kg_again *again; /* how to repeat an `ab`; NULL: no `ab` */
};

/* Sets `next_commands`: how to reproduce, accept and quarantine the worst case that fails, or how to explain it if
 * nothing can be accepted. Sets none if no case fails or the suite is no file.
 * current  the candidate's results, the input of the comparison */
void kg_next_commands_make(struct kg_comparison *comparison, const struct kg_results *current,
                           const struct kg_next_source *source);
