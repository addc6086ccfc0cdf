/* command.h: a command as a workload: one call is one process, from fork to its end. Runs inside
 * the worker process. One thread. */
#pragma once
#include <stdint.h>

#include "kgate/plugin.h"

struct kg_command_run {
    char *const *argv; /* NULL-terminated; borrowed */
    void (*fail)(void *owner,
                 const char *message); /* called when the command fails; does not return */
    void *owner;
    uint64_t peak_bytes; /* largest resident set of a process so far */
};

/* Runs the command once with standard input and output at /dev/null and standard error as it is;
 * calls `fail` where it cannot be started, exits non-zero or dies by a signal. `state` is a
 * struct kg_command_run. */
void kg_command_call(void *state);
