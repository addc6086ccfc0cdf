#include "measure/guard.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "measure/descendants.h"
#include "timing/clock.h"

enum { MARK_LENGTH = 16 };
static const uint64_t PATIENCE_NS = 2000000000;

/* Of the process, as its children are. */
static struct {
    char mark[MARK_LENGTH +
              1]; /* always as long: the size of an environment moves a program's stack */
    pid_t owner, process;
    int end; /* of the pipe: open as long as kgate lives */
    bool asked;
} guard;

/* Unlike the marks of the other kgates on this machine. */
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

/* Whether the process has the mark in its environment; not where that is another user's to read. */
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

/* Kills all that have the mark; returns how many there were. */
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

/* Keeps nothing of what kgate has open: locks, and a pipe whose reader waits for its end. `end` is
 * read until kgate's end of the pipe is closed, which the kernel does however kgate ends. */
_Noreturn static void guard_run(int end)
{
    const struct timespec pause = {.tv_nsec = 1000 * 1000};
    sigset_t all;
    char byte;
    setsid();
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    prctl(PR_SET_NAME, "kgate-guard");
    if (dup2(end, STDIN_FILENO) < 0 || chdir("/") != 0)
        _exit(EXIT_FAILURE);
    close_range(STDIN_FILENO + 1, ~0U, 0);
    while (read(STDIN_FILENO, &byte, 1) < 0 && errno == EINTR)
        continue;
    /* what is being killed may just have started another */
    const uint64_t deadline_ns = kg_clock_ns() + PATIENCE_NS;
    while (marked_kill() && kg_clock_ns() < deadline_ns)
        nanosleep(&pause, NULL);
    _exit(EXIT_SUCCESS);
}

/* Where kgate ends by itself nothing is left to guard. */
static void guard_end(void)
{
    if (guard.process <= 0 || getpid() != guard.owner)
        return;
    kill(guard.process, SIGKILL);
    close(guard.end); /* which ends it too, where a sandbox forbids to kill */
    waitpid(guard.process, NULL, 0);
    kg_descendants_forget(guard.process);
    guard.process = 0;
}

void kg_guard_start(void)
{
    int ends[2];
    if (guard.asked)
        return;
    guard.asked = true;
    mark_make();
    guard.owner = getpid();
    if (atexit(guard_end) != 0 || pipe2(ends, O_CLOEXEC) != 0)
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
