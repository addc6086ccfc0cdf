#include "why/observe/system_calls.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <seccomp.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "why/observe/thread_list.h"
#include "why/observe/traced_calls.h"

enum {
    TRACED_MOST = 4096,
    OPTIONS = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK |
              PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL,
    CALL_STOP = SIGTRAP | 0x80, /* the signal of a system call, by PTRACE_O_TRACESYSGOOD */
    LOOK_AGAIN_NS = 2000000,    /* interval between checks of `stop` */
};
/* Time limit for threads to stop: a thread in vfork stops only after its child. */
static const uint64_t STOP_NS = 1000000000;

struct traced {
    pid_t thread;
    bool counts; /* its system calls belong to the workload */
    bool first;  /* the first thread of its process */
    bool held;   /* stopped until its parent reports it */
    bool inside; /* in a system call */
    bool mark;   /* the current call is a mark of the worker */
    long number;
    uint64_t entered_ns;
};

struct kg_call_tracer {
    struct kg_traced_process target;
    pthread_t thread;
    sigset_t mask; /* signal mask of the starting thread */
    sem_t started;
    int refusal; /* errno; 0: tracing works */
    atomic_bool stop;
    atomic_size_t seen; /* number of recorded calls */
    struct traced traced[TRACED_MOST];
    size_t count;
    pid_t counted; /* last thread with recorded calls */
    struct kg_traced_calls calls;
};

static bool is_full(const struct kg_call_tracer *tracer)
{
    return atomic_load(&tracer->seen) >= tracer->target.calls_most;
}

/* --- Threads ---------------------------------------------------------------------------------- */

static struct traced *traced_find(struct kg_call_tracer *tracer, pid_t thread)
{
    for (size_t i = 0; i < tracer->count; i++)
        if (tracer->traced[i].thread == thread)
            return &tracer->traced[i];
    return NULL;
}

/* NULL: there is no room. */
static struct traced *traced_add(struct kg_call_tracer *tracer, pid_t thread)
{
    if (tracer->count == TRACED_MOST)
        return NULL;
    tracer->traced[tracer->count] = (struct traced){.thread = thread};
    return &tracer->traced[tracer->count++];
}

static void traced_drop(struct kg_call_tracer *tracer, pid_t thread)
{
    for (size_t i = 0; i < tracer->count; i++)
        if (tracer->traced[i].thread == thread)
            tracer->traced[i] = tracer->traced[--tracer->count];
}

/* data  a signal or options: ptrace takes numbers there */
static long request(enum __ptrace_request what, pid_t thread, unsigned long data)
{
    return ptrace(what, thread, 0L, data);
}

/* --- Stops ------------------------------------------------------------------------------------ */

/* Notes the thread of a call. If several threads share an instance, their calls overlap: the
 * times are not additive. */
static void thread_count(struct kg_call_tracer *tracer, const struct traced *one)
{
    if (tracer->counted == one->thread)
        return;
    tracer->calls.several = tracer->counted != 0;
    tracer->counted = one->thread;
}

