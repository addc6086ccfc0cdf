#include "suggest/causes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "suggest/known_functions.h"
#include "suggest/rule_parts.h"

/* In the order of the kinds. */
static const struct {
    const char *name;
    enum kg_bound bound;
} kinds[KG_CAUSE_COUNT] = {
    [KG_CAUSE_ALLOCATION] = {"allocation", KG_BOUND_COMPUTE},
    [KG_CAUSE_COPYING] = {"copying", KG_BOUND_MEMORY},
    [KG_CAUSE_FORMATTING] = {"formatting", KG_BOUND_COMPUTE},
    [KG_CAUSE_STRING_SCANNING] = {"string_scanning", KG_BOUND_COMPUTE},
    [KG_CAUSE_LINEAR_SEARCH] = {"linear_search", KG_BOUND_COMPUTE},
    [KG_CAUSE_REPEATED_WORK] = {"repeated_work", KG_BOUND_COMPUTE},
    [KG_CAUSE_CALL_OVERHEAD] = {"call_overhead", KG_BOUND_COMPUTE},
    [KG_CAUSE_MATH_LIBRARY] = {"math_library", KG_BOUND_COMPUTE},
    [KG_CAUSE_DIVISION] = {"division", KG_BOUND_COMPUTE},
    [KG_CAUSE_CONVERSION] = {"conversion", KG_BOUND_COMPUTE},
    [KG_CAUSE_DENORMALS] = {"denormals", KG_BOUND_COMPUTE},
    [KG_CAUSE_SCALAR_LOOP] = {"scalar_loop", KG_BOUND_COMPUTE},
    [KG_CAUSE_DEPENDENCY_CHAIN] = {"dependency_chain", KG_BOUND_LATENCY},
    [KG_CAUSE_STORE_FORWARDING] = {"store_forwarding", KG_BOUND_LATENCY},
    [KG_CAUSE_BRANCH_MISSES] = {"branch_misses", KG_BOUND_LATENCY},
    [KG_CAUSE_POINTER_CHASING] = {"pointer_chasing", KG_BOUND_LATENCY},
    [KG_CAUSE_CACHE_MISSES] = {"cache_misses", KG_BOUND_LATENCY},
    [KG_CAUSE_PAGE_WALKS] = {"page_walks", KG_BOUND_LATENCY},
    [KG_CAUSE_ACCESS_PATTERN] = {"access_pattern", KG_BOUND_MEMORY},
    [KG_CAUSE_MEMORY_TRAFFIC] = {"memory_traffic", KG_BOUND_MEMORY},
    [KG_CAUSE_PAGE_FAULTS] = {"page_faults", KG_BOUND_SYSTEM},
    [KG_CAUSE_SMALL_IO] = {"small_io", KG_BOUND_SYSTEM},
    [KG_CAUSE_SYNC_IO] = {"sync_io", KG_BOUND_SYSTEM},
    [KG_CAUSE_PROCESSES] = {"processes", KG_BOUND_SYSTEM},
    [KG_CAUSE_WAITING] = {"waiting", KG_BOUND_WAITING},
    [KG_CAUSE_LOCKS] = {"locks", KG_BOUND_SYNCHRONISATION},
    [KG_CAUSE_ATOMICS] = {"atomics", KG_BOUND_SYNCHRONISATION},
    [KG_CAUSE_FALSE_SHARING] = {"false_sharing", KG_BOUND_SYNCHRONISATION},
    [KG_CAUSE_BARRIERS] = {"barriers", KG_BOUND_SYNCHRONISATION},
    [KG_CAUSE_LOAD_IMBALANCE] = {"load_imbalance", KG_BOUND_SYNCHRONISATION},
    [KG_CAUSE_OVERSUBSCRIPTION] = {"oversubscription", KG_BOUND_SYNCHRONISATION},
};

