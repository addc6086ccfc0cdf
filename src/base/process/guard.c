#include "base/process/guard.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/process/descendants.h"

enum { MARK_LENGTH = 16 };
enum { WATCH_OFF = '0', WATCH_ON = '1' }; /* bytes that kgate sends to the guard */
static const uint64_t PATIENCE_NS = 2000000000;

/* Global, since children belong to the process. */
static struct {
    char mark[MARK_LENGTH +
              1]; /* constant length: the size of an environment moves a program's stack */
    pid_t owner, process;
    int end; /* kgate's end of the socket pair: open as long as kgate lives */
    bool asked;
} guard;

/* Makes a mark unlike the marks of other kgates on this machine. */
static void mark_make(void)
{
    if (*guard.mark)
        return;
    const uint64_t number = ((uint64_t)getpid() << 40) ^ kg_clock_ns();
    snprintf(guard.mark, sizeof guard.mark, "%016" PRIx64, number);
}

void kg_guard_mark(char value[KG_GUARD_MARK_BYTES])
{
    const char *inherited = getenv(KG_GUARD_VARIABLE);
    mark_make();
    snprintf(value, KG_GUARD_MARK_BYTES, "%s%s%s", guard.mark, inherited ? "." : "",
             inherited ? inherited : "");
}

/* Whether the process has the mark in its environment; false if the guard may not read it. */
static bool has_mark(int process)
{
    char bytes[16384];
    size_t kept = 0;
    bool found = false;
    snprintf(bytes, sizeof bytes, "/proc/%d/environ", process);
    const int file = open(bytes, O_RDONLY | O_CLOEXEC);
    for (ssize_t count; file >= 0 && !found;) {
        count = read(file, bytes + kept, sizeof bytes - kept);
        if (count <= 0)
            break;
        const size_t length = kept + (size_t)count;
        found = memmem(bytes, length, guard.mark, MARK_LENGTH) != NULL;
        /* the mark may lie across two pieces */
        kept = length < MARK_LENGTH ? length : MARK_LENGTH - 1;
        memmove(bytes, bytes + length - kept, kept);
    }
    if (file >= 0)
        close(file);
    return found;
}

/* Kills all processes with the mark; returns their number. */
static size_t marked_kill(void)
{
    size_t count = 0;
    const struct dirent *entry;
    DIR *processes = opendir("/proc");
    while (processes && (entry = readdir(processes))) {
        const int process = isdigit((unsigned char)*entry->d_name) ? atoi(entry->d_name) : 0;
        if (process > 0 && process != getpid() && has_mark(process)) {
            kill(process, SIGKILL);
            count++;
        }
    }
    if (processes)
        closedir(processes);
    return count;
}

/* Whether kgate is stopped, but not by its terminal: job control leaves a stopped process in the
 * background. */
static bool owner_stopped(void)
{
    char path[64], line[512] = "", state = 0;
    int group = 0, terminal = 0, foreground = 0;
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)guard.owner);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t length = file < 0 ? -1 : read(file, line, sizeof line - 1);
    if (file >= 0)
        close(file);
    const char *rest = length > 0 ? strrchr(line, ')') : NULL;
    return rest &&
           sscanf(rest, ") %c %*d %d %*d %d %d", &state, &group, &terminal, &foreground) == 4 &&
           state == 'T' && (!terminal || foreground == group);
}

/* Reads kgate's bytes until kgate's end of the sockets closes. The kernel closes it however kgate
 * ends. */
static void owner_await(void)
{
    enum { LOOK_MS = 500 };
    struct pollfd watched = {.fd = STDIN_FILENO, .events = POLLIN};
    char command = WATCH_OFF;
    for (;;) {
        const int ready = poll(&watched, 1, command == WATCH_ON ? LOOK_MS : -1);
        if (ready == 0 && owner_stopped())
            kill(guard.owner, SIGCONT);
        if (ready > 0 && read(STDIN_FILENO, &command, 1) == 0)
            return;
        if (ready < 0 && errno != EINTR)
            return;
    }
}

/* Closes all files of kgate: locks, and a pipe whose reader waits for its end. */
_Noreturn static void guard_run(int end)
{
    const struct timespec pause = {.tv_nsec = 1000 * 1000};
    sigset_t all;
    setsid();
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    prctl(PR_SET_NAME, "kgate-guard");
    if (dup2(end, STDIN_FILENO) < 0 || chdir("/") != 0)
        _exit(EXIT_FAILURE);
    close_range(STDIN_FILENO + 1, ~0U, 0);
    owner_await();
    /* a process may have started another one just before it was killed */
    const uint64_t deadline_ns = kg_clock_ns() + PATIENCE_NS;
    while (marked_kill() && kg_clock_ns() < deadline_ns)
        nanosleep(&pause, NULL);
    _exit(EXIT_SUCCESS);
}

/* If kgate ends by itself, nothing is left to guard. */
static void guard_end(void)
{
    if (guard.process <= 0 || getpid() != guard.owner)
        return;
    kill(guard.process, SIGKILL);
    close(guard.end); /* ends the guard if a sandbox forbids kill */
    waitpid(guard.process, NULL, 0);
    kg_descendants_forget(guard.process);
    guard.process = 0;
}

void kg_guard_watch(bool on)
{
    const char byte = on ? WATCH_ON : WATCH_OFF;
    const bool heard = guard.process > 0 && send(guard.end, &byte, 1, MSG_NOSIGNAL) == 1;
    (void)heard; /* without a guard nothing continues kgate */
}

void kg_guard_start(void)
{
    int ends[2];
    if (guard.asked)
        return;
    guard.asked = true;
    mark_make();
    guard.owner = getpid();
    if (atexit(guard_end) != 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return;
    guard.process = fork();
    if (guard.process == 0) {
        close(ends[1]);
        guard_run(ends[0]);
    }
    close(ends[0]);
    guard.end = ends[1];
    if (guard.process > 0)
        kg_descendants_expect(guard.process);
    else
        close(guard.end);
}
