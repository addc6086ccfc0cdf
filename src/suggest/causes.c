#include "suggest/causes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "suggest/known_functions.h"
#include "suggest/rule_parts.h"

const char *const kg_cause_names[KG_CAUSE_COUNT + 1] = {
    "allocation",       "copying",        "formatting",       "string_scanning",
    "linear_search",    "call_overhead",  "math_library",     "division",
    "conversion",       "denormals",      "scalar_loop",      "dependency_chain",
    "store_forwarding", "branch_misses",  "pointer_chasing",  "cache_misses",
    "page_walks",       "memory_traffic", "page_faults",      "small_io",
    "sync_io",          "processes",      "waiting",          "locks",
    "atomics",          "barriers",       "oversubscription", NULL};

/* In the order of the kinds. */
static const enum kg_bound bounds[KG_CAUSE_COUNT] = {
    KG_BOUND_COMPUTE,         KG_BOUND_MEMORY,          KG_BOUND_COMPUTE,
    KG_BOUND_COMPUTE,         KG_BOUND_COMPUTE,         KG_BOUND_COMPUTE,
    KG_BOUND_COMPUTE,         KG_BOUND_COMPUTE,         KG_BOUND_COMPUTE,
    KG_BOUND_COMPUTE,         KG_BOUND_COMPUTE,         KG_BOUND_LATENCY,
    KG_BOUND_LATENCY,         KG_BOUND_LATENCY,         KG_BOUND_LATENCY,
    KG_BOUND_LATENCY,         KG_BOUND_LATENCY,         KG_BOUND_MEMORY,
    KG_BOUND_SYSTEM,          KG_BOUND_SYSTEM,          KG_BOUND_SYSTEM,
    KG_BOUND_SYSTEM,          KG_BOUND_WAITING,         KG_BOUND_SYNCHRONISATION,
    KG_BOUND_SYNCHRONISATION, KG_BOUND_SYNCHRONISATION, KG_BOUND_SYNCHRONISATION,
};

enum kg_cause_kind kg_cause_find(const char *name)
{
    int kind = 0;
    while (kind < KG_CAUSE_COUNT && strcmp(kg_cause_names[kind], name) != 0)
        kind++;
    return (enum kg_cause_kind)kind;
}

