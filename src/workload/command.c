#include "workload/command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device/tree.h"

enum { EXEC_FAILED = 127 };

/* In the child: never returns. Only async-signal-safe calls. */
_Noreturn static void child(const struct kg_command_run *command, int report)
{
    /* If the worker is killed, what it runs must not live on and disturb the next round. */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null >= 0 && dup2(null, STDIN_FILENO) >= 0 &&
        (command->shows || dup2(null, STDOUT_FILENO) >= 0))
        execvp(command->argv[0], command->argv);
    const int code = errno;
    ssize_t written = write(report, &code, sizeof code);
    (void)written;
    _exit(EXEC_FAILED);
}

static void fail(struct kg_command_run *command, const char *what, int code)
{
    char message[256];
    snprintf(message, sizeof message, "cannot run '%.100s': %s: %s", command->argv[0], what,
             strerror(code));
    command->fail(command->owner, message);
}

static void status_judge(struct kg_command_run *command, int status)
{
    char message[256];
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return;
    if (WIFEXITED(status))
        snprintf(message, sizeof message, "'%.100s' exited with status %d", command->argv[0],
                 WEXITSTATUS(status));
    else
        snprintf(message, sizeof message, "'%.100s' was killed by signal %d (%s)", command->argv[0],
                 WTERMSIG(status), strsignal(WTERMSIG(status)));
    command->fail(command->owner, message);
}

void kg_command_time(void *state)
{
    struct kg_command_run *command = state;
    siginfo_t end;
    int report[2], code = 0;
    kg_command_reap(command);
    if (pipe2(report, O_CLOEXEC) != 0) {
        fail(command, "pipe", errno);
        return;
    }
    const pid_t pid = fork();
    if (pid == 0)
        child(command, report[1]);
    close(report[1]);
    if (pid < 0) {
        close(report[0]);
        fail(command, "fork", errno);
        return;
    }
    const ssize_t got = read(report[0], &code, sizeof code);
    close(report[0]);
    command->exec_error = got == (ssize_t)sizeof code ? code : 0;
    command->ended = pid;
    while (waitid(P_PID, (id_t)pid, &end, WEXITED | WNOWAIT) < 0)
        if (errno != EINTR) {
            fail(command, "wait", errno);
            return;
        }
}

void kg_command_reap(void *state)
{
    struct kg_command_run *command = state;
    struct rusage usage;
    char folder[32];
    int status;
    const pid_t pid = command->ended;
    if (!pid)
        return;
    command->ended = 0;
    snprintf(folder, sizeof folder, "/proc/%d", (int)pid);
    command->wait_ns += kg_tree_wait_ns("", folder);
    while (wait4(pid, &status, 0, &usage) < 0)
        if (errno != EINTR) {
            fail(command, "wait", errno);
            return;
        }
    if (command->exec_error) {
        fail(command, "exec", command->exec_error);
        return;
    }
    const uint64_t peak = (uint64_t)usage.ru_maxrss * 1024;
    if (peak > command->peak_bytes)
        command->peak_bytes = peak;
    status_judge(command, status);
}

void kg_command_call(void *state)
{
    kg_command_time(state);
    kg_command_reap(state);
}
