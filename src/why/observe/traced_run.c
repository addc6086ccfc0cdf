#include "why/observe/traced_run.h"

#include "base/clock.h"
#include "base/process/interrupt.h"
#include "run/case_worker.h"

bool kg_traced_run_start(const struct kg_session *session, size_t index, double turn_ns,
                         uint64_t batch, struct kg_traced_run *run, struct kg_error *err)
{
    const struct kg_case *planned = &session->plan->cases[index];
    const struct kg_task_options options = {
        .task = KG_TASK_TURNS, .patience = 1, .turn_ns = turn_ns, .batch = batch};
    *run = (struct kg_traced_run){.process = {.pid = -1, .pidfd = -1, .response = -1, .errors = -1},
                                  .deadline_ns =
                                      kg_clock_ns() + (uint64_t)planned->spec->settings.timeout_ns,
                                  .command = planned->spec->source == KG_SOURCE_COMMAND};
    kg_case_launch_make(session, index, &options, &run->arena, &run->launch);
    run->launch.waits_asleep = false; /* as in the rounds */
    return kg_process_start(&run->launch, &run->process, err);
}

bool kg_traced_run_turn(const struct kg_traced_run *run)
{
    return kg_process_send(&run->process, KG_TURN);
}

enum kg_ending kg_traced_run_line(struct kg_traced_run *run, uint64_t deadline_ns)
{
    const enum kg_ending ending =
        kg_process_wait(&run->launch, &run->process, deadline_ns, true, &run->outcome);
    if (ending == KG_ENDED_LINE)
        kg_outcome_line_take(&run->outcome, NULL, 0);
    return ending;
}

void kg_traced_run_end(struct kg_traced_run *run, double patience_ns)
{
    const uint64_t soon = kg_clock_ns() + (uint64_t)patience_ns;
    const bool waits = run->command || patience_ns > 0;
    if (waits && run->process.pid > 0 && !kg_interrupt_caught() &&
        kg_process_send(&run->process, KG_TURN_END))
        kg_process_wait(&run->launch, &run->process, run->command ? run->deadline_ns : soon, false,
                        &run->outcome);
    kg_process_end(&run->process);
    kg_outcome_free(&run->outcome);
    kg_arena_free(&run->arena);
}
