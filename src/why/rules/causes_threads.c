/* causes_threads.c: conflicts between threads. kgate checks samples against the time with one
 * thread. */
#include <math.h>
#include <string.h>

#include "why/rules/causes.h"
#include "why/rules/causes_weighing.h"
#include "why/rules/rule_parts.h"

/* Cores busy below this limit: one thread does all the work. */
static const double CORES_SHARED = 1.2;
/* Minimum lost share of the time. The time with one thread comes from few rounds, so smaller
 * losses are noise. */
static const double LOST_LEAST = 0.25;

static bool has_threads(const struct kg_weighing *weighing)
{
    const struct kg_traits *traits = &weighing->facts->traits;
    return kg_at_least(traits->threads, 2) && kg_at_least(traits->cores_busy, CORES_SHARED) &&
           !kg_cpus_taken(weighing->facts, weighing->settings);
}

/* Share of the time saved if the threads divided one thread's work evenly; NaN: unknown. */
static double lost_share(const struct kg_weighing *weighing)
{
    const struct kg_traits *traits = &weighing->facts->traits;
    return 1 - traits->alone_ns / (kg_threads_do(weighing->facts) * traits->time_ns);
}

/* --- An uneven share --- */

/* One thread alone: nobody to wait for. */
static bool is_alone(const struct kg_traits *traits)
{
    return kg_under(traits->threads, 2) && !kg_at_least(traits->cores_busy, CORES_SHARED);
}

/* If there are few parallel regions and threads wait at their end, one thread has more work. */
static void regions_note(struct kg_weighing *weighing)
{
    static const double FEW = 8, WORTH = 20;
    struct kg_cause *barriers = &weighing->of[KG_CAUSE_BARRIERS];
    const double regions = kg_calls_in_all(&weighing->hot->counted, "GOMP_parallel") +
                           kg_calls_in_all(&weighing->hot->counted, "GOMP_barrier");
    if (!(barriers->share > 0) || !(regions > 0) || regions > FEW ||
        is_alone(&weighing->facts->traits) ||
        weighing->facts->traits.time_ns <
            regions * WORTH * kg_known_or_zero(weighing->facts->fork_join_ns))
        return;
    struct kg_cause *uneven = kg_weighing_add(weighing, KG_CAUSE_LOAD_IMBALANCE, barriers->share);
    uneven->seen = barriers->seen;
    uneven->caller = barriers->caller;
    barriers->share = 0;
}

/* Index of the stack's frame that is an outlined parallel region; frame_count: none. */
static size_t region_of(const struct kg_hot_stack *stack)
{
    for (size_t i = 0; i < stack->frame_count; i++) {
        const char *function = stack->frames[i].function;
        if (function && (strstr(function, "._omp_fn.") || strstr(function, "omp_outlined")))
            return i;
    }
    return stack->frame_count;
}

/* The first thread enters a region from the workload's code, a pool thread from the OpenMP
 * library. */
static bool is_first_thread(const struct kg_hot_stack *stack, size_t region)
{
    for (size_t i = region + 1; i < stack->frame_count; i++)
        if (!kg_place_is_library(&stack->frames[i]) ||
            (stack->frames[i].function && !strncmp(stack->frames[i].function, "GOMP_parallel", 13)))
            return true;
    return false;
}

/* Shares of the samples in parallel regions: the first thread's and the pool's. A pool thread
 * without work may sleep, and then has no samples. */
static void work_of(const struct kg_sampled *sampled, double *first, double *pool,
                    const struct kg_place **seen)
{
    double most = 0;
    *first = *pool = 0;
    for (size_t i = 0; i < sampled->stack_count; i++) {
        const struct kg_hot_stack *stack = &sampled->stacks[i];
        const size_t region = region_of(stack);
        if (region == stack->frame_count || stack->waiting || kg_place_is_openmp(&stack->frames[0]))
            continue;
        *(is_first_thread(stack, region) ? first : pool) += stack->share;
        if (stack->share > most)
            *seen = &stack->frames[region];
        most = fmax(most, stack->share);
    }
}

double kg_pool_share(const struct kg_hot *hot)
{
    const struct kg_place *seen = NULL;
    double first, pool;
    work_of(&hot->sampled, &first, &pool, &seen);
    return first + pool >= KG_SHARE_LEAST ? pool / (first + pool) : NAN;
}

/* The first thread still works while the others have finished. If all threads worked equally,
 * waiting at the end has another reason. */
static void imbalance_weigh(struct kg_weighing *weighing)
{
    const struct kg_sampled *sampled = &weighing->hot->sampled;
    const double threads = weighing->facts->traits.threads;
    const struct kg_place *seen = NULL;
    double first, pool;
    work_of(sampled, &first, &pool, &seen);
    const double even = (first + pool) / threads, most = fmax(first, pool / (threads - 1));
    const double uneven = first - even;
    const double error = 2 * sqrt((first + pool) / fmax(1, sampled->samples));
    struct kg_cause *cause = &weighing->of[KG_CAUSE_LOAD_IMBALANCE];
    if (first + pool >= KG_SHARE_LEAST && 1 - even / most < LOST_LEAST)
        cause->share = 0;
    if (!(uneven >= LOST_LEAST) || uneven < error || uneven <= cause->share)
        return;
    kg_weighing_shrink(weighing, uneven);
    cause->share = uneven;
    cause->seen = seen;
    cause->caller = NULL;
}

