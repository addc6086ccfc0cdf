/* case_threads.h: how many threads a case may use, and what a reader must know of that. The
 * environment is the user's: what it says of threads holds, unless the suite says more. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "run/session.h"

/* Threads that a case of these settings may use: as many as they say; else one where it is pinned;
 * else what OMP_NUM_THREADS of the environment says; else one for each CPU. */
uint64_t kg_case_threads(const struct kg_session *session, const struct kg_settings *settings,
                         int pin);

/* Whether the settings or the environment say how many; else it is not known whether it has more than one. */
bool kg_case_threads_said(const struct kg_settings *settings);

/* A sentence where a case on the CPU works with several threads, and has fewer CPUs than these, or
 * the environment says how many they are, where they run or how they wait.
 * returns  in `arena`; NULL where there is nothing to say */
const char *kg_case_threads_note(const struct kg_session *session, size_t index,
                                 struct kg_arena *arena);
