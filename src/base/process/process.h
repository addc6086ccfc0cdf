/* process.h: a worker process: fork and exec of kgate, its request, its response, its end. The
 * response comes over a socket. kgate sends further lines, such as the requests of `ab`, over the
 * same socket. One thread. */
#pragma once
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/text.h"

/* File descriptor of a worker for its response. */
enum { KG_WORKER_RESPONSE = 3 };

enum { KG_STDERR_TAIL_MOST = 4096 };

struct kg_launch {
    const char *program;    /* path of the executable */
    char *const *arguments; /* NULL-terminated; NULL: a worker's */
    const char *directory;  /* working folder; NULL: kgate's */
    const char *request;    /* text for its standard input */
    size_t request_length;
    uint64_t threads;    /* for OMP_NUM_THREADS and its like */
    bool threads_set;    /* by the suite, which overrides the user's environment */
    const char *gpu;     /* UUID of the only visible GPU; NULL: no restriction */
    bool waits_asleep;   /* its waiting threads sleep instead of spinning */
    bool spins_briefly;  /* its waiting threads spin briefly before they sleep (libgomp) */
    bool huge_pages;     /* malloc asks for huge pages, unless the user has tuned malloc */
    bool keeps_memory;   /* malloc returns none to the kernel, unless the user has tuned malloc */
    const char *preload; /* library that the loader puts before the worker's own; NULL: none */
    int pin;             /* CPU to run on, or -1 */
    double timeout_ns;
    double cleanup_ns;    /* time for its cleanup after an early end; 0: it has no cleanup */
    const sigset_t *mask; /* signal mask of the worker, and of kgate while it waits */
};

enum kg_ending {
    KG_ENDED_EXIT,
    KG_ENDED_SIGNAL,
    KG_ENDED_TIMEOUT,
    KG_ENDED_INTERRUPT,
    KG_ENDED_LINE /* not ended: it wrote a line, and waits */
};

struct kg_outcome {
    enum kg_ending ending;
    int code;           /* exit status or signal */
    bool out_of_memory; /* the kernel's count of out-of-memory kills rose during the run */
    struct kg_text response;
    char tail[KG_STDERR_TAIL_MOST + 1]; /* end of standard error, whole lines if possible */
    size_t tail_length;
};

struct kg_process {
    pid_t pid;
    int pidfd;    /* -1 if the system has no pidfds: kgate then polls for the end */
    int response; /* a socket */
    int errors;
    double cleanup_ns; /* as in the launch */
};

/* Starts the process. After a failure the caller must still call kg_process_end. */
bool kg_process_start(const struct kg_launch *launch, struct kg_process *process,
                      struct kg_error *err);

/* Waits until the process ends, the deadline (of kg_clock_ns) passes or a signal asks to stop. With
 * `line` it also stops at a whole line of the response. */
enum kg_ending kg_process_wait(const struct kg_launch *launch, struct kg_process *process,
                               uint64_t deadline_ns, bool line, struct kg_outcome *outcome);

/* Waits for room in the socket, a second at most; the caller then tries to send. false if the
 * deadline has passed, kgate was interrupted, or the process is gone. */
bool kg_process_writable(const struct kg_process *process, uint64_t deadline_ns);

/* Records the ending of the process in `outcome`, then calls kg_process_end. */
void kg_process_finish(struct kg_process *process, enum kg_ending ending, uint64_t kills_before,
                       struct kg_outcome *outcome);

/* Tells the process that no request follows, and lets it end by itself. Tools that watch the
 * process (compute-sanitizer, profilers) print their results at its end. After patience_ns kgate
 * kills it. */
void kg_process_leave(const struct kg_launch *launch, struct kg_process *process,
                      double patience_ns, struct kg_outcome *outcome);

/* Kills the process, its group and its descendants (descendants.h), and closes everything. Harmless
 * after kg_process_finish. A worker with a cleanup first gets SIGTERM. */
void kg_process_end(struct kg_process *process);

/* The kernel's count of out-of-memory kills on this machine; 0 if the kernel does not tell. */
uint64_t kg_out_of_memory_kills(void);

/* Writes a line to the process; false if the process is gone. */
bool kg_process_send(const struct kg_process *process, const char *line);

/* After KG_ENDED_LINE: removes the first line from the response and copies it into `line`, cut to
 * `bytes`. NULL: no copy. */
void kg_outcome_line_take(struct kg_outcome *outcome, char *line, size_t bytes);

void kg_outcome_free(struct kg_outcome *outcome);

/* worker_environment.c: environment variables of a worker: number of threads, their way of waiting,
 * GPU, preloaded library. The user's settings of threads and malloc stay, except for a number of
 * threads from the suite. */

enum { KG_WORKER_VARIABLES_MOST = 10 };

struct kg_worker_environment {
    char **all; /* for execve, NULL-terminated */
    /* its own: the added variables, as text from malloc */
    char *text[KG_WORKER_VARIABLES_MOST];
    size_t added;
};

/* The caller's environment with the worker's variables; other strings are borrowed.
 * returns  `all` */
char **kg_worker_environment_make(struct kg_worker_environment *environment,
                                  const struct kg_launch *launch);
void kg_worker_environment_free(struct kg_worker_environment *environment);
