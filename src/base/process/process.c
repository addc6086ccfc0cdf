#include "base/process/process.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/process/descendants.h"
#include "base/process/guard.h"
#include "base/process/interrupt.h"

enum { RESPONSE_MOST = 64 * 1024 * 1024 };

static void close_if_open(int *descriptor)
{
    if (*descriptor >= 0)
        close(*descriptor);
    *descriptor = -1;
}

uint64_t kg_out_of_memory_kills(void)
{
    char line[128];
    uint64_t kills = 0;
    FILE *file = fopen("/proc/vmstat", "re");
    while (file && fgets(line, sizeof line, file))
        if (!strncmp(line, "oom_kill ", 9))
            kills = strtoull(line + 9, NULL, 10);
    if (file)
        fclose(file);
    return kills;
}

/* A file in memory holds the request: unlike a pipe it never makes the writer wait. */
static int request_file(const struct kg_launch *launch)
{
    const int file = memfd_create("kgate-request", MFD_CLOEXEC);
    for (size_t done = 0; file >= 0 && done < launch->request_length;) {
        const ssize_t count = write(file, launch->request + done, launch->request_length - done);
        if (count <= 0) {
            close(file);
            return -1;
        }
        done += (size_t)count;
    }
    if (file >= 0)
        lseek(file, 0, SEEK_SET);
    return file;
}

/* Everything that a child needs to start. */
struct start {
    const struct kg_launch *launch;
    int request, response, errors;
    pid_t parent;
    char **environment;
};

/* Advice if a limit on open files caused the error; else "". */
static const char *remedy(int code)
{
    return code == EMFILE || code == ENFILE ? "; raise the limit on open files (`ulimit -n 64`)"
                                            : "";
}

/* In a child that cannot become the worker: prints the reason and exits. */
_Noreturn static void failure_write(int code)
{
    char message[256];
    const int length = snprintf(message, sizeof message, "cannot start the worker process: %s%s\n",
                                strerror(code), remedy(code));
    const ssize_t written = write(STDERR_FILENO, message, (size_t)length);
    _exit(written < 0 ? EXIT_FAILURE : 126);
}

/* Runs in the child until exec: system calls only, since parent and child share memory. It never
 * returns, so AddressSanitizer would keep its variables marked as out of scope. The next child uses
 * the same piece of memory. */
__attribute__((no_sanitize_address)) static int child_start(void *user)
{
    const struct start *start = user;
    const struct kg_launch *launch = start->launch;
    char *const plain[] = {(char *)"kgate", (char *)"worker", NULL};
    setsid(); /* a group of its own, which cannot join kgate's, and no terminal to write to */
    /* A worker must not outlive kgate, even if kgate is killed. */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != start->parent)
        _exit(EXIT_FAILURE);
    if (launch->pin >= 0) {
        cpu_set_t set;
        CPU_ZERO(&set);
        CPU_SET((unsigned)launch->pin, &set);
        sched_setaffinity(0, sizeof set, &set);
    }
    sigprocmask(SIG_SETMASK, launch->mask, NULL);
    signal(SIGXFSZ, SIG_DFL); /* kgate ignores it, and exec would pass that on */
    const bool there = !launch->directory || chdir(launch->directory) == 0;
    /* `response` may itself be a low number: the copy is out of reach of the dup2 calls. */
    const int high = fcntl(start->response, F_DUPFD_CLOEXEC, KG_WORKER_RESPONSE + 1);
    if (there && high >= 0 && dup2(start->request, STDIN_FILENO) >= 0 &&
        dup2(start->errors, STDOUT_FILENO) >= 0 && dup2(start->errors, STDERR_FILENO) >= 0 &&
        dup2(high, KG_WORKER_RESPONSE) >= 0) {
        /* files that kgate's caller has left open are not for the workload */
        close_range(KG_WORKER_RESPONSE + 1, ~0U, CLOSE_RANGE_CLOEXEC);
        execve(launch->program, launch->arguments ? launch->arguments : plain, start->environment);
    }
    failure_write(errno);
}

/* Like vfork: kgate waits until the child runs its program, and copies no memory. A copy would take
 * longer than many a round. */
static pid_t child_make(struct start *start)
{
    enum { STACK_BYTES = 64 * 1024 };
    void *stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (stack == MAP_FAILED)
        return -1;
    const pid_t pid =
        clone(child_start, (char *)stack + STACK_BYTES, CLONE_VM | CLONE_VFORK | SIGCHLD, start);
    const int code = errno;
    munmap(stack, STACK_BYTES);
    errno = code;
    return pid;
}

