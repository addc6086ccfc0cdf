/* team.h: OpenMP's threads before they are needed. Thread-safe. */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/* Starts the threads of teams of `threads` and lets each but the caller sleep for a moment, so that
 * it wakes on a CPU of its own, where there are enough for all. A new thread begins where its maker
 * runs, and threads that spin for each other there are parted by the system only after a tenth of a
 * second, in which a call takes several times as long: all of a short round. At most 30 ms. Nothing
 * for one, or for more than there are CPUs. */
void kg_team_spread(unsigned threads);

#ifdef __cplusplus
}
#endif
