#include "why/observe/hot_steps.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/statistics/stats.h"
#include "why/observe/modules.h"
#include "why/observe/system_calls.h"
#include "why/observe/traced_run.h"

/* ENOUGH: system calls after which no new slice begins. CALLS_MOST: system calls after which
 * tracing ends. READS_MOST: reads and writes after which tracing of a first call ends. The kernel
 * counts them without a tracer, so a part of a call suffices. */
enum { ENOUGH = 1000, CALLS_MOST = 20000, READS_MOST = 4000, TURNS_MOST = 4 };
/* Times of: one slice (KG_TURN); all traced slices, after which none begins; the untraced slices
 * before, long enough for the kernel's clock ticks of some milliseconds; the limit of traced
 * slices; the end of the worker. */
static const double TURN_NS = 40e6, TRACED_NS = 250e6, UNTRACED_NS = 80e6, CUT_NS = 2e9,
                    END_NS = 1e9;

/* A worker that runs the workload in short slices: the first few untraced, the others traced. */
struct counted_run {
    struct kg_traced_run worker;
    struct kg_call_tracer *tracer;
    struct kg_moved untraced; /* in the untraced slices */
    const char *reason;       /* reason why system calls are missing */
};

/* Reads and writes of the process and of its ended children since its start. */
static struct kg_moved moved_of(pid_t process)
{
    char path[64], line[128];
    struct kg_moved moved = kg_moved_unknown;
    snprintf(path, sizeof path, "/proc/%d/io", (int)process);
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file)) {
        sscanf(line, "rchar: %lf", &moved.bytes[KG_READS]);
        sscanf(line, "wchar: %lf", &moved.bytes[KG_WRITES]);
        sscanf(line, "syscr: %lf", &moved.calls[KG_READS]);
        sscanf(line, "syscw: %lf", &moved.calls[KG_WRITES]);
    }
    if (file)
        fclose(file);
    return moved;
}

static struct kg_moved moved_between(const struct kg_moved *from, const struct kg_moved *to)
{
    struct kg_moved moved;
    for (size_t i = 0; i < KG_MOVING_COUNT; i++) {
        moved.calls[i] = to->calls[i] - from->calls[i];
        moved.bytes[i] = to->bytes[i] - from->bytes[i];
    }
    return moved;
}

/* Runs slices without the tracer, so that their times exclude its cost. */
static bool untraced_turns(struct counted_run *run)
{
    bool good = kg_traced_run_line(&run->worker, run->worker.deadline_ns) == KG_ENDED_LINE;
    const uint64_t start = kg_clock_ns();
    const struct kg_moved before = moved_of(run->worker.process.pid);
    do {
        good = good && kg_traced_run_turn(&run->worker) &&
               kg_traced_run_line(&run->worker, run->worker.deadline_ns) == KG_ENDED_LINE;
    } while (good && (double)(kg_clock_ns() - start) < UNTRACED_NS);
    if (!good) {
        run->reason = "the traced process ended, or took too long";
        return false;
    }
    const struct kg_moved after = moved_of(run->worker.process.pid);
    run->untraced = moved_between(&before, &after);
    return true;
}

/* Runs traced slices until there are enough system calls. A slice with too many continues
 * untraced, and kgate does not wait for its end. */
static void traced_turns(struct counted_run *run)
{
    const uint64_t start = kg_clock_ns();
    const uint64_t cut = start + (uint64_t)CUT_NS;
    const uint64_t last = cut < run->worker.deadline_ns ? cut : run->worker.deadline_ns;
    for (size_t i = 0; i < TURNS_MOST; i++) {
        const double spent_ns = (double)(kg_clock_ns() - start);
        const size_t seen = kg_call_tracer_seen(run->tracer);
        if (spent_ns > TRACED_NS || seen >= ENOUGH || (i && !seen) ||
            !kg_traced_run_turn(&run->worker))
            return;
        enum kg_ending ending;
        do {
            const uint64_t soon = kg_clock_ns() + (uint64_t)TURN_NS;
            ending = kg_traced_run_line(&run->worker, soon < last ? soon : last);
        } while (ending == KG_ENDED_TIMEOUT && kg_clock_ns() < last &&
                 !kg_call_tracer_full(run->tracer));
        if (ending != KG_ENDED_LINE)
            return;
    }
}

static bool trace(struct counted_run *run, double call_ns, struct kg_arena *arena,
                  struct kg_system_calls *calls, struct kg_error *err)
{
    int refusal = 0;
    if (!untraced_turns(run))
        return true;
    const struct kg_traced_process target = {
        .process = run->worker.process.pid,
        .command = run->worker.command,
        .calls_most = CALLS_MOST,
        .reads_most = isnan(run->untraced.calls[KG_READS]) ? 0 : READS_MOST};
    if (!kg_call_tracer_start(&target, &run->tracer, &refusal, err))
        return false;
    if (!run->tracer) {
        run->reason = kg_arena_printf(arena, "ptrace: %s", strerror(refusal));
        return true;
    }
    traced_turns(run);
    kg_call_tracer_stop(run->tracer);
    kg_call_tracer_summarize(run->tracer, &run->untraced, call_ns, arena, calls);
    kg_call_tracer_free(run->tracer);
    return true;
}

/* --- Origin of the calls ---------------------------------------------------------------------- */

/* The workload's function on a stack: the innermost outside of the system's libraries and headers. */
static const char *function_of(const struct kg_hot_stack *stack)
{
    for (size_t i = 0; i < stack->frame_count; i++) {
        const struct kg_place *frame = &stack->frames[i];
        if (frame->function && !kg_place_is_header(frame) &&
            (!frame->module || !kg_module_in_system(frame->module)))
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
    const struct kg_case_result *result = &session->results->cases[index];
    struct kg_system_calls *calls = &session->results->cases[index].hot.system_calls;
    struct counted_run run = {.tracer = NULL};
    (void)look;
    const bool good = kg_traced_run_start(session, index, TURN_NS, 0, &run.worker, err) &&
                      trace(&run, call_ns(result), &session->results->arena, calls, err);
    kg_traced_run_end(&run.worker, END_NS);
    if (run.reason)
        calls->reason = run.reason;
    functions_find(&result->hot.sampled, calls);
    return good;
}
