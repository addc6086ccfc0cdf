/* group.h: one task for many cases on the GPU. The cases share a worker process and its CUDA context
 * as long as all goes well. A case that crashes, hangs or fails does not harm the others: the next
 * case gets a new process. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "run/case_worker.h"

/* A task, and the handler of its successful answers. */
struct kg_group_task {
    struct kg_task_options options;
    bool (*answered)(const struct kg_session *session, size_t index, struct kg_response *response,
                     void *user, struct kg_error *err);
    void *user;
    double *elapsed_ns; /* per case of the run: grows by the time of its task; NULL: not wanted */
};

/* Does the task for `count` cases, in that order. Cases of one build with the same number of threads
 * and the same CPU share a process. A case that fails is marked so. Stops early when asked to stop.
 * returns  false if measuring itself broke */
bool kg_group_run(const struct kg_session *session, const size_t *indexes, size_t count,
                  const struct kg_group_task *task, struct kg_error *err);
