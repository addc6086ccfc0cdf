/* command.h: runs a command as a workload. One call starts one process and waits for its end. For the worker process;
 * one thread. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/error.h"
#include "kgate/plugin.h"
#include "model/suite.h"

/* The failed step of a child process before it runs the command. */
enum kg_command_step { KG_COMMAND_NONE, KG_COMMAND_INPUT, KG_COMMAND_DIRECTORY, KG_COMMAND_EXEC };

struct kg_command_trouble {
    enum kg_command_step step;
    int code; /* errno */
};

struct kg_command_run {
    char *const *argv; /* NULL-terminated; borrowed */
    /* called if the command fails; does not return */
    void (*fail)(void *owner, const char *message);
    void *owner;
    const struct kg_command_setting *setting; /* settings of the command; borrowed */
    int output;          /* file for the standard output, emptied before each call; -1: none */
    bool shows;          /* without `output`: standard output is the worker's, not /dev/null */
    uint64_t peak_bytes; /* largest resident set of a process so far, in bytes */
    double wait_ns;      /* time that the processes' first threads waited for a CPU; NaN: unknown */
    pid_t ended;         /* ended process that kg_command_reap must reap; 0: none */
    struct kg_command_trouble trouble; /* of `ended` */
};

/* Prepares this process for the calls of a command. The function sets the environment variables, which the command
 * inherits. If the command runs in another directory, a relative path of the program becomes absolute.
 * words  words of the command; the function may replace the first by a text in `arena` */
void kg_command_prepare(struct kg_arena *arena, const struct kg_command_setting *setting,
                        const char **words);

/* Runs the command once. Standard input is setting->input or /dev/null. Standard output is `output`; without `output`
 * the worker's if `shows`, else /dev/null. Standard error is the worker's. If the command cannot start, exits with an
 * unaccepted status or dies by a signal, the function calls `fail`.
 * state  struct kg_command_run */
void kg_command_call(void *state);

/* kg_command_call in two parts. The caller times kg_command_time, which returns when the process has ended.
 * kg_command_reap reads the resource usage and calls `fail`. If no process has ended, it does nothing. */
void kg_command_time(void *state);
void kg_command_reap(void *state);

/* Ends the running command by SIGTERM and, after a second, by SIGKILL. If no command runs: nothing. For a signal
 * handler of the thread that runs the command; the handler must not return to the thread's work. */
void kg_command_end(void);
