#include "run/session.h"

#include <math.h>
#include <poll.h>

void kg_session_progress(const struct kg_session *session, const char *id)
{
    const struct kg_steps *steps = session->steps;
    /* Disturbed rounds are measured again, which nobody plans. */
    const size_t planned = steps->done > steps->planned ? steps->done : steps->planned;
    if (steps->progress.report)
        steps->progress.report(steps->progress.user, steps->done, planned, id);
}

const struct kg_build *kg_session_build(const struct kg_session *session, size_t index)
{
    return session->launcher->builds ? session->launcher->builds[index] : NULL;
}

void kg_session_pause(const struct kg_session *session, double ns)
{
    const struct timespec wait = {.tv_sec = (time_t)(ns / 1e9), .tv_nsec = (long)fmod(ns, 1e9)};
    if (ns > 0 && !kg_interrupt_caught())
        ppoll(NULL, 0, &wait, &session->launcher->interrupt->mask);
}

double kg_session_round_ns(const struct kg_session *session, size_t index)
{
    const double chosen = session->results->cases[index].round_ns;
    return chosen > 0 ? chosen : session->plan->cases[index].spec->settings.min_time_ns;
}