const char *kg_cause_name(enum kg_cause_kind kind)
{
    return kind < KG_CAUSE_COUNT ? kinds[kind].name : "none";
}

enum kg_cause_kind kg_cause_find(const char *name)
{
    int kind = 0;
    while (kind < KG_CAUSE_COUNT && strcmp(kinds[kind].name, name) != 0)
        kind++;
    return (enum kg_cause_kind)kind;
}

enum kg_bound kg_cause_bound(enum kg_cause_kind kind)
{
    return kinds[kind].bound;
}

/* --- Weighing --------------------------------------------------------------------------------- */

/* A cause that explains less is not worth a sentence. */
static const double SHARE_LEAST = 0.1;

/* Cycles that a processor of the last decade loses, as in Intel's and AMD's optimisation manuals: a
 * mispredicted branch, a line that comes from the second level of cache or the third. */
static const double CYCLES_OF_MISPREDICTION = 15, CYCLES_OF_LINE = 10;
static const double MEMORY_NS = 80;
/* A division of integers of 64 bits or of doubles, with what hides behind it. */
static const double CYCLES_OF_DIVISION = 10;
static const double PER_CYCLE = 3;

struct weighing {
    const struct kg_facts *facts;
    const struct kg_suggest_settings *settings;
    const struct kg_hot *hot;
    struct kg_cause of[KG_CAUSE_COUNT]; /* by kind; a share of 0 is none */
    double own;                         /* share of the samples in code of the workload itself */
};

static struct kg_cause *add(struct weighing *weighing, enum kg_cause_kind kind, double share)
{
    struct kg_cause *cause = &weighing->of[kind];
    if (share > 0)
        cause->share = fmin(1, cause->share + share);
    return cause;
}

/* --- Functions of libraries and of the kernel --- */

static bool is_library(const struct kg_place *place)
{
    static const char *const names[] = {"libc.",       "libc-",       "libm.",    "libm-",
                                        "libgomp",     "libomp",      "libiomp",  "libpthread",
                                        "libstdc++",   "libgcc_s",    "ld-linux", "libmvec",
                                        "libjemalloc", "libtcmalloc", "[vdso]"};
    for (size_t i = 0; place->module && i < sizeof names / sizeof *names; i++)
        if (!strncmp(place->module, names[i], strlen(names[i])))
            return true;
    return false;
}

static bool is_openmp(const struct kg_place *place)
{
    return place->module &&
           (!strncmp(place->module, "libgomp", 7) || !strncmp(place->module, "libomp", 6));
}

/* What OpenMP's runtime does besides its work has no symbols where a distribution strips them. */
static enum kg_cause_kind cause_of(const struct kg_place *place)
{
    const enum kg_cause_kind known =
        is_library(place) ? kg_known_function(place->function) : KG_CAUSE_COUNT;
    return known == KG_CAUSE_COUNT && is_openmp(place) ? KG_CAUSE_BARRIERS : known;
}

/* Bytes that a system call of that name moves, on the average. */
static double bytes_of(const struct kg_hot *hot, const char *name)
{
    for (size_t i = 0; i < hot->system_calls.kind_count; i++)
        if (!strcmp(hot->system_calls.kinds[i].name, name))
            return hot->system_calls.kinds[i].bytes / hot->system_calls.kinds[i].calls;
    return NAN;
}

static const struct kg_system_call *call_of(const struct kg_hot *hot, const char *name)
{
    for (size_t i = 0; i < hot->system_calls.kind_count; i++)
        if (!strcmp(hot->system_calls.kinds[i].name, name))
            return &hot->system_calls.kinds[i];
    return NULL;
}

/* The workload's own function that a stack comes from; NULL without one. */
static const struct kg_place *caller_in(const struct kg_hot_stack *stack)
{
    for (size_t i = 0; i < stack->frame_count; i++)
        if (!is_library(&stack->frames[i]) && stack->frames[i].function)
            return &stack->frames[i];
    return NULL;
}

