#include "suite/sources/command.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "device/sysfs.h"

enum { EXEC_FAILED = 127 };

void kg_command_prepare(struct kg_arena *arena, const struct kg_command_setting *setting,
                        const char **words)
{
    char here[PATH_MAX];
    for (size_t i = 0; i < setting->environment_count; i++)
        if (setenv(setting->environment[i].name, setting->environment[i].value, 1) != 0)
            kg_memory_out();
    if (!setting->directory || words[0][0] == '/' || !strchr(words[0], '/') ||
        !getcwd(here, sizeof here))
        return;
    words[0] = kg_arena_printf(arena, "%s/%s", here, words[0]);
}

/* Runs in the child. Returns only if the command cannot start. Uses only async-signal-safe calls. */
static struct kg_command_trouble become(const struct kg_command_run *command)
{
    const struct kg_command_setting *setting = command->setting;
    const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    const int input = setting->input ? open(setting->input, O_RDONLY | O_CLOEXEC) : null;
    const int output = command->output >= 0 ? command->output : null;
    if (input < 0)
        return (struct kg_command_trouble){KG_COMMAND_INPUT, errno};
    if (setting->directory && chdir(setting->directory) != 0)
        return (struct kg_command_trouble){KG_COMMAND_DIRECTORY, errno};
    const bool shows = command->shows && command->output < 0;
    if (dup2(input, STDIN_FILENO) >= 0 && (shows || dup2(output, STDOUT_FILENO) >= 0))
        execvp(command->argv[0], command->argv);
    return (struct kg_command_trouble){KG_COMMAND_EXEC, errno};
}

_Noreturn static void child(const struct kg_command_run *command, int report)
{
    /* If the worker is killed, the command must end too; otherwise it would disturb the next round. */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const struct kg_command_trouble trouble = become(command);
    ssize_t written = write(report, &trouble, sizeof trouble);
    (void)written;
    _exit(EXEC_FAILED);
}

static void fail(struct kg_command_run *command, const char *what, int code, const char *more)
{
    char message[512];
    snprintf(message, sizeof message, "cannot run '%.100s': %s: %s%s", command->argv[0], what,
             strerror(code), more);
    command->fail(command->owner, message);
}

/* The likely cause of a missing program. A build usually makes a program that is named by its path. If the file exists,
 * it is a script without its interpreter. */
static const char *absence_explain(const struct kg_command_run *command)
{
    if (command->trouble.step != KG_COMMAND_EXEC || command->trouble.code != ENOENT ||
        !strchr(command->argv[0], '/'))
        return "";
    return access(command->argv[0], F_OK) == 0 ? "; its interpreter is missing"
                                               : "; did the build make it?";
}

static void trouble_fail(struct kg_command_run *command)
{
    char what[256];
    const struct kg_command_setting *setting = command->setting;
    switch (command->trouble.step) {
    case KG_COMMAND_INPUT:
        snprintf(what, sizeof what, "its standard input '%.200s'", setting->input);
        break;
    case KG_COMMAND_DIRECTORY:
        snprintf(what, sizeof what, "its directory '%.200s'", setting->directory);
        break;
    case KG_COMMAND_EXEC:
    case KG_COMMAND_NONE:
        snprintf(what, sizeof what, "exec");
        break;
    }
    fail(command, what, command->trouble.code, absence_explain(command));
}

static bool is_accepted(const struct kg_command_setting *setting, int status)
{
    for (size_t i = 0; i < setting->exit_code_count; i++)
        if ((int)setting->exit_codes[i] == status)
            return true;
    return !setting->exit_code_count && status == 0;
}

static void status_judge(struct kg_command_run *command, int status)
{
    char message[256];
    if (WIFEXITED(status) && is_accepted(command->setting, WEXITSTATUS(status)))
        return;
    if (WIFEXITED(status))
        snprintf(message, sizeof message, "'%.100s' exited with status %d", command->argv[0],
                 WEXITSTATUS(status));
    else
        snprintf(message, sizeof message, "'%.100s' was killed by signal %d (%s)", command->argv[0],
                 WTERMSIG(status), strsignal(WTERMSIG(status)));
    command->fail(command->owner, message);
}

/* Removes the output of the previous call from the output file. */
static bool output_empty(const struct kg_command_run *command)
{
    return command->output < 0 ||
           (ftruncate(command->output, 0) == 0 && lseek(command->output, 0, SEEK_SET) == 0);
}

/* The running process of the command; 0: none. */
static volatile sig_atomic_t running;

/* Whether the process ends within `steps` times 10 ms. */
static bool ends_within(pid_t pid, int steps)
{
    static const struct timespec step = {.tv_nsec = 10 * 1000 * 1000};
    for (int i = 0;; i++) {
        siginfo_t end = {0};
        if (waitid(P_PID, (id_t)pid, &end, WEXITED | WNOWAIT | WNOHANG) != 0 || end.si_pid == pid)
            return true;
        if (i == steps)
            return false;
        nanosleep(&step, NULL);
    }
}

void kg_command_end(void)
{
    enum { PATIENCE = 100, KILLED = 500 };
    const pid_t pid = running;
    if (!pid)
        return;
    kill(pid, SIGTERM);
    if (ends_within(pid, PATIENCE))
        return;
    kill(pid, SIGKILL);
    ends_within(pid, KILLED);
}

void kg_command_time(void *state)
{
    struct kg_command_run *command = state;
    siginfo_t end;
    int report[2];
    kg_command_reap(command);
    if (!output_empty(command)) {
        fail(command, "its output", errno, "");
        return;
    }
    if (pipe2(report, O_CLOEXEC) != 0) {
        fail(command, "pipe", errno, "");
        return;
    }
    const pid_t pid = fork();
    if (pid == 0)
        child(command, report[1]);
    running = pid > 0 ? pid : 0;
    close(report[1]);
    if (pid < 0) {
        close(report[0]);
        fail(command, "fork", errno, "");
        return;
    }
    struct kg_command_trouble trouble;
    const bool complete = read(report[0], &trouble, sizeof trouble) == (ssize_t)sizeof trouble;
    close(report[0]);
    command->trouble = complete ? trouble : (struct kg_command_trouble){KG_COMMAND_NONE, 0};
    command->ended = pid;
    while (waitid(P_PID, (id_t)pid, &end, WEXITED | WNOWAIT) < 0)
        if (errno != EINTR) {
            running = 0;
            fail(command, "wait", errno, "");
            return;
        }
    running = 0;
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
    command->wait_ns += kg_tree_wait_ns(folder);
    while (wait4(pid, &status, 0, &usage) < 0)
        if (errno != EINTR) {
            fail(command, "wait", errno, "");
            return;
        }
    if (command->trouble.step != KG_COMMAND_NONE) {
        trouble_fail(command);
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