bool kg_process_start(const struct kg_launch *launch, struct kg_process *process,
                      struct kg_error *err)
{
    struct kg_worker_environment own;
    int response[2] = {-1, -1}, errors[2] = {-1, -1};
    int request = request_file(launch);
    char **environment = kg_worker_environment_make(&own, launch);
    *process = (struct kg_process){
        .pid = -1, .pidfd = -1, .response = -1, .errors = -1, .cleanup_ns = launch->cleanup_ns};
    if (request >= 0 && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, response) == 0 &&
        pipe2(errors, O_CLOEXEC) == 0 && fcntl(response[0], F_SETFL, O_NONBLOCK) == 0 &&
        fcntl(errors[0], F_SETFL, O_NONBLOCK) == 0) {
        struct start start = {launch, request, response[1], errors[1], getpid(), environment};
        kg_descendants_adopt();
        kg_guard_start();
        process->pid = child_make(&start);
    }
    const int code = errno;
    close_if_open(&request);
    close_if_open(&response[1]);
    close_if_open(&errors[1]);
    kg_worker_environment_free(&own);
    process->response = response[0];
    process->errors = errors[0];
    if (process->pid > 0) {
        kg_descendants_expect(process->pid);
        /* some sandboxes have no pidfd: then ended() asks */
        process->pidfd = pidfd_open(process->pid, 0);
    }
    return process->pid > 0
               ? true
               : kg_error_set(err, KG_ERROR_SYSTEM, "cannot start a worker process: %s%s",
                              strerror(code), remedy(code));
}

/* Keeps the last bytes in a window that slides when it is full. */
static void tail_append(char *tail, size_t *length, const char *bytes, size_t count)
{
    if (count >= KG_STDERR_TAIL_MOST) {
        bytes += count - KG_STDERR_TAIL_MOST;
        count = KG_STDERR_TAIL_MOST;
        *length = 0;
    } else if (*length + count > KG_STDERR_TAIL_MOST) {
        const size_t drop = *length + count - KG_STDERR_TAIL_MOST;
        memmove(tail, tail + drop, *length - drop);
        *length -= drop;
    }
    memcpy(tail + *length, bytes, count);
    *length += count;
    tail[*length] = '\0';
}

/* Reads the available bytes; closes the descriptor at its end. The number of reads is limited: a
 * process may write faster than kgate reads, and kgate must check its time-out. */
static void drain(int *descriptor, struct kg_outcome *outcome, bool errors)
{
    enum { READS_MOST = 64 };
    char bytes[65536];
    for (int i = 0; i < READS_MOST && *descriptor >= 0; i++) {
        const ssize_t count = read(*descriptor, bytes, sizeof bytes);
        if (count > 0 && errors)
            tail_append(outcome->tail, &outcome->tail_length, bytes, (size_t)count);
        else if (count > 0 && outcome->response.length < RESPONSE_MOST)
            kg_text_append_bytes(&outcome->response, bytes, (size_t)count);
        else if (count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN))
            close_if_open(descriptor);
        else if (count < 0 && errno == EAGAIN)
            return;
    }
}

static bool has_line(const struct kg_outcome *outcome)
{
    return outcome->response.length &&
           memchr(outcome->response.data, '\n', outcome->response.length);
}

/* Sleep between two checks for the end of a process without pidfd. At its end, or a little earlier,
 * the process closes its socket, which wakes kgate at once. */
enum { ASK_AFTER_NS = 20 * 1000 * 1000, ASK_AFTER_CLOSED_NS = 1000 * 1000 };

static bool ended(const struct kg_process *process)
{
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)process->pid, &info, WEXITED | WNOWAIT | WNOHANG) == 0 &&
           info.si_pid == process->pid;
}

static uint64_t sleep_most_ns(const struct kg_process *process, uint64_t left_ns)
{
    const uint64_t most = process->pidfd >= 0      ? left_ns
                          : process->response >= 0 ? ASK_AFTER_NS
                                                   : ASK_AFTER_CLOSED_NS;
    return left_ns < most ? left_ns : most;
}

/* Tells the worker to end its command and run its `cleanup`, and waits for its end. Reads and drops
 * its output: a full pipe would stop the worker. */
static void cleanup_await(struct kg_process *process)
{
    struct kg_outcome unread = {0};
    const uint64_t deadline_ns = kg_clock_ns() + (uint64_t)process->cleanup_ns;
    if (!(process->cleanup_ns > 0) || ended(process) || kill(process->pid, SIGTERM) != 0)
        return;
    for (uint64_t now; !ended(process) && (now = kg_clock_ns()) < deadline_ns;) {
        struct pollfd watched[] = {{.fd = process->pidfd, .events = POLLIN},
                                   {.fd = process->response, .events = POLLIN},
                                   {.fd = process->errors, .events = POLLIN}};
        poll(watched, 3, (int)(sleep_most_ns(process, deadline_ns - now) / 1000000) + 1);
        drain(&process->response, &unread, false);
        drain(&process->errors, &unread, true);
    }
    kg_outcome_free(&unread);
}

