/* Function calls that the compiler instruments (-finstrument-functions), for uftrace to record. Run
 * alone, the program gives the cost of the instrumented calls without uftrace. The argument is the
 * metric's name. */
#include "loops.h"
#include "measure.h"

enum { REPETITIONS = 5 };

__attribute__((noinline)) static void called(void)
{
    BARRIER();
}

__attribute__((no_instrument_function)) static void call_loop(unsigned turns)
{
    for (unsigned i = 0; i < turns; i++)
        called();
}

__attribute__((no_instrument_function)) int main(int count, char **arguments)
{
    /* slots: batches as short as a profiler's scopes */
    const struct variant variant = {count > 1 ? arguments[1] : "call", call_loop, 1, 1, NULL};
    for (int i = 0; i < REPETITIONS; i++)
        measure(&variant);
    return 0;
}
