/* Particles of a simulation, with all their data in one record. After every step the total mass is
 * needed. */
#include "workload.h"

enum { PARTICLES = 200 * 1000 };

struct particle {
    double position[3];
    double velocity[3];
    double force[3];
    double charge;
    int64_t species;
    int64_t mass;
};

struct work {
    struct particle particles[PARTICLES];
    int64_t masses[PARTICLES];
    int64_t mass;
    int64_t expected;
};

static int64_t mass_of_particles(const struct particle *particles, size_t count)
{
    int64_t mass = 0;
    for (size_t i = 0; i < count; i++)
        mass += particles[i].mass;
    return mass;
}

static int64_t sum(const int64_t *masses, size_t count)
{
    int64_t mass = 0;
    for (size_t i = 0; i < count; i++)
        mass += masses[i];
    return mass;
}

static void run_bad(void *state)
{
    struct work *work = state;
    work->mass = mass_of_particles(work->particles, PARTICLES);
}

static void run_good(void *state)
{
    struct work *work = state;
    work->mass = sum(work->masses, PARTICLES);
}

static bool set_up(struct kgate_context *context, void **state)
{
    struct work *work = workload_begin(context, sizeof *work, state);
    if (!work)
        return false;
    uint64_t sequence = context->seed;
    for (size_t i = 0; i < PARTICLES; i++) {
        struct particle *particle = &work->particles[i];
        particle->position[0] = (double)i;
        particle->mass = (int64_t)(workload_random(&sequence) % 1000);
        work->masses[i] = particle->mass;
        work->expected += particle->mass;
    }
    return true;
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    (void)context;
    const struct work *work = state;
    return workload_wrong(check, work->mass != work->expected);
}

PAIR(particles, "Sums the masses of particles.");
