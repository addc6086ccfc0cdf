#include "cuda/fiber.h"

#include <cstdint>
#include <cstring>

#include "cuda/sanitizer.h"

#ifdef KG_ADDRESS_SANITIZER
#include <sanitizer/common_interface_defs.h>
#endif

static void leave(struct kg_fiber *from, const struct kg_fiber *to)
{
#ifdef KG_ADDRESS_SANITIZER
    __sanitizer_start_switch_fiber(&from->fake_stack, to->stack, to->stack_bytes);
#else
    (void)from, (void)to;
#endif
}

static void arrive(struct kg_fiber *at)
{
#ifdef KG_ADDRESS_SANITIZER
    __sanitizer_finish_switch_fiber(at->fake_stack, nullptr, nullptr);
#else
    (void)at;
#endif
}

void kg_fiber_begun(struct kg_fiber *from)
{
#ifdef KG_ADDRESS_SANITIZER
    /* Only here does AddressSanitizer say where the stack lies that the program began with. */
    __sanitizer_finish_switch_fiber(nullptr, &from->stack, &from->stack_bytes);
#else
    (void)from;
#endif
}

#ifdef KG_FIBER_CONTEXTS
void kg_fiber_create(struct kg_fiber *fiber, void *stack, size_t stack_bytes, void (*entry)())
{
    *fiber = {};
    fiber->stack = stack;
    fiber->stack_bytes = stack_bytes;
    getcontext(&fiber->context);
    fiber->context.uc_stack.ss_sp = stack;
    fiber->context.uc_stack.ss_size = stack_bytes;
    fiber->context.uc_link = nullptr;
    makecontext(&fiber->context, entry, 0);
}

void kg_fiber_switch(struct kg_fiber *from, struct kg_fiber *to)
{
    leave(from, to);
    swapcontext(&from->context, &to->context);
    arrive(from);
}
#else
/* Swapping the stack and the registers that a callee must keep is all there is to it: a tenth of
 * swapcontext's time, which asks the kernel for the signal mask. */
extern "C" void kg_fiber_swap(void **from_stack_pointer, void *to_stack_pointer);
__asm__(".pushsection .text\n"
        ".globl kg_fiber_swap\n"
        ".hidden kg_fiber_swap\n"
        ".type kg_fiber_swap, @function\n"
        "kg_fiber_swap:\n"
        "    pushq %rbp\n"
        "    pushq %rbx\n"
        "    pushq %r12\n"
        "    pushq %r13\n"
        "    pushq %r14\n"
        "    pushq %r15\n"
        "    movq %rsp, (%rdi)\n"
        "    movq %rsi, %rsp\n"
        "    popq %r15\n"
        "    popq %r14\n"
        "    popq %r13\n"
        "    popq %r12\n"
        "    popq %rbx\n"
        "    popq %rbp\n"
        "    ret\n"
        ".size kg_fiber_swap, . - kg_fiber_swap\n"
        ".popsection\n");

void kg_fiber_create(struct kg_fiber *fiber, void *stack, size_t stack_bytes, void (*entry)())
{
    enum { SAVED = 6, WORDS = SAVED + 2 }; /* the registers, the entry, and no return address */
    uintptr_t frame[WORDS] = {};
    frame[SAVED] = reinterpret_cast<uintptr_t>(entry);
    *fiber = {};
    fiber->stack = stack;
    fiber->stack_bytes = stack_bytes;
    fiber->stack_pointer = static_cast<char *>(stack) + stack_bytes - sizeof frame;
    memcpy(fiber->stack_pointer, frame, sizeof frame);
}

void kg_fiber_switch(struct kg_fiber *from, struct kg_fiber *to)
{
    leave(from, to);
    kg_fiber_swap(&from->stack_pointer, to->stack_pointer);
    arrive(from);
}
#endif
