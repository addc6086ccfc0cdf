/* Two of LTTng's events per scope. LTTng's session daemon decides whether to record them. The
 * argument is the metric's name. */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "tracepoints.h"

#include "loops.h"
#include "measure.h"

enum { REPETITIONS = 5 };

static void event_loop(unsigned turns)
{
    for (unsigned i = 0; i < turns; i++) {
        lttng_ust_tracepoint(kgate_bench, begin, 1);
        BARRIER();
        lttng_ust_tracepoint(kgate_bench, end, 1);
    }
}

int main(int count, char **arguments)
{
    /* slots: batches as short as a profiler's scopes */
    const struct variant variant = {count > 1 ? arguments[1] : "event", event_loop, 1, 1, NULL};
    for (int i = 0; i < REPETITIONS; i++)
        measure(&variant);
    return 0;
}
