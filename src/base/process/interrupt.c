#include "base/process/interrupt.h"

#include <stddef.h>
#include <unistd.h>

static const int signals[3] = {SIGINT, SIGTERM, SIGHUP};
static volatile sig_atomic_t caught;
static pid_t announcer;

static void note(int number)
{
    if (!caught)
        caught = number;
}

/* Calls only functions that a signal handler may call. A child between fork and exec has the
 * handler too. */
static void announce(int number)
{
    static const char words[] = "kgate: interrupted\n";
    const bool printed = getpid() != announcer || write(STDERR_FILENO, words, sizeof words - 1) > 0;
    (void)printed; /* if it fails, no message can be sent */
    _exit(128 + number);
}

/* Leaves ignored signals ignored, as under nohup and in background jobs. */
static void handler_set(int number, void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler}, old;
    sigemptyset(&action.sa_mask);
    if (sigaction(number, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
        sigaction(number, &action, NULL);
}

void kg_interrupt_announce(void)
{
    announcer = getpid();
    for (size_t i = 0; i < 3; i++)
        handler_set(signals[i], announce);
}

void kg_interrupt_begin(struct kg_interrupt *interrupt)
{
    sigset_t set;
    sigemptyset(&set);
    caught = 0;
    for (size_t i = 0; i < 3; i++)
        sigaddset(&set, signals[i]);
    sigprocmask(SIG_BLOCK, &set, &interrupt->mask);
    for (size_t i = 0; i < 3; i++) {
        sigaction(signals[i], NULL, &interrupt->old[i]);
        handler_set(signals[i], note);
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
