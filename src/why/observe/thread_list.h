/* thread_list.h: the threads of a process and of the processes that it started, from /proc. For
 * one thread; stops nothing. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { KG_TASKS_MOST = 128 };

struct kg_task {
    pid_t process;
    pid_t thread; /* the first thread: same as `process` */
    pid_t parent; /* the process that started `process` */
};

struct kg_tasks {
    pid_t root;
    /* Per process id: two bits, seen, and descendant of the root. */
    unsigned char *known;
    size_t known_most; /* number of process ids in `known` */
    size_t processes;  /* number of processes in the last listing */
    struct kg_task of[KG_TASKS_MOST];
    size_t count;
};

void kg_tasks_open(struct kg_tasks *tasks, pid_t root);

/* Lists the current threads.
 * descendants  true: looks for new processes too, which takes longer; false: lists known
 *              processes */
void kg_tasks_list(struct kg_tasks *tasks, bool descendants);

void kg_tasks_close(struct kg_tasks *tasks);

/* The state of a thread, read without stopping it. */
struct kg_task_state {
    bool running;  /* running or ready to run */
    bool may_stop; /* it sleeps and can be woken without an effect on its system call */
    long call;     /* waiting thread: number of its system call; -1: none */
    /* waiting thread: its stack pointer; the next field: its instruction pointer */
    unsigned long sp;
    unsigned long pc;
};

enum kg_looked {
    KG_LOOKED,
    KG_LOOKED_GONE,    /* ended, or stopped */
    KG_LOOKED_REFUSED, /* permission denied */
};
enum kg_looked kg_task_look(const struct kg_task *task, struct kg_task_state *state);

/* The thread that traces a thread; 0: none.
 * returns  false if the thread has ended */
bool kg_task_tracer(const struct kg_task *task, pid_t *tracer);

/* The CPU that a thread runs on, or ran on last; -1: unknown. */
int kg_task_cpu(const struct kg_task *task);

/* CPU time of a process and of its ended children, in clock ticks.
 * returns  false if the process has ended */
bool kg_process_times(pid_t process, unsigned long *user, unsigned long *system);
