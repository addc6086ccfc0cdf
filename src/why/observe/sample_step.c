#include "why/observe/hot_steps.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/process/interrupt.h"
#include "run/case_worker.h"
#include "why/observe/thread_sampler.h"

/* A worker that runs the workload in one long turn. */
struct sampled_run {
    struct kg_launch launch;
    struct kg_process process;
    struct kg_outcome outcome;
    uint64_t deadline_ns;
};

static bool line_is(const struct sampled_run *run, const char *line)
{
    return !strncmp(kg_text_string(&run->outcome.response), line, strlen(line));
}

/* Looks at the threads until the turn is over, or the process. */
static enum kg_ending turn_sample(struct sampled_run *run, struct kg_stack_sampler *sampler)
{
    for (;;) {
        const uint64_t next = kg_stack_sampler_next_ns(sampler);
        const enum kg_ending ending =
            kg_process_wait(&run->launch, &run->process,
                            next < run->deadline_ns ? next : run->deadline_ns, true, &run->outcome);
        if (ending != KG_ENDED_TIMEOUT || kg_clock_ns() >= run->deadline_ns)
            return ending;
        kg_stack_sampler_take(sampler);
    }
}

/* The worker's one turn, sampled; then it is ended, since of its round nothing is wanted. */
static const char *run_sample(struct sampled_run *run, struct kg_stack_sampler *sampler)
{
    if (kg_process_wait(&run->launch, &run->process, run->deadline_ns, true, &run->outcome) !=
            KG_ENDED_LINE ||
        !line_is(run, KG_TURN_READY))
        return "the process that was to be sampled did not get ready";
    kg_outcome_line_take(&run->outcome, NULL, 0);
    if (!kg_process_say(&run->process, KG_TURN))
        return "the process that was to be sampled ended";
    switch (turn_sample(run, sampler)) {
    case KG_ENDED_LINE:
    case KG_ENDED_INTERRUPT:
        return NULL;
    case KG_ENDED_TIMEOUT:
        return "the process that was sampled timed out: these are samples until then";
    default:
        return "the process that was sampled ended before its time: these are samples until then";
    }
}

static bool sample(const struct kg_session *session, size_t index, struct sampled_run *run,
                   struct kg_hot_look *look, struct kg_error *err)
{
    struct kg_sampled *sampled = &session->results->cases[index].hot.sampled;
    const struct kg_sampled_process target = {.process = run->process.pid,
                                              .worker = true,
                                              .command = session->plan->cases[index].spec->source ==
                                                         KG_SOURCE_COMMAND};
    struct kg_stack_sampler *sampler = kg_stack_sampler_open(&target);
    if (!sampler)
        return kg_error_memory(err);
    const char *reason = run_sample(run, sampler);
    const bool good = kg_stack_sampler_summarize(sampler, &session->results->arena, sampled,
                                                 &look->arena, &look->addresses);
    if (reason)
        sampled->reason = reason;
    kg_stack_sampler_close(sampler);
    return good ? true : kg_error_memory(err);
}

bool kg_sample_step(const struct kg_session *session, size_t index, struct kg_hot_look *look,
                    struct kg_error *err)
{
    const struct kg_settings *settings = &session->plan->cases[index].spec->settings;
    const struct kg_task_options options = {
        .task = KG_TASK_TURNS, .patience = 1, .turn_ns = settings->sample_time_ns};
    struct sampled_run run = {.process = {.pid = -1, .pidfd = -1, .response = -1, .errors = -1}};
    struct kg_arena arena = {0};
    bool good = kg_case_launch_make(session, index, &options, &arena, &run.launch, err);
    if (good) {
        run.launch.waits_asleep = false; /* as in the rounds */
        run.deadline_ns = kg_clock_ns() + (uint64_t)settings->timeout_ns;
        good = kg_process_start(&run.launch, &run.process, err) &&
               sample(session, index, &run, look, err);
    }
    kg_process_end(&run.process);
    kg_outcome_free(&run.outcome);
    kg_arena_free(&arena);
    return good;
}
