/* process.h: a worker process: fork and exec of kgate, its request, its response, its end. The
 * response comes over a socket, over which the turns of `ab` are asked for too. One thread. */
#pragma once
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/text.h"

/* The file descriptor of a process that its response is written to. */
enum { KG_WORKER_RESPONSE = 3 };

enum { KG_STDERR_TAIL_MOST = 4096 };

struct kg_launch {
    const char *program;    /* path of the executable */
    char *const *arguments; /* NULL-terminated; NULL: those of a worker */
    const char *directory;  /* where it runs; NULL: here */
    const char *request;    /* text for its standard input */
    size_t request_length;
    uint64_t threads;   /* for OMP_NUM_THREADS and its like */
    bool threads_said;  /* by the suite: against what the user's environment says of their number */
    const char *gpu;    /* UUID of the only one that it shall see; NULL: as it is */
    bool waits_asleep;  /* its threads sleep while they wait, where they would else spin */
    bool spins_briefly; /* before they sleep, where that can be said by environment alone */
    bool huge_pages;    /* malloc asks for them, unless the user has tuned malloc */
    bool keeps_memory;  /* malloc gives none back to the kernel, unless likewise */
    const char *preload; /* a library that the loader puts before the worker's own; NULL: none */
    int pin;             /* CPU to run on, or -1 */
    double timeout_ns;
    double cleanup_ns;    /* time for its cleanup, if it is ended early; 0: it has none */
    const sigset_t *mask; /* signal mask of the worker, and while waiting */
};

enum kg_ending {
    KG_ENDED_EXIT,
    KG_ENDED_SIGNAL,
    KG_ENDED_TIMEOUT,
    KG_ENDED_INTERRUPT,
    KG_ENDED_LINE /* not ended: it said a line, and waits */
};

struct kg_outcome {
    enum kg_ending ending;
    int code;           /* exit status or signal */
    bool out_of_memory; /* the kernel's count of out-of-memory kills rose meanwhile */
    struct kg_text response;
    char tail[KG_STDERR_TAIL_MOST +
              1]; /* the last of its standard error, whole lines where it can */
    size_t tail_length;
};

struct kg_process {
    pid_t pid;
    int pidfd;    /* -1 where the system has none: then its end is asked for now and then */
    int response; /* a socket */
    int errors;
    double cleanup_ns; /* as in the launch */
};

/* Starts it. On failure kg_process_end is still to be called. */
bool kg_process_start(const struct kg_launch *launch, struct kg_process *process,
                      struct kg_error *err);

/* Waits until it ends, the deadline (of kg_clock_ns) passes or a signal asks to stop; with `line`
 * also until its response holds a whole line. */
enum kg_ending kg_process_wait(const struct kg_launch *launch, struct kg_process *process,
                               uint64_t deadline_ns, bool line, struct kg_outcome *outcome);

/* Waits until it can be sent more; false where the deadline passes first, or it is gone. */
bool kg_process_writable(const struct kg_process *process, uint64_t deadline_ns);

/* Notes how it ended, and ends what is left of it. */
void kg_process_finish(struct kg_process *process, enum kg_ending ending, uint64_t kills_before,
                       struct kg_outcome *outcome);

/* Tells it that no request follows, lets it end by itself, which tools that watch it (compute-sanitizer,
 * profilers) need for their last words, and kills it where it has not after patience_ns. */
void kg_process_leave(const struct kg_launch *launch, struct kg_process *process,
                      double patience_ns, struct kg_outcome *outcome);

/* Kills it, its process group and what it has left behind (descendants.h), and closes everything;
 * harmless after kg_process_finish. A worker with something to clean up is told to end by SIGTERM first. */
void kg_process_end(struct kg_process *process);

/* The kernel's count of out-of-memory kills on this machine; 0 where it does not say. */
uint64_t kg_out_of_memory_kills(void);

/* Writes a line to the process; false where it is not there any more. */
bool kg_process_say(const struct kg_process *process, const char *line);

/* Takes the first line off what the process has written, after KG_ENDED_LINE: into `line` as far as
 * it fits; NULL: it is not wanted. */
void kg_outcome_line_take(struct kg_outcome *outcome, char *line, size_t bytes);

void kg_outcome_free(struct kg_outcome *outcome);

/* worker_environment.c: the variables that a worker is started with: how many threads, how these
 * wait, which GPU, what is preloaded. What the user has set holds, but for what the suite says. */

enum { KG_WORKER_VARIABLES_MOST = 10 };

struct kg_worker_environment {
    char **all; /* for execve, NULL-terminated */
    /* its own: the variables that are added, as text of malloc's */
    char *text[KG_WORKER_VARIABLES_MOST];
    size_t added;
};

/* The caller's environment with those put in, whose strings are borrowed.
 * returns  `all` */
char **kg_worker_environment_make(struct kg_worker_environment *environment,
                                  const struct kg_launch *launch);
void kg_worker_environment_free(struct kg_worker_environment *environment);
