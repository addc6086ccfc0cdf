#include "suggest/causes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "suggest/causes_weighing.h"
#include "suggest/known_functions.h"
#include "suggest/rule_parts.h"

struct kg_cause *kg_weighing_add(struct kg_weighing *weighing, enum kg_cause_kind kind,
                                 double share)
{
    struct kg_cause *cause = &weighing->of[kind];
    if (share > 0)
        cause->share = fmin(1, cause->share + share);
    return cause;
}

/* --- Functions of libraries and of the kernel --- */

bool kg_place_is_library(const struct kg_place *place)
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
        kg_place_is_library(place) ? kg_known_function(place->function) : KG_CAUSE_COUNT;
    return known == KG_CAUSE_COUNT && is_openmp(place) ? KG_CAUSE_BARRIERS : known;
}

static const struct kg_system_call *call_of(const struct kg_hot *hot, const char *name)
{
    for (size_t i = 0; i < hot->system_calls.kind_count; i++)
        if (!strcmp(hot->system_calls.kinds[i].name, name))
            return &hot->system_calls.kinds[i];
    return NULL;
}

/* Bytes that a system call of that name moves, on the average. */
static double bytes_of(const struct kg_hot *hot, const char *name)
{
    const struct kg_system_call *call = call_of(hot, name);
    return call ? call->bytes / call->calls : NAN;
}

/* The workload's own function that a stack comes from: the innermost that has lines of source, or else
 * a name, as functions of libraries without debug information have. NULL without one. */
static const struct kg_place *caller_in(const struct kg_hot_stack *stack)
{
    const struct kg_place *named = NULL;
    for (size_t i = 0; i < stack->frame_count; i++) {
        const struct kg_place *frame = &stack->frames[i];
        if (kg_place_is_library(frame) || !frame->function)
            continue;
        if (frame->file)
            return frame;
        named = named ? named : frame;
    }
    return named;
}

/* A stack is the outermost known function on it: what malloc spends in memset is malloc's. The
 * lock that malloc takes is malloc's, too. */
