#include "why/observe/stack_sampler.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "why/observe/sampler_state.h"

static const double EVERY_NS = 1e6, JITTER = 0.05;
/* Sampling takes at most this fraction (1 / PARTS) of the time. */
enum { PARTS = 4 };
/* A plugin seldom starts processes, and finding one needs a scan of /proc. */
enum { DESCENDANTS_EVERY = 8, STACK_AGAIN = 16 };

static void executable_find(struct kg_stack_sampler *sampler)
{
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/%d/exe", (int)sampler->target.process);
    const ssize_t length = readlink(link, path, sizeof path - 1);
    path[length > 0 ? length : 0] = '\0';
    sampler->executable = kg_module_number(sampler->modules, path);
}

struct kg_stack_sampler *kg_stack_sampler_open(const struct kg_sampled_process *target)
{
    struct kg_stack_sampler *sampler = kg_alloc(1, sizeof *sampler);
    sampler->target = *target;
    sampler->random.state = (uint64_t)target->process;
    sampler->modules = kg_modules_open(&sampler->arena);
    sampler->unwinder = kg_unwinder_open(sampler->modules);
    kg_tasks_open(&sampler->tasks, target->process);
    executable_find(sampler);
    if (sched_getaffinity(0, sizeof sampler->allowed, &sampler->allowed) != 0)
        CPU_ZERO(&sampler->allowed);
    sampler->next_ns = kg_clock_ns();
    return sampler;
}

/* Resumes threads that stopped late, and takes the ends of killed ones, as soon as they report. */
static void late_release(struct kg_stack_sampler *sampler, uint64_t limit_ns)
{
    size_t kept = 0;
    for (size_t i = 0; i < sampler->late_count; i++) {
        const struct kg_task task = sampler->late[i];
        if (!kg_task_release(&task, task.process == sampler->target.process, limit_ns))
            sampler->late[kept++] = task;
    }
    sampler->late_count = kept;
}

static const uint64_t END_NS = 1000000000;

void kg_stack_sampler_release(struct kg_stack_sampler *sampler)
{
    late_release(sampler, END_NS);
}

void kg_stack_sampler_follow(struct kg_stack_sampler *sampler,
                             const struct kg_sampled_process *target)
{
    late_release(sampler, END_NS);
    kg_tasks_close(&sampler->tasks);
    kg_tasks_open(&sampler->tasks, target->process);
    memset(sampler->waits, 0, sizeof sampler->waits);
    sampler->user_before += sampler->user_end - sampler->user_ticks;
    sampler->system_before += sampler->system_end - sampler->system_ticks;
    sampler->user_ticks = sampler->user_end = sampler->system_ticks = sampler->system_end = 0;
    sampler->followed = false;
    sampler->target = *target;
    sampler->next_ns = kg_clock_ns();
}

void kg_stack_sampler_close(struct kg_stack_sampler *sampler)
{
    if (!sampler)
        return;
    if (CPU_COUNT(&sampler->allowed))
        sched_setaffinity(0, sizeof sampler->allowed, &sampler->allowed);
    late_release(sampler, END_NS);
    kg_unwinder_close(sampler->unwinder);
    kg_modules_close(sampler->modules);
    kg_tasks_close(&sampler->tasks);
    kg_samples_free(&sampler->samples);
    kg_arena_free(&sampler->arena);
    free(sampler);
}

/* Notes the CPU of a running thread; of several, each is equally likely. An interrupt stops a
 * thread on another CPU. In a virtual machine the interrupt is late, and the thread stops at the
 * end of its next system call: a biased place. On the sampler's own CPU, the sampler's timer has
 * already stopped the thread at any place. So the sampler takes its next sample on the noted
 * CPU. */
static void running_note(struct kg_stack_sampler *sampler, const struct kg_task *task)
{
    if (kg_random_between(&sampler->random, 0, 1) * ++sampler->running < 1)
        sampler->cpu = kg_task_cpu(task);
}

static void cpu_take(const struct kg_stack_sampler *sampler)
{
    cpu_set_t one;
    if (sampler->cpu < 0 || sampler->cpu >= CPU_SETSIZE ||
        !CPU_ISSET((unsigned)sampler->cpu, &sampler->allowed))
        return;
    CPU_ZERO(&one);
    CPU_SET((unsigned)sampler->cpu, &one);
    sched_setaffinity(0, sizeof one, &one);
}

uint64_t kg_stack_sampler_next_ns(const struct kg_stack_sampler *sampler)
{
    return sampler->next_ns;
}

static struct kg_wait_seen *wait_of(struct kg_stack_sampler *sampler, const struct kg_task *task,
                                    const struct kg_task_state *state)
{
    const uint64_t key =
        ((uint64_t)task->thread * 31 + state->sp) * UINT64_C(0x9e3779b97f4a7c15) ^ state->pc;
    return &sampler->waits[(key >> 32) % KG_WAITS_MOST];
}

