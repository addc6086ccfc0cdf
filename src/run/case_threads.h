/* case_threads.h: the number of threads of a case, and its note for the reader. The user owns the
 * environment: its number of threads applies unless the suite sets another. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "run/session.h"

/* Number of threads that a case may use. First of: the settings; 1 if the case is pinned;
 * OMP_NUM_THREADS of the environment; the number of CPUs. */
uint64_t kg_case_threads(const struct kg_session *session, const struct kg_settings *settings,
                         int pin);

/* Whether the settings or the environment give a number. If not, the program may choose any number. */
bool kg_case_threads_are_set(const struct kg_settings *settings);

/* A note about the threads of a case on the CPU: too few CPUs for them; or a number, places or a way of
 * waiting from the environment.
 * returns  text in `arena`; NULL if none of this applies */
const char *kg_case_threads_note(const struct kg_session *session, size_t index,
                                 struct kg_arena *arena);
