/* group.h: worker processes that serve many cases on the GPU, one after the other. The cases share a
 * process and its CUDA context as long as all goes well. A case that crashes, hangs or fails does not
 * harm the others: the next case gets a new process. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "run/case_worker.h"

/* One such process; zeroed before its first case. */
struct kg_group {
    struct kg_launch launch;
    struct kg_process process;
    struct kg_outcome outcome;
    uint64_t kills;
    bool alive;
};

/* Like kg_worker_ask, by the group's process. A case that needs another build, number of threads or
 * CPU gets a new process, and so does the case after a failure. */
bool kg_group_ask(struct kg_group *group, const struct kg_session *session, size_t index,
                  const struct kg_task_options *options, struct kg_arena *arena,
                  struct kg_answer *answer, struct kg_error *err);

/* Lets the process come to its own end. Harmless without a process. */
void kg_group_end(struct kg_group *group);

/* A task, and the handler of its successful answers. */
struct kg_group_task {
    struct kg_task_options options;
    bool (*answered)(const struct kg_session *session, size_t index, struct kg_response *response,
                     void *user, struct kg_error *err);
    void *user;
    double *elapsed_ns; /* per case of the run: grows by the time of its task; NULL: not wanted */
};

/* Does the task for `count` cases, in that order, by as few processes as the cases allow. A case that
 * fails is marked so. Stops early when asked to stop.
 * returns  false if measuring itself broke */
bool kg_group_run(const struct kg_session *session, const size_t *indexes, size_t count,
                  const struct kg_group_task *task, struct kg_error *err);

/* --- The parts, for pairs of such processes --------------------------------------------------- */

/* Makes the launch of a case one of a process for many cases. It gets its requests by its socket: its
 * standard input is empty. */
void kg_group_launch(struct kg_launch *launch);

/* Whether a case can use the process that was started for another. */
bool kg_group_fits(const struct kg_launch *started, const struct kg_launch *launch);

/* Sends a request. If the process has ended, a later wait finds how. */
void kg_group_request(struct kg_process *process, const char *request, uint64_t deadline_ns);

/* Takes the answer in the outcome's first line. */
void kg_group_answer(struct kg_outcome *outcome, struct kg_arena *arena, struct kg_answer *answer);

/* Lets a process come to its own end; kills it after some seconds. Frees the outcome. */
void kg_group_leave(const struct kg_launch *launch, struct kg_process *process,
                    struct kg_outcome *outcome);
