/* advice.h: a step that no verdict depends on: a profile of a case, suggestions, a report. A failed
 * step becomes a note on standard error, and for `keep`. Nothing else changes. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* Zero-initialise: notes go to standard error alone. */
struct kg_advice {
    /* also takes each note; NULL: standard error alone */
    void (*keep)(void *user, const char *note);
    void *user;
    size_t notes; /* made so far */
};

/* Makes the note of a step that failed.
 * advice   NULL: as a zeroed struct
 * good     whether the step succeeded; if so, the function makes no note
 * missing  start of the note: the user's loss, such as "no suggestions"
 * err      reason of the failure; not read if the step succeeded
 * returns  good */
bool kg_advice_take(struct kg_advice *advice, bool good, const char *missing,
                    const struct kg_error *err);
