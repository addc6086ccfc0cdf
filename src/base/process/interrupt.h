/* interrupt.h: Ctrl-C and its like as a question to ask instead of a sudden end. Signals belong to
 * the process, so this is the one place outside the profiler that has global state. */
#pragma once
#include <signal.h>
#include <stdbool.h>

struct kg_interrupt {
    sigset_t mask; /* the signal mask from before: what to wait under, and what children get */
    struct sigaction old[3];
};

/* Until kg_interrupt_begin, and again after kg_interrupt_end, SIGINT, SIGTERM and SIGHUP say that kgate
 * was interrupted and end it with 128 plus the signal, as an interrupted measurement ends. */
void kg_interrupt_announce(void);

/* From now on SIGINT, SIGTERM and SIGHUP are blocked, except in a ppoll with `mask`; there they are
 * only noted. */
void kg_interrupt_begin(struct kg_interrupt *interrupt);
/* Puts everything back. */
void kg_interrupt_end(struct kg_interrupt *interrupt);
/* The first signal that came, or 0. Asks for pending ones too. */
int kg_interrupt_caught(void);
