/* without_call CALL PROGRAM ARGUMENT...: runs a program in a sandbox that does not have a system call, as
 * older ones and some of containers do. Exit status 77 where this kernel lets nobody make one. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct {
    const char *name;
    unsigned number;
} calls[] = {{"pidfd_open", SYS_pidfd_open},
             {"sched_getaffinity", SYS_sched_getaffinity},
             {"sysinfo", SYS_sysinfo}};

static int find(const char *name)
{
    for (int i = 0; i < (int)(sizeof calls / sizeof *calls); i++)
        if (!strcmp(name, calls[i].name))
            return i;
    return -1;
}

int main(int count, char **arguments)
{
    const int call = count < 3 ? -1 : find(arguments[1]);
    if (call < 0)
        return 2;
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, calls[call].number, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog filter = {.len = sizeof rules / sizeof *rules, .filter = rules};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) ||
        syscall(calls[call].number, 0, 0, NULL) >= 0)
        return 77;
    execv(arguments[2], arguments + 2);
    perror(arguments[2]);
    return 126;
}