/* A stack is the outermost known function on it: what malloc spends in memset is malloc's. The
 * lock that malloc takes is malloc's, too. */
static enum kg_cause_kind cause_of_stack(const struct kg_hot *hot, const struct kg_hot_stack *stack,
                                         const struct kg_place **seen)
{
    enum kg_cause_kind found = KG_CAUSE_COUNT;
    *seen = NULL;
    for (size_t i = 0; i < stack->frame_count && is_library(&stack->frames[i]); i++) {
        const enum kg_cause_kind kind = cause_of(&stack->frames[i]);
        if (kind != KG_CAUSE_COUNT) {
            found = kind;
            *seen = &stack->frames[i];
        }
    }
    if (!stack->call || found == KG_CAUSE_LOCKS || found == KG_CAUSE_BARRIERS ||
        found == KG_CAUSE_PROCESSES)
        return found;
    const enum kg_cause_kind call = kg_known_system_call(stack->call, bytes_of(hot, stack->call));
    return call == KG_CAUSE_SMALL_IO && stack->waiting ? KG_CAUSE_WAITING : call;
}

static void stacks_weigh(struct weighing *weighing)
{
    const struct kg_sampled *sampled = &weighing->hot->sampled;
    double most[KG_CAUSE_COUNT] = {0};
    for (size_t i = 0; i < sampled->stack_count; i++) {
        const struct kg_hot_stack *stack = &sampled->stacks[i];
        const struct kg_place *seen;
        const enum kg_cause_kind kind = cause_of_stack(weighing->hot, stack, &seen);
        if (kind == KG_CAUSE_COUNT) {
            weighing->own += stack->share;
            continue;
        }
        struct kg_cause *cause = add(weighing, kind, stack->share);
        if (stack->share <= most[kind])
            continue;
        most[kind] = stack->share;
        cause->seen = seen;
        cause->caller = caller_in(stack);
        cause->call = stack->call ? call_of(weighing->hot, stack->call) : NULL;
    }
}

/* A function that compares and is called for entry after entry: how often in one call of the
 * function that calls it. */
static double calls_each(const struct kg_counted *counted, const char *caller, const char *callee)
{
    double of_caller = 0, of_callee = 0;
    for (size_t i = 0; i < counted->edge_count; i++) {
        if (!strcmp(counted->edges[i].callee, caller))
            of_caller += counted->edges[i].calls;
        if (!strcmp(counted->edges[i].caller, caller) && strstr(counted->edges[i].callee, callee))
            of_callee += counted->edges[i].calls;
    }
    return of_callee / fmax(1, of_caller);
}

/* What is done so often in one call of the function that does it is done over and over. */
static const double OFTEN = 8;
/* Or so often in one call of the workload. */
static const double OFTEN_IN_ALL = 64;

static double calls_in_all(const struct kg_counted *counted, const char *callee)
{
    double calls = 0;
    for (size_t i = 0; callee && i < counted->edge_count; i++)
        calls += !strcmp(counted->edges[i].callee, callee) ? counted->edges[i].calls : 0;
    return calls;
}

static bool is_often(const struct kg_hot *hot, const struct kg_cause *cause)
{
    static const double REQUESTS = 4;
    if (cause->call)
        return cause->call->calls >= REQUESTS;
    if (!cause->seen || !cause->seen->function || !is_library(cause->seen))
        return false;
    return (cause->caller && cause->caller->function &&
            calls_each(&hot->counted, cause->caller->function, cause->seen->function) >= OFTEN) ||
           calls_in_all(&hot->counted, cause->seen->function) >= OFTEN_IN_ALL;
}

