#include "why/observe/hot_steps.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/process/guard.h"
#include "base/process/interrupt.h"
#include "run/case_worker.h"
#include "why/observe/hot_pass.h"
#include "why/observe/line_count.h"
#include "why/observe/observe.h"
#include "why/observe/stack_sampler.h"

/* A worker that runs the workload in one long slice (KG_TURN). */
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

/* Samples the threads until the slice or the process ends. */
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

/* Samples the worker's only slice. The caller then ends the worker, because kgate needs no round
 * from it. */
static const char *run_sample(struct sampled_run *run, struct kg_stack_sampler *sampler)
{
    if (kg_process_wait(&run->launch, &run->process, run->deadline_ns, true, &run->outcome) !=
            KG_ENDED_LINE ||
        !line_is(run, KG_TURN_READY))
        return "the sampled process did not get ready";
    kg_outcome_line_take(&run->outcome, NULL, 0);
    if (!kg_process_send(&run->process, KG_TURN))
        return "the sampled process ended";
    switch (turn_sample(run, sampler)) {
    case KG_ENDED_LINE:
    case KG_ENDED_INTERRUPT:
        return NULL;
    case KG_ENDED_TIMEOUT:
        return "the sampled process timed out: these are the samples until then";
    default:
        return "the sampled process ended early: these are the samples until then";
    }
}

/* Samples one process of the case for `part_ns`. The first call opens the sampler. */
static bool part_sample(const struct kg_session *session, size_t index, double part_ns,
                        struct kg_stack_sampler **sampler, const char **reason,
                        struct kg_error *err)
{
    const struct kg_case *planned = &session->plan->cases[index];
    const struct kg_task_options options = {
        .task = KG_TASK_TURNS, .patience = 1, .turn_ns = part_ns, .cold = true};
    struct sampled_run run = {.process = {.pid = -1, .pidfd = -1, .response = -1, .errors = -1}};
    struct kg_arena arena = {0};
    kg_case_launch_make(session, index, &options, &arena, &run.launch);
    run.launch.waits_asleep = false; /* as in the rounds */
    run.deadline_ns = kg_clock_ns() + (uint64_t)planned->spec->settings.timeout_ns;
    const bool good = kg_process_start(&run.launch, &run.process, err);
    if (good) {
        const struct kg_sampled_process target = {.process = run.process.pid,
                                                  .worker = true,
                                                  .command =
                                                      planned->spec->source == KG_SOURCE_COMMAND};
        if (*sampler)
            kg_stack_sampler_follow(*sampler, &target);
        else
            *sampler = kg_stack_sampler_open(&target);
        *reason = run_sample(&run, *sampler);
        kg_stack_sampler_release(*sampler);
    }
    kg_process_end(&run.process);
    kg_outcome_free(&run.outcome);
    kg_arena_free(&arena);
    return good;
}

static void sampled_take(const struct kg_session *session, size_t index,
                         struct kg_stack_sampler *sampler, const char *reason,
                         struct kg_hot_look *look)
{
    struct kg_sampled *sampled = &session->results->cases[index].hot.sampled;
    kg_stack_sampler_summarize(sampler, &session->results->arena, sampled, &look->arena,
                               &look->addresses);
    if (reason)
        sampled->reason = reason;
}

bool kg_sample_step(const struct kg_session *session, size_t index, struct kg_hot_look *look,
                    struct kg_error *err)
{
    const double whole_ns = session->plan->cases[index].spec->settings.sample_time_ns;
    struct kg_stack_sampler *sampler = NULL;
    const char *reason = NULL;
    const bool good = part_sample(session, index, whole_ns, &sampler, &reason, err);
    if (good)
        sampled_take(session, index, sampler, reason, look);
    kg_stack_sampler_close(sampler);
    return good;
}

static double in_system_calls(const struct kg_sampled *sampled)
{
    double share = 0;
    for (size_t i = 0; i < sampled->site_count; i++)
        share += sampled->sites[i].call ? sampled->sites[i].share : 0;
    return share;
}

/* --- Two builds ------------------------------------------------------------------------------- */

/* Gives each side the sites of the other that it runs too briefly for a sample. */
static void counted_add(const struct kg_session *const sides[2], size_t index,
                        const struct kg_counted counted[2])
{
    for (size_t side = 0; side < 2; side++)
        kg_counted_sites_add(&counted[side], &sides[1 - side]->results->cases[index].hot.sampled,
                             &sides[side]->results->arena,
                             &sides[side]->results->cases[index].hot.sampled);
}

static bool case_sides_sample(const struct kg_session *const sides[2], size_t index,
                              struct kg_error *err)
{
    /* CPU contention that outlasts a part hits both sides; a part is at least one call */
    static const size_t order[] = {0, 1, 1, 0};
    const double whole_ns = sides[0]->plan->cases[index].spec->settings.sample_time_ns;
    const bool slow = sides[0]->results->cases[index].summary.median_ns > whole_ns;
    const size_t parts = slow ? 2 : 4;
    const double part_ns = 2 * whole_ns / (double)parts;
    static const double CALLS_LEAST = 0.1; /* share of samples from which system calls are traced */
    struct kg_stack_sampler *samplers[2] = {0};
    const char *reasons[2] = {0};
    bool good = true;
    for (size_t i = 0; i < parts && good && !kg_interrupt_caught(); i++) {
        const size_t side = order[i];
        /* a part ends with its last call, so it is half a call longer on average */
        const double call_ns = sides[side]->results->cases[index].summary.median_ns;
        const double turn_ns = call_ns > 0 ? fmax(1, part_ns - call_ns / 2) : part_ns;
        good = part_sample(sides[side], index, turn_ns, &samplers[side], &reasons[side], err);
    }
    bool calls = false;
    for (size_t side = 0; side < 2; side++) {
        struct kg_hot_look look = {0};
        if (good && samplers[side]) {
            sampled_take(sides[side], index, samplers[side], reasons[side], &look);
            calls |=
                in_system_calls(&sides[side]->results->cases[index].hot.sampled) >= CALLS_LEAST;
        }
        kg_arena_free(&look.arena);
        kg_stack_sampler_close(samplers[side]);
    }
    struct kg_counted counted[2];
    if (!good || kg_interrupt_caught())
        return good;
    good = kg_calls_count(sides, index, counted, err);
    counted_add(sides, index, counted);
    for (size_t side = 0; side < 2 && calls && good && !kg_interrupt_caught(); side++)
        good = kg_calls_step(sides[side], index, NULL, err);
    return good;
}

void kg_observe_sides(const struct kg_session *base, const struct kg_session *candidate,
                      const bool *wanted, struct kg_advice *advice)
{
    const struct kg_session *const sides[2] = {base, candidate};
    struct kg_error err;
    kg_guard_watch(true); /* sampling traces workloads */
    for (size_t i = 0; i < base->plan->case_count && !kg_interrupt_caught(); i++)
        if (wanted[i] && kg_hot_wanted(base, i) && kg_hot_wanted(candidate, i))
            kg_advice_take(advice, case_sides_sample(sides, i, &err),
                           "no profiles of the two "
                           "builds",
                           &err);
    kg_guard_watch(false);
}
