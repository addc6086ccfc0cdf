#include "why/observe/sampler_state.h"

#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

/* A number that ptrace takes in place of a pointer. */
static void *number(uint64_t value)
{
    void *pointer;
    _Static_assert(sizeof pointer == sizeof value, "addresses of 64 bits");
    memcpy(&pointer, &value, sizeof pointer);
    return pointer;
}

bool kg_process_memory(pid_t process, uint64_t address, void *bytes, size_t count)
{
    const struct iovec here = {.iov_base = bytes, .iov_len = count};
    const struct iovec there = {.iov_base = number(address), .iov_len = count};
    return process_vm_readv(process, &here, 1, &there, 1, 0) == (ssize_t)count;
}

size_t kg_process_memory_part(pid_t process, uint64_t address, void *bytes, size_t count)
{
    enum { PAGE = 4096, PIECES = KG_PROCESS_PART_MOST / PAGE + 1 };
    struct iovec there[PIECES];
    uint64_t at = address;
    const uint64_t end = address + count;
    size_t pieces = 0;
    while (at < end && pieces < PIECES) {
        const uint64_t next = at / PAGE * PAGE + PAGE;
        const uint64_t until = next < end ? next : end;
        there[pieces++] = (struct iovec){.iov_base = number(at), .iov_len = until - at};
        at = until;
    }
    const struct iovec here = {.iov_base = bytes, .iov_len = count};
    const ssize_t got = process_vm_readv(process, &here, 1, there, pieces, 0);
    return got > 0 ? (size_t)got : 0;
}

static void stack_read(pid_t process, struct kg_stopped *stopped)
{
    stopped->stack_length = kg_process_memory_part(process, stopped->registers[KG_REGISTER_STACK],
                                                   stopped->stack, KG_STACK_BYTES);
}

#ifdef __x86_64__
static bool registers_read(pid_t thread, struct kg_stopped *stopped)
{
    struct user_regs_struct of;
    struct iovec room = {.iov_base = &of, .iov_len = sizeof of};
    if (ptrace(PTRACE_GETREGSET, thread, number(NT_PRSTATUS), &room) != 0 ||
        room.iov_len != sizeof of) /* a 32-bit program has fewer */
        return false;
    const uint64_t values[KG_REGISTERS] = {of.rax, of.rdx, of.rcx, of.rbx, of.rsi, of.rdi,
                                           of.rbp, of.rsp, of.r8,  of.r9,  of.r10, of.r11,
                                           of.r12, of.r13, of.r14, of.r15, of.rip};
    memcpy(stopped->registers, values, sizeof values);
    memset(stopped->known, 1, sizeof stopped->known);
    stopped->call = (long)of.orig_rax;
    return true;
}
#else
static bool registers_read(pid_t thread, struct kg_stopped *stopped)
{
    (void)thread, (void)stopped;
    return false;
}
#endif

/* A thread that waits for a vfork child or a device stops only after that wait. The sampler
 * waits no longer than STOP_NS. Otherwise nothing would end a workload at its deadline. */
static const uint64_t STOP_NS = 20000000, END_NS = 1000000000;

/* Waits for an event of a thread; false: none came within `limit_ns`. The stop's SIGCHLD wakes
 * this function. Another thread may take the signal, so the function also polls. */
static bool news_await(pid_t thread, int what, uint64_t limit_ns, siginfo_t *news)
{
    const struct timespec again = {.tv_nsec = 1000000};
    const uint64_t end_ns = kg_clock_ns() + limit_ns;
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    for (;;) {
        memset(news, 0, sizeof *news);
        if (waitid(P_PID, (id_t)thread, news, what | __WALL | WNOHANG) != 0) {
            *news = (siginfo_t){.si_code = CLD_EXITED}; /* or it is no child any more */
            news->si_pid = thread;
            return true;
        }
        if (news->si_pid)
            return true;
        if (kg_clock_ns() >= end_ns)
            return false;
        sigtimedwait(&child, NULL, &again);
    }
}

/* Waits for the stop of a thread. The end of a child is left for its waiter. The end of another
 * thread is taken, because its parent learns of the end only then. */
static bool stop_await(pid_t thread, bool child, siginfo_t *stop)
{
    return news_await(thread, WSTOPPED | WEXITED | (child ? WNOWAIT : 0), STOP_NS, stop) &&
           (stop->si_code == CLD_TRAPPED || stop->si_code == CLD_STOPPED);
}

/* The signal to deliver on detaching: one that came before the requested stop; 0: none. */
static int signal_of(pid_t thread, const siginfo_t *stop)
{
    const int event = stop->si_status >> 8;
    siginfo_t info;
    const bool signalled = !event && ptrace(PTRACE_GETSIGINFO, thread, NULL, &info) == 0;
    return signalled ? stop->si_status & 0x7f : 0;
}

/* Detaches a thread. If the thread was killed during its stop, the function takes its end. */
static void detach(pid_t thread, bool child, int signal)
{
    siginfo_t end;
    if (ptrace(PTRACE_DETACH, thread, NULL, number((uint64_t)signal)) != 0 && !child)
        news_await(thread, WEXITED, END_NS, &end);
}

/* Whether a failed attach is a refusal. It is none for a thread that ends, or that this thread
 * traces already. */
static bool is_refused(const struct kg_task *task)
{
    pid_t tracer;
    return kg_task_tracer(task, &tracer) && tracer != gettid();
}

enum kg_stop kg_task_stop(const struct kg_task *task, bool child, struct kg_stopped *stopped,
                          int *refusal)
{
    const bool own = child && task->process == task->thread;
    siginfo_t stop;
    if (ptrace(PTRACE_SEIZE, task->thread, NULL, NULL) != 0) {
        *refusal = errno;
        return errno == ESRCH || !is_refused(task) ? KG_STOP_GONE : KG_STOP_REFUSED;
    }
    ptrace(PTRACE_INTERRUPT, task->thread, NULL, NULL);
    if (!stop_await(task->thread, own, &stop))
        return stop.si_pid ? KG_STOP_GONE : KG_STOP_LATE;
    const bool read = registers_read(task->thread, stopped);
    if (read)
        stack_read(task->process, stopped);
    detach(task->thread, own, signal_of(task->thread, &stop));
    *refusal = read ? 0 : ENOSYS;
    return read ? KG_STOP_READ : KG_STOP_REFUSED;
}

bool kg_task_release(const struct kg_task *task, bool child, uint64_t limit_ns)
{
    const bool own = child && task->process == task->thread;
    siginfo_t news;
    const bool any = news_await(task->thread, WSTOPPED | (own ? 0 : WEXITED), limit_ns, &news);
    if (any && (news.si_code == CLD_TRAPPED || news.si_code == CLD_STOPPED))
        detach(task->thread, own, signal_of(task->thread, &news));
    return any;
}

void kg_task_waiting_read(const struct kg_task *task, const struct kg_task_state *state,
                          struct kg_stopped *stopped)
{
    memset(stopped->known, 0, sizeof stopped->known);
    stopped->registers[KG_REGISTER_STACK] = state->sp;
    stopped->registers[KG_REGISTER_PLACE] = state->pc;
    stopped->known[KG_REGISTER_STACK] = stopped->known[KG_REGISTER_PLACE] = true;
    stopped->call = state->call;
    stack_read(task->process, stopped);
}
