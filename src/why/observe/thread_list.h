/* thread_list.h: the threads of a process and of the processes that it started, as /proc lists them. One
 * thread at a time; nothing is stopped. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { KG_TASKS_MOST = 128 };

struct kg_task {
    pid_t process;
    pid_t thread; /* of the first thread: as `process` */
    pid_t parent; /* the process that started `process` */
};

struct kg_tasks {
    pid_t root;
    unsigned char *known; /* by process: two bits, whether it was seen, and is of the root's */
    size_t known_most;    /* processes that there is room for */
    size_t processes;     /* of the last listing */
    struct kg_task of[KG_TASKS_MOST];
    size_t count;
};

void kg_tasks_open(struct kg_tasks *tasks, pid_t root);

/* Lists the threads that there are now.
 * descendants  looks for new processes too, which takes longer; else those known are listed */
void kg_tasks_list(struct kg_tasks *tasks, bool descendants);

void kg_tasks_close(struct kg_tasks *tasks);

/* What a thread is doing, without stopping it. */
struct kg_task_state {
    bool running;     /* or ready to */
    bool may_stop;    /* it sleeps where it can be woken and goes on sleeping afterwards */
    long call;        /* of a thread that waits: the number of the system call; -1: in none */
    unsigned long sp; /* likewise: its stack, and where it goes on */
    unsigned long pc;
};

enum kg_looked {
    KG_LOOKED,
    KG_LOOKED_GONE,    /* it has ended, or is stopped */
    KG_LOOKED_REFUSED, /* nothing may be seen of it */
};
enum kg_looked kg_task_look(const struct kg_task *task, struct kg_task_state *state);

/* The thread that traces a thread; 0: none.
 * returns  false where it has ended */
bool kg_task_tracer(const struct kg_task *task, pid_t *tracer);

/* The CPU that a thread runs on, or ran on last; -1 where that may not be seen. */
int kg_task_cpu(const struct kg_task *task);

/* CPU time of a process and of its children that ended, in clock ticks.
 * returns  false where it has ended */
bool kg_process_times(pid_t process, unsigned long *user, unsigned long *system);
