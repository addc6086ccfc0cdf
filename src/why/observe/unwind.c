#include "why/observe/sampler_state.h"

#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/memory.h"

/* Maximum number of open processes; and number of stacks after which a process with code in no
 * file is listed again. */
enum { PROCESSES_MOST = 16, STALE_AFTER = 64 };

struct process {
    pid_t pid;
    Dwfl *dwfl;
    size_t stacks; /* number of stacks since its modules were listed */
    bool renewed;  /* a new listing did not help: it has code in no file */
    uint64_t used; /* time of last use, as a counter: the smallest is replaced */
};

struct kg_unwinder {
    struct kg_modules *modules;
    struct process processes[PROCESSES_MOST];
    size_t count;
    uint64_t uses;
    /* state of the current stack */
    const struct kg_task *task;
    const struct kg_stopped *stopped;
    kg_code_address *frames;
    size_t frame_count;
    bool outside; /* the innermost frame is in no module */
};

/* --- Callbacks of libdwfl --------------------------------------------------------------------- */

/* Unwinding needs no debug information, which takes long to find. */
static int no_debug(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
                    const char *file, const char *link, GElf_Word crc, char **found)
{
    (void)module, (void)data, (void)name, (void)base, (void)file, (void)link, (void)crc;
    *found = NULL;
    return -1;
}

static pid_t thread_next(Dwfl *dwfl, void *user, void **thread)
{
    struct kg_unwinder *unwinder = user;
    (void)dwfl;
    if (*thread)
        return 0;
    *thread = unwinder;
    return unwinder->task->thread;
}

static bool thread_get(Dwfl *dwfl, pid_t id, void *user, void **thread)
{
    (void)dwfl, (void)id;
    *thread = user;
    return true;
}

/* Reads the copied stack, which is exact for the stop. Memory further out is read later and
 * hardly changes. */
static bool memory_read(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *word, void *user)
{
    const struct kg_unwinder *unwinder = user;
    const struct kg_stopped *stopped = unwinder->stopped;
    const uint64_t at = address - stopped->registers[KG_REGISTER_STACK];
    (void)dwfl;
    if (at < stopped->stack_length && stopped->stack_length - at >= sizeof *word) {
        memcpy(word, stopped->stack + at, sizeof *word);
        return true;
    }
    return kg_process_memory(unwinder->task->process, address, word, sizeof *word);
}

static bool registers_set(Dwfl_Thread *thread, void *user)
{
    const struct kg_unwinder *unwinder = user;
    for (int i = 0; i < KG_REGISTERS; i++) {
        const Dwarf_Word value = unwinder->stopped->registers[i];
        if (unwinder->stopped->known[i] && !dwfl_thread_state_registers(thread, i, 1, &value))
            return false;
    }
    return true;
}

static const Dwfl_Thread_Callbacks thread_callbacks = {.next_thread = thread_next,
                                                       .get_thread = thread_get,
                                                       .memory_read = memory_read,
                                                       .set_initial_registers = registers_set};

/* --- Processes -------------------------------------------------------------------------------- */

static void process_close(struct process *process)
{
    if (process->dwfl)
        dwfl_end(process->dwfl);
    *process = (struct process){0};
}

static bool process_open(struct kg_unwinder *unwinder, struct process *process, pid_t pid)
{
    static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_linux_proc_find_elf,
                                             .find_debuginfo = no_debug};
    *process = (struct process){.pid = pid, .dwfl = dwfl_begin(&callbacks)};
    if (process->dwfl && dwfl_linux_proc_report(process->dwfl, pid) == 0 &&
        dwfl_report_end(process->dwfl, NULL, NULL) == 0 &&
        dwfl_attach_state(process->dwfl, NULL, pid, &thread_callbacks, unwinder))
        return true;
    process_close(process);
    return false;
}

static struct process *process_of(struct kg_unwinder *unwinder, pid_t pid)
{
    struct process *oldest = &unwinder->processes[0];
    for (size_t i = 0; i < unwinder->count; i++) {
        struct process *process = &unwinder->processes[i];
        if (process->pid == pid)
            return process;
        if (process->used < oldest->used)
            oldest = process;
    }
    if (unwinder->count < PROCESSES_MOST)
        oldest = &unwinder->processes[unwinder->count++];
    else
        process_close(oldest);
    return process_open(unwinder, oldest, pid) ? oldest : NULL;
}