static void call_end(struct kg_call_tracer *tracer, struct traced *one, int64_t result,
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

static void call_stop(struct kg_call_tracer *tracer, struct traced *one)
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

static void event_stop(struct kg_call_tracer *tracer, struct traced *one, int event)
{
    unsigned long started = 0;
    if (event == PTRACE_EVENT_EXEC) {
        one->counts = one->first = true;
        return;
    }
    if (event != PTRACE_EVENT_CLONE && event != PTRACE_EVENT_FORK && event != PTRACE_EVENT_VFORK)
        return;
    const bool counts = one->counts;
    if (ptrace(PTRACE_GETEVENTMSG, one->thread, NULL, &started) != 0 || !started)
        return;
    struct traced *known = traced_find(tracer, (pid_t)started);
    struct traced *fresh = known ? known : traced_add(tracer, (pid_t)started);
    if (!fresh)
        return;
    fresh->counts = counts;
    fresh->first = event != PTRACE_EVENT_CLONE;
    if (fresh->held)
        request(PTRACE_SYSCALL, fresh->thread, 0);
    fresh->held = false;
    /* a command's processes run one after the other, so their calls do not overlap */
    if (tracer->target.command && one->thread == tracer->target.process)
        tracer->counted = 0;
}

/* Processes a stop and returns the signal to continue with. -1: the thread stays stopped, as a
 * shell's job control requires. */
static int stop_take(struct kg_call_tracer *tracer, struct traced *one, int status)
{
    const int signal = WSTOPSIG(status), event = status >> 16;
    if (signal == CALL_STOP) {
        call_stop(tracer, one);
        return 0;
    }
    if (event == PTRACE_EVENT_STOP)
        return signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU ? -1
                                                                                                : 0;
    if (event) {
        event_stop(tracer, one, event);
        return 0;
    }
    return signal;
}

/* --- Beginning and end ------------------------------------------------------------------------ */

static void signal_await(void)
{
    const struct timespec again = {.tv_nsec = LOOK_AGAIN_NS};
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigtimedwait(&child, NULL, &again);
}

/* Whether a failed attach is a real refusal. It is none if the thread is ending, or if this
 * thread already traces it. */
static bool is_refused(const struct kg_call_tracer *tracer, pid_t thread)
{
    const struct kg_task task = {.process = tracer->target.process, .thread = thread};
    pid_t by;
    return thread == task.process || (kg_task_tracer(&task, &by) && by != gettid());
}

/* Attaches to an existing thread. Returns an errno; 0 also if the thread has ended. A thread
 * that stops late continues, traced, when it stops. */
static int thread_seize(struct kg_call_tracer *tracer, pid_t thread)
{
    const uint64_t end_ns = kg_clock_ns() + STOP_NS;
    int status;
    pid_t stopped;
    if (request(PTRACE_SEIZE, thread, OPTIONS) != 0) {
        const int refusal = errno;
        return is_refused(tracer, thread) ? refusal : 0;
    }
    struct traced *one = traced_add(tracer, thread);
    if (!one)
        return 0;
    one->first = thread == tracer->target.process;
    one->counts = !tracer->target.command;
    request(PTRACE_INTERRUPT, thread, 0);
    while ((stopped = waitpid(thread, &status, __WALL | WNOHANG)) == 0 && kg_clock_ns() < end_ns)
        signal_await();
    if (stopped == thread && WIFSTOPPED(status)) {
        const int signal = stop_take(tracer, one, status);
        request(PTRACE_SYSCALL, thread, signal > 0 ? (unsigned long)signal : 0);
    } else if (stopped) {
        traced_drop(tracer, thread);
    }
    return 0;
}

/* Attaches to all threads, until a listing has no new thread. */
static int process_seize(struct kg_call_tracer *tracer)
{
    char path[64];
    bool any = true;
    snprintf(path, sizeof path, "/proc/%d/task", (int)tracer->target.process);
    while (any) {
        any = false;
        DIR *directory = opendir(path);
        for (struct dirent *entry; directory && (entry = readdir(directory));) {
            const pid_t thread = (pid_t)strtol(entry->d_name, NULL, 10);
            if (thread <= 0 || traced_find(tracer, thread) || tracer->count == TRACED_MOST)
                continue;
            const int refusal = thread_seize(tracer, thread);
            any |= traced_find(tracer, thread) != NULL;
            if (refusal) {
                closedir(directory);
                return refusal;
            }
        }
        if (!directory)
            return errno;
        closedir(directory);
    }
    return 0;
}

/* Whether the traced process itself has ended. Its end is left for its parent. */
static bool process_ended(const struct kg_call_tracer *tracer, const siginfo_t *news)
{
    return news->si_pid == tracer->target.process &&
           (news->si_code == CLD_EXITED || news->si_code == CLD_KILLED ||
            news->si_code == CLD_DUMPED);
}

/* Detaches a thread that has stopped for this. The stop's event is processed first: it may
 * report a new thread, which must be detached too.
 * returns  false if the thread has not stopped yet */
static bool thread_release(struct kg_call_tracer *tracer, struct traced one)
{
    int status;
    siginfo_t news = {0};
    const int what = WEXITED | WSTOPPED | WNOWAIT | WNOHANG | __WALL;
    if (waitid(P_PID, (id_t)one.thread, &news, what) == 0 && !news.si_pid)
        return false;
    if (news.si_pid && !process_ended(tracer, &news) &&
        waitpid(one.thread, &status, __WALL) == one.thread && WIFSTOPPED(status)) {
        const int signal = stop_take(tracer, &one, status);
        if (request(PTRACE_DETACH, one.thread, signal > 0 ? (unsigned long)signal : 0) != 0)
            return false; /* it was killed: its end comes next */
    }
    traced_drop(tracer, one.thread);
    return true;
}

/* Detaches all threads in the order of their stops, because a thread in vfork stops after its
 * child continues. Threads that do not stop in time are killed when this thread ends
 * (PTRACE_O_EXITKILL). */
static void all_release(struct kg_call_tracer *tracer)
{
    const uint64_t end_ns = kg_clock_ns() + STOP_NS;
    for (size_t i = tracer->count; i-- > 0;) {
        struct traced *one = &tracer->traced[i];
        if (one->held && request(PTRACE_DETACH, one->thread, 0) == 0) {
            traced_drop(tracer, one->thread);
            continue;
        }
        one->held = false;
        request(PTRACE_INTERRUPT, one->thread, 0);
    }
    while (tracer->count && kg_clock_ns() < end_ns) {
        bool any = false;
        for (size_t i = tracer->count; i-- > 0;)
            any |= thread_release(tracer, tracer->traced[i]);
        if (!any)
            signal_await();
    }
}

/* --- The thread ------------------------------------------------------------------------------- */

/* Processes all pending stops; false: nothing is left to trace. */
static bool stops_take(struct kg_call_tracer *tracer)
{
    int status;
    for (;;) {
        siginfo_t news = {0};
        if (is_full(tracer))
            return true;
        if (waitid(P_ALL, 0, &news,
                   WEXITED | WSTOPPED | WNOWAIT | WNOHANG | __WALL | __WNOTHREAD) != 0)
            return errno == EINTR;
        const pid_t thread = news.si_pid;
        if (!thread)
            return true;
        if (process_ended(tracer, &news))
            return false;
        if (waitpid(thread, &status, __WALL) == thread && !WIFSTOPPED(status)) {
            traced_drop(tracer, thread);
            continue;
        }
        struct traced spare = {.thread = thread}; /* used if there is no room */
        struct traced *one = traced_find(tracer, thread);
        if (!one && (one = traced_add(tracer, thread))) {
            /* a new thread stops before its parent's event reports it */
            one->held = true;
            continue;
        }
        const int signal = stop_take(tracer, one ? one : &spare, status);
        if (signal < 0)
            request(PTRACE_LISTEN, thread, 0);
        else
            request(PTRACE_SYSCALL, thread, (unsigned long)signal);
    }
}

static void *trace(void *user)
{
    struct kg_call_tracer *tracer = user;
    tracer->refusal = process_seize(tracer);
    sem_post(&tracer->started);
    while (!tracer->refusal && !atomic_load(&tracer->stop) && !is_full(tracer)) {
        if (!stops_take(tracer))
            break;
        if (!is_full(tracer))
            signal_await();
    }
    all_release(tracer);
    return NULL;
}

bool kg_call_tracer_start(const struct kg_traced_process *target, struct kg_call_tracer **tracer,
                          int *refusal, struct kg_error *err)
{
    sigset_t child;
    *refusal = 0;
    struct kg_call_tracer *fresh = *tracer = kg_alloc(1, sizeof *fresh);
    fresh->target = *target;
    sem_init(&fresh->started, 0, 0);
    /* blocked here, SIGCHLD stays pending for the tracing thread */
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    pthread_sigmask(SIG_BLOCK, &child, &fresh->mask);
    const int failed = pthread_create(&fresh->thread, NULL, trace, fresh);
    if (failed) {
        pthread_sigmask(SIG_SETMASK, &fresh->mask, NULL);
        free(fresh);
        *tracer = NULL;
        return kg_error_set(err, KG_ERROR_SYSTEM, "cannot start a thread: %s", strerror(failed));
    }
    while (sem_wait(&fresh->started) != 0)
        continue;
    *refusal = fresh->refusal;
    if (!*refusal)
        return true;
    kg_call_tracer_stop(fresh);
    kg_call_tracer_free(fresh);
    *tracer = NULL;
    return true;
}

size_t kg_call_tracer_seen(const struct kg_call_tracer *tracer)
{
    return atomic_load(&tracer->seen);
}

void kg_call_tracer_stop(struct kg_call_tracer *tracer)
{
    atomic_store(&tracer->stop, true);
    pthread_join(tracer->thread, NULL);
    pthread_sigmask(SIG_SETMASK, &tracer->mask, NULL);
}

void kg_call_tracer_summarize(const struct kg_call_tracer *tracer, double untraced_reads,
                              double call_ns, struct kg_arena *arena, struct kg_system_calls *calls)
{
    kg_traced_summarize(&tracer->calls, untraced_reads, call_ns, arena, calls);
}

void kg_call_tracer_free(struct kg_call_tracer *tracer)
{
    if (!tracer)
        return;
    sem_destroy(&tracer->started);
    free(tracer);
}