/* If the threads lose nothing against one thread alone, the sampler itself caused the sampled
 * waits: it stops a thread that others wait for. */
static void waits_are_capped(struct kg_weighing *weighing)
{
    static const enum kg_cause_kind waits[] = {KG_CAUSE_LOAD_IMBALANCE, KG_CAUSE_BARRIERS};
    const double lost = lost_share(weighing);
    for (size_t i = 0; isfinite(lost) && i < sizeof waits / sizeof *waits; i++) {
        struct kg_cause *cause = &weighing->of[waits[i]];
        cause->share = lost < LOST_LEAST ? 0 : fmin(cause->share, lost);
    }
}

/* Short-lived processes have few samples. Then the parent seems to wait for nobody. */
double kg_off_cpu(const struct kg_facts *facts)
{
    static const double SLACK = 0.1;
    const double busy = facts->traits.cores_busy;
    const double waiting = facts->hot ? facts->hot->sampled.waiting : NAN;
    const double at_once = fmax(1, ceil(busy - SLACK));
    return waiting > 1 - busy / at_once + SLACK ? NAN : waiting;
}

/* --- Quarrels --- */

/* The threads' hottest loop, if it loads and stores in each iteration. */
static const struct kg_hot_loop *writing_loop(const struct kg_hot *hot)
{
    static const double SHORT = 16, HOT = 0.2;
    for (size_t i = 0; i < hot->loop_count; i++) {
        const struct kg_hot_loop *loop = &hot->loops[i];
        if (!kg_place_is_library(&loop->place) && !isnan(loop->throughput_cycles) &&
            loop->share >= HOT && loop->loads > 0 && loop->stores > 0 &&
            loop->instructions <= SHORT)
            return loop;
    }
    return NULL;
}

/* The conflict that explains the loss. NULL: no conflict has enough time, and the share is
 * uneven. */
static struct kg_cause *quarrel_of(struct kg_weighing *weighing, double share)
{
    static const enum kg_cause_kind quarrels[] = {KG_CAUSE_LOCKS, KG_CAUSE_ATOMICS,
                                                  KG_CAUSE_FALSE_SHARING, KG_CAUSE_BARRIERS,
                                                  KG_CAUSE_PROCESSES};
    struct kg_cause *found = NULL;
    for (size_t i = 0; i < sizeof quarrels / sizeof *quarrels; i++)
        if (weighing->of[quarrels[i]].share >= KG_SHARE_LEAST &&
            (!found || weighing->of[quarrels[i]].share > found->share))
            found = &weighing->of[quarrels[i]];
    const struct kg_hot_loop *writing = found ? NULL : writing_loop(weighing->hot);
    if (writing) {
        found = kg_weighing_add(weighing, KG_CAUSE_FALSE_SHARING, share);
        found->loop = writing;
        found->seen = &writing->place;
    }
    if (found || weighing->of[KG_CAUSE_LOAD_IMBALANCE].share >= LOST_LEAST)
        return found;
    return kg_weighing_add(weighing, KG_CAUSE_OVERSUBSCRIPTION, share);
}

/* If one thread alone is faster than all, a conflict between threads costs the difference. An
 * uneven share cannot: the thread with all the work takes no longer than one thread alone. */
static void quarrels_weigh(struct kg_weighing *weighing)
{
    const struct kg_traits *traits = &weighing->facts->traits;
    const double share = 1 - traits->alone_ns / traits->time_ns;
    if (!(share >= LOST_LEAST))
        return;
    struct kg_cause *found = quarrel_of(weighing, share);
    if (!found)
        return;
    weighing->of[KG_CAUSE_LOAD_IMBALANCE].share = 0;
    found->share = fmax(found->share, share);
    found->measured = found->proven = true;
}

/* --- Savings --- */

/* Upper bound: the threads divide one thread's work evenly. Lower bound: sharing makes that work
 * 1.5 times as expensive. */
static void savings_note(struct kg_weighing *weighing)
{
    static const double DEARER = 1.5;
    const struct kg_traits *traits = &weighing->facts->traits;
    static const enum kg_cause_kind quarrels[] = {KG_CAUSE_FALSE_SHARING, KG_CAUSE_BARRIERS};
    const double lost = lost_share(weighing), alone = 1 - traits->alone_ns / traits->time_ns;
    for (size_t i = 0; isfinite(lost) && i < sizeof quarrels / sizeof *quarrels; i++)
        if (weighing->of[quarrels[i]].share > 0)
            kg_cause_saves(&weighing->of[quarrels[i]], 1 - DEARER * (1 - lost), lost);
    struct kg_cause *uneven = &weighing->of[KG_CAUSE_LOAD_IMBALANCE];
    if (uneven->share > 0)
        kg_cause_saves(uneven, uneven->share, uneven->share);
    struct kg_cause *all = &weighing->of[KG_CAUSE_OVERSUBSCRIPTION];
    if (all->share > 0)
        kg_cause_saves(all, alone, alone);
}

void kg_weigh_threads(struct kg_weighing *weighing)
{
    regions_note(weighing);
    if (!has_threads(weighing))
        return;
    imbalance_weigh(weighing);
    waits_are_capped(weighing);
    quarrels_weigh(weighing);
    savings_note(weighing);
}