/* Comparing with entry after entry is a search, whatever compares. */
static void searches_tell(struct weighing *weighing)
{
    static const char *const compares[] = {"strcmp", "memcmp", "strncmp", "strcasecmp"};
    struct kg_cause *scanning = &weighing->of[KG_CAUSE_STRING_SCANNING];
    if (!(scanning->share > 0) || !scanning->caller || !scanning->caller->function ||
        !scanning->seen || !scanning->seen->function)
        return;
    for (size_t i = 0; i < sizeof compares / sizeof *compares; i++) {
        if (!strstr(scanning->seen->function, compares[i]) ||
            !(calls_each(&weighing->hot->counted, scanning->caller->function, compares[i]) >=
              OFTEN))
            continue;
        struct kg_cause *search = add(weighing, KG_CAUSE_LINEAR_SEARCH, scanning->share);
        search->seen = scanning->seen;
        search->caller = scanning->caller;
        search->proven = true;
        scanning->share = 0;
        return;
    }
}

/* Who sleeps or polls makes others wait for locks and messages: the sleep is the cause. */
static void waits_tell(struct weighing *weighing)
{
    static const double TELLS = 0.2;
    struct kg_cause *waiting = &weighing->of[KG_CAUSE_WAITING];
    if (!(waiting->share >= TELLS))
        return;
    waiting->share = fmin(1, waiting->share + weighing->of[KG_CAUSE_LOCKS].share);
    weighing->of[KG_CAUSE_LOCKS].share = 0;
}

/* Few parallel regions in which threads wait at the end: one of them has more to do. */
static void regions_tell(struct weighing *weighing)
{
    static const double FEW = 8;
    struct kg_cause *barriers = &weighing->of[KG_CAUSE_BARRIERS];
    const double regions = calls_in_all(&weighing->hot->counted, "GOMP_parallel") +
                           calls_in_all(&weighing->hot->counted, "GOMP_barrier");
    if (!(barriers->share > 0) || !(regions > 0) || regions > FEW ||
        weighing->facts->traits.time_ns <
            regions * 20 * kg_known_or_zero(weighing->facts->fork_join_ns))
        return;
    struct kg_cause *uneven = add(weighing, KG_CAUSE_LOAD_IMBALANCE, barriers->share);
    uneven->seen = barriers->seen;
    uneven->caller = barriers->caller;
    barriers->share = 0;
}

/* --- Code of the workload itself --- */

/* What was counted in code of the workload itself, a call of it. */
struct counts {
    double instructions, loads, branches, mispredicted, line_misses, memory_misses;
};

static void counts_add(struct counts *sum, const struct kg_counted_line *line)
{
    sum->instructions += line->instructions;
    sum->loads += line->loads;
    sum->branches += line->branches;
    sum->mispredicted += line->mispredicted;
    sum->line_misses += line->line_misses;
    sum->memory_misses += line->memory_misses;
}

static struct counts counts_of(const struct kg_counted *counted)
{
    struct counts sum = {0};
    for (size_t i = 0; i < counted->line_count; i++)
        if (!is_library(&counted->lines[i].place))
            counts_add(&sum, &counted->lines[i]);
    return sum;
}

/* Of all threads. */
static double cycles_of_call(const struct weighing *weighing)
{
    const double cores = weighing->facts->traits.cores_busy;
    return weighing->facts->traits.time_ns * 1e-9 * weighing->facts->clock_hz *
           (cores > 1 ? cores : 1);
}

static bool uses_vectors(const struct kg_hot_loop *loop)
{
    static const char *const words[] = {"xmmword", "ymm", "zmm"};
    for (size_t i = 0; i < loop->code_count; i++)
        for (size_t w = 0; w < sizeof words / sizeof *words; w++)
            if (strstr(loop->code[i], words[w]))
                return true;
    return loop->vector_floats > 0;
}

/* The least cycles that a turn of the loop takes by its instructions. */
static double least_cycles(const struct kg_hot_loop *loop)
{
    return fmax(fmax(loop->chain_cycles, loop->throughput_cycles), loop->instructions / PER_CYCLE);
}

