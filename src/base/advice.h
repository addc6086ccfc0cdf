/* advice.h: a step that no verdict depends on: a profile of a case, suggestions, a report. A step that
 * fails becomes a note: on standard error, and where its reader keeps notes. Nothing else changes. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* Zero-initialise: notes go to standard error alone. */
struct kg_advice {
    void (*keep)(void *user, const char *note); /* besides standard error; NULL: nobody keeps it */
    void *user;
    size_t notes; /* made so far */
};

/* Makes the note of a step that failed.
 * advice   NULL: as a zeroed one
 * good     whether the step succeeded: then nothing is noted
 * missing  begins the note: what the user does without, as "no suggestions"
 * err      why; of a step that succeeded it is not read
 * returns  good */
bool kg_advice_take(struct kg_advice *advice, bool good, const char *missing,
                    const struct kg_error *err);
