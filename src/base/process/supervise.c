#include "base/process/supervise.h"

#include "base/clock.h"

bool kg_supervise_start(const struct kg_launch *launch, struct kg_supervised *worker,
                        struct kg_error *err)
{
    worker->kills = kg_out_of_memory_kills();
    if (!kg_process_start(launch, &worker->process, err)) {
        kg_process_end(&worker->process);
        return false;
    }
    worker->deadline_ns = kg_clock_ns() + (uint64_t)launch->timeout_ns;
    return true;
}

void kg_supervise_finish(const struct kg_launch *launch, struct kg_supervised *worker,
                         struct kg_outcome *outcome)
{
    *outcome = (struct kg_outcome){0};
    const enum kg_ending ending =
        kg_process_wait(launch, &worker->process, worker->deadline_ns, false, outcome);
    kg_process_finish(&worker->process, ending, worker->kills, outcome);
}

bool kg_supervise(const struct kg_launch *launch, struct kg_outcome *outcome, struct kg_error *err)
{
    struct kg_supervised worker;
    if (!kg_supervise_start(launch, &worker, err))
        return false;
    kg_supervise_finish(launch, &worker, outcome);
    return true;
}

bool kg_supervise_question(const char *program, char *const arguments[], double timeout_ns,
                           struct kg_outcome *outcome, struct kg_error *err)
{
    sigset_t mask;
    sigprocmask(SIG_SETMASK, NULL, &mask);
    const struct kg_launch launch = {.program = program,
                                     .arguments = arguments,
                                     .request = "",
                                     .threads = 1,
                                     .pin = -1,
                                     .timeout_ns = timeout_ns,
                                     .mask = &mask};
    return kg_supervise(&launch, outcome, err);
}
