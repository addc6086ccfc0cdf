/* Compiled with LOOPS as on, out or plain. */
#include "loops.h"

#ifdef LOOPS_PLAIN
#define KGATE_SCOPE(name) ((void)0)
#else
#include "kgate/profiler.h"
#endif

#define JOIN_(variant, name) loops_##variant##_##name
#define JOIN(variant, name) JOIN_(variant, name)
#define LOOP(name) JOIN(LOOPS, name)

void LOOP(empty)(unsigned turns)
{
    for (unsigned i = 0; i < turns; i++) {
        KGATE_SCOPE("empty");
        BARRIER();
    }
}

void LOOP(depth2)(unsigned turns)
{
    for (unsigned i = 0; i < turns; i++) {
        KGATE_SCOPE("outer");
        BARRIER();
        {
            KGATE_SCOPE("inner");
            BARRIER();
        }
        BARRIER();
    }
}

void LOOP(depth8)(unsigned turns)
{
    for (unsigned i = 0; i < turns; i++) {
        KGATE_SCOPE("1");
        BARRIER();
        {
            KGATE_SCOPE("2");
            BARRIER();
            {
                KGATE_SCOPE("3");
                BARRIER();
                {
                    KGATE_SCOPE("4");
                    BARRIER();
                    {
                        KGATE_SCOPE("5");
                        BARRIER();
                        {
                            KGATE_SCOPE("6");
                            BARRIER();
                            {
                                KGATE_SCOPE("7");
                                BARRIER();
                                {
                                    KGATE_SCOPE("8");
                                    BARRIER();
                                }
                            }
                        }
                    }
                }
            }
        }
        BARRIER();
    }
}

void LOOP(arithmetic)(unsigned turns, unsigned length)
{
    for (unsigned i = 0; i < turns; i++) {
        KGATE_SCOPE("work");
        work_arithmetic(length);
    }
}

void LOOP(memory)(unsigned turns, unsigned length)
{
    for (unsigned i = 0; i < turns; i++) {
        KGATE_SCOPE("work");
        work_memory(length);
    }
}
