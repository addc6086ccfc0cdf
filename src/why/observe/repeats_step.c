#include "why/observe/hot_steps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "why/observe/repeated_calls.h"
#include "why/observe/traced_run.h"
#include "why/rules/repeat_candidates.h"

_Static_assert((int)KG_HOT_REPEATS_MOST <= (int)KG_BREAKPOINTS, "a breakpoint per candidate");

/* A slice of one call of the workload: in the next call all arguments would be repeated. */
static const double SLICE_NS = 1;
static const uint64_t CALLS_IN_SLICE = 1;
/* Times of: watching after the first observed call; watching without any call; an interval between
 * two looks at the tracer; the end of the worker between slices. */
static const double WATCH_NS = 250e6, CUT_NS = 1e9, LOOK_NS = 5e6, END_NS = 1e9;

/* Runs one slice until its end, or until there is no more to see.
 * returns  true: the worker is between two slices */
static bool slice_watch(struct kg_traced_run *run, struct kg_repeat_tracer *tracer)
{
    const uint64_t cut = kg_clock_ns() + (uint64_t)CUT_NS;
    const uint64_t last = cut < run->deadline_ns ? cut : run->deadline_ns;
    enum kg_ending ending = KG_ENDED_TIMEOUT;
    if (atomic_load(&tracer->done))
        return true;
    if (!kg_traced_run_turn(run))
        return false;
    while (ending == KG_ENDED_TIMEOUT && kg_clock_ns() < last && !atomic_load(&tracer->done)) {
        const uint64_t soon = kg_clock_ns() + (uint64_t)LOOK_NS;
        ending = kg_traced_run_line(run, soon < last ? soon : last);
    }
    return ending == KG_ENDED_LINE;
}

static bool watch(const struct kg_session *session, size_t index, struct kg_repeat_tracer *tracer,
                  struct kg_error *err)
{
    struct kg_traced_run run;
    bool idle = false;
    bool good = kg_traced_run_start(session, index, SLICE_NS, CALLS_IN_SLICE, &run, err);
    if (good && kg_traced_run_line(&run, run.deadline_ns) != KG_ENDED_LINE)
        tracer->reason = "the observed process ended, or took too long";
    if (good && !tracer->reason) {
        good = kg_repeat_tracer_start(tracer, run.process.pid, run.command, err);
        idle = good && slice_watch(&run, tracer);
        kg_repeat_tracer_stop(tracer);
    }
    kg_traced_run_end(&run, idle ? END_NS : 0);
    return good;
}

static void counts_take(const struct kg_repeat_candidate *candidates,
                        const struct kg_repeat_tracer *tracer, struct kg_arena *arena,
                        struct kg_repeats *repeats)
{
    if (tracer->reason) {
        repeats->reason = tracer->refusal ? kg_arena_printf(arena, "%s: %s", tracer->reason,
                                                            strerror(tracer->refusal))
                                          : tracer->reason;
        return;
    }
    repeats->source = "ptrace";
    repeats->functions = kg_arena_alloc(arena, tracer->count, sizeof *repeats->functions);
    repeats->function_count = tracer->count;
    for (size_t i = 0; i < tracer->count; i++) {
        const struct kg_repeat_count *count = &tracer->counts[i];
        repeats->functions[i] =
            (struct kg_repeated){.place = kg_place_copy(arena, &candidates[i].function->place),
                                 .calls = count->calls ? (double)count->calls : NAN,
                                 .repeated = count->calls ? (double)count->repeated : NAN,
                                 .reason = count->function.reason ? count->function.reason
                                           : count->calls         ? NULL
                                                                  : "kgate saw no call of it"};
    }
}

bool kg_repeats_step(const struct kg_session *session, size_t index, struct kg_hot_look *look,
                     struct kg_error *err)
{
    struct kg_hot *hot = &session->results->cases[index].hot;
    struct kg_repeat_candidate candidates[KG_HOT_REPEATS_MOST];
    const size_t count = kg_repeat_candidates(hot, candidates);
    (void)look;
    if (!count)
        return true;
    struct kg_repeat_tracer *tracer = kg_alloc(1, sizeof *tracer);
    tracer->watch_ns = (uint64_t)WATCH_NS;
    tracer->count = count;
    for (size_t i = 0; i < count; i++) {
        tracer->counts[i].function.name = candidates[i].function->place.function;
        tracer->counts[i].function.module = candidates[i].function->place.module;
    }
    const bool good = watch(session, index, tracer, err);
    if (good)
        counts_take(candidates, tracer, &session->results->arena, &hot->repeats);
    free(tracer);
    return good;
}
