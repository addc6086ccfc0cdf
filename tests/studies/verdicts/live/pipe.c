/* pipe.c: system calls: writes half a kilobyte into a pipe and reads it again. */
#include <unistd.h>

#include "ordinary.h"

static int ends[2];
static char message[512];

static bool set_up(struct kgate_context *context, void **state)
{
    (void)context;
    *state = NULL;
    return pipe(ends) == 0;
}

static void run(void *state)
{
    (void)state;
    for (unsigned turn = 0; turn < turns; turn++)
        if (write(ends[1], message, sizeof message) < 0 ||
            read(ends[0], message, sizeof message) < 0)
            return;
}

static void tear_down(struct kgate_context *context, void *state)
{
    (void)context;
    (void)state;
    close(ends[0]);
    close(ends[1]);
}

const struct kgate_workload pipe_workload = {.name = "pipe",
                                             .summary = "Write to a pipe and read from it.",
                                             .devices = 1u << KGATE_DEVICE_CPU,
                                             .revision = 1,
                                             .set_up = set_up,
                                             .run = run,
                                             .tear_down = tear_down};
