#include "cli/runs_progress.h"

#include <stdio.h>

static void progress_report(void *user, size_t done, size_t planned, const char *id)
{
    const struct kg_progress *progress = &((struct kg_runs_shown *)user)->progress;
    if (progress->report)
        progress->report(progress->user, done, planned, id);
}

struct kg_progress kg_runs_shown_progress(struct kg_runs_shown *shown)
{
    return (struct kg_progress){.report = progress_report, .user = shown};
}

void kg_runs_shown_begin(void *user, size_t run, size_t runs)
{
    struct kg_runs_shown *shown = user;
    kg_progress_bar_clear(&shown->bar);
    if (!shown->arguments->quiet)
        fprintf(stderr, "kgate: run %zu of %zu\n", run, runs);
    shown->progress = kg_progress_bar_start(&shown->bar, shown->arguments);
}
