#include "why/observe/thread_tracer.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "why/observe/thread_list.h"

enum {
    TRACED_MOST = 4096,
    OPTIONS = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK |
              PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL,
    LOOK_AGAIN_NS = 2000000, /* interval between checks of `stop` */
};
/* Time limit for threads to stop: a thread in vfork stops only after its child. */
static const uint64_t STOP_NS = 1000000000;

struct kg_thread_tracer {
    pid_t process;
    bool command;
    const struct kg_traced_hooks *hooks;
    void *user;
    pthread_t thread;
    sigset_t mask; /* signal mask of the starting thread */
    sem_t started;
    int refusal; /* errno; 0: tracing works */
    atomic_bool stop;
    struct kg_traced traced[TRACED_MOST];
    size_t count;
};

static bool is_full(const struct kg_thread_tracer *tracer)
{
    return tracer->hooks->is_full && tracer->hooks->is_full(tracer->user);
}

/* --- Threads ---------------------------------------------------------------------------------- */

static struct kg_traced *traced_find(struct kg_thread_tracer *tracer, pid_t thread)
{
    for (size_t i = 0; i < tracer->count; i++)
        if (tracer->traced[i].thread == thread)
            return &tracer->traced[i];
    return NULL;
}

/* NULL: there is no room. */
static struct kg_traced *traced_add(struct kg_thread_tracer *tracer, pid_t thread)
{
    if (tracer->count == TRACED_MOST)
        return NULL;
    tracer->traced[tracer->count] =
        (struct kg_traced){.thread = thread, .start = KG_TRACED_CREATED};
    return &tracer->traced[tracer->count++];
}

static void traced_drop(struct kg_thread_tracer *tracer, pid_t thread)
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

static void thread_resume(const struct kg_thread_tracer *tracer, struct kg_traced *one, int signal)
{
    if (one->start != KG_TRACED_RUNS && tracer->hooks->begin)
        tracer->hooks->begin(tracer->user, one);
    one->start = KG_TRACED_RUNS;
    request(tracer->hooks->resume, one->thread, (unsigned long)signal);
}

/* --- Stops ------------------------------------------------------------------------------------ */

static void created_note(struct kg_thread_tracer *tracer, struct kg_traced *one, int event,
                         pid_t started)
{
    const struct kg_traced by = *one;
    struct kg_traced *known = traced_find(tracer, started);
    struct kg_traced *fresh = known ? known : traced_add(tracer, started);
    if (!fresh)
        return;
    fresh->counts = by.counts;
    fresh->first = event != PTRACE_EVENT_CLONE;
    if (tracer->hooks->created)
        tracer->hooks->created(tracer->user, &by, fresh);
    if (fresh->held)
        thread_resume(tracer, fresh, 0);
    fresh->held = false;
}

static void event_stop(struct kg_thread_tracer *tracer, struct kg_traced *one, int event)
{
    unsigned long started = 0;
    if (event == PTRACE_EVENT_EXEC) {
        one->counts = one->first = true;
        one->start = KG_TRACED_PROGRAM;
        return;
    }
    if (event != PTRACE_EVENT_CLONE && event != PTRACE_EVENT_FORK && event != PTRACE_EVENT_VFORK)
        return;
    if (ptrace(PTRACE_GETEVENTMSG, one->thread, NULL, &started) == 0 && started)
        created_note(tracer, one, event, (pid_t)started);
}

/* Processes a stop and returns the signal to continue with. -1: the thread stays stopped, as a
 * shell's job control requires. */
