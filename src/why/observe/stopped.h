/* stopped.h: the registers of a thread and the top of its stack, for which it is stopped by ptrace for
 * some microseconds. Between two looks it is not traced. */
#pragma once
#include "why/observe/tasks.h"

#include <stdint.h>

/* By the numbers that DWARF has for them: rax, rdx, rcx, rbx, rsi, rdi, rbp, rsp, r8 … r15, and the
 * place of the next instruction. */
enum { KG_REGISTERS = 17, KG_REGISTER_STACK = 7, KG_REGISTER_PLACE = 16 };
enum { KG_STACK_BYTES = 16 * 1024 };

struct kg_stopped {
    uint64_t registers[KG_REGISTERS];
    bool known[KG_REGISTERS];
    long call;           /* the system call that it was in; -1: in none */
    size_t stack_length; /* bytes of `stack`, from the stack pointer upwards */
    unsigned char stack[KG_STACK_BYTES];
};

enum kg_stop {
    KG_STOP_READ,
    KG_STOP_GONE,
    KG_STOP_REFUSED,
    KG_STOP_LATE, /* it has not stopped soon: kg_task_release must let it go later */
};

/* Stops a thread, reads it and lets it go on. SIGCHLD should be blocked, or each stop takes a
 * millisecond.
 * child    whether its process is a child of this one: what waits for its end still finds it
 * refusal  on KG_STOP_REFUSED: errno */
enum kg_stop kg_task_stop(const struct kg_task *task, bool child, struct kg_stopped *stopped,
                          int *refusal);

/* Lets a thread go on that was late to stop, or takes its end.
 * limit_ns  how long it is waited for
 * returns   false where it has not stopped yet */
bool kg_task_release(const struct kg_task *task, bool child, uint64_t limit_ns);

/* Reads what can be read of a thread that waits, without stopping it: the stack and the place alone. */
void kg_task_waiting_read(const struct kg_task *task, const struct kg_task_state *state,
                          struct kg_stopped *stopped);

/* Reads memory of a process; false where not all of it is there. */
bool kg_process_memory(pid_t process, uint64_t address, void *bytes, size_t count);