/* After a stop, a thread continues its system call under another name. */
static void restarted_name(const struct kg_wait_seen *seen, const struct kg_task *task,
                           struct kg_task_state *state)
{
    if (state->call == SYS_restart_syscall && seen->thread == task->thread &&
        seen->sp == state->sp && seen->pc == state->pc)
        state->call = seen->call;
}

static bool wait_same(const struct kg_wait_seen *seen, const struct kg_task *task,
                      const struct kg_task_state *state)
{
    return seen->used && seen->used < STACK_AGAIN && seen->thread == task->thread &&
           seen->call == state->call && seen->sp == state->sp && seen->pc == state->pc;
}

static uint32_t stack_unwind(struct kg_stack_sampler *sampler, const struct kg_task *task)
{
    kg_code_address frames[KG_UNWIND_MOST];
    const size_t count = kg_unwind(sampler->unwinder, task, &sampler->stopped, frames);
    return kg_samples_stack(&sampler->samples, frames, count);
}

static void refusal_note(struct kg_stack_sampler *sampler, int refusal)
{
    if (!sampler->refusal)
        sampler->refusal = refusal;
    sampler->refused++;
}

/* Reads the registers of a thread; false: they are unavailable. */
static bool thread_read(struct kg_stack_sampler *sampler, const struct kg_task *task,
                        const struct kg_task_state *state)
{
    const bool child = task->process == sampler->target.process;
    int refusal = 0;
    if (!state->running && !state->may_stop) {
        kg_task_waiting_read(task, state, &sampler->stopped);
        return true;
    }
    if (sampler->late_count == KG_LATE_MOST)
        return false;
    const enum kg_stop stop = kg_task_stop(task, child, &sampler->stopped, &refusal);
    if (stop == KG_STOP_LATE)
        sampler->late[sampler->late_count++] = *task;
    if (stop == KG_STOP_REFUSED)
        refusal_note(sampler, refusal);
    return stop == KG_STOP_READ;
}

/* Reads the state of a thread; false: it is unavailable now. */
static bool thread_look(struct kg_stack_sampler *sampler, const struct kg_task *task,
                        struct kg_task_state *state)
{
    const enum kg_looked looked = kg_task_look(task, state);
    if (looked == KG_LOOKED_REFUSED)
        refusal_note(sampler, EPERM);
    return looked == KG_LOOKED;
}

static void thread_sample(struct kg_stack_sampler *sampler, const struct kg_task *task)
{
    const pid_t root = sampler->target.process;
    struct kg_task_state state;
    if (!thread_look(sampler, task, &state))
        return;
    if (state.running)
        running_note(sampler, task);
    struct kg_wait_seen *seen = state.running ? NULL : wait_of(sampler, task, &state);
    if (seen)
        restarted_name(seen, task, &state);
    struct kg_stack_sample sample = {
        .tick = sampler->ticks,
        .first = task->thread == task->process &&
                 (sampler->target.command ? task->parent == root : task->process == root),
        .root = task->process == root,
        .waiting = !state.running,
        .call = state.call};
    if (seen && wait_same(seen, task, &state)) {
        sample.stack = seen->stack;
        seen->used++;
    } else {
        if (!thread_read(sampler, task, &state))
            return;
        sample.stack = stack_unwind(sampler, task);
        if (state.running)
            sample.call = sampler->stopped.call;
        else
            *seen = (struct kg_wait_seen){task->thread, state.call,   state.sp,
                                          state.pc,     sample.stack, 1};
    }
    kg_samples_add(&sampler->samples, &sample);
}

static uint64_t own_time_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/* Plans the next tick. After a long tick it comes later, so that the workload has the CPUs. */
static void next_plan(struct kg_stack_sampler *sampler, uint64_t took_ns)
{
    const uint64_t rest = kg_clock_ns() + took_ns * (PARTS - 1);
    sampler->next_ns +=
        (uint64_t)(EVERY_NS * kg_random_between(&sampler->random, 1 - JITTER, 1 + JITTER));
    if (sampler->next_ns < rest)
        sampler->next_ns = rest;
}

void kg_stack_sampler_take(struct kg_stack_sampler *sampler)
{
    const uint64_t start = own_time_ns();
    const bool command = sampler->target.command;
    sampler->running = 0;
    sampler->cpu = -1;
    sigset_t child, mask;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    /* pending, it wakes a thread that waits for a stop */
    pthread_sigmask(SIG_BLOCK, &child, &mask);
    if (!sampler->followed)
        kg_process_times(sampler->target.process, &sampler->user_ticks, &sampler->system_ticks);
    late_release(sampler, 0);
    kg_tasks_list(&sampler->tasks, command || sampler->ticks % DESCENDANTS_EVERY == 0);
    for (size_t i = 0; i < sampler->tasks.count; i++)
        if (!command || sampler->tasks.of[i].process != sampler->target.process)
            thread_sample(sampler, &sampler->tasks.of[i]);
    kg_process_times(sampler->target.process, &sampler->user_end, &sampler->system_end);
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    sampler->ticks++;
    sampler->followed = true;
    cpu_take(sampler);
    next_plan(sampler, own_time_ns() - start);
}
