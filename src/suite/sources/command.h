/* command.h: a command as a workload: one call is one process, from fork to its end. Runs inside
 * the worker process. One thread. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/error.h"
#include "kgate/plugin.h"
#include "model/suite.h"

/* What a child could not do on its way to becoming the command. */
enum kg_command_step { KG_COMMAND_NONE, KG_COMMAND_INPUT, KG_COMMAND_DIRECTORY, KG_COMMAND_EXEC };

struct kg_command_trouble {
    enum kg_command_step step;
    int code; /* errno */
};

struct kg_command_run {
    char *const *argv; /* NULL-terminated; borrowed */
    void (*fail)(void *owner,
                 const char *message); /* called when the command fails; does not return */
    void *owner;
    const struct kg_command_setting *setting; /* what it gets besides; borrowed */
    int output; /* a file for its standard output, emptied before each call; -1: none */
    bool shows; /* its standard output is the worker's, so that a failure is seen; else /dev/null */
    uint64_t peak_bytes; /* largest resident set of a process so far */
    double wait_ns;      /* that the processes' first threads waited for a CPU; NaN: not known */
    pid_t ended;         /* a process that is still to be reaped; 0: none */
    struct kg_command_trouble trouble; /* of that process */
};

/* Prepares this process for the calls of a command: sets the variables, which the command inherits, and
 * makes a relative path of the program absolute where it is to run in another directory.
 * words  the first may be replaced, by one in `arena`
 * err */
void kg_command_prepare(struct kg_arena *arena, const struct kg_command_setting *setting,
                        const char **words);

/* Runs the command once: standard input is setting->input or /dev/null, standard output `output`, or
 * the worker's where it `shows`, or /dev/null, and standard error is the worker's. Calls `fail` where
 * it cannot be started, exits with a status that is not accepted or dies by a signal. `state` is a
 * struct kg_command_run. */
void kg_command_call(void *state);

/* The same in two parts. kg_command_time is what a call takes: it returns when the process has
 * ended. kg_command_reap reads what it used, and calls `fail`; nothing where none has ended. */
void kg_command_time(void *state);
void kg_command_reap(void *state);

/* Ends the command that runs now, by SIGTERM and, after a second, by SIGKILL; nothing if none runs. For a signal
 * handler of the thread that runs it, which does not go on. */
void kg_command_end(void);
