/* hot_step.h: one step of profiling a case; a row of hot_pass.c's list. */
#pragma once
#include "run/session.h"
#include "why/observe/addresses.h"

/* Results of one case's steps for later steps, besides the case's `hot`. */
struct kg_hot_look {
    struct kg_arena arena;             /* freed after the case's last step */
    struct kg_hot_addresses addresses; /* live in the arena; empty without samples */
};

/* Fills its part of the case's `hot`.
 * returns  false if a process could not be started */
typedef bool kg_hot_step(const struct kg_session *session, size_t index, struct kg_hot_look *look,
                         struct kg_error *err);
