#include "base/process/supervise.h"

#include "base/clock.h"

bool kg_supervise(const struct kg_launch *launch, struct kg_outcome *outcome, struct kg_error *err)
{
    struct kg_process process;
    const uint64_t kills = kg_out_of_memory_kills();
    *outcome = (struct kg_outcome){0};
    if (!kg_process_start(launch, &process, err)) {
        kg_process_end(&process);
        return false;
    }
    const uint64_t deadline = kg_clock_ns() + (uint64_t)launch->timeout_ns;
    kg_process_finish(&process, kg_process_wait(launch, &process, deadline, false, outcome), kills,
                      outcome);
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
