#include "measure/interrupt.h"

#include <stddef.h>

static const int signals[3] = {SIGINT, SIGTERM, SIGHUP};
static volatile sig_atomic_t caught;

static void note(int number)
{
    if (!caught)
        caught = number;
}

void kg_interrupt_begin(struct kg_interrupt *interrupt)
{
    struct sigaction action = {.sa_handler = note};
    sigset_t set;
    sigemptyset(&set);
    sigemptyset(&action.sa_mask);
    caught = 0;
    for (size_t i = 0; i < 3; i++)
        sigaddset(&set, signals[i]);
    sigprocmask(SIG_BLOCK, &set, &interrupt->mask);
    for (size_t i = 0; i < 3; i++) {
        sigaction(signals[i], NULL, &interrupt->old[i]);
        /* nohup and background jobs ignore some of them: that stays. */
        if (interrupt->old[i].sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
    }
}

void kg_interrupt_end(struct kg_interrupt *interrupt)
{
    kg_interrupt_caught();
    sigprocmask(SIG_SETMASK, &interrupt->mask, NULL);
    for (size_t i = 0; i < 3; i++)
        sigaction(signals[i], &interrupt->old[i], NULL);
}

int kg_interrupt_caught(void)
{
    sigset_t pending;
    if (!caught && sigpending(&pending) == 0)
        for (size_t i = 0; i < 3; i++)
            if (sigismember(&pending, signals[i]) == 1)
                return signals[i];
    return caught;
}
