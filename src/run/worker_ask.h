/* worker_ask.h: sends one request about a case to one worker process, and reads its answer. No other
 * file does that; case_worker.h applies the answer to the case. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/process/supervise.h"
#include "run/session.h"
#include "run/worker/protocol.h"

/* A request to a worker, beyond the plan of its case. */
struct kg_task_options {
    enum kg_task task;
    bool counts;                 /* a round of the results, which may be checked at its end */
    double patience;             /* factor of the case's time-out */
    uint64_t threads;            /* 0: the case's own number */
    uint64_t batch;              /* calls per sample; 0: as the check found */
    double turn_ns;              /* KG_TASK_TURNS */
    uint64_t turn_calls;         /* KG_TASK_TURNS: calls of a turn, at most; 0: turn_ns decides */
    bool cold;                   /* KG_TASK_TURNS: a command runs without warm-up */
    const char *count_directory; /* KG_TASK_COUNT */
    const char *count_source;
    bool count_lines;
    bool count_core;
    const char **count_options;
    size_t count_option_count;
    double count_time_ns;
    bool count_cold;
    bool flush_denormals; /* any task */
    bool huge_pages;      /* any task */
    bool keeps_memory;    /* any task */
    bool shares_cpu;      /* any task: two processes of the case alternate (kg_case_pin_shared) */
    const char *profile_path; /* KG_TASK_PROFILE */
    double profile_time_ns;
    const char *profile_label;
    const char *preload;    /* any task; as in struct kg_launch */
    const char *program;    /* NULL: the build's kgate, or this one */
    char *const *arguments; /* NULL: a worker's usual arguments */
    double machine_ns;      /* not 0: the request is about the machine, not the case: on any CPU, in
                             * this folder, with this time-out */
    const char *what;       /* verb phrase for the reason: "measured it" */
};

struct kg_answer {
    struct kg_response response; /* `good` is false without a whole response */
    bool whole;                  /* a whole response came, even if the process failed later */
    char refusal[300];           /* impossible part of a refused response; else "" */
    enum kg_ending ending;       /* of the process */
    int code;                    /* its exit status or signal */
    bool out_of_memory;          /* as in struct kg_outcome */
    const char *reason; /* reason of a failed kg_worker_ask; NULL after success, and after an
                         * interrupt, which is no fault */
    char tail[KG_STDERR_TAIL_MOST + 1]; /* the last of its standard error */
};

/* Fills the launch of a worker. The request lives in `arena`. */
void kg_case_launch_make(const struct kg_session *session, size_t index,
                         const struct kg_task_options *options, struct kg_arena *arena,
                         struct kg_launch *launch);

/* Reads a process's response and its end. Leaves `reason` unset.
 * arena  owns the response's strings and arrays */
void kg_answer_read(const struct kg_outcome *outcome, struct kg_arena *arena,
                    struct kg_answer *answer);

/* Sets `reason` unless the answer is good or kgate was interrupted.
 * what  verb phrase, as in struct kg_task_options */
void kg_answer_explain(struct kg_answer *answer, const char *what, struct kg_arena *arena);

/* A worker that was asked, until kg_worker_answer. */
struct kg_asked {
    struct kg_launch launch;
    struct kg_supervised worker;
    const char *what;      /* as in struct kg_task_options; may be NULL */
    struct kg_arena arena; /* owns the request */
};

/* Starts a worker. Several may run at once.
 * options  only read during the call
 * returns  false if no process could be started; then there is no answer */
bool kg_worker_start(const struct kg_session *session, size_t index,
                     const struct kg_task_options *options, struct kg_asked *asked,
                     struct kg_error *err);

/* Waits for the worker's end and reads its answer, as kg_worker_ask does. Frees `asked`. */
void kg_worker_answer(struct kg_asked *asked, struct kg_arena *arena, struct kg_answer *answer);

/* Starts a worker and reads its answer. Waits for its end, its time-out or a signal that asks to
 * stop.
 * arena    owns the answer's strings and arrays
 * returns  false if no process could be started; `answer` has all failures of the worker */
bool kg_worker_ask(const struct kg_session *session, size_t index,
                   const struct kg_task_options *options, struct kg_arena *arena,
                   struct kg_answer *answer, struct kg_error *err);
