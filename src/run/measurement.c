#include "run/measurement.h"

#include <math.h>
#include <poll.h>

#include "base/clock.h"

void kg_measurement_progress(const struct kg_measurement *measurement, const char *id)
{
    /* Disturbed rounds are measured again, which nobody plans. */
    const size_t done = measurement->done;
    const size_t planned = done > measurement->planned ? done : measurement->planned;
    if (measurement->progress.report)
        measurement->progress.report(measurement->progress.user, done, planned, id);
}

const struct kg_build *kg_measurement_build(const struct kg_measurement *measurement, size_t index)
{
    return measurement->builds ? measurement->builds[index] : NULL;
}

void kg_measurement_pause(const struct kg_measurement *measurement, double ns)
{
    const struct timespec wait = {.tv_sec = (time_t)(ns / 1e9), .tv_nsec = (long)fmod(ns, 1e9)};
    if (ns > 0 && !kg_interrupt_caught())
        ppoll(NULL, 0, &wait, &measurement->interrupt->mask);
}

double kg_measurement_round_ns(const struct kg_measurement *measurement, size_t index)
{
    const double chosen = measurement->results.cases[index].round_ns;
    return chosen > 0 ? chosen : measurement->plan->cases[index].spec->settings.min_time_ns;
}

double kg_measurement_elapsed_ns(const struct kg_measurement *measurement)
{
    return (double)(kg_clock_ns() - measurement->started_ns);
}

int kg_measurement_interrupted(const struct kg_measurement *measurement)
{
    (void)measurement;
    return kg_interrupt_caught();
}

void kg_measurement_written(struct kg_measurement *measurement)
{
    if (measurement->journaled)
        kg_journal_remove(&measurement->journal);
    measurement->journaled = false;
}

void kg_measurement_free(struct kg_measurement *measurement)
{
    if (measurement->journaled)
        kg_journal_close(&measurement->journal);
    kg_probe_free(&measurement->probe);
    kg_arena_free(&measurement->results.arena);
    *measurement = (struct kg_measurement){0};
}
