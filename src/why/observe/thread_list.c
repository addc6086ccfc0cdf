#include "why/observe/thread_list.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/memory.h"

enum { SEEN = 1, OURS = 2, PID_MOST = 4 * 1024 * 1024 };

/* Reads the beginning of a small file. Returns the length, or -1. */
static ssize_t start_read(const char *path, char *text, size_t bytes)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return -1;
    const ssize_t length = read(file, text, bytes - 1);
    close(file);
    text[length > 0 ? length : 0] = '\0';
    return length;
}

/* The fields of /proc/PID/stat after the name, which may contain anything; NULL: the process has
 * ended. */
static const char *stat_fields(const char *path, char *text, size_t bytes)
{
    const char *name_end = start_read(path, text, bytes) > 0 ? strrchr(text, ')') : NULL;
    return name_end ? name_end + 1 : NULL;
}

/* 0: the process has ended. */
static pid_t parent_of(pid_t process)
{
    char path[64], text[512], state;
    int parent = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)process);
    const char *fields = stat_fields(path, text, sizeof text);
    return fields && sscanf(fields, " %c %d", &state, &parent) == 2 ? parent : 0;
}

bool kg_process_times(pid_t process, unsigned long *user, unsigned long *system)
{
    char path[64], text[512];
    unsigned long times[4];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)process);
    const char *fields = stat_fields(path, text, sizeof text);
    if (!fields || sscanf(fields, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %lu %lu",
                          &times[0], &times[1], &times[2], &times[3]) != 4)
        return false;
    *user = times[0] + times[2];
    *system = times[1] + times[3];
    return true;
}

void kg_tasks_open(struct kg_tasks *tasks, pid_t root)
{
    *tasks =
        (struct kg_tasks){.root = root, .known = kg_alloc(PID_MOST, 1), .known_most = PID_MOST};
}

void kg_tasks_close(struct kg_tasks *tasks)
{
    free(tasks->known);
    tasks->known = NULL;
}

static void threads_add(struct kg_tasks *tasks, pid_t process, pid_t parent)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task", (int)process);
    DIR *folder = opendir(path);
    if (!folder)
        return;
    tasks->processes++;
    for (const struct dirent *entry; (entry = readdir(folder)) && tasks->count < KG_TASKS_MOST;) {
        const int thread = atoi(entry->d_name);
        if (thread > 0)
            tasks->of[tasks->count++] =
                (struct kg_task){.process = process, .thread = thread, .parent = parent};
    }
    closedir(folder);
}

/* Checks each process once: whether it descends from the root. */
static void process_see(struct kg_tasks *tasks, pid_t process)
{
    unsigned char *known = &tasks->known[process];
    pid_t parent = 0;
    if (!(*known & SEEN)) {
        parent = parent_of(process);
        const bool ours = parent > 0 && (size_t)parent < tasks->known_most &&
                          (parent == tasks->root || (tasks->known[parent] & OURS));
        *known = ours ? SEEN | OURS : SEEN;
    }
    if (*known & OURS)
        threads_add(tasks, process, parent ? parent : parent_of(process));
}

static void processes_see(struct kg_tasks *tasks)
{
    DIR *folder = opendir("/proc");
    if (!folder)
        return;
    for (const struct dirent *entry; (entry = readdir(folder));) {
        const int process =
            entry->d_name[0] >= '1' && entry->d_name[0] <= '9' ? atoi(entry->d_name) : 0;
        if (process > 0 && process != tasks->root && (size_t)process < tasks->known_most)
            process_see(tasks, process);
    }
    closedir(folder);
}

void kg_tasks_list(struct kg_tasks *tasks, bool descendants)
{
    tasks->count = 0;
    tasks->processes = 0;
    threads_add(tasks, tasks->root, 0);
    if (descendants)
        processes_see(tasks);
}

/* Parses "running", or the number of the system call, six arguments, the stack pointer and the
 * instruction pointer. A thread that waits outside of system calls has -1 and the two pointers. */
static bool syscall_read(const char *text, struct kg_task_state *state)
{
    if (!strncmp(text, "running", 7)) {
        state->running = true;
        return true;
    }
    if (sscanf(text, "%ld", &state->call) != 1)
        return false;
    const int fields = state->call < 0 ? sscanf(text, "%*d %lx %lx", &state->sp, &state->pc)
                                       : sscanf(text, "%*d %*x %*x %*x %*x %*x %*x %lx %lx",
                                                &state->sp, &state->pc);
    return fields == 2 && state->pc != 0;
}

