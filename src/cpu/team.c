#include "cpu/team.h"

#include <omp.h>
#include <stdbool.h>
#include <time.h>

/* Of a sleep, and how often all sleep. */
enum { STEP_NS = 100000, STEPS_MOST = 100, TIMES = 3 };

/* One after the other, so that those that are awake, and spin at the end, have a CPU each when the
 * next wakes. */
void kg_team_spread(unsigned threads)
{
    const bool room = threads <= (unsigned)omp_get_num_procs();
    for (int i = 0; i < TIMES && threads > 1 && room; i++)
#pragma omp parallel num_threads((int)threads)
    {
        const int steps = omp_get_thread_num();
        const struct timespec moment = {.tv_nsec = (long)STEP_NS *
                                                   (steps < STEPS_MOST ? steps : STEPS_MOST)};
        if (steps)
            nanosleep(&moment, NULL);
    }
}
