/* loops.h: the same loops around scopes, from one source compiled three times: with scopes (`on`),
 * with KGATE_NO_PROFILER (`out`), and without any macro in the text (`plain`). */
#pragma once

/* Keeps surrounding code in place, at no cost. */
#define BARRIER() __asm__ volatile("" ::: "memory")

#define LOOPS_DECLARE(variant)                                                                     \
    void loops_##variant##_empty(unsigned turns); /* a scope around nothing */                     \
    void loops_##variant##_depth2(unsigned turns);                                                 \
    void loops_##variant##_depth8(unsigned turns);                                                 \
    void loops_##variant##_arithmetic(unsigned turns, unsigned length);                            \
    void loops_##variant##_memory(unsigned turns, unsigned length);

LOOPS_DECLARE(on)
LOOPS_DECLARE(out)
LOOPS_DECLARE(plain)

/* Work inside a scope: `length` multiplications, each waiting for the last; and as many readings of
 * an array that the second-level cache does not hold. One function for all variants. */
void work_arithmetic(unsigned length);
void work_memory(unsigned length);