/* System calls that fail if the thread is stopped: signal(7). Calls on sockets fail if they have
 * a time limit. */
static bool call_breaks(long call)
{
    static const long calls[] = {
#ifdef SYS_epoll_wait
        SYS_epoll_wait,
#endif
        SYS_epoll_pwait,   SYS_semop,   SYS_semtimedop, SYS_rt_sigtimedwait, SYS_io_getevents,
        SYS_pselect6,      SYS_ppoll,   SYS_accept,     SYS_accept4,         SYS_connect,
        SYS_rt_sigsuspend, SYS_recvmsg, SYS_recvfrom,   SYS_recvmmsg,        SYS_sendto,
        SYS_sendmsg,       SYS_sendmmsg};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (call == calls[i])
            return true;
    return false;
}

static bool reads_socket(const struct kg_task *task, const char *text, long call)
{
    static const long calls[] = {SYS_read, SYS_readv, SYS_write, SYS_writev};
    char path[96], name[16];
    unsigned long file;
    bool reads = false;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        reads = reads || call == calls[i];
    if (!reads || sscanf(text, "%*d %lx", &file) != 1)
        return false;
    snprintf(path, sizeof path, "/proc/%d/fd/%lu", (int)task->process, file);
    const ssize_t length = readlink(path, name, sizeof name);
    return length > 7 && !strncmp(name, "socket:", 7);
}

bool kg_task_tracer(const struct kg_task *task, pid_t *tracer)
{
    char path[96], text[1024], letter;
    int by;
    snprintf(path, sizeof path, "/proc/%d/task/%d/status", (int)task->process, (int)task->thread);
    if (start_read(path, text, sizeof text) <= 0)
        return false;
    const char *state = strstr(text, "\nState:"), *found = strstr(text, "\nTracerPid:");
    if (!state || !found || sscanf(state, " State: %c", &letter) != 1 || strchr("ZX", letter) ||
        sscanf(found, " TracerPid: %d", &by) != 1)
        return false;
    *tracer = by;
    return true;
}

/* Whether the thread still has its memory. The files of one that is ending belong to root. */
static bool is_alive(const struct kg_task *task)
{
    char path[96], text[2048];
    snprintf(path, sizeof path, "/proc/%d/task/%d/status", (int)task->process, (int)task->thread);
    return start_read(path, text, sizeof text) > 0 && strstr(text, "\nVmSize:");
}

enum kg_looked kg_task_look(const struct kg_task *task, struct kg_task_state *state)
{
    char path[96], text[512], line[512], letter = '?';
    *state = (struct kg_task_state){.call = -1};
    snprintf(path, sizeof path, "/proc/%d/task/%d/syscall", (int)task->process, (int)task->thread);
    errno = 0;
    if (start_read(path, line, sizeof line) <= 0)
        return (errno == EPERM || errno == EACCES) && is_alive(task) ? KG_LOOKED_REFUSED
                                                                     : KG_LOOKED_GONE;
    if (!syscall_read(line, state))
        return KG_LOOKED_GONE;
    if (state->running)
        return KG_LOOKED;
    snprintf(path, sizeof path, "/proc/%d/task/%d/stat", (int)task->process, (int)task->thread);
    const char *fields = stat_fields(path, text, sizeof text);
    if (!fields || sscanf(fields, " %c", &letter) != 1 || !strchr("SDRI", letter))
        return KG_LOOKED_GONE; /* stopped, or a zombie */
    state->may_stop =
        letter == 'S' && !call_breaks(state->call) && !reads_socket(task, line, state->call);
    return KG_LOOKED;
}

int kg_task_cpu(const struct kg_task *task)
{
    enum { AFTER_STATE = 36 }; /* fields between the name and the CPU: proc_pid_stat(5) */
    char path[96], text[1024];
    int cpu = -1;
    snprintf(path, sizeof path, "/proc/%d/task/%d/stat", (int)task->process, (int)task->thread);
    const char *field = stat_fields(path, text, sizeof text);
    for (int i = 0; field && i <= AFTER_STATE; i++) {
        field = strchr(field, ' ');
        field = field ? field + 1 : NULL;
    }
    return field && sscanf(field, "%d", &cpu) == 1 ? cpu : -1;
}
