#include "run/worker/worker.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "run/worker/worker_state.h"

static const double AGAIN_SHARE = 0.25;
/* Threads of a library may spin from when it was loaded: those of OpenBLAS for some 50 ms. */
enum { REST_STEPS = 60 };
static const double REST_STEP_NS = 1e6, AT_REST_NS = 0.2e6;

/* Variables by which a user places threads. */
static const char *const places[] = {"OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY",
                                     "KMP_AFFINITY"};

/* The name of the variable that places threads; NULL if none is set. */
static const char *placed_by(void)
{
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const char *value = getenv(places[i]);
        if (value && *value && strcmp(value, "false") != 0)
            return places[i];
    }
    return NULL;
}

static bool may_place(const struct kg_worker *worker)
{
    return worker->placing.cpus > 1 && !placed_by();
}

static void call(struct kg_worker *worker)
{
    worker->sampler.run(worker->sampler.state);
}

/* Waits until the threads rest that run while no call does, for a bounded time. */
static void rest(struct kg_placing *placing)
{
    const struct timespec step = {.tv_nsec = (long)REST_STEP_NS};
    for (int i = 0; i < REST_STEPS; i++) {
        kg_placing_mark(placing);
        nanosleep(&step, NULL);
        if (kg_placing_see(placing) == 0 || placing->threads[0].ran_ns < AT_REST_NS)
            return;
    }
}

static void place(struct kg_worker *worker)
{
    kg_placing_bind(&worker->placing);
    call(worker);
    kg_placing_release(&worker->placing);
    kg_placing_mark(&worker->placing);
}

void kg_settle(void *owner)
{
    struct kg_worker *worker = owner;
    struct kg_placing *placing = &worker->placing;
    kg_placing_begin(placing);
    kg_placing_mark(placing);
    call(worker);
    if (!may_place(worker) || kg_placing_threads() == 1)
        return;
    if (kg_placing_see(placing) > placing->cpus) {
        rest(placing);
        kg_placing_mark(placing);
        call(worker);
        kg_placing_see(placing);
    }
    if (placing->count > 1)
        place(worker);
}

bool kg_settle_again(void *owner, double measured_ns)
{
    struct kg_worker *worker = owner;
    struct kg_placing *placing = &worker->placing;
    if (kg_placing_threads() == 1 || !may_place(worker))
        return false;
    const bool crowded = kg_placing_see(placing) > 1 && kg_placing_crowded(placing);
    if (!crowded || worker->settled_again_ns > AGAIN_SHARE * measured_ns) {
        kg_placing_mark(placing);
        return false;
    }
    const uint64_t start = kg_clock_ns();
    place(worker);
    worker->settled_again_ns += (double)(kg_clock_ns() - start);
    return true;
}