/* A turn of a hot loop: what it took, and what was counted in it. The loop has that share of what
 * was counted of the workload's own code, as of its samples. */
struct turn {
    double cycles;  /* NaN: nothing was counted */
    double stalled; /* share of them that its instructions do not explain */
    double mispredicted;
    double misses;
    double memory_misses;
};

static struct turn turn_of(const struct weighing *weighing, const struct kg_hot_loop *loop,
                           const struct counts *counts)
{
    const double turns = counts->instructions / loop->instructions;
    struct turn turn = {.cycles = NAN, .stalled = NAN};
    if (!(turns >= 1) || isnan(weighing->hot->counted.calls))
        return turn;
    turn.cycles = weighing->own * cycles_of_call(weighing) / turns;
    turn.stalled = fmax(0, 1 - least_cycles(loop) / turn.cycles);
    turn.mispredicted = counts->mispredicted / turns;
    turn.misses = counts->line_misses / turns;
    turn.memory_misses = counts->memory_misses / turns;
    return turn;
}

/* Stalls: more than half of a turn is not explained by its instructions. */
static const double STALLED = 0.4;
static const double MISSES_LEAST = 0.02;

/* Loads whose address goes on by itself, at most one of them from elsewhere. */
static bool is_regular(const struct kg_hot_loop *loop)
{
    return loop->loads <= 1 && loop->instructions <= 10 && !(loop->address_loads > 0);
}

static enum kg_cause_kind missing_kind(const struct weighing *weighing,
                                       const struct kg_hot_loop *loop, const struct turn *turn)
{
    const bool streams =
        kg_at_least(weighing->facts->traits.bandwidth_share, weighing->settings->bound_share);
    if (loop->address_loads > 0)
        return KG_CAUSE_POINTER_CHASING;
    if (streams || (uses_vectors(loop) && turn->misses < 0.75 * (loop->loads + loop->stores)))
        return KG_CAUSE_MEMORY_TRAFFIC;
    return is_regular(loop) && turn->misses >= 0.5 ? KG_CAUSE_ACCESS_PATTERN
                                                   : KG_CAUSE_CACHE_MISSES;
}

/* What a stalled turn waits for. Mispredicted branches are held against what they cost. */
static enum kg_cause_kind stall_kind(const struct weighing *weighing,
                                     const struct kg_hot_loop *loop, const struct turn *turn)
{
    const double stall = turn->stalled * turn->cycles;
    const double guessed = turn->mispredicted * CYCLES_OF_MISPREDICTION;
    const double missed = turn->misses * CYCLES_OF_LINE +
                          turn->memory_misses * MEMORY_NS * 1e-9 * weighing->facts->clock_hz;
    if (guessed >= 0.4 * stall && guessed >= missed)
        return KG_CAUSE_BRANCH_MISSES;
    if (turn->misses >= MISSES_LEAST || missed >= 0.4 * stall)
        return missing_kind(weighing, loop, turn);
    if (loop->stores > 0 && loop->loads > 0 && !(loop->chained > 1))
        return kg_at_least(weighing->facts->traits.cores_busy, 1.5) ? KG_CAUSE_FALSE_SHARING
                                                                    : KG_CAUSE_STORE_FORWARDING;
    return KG_CAUSE_COUNT;
}

