/* case_attempt.h: a worker process whose failure is not its case's: what looks at a case apart from
 * its rounds. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "measure/case_worker.h"

struct kg_attempt {
    struct kg_response response; /* lives in the results' arena */
    const char *reason;          /* why there is no good response; NULL where there is one */
    int signal;                  /* that ended the process; 0 where none did */
    bool timed_out;
    bool interrupted; /* neither response nor reason */
};

/* Runs one worker to its end. A whole answer counts whatever became of the process afterwards.
 * what  it does, for the reason: "the process that WHAT timed out"
 * returns false where it could not even be started, or memory is out */
bool kg_case_attempt(struct kg_measurement *measurement, size_t index,
                     const struct kg_task_options *options, const char *what,
                     struct kg_attempt *attempt, struct kg_error *err);
