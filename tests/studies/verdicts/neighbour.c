#include "neighbour.h"

#include <math.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/random.h"

enum { STREAM_BYTES = 64 * 1024 * 1024, CHUNK = 1024 * 1024 };
static const double MEAN_NS = 0.5e9, LEAST_NS = 0.05e9, MOST_NS = 4e9;

static double duration_draw(struct kg_random *random)
{
    const double uniform = 1 - kg_random_unit(random);
    return fmin(MOST_NS, fmax(LEAST_NS, -MEAN_NS * log(uniform)));
}

static void compute(void)
{
    static volatile double sink = 1;
    double x = sink;
    for (int i = 0; i < 100000; i++)
        x = x * 0.999999 + 1e-6;
    sink = x;
}

static void stream(char *bytes)
{
    static size_t at;
    memset(bytes + at, (int)at & 1, CHUNK);
    at = (at + CHUNK) % STREAM_BYTES;
}

_Noreturn static void child(bool memory, unsigned seed)
{
    struct kg_random random = {seed};
    char *bytes = memory ? malloc(STREAM_BYTES) : NULL;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (memory && !bytes)
        _exit(EXIT_FAILURE);
    for (;;) {
        const uint64_t until = kg_clock_ns() + (uint64_t)duration_draw(&random);
        while (kg_clock_ns() < until) {
            if (memory)
                stream(bytes);
            else
                compute();
        }
        const double pause = duration_draw(&random);
        const struct timespec wait = {.tv_sec = (time_t)(pause / 1e9),
                                      .tv_nsec = (long)fmod(pause, 1e9)};
        nanosleep(&wait, NULL);
    }
}

bool neighbour_start(struct neighbour *neighbour, unsigned seed)
{
    *neighbour = (struct neighbour){{-1, -1}};
    for (int i = 0; i < 2; i++) {
        neighbour->children[i] = fork();
        if (neighbour->children[i] == 0)
            child(i == 1, seed + (unsigned)i);
        if (neighbour->children[i] < 0) {
            neighbour_stop(neighbour);
            return false;
        }
    }
    return true;
}

void neighbour_stop(struct neighbour *neighbour)
{
    for (int i = 0; i < 2; i++) {
        if (neighbour->children[i] > 0) {
            kill(neighbour->children[i], SIGKILL);
            waitpid(neighbour->children[i], NULL, 0);
        }
        neighbour->children[i] = -1;
    }
}