/* What a turn of the loop spends its cycles on by its instructions. */
static enum kg_cause_kind loop_kind(const struct kg_hot_loop *loop, const struct turn *turn,
                                    double *part)
{
    const double longest = fmax(least_cycles(loop), isnan(turn->cycles) ? 0 : turn->cycles);
    const double floats = loop->scalar_floats + loop->vector_floats;
    *part = 1;
    if (loop->calls > 0 && loop->instructions <= 24)
        return KG_CAUSE_CALL_OVERHEAD;
    if (loop->divisions > 0 && loop->divisions * CYCLES_OF_DIVISION >= 0.4 * longest)
        return KG_CAUSE_DIVISION;
    if (loop->forwarded > 0)
        return KG_CAUSE_STORE_FORWARDING;
    if (loop->conversions > 0 && loop->conversions >= 0.25 * floats && loop->calls == 0)
        return KG_CAUSE_CONVERSION;
    if (loop->chained > 0 &&
        loop->chain_cycles > 1.5 * fmax(loop->throughput_cycles, loop->instructions / PER_CYCLE)) {
        *part = 1 - loop->throughput_cycles / loop->chain_cycles;
        return KG_CAUSE_DEPENDENCY_CHAIN;
    }
    if (loop->stores == 0 && loop->branches >= 1 && loop->loads >= 1 && floats == 0 &&
        loop->calls == 0 && !uses_vectors(loop))
        return KG_CAUSE_LINEAR_SEARCH;
    if (!uses_vectors(loop) && loop->calls == 0 && loop->loads >= 1 &&
        (loop->scalar_floats > 0 || loop->instructions >= 40))
        return KG_CAUSE_SCALAR_LOOP;
    return KG_CAUSE_COUNT;
}

static void loop_weigh(struct weighing *weighing, const struct kg_hot_loop *loop,
                       const struct counts *counts, double *left)
{
    const struct turn turn = turn_of(weighing, loop, counts);
    double part = 1;
    enum kg_cause_kind kind = KG_CAUSE_COUNT;
    if (loop->locked > 0)
        kind = KG_CAUSE_ATOMICS;
    else if (turn.stalled >= STALLED && !(loop->calls > 0))
        kind = stall_kind(weighing, loop, &turn);
    if (kind != KG_CAUSE_COUNT && kind != KG_CAUSE_ATOMICS)
        part = turn.stalled;
    else if (kind == KG_CAUSE_COUNT)
        kind = loop_kind(loop, &turn, &part);
    const double share = fmin(loop->share * part, *left);
    if (kind == KG_CAUSE_COUNT || is_library(&loop->place) || !(share > 0))
        return;
    struct kg_cause *cause = add(weighing, kind, share);
    if (!cause->loop) {
        cause->loop = loop;
        cause->seen = &loop->place;
    }
    *left -= share;
}

/* A function of the workload's own that is called again and again, does much each time, and has
 * nothing else to be said of it: perhaps it gives the same each time. */
static void repeats_tell(struct weighing *weighing, double left)
{
    static const double MUCH = 200;
    const struct kg_sampled *sampled = &weighing->hot->sampled;
    const struct kg_counted *counted = &weighing->hot->counted;
    for (size_t i = 0; i < counted->edge_count && left >= 0.4; i++) {
        const struct kg_counted_edge *edge = &counted->edges[i];
        for (size_t f = 0; f < sampled->function_count; f++) {
            const struct kg_hot_place *function = &sampled->functions[f];
            if (!function->place.function || strcmp(function->place.function, edge->callee) != 0 ||
                is_library(&function->place) || !(function->total >= 0.4) ||
                !(edge->calls >= OFTEN) || !(edge->instructions >= MUCH * edge->calls))
                continue;
            add(weighing, KG_CAUSE_REPEATED_WORK, fmin(left, function->total))->seen =
                &function->place;
            return;
        }
    }
}

static void own_weigh(struct weighing *weighing)
{
    const struct counts counts = counts_of(&weighing->hot->counted);
    double left = weighing->own;
    for (size_t i = 0; i < weighing->hot->loop_count && left >= SHARE_LEAST; i++)
        loop_weigh(weighing, &weighing->hot->loops[i], &counts, &left);
    repeats_tell(weighing, left);
}

/* --- Experiments, pages, threads --- */

/* What was measured takes its share from what was only seen. */
static void others_shrink(struct weighing *weighing, double share)
{
    for (int kind = 0; kind < KG_CAUSE_COUNT; kind++)
        weighing->of[kind].share *= 1 - share;
}

