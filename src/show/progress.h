/* progress.h: how far measuring has come, as a line. Pure; one thread. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

enum { KG_PROGRESS_STEPS = 16 };

/* Zeroed but for `started_ns`, before the first step. */
struct kg_progress_meter {
    uint64_t started_ns;
    uint64_t said_ns; /* when a line was last due; 0: never */
    /* When the last steps ended, in a ring: the time of those to come is that of these. Early ones
     * are checks, which take a fraction of a round. */
    uint64_t ended_ns[KG_PROGRESS_STEPS];
    size_t count; /* steps seen */
    size_t done;  /* as told last */
};

/* Takes note of a report: `done` of `planned` steps. Fewer than before: other measuring has begun. */
void kg_progress_note(struct kg_progress_meter *meter, size_t done, uint64_t now_ns);

/* Time that the other steps will take; NaN where fewer than
 * three steps have been seen. Later looks may ask for more. */
double kg_progress_left_ns(const struct kg_progress_meter *meter, size_t planned);

/* Whether a line is due where no bar can be drawn: now and then, so that a log shows life. */
bool kg_progress_due(struct kg_progress_meter *meter, uint64_t now_ns);

/* How a line is drawn. */
struct kg_progress_look {
    size_t cells; /* of a bar in front; 0: none */
    size_t width; /* that the line fits in; 0: any */
    bool plain;   /* the line is ASCII */
};

/* "12/84, about 40 s left  gemm/cpu", of longer times "about 4 min 30 s" or "about 2 h 10 min". Of a narrow line the bar gives way first, then the middle of
 * the id. */
void kg_progress_line(const struct kg_progress_meter *meter, size_t planned, const char *id,
                      const struct kg_progress_look *look, struct kg_text *text);
