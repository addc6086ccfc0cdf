#include "why/rules/causes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "why/evidence/known_functions.h"
#include "why/rules/causes_weighing.h"
#include "why/rules/rule_parts.h"

struct kg_cause *kg_weighing_add(struct kg_weighing *weighing, enum kg_cause_kind kind,
                                 double share)
{
    struct kg_cause *cause = &weighing->of[kind];
    if (share > 0)
        cause->share = fmin(1, cause->share + share);
    return cause;
}

void kg_cause_saves(struct kg_cause *cause, double least, double most)
{
    cause->saves_least = kg_known_or_zero(cause->saves_least) + fmax(0, least);
    cause->saves_most = kg_known_or_zero(cause->saves_most) + fmax(0, most);
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

bool kg_place_is_openmp(const struct kg_place *place)
{
    return place->module &&
           (!strncmp(place->module, "libgomp", 7) || !strncmp(place->module, "libomp", 6));
}

static bool is_linker(const struct kg_place *place)
{
    static const char *const names[] = {"ld-linux", "ld-musl", "ld.so", "ld-2."};
    for (size_t i = 0; place->module && i < sizeof names / sizeof *names; i++)
        if (!strncmp(place->module, names[i], strlen(names[i])))
            return true;
    return false;
}

/* Distributions strip the symbols of OpenMP's runtime. So its unknown functions count as
 * barriers. */
static enum kg_cause_kind cause_of(const struct kg_place *place)
{
    if (is_linker(place))
        return kg_known_linker_function(place->function);
    const enum kg_cause_kind known =
        kg_place_is_library(place) ? kg_known_function(place->function) : KG_CAUSE_NONE;
    return known == KG_CAUSE_NONE && kg_place_is_openmp(place) ? KG_CAUSE_BARRIERS : known;
}

static const struct kg_system_call *call_of(const struct kg_hot *hot, const char *name)
{
    for (size_t i = 0; i < hot->system_calls.kind_count; i++)
        if (!strcmp(hot->system_calls.kinds[i].name, name))
            return &hot->system_calls.kinds[i];
    return NULL;
}

/* Mean bytes that a system call of this name moves. */
static double bytes_of(const struct kg_hot *hot, const char *name)
{
    const struct kg_system_call *call = call_of(hot, name);
    return call ? call->bytes / call->calls : NAN;
}

/* The workload's own function that a stack comes from: the innermost frame with source lines, outside
 * of system headers. If there is none: the innermost frame with a name. NULL: no such frame. */
static const struct kg_place *caller_in(const struct kg_hot_stack *stack)
{
    const struct kg_place *named = NULL;
    for (size_t i = 0; i < stack->frame_count; i++) {
        const struct kg_place *frame = &stack->frames[i];
        if (kg_place_is_library(frame) || !frame->function)
            continue;
        if (frame->file && !kg_place_is_header(frame))
            return frame;
        named = named ? named : frame;
    }
    return named;
}

/* The outermost known function decides. So memset inside malloc counts as malloc, and so does
 * malloc's lock. */
static enum kg_cause_kind cause_of_stack(const struct kg_hot *hot, const struct kg_hot_stack *stack,
                                         const struct kg_place **seen)
{
    enum kg_cause_kind found = KG_CAUSE_NONE;
    *seen = NULL;
    for (size_t i = 0; i < stack->frame_count && kg_place_is_library(&stack->frames[i]); i++) {
        const enum kg_cause_kind kind = cause_of(&stack->frames[i]);
        if (kind != KG_CAUSE_NONE) {
            found = kind;
            *seen = &stack->frames[i];
        }
    }
    if (!stack->call || found == KG_CAUSE_LOCKS || found == KG_CAUSE_BARRIERS ||
        found == KG_CAUSE_PROCESSES)
        return found;
    const enum kg_cause_kind call = kg_known_system_call(stack->call, bytes_of(hot, stack->call));
    if (found == KG_CAUSE_LINKING && call != KG_CAUSE_PROCESSES) /* no new program starts */
        return found;
    return call == KG_CAUSE_SMALL_IO && stack->waiting ? KG_CAUSE_WAITING : call;
}

enum kg_cause_kind kg_cause_of_site(const struct kg_hot *hot, const struct kg_place *callee,
                                    const char *call)
{
    struct kg_place frame = *callee;
    const struct kg_hot_stack stack = {.frames = &frame, .frame_count = 1, .call = call};
    const struct kg_place *seen;
    return cause_of_stack(hot, &stack, &seen);
}

/* The sampler stops a thread when the thread next leaves the kernel, or some microseconds after
 * the request. If a thread makes a system call every few microseconds, nearly all samples are in
 * system calls. The kernel's account of CPU time and the traced times of the calls give the true
 * share. */
struct account {
    double in_calls; /* factor that corrects the share of samples in system calls */
    double missing;  /* share of the time spent in user mode without samples */
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
    if (!kg_hot_account_is_precise(weighing->hot) || !(in_calls > really + SURELY))
        return (struct account){.in_calls = 1};
    return (struct account){.in_calls = really / in_calls, .missing = in_calls - really};
}

/* kgate divides unsampled time in user mode in proportion to counted instructions. */
static void missing_weigh(struct kg_weighing *weighing, double missing)
{
    const struct kg_counted *counted = &weighing->hot->counted;
    for (size_t i = 0; i < counted->line_count && counted->instructions > 0; i++) {
        const struct kg_place *place = &counted->lines[i].place;
        const enum kg_cause_kind kind = cause_of(place);
        const double share = missing * counted->lines[i].instructions / counted->instructions;
        if (kind == KG_CAUSE_NONE)
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

double kg_in_call(const struct kg_sampled *sampled, const char *call)
{
    double share = 0;
    for (size_t i = 0; i < sampled->stack_count; i++)
        if (sampled->stacks[i].call && !strcmp(sampled->stacks[i].call, call))
            share += sampled->stacks[i].share;
    return share;
}

double kg_on_stacks(const struct kg_sampled *sampled, const char *function)
{
    for (size_t i = 0; i < sampled->function_count; i++) {
        const char *name = sampled->functions[i].place.function;
        if (name && !strcmp(name, function))
            return sampled->functions[i].total;
    }
    double share = 0;
    for (size_t i = 0; i < sampled->stack_count; i++) {
        const struct kg_hot_stack *stack = &sampled->stacks[i];
        bool on = false;
        for (size_t f = 0; f < stack->frame_count && !on; f++)
            on = stack->frames[f].function && !strcmp(stack->frames[f].function, function);
        share += on ? stack->share : 0;
    }
    return share;
}

/* Whether the cause shows in more than its main system call or its main function. */
static void several_note(struct kg_weighing *weighing)
{
    static const double ALONE = 0.8;
    for (int kind = 0; kind < KG_CAUSE_COUNT; kind++) {
        struct kg_cause *cause = &weighing->of[kind];
        const struct kg_sampled *sampled = &weighing->hot->sampled;
        const double share = cause->in_call ? kg_in_call(sampled, cause->in_call)
                             : cause->seen && cause->seen->function
                                 ? kg_on_stacks(sampled, cause->seen->function)
                                 : 1;
        cause->several = share < ALONE * cause->share;
    }
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
        if (kind == KG_CAUSE_NONE) {
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
        cause->in_call = stack->call;
        cause->call = stack->call ? call_of(weighing->hot, stack->call) : NULL;
    }
    several_note(weighing);
    /* dropped stacks are assumed to resemble the kept ones */
    if (kept > 0)
        weighing->own *= fmax(1, fmin(1 / kept, 4));
    missing_weigh(weighing, account.missing);
}

/* A repeated comparison with many entries is a search. */
static void searches_note(struct kg_weighing *weighing)
{
    static const char *const compares[] = {"strcmp", "memcmp", "strncmp", "strcasecmp"};
    struct kg_cause *scanning = &weighing->of[KG_CAUSE_STRING_SCANNING];
    if (!(scanning->share > 0) || !scanning->caller || !scanning->caller->function ||
        !scanning->seen || !scanning->seen->function)
        return;
    for (size_t i = 0; i < sizeof compares / sizeof *compares; i++) {
        if (!strstr(scanning->seen->function, compares[i]) ||
            !(kg_calls_each(&weighing->hot->counted, scanning->caller->function, compares[i]) >=
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

/* A pending sample may wait until the thread enters the kernel. So one or two system calls per
 * call of the workload seem to take far more time than they do. If there were too many calls to
 * trace, they are not few. */
static void few_requests_drop(struct kg_weighing *weighing)
{
    const struct kg_system_calls *calls = &weighing->hot->system_calls;
    double small = 0;
    for (size_t i = 0; i < calls->kind_count; i++)
        if (kg_known_system_call(calls->kinds[i].name,
                                 calls->kinds[i].bytes / calls->kinds[i].calls) ==
            KG_CAUSE_SMALL_IO)
            small += calls->kinds[i].calls;
    const bool traced = calls->source && (calls->kind_count || !isnan(calls->calls));
    if (traced && small < KG_REQUESTS)
        weighing->of[KG_CAUSE_SMALL_IO].share = 0;
}

/* A parent that starts many programs and waits in `read` waits for their output. */
static void programs_note(struct kg_weighing *weighing)
{
    struct kg_cause *waiting = &weighing->of[KG_CAUSE_WAITING];
    struct kg_cause *processes = &weighing->of[KG_CAUSE_PROCESSES];
    const struct kg_system_call *started = call_of(weighing->hot, "execve");
    if (!(processes->share >= KG_SHARE_LEAST) || !started || !(started->calls >= KG_REQUESTS) ||
        !waiting->call || strcmp(waiting->call->name, "read") != 0)
        return;
    processes->share = fmin(1, processes->share + waiting->share);
    waiting->share = 0;
}

/* A thread that sleeps or polls makes others wait for locks: the sleep is the cause. */
static void waits_note(struct kg_weighing *weighing)
{
    static const double TELLS = 0.2;
    struct kg_cause *waiting = &weighing->of[KG_CAUSE_WAITING];
    if (!(waiting->share >= TELLS))
        return;
    waiting->share = fmin(1, waiting->share + weighing->of[KG_CAUSE_LOCKS].share);
    weighing->of[KG_CAUSE_LOCKS].share = 0;
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

/* Shares from samples vary from run to run, so an unproven cause needs a larger share. A GPU
 * trace is exact. */
static bool is_worth_a_word(const struct kg_weighing *weighing, const struct kg_cause *cause)
{
    const bool sure = cause->proven || kg_on_device(weighing->facts, "cuda");
    return cause->share >= (sure ? KG_SHARE_LEAST : KG_TELLS_LEAST);
}

static void conclude(struct kg_weighing *weighing, struct kg_causes *causes)
{
    double explained = 0;
    for (int kind = 0; kind < KG_CAUSE_COUNT; kind++)
        weighing->of[kind].proven |=
            weighing->hot && kg_cause_is_often(weighing->hot, &weighing->of[kind]);
    qsort(weighing->of, KG_CAUSE_COUNT, sizeof *weighing->of, larger_first);
    for (int i = 0; i < KG_CAUSE_COUNT && causes->count < KG_CAUSES_MOST; i++) {
        struct kg_cause *cause = &weighing->of[i];
        if (!is_worth_a_word(weighing, cause))
            continue;
        if (weighing->hot)
            kg_cause_saving(weighing->hot, cause);
        explained += cause->share;
        causes->of[causes->count++] = *cause;
    }
    causes->unexplained = fmax(0, 1 - explained);
    causes->hottest = weighing->hot ? hottest_of(&weighing->hot->sampled) : NULL;
}

static void cpu_weigh(struct kg_weighing *weighing)
{
    stacks_weigh(weighing);
    searches_note(weighing);
    few_requests_drop(weighing);
    programs_note(weighing);
    waits_note(weighing);
    kg_weigh_own_code(weighing);
    kg_weigh_faults(weighing);
    kg_weigh_experiments(weighing);
    kg_weigh_threads(weighing);
}

/* Whether observations of the case exist that kgate can weigh. */
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
        weighing.of[kind] = (struct kg_cause){
            .kind = (enum kg_cause_kind)kind, .saves_least = NAN, .saves_most = NAN};
    if (kg_on_device(facts, "cuda"))
        kg_weigh_gpu(&weighing);
    else
        cpu_weigh(&weighing);
    conclude(&weighing, causes);
}