/* Whether a loop is known to chase, stride or stream: huge pages help it too, but are not what it
 * lacks. */
static bool has_its_name(const struct weighing *weighing)
{
    static const double TELLS = 0.2;
    return weighing->of[KG_CAUSE_POINTER_CHASING].share >= TELLS ||
           weighing->of[KG_CAUSE_ACCESS_PATTERN].share >= TELLS ||
           weighing->of[KG_CAUSE_MEMORY_TRAFFIC].share >= TELLS;
}

static void experiments_weigh(struct weighing *weighing)
{
    static const struct {
        const char *name;
        enum kg_cause_kind cause;
    } tried[] = {{"flush_denormals", KG_CAUSE_DENORMALS}, {"huge_pages", KG_CAUSE_PAGE_WALKS}};
    const struct kg_hot *hot = weighing->hot;
    for (size_t i = 0; i < hot->experiment_count; i++)
        for (size_t t = 0; t < sizeof tried / sizeof *tried; t++) {
            const struct kg_experiment *experiment = &hot->experiments[i];
            const double share = 1 - experiment->ratio;
            if (strcmp(experiment->name, tried[t].name) != 0 || !(share >= SHARE_LEAST) ||
                !(experiment->ratio_high < 1))
                continue;
            const bool beside = tried[t].cause == KG_CAUSE_PAGE_WALKS && has_its_name(weighing);
            if (!beside)
                others_shrink(weighing, share);
            struct kg_cause *cause = add(weighing, tried[t].cause, share);
            cause->measured = cause->proven = !beside;
        }
}

static void faults_weigh(struct weighing *weighing)
{
    const double share = kg_faulting_ns(weighing->facts) / weighing->facts->traits.time_ns;
    struct kg_cause *cause = &weighing->of[KG_CAUSE_PAGE_FAULTS];
    if (!(share >= SHARE_LEAST) || share <= cause->share)
        return;
    others_shrink(weighing, fmin(share, 1));
    cause->share = fmin(share, 1);
    cause->proven = true;
}

/* The threads' hottest loop, where it loads and stores in each turn. */
static const struct kg_hot_loop *writing_loop(const struct kg_hot *hot)
{
    static const double SHORT = 16;
    for (size_t i = 0; i < hot->loop_count; i++) {
        const struct kg_hot_loop *loop = &hot->loops[i];
        if (!is_library(&loop->place) && loop->share >= 0.3 && loop->loads > 0 &&
            loop->stores > 0 && loop->instructions <= SHORT)
            return loop;
    }
    return NULL;
}

/* Fewer are busy where one thread does all the work. */
static const double CORES_SHARED = 1.2;

/* One thread alone is faster than all: whatever the threads do to each other costs that. */
static void threads_weigh(struct weighing *weighing)
{
    static const enum kg_cause_kind quarrels[] = {KG_CAUSE_LOCKS, KG_CAUSE_ATOMICS,
                                                  KG_CAUSE_FALSE_SHARING, KG_CAUSE_BARRIERS,
                                                  KG_CAUSE_PROCESSES};
    const struct kg_traits *traits = &weighing->facts->traits;
    const double share = 1 - traits->alone_ns / traits->time_ns;
    if (!kg_at_least(traits->threads, 2) || !(share >= SHARE_LEAST) ||
        !kg_at_least(traits->cores_busy, CORES_SHARED) ||
        kg_cpus_taken(weighing->facts, weighing->settings))
        return;
    struct kg_cause *found = NULL;
    for (size_t i = 0; i < sizeof quarrels / sizeof *quarrels; i++)
        if (weighing->of[quarrels[i]].share >= SHARE_LEAST &&
            (!found || weighing->of[quarrels[i]].share > found->share))
            found = &weighing->of[quarrels[i]];
    const struct kg_hot_loop *writing = found ? NULL : writing_loop(weighing->hot);
    if (writing) {
        found = add(weighing, KG_CAUSE_FALSE_SHARING, share);
        found->loop = writing;
        found->seen = &writing->place;
    }
    if (!found)
        found = add(weighing, KG_CAUSE_OVERSUBSCRIPTION, share);
    found->share = fmax(found->share, share);
    found->measured = found->proven = true;
}

