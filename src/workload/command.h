/* command.h: a command as a workload: one call is one process, from fork to its end. Runs inside
 * the worker process. One thread. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "kgate/plugin.h"

struct kg_command_run {
    char *const *argv; /* NULL-terminated; borrowed */
    void (*fail)(void *owner,
                 const char *message); /* called when the command fails; does not return */
    void *owner;
    bool shows; /* its standard output is the worker's, so that a failure is seen; else /dev/null */
    uint64_t peak_bytes; /* largest resident set of a process so far */
    double wait_ns;      /* that the processes' first threads waited for a CPU; NaN: not known */
    pid_t ended;         /* a process that is still to be reaped; 0: none */
    int exec_error;      /* its errno where it could not become the command */
};

/* Runs the command once with standard input at /dev/null, and standard output likewise unless it
 * `shows`, and standard error as it is;
 * calls `fail` where it cannot be started, exits non-zero or dies by a signal. `state` is a
 * struct kg_command_run. */
void kg_command_call(void *state);

/* The same in two parts. kg_command_time is what a call takes: it returns when the process has
 * ended. kg_command_reap reads what it used, and calls `fail`; nothing where none has ended. */
void kg_command_time(void *state);
void kg_command_reap(void *state);
