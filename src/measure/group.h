/* group.h: one worker process after the other doing one task on many cases of the GPU, which share
 * a CUDA context as long as all goes well. A case that crashes, hangs or fails costs itself: the
 * next goes on in a new process. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "measure/case_worker.h"

/* What is done with the answer of a case that did what was asked. */
struct kg_group_task {
    struct kg_task_options options;
    bool (*answered)(struct kg_measurement *measurement, size_t index, struct kg_response *response,
                     void *user, struct kg_error *err);
    void *user;
};

/* Does the task for `count` cases, in that order; all have the same threads and pin as far as they
 * share a process. A case that fails is marked so; false is for what measuring itself broke on.
 * Stops early when asked to stop. */
bool kg_group_run(struct kg_measurement *measurement, const size_t *indexes, size_t count,
                  const struct kg_group_task *task, struct kg_error *err);
