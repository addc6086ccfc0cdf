#include "why/observe/system_calls.h"

#include <seccomp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "base/clock.h"
#include "base/memory.h"
#include "why/observe/thread_tracer.h"
#include "why/observe/traced_calls.h"

/* The signal of a system call, by PTRACE_O_TRACESYSGOOD. */
enum { CALL_STOP = SIGTRAP | 0x80 };

struct kg_call_tracer {
    struct kg_traced_process target;
    struct kg_thread_tracer *threads; /* NULL: stopped */
    atomic_size_t seen;               /* number of recorded calls */
    atomic_bool full;                 /* a limit was reached */
    pid_t counted;                    /* last thread with recorded calls */
    struct kg_traced_calls calls;
};

/* Notes the thread of a call. If several threads share an instance, their calls overlap: the
 * times are not additive. */
static void thread_count(struct kg_call_tracer *tracer, const struct kg_traced *one)
{
    if (tracer->counted == one->thread)
        return;
    tracer->calls.several = tracer->counted != 0;
    tracer->counted = one->thread;
}

static void call_end(struct kg_call_tracer *tracer, struct kg_traced *one, int64_t result,
                     uint64_t now_ns)
{
    const bool futex_of_another = one->number == SYS_futex && !one->first;
    one->inside = false;
    if (one->mark) {
        kg_traced_mark_timed(&tracer->calls, (double)(now_ns - one->entered_ns));
        return;
    }
    /* the worker reads its CPU time between calls of the workload */
    const bool own = one->thread == tracer->target.process && one->number == SYS_getrusage;
    if (!one->counts || own || !tracer->calls.inside)
        return;
    if (!futex_of_another)
        thread_count(tracer, one);
    kg_traced_add(&tracer->calls, one->number, result, one->entered_ns, now_ns, !futex_of_another);
    atomic_fetch_add(&tracer->seen, 1);
}

static void call_stop(struct kg_call_tracer *tracer, struct kg_traced *one)
{
    struct __ptrace_syscall_info info = {0};
    const uint64_t now_ns = kg_clock_ns();
    if (ptrace(PTRACE_GET_SYSCALL_INFO, one->thread, sizeof info, &info) <= 0)
        return;
    if (info.op == PTRACE_SYSCALL_INFO_EXIT && one->inside) {
        call_end(tracer, one, info.exit.rval, now_ns);
    } else if (info.op == PTRACE_SYSCALL_INFO_ENTRY) {
        one->inside = true;
        one->number = (long)info.entry.nr;
        if (info.arch != seccomp_arch_native()) { /* a 32-bit program has other numbers */
            one->number = KG_CALL_NUMBERS;
            tracer->calls.foreign = tracer->calls.foreign || one->counts;
        }
        one->entered_ns = now_ns;
        uint64_t arguments[6];
        memcpy(arguments, info.entry.args, sizeof arguments);
        one->mark = one->thread == tracer->target.process &&
                    kg_traced_mark(&tracer->calls, one->number, arguments, now_ns);
    }
}

/* --- Hooks ------------------------------------------------------------------------------------ */

static bool is_full(void *user)
{
    struct kg_call_tracer *tracer = user;
    const size_t reads = tracer->target.reads_most;
    if (atomic_load(&tracer->seen) >= tracer->target.calls_most ||
        (reads && kg_traced_first_reads(&tracer->calls) >= reads))
        atomic_store(&tracer->full, true);
    return atomic_load(&tracer->full);
}

static bool take(void *user, struct kg_traced *one, int signal)
{
    if (signal == CALL_STOP)
        call_stop(user, one);
    return signal == CALL_STOP;
}

/* A command's processes run one after the other, so their calls do not overlap. */
static void created(void *user, const struct kg_traced *by, struct kg_traced *fresh)
{
    struct kg_call_tracer *tracer = user;
    (void)fresh;
    if (tracer->target.command && by->thread == tracer->target.process)
        tracer->counted = 0;
}

bool kg_call_tracer_start(const struct kg_traced_process *target, struct kg_call_tracer **tracer,
                          int *refusal, struct kg_error *err)
{
    static const struct kg_traced_hooks hooks = {
        .resume = PTRACE_SYSCALL, .is_full = is_full, .take = take, .created = created};
    struct kg_call_tracer *fresh = *tracer = kg_alloc(1, sizeof *fresh);
    fresh->target = *target;
    const bool good = kg_thread_tracer_start(target->process, target->command, &hooks, fresh,
                                             &fresh->threads, refusal, err);
    if (fresh->threads)
        return true;
    free(fresh);
    *tracer = NULL;
    return good;
}

size_t kg_call_tracer_seen(const struct kg_call_tracer *tracer)
{
    return atomic_load(&tracer->seen);
}

bool kg_call_tracer_full(const struct kg_call_tracer *tracer)
{
    return atomic_load(&tracer->full);
}

void kg_call_tracer_stop(struct kg_call_tracer *tracer)
{
    kg_thread_tracer_stop(tracer->threads);
    tracer->threads = NULL;
}

void kg_call_tracer_summarize(const struct kg_call_tracer *tracer, const struct kg_moved *untraced,
                              double call_ns, struct kg_arena *arena, struct kg_system_calls *calls)
{
    kg_traced_summarize(&tracer->calls, untraced, call_ns, arena, calls);
}

void kg_call_tracer_free(struct kg_call_tracer *tracer)
{
    free(tracer);
}
