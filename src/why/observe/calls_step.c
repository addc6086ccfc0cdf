#include "why/observe/hot_steps.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/process/interrupt.h"
#include "base/statistics/stats.h"
#include "run/case_worker.h"
#include "why/observe/modules.h"
#include "why/observe/system_calls.h"

/* ENOUGH: system calls after which no new slice begins. CALLS_MOST: system calls after which
 * tracing ends. */
enum { ENOUGH = 1000, CALLS_MOST = 20000, TURNS_MOST = 4 };
/* Times of: one slice (KG_TURN); all traced slices, after which none begins; the untraced slices
 * before, long enough for the kernel's clock ticks of some milliseconds; the limit of traced
 * slices; the end of the worker. */
static const double TURN_NS = 40e6, TRACED_NS = 250e6, UNTRACED_NS = 150e6, CUT_NS = 2e9,
                    END_NS = 1e9;

/* A worker that runs the workload in short slices: the first few untraced, the others traced. */
struct traced_run {
    struct kg_launch launch;
    struct kg_process process;
    struct kg_outcome outcome;
    uint64_t deadline_ns;
    struct kg_call_tracer *tracer;
    double untraced_reads; /* reads and writes in the untraced slices */
    const char *reason;    /* reason why system calls are missing */
};

/* Waits for a line and removes it. */
static enum kg_ending line_await(struct traced_run *run, uint64_t deadline_ns)
{
    const enum kg_ending ending =
        kg_process_wait(&run->launch, &run->process, deadline_ns, true, &run->outcome);
    if (ending == KG_ENDED_LINE)
        kg_outcome_line_take(&run->outcome, NULL, 0);
    return ending;
}

/* Number of reads and writes of the process and of its ended children (proc(5)). NaN: unknown. */
static double reads_and_writes(pid_t process)
{
    char path[64], line[128];
    double sum = NAN, value;
    snprintf(path, sizeof path, "/proc/%d/io", (int)process);
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "syscr: %lf", &value) == 1 || sscanf(line, "syscw: %lf", &value) == 1)
            sum = isnan(sum) ? value : sum + value;
    if (file)
        fclose(file);
    return sum;
}

/* Runs slices without the tracer, so that their times exclude its cost. */
static bool untraced_turns(struct traced_run *run)
{
    bool good = line_await(run, run->deadline_ns) == KG_ENDED_LINE;
    const uint64_t start = kg_clock_ns();
    const double before = reads_and_writes(run->process.pid);
    do {
        good = good && kg_process_send(&run->process, KG_TURN) &&
               line_await(run, run->deadline_ns) == KG_ENDED_LINE;
    } while (good && (double)(kg_clock_ns() - start) < UNTRACED_NS);
    if (!good) {
        run->reason = "the traced process ended, or took too long";
        return false;
    }
    run->untraced_reads = reads_and_writes(run->process.pid) - before;
    return true;
}

/* Runs traced slices until there are enough system calls. A slice with too many continues
 * untraced, and kgate does not wait for its end. */
static void traced_turns(struct traced_run *run)
{
    const uint64_t start = kg_clock_ns();
    const uint64_t cut = start + (uint64_t)CUT_NS;
    const uint64_t last = cut < run->deadline_ns ? cut : run->deadline_ns;
    for (size_t i = 0; i < TURNS_MOST; i++) {
        const double spent_ns = (double)(kg_clock_ns() - start);
        const size_t seen = kg_call_tracer_seen(run->tracer);
        if (spent_ns > TRACED_NS || seen >= ENOUGH || (i && !seen) ||
            !kg_process_send(&run->process, KG_TURN))
            return;
        enum kg_ending ending;
        do {
            const uint64_t soon = kg_clock_ns() + (uint64_t)TURN_NS;
            ending = line_await(run, soon < last ? soon : last);
        } while (ending == KG_ENDED_TIMEOUT && kg_clock_ns() < last &&
                 kg_call_tracer_seen(run->tracer) < CALLS_MOST);
        if (ending != KG_ENDED_LINE)
            return;
    }
}