static int stop_take(struct kg_thread_tracer *tracer, struct kg_traced *one, int status)
{
    const int signal = WSTOPSIG(status), event = status >> 16;
    if (event == PTRACE_EVENT_STOP)
        return signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU ? -1
                                                                                                : 0;
    if (event) {
        event_stop(tracer, one, event);
        return 0;
    }
    return tracer->hooks->take && tracer->hooks->take(tracer->user, one, signal) ? 0 : signal;
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
static bool is_refused(const struct kg_thread_tracer *tracer, pid_t thread)
{
    const struct kg_task task = {.process = tracer->process, .thread = thread};
    pid_t by;
    return thread == task.process || (kg_task_tracer(&task, &by) && by != gettid());
}

/* Attaches to an existing thread. Returns an errno; 0 also if the thread has ended. A thread
 * that stops late continues, traced, when it stops. */
static int thread_seize(struct kg_thread_tracer *tracer, pid_t thread)
{
    const uint64_t end_ns = kg_clock_ns() + STOP_NS;
    int status;
    pid_t stopped;
    if (request(PTRACE_SEIZE, thread, OPTIONS) != 0) {
        const int refusal = errno;
        return is_refused(tracer, thread) ? refusal : 0;
    }
    struct kg_traced *one = traced_add(tracer, thread);
    if (!one)
        return 0;
    one->first = thread == tracer->process;
    one->counts = !tracer->command;
    one->start = KG_TRACED_ATTACHED;
    request(PTRACE_INTERRUPT, thread, 0);
    while ((stopped = waitpid(thread, &status, __WALL | WNOHANG)) == 0 && kg_clock_ns() < end_ns)
        signal_await();
    if (stopped == thread && WIFSTOPPED(status)) {
        const int signal = stop_take(tracer, one, status);
        thread_resume(tracer, one, signal > 0 ? signal : 0);
    } else if (stopped) {
        traced_drop(tracer, thread);
    }
    return 0;
}

/* Attaches to all threads, until a listing has no new thread. */
static int process_seize(struct kg_thread_tracer *tracer)
{
    char path[64];
    bool any = true;
    snprintf(path, sizeof path, "/proc/%d/task", (int)tracer->process);
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
static bool process_ended(const struct kg_thread_tracer *tracer, const siginfo_t *news)
{
    return news->si_pid == tracer->process &&
           (news->si_code == CLD_EXITED || news->si_code == CLD_KILLED ||
            news->si_code == CLD_DUMPED);
}

/* Detaches a thread that has stopped for this. The stop's event is processed first: it may
 * report a new thread, which must be detached too.
 * returns  false if the thread has not stopped yet */
static bool thread_release(struct kg_thread_tracer *tracer, struct kg_traced one)
{
    int status;
    siginfo_t news = {0};
    const int what = WEXITED | WSTOPPED | WNOWAIT | WNOHANG | __WALL;
    if (waitid(P_PID, (id_t)one.thread, &news, what) == 0 && !news.si_pid)
        return false;
    if (news.si_pid && !process_ended(tracer, &news) &&
        waitpid(one.thread, &status, __WALL) == one.thread && WIFSTOPPED(status)) {
        const int taken = stop_take(tracer, &one, status);
        const unsigned long signal = taken > 0 ? (unsigned long)taken : 0;
        const bool leaves = !tracer->hooks->leave || tracer->hooks->leave(tracer->user, &one);
        /* a failed detach: the thread was killed, and its end comes next */
        if (request(leaves ? PTRACE_DETACH : PTRACE_CONT, one.thread, signal) != 0 || !leaves)
            return false;
    }
    traced_drop(tracer, one.thread);
    return true;
}

/* Detaches all threads in the order of their stops, because a thread in vfork stops after its
 * child continues. Threads that do not stop in time are killed when this thread ends
 * (PTRACE_O_EXITKILL). */
static void all_release(struct kg_thread_tracer *tracer)
{
    const uint64_t end_ns = kg_clock_ns() + STOP_NS;
    for (size_t i = tracer->count; i-- > 0;) {
        struct kg_traced *one = &tracer->traced[i];
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
static bool stops_take(struct kg_thread_tracer *tracer)
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
        struct kg_traced spare = {.thread = thread}; /* used if there is no room */
        struct kg_traced *one = traced_find(tracer, thread);
        if (!one && (one = traced_add(tracer, thread))) {
            /* a new thread stops before its parent's event reports it */
            one->held = true;
            continue;
        }
        const int signal = stop_take(tracer, one ? one : &spare, status);
        if (signal < 0)
            request(PTRACE_LISTEN, thread, 0);
        else
            thread_resume(tracer, one ? one : &spare, signal);
    }
}

static void *trace(void *user)
{
    struct kg_thread_tracer *tracer = user;
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

bool kg_thread_tracer_start(pid_t process, bool command, const struct kg_traced_hooks *hooks,
                            void *user, struct kg_thread_tracer **tracer, int *refusal,
                            struct kg_error *err)
{
    sigset_t child;
    *refusal = 0;
    struct kg_thread_tracer *fresh = *tracer = kg_alloc(1, sizeof *fresh);
    fresh->process = process;
    fresh->command = command;
    fresh->hooks = hooks;
    fresh->user = user;
    sem_init(&fresh->started, 0, 0);
    /* blocked here, SIGCHLD stays pending for the tracing thread */
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    pthread_sigmask(SIG_BLOCK, &child, &fresh->mask);
    const int failed = pthread_create(&fresh->thread, NULL, trace, fresh);
    if (failed) {
        pthread_sigmask(SIG_SETMASK, &fresh->mask, NULL);
        sem_destroy(&fresh->started);
        free(fresh);
        *tracer = NULL;
        return kg_error_set(err, KG_ERROR_SYSTEM, "cannot start a thread: %s", strerror(failed));
    }
    while (sem_wait(&fresh->started) != 0)
        continue;
    *refusal = fresh->refusal;
    if (!*refusal)
        return true;
    kg_thread_tracer_stop(fresh);
    *tracer = NULL;
    return true;
}

void kg_thread_tracer_stop(struct kg_thread_tracer *tracer)
{
    if (!tracer)
        return;
    atomic_store(&tracer->stop, true);
    pthread_join(tracer->thread, NULL);
    pthread_sigmask(SIG_SETMASK, &tracer->mask, NULL);
    sem_destroy(&tracer->started);
    free(tracer);
}
