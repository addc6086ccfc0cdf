/* Rules for code that computes one element at a time, although the core could compute several. */
#include "why/rules/rule_parts.h"

/* A scalar instruction moves one number at most. If more is moved, some are vectors. */
static bool moves_vectors(const struct kg_traits *traits)
{
    enum { SINGLE_BYTES = 4 };
    return kg_known(traits->bytes) && traits->bytes > SINGLE_BYTES * traits->instructions;
}

/* Scalar loops over numbers reach this. Below it, code does something else than arithmetic. */
static const double LEAST_FLOPS_PER_INSTRUCTION = 0.1;

/* In a dependent loop, each result needs the previous one: such a loop retires at most about one
 * instruction per cycle. */
static const double CHAINED_PER_CYCLE = 1.25;

/* A scalar instruction does at most one FLOP, a multiply-add two. Loads, counters and jumps do
 * none. The measured gain of vectors exists for single precision only. */
bool kg_is_scalar(const struct kg_facts *facts)
{
    const struct kg_traits *traits = &facts->traits;
    return kg_known(traits->flops) && kg_known(traits->flops_ceiling_per_s) &&
           kg_under(traits->flops_per_instruction, 1) &&
           traits->flops_per_instruction >= LEAST_FLOPS_PER_INSTRUCTION &&
           facts->vector_lanes > 1 && isfinite(facts->vector_lanes) && !moves_vectors(traits);
}

/* Whether the hot loops' machine code has more vector than scalar arithmetic. It outranks the
 * workload's FLOPs. */
static bool hot_uses_vectors(const struct kg_facts *facts)
{
    double vectors = 0, scalars = 0;
    for (size_t i = 0; facts->hot && i < facts->hot->loop_count; i++) {
        const struct kg_hot_loop *loop = &facts->hot->loops[i];
        *(loop->vector_floats > loop->scalar_floats ? &vectors : &scalars) += loop->share;
    }
    return vectors > scalars;
}

/* Vectors help if the core is busy retiring instructions. If it waits for loads or for the
 * previous result, vectors would wait too. Scattered data come first (rule `access_pattern`). If
 * threads wait, most instructions may belong to spinning. */
static bool unvectorised_applies(const struct kg_facts *facts,
                                 const struct kg_suggest_settings *settings)
{
    return kg_on_device(facts, "cpu") && kg_is_scalar(facts) &&
           kg_at_least(kg_instructions_per_cycle(facts), CHAINED_PER_CYCLE) &&
           !kg_at_roof(facts, settings) && !kg_threads_wait(facts, settings) &&
           !kg_access_pattern_applies(facts, settings) && !hot_uses_vectors(facts);
}

/* Compilers use 256 bits by default, even if the CPU has wider vectors (gcc's
 * -mprefer-vector-width). */
double kg_vectors_gain(const struct kg_facts *facts, const struct kg_suggest_settings *settings)
{
    enum { SINGLES_OF_256_BITS = 8 };
    return fmax(1, fmin(facts->vector_lanes, SINGLES_OF_256_BITS) * settings->attainable);
}

/* Only time on a CPU shrinks. */
static double unvectorised_estimate(const struct kg_facts *facts,
                                    const struct kg_suggest_settings *settings)
{
    const double saved =
        kg_running_share(facts, settings) * (1 - 1 / kg_vectors_gain(facts, settings));
    return fmax(facts->traits.time_ns * (1 - saved), kg_attainable_ns(facts, settings));
}

static const struct kg_rule rules[] = {
    {
        .name = "unvectorised",
        .applies = unvectorised_applies,
        .estimate_ns = unvectorised_estimate,
        .type = KG_TYPE_ALGORITHM,
        .priority = KG_PRIORITY_CRITICAL,
        .yields = true,
        .basis = KG_BASIS_MODELLED,
        .description = "{flops_per_instruction} flops per instruction, and the core retires them "
                       "without stalls: it computes one element at a time.",
        .hint = "Let the compiler use vectors: -O3 and -march, `#pragma omp simd` (with "
                "`reduction` for sums), `restrict`, no branch or call in the innermost loop, "
                "contiguous data. -fopt-info-vec-missed gives the reasons.",
        .evidence = {"flops_per_instruction", "flops_share", "vector_lanes", "instructions",
                     "instructions_per_cycle"},
        .when =
            "counted instructions do 0.1 to 1 flops of single precision and move at most 4 bytes "
            "of the work each; the core retires 1.25 per cycle (several threads: measured with "
            "one); no peak is near (`bound_share`); threads do not wait for each other; the "
            "hottest loops have no more vector than scalar arithmetic; no `access_pattern`",
        .assumes = "the CPU time shrinks by `attainable` of the measured gain of vectors in "
                   "multiply-adds (256 bits at most); roofline",
    },
};
const struct kg_rule_family kg_rules_vectors = {rules, sizeof rules / sizeof rules[0]};
