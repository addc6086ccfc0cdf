#include "device/driver_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Time to wait for a killed process; kgate abandons a process that hangs in the kernel. */
enum { KILLED_MS = 1000 };

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

_Noreturn static void child_run(const struct kg_apart *apart, int pipe, pid_t parent)
{
    static const int deadly[] = {SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE, SIGPIPE, SIGTERM};
    const struct rlimit none = {0, 0};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(EXIT_FAILURE);
    setrlimit(RLIMIT_CORE, &none);
    for (size_t i = 0; i < sizeof deadly / sizeof *deadly; i++)
        signal(deadly[i], SIG_DFL);
    /* drivers print; only the answer counts */
    const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int i = 0; i < 3 && nowhere >= 0; i++)
        if (i != pipe)
            dup2(nowhere, i);
    apart->work(apart->argument, pipe);
    _exit(EXIT_SUCCESS);
}

void kg_apart_answer(int pipe, const void *bytes, size_t count)
{
    for (size_t done = 0; done < count;) {
        const ssize_t written = write(pipe, (const char *)bytes + done, count - done);
        if (written < 0 && errno != EINTR)
            _exit(EXIT_FAILURE);
        done += written > 0 ? (size_t)written : 0;
    }
}

/* Reads until the end, the deadline or a full answer; returns the number of bytes. */
static size_t answer_read(int pipe, int64_t deadline_ms, char *answer, size_t bytes)
{
    size_t length = 0;
    while (length < bytes) {
        const int64_t left = deadline_ms - now_ms();
        struct pollfd watched = {.fd = pipe, .events = POLLIN};
        if (left <= 0)
            break;
        const int ready = poll(&watched, 1, (int)left);
        if (ready < 0 && errno != EINTR)
            break;
        if (ready <= 0)
            continue;
        const ssize_t count = read(pipe, answer + length, bytes - length);
        if (count == 0 || (count < 0 && errno != EINTR))
            break;
        length += count > 0 ? (size_t)count : 0;
    }
    return length;
}

/* Whether the process ended by the deadline; *status is its status. */
static bool child_gone(pid_t child, int64_t deadline_ms, int *status)
{
    const struct timespec nap = {.tv_nsec = 200000};
    for (;;) {
        const pid_t gone = waitpid(child, status, WNOHANG);
        if (gone == child || (gone < 0 && errno != EINTR))
            return true;
        if (now_ms() >= deadline_ms)
            return false;
        nanosleep(&nap, NULL);
    }
}

static void ending_words(bool late, int status, int timeout_ms, char *text, size_t bytes)
{
    text[0] = '\0';
    if (late)
        snprintf(text, bytes, "the NVIDIA driver did not answer in %g s", timeout_ms / 1000.0);
    else if (WIFSIGNALED(status))
        snprintf(text, bytes, "the NVIDIA driver crashed: signal %d (%s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    else if (WEXITSTATUS(status) != EXIT_SUCCESS)
        snprintf(text, bytes, "the NVIDIA driver ended the process that queried it, with status %d",
                 WEXITSTATUS(status));
}

size_t kg_apart_run(const struct kg_apart *apart, void *answer, size_t bytes, char *ending,
                    size_t ending_bytes)
{
    int ends[2] = {-1, -1}, status = 0;
    const pid_t parent = getpid();
    const pid_t child = pipe2(ends, O_CLOEXEC) == 0 ? fork() : -1;
    if (child == 0)
        child_run(apart, ends[1], parent);
    if (child < 0)
        snprintf(ending, ending_bytes, "cannot start a process to query the NVIDIA driver: %s",
                 strerror(errno));
    if (ends[1] >= 0)
        close(ends[1]);
    if (child < 0) {
        if (ends[0] >= 0)
            close(ends[0]);
        return 0;
    }
    const int64_t deadline_ms = now_ms() + apart->timeout_ms;
    const size_t length = answer_read(ends[0], deadline_ms, answer, bytes);
    close(ends[0]);
    /* also after a full answer: a device in exclusive mode is free again only when the process is
     * gone */
    const bool late = !child_gone(child, deadline_ms, &status);
    if (late) {
        kill(child, SIGKILL);
        child_gone(child, now_ms() + KILLED_MS, &status);
    }
    ending_words(late, status, apart->timeout_ms, ending, ending_bytes);
    return length;
}