void kg_process_end(struct kg_process *process)
{
    int status;
    if (process->pid > 0) {
        cleanup_await(process);
        kill(-process->pid, SIGKILL);
        /* The process may have left its group. Before waitpid, no other process can have its
         * number. */
        kill(process->pid, SIGKILL);
        while (waitpid(process->pid, &status, 0) < 0 && errno == EINTR)
            continue;
        kg_descendants_forget(process->pid);
        kg_descendants_end();
    }
    process->pid = -1;
    close_if_open(&process->pidfd);
    close_if_open(&process->response);
    close_if_open(&process->errors);
}

enum kg_ending kg_process_wait(const struct kg_launch *launch, struct kg_process *process,
                               uint64_t deadline_ns, bool line, struct kg_outcome *outcome)
{
    for (;;) {
        const uint64_t now = kg_clock_ns();
        if (line && has_line(outcome))
            return KG_ENDED_LINE;
        if (kg_interrupt_caught())
            return KG_ENDED_INTERRUPT;
        if (now >= deadline_ns)
            return KG_ENDED_TIMEOUT;
        struct pollfd watched[] = {{.fd = process->pidfd, .events = POLLIN},
                                   {.fd = process->response, .events = POLLIN},
                                   {.fd = process->errors, .events = POLLIN}};
        const uint64_t sleep_ns = sleep_most_ns(process, deadline_ns - now);
        const struct timespec wait = {.tv_sec = (time_t)(sleep_ns / 1000000000),
                                      .tv_nsec = (long)(sleep_ns % 1000000000)};
        const int ready = ppoll(watched, 3, &wait, launch->mask);
        if (ready < 0 || (ready == 0 && process->pidfd >= 0))
            continue;
        drain(&process->response, outcome, false);
        drain(&process->errors, outcome, true);
        if (process->pidfd >= 0 ? watched[0].revents != 0 : ended(process)) {
            drain(&process->response, outcome, false);
            drain(&process->errors, outcome, true);
            return line && has_line(outcome) ? KG_ENDED_LINE : KG_ENDED_EXIT;
        }
    }
}

bool kg_process_send(const struct kg_process *process, const char *line)
{
    const size_t length = strlen(line);
    return send(process->response, line, length, MSG_NOSIGNAL) == (ssize_t)length;
}

void kg_outcome_line_take(struct kg_outcome *outcome, char *line, size_t bytes)
{
    const char *data = outcome->response.data;
    const size_t length =
        (size_t)((const char *)memchr(data, '\n', outcome->response.length) - data);
    if (line)
        snprintf(line, bytes, "%.*s", (int)length, data);
    kg_text_remove(&outcome->response, length + 1);
}

bool kg_process_writable(const struct kg_process *process, uint64_t deadline_ns)
{
    const uint64_t now = kg_clock_ns();
    if (now >= deadline_ns || kg_interrupt_caught())
        return false;
    struct pollfd watched = {.fd = process->response, .events = POLLOUT};
    const uint64_t ms = (deadline_ns - now) / 1000000 + 1;
    return poll(&watched, 1, ms < 1000 ? (int)ms : 1000) >= 0 &&
           !(watched.revents & (POLLERR | POLLHUP));
}

void kg_process_leave(const struct kg_launch *launch, struct kg_process *process,
                      double patience_ns, struct kg_outcome *outcome)
{
    if (process->pid > 0) {
        if (process->response >= 0)
            shutdown(process->response, SHUT_WR);
        kg_process_wait(launch, process, kg_clock_ns() + (uint64_t)patience_ns, false, outcome);
    }
    kg_process_end(process);
}

/* Drops the broken first line of a tail that lost its beginning. */
static void tail_trim(char *tail)
{
    size_t length = strlen(tail);
    while (length && (tail[length - 1] == '\n' || tail[length - 1] == ' '))
        tail[--length] = '\0';
    char *line = length + 1 >= KG_STDERR_TAIL_MOST ? strchr(tail, '\n') : NULL;
    if (line)
        memmove(tail, line + 1, strlen(line + 1) + 1);
}

void kg_process_finish(struct kg_process *process, enum kg_ending ending, uint64_t kills_before,
                       struct kg_outcome *outcome)
{
    siginfo_t info = {0};
    outcome->ending = ending;
    if (ending == KG_ENDED_EXIT &&
        waitid(P_PID, (id_t)process->pid, &info, WEXITED | WNOWAIT) == 0) {
        outcome->code = info.si_status;
        if (info.si_code != CLD_EXITED)
            outcome->ending = KG_ENDED_SIGNAL;
        outcome->out_of_memory =
            outcome->ending == KG_ENDED_SIGNAL && kg_out_of_memory_kills() > kills_before;
    }
    kg_process_end(process);
    tail_trim(outcome->tail);
}

void kg_outcome_free(struct kg_outcome *outcome)
{
    kg_text_free(&outcome->response);
}
