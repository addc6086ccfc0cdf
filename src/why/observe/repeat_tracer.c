#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/user.h>

#include "base/clock.h"
#include "base/memory.h"
#include "why/observe/repeated_calls.h"
#include "why/observe/sampler_state.h"

#ifdef __x86_64__

static void give_up(struct kg_repeat_tracer *tracer, const char *reason, int refusal)
{
    if (!tracer->reason) {
        tracer->reason = reason;
        tracer->refusal = refusal;
    }
    atomic_store(&tracer->done, true);
}

/* --- Debug registers -------------------------------------------------------------------------- */

enum { CONTROL = 7 }; /* number of the debug register that enables the others */

static bool register_set(pid_t thread, size_t number, uint64_t value)
{
    const size_t offset = offsetof(struct user, u_debugreg) + number * sizeof(unsigned long);
    return ptrace(PTRACE_POKEUSER, thread, offset, value) == 0;
}

/* Sets the breakpoints of a stopped thread: of one byte, at execution. */
static void breakpoints_set(struct kg_repeat_tracer *tracer, const struct kg_traced *one)
{
    uint64_t control = 0;
    bool good = register_set(one->thread, CONTROL, 0);
    for (size_t i = 0; i < KG_BREAKPOINTS && good; i++) {
        if (!one->breakpoints[i])
            continue;
        good = register_set(one->thread, i, one->breakpoints[i]);
        control |= UINT64_C(1) << 2 * i;
    }
    good = good && (!control || register_set(one->thread, CONTROL, control));
    if (!good && errno != ESRCH) /* it has not just been killed */
        give_up(tracer, "hardware breakpoints", errno);
}

static bool has_breakpoints(const struct kg_traced *one)
{
    for (size_t i = 0; i < KG_BREAKPOINTS; i++)
        if (one->breakpoints[i])
            return true;
    return false;
}

/* --- Calls ------------------------------------------------------------------------------------ */

static bool floats_read(pid_t thread, struct kg_call_registers *registers)
{
    enum { WORDS = 4 }; /* of 32 bits per register */
    struct user_fpregs_struct of;
    if (ptrace(PTRACE_GETFPREGS, thread, NULL, &of) != 0)
        return false;
    for (size_t i = 0; i < KG_FLOAT_REGISTERS; i++)
        memcpy(&registers->floats[i], &of.xmm_space[i * WORDS], sizeof registers->floats[i]);
    return true;
}

static void hash_count(struct kg_repeat_count *count, uint64_t hash)
{
    const size_t different = count->calls - count->repeated;
    bool known = false;
    for (size_t i = 0; i < different && !known; i++)
        known = count->seen[i] == hash;
    if (known)
        count->repeated++;
    else
        count->seen[different] = hash;
    count->calls++;
}

static bool all_counted(const struct kg_repeat_tracer *tracer)
{
    for (size_t i = 0; i < tracer->count; i++)
        if (!tracer->counts[i].function.reason && tracer->counts[i].calls < KG_REPEAT_CALLS_MOST)
            return false;
    return true;
}

/* Counts a call. After the last one, the thread's breakpoint goes away. */
static void call_count(struct kg_repeat_tracer *tracer, struct kg_traced *one, size_t i,
                       const struct user_regs_struct *of)
{
    struct kg_repeat_count *count = &tracer->counts[i];
    struct kg_call_registers registers = {
        .whole = {of->rdi, of->rsi, of->rdx, of->rcx, of->r8, of->r9}};
    if (!tracer->first_ns)
        tracer->first_ns = kg_clock_ns();
    if (count->calls < KG_REPEAT_CALLS_MOST && floats_read(one->thread, &registers))
        hash_count(count, kg_arguments_hash(one->thread, &count->function.parameters, &registers,
                                            tracer->buffer));
    if (count->calls < KG_REPEAT_CALLS_MOST)
        return;
    one->breakpoints[i] = 0;
    breakpoints_set(tracer, one);
    if (all_counted(tracer))
        atomic_store(&tracer->done, true);
}

/* --- Programs --------------------------------------------------------------------------------- */

/* The address at which a new program starts, once the loader has loaded its libraries; 0: unknown. */
static uint64_t entry_of(pid_t process)
{
    enum { ENTRY = 9 }; /* AT_ENTRY of getauxval(3) */
    char path[64];
    uint64_t pair[2], entry = 0;
    snprintf(path, sizeof path, "/proc/%d/auxv", (int)process);
    FILE *file = fopen(path, "re");
    while (file && !entry && fread(pair, sizeof pair, 1, file) == 1 && pair[0])
        entry = pair[0] == ENTRY ? pair[1] : 0;
    if (file)
        fclose(file);
    return entry;
}

