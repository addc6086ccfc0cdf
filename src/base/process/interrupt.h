/* interrupt.h: turns Ctrl-C and similar signals into a question to ask, instead of a sudden end.
 * Signals belong to the process, so this is the one place outside the profiler that has global
 * state. */
#pragma once
#include <signal.h>
#include <stdbool.h>

struct kg_interrupt {
    sigset_t mask; /* signal mask from before, for ppoll and for children */
    struct sigaction old[3];
};

/* Until kg_interrupt_begin, and again after kg_interrupt_end, SIGINT, SIGTERM and SIGHUP print
 * "kgate: interrupted" and end kgate. The exit status is 128 plus the signal, as after an
 * interrupted measurement. */
void kg_interrupt_announce(void);

/* From now on SIGINT, SIGTERM and SIGHUP are blocked, except in a ppoll with `mask`; there they are
 * only noted. */
void kg_interrupt_begin(struct kg_interrupt *interrupt);
/* Restores mask and handlers. */
void kg_interrupt_end(struct kg_interrupt *interrupt);
/* The first signal that came, or 0. Pending signals count. */
int kg_interrupt_caught(void);
