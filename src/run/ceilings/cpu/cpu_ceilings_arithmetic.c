/* Multiply-adds in chains that do not wait for each other. */
#include <math.h>

#include "run/ceilings/cpu/cpu_ceilings_parts.h"

enum { STEPS = 8192 }; /* of each chain, a turn: sums stay exact */

struct chains {
    float (*run)(uint32_t steps);
    float lanes;
};

static bool turn(void *state, int thread)
{
    const struct chains *chains = state;
    (void)thread;
    return chains->run(STEPS) == kg_cpu_chains_sum(chains->lanes, STEPS);
}

static bool rate_measure(struct chains chains, int threads, double *rate, struct kg_error *err)
{
    const struct kg_cpu_task task = {.work = turn,
                                     .state = &chains,
                                     .amount = 2.0 * STEPS * KG_CPU_CHAINS * (double)chains.lanes};
    return kg_cpu_team_rate(threads, &task, rate, err);
}

/* The first measurement of vectors is discarded. Clocks take some time to rise from idle, and to fall
 * to the limit for wide vectors. */
bool kg_cpu_arithmetic(struct kg_cpu_measuring *measuring, int threads, struct kg_error *err)
{
    const struct kg_cpu_code *code = measuring->code;
    struct kg_cpu_ceilings *ceilings = measuring->ceilings;
    struct kg_cpu_ceiling *ceiling = threads == 1 ? &ceilings->one : &ceilings->all;
    const struct chains vector = {code->vector, code->lanes}, scalar = {code->scalar, 1};
    double warming = NAN;
    return rate_measure(vector, threads, &warming, err) &&
           rate_measure(vector, threads, &ceiling->vector_flops_per_s, err) &&
           rate_measure(scalar, threads, &ceiling->scalar_flops_per_s, err);
}
