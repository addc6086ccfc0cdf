/* fiber.h: flows of control on stacks of their own that hand over to each other, all on one thread
 * of the system. It reports every change of stack to AddressSanitizer. */
#pragma once
#include <cstddef>

#if !defined(__x86_64__) || defined(KG_FIBER_UCONTEXT)
#define KG_FIBER_CONTEXTS
#include <ucontext.h>
#endif

struct kg_fiber {
#ifdef KG_FIBER_CONTEXTS
    ucontext_t context;
#else
    void *stack_pointer;
#endif
    const void *stack;
    size_t stack_bytes;
    void *fake_stack; /* AddressSanitizer's */
};

/* A fiber that begins with `entry`, on the stack given, aligned to 16 bytes. `entry` must call
 * kg_fiber_begun first and never return. */
void kg_fiber_create(struct kg_fiber *fiber, void *stack, size_t stack_bytes, void (*entry)());

/* Saves the calling flow as `from` and continues with `to`. Returns when another flow continues
 * `from`. The program's first flow needs no kg_fiber_create. */
void kg_fiber_switch(struct kg_fiber *from, struct kg_fiber *to);

/* `from` is the flow that switched to this fiber for the first time. */
void kg_fiber_begun(struct kg_fiber *from);
