/* hot_step.h: one way to look at where the time of a case goes; a row of hot_pass.c's list. */
#pragma once
#include "run/session.h"
#include "why/observe/addresses.h"

/* What the steps of one case find for those after them, beside the case's `hot`. */
struct kg_hot_look {
    struct kg_arena arena;             /* freed when the case has been looked at */
    struct kg_hot_addresses addresses; /* lives in it; empty where there are no samples */
};

/* Fills its part of the case's `hot`.
 * returns, or a process could not be started */
typedef bool kg_hot_step(const struct kg_session *session, size_t index, struct kg_hot_look *look,
                         struct kg_error *err);