/* --- The result --- */

static int larger_first(const void *a, const void *b)
{
    const struct kg_cause *one = a, *other = b;
    return one->share != other->share ? (one->share < other->share) - (one->share > other->share)
                                      : (int)one->kind - (int)other->kind;
}

static const struct kg_hot_place *hottest_of(const struct kg_sampled *sampled)
{
    return sampled->line_count       ? &sampled->lines[0]
           : sampled->function_count ? &sampled->functions[0]
                                     : NULL;
}

static void conclude(struct weighing *weighing, struct kg_causes *causes)
{
    double explained = 0;
    qsort(weighing->of, KG_CAUSE_COUNT, sizeof *weighing->of, larger_first);
    while (causes->count < KG_CAUSES_MOST && weighing->of[causes->count].share >= SHARE_LEAST) {
        causes->of[causes->count] = weighing->of[causes->count];
        causes->of[causes->count].proven |= is_often(weighing->hot, &causes->of[causes->count]);
        explained += causes->of[causes->count++].share;
    }
    causes->unexplained = fmax(0, 1 - explained);
    causes->hottest = hottest_of(&weighing->hot->sampled);
}

void kg_causes_weigh(const struct kg_facts *facts, const struct kg_suggest_settings *settings,
                     struct kg_causes *causes)
{
    struct weighing weighing = {.facts = facts, .settings = settings, .hot = facts->hot};
    *causes = (struct kg_causes){.unexplained = NAN};
    if (facts->kind != KG_OPERATION_CASE || !facts->hot || !kg_on_device(facts, "cpu") ||
        !kg_known(facts->traits.time_ns))
        return;
    if (!facts->hot->sampled.source && !facts->hot->experiment_count)
        return;
    for (int kind = 0; kind < KG_CAUSE_COUNT; kind++)
        weighing.of[kind].kind = (enum kg_cause_kind)kind;
    stacks_weigh(&weighing);
    searches_tell(&weighing);
    waits_tell(&weighing);
    regions_tell(&weighing);
    own_weigh(&weighing);
    faults_weigh(&weighing);
    experiments_weigh(&weighing);
    threads_weigh(&weighing);
    conclude(&weighing, causes);
}

const struct kg_cause *kg_cause_of(const struct kg_facts *facts, enum kg_cause_kind kind)
{
    for (size_t i = 0; facts->causes && i < facts->causes->count; i++)
        if (facts->causes->of[i].kind == kind)
            return &facts->causes->of[i];
    return NULL;
}

/* --- Words ------------------------------------------------------------------------------------ */

void kg_place_words(const struct kg_place *place, struct kg_text *text)
{
    const char *slash = place->file ? strrchr(place->file, '/') : NULL;
    const char *file = slash ? slash + 1 : place->file;
    kg_text_append(text, place->function ? place->function : "code without a name");
    if (file && place->line)
        kg_text_printf(text, " (%s:%zu)", file, place->line);
    else if (place->module)
        kg_text_printf(text, " (%s)", place->module);
}

void kg_cause_words(const struct kg_cause *cause, struct kg_text *text)
{
    kg_text_printf(text, "%.0f %%", 100 * cause->share);
    if (cause->call)
        kg_text_printf(text, " in the system call %s", cause->call->name);
    else if (cause->seen) {
        kg_text_append(text, " in ");
        kg_place_words(cause->seen, text);
    }
    if (cause->caller && cause->caller != cause->seen) {
        kg_text_append(text, cause->call || cause->seen ? ", called from " : " below ");
        kg_place_words(cause->caller, text);
    }
}
