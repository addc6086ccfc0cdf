/* unwind.h: the stack of a stopped thread as addresses in files of machine code, by the tables that
 * compilers write for exceptions; by frame pointers where there are none. One thread. */
#pragma once
#include "why/observe/modules.h"
#include "why/observe/stopped.h"

enum { KG_UNWIND_MOST = 256 };

struct kg_unwinder;

/* For the processes of one workload. NULL where memory is out.
 * modules  borrowed */
struct kg_unwinder *kg_unwinder_open(struct kg_modules *modules);
void kg_unwinder_close(struct kg_unwinder *unwinder);

/* The frames of a thread, the innermost first: the address of the next instruction, then of the
 * calls. What cannot be unwound ends there; an address in no file is left out but for the innermost,
 * which is of KG_MODULE_NO_FILE.
 * returns  how many; 0 where the process has ended */
size_t kg_unwind(struct kg_unwinder *unwinder, const struct kg_task *task,
                 const struct kg_stopped *stopped, kg_code_address frames[KG_UNWIND_MOST]);