enum kg_bound kg_cause_bound(enum kg_cause_kind kind)
{
    return bounds[kind];
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

static enum kg_cause_kind cause_of(const struct kg_place *place)
{
    return is_library(place) ? kg_known_function(place->function) : KG_CAUSE_COUNT;
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
    if (!stack->call || found == KG_CAUSE_LOCKS || found == KG_CAUSE_BARRIERS)
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

/* Comparing with entry after entry is a search, whatever compares. */
static void searches_tell(struct weighing *weighing)
{
    static const double ENTRIES = 8;
    static const char *const compares[] = {"strcmp", "memcmp", "strncmp", "strcasecmp"};
    struct kg_cause *scanning = &weighing->of[KG_CAUSE_STRING_SCANNING];
    if (!scanning->share || !scanning->caller)
        return;
    for (size_t i = 0; i < sizeof compares / sizeof *compares; i++) {
        if (!scanning->seen || !scanning->seen->function ||
            !strstr(scanning->seen->function, compares[i]) ||
            !(calls_each(&weighing->hot->counted, scanning->caller->function, compares[i]) >=
              ENTRIES))
            continue;
        struct kg_cause *search = add(weighing, KG_CAUSE_LINEAR_SEARCH, scanning->share);
        search->seen = scanning->seen;
        search->caller = scanning->caller;
        scanning->share = 0;
        return;
    }
}

/* --- Code of the workload itself --- */

/* What was counted in one function, a call of the workload. */
struct counts {
    double instructions, loads, branches, mispredicted, line_misses, memory_misses;
    const struct kg_place *branch_place, *miss_place;
};

static void counts_add(struct counts *sum, const struct kg_counted_line *line, double *branch_most,
                       double *miss_most)
{
    const double misses = line->line_misses + 8 * line->memory_misses;
    sum->instructions += line->instructions;
    sum->loads += line->loads;
    sum->branches += line->branches;
    sum->mispredicted += line->mispredicted;
    sum->line_misses += line->line_misses;
    sum->memory_misses += line->memory_misses;
    if (line->mispredicted > *branch_most) {
        *branch_most = line->mispredicted;
        sum->branch_place = &line->place;
    }
    if (misses > *miss_most) {
        *miss_most = misses;
        sum->miss_place = &line->place;
    }
}

/* Of all code of the workload itself. */
static struct counts counts_of(const struct kg_counted *counted)
{
    struct counts sum = {0};
    double branch_most = 0, miss_most = 0;
    for (size_t i = 0; i < counted->line_count; i++)
        if (!is_library(&counted->lines[i].place))
            counts_add(&sum, &counted->lines[i], &branch_most, &miss_most);
    return sum;
}

static double cycles_of_call(const struct weighing *weighing)
{
    const double cores = weighing->facts->traits.cores_busy;
    return weighing->facts->traits.time_ns * 1e-9 * weighing->facts->clock_hz *
           (cores > 1 ? cores : 1);
}

static const struct kg_hot_loop *loop_with(const struct kg_hot *hot,
                                           double (*of)(const struct kg_hot_loop *))
{
    const struct kg_hot_loop *best = NULL;
    for (size_t i = 0; i < hot->loop_count; i++)
        if (of(&hot->loops[i]) > 0 && (!best || hot->loops[i].share > best->share))
            best = &hot->loops[i];
    return best;
}

static double address_loads(const struct kg_hot_loop *loop)
{
    return loop->address_loads;
}

/* Mispredicted branches cost what a processor's manual says; never more than its code took. */
static void branches_weigh(struct weighing *weighing, const struct counts *counts)
{
    const double share = counts->mispredicted * CYCLES_OF_MISPREDICTION / cycles_of_call(weighing);
    if (!(share >= SHARE_LEAST))
        return;
    struct kg_cause *cause = add(weighing, KG_CAUSE_BRANCH_MISSES, fmin(share, weighing->own));
    cause->seen = counts->branch_place;
}

/* Lines that the code waited for: of a chain of loads, or of accesses that do not depend on each
 * other; moving near the ceiling is the traffic itself. */
static void misses_weigh(struct weighing *weighing, const struct counts *counts)
{
    const struct kg_facts *facts = weighing->facts;
    const double memory_cycles = MEMORY_NS * 1e-9 * facts->clock_hz;
    const double cycles =
        counts->line_misses * CYCLES_OF_LINE + counts->memory_misses * memory_cycles;
    const double share = fmin(cycles / cycles_of_call(weighing), weighing->own);
    const struct kg_hot_loop *chain = loop_with(weighing->hot, address_loads);
    if (!(share >= SHARE_LEAST))
        return;
    const bool streams =
        kg_at_least(facts->traits.bandwidth_share, weighing->settings->bound_share);
    struct kg_cause *cause = add(weighing,
                                 chain     ? KG_CAUSE_POINTER_CHASING
                                 : streams ? KG_CAUSE_MEMORY_TRAFFIC
                                           : KG_CAUSE_CACHE_MISSES,
                                 chain ? fmax(share, fmin(chain->share, weighing->own)) : share);
    cause->seen = counts->miss_place;
    cause->loop = chain;
}

/* What a turn of the loop spends its cycles on, besides caches and branches. */
static enum kg_cause_kind loop_kind(const struct kg_hot_loop *loop, double *part)
{
    const double turn =
        fmax(fmax(loop->chain_cycles, loop->throughput_cycles), loop->instructions / PER_CYCLE);
    const double floats = loop->scalar_floats + loop->vector_floats;
    *part = 1;
    if (loop->locked > 0)
        return KG_CAUSE_ATOMICS;
    if (loop->divisions * CYCLES_OF_DIVISION >= 0.3 * turn && loop->divisions > 0)
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
    if (loop->scalar_floats > 0 && !(loop->vector_floats > 0) && loop->calls == 0 &&
        loop->branches == 0)
        return KG_CAUSE_SCALAR_LOOP;
    if (loop->calls > 0 && loop->instructions <= 24)
        return KG_CAUSE_CALL_OVERHEAD;
    return KG_CAUSE_COUNT;
}

/* What caches and branches leave of the code's time is the loops'. */
static void loops_weigh(struct weighing *weighing)
{
    const double taken =
        weighing->of[KG_CAUSE_BRANCH_MISSES].share + weighing->of[KG_CAUSE_POINTER_CHASING].share +
        weighing->of[KG_CAUSE_CACHE_MISSES].share + weighing->of[KG_CAUSE_MEMORY_TRAFFIC].share;
    double left = weighing->own - taken;
    for (size_t i = 0; i < weighing->hot->loop_count && left >= SHARE_LEAST; i++) {
        const struct kg_hot_loop *loop = &weighing->hot->loops[i];
        double part;
        const enum kg_cause_kind kind = loop_kind(loop, &part);
        const double share = fmin(loop->share * part, left);
        if (kind == KG_CAUSE_COUNT || is_library(&loop->place) || !(share > 0))
            continue;
        struct kg_cause *cause = add(weighing, kind, share);
        if (!cause->loop) {
            cause->loop = loop;
            cause->seen = &loop->place;
        }
        left -= share;
    }
}

/* --- Experiments, pages, threads --- */

/* What was measured takes its share from what was only seen. */
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
            for (int kind = 0; kind < KG_CAUSE_COUNT; kind++)
                weighing->of[kind].share *= 1 - share;
            add(weighing, tried[t].cause, share)->measured = true;
        }
}

static void faults_weigh(struct weighing *weighing)
{
    const double share = kg_faulting_ns(weighing->facts) / weighing->facts->traits.time_ns;
    struct kg_cause *cause = &weighing->of[KG_CAUSE_PAGE_FAULTS];
    if (share >= SHARE_LEAST && share > cause->share)
        cause->share = fmin(share, 1);
}

/* One thread alone is faster than all: whatever the threads do to each other costs that. */
static void threads_weigh(struct weighing *weighing)
{
    static const enum kg_cause_kind kinds[] = {KG_CAUSE_LOCKS, KG_CAUSE_ATOMICS, KG_CAUSE_BARRIERS,
                                               KG_CAUSE_PROCESSES};
    const struct kg_traits *traits = &weighing->facts->traits;
    const double share = 1 - traits->alone_ns / traits->time_ns;
    if (!kg_at_least(traits->threads, 2) || !(share >= SHARE_LEAST) ||
        kg_cpus_taken(weighing->facts, weighing->settings))
        return;
    struct kg_cause *found = NULL;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (weighing->of[kinds[i]].share >= SHARE_LEAST &&
            (!found || weighing->of[kinds[i]].share > found->share))
            found = &weighing->of[kinds[i]];
    if (!found)
        found = add(weighing, KG_CAUSE_OVERSUBSCRIPTION, share);
    found->share = fmax(found->share, share);
    found->measured = true;
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
    const struct counts counts = counts_of(&facts->hot->counted);
    stacks_weigh(&weighing);
    searches_tell(&weighing);
    branches_weigh(&weighing, &counts);
    misses_weigh(&weighing, &counts);
    loops_weigh(&weighing);
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