/* Ends the worker. Between slices, it ends by itself together with the workload. A command may
 * be in the middle of a file, so kgate lets it finish within the time-out. */
static void run_end(struct traced_run *run, bool command)
{
    const uint64_t soon = kg_clock_ns() + (uint64_t)END_NS;
    if (run->process.pid > 0 && !kg_interrupt_caught() &&
        kg_process_send(&run->process, KG_TURN_END))
        kg_process_wait(&run->launch, &run->process, command ? run->deadline_ns : soon, false,
                        &run->outcome);
    kg_process_end(&run->process);
    kg_outcome_free(&run->outcome);
}

static bool trace(struct traced_run *run, bool command, double call_ns, struct kg_arena *arena,
                  struct kg_system_calls *calls, struct kg_error *err)
{
    const struct kg_traced_process target = {
        .process = run->process.pid, .command = command, .calls_most = CALLS_MOST};
    int refusal = 0;
    if (!untraced_turns(run))
        return true;
    if (!kg_call_tracer_start(&target, &run->tracer, &refusal, err))
        return false;
    if (!run->tracer) {
        run->reason = kg_arena_printf(arena, "ptrace: %s", strerror(refusal));
        return true;
    }
    traced_turns(run);
    kg_call_tracer_stop(run->tracer);
    kg_call_tracer_summarize(run->tracer, run->untraced_reads, call_ns, arena, calls);
    kg_call_tracer_free(run->tracer);
    return true;
}

/* --- Origin of the calls ---------------------------------------------------------------------- */

/* The workload's function on a stack: the innermost outside of the system's libraries. */
static const char *function_of(const struct kg_hot_stack *stack)
{
    for (size_t i = 0; i < stack->frame_count; i++) {
        const struct kg_place *frame = &stack->frames[i];
        if (frame->function && (!frame->module || !kg_module_in_system(frame->module)))
            return frame->function;
    }
    return NULL;
}

/* Finds the function that makes each kind of call, by its most frequent sampled stack. */
static void functions_find(const struct kg_sampled *sampled, struct kg_system_calls *calls)
{
    for (size_t i = 0; i < calls->kind_count; i++)
        for (size_t k = 0; k < sampled->stack_count && !calls->kinds[i].from; k++)
            if (sampled->stacks[k].call && !strcmp(sampled->stacks[k].call, calls->kinds[i].name))
                calls->kinds[i].from = function_of(&sampled->stacks[k]);
}

/* Time of a call by the rounds; NaN: there is no round. */
static double call_ns(const struct kg_case_result *result)
{
    enum { MOST = 64 };
    double medians[MOST], scratch[MOST];
    size_t count = 0;
    for (; count < result->round_count && count < MOST; count++)
        medians[count] = result->rounds[count].median_ns;
    return count ? kg_median_of(medians, count, scratch) : NAN;
}

bool kg_calls_step(const struct kg_session *session, size_t index, struct kg_hot_look *look,
                   struct kg_error *err)
{
    const struct kg_settings *settings = &session->plan->cases[index].spec->settings;
    const struct kg_task_options options = {
        .task = KG_TASK_TURNS, .patience = 1, .turn_ns = TURN_NS};
    struct kg_system_calls *calls = &session->results->cases[index].hot.system_calls;
    struct traced_run run = {.process = {.pid = -1, .pidfd = -1, .response = -1, .errors = -1}};
    struct kg_arena arena = {0};
    const struct kg_case_result *result = &session->results->cases[index];
    (void)look;
    kg_case_launch_make(session, index, &options, &arena, &run.launch);
    run.launch.waits_asleep = false; /* as in the rounds */
    run.deadline_ns = kg_clock_ns() + (uint64_t)settings->timeout_ns;
    const bool command = session->plan->cases[index].spec->source == KG_SOURCE_COMMAND;
    const bool good = kg_process_start(&run.launch, &run.process, err) &&
                      trace(&run, command, call_ns(result), &session->results->arena, calls, err);
    run_end(&run, command);
    if (run.reason)
        calls->reason = run.reason;
    functions_find(&result->hot.sampled, calls);
    kg_arena_free(&arena);
    return good;
}
