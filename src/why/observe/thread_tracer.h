/* thread_tracer.h: follows the threads of a process, and the threads and processes that they
 * start, by ptrace. A thread of kgate makes all requests. The observer that owns the tracer decides
 * at each stop. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ptrace.h>
#include <sys/types.h>

#include "base/error.h"

/* Breakpoints of a processor. */
enum { KG_BREAKPOINTS = 4 };

/* The reason why a traced thread runs for the first time. */
enum kg_traced_start {
    KG_TRACED_RUNS,     /* it has run before */
    KG_TRACED_ATTACHED, /* it existed before the tracer */
    KG_TRACED_CREATED,  /* a traced thread or process created it */
    KG_TRACED_PROGRAM,  /* it has started a new program */
};

struct kg_traced {
    pid_t thread;
    bool counts; /* it belongs to the workload */
    bool first;  /* the first thread of its process */
    bool held;   /* stopped until its parent reports it */
    enum kg_traced_start start;
    /* call_tracer.c */
    bool inside; /* in a system call */
    bool mark;   /* the current call is a mark of the worker */
    long number;
    uint64_t entered_ns;
    /* repeat_tracer.c: addresses of its breakpoints; 0: none */
    uint64_t breakpoints[KG_BREAKPOINTS];
    bool at_entry; /* the only breakpoint is the start of a new program */
};

/* Functions of the observer. The tracer's thread calls them. A NULL function does nothing. */
struct kg_traced_hooks {
    enum __ptrace_request resume; /* PTRACE_SYSCALL or PTRACE_CONT */
    /* Whether the observer needs no more. */
    bool (*is_full)(void *user);
    /* A stopped thread is about to run for the first time, for the reason in `one->start`. */
    void (*begin)(void *user, struct kg_traced *one);
    /* A stop by a signal.
     * returns  true: it belongs to the observer, so the thread does not receive the signal */
    bool (*take)(void *user, struct kg_traced *one, int signal);
    /* `by` has created `fresh`. */
    void (*created)(void *user, const struct kg_traced *by, struct kg_traced *fresh);
    /* A stopped thread is about to be released.
     * returns  false: it must run to its next stop first */
    bool (*leave)(void *user, struct kg_traced *one);
};

struct kg_thread_tracer;

/* Starts to trace. The process stops for a moment.
 * process  a child of this process
 * command  the process starts the workload as a program, which counts from exec on
 * hooks    borrowed, like `user`, which the hooks get
 * tracer   NULL if ptrace is refused
 * refusal  errno of the refusal; 0: none
 * returns  false if no thread can be started */
bool kg_thread_tracer_start(pid_t process, bool command, const struct kg_traced_hooks *hooks,
                            void *user, struct kg_thread_tracer **tracer, int *refusal,
                            struct kg_error *err);

/* Ends the tracing and frees the tracer; the process continues. NULL: does nothing. */
void kg_thread_tracer_stop(struct kg_thread_tracer *tracer);
