/* progress.h: prints the progress of a measurement on one line. Pure; one thread. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

enum { KG_PROGRESS_STEPS = 16 };

/* Before the first step the caller sets `started_ns` and zeroes the rest. */
struct kg_progress_meter {
    uint64_t started_ns;
    uint64_t noted_ns; /* time of the last due line; 0: none */
    /* End times of the last steps, a ring. The estimate assumes that future steps take as long as these. Early steps
     * are checks, which take a fraction of a round. */
    uint64_t ended_ns[KG_PROGRESS_STEPS];
    size_t count; /* steps seen */
    size_t done;  /* steps done in the last report */
};

/* Records a report of `done` steps. If `done` is smaller than before, a new measurement has begun. */
void kg_progress_note(struct kg_progress_meter *meter, size_t done, uint64_t now_ns);

/* Estimated time of the remaining steps in ns; NaN after fewer than three steps. Later interim analyses may add
 * steps. */
double kg_progress_left_ns(const struct kg_progress_meter *meter, size_t planned);

/* Whether a line is due. A log without a bar gets one line per interval, so that it shows life. */
bool kg_progress_due(struct kg_progress_meter *meter, uint64_t now_ns);

/* How a line is drawn. */
struct kg_progress_look {
    size_t cells; /* cells of the bar in front; 0: no bar */
    size_t width; /* width limit of the line in characters; 0: none */
    bool plain;   /* the line is ASCII */
};

/* Appends "12/84, about 40 s left  gemm/cpu". Longer times read "about 4 min 30 s" or "about 2 h 10 min". If the line
 * is too narrow, the function drops the bar first, then the middle of the id. */
void kg_progress_line(const struct kg_progress_meter *meter, size_t planned, const char *id,
                      const struct kg_progress_look *look, struct kg_text *text);
