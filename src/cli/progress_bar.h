/* progress_bar.h: progress on standard error: a bar on a terminal, a line now and then elsewhere,
 * nothing with --quiet. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "cli/arguments.h"
#include "run/run.h"
#include "show/progress.h"

struct kg_progress_bar {
    bool enabled;
    bool terminal;
    bool plain; /* the locale's characters are not UTF-8 */
    struct kg_progress_meter meter;
    size_t width; /* of what was printed last */
};

struct kg_progress kg_progress_bar_start(struct kg_progress_bar *bar,
                                         const struct kg_arguments *arguments);
void kg_progress_bar_clear(struct kg_progress_bar *bar);
/* A note while the bar `user` is there, on a line of its own. */
void kg_progress_bar_note(void *user, const char *note);