static void functions_find(struct kg_repeat_tracer *tracer, pid_t process,
                           uint64_t addresses[KG_BREAKPOINTS])
{
    struct kg_watched_function functions[KG_BREAKPOINTS];
    for (size_t i = 0; i < tracer->count; i++)
        functions[i] = tracer->counts[i].function;
    memset(addresses, 0, KG_BREAKPOINTS * sizeof *addresses);
    kg_functions_find(process, functions, tracer->count, addresses);
    for (size_t i = 0; i < tracer->count; i++)
        tracer->counts[i].function = functions[i];
    if (all_counted(tracer))
        atomic_store(&tracer->done, true);
}

static void program_begin(struct kg_repeat_tracer *tracer, struct kg_traced *one)
{
    one->at_entry = false;
    functions_find(tracer, one->thread, one->breakpoints);
    breakpoints_set(tracer, one);
}

/* --- Hooks ------------------------------------------------------------------------------------ */

static bool is_full(void *user)
{
    struct kg_repeat_tracer *tracer = user;
    if (tracer->first_ns && kg_clock_ns() - tracer->first_ns > tracer->watch_ns)
        atomic_store(&tracer->done, true);
    return atomic_load(&tracer->done);
}

/* The kernel removes breakpoints at exec, and gives none to new threads. */
static void begin(void *user, struct kg_traced *one)
{
    struct kg_repeat_tracer *tracer = user;
    if (one->start == KG_TRACED_ATTACHED)
        memcpy(one->breakpoints, tracer->addresses, sizeof one->breakpoints);
    if (one->start == KG_TRACED_PROGRAM) {
        memset(one->breakpoints, 0, sizeof one->breakpoints);
        one->breakpoints[0] = entry_of(one->thread);
        one->at_entry = true;
    }
    if (has_breakpoints(one))
        breakpoints_set(tracer, one);
}

static void created(void *user, const struct kg_traced *by, struct kg_traced *fresh)
{
    (void)user;
    memcpy(fresh->breakpoints, by->breakpoints, sizeof fresh->breakpoints);
    fresh->at_entry = by->at_entry;
}

static bool is_breakpoint(int signal, const siginfo_t *info)
{
    enum { HARDWARE = 4 }; /* TRAP_HWBKPT of sigaction(2) */
    return signal == SIGTRAP && info->si_code == HARDWARE;
}

/* The kernel sets the resume flag, so that the thread passes its breakpoint. */
static bool take(void *user, struct kg_traced *one, int signal)
{
    struct kg_repeat_tracer *tracer = user;
    struct user_regs_struct of;
    siginfo_t info;
    if (signal != SIGTRAP || ptrace(PTRACE_GETSIGINFO, one->thread, NULL, &info) != 0 ||
        !is_breakpoint(signal, &info))
        return false;
    if (ptrace(PTRACE_GETREGS, one->thread, NULL, &of) != 0 || is_full(tracer))
        return true;
    if (one->at_entry) {
        program_begin(tracer, one);
        return true;
    }
    for (size_t i = 0; i < tracer->count; i++)
        if (one->breakpoints[i] && one->breakpoints[i] == of.rip)
            call_count(tracer, one, i, &of);
    return true;
}

/* Removes the breakpoints. A thread that has just met one has a signal to come, which would end its
 * process: it must first run into that stop. */
static bool leave(void *user, struct kg_traced *one)
{
    enum { MOST = 16 };
    struct __ptrace_peeksiginfo_args which = {.nr = MOST};
    siginfo_t pending[MOST];
    (void)user;
    register_set(one->thread, CONTROL, 0);
    const long count = ptrace(PTRACE_PEEKSIGINFO, one->thread, &which, pending);
    for (long i = 0; i < count; i++)
        if (is_breakpoint(pending[i].si_signo, &pending[i]))
            return false;
    return true;
}

bool kg_repeat_tracer_start(struct kg_repeat_tracer *tracer, pid_t process, bool command,
                            struct kg_error *err)
{
    static const struct kg_traced_hooks hooks = {.resume = PTRACE_CONT,
                                                 .is_full = is_full,
                                                 .begin = begin,
                                                 .take = take,
                                                 .created = created,
                                                 .leave = leave};
    int refusal = 0;
    tracer->buffer = kg_alloc(KG_PROCESS_PART_MOST, 1);
    if (!command)
        functions_find(tracer, process, tracer->addresses);
    if (atomic_load(&tracer->done))
        return true;
    const bool good =
        kg_thread_tracer_start(process, command, &hooks, tracer, &tracer->threads, &refusal, err);
    if (refusal)
        give_up(tracer, "ptrace", refusal);
    return good;
}

void kg_repeat_tracer_stop(struct kg_repeat_tracer *tracer)
{
    kg_thread_tracer_stop(tracer->threads);
    free(tracer->buffer);
    tracer->threads = NULL;
    tracer->buffer = NULL;
}

#else

bool kg_repeat_tracer_start(struct kg_repeat_tracer *tracer, pid_t process, bool command,
                            struct kg_error *err)
{
    (void)process, (void)command, (void)err;
    tracer->reason = "kgate reads arguments on x86-64 only";
    atomic_store(&tracer->done, true);
    return true;
}

void kg_repeat_tracer_stop(struct kg_repeat_tracer *tracer)
{
    (void)tracer;
}

#endif