/* --- Frames ----------------------------------------------------------------------------------- */

/* The module's number. It is stored, plus one, in libdwfl's user pointer of the module. */
static size_t number_of(struct kg_unwinder *unwinder, Dwfl_Module *module)
{
    void **kept;
    uintptr_t number;
    const char *path = NULL;
    const char *name = dwfl_module_info(module, &kept, NULL, NULL, NULL, NULL, &path, NULL);
    memcpy(&number, kept, sizeof number);
    if (!number) {
        number = kg_module_number(unwinder->modules, path ? path : name ? name : "") + 1;
        memcpy(kept, &number, sizeof number);
    }
    return number - 1;
}

/* libdwfl assigns gaps between two files to one of them. */
static bool lies_in(Dwfl_Module *module, Dwarf_Addr address)
{
    Dwarf_Addr start, end;
    dwfl_module_info(module, NULL, &start, &end, NULL, NULL, NULL, NULL);
    return address >= start && address < end;
}

static bool frame_add(struct kg_unwinder *unwinder, Dwfl *dwfl, Dwarf_Addr address)
{
    Dwarf_Addr bias = 0;
    Dwfl_Module *module = dwfl_addrmodule(dwfl, address);
    const size_t number =
        module && lies_in(module, address) ? number_of(unwinder, module) : KG_MODULES_MOST;
    if (number >= KG_MODULES_MOST || !dwfl_module_getelf(module, &bias))
        return false;
    unwinder->frames[unwinder->frame_count++] =
        (uint64_t)number << KG_MODULE_SHIFT | ((address - bias) & KG_CODE_OFFSET_MASK);
    return true;
}

/* Adds code that is in no file: a program made it at run time, or loaded it in its own way. */
static void outside_add(struct kg_unwinder *unwinder, Dwarf_Addr address)
{
    const size_t number = kg_module_number(unwinder->modules, KG_MODULE_NO_FILE);
    unwinder->outside = true;
    if (number < KG_MODULES_MOST)
        unwinder->frames[unwinder->frame_count++] =
            (uint64_t)number << KG_MODULE_SHIFT | (address & KG_CODE_OFFSET_MASK);
}

static int frame_take(Dwfl_Frame *frame, void *user)
{
    struct kg_unwinder *unwinder = user;
    Dwarf_Addr address;
    bool exact;
    if (!dwfl_frame_pc(frame, &address, &exact))
        return DWARF_CB_ABORT;
    Dwfl *dwfl = dwfl_thread_dwfl(dwfl_frame_thread(frame));
    if (!frame_add(unwinder, dwfl, exact ? address : address - 1) && !unwinder->frame_count)
        outside_add(unwinder, address);
    return unwinder->frame_count < KG_UNWIND_MOST ? DWARF_CB_OK : DWARF_CB_ABORT;
}

static void stack_take(struct kg_unwinder *unwinder, struct process *process)
{
    unwinder->frame_count = 0;
    unwinder->outside = false;
    process->stacks++;
    process->used = ++unwinder->uses;
    dwfl_getthread_frames(process->dwfl, unwinder->task->thread, frame_take, unwinder);
}

struct kg_unwinder *kg_unwinder_open(struct kg_modules *modules)
{
    struct kg_unwinder *unwinder = kg_alloc(1, sizeof *unwinder);
    unwinder->modules = modules;
    return unwinder;
}

void kg_unwinder_close(struct kg_unwinder *unwinder)
{
    for (size_t i = 0; unwinder && i < unwinder->count; i++)
        process_close(&unwinder->processes[i]);
    free(unwinder);
}

/* A process that started another program or loaded a library has code outside of the listed
 * modules. Then its modules are listed again. */
size_t kg_unwind(struct kg_unwinder *unwinder, const struct kg_task *task,
                 const struct kg_stopped *stopped, kg_code_address frames[KG_UNWIND_MOST])
{
    struct process *process = process_of(unwinder, task->process);
    unwinder->task = task;
    unwinder->stopped = stopped;
    unwinder->frames = frames;
    if (!process)
        return 0;
    stack_take(unwinder, process);
    if (!unwinder->outside || (process->renewed && process->stacks <= STALE_AFTER))
        return unwinder->frame_count;
    process_close(process);
    if (!process_open(unwinder, process, task->process))
        return 0;
    stack_take(unwinder, process);
    process->renewed = unwinder->outside;
    return unwinder->frame_count;
}