static enum kg_cause_kind cause_of_stack(const struct kg_hot *hot, const struct kg_hot_stack *stack,
                                         const struct kg_place **seen)
{
    enum kg_cause_kind found = KG_CAUSE_COUNT;
    *seen = NULL;
    for (size_t i = 0; i < stack->frame_count && kg_place_is_library(&stack->frames[i]); i++) {
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

/* A thread is stopped when it next leaves the kernel, or some microseconds after it was asked to:
 * where it makes a system call every few microseconds, nearly all samples are in one. How much of
 * the time that really is, is told by the kernel's account of CPU time, and by the times of calls. */
struct account {
    double in_calls; /* what samples in system calls count */
    double missing;  /* share of the time that was in user mode, and was not sampled there */
};

static double calls_time_share(const struct kg_weighing *weighing)
{
    double sum_ns = 0;
    for (size_t i = 0; i < weighing->hot->system_calls.kind_count; i++)
        sum_ns += weighing->hot->system_calls.kinds[i].time_ns;
    return sum_ns / weighing->facts->traits.time_ns;
}

static struct account account_of(const struct kg_weighing *weighing)
{
    static const double SURELY = 0.05;
    const struct kg_sampled *sampled = &weighing->hot->sampled;
    const struct kg_system_calls *calls = &weighing->hot->system_calls;
    double in_calls = 0, running = 0;
    for (size_t i = 0; i < sampled->stack_count; i++) {
        const struct kg_hot_stack *stack = &sampled->stacks[i];
        running += stack->waiting ? 0 : stack->share;
        in_calls += stack->waiting || !stack->call ? 0 : stack->share;
    }
    const double kernel = calls->system_ns / (calls->user_ns + calls->system_ns);
    const double really = running * fmax(kernel, fmin(1, calls_time_share(weighing)));
    if (!calls->source || isnan(kernel) || !(in_calls > really + SURELY))
        return (struct account){.in_calls = 1};
    return (struct account){.in_calls = really / in_calls, .missing = in_calls - really};
}

/* Time in user mode that samples missed is divided as instructions were counted. */
static void missing_weigh(struct kg_weighing *weighing, double missing)
{
    const struct kg_counted *counted = &weighing->hot->counted;
    for (size_t i = 0; i < counted->line_count && counted->instructions > 0; i++) {
        const struct kg_place *place = &counted->lines[i].place;
        const enum kg_cause_kind kind = cause_of(place);
        const double share = missing * counted->lines[i].instructions / counted->instructions;
        if (kind == KG_CAUSE_COUNT)
            continue;
        struct kg_cause *cause = kg_weighing_add(weighing, kind, share);
        cause->seen = cause->seen ? cause->seen : place;
    }
}

static bool is_request(enum kg_cause_kind kind)
{
    return kind == KG_CAUSE_SMALL_IO || kind == KG_CAUSE_SYNC_IO || kind == KG_CAUSE_PAGE_FAULTS ||
           kind == KG_CAUSE_WAITING;
}

static void stacks_weigh(struct kg_weighing *weighing)
{
    const struct kg_sampled *sampled = &weighing->hot->sampled;
    const struct account account = account_of(weighing);
    double most[KG_CAUSE_COUNT] = {0}, kept = 0;
    for (size_t i = 0; i < sampled->stack_count; i++) {
        const struct kg_hot_stack *stack = &sampled->stacks[i];
        const struct kg_place *seen;
        const enum kg_cause_kind kind = cause_of_stack(weighing->hot, stack, &seen);
        const bool in_call = stack->call && !stack->waiting && is_request(kind);
        kept += stack->share;
        if (kind == KG_CAUSE_COUNT) {
            weighing->own += stack->share;
            continue;
        }
        struct kg_cause *cause =
            kg_weighing_add(weighing, kind, stack->share * (in_call ? account.in_calls : 1));
        if (stack->share <= most[kind])
            continue;
        most[kind] = stack->share;
        cause->seen = seen;
        cause->caller = caller_in(stack);
        cause->call = stack->call ? call_of(weighing->hot, stack->call) : NULL;
    }
    /* stacks that were too many to be kept are like those that were */
    if (kept > 0)
        weighing->own *= fmax(1, fmin(1 / kept, 4));
    missing_weigh(weighing, account.missing);
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

/* Or so often in one call of the workload it is done over and over. */
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
    if (!cause->seen || !cause->seen->function || !kg_place_is_library(cause->seen))
        return false;
    return (cause->caller && cause->caller->function &&
            calls_each(&hot->counted, cause->caller->function, cause->seen->function) >=
                KG_OFTEN) ||
           calls_in_all(&hot->counted, cause->seen->function) >= OFTEN_IN_ALL;
}

/* Comparing with entry after entry is a search, whatever compares. */
static void searches_tell(struct kg_weighing *weighing)
{
    static const char *const compares[] = {"strcmp", "memcmp", "strncmp", "strcasecmp"};
    struct kg_cause *scanning = &weighing->of[KG_CAUSE_STRING_SCANNING];
    if (!(scanning->share > 0) || !scanning->caller || !scanning->caller->function ||
        !scanning->seen || !scanning->seen->function)
        return;
    for (size_t i = 0; i < sizeof compares / sizeof *compares; i++) {
        if (!strstr(scanning->seen->function, compares[i]) ||
            !(calls_each(&weighing->hot->counted, scanning->caller->function, compares[i]) >=
              KG_OFTEN))
            continue;
        struct kg_cause *search =
            kg_weighing_add(weighing, KG_CAUSE_LINEAR_SEARCH, scanning->share);
        search->seen = scanning->seen;
        search->caller = scanning->caller;
        search->proven = true;
        scanning->share = 0;
        return;
    }
}

/* Who sleeps or polls makes others wait for locks and messages: the sleep is the cause. */
static void waits_tell(struct kg_weighing *weighing)
{
    static const double TELLS = 0.2;
    struct kg_cause *waiting = &weighing->of[KG_CAUSE_WAITING];
    if (!(waiting->share >= TELLS))
        return;
    waiting->share = fmin(1, waiting->share + weighing->of[KG_CAUSE_LOCKS].share);
    weighing->of[KG_CAUSE_LOCKS].share = 0;
}

/* Fewer are busy where one thread does all the work. */
static const double CORES_SHARED = 1.2;

/* One thread has nobody to wait for. */
static bool is_alone(const struct kg_traits *traits)
{
    return kg_under(traits->threads, 2) && !kg_at_least(traits->cores_busy, CORES_SHARED);
}

/* Few parallel regions in which threads wait at the end: one of them has more to do. */
static void regions_tell(struct kg_weighing *weighing)
{
    static const double FEW = 8;
    struct kg_cause *barriers = &weighing->of[KG_CAUSE_BARRIERS];
    const double regions = calls_in_all(&weighing->hot->counted, "GOMP_parallel") +
                           calls_in_all(&weighing->hot->counted, "GOMP_barrier");
    if (!(barriers->share > 0) || !(regions > 0) || regions > FEW ||
        is_alone(&weighing->facts->traits) ||
        weighing->facts->traits.time_ns <
            regions * 20 * kg_known_or_zero(weighing->facts->fork_join_ns))
        return;
    struct kg_cause *uneven = kg_weighing_add(weighing, KG_CAUSE_LOAD_IMBALANCE, barriers->share);
    uneven->seen = barriers->seen;
    uneven->caller = barriers->caller;
    barriers->share = 0;
}

/* --- Experiments, pages, threads --- */

/* What was measured takes its share from what was only seen. */
static void others_shrink(struct kg_weighing *weighing, double share)
{
    for (int kind = 0; kind < KG_CAUSE_COUNT; kind++)
        weighing->of[kind].share *= 1 - share;
}

/* Whether a loop is known to chase, stride or stream: huge pages help it too, but are not what it
 * lacks. */
static bool has_its_name(const struct kg_weighing *weighing)
{
    static const double TELLS = 0.2;
    return weighing->of[KG_CAUSE_POINTER_CHASING].share >= TELLS ||
           weighing->of[KG_CAUSE_ACCESS_PATTERN].share >= TELLS ||
           weighing->of[KG_CAUSE_MEMORY_TRAFFIC].share >= TELLS;
}

static void experiments_weigh(struct kg_weighing *weighing)
{
    static const struct {
        const char *name;
        enum kg_cause_kind cause;
    } tried[] = {{"flush_denormals", KG_CAUSE_DENORMALS},
                 {"huge_pages", KG_CAUSE_PAGE_WALKS},
                 {"kept_memory", KG_CAUSE_PAGE_FAULTS}};
    const struct kg_hot *hot = weighing->hot;
    for (size_t i = 0; i < hot->experiment_count; i++)
        for (size_t t = 0; t < sizeof tried / sizeof *tried; t++) {
            const struct kg_experiment *experiment = &hot->experiments[i];
            const double share = 1 - experiment->ratio;
            if (strcmp(experiment->name, tried[t].name) != 0 || !(share >= KG_SHARE_LEAST) ||
                !(experiment->ratio_high < 1))
                continue;
            /* what is saved is the faults, the calls that lead to them, and what follows them */
            struct kg_cause *faults = &weighing->of[KG_CAUSE_PAGE_FAULTS];
            if (tried[t].cause == KG_CAUSE_PAGE_FAULTS && faults->share > share)
                continue;
            if (tried[t].cause == KG_CAUSE_PAGE_FAULTS)
                faults->share = 0;
            const bool beside = tried[t].cause == KG_CAUSE_PAGE_WALKS && has_its_name(weighing);
            if (!beside)
                others_shrink(weighing, share);
            struct kg_cause *cause = kg_weighing_add(weighing, tried[t].cause, share);
            cause->measured = cause->proven = !beside;
        }
}

static void faults_weigh(struct kg_weighing *weighing)
{
    const double share = kg_faulting_ns(weighing->facts) / weighing->facts->traits.time_ns;
    struct kg_cause *cause = &weighing->of[KG_CAUSE_PAGE_FAULTS];
    if (!(share >= KG_SHARE_LEAST) || share <= cause->share)
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
        if (!kg_place_is_library(&loop->place) && !isnan(loop->throughput_cycles) &&
            loop->share >= 0.3 && loop->loads > 0 && loop->stores > 0 &&
            loop->instructions <= SHORT)
            return loop;
    }
    return NULL;
}

/* One thread alone is faster than all: whatever the threads do to each other costs that. */
static void threads_weigh(struct kg_weighing *weighing)
{
    static const enum kg_cause_kind quarrels[] = {KG_CAUSE_LOCKS, KG_CAUSE_ATOMICS,
                                                  KG_CAUSE_FALSE_SHARING, KG_CAUSE_BARRIERS,
                                                  KG_CAUSE_PROCESSES};
    const struct kg_traits *traits = &weighing->facts->traits;
    const double share = 1 - traits->alone_ns / traits->time_ns;
    if (!kg_at_least(traits->threads, 2) || !(share >= KG_SHARE_LEAST) ||
        !kg_at_least(traits->cores_busy, CORES_SHARED) ||
        kg_cpus_taken(weighing->facts, weighing->settings))
        return;
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
    if (!found)
        found = kg_weighing_add(weighing, KG_CAUSE_OVERSUBSCRIPTION, share);
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

static void conclude(struct kg_weighing *weighing, struct kg_causes *causes)
{
    double explained = 0;
    qsort(weighing->of, KG_CAUSE_COUNT, sizeof *weighing->of, larger_first);
    while (causes->count < KG_CAUSES_MOST && weighing->of[causes->count].share >= KG_SHARE_LEAST) {
        causes->of[causes->count] = weighing->of[causes->count];
        causes->of[causes->count].proven |=
            weighing->hot && is_often(weighing->hot, &causes->of[causes->count]);
        explained += causes->of[causes->count++].share;
    }
    causes->unexplained = fmax(0, 1 - explained);
    causes->hottest = weighing->hot ? hottest_of(&weighing->hot->sampled) : NULL;
}

static void cpu_weigh(struct kg_weighing *weighing)
{
    stacks_weigh(weighing);
    searches_tell(weighing);
    waits_tell(weighing);
    regions_tell(weighing);
    kg_weigh_own_code(weighing);
    faults_weigh(weighing);
    experiments_weigh(weighing);
    threads_weigh(weighing);
}

/* Whether anything was seen of it that can be weighed. */
static bool is_seen(const struct kg_facts *facts)
{
    if (facts->kind != KG_OPERATION_CASE || !kg_known(facts->traits.time_ns))
        return false;
    if (kg_on_device(facts, "cuda"))
        return kg_known(facts->traits.gpu_ns);
    return kg_on_device(facts, "cpu") && facts->hot &&
           (facts->hot->sampled.source || facts->hot->experiment_count);
}

void kg_causes_weigh(const struct kg_facts *facts, const struct kg_suggest_settings *settings,
                     struct kg_causes *causes)
{
    struct kg_weighing weighing = {.facts = facts, .settings = settings, .hot = facts->hot};
    *causes = (struct kg_causes){.unexplained = NAN};
    if (!is_seen(facts))
        return;
    for (int kind = 0; kind < KG_CAUSE_COUNT; kind++)
        weighing.of[kind].kind = (enum kg_cause_kind)kind;
    if (kg_on_device(facts, "cuda"))
        kg_weigh_gpu(&weighing);
    else
        cpu_weigh(&weighing);
    conclude(&weighing, causes);
}

const struct kg_cause *kg_cause_of(const struct kg_facts *facts, enum kg_cause_kind kind)
{
    for (size_t i = 0; facts->causes && i < facts->causes->count; i++)
        if (facts->causes->of[i].kind == kind)
            return &facts->causes->of[i];
    return NULL;
}
