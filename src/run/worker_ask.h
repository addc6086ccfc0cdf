/* worker_ask.h: one worker process is asked one thing about a case, and answers. The one way to do
 * that; case_worker.h says what its answer means for the case. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/process/process.h"
#include "run/session.h"
#include "run/worker/protocol.h"

/* What a worker is asked, beyond what the plan says of its case. */
struct kg_task_options {
    enum kg_task task;
    bool counts;                 /* a round of the results, which may be checked at its end */
    double patience;             /* the case's time-out is taken so many times */
    uint64_t threads;            /* 0: those of the case */
    uint64_t batch;              /* 0: calls a sample that the check found */
    double turn_ns;              /* KG_TASK_TURNS */
    const char *count_directory; /* KG_TASK_COUNT */
    const char *count_source;
    bool count_lines;
    bool count_core;
    const char **count_options;
    size_t count_option_count;
    double count_time_ns;
    bool count_cold;
    bool flush_denormals; /* any task */
    bool huge_pages;      /* likewise */
    bool keeps_memory;    /* likewise */
    bool shares_cpu;      /* likewise: two processes of the case take turns (kg_case_pin_shared) */
    const char *profile_path; /* KG_TASK_PROFILE */
    double profile_time_ns;
    const char *profile_label;
    const char *preload;    /* any task; as struct kg_launch has it */
    const char *program;    /* NULL: the build's kgate, or this one */
    char *const *arguments; /* NULL: those of a worker */
    double machine_ns;      /* not 0: it is about the machine, not the case: on any CPU and in this
                             * folder, with this time-out */
    const char *what;       /* it does, for the reason: "the process that WHAT timed out" */
};

struct kg_answer {
    struct kg_response response; /* `good` is false where no whole one came */
    bool whole;                  /* a whole response came, whatever became of the process later */
    char refusal[300]; /* what of a response cannot be, where one came and is refused; else "" */
    enum kg_ending ending; /* of the process */
    int code;              /* its exit status or signal */
    bool out_of_memory;    /* as struct kg_outcome has it */
    const char *reason; /* of an answer to kg_worker_ask that is not good; NULL of a good one, and
                         * where it was interrupted, which is nobody's fault */
    char tail[KG_STDERR_TAIL_MOST + 1]; /* the last of its standard error */
};

/* Everything to start a worker with. The request lives in `arena`. */
void kg_case_launch_make(const struct kg_session *session, size_t index,
                         const struct kg_task_options *options, struct kg_arena *arena,
                         struct kg_launch *launch);

/* Reads what a process left. `reason` is not filled.
 * arena  owns what the response refers to */
void kg_answer_read(const struct kg_outcome *outcome, struct kg_arena *arena,
                    struct kg_answer *answer);

/* Starts a worker, waits for its end, its time-out or a signal that asks to stop, and reads its
 * answer.
 * arena    owns what the answer refers to
 * returns  false where no process could be started; what fails in the worker is in the answer */
bool kg_worker_ask(const struct kg_session *session, size_t index,
                   const struct kg_task_options *options, struct kg_arena *arena,
                   struct kg_answer *answer, struct kg_error *err);
