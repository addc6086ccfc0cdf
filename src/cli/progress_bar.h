/* progress_bar.h: progress on standard error: a bar on a terminal, otherwise occasional lines, nothing with --quiet. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "cli/arguments.h"
#include "run/run.h"
#include "show/progress.h"

struct kg_progress_bar {
    bool enabled;
    bool terminal;
    bool plain; /* whether the locale's encoding is not UTF-8 */
    struct kg_progress_meter meter;
    size_t width; /* width of the last printed line */
};

struct kg_progress kg_progress_bar_start(struct kg_progress_bar *bar,
                                         const struct kg_arguments *arguments);
void kg_progress_bar_clear(struct kg_progress_bar *bar);
/* Prints a note on its own line while the bar is visible.
 * user  a struct kg_progress_bar */
void kg_progress_bar_note(void *user, const char *note);
