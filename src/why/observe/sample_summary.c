#include <errno.h>
#include <math.h>
#include <seccomp.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "why/observe/resolve.h"

/* A function or a line that shares are summed for. */
struct tally_place {
    struct kg_place place;
    double self, total;
    size_t last; /* the group of samples where it was met: it counts once in each */
    double best; /* the most that one of its lines has */
};

struct tally_places {
    struct tally_place *of;
    size_t count, capacity;
    bool lines; /* by line, else by function */
};

struct tally_stack {
    const struct kg_resolved_stack *stack; /* the most frequent of those alike but for lines */
    double count, best;
    bool waiting;
    long call;
};

struct tally_address {
    const struct kg_resolved_stack *stack;
    double count;
};

struct summary {
    struct kg_stack_sampler *sampler;
    struct kg_arena arena; /* of what is only needed here */
    struct kg_resolved_stack *resolved;
    bool *resolved_is;
    unsigned char *ticks;
    struct tally_places functions, lines;
    struct tally_stack *stacks;
    size_t stack_count, stack_capacity;
    struct tally_address *addresses;
    size_t address_count, address_capacity;
    double counted, running, system, unnamed, first, first_waiting;
};

/* --- Which samples count ---------------------------------------------------------------------- */

enum { THREAD_RAN = 1, PROCESS_RAN = 2, FIRST_RAN = 4, KINDS = 4 };

static const struct kg_resolved_stack *resolved_of(const struct summary *summary,
                                                   const struct kg_stack_sample *sample)
{
    return &summary->resolved[(size_t)sample->stack * KINDS + sample->first * 2u + sample->root];
}

static bool samples_resolve(struct summary *summary)
{
    struct kg_stack_sampler *sampler = summary->sampler;
    const struct kg_samples *samples = &sampler->samples;
    const size_t room = samples->stack_count * KINDS;
    summary->resolved = kg_arena_alloc(&summary->arena, room, sizeof *summary->resolved);
    summary->resolved_is = kg_arena_alloc(&summary->arena, room, sizeof *summary->resolved_is);
    summary->ticks = kg_arena_alloc(&summary->arena, sampler->ticks + 1u, 1);
    if (!summary->resolved || !summary->resolved_is || !summary->ticks)
        return false;
    for (size_t i = 0; i < samples->count; i++) {
        const struct kg_stack_sample *sample = &samples->of[i];
        struct kg_resolved_stack *resolved =
            &summary->resolved[resolved_of(summary, sample) - summary->resolved];
        bool *done = &summary->resolved_is[resolved - summary->resolved];
        if (!*done && !kg_stack_resolve(sampler, sample->stack, sample->first, sample->root,
                                        &summary->arena, resolved))
            return false;
        *done = true;
        if (resolved->role != KG_STACK_NONE && !sample->waiting)
            summary->ticks[sample->tick] |= sample->first  ? FIRST_RAN
                                            : sample->root ? THREAD_RAN
                                                           : PROCESS_RAN;
    }
    return true;
}

/* Whether a thread that waits does so for work that goes on beside it: it is that work which takes
 * the time. A plugin that waits for a program that it has started waits nevertheless. */
static bool waits_for_own(const struct summary *summary, const struct kg_stack_sample *sample)
{
    const unsigned char ran = summary->ticks[sample->tick];
    return ran & (summary->sampler->target.command ? THREAD_RAN | PROCESS_RAN : THREAD_RAN);
}

static bool counts(struct summary *summary, const struct kg_stack_sample *sample)
{
    const enum kg_stack_role role = resolved_of(summary, sample)->role;
    if (role == KG_STACK_NONE)
        return false;
    if (!sample->waiting)
        return true;
    if (role == KG_STACK_LOCKED || (role == KG_STACK_BARRIER && sample->first))
        return true;
    if (role == KG_STACK_BARRIER) /* of threads that wait for work, too */
        return !(summary->ticks[sample->tick] & (FIRST_RAN | THREAD_RAN));
    return sample->first && !waits_for_own(summary, sample);
}

/* Leaves those that count, and counts what is asked of all. */
static void samples_narrow(struct summary *summary)
{
    struct kg_samples *samples = &summary->sampler->samples;
    size_t kept = 0;
    for (size_t i = 0; i < samples->count; i++) {
        const struct kg_stack_sample *sample = &samples->of[i];
        const struct kg_resolved_stack *resolved = resolved_of(summary, sample);
        const bool of_first = sample->first && resolved->role != KG_STACK_NONE;
        const bool relayed = summary->sampler->target.command && waits_for_own(summary, sample);
        summary->first += of_first;
        summary->first_waiting += of_first && sample->waiting && !relayed;
        if (!counts(summary, sample))
            continue;
        summary->counted++;
        summary->running += !sample->waiting;
        summary->system += !sample->waiting && sample->call >= 0;
        summary->unnamed += !resolved->frames[0].function;
        samples->of[kept++] = *sample;
    }
    samples->count = kept;
}

/* --- Sums ------------------------------------------------------------------------------------- */

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

static bool same_place(const struct kg_place *a, const struct kg_place *b, bool lines)
{
    if (lines)
        return a->line == b->line && same_text(a->file, b->file);
    return same_text(a->function, b->function) && same_text(a->module, b->module);
}

static bool place_add(struct tally_places *places, const struct kg_place *place, size_t group,
                      bool innermost, double count)
{
    size_t i = 0;
    if (places->lines && !place->line)
        return true;
    while (i < places->count && !same_place(&places->of[i].place, place, places->lines))
        i++;
    if (i == places->count) {
        if (!kg_grow(&places->of, places->count, &places->capacity, sizeof *places->of))
            return false;
        places->of[places->count++] = (struct tally_place){.place = *place};
    }
    struct tally_place *found = &places->of[i];
    if (found->last != group)
        found->total += count;
    found->last = group;
    found->self += innermost ? count : 0;
    if (count > found->best) {
        found->best = count;
        found->place = *place;
    }
    return true;
}

static bool same_frames(const struct kg_resolved_stack *a, const struct kg_resolved_stack *b)
{
    if (a->frame_count != b->frame_count)
        return false;
    for (size_t i = 0; i < a->frame_count; i++)
        if (!same_place(&a->frames[i], &b->frames[i], false))
            return false;
    return true;
}

static bool stack_add(struct summary *summary, const struct kg_stack_sample *sample,
                      const struct kg_resolved_stack *stack, double count)
{
    size_t i = 0;
    while (i < summary->stack_count && (summary->stacks[i].waiting != sample->waiting ||
                                        summary->stacks[i].call != sample->call ||
                                        !same_frames(summary->stacks[i].stack, stack)))
        i++;
    if (i == summary->stack_count) {
        if (!kg_grow(&summary->stacks, summary->stack_count, &summary->stack_capacity,
                     sizeof *summary->stacks))
            return false;
        summary->stacks[summary->stack_count++] =
            (struct tally_stack){.waiting = sample->waiting, .call = sample->call, .stack = stack};
    }
    struct tally_stack *found = &summary->stacks[i];
    found->count += count;
    if (count > found->best) {
        found->best = count;
        found->stack = stack;
    }
    return true;
}

static bool address_add(struct summary *summary, const struct kg_resolved_stack *stack,
                        double count)
{
    size_t i = 0;
    while (i < summary->address_count && summary->addresses[i].stack->at != stack->at)
        i++;
    if (i == summary->address_count) {
        if (!kg_grow(&summary->addresses, summary->address_count, &summary->address_capacity,
                     sizeof *summary->addresses))
            return false;
        summary->addresses[summary->address_count++] = (struct tally_address){.stack = stack};
    }
    summary->addresses[i].count += count;
    return true;
}

/* group  from 1 */
static bool group_add(struct summary *summary, const struct kg_stack_sample *sample, size_t group,
                      double count)
{
    const struct kg_resolved_stack *stack = resolved_of(summary, sample);
    for (size_t i = 0; i < stack->frame_count; i++)
        if (!place_add(&summary->functions, &stack->frames[i], group, i == 0, count) ||
            !place_add(&summary->lines, &stack->frames[i], group, i == 0, count))
            return false;
    return stack_add(summary, sample, stack, count) &&
           (sample->waiting || address_add(summary, stack, count));
}

static int sample_order(const void *left, const void *right)
{
    const struct kg_stack_sample *a = left, *b = right;
    const long keys[][2] = {{a->stack, b->stack},
                            {a->waiting, b->waiting},
                            {a->first, b->first},
                            {a->root, b->root},
                            {a->call, b->call}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (keys[i][0] != keys[i][1])
            return keys[i][0] < keys[i][1] ? -1 : 1;
    return 0;
}

/* Samples that are alike are summed at once. */
static bool samples_sum(struct summary *summary)
{
    struct kg_samples *samples = &summary->sampler->samples;
    if (samples->count)
        qsort(samples->of, samples->count, sizeof *samples->of, sample_order);
    for (size_t i = 0, next; i < samples->count; i = next) {
        for (next = i + 1; next < samples->count; next++)
            if (sample_order(&samples->of[i], &samples->of[next]) != 0)
                break;
        if (!group_add(summary, &samples->of[i], i + 1, (double)(next - i)))
            return false;
    }
    return true;
}

/* --- What is kept ----------------------------------------------------------------------------- */

static int place_hotter(const void *left, const void *right)
{
    const struct tally_place *a = left, *b = right;
    if (a->self != b->self)
        return a->self < b->self ? 1 : -1;
    return (a->total < b->total) - (a->total > b->total);
}

static int stack_hotter(const void *left, const void *right)
{
    const struct tally_stack *a = left, *b = right;
    return (a->count < b->count) - (a->count > b->count);
}

static int address_hotter(const void *left, const void *right)
{
    const struct tally_address *a = left, *b = right;
    return (a->count < b->count) - (a->count > b->count);
}

static struct kg_place place_copy(struct kg_arena *arena, const struct kg_place *place, bool *good)
{
    return (struct kg_place){.function = kg_arena_keep(arena, place->function, good),
                             .file = kg_arena_keep(arena, place->file, good),
                             .line = place->line,
                             .module = kg_arena_keep(arena, place->module, good)};
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static int place_fuller(const void *left, const void *right)
{
    const struct tally_place *a = left, *b = right;
    return (a->total < b->total) - (a->total > b->total);
}

/* The hottest first; the last few that are kept are those that most stacks go through. */
static void places_sort(struct tally_places *places)
{
    enum { BY_TOTAL = 8, BY_SELF = KG_HOT_PLACES_MOST - BY_TOTAL };
    if (places->count)
        qsort(places->of, places->count, sizeof *places->of, place_hotter);
    if (places->count <= KG_HOT_PLACES_MOST)
        return;
    qsort(places->of + BY_SELF, places->count - BY_SELF, sizeof *places->of, place_fuller);
    qsort(places->of + BY_SELF, BY_TOTAL, sizeof *places->of, place_hotter);
}

static bool places_keep(const struct summary *summary, struct tally_places *places,
                        struct kg_arena *arena, struct kg_hot_place **kept, size_t *count)
{
    bool good = true;
    places_sort(places);
    *count = least(places->count, KG_HOT_PLACES_MOST);
    *kept = kg_arena_alloc(arena, *count, sizeof **kept);
    for (size_t i = 0; *kept && i < *count; i++)
        (*kept)[i] = (struct kg_hot_place){.place = place_copy(arena, &places->of[i].place, &good),
                                           .self = places->of[i].self / summary->counted,
                                           .total = places->of[i].total / summary->counted};
    return *kept && good;
}

static const char *call_name(struct kg_arena *arena, long call, bool *good)
{
    char *name = call < 0 ? NULL : seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, (int)call);
    const char *kept = kg_arena_keep(arena, name, good);
    free(name);
    return kept;
}

static bool stacks_keep(const struct summary *summary, struct kg_arena *arena,
                        struct kg_sampled *sampled)
{
    bool good = true;
    if (summary->stack_count)
        qsort(summary->stacks, summary->stack_count, sizeof *summary->stacks, stack_hotter);
    sampled->stack_count = least(summary->stack_count, KG_HOT_PLACES_MOST);
    sampled->stacks = kg_arena_alloc(arena, sampled->stack_count, sizeof *sampled->stacks);
    for (size_t i = 0; sampled->stacks && i < sampled->stack_count; i++) {
        const struct tally_stack *tally = &summary->stacks[i];
        struct kg_hot_stack *stack = &sampled->stacks[i];
        *stack = (struct kg_hot_stack){.share = tally->count / summary->counted,
                                       .waiting = tally->waiting,
                                       .call = call_name(arena, tally->call, &good)};
        stack->frames = kg_arena_alloc(arena, tally->stack->frame_count, sizeof *stack->frames);
        if (!stack->frames)
            return false;
        stack->frame_count = tally->stack->frame_count;
        for (size_t f = 0; f < stack->frame_count; f++)
            stack->frames[f] = place_copy(arena, &tally->stack->frames[f], &good);
    }
    return sampled->stacks && good;
}

static bool addresses_keep(const struct summary *summary, struct kg_arena *arena,
                           struct kg_hot_addresses *addresses)
{
    bool good = true;
    if (summary->address_count)
        qsort(summary->addresses, summary->address_count, sizeof *summary->addresses,
              address_hotter);
    addresses->count = least(summary->address_count, KG_HOT_ADDRESSES_MOST);
    addresses->of = kg_arena_alloc(arena, addresses->count, sizeof *addresses->of);
    for (size_t i = 0; addresses->of && i < addresses->count; i++) {
        const struct tally_address *tally = &summary->addresses[i];
        const kg_code_address at = tally->stack->at;
        const char *path = kg_module_path(summary->sampler->modules, at >> KG_MODULE_SHIFT);
        addresses->of[i] =
            (struct kg_hot_address){.module_path = kg_arena_keep(arena, path, &good),
                                    .address = at & KG_CODE_OFFSET_MASK,
                                    .share = tally->count / summary->counted,
                                    .place = place_copy(arena, &tally->stack->frames[0], &good)};
    }
    return addresses->of && good;
}

/* --- The whole -------------------------------------------------------------------------------- */

static const char *refusal(int code)
{
    return code == EPERM ? "its threads may not be stopped: another program traces them, or this "
                           "machine does not allow it"
           : code == ENOSYS ? "not of this kind of program, or on this kind of processor"
                            : NULL;
}

/* Page faults are in the kernel without a system call: the kernel's own account of the process tells
 * them. It is by ticks of the clock, and has what looking costs. */
static double system_share(const struct summary *summary)
{
    static const double LOOKING = 0.05;
    enum { TICKS_LEAST = 20 };
    const struct kg_stack_sampler *sampler = summary->sampler;
    const double user = (double)(sampler->user_end - sampler->user_ticks);
    const double system = (double)(sampler->system_end - sampler->system_ticks);
    const double seen = summary->running > 0 ? summary->system / summary->running : NAN;
    const double accounted = system / (user + system) - LOOKING;
    return user + system >= TICKS_LEAST && accounted > seen ? accounted : seen;
}

static bool all_keep(struct summary *summary, struct kg_arena *arena, struct kg_sampled *sampled,
                     struct kg_arena *address_arena, struct kg_hot_addresses *addresses)
{
    const char *reason = refusal(summary->sampler->refusal);
    if (!(summary->counted > 0)) {
        sampled->reason = reason ? reason : "no sample met the workload at work";
        return true;
    }
    sampled->source = "ptrace";
    sampled->reason = reason;
    sampled->samples = summary->counted;
    sampled->waiting = summary->first > 0 ? summary->first_waiting / summary->first : NAN;
    sampled->system = system_share(summary);
    sampled->blocks = summary->unnamed / summary->counted;
    return places_keep(summary, &summary->functions, arena, &sampled->functions,
                       &sampled->function_count) &&
           places_keep(summary, &summary->lines, arena, &sampled->lines, &sampled->line_count) &&
           stacks_keep(summary, arena, sampled) &&
           addresses_keep(summary, address_arena, addresses);
}

bool kg_stack_sampler_summarize(struct kg_stack_sampler *sampler, struct kg_arena *arena,
                                struct kg_sampled *sampled, struct kg_arena *address_arena,
                                struct kg_hot_addresses *addresses)
{
    struct summary summary = {.sampler = sampler, .lines = {.lines = true}};
    *sampled = (struct kg_sampled){.samples = NAN, .waiting = NAN, .system = NAN, .blocks = NAN};
    *addresses = (struct kg_hot_addresses){0};
    bool good = !sampler->samples.failed && samples_resolve(&summary);
    if (good) {
        samples_narrow(&summary);
        good =
            samples_sum(&summary) && all_keep(&summary, arena, sampled, address_arena, addresses);
    }
    free(summary.functions.of);
    free(summary.lines.of);
    free(summary.stacks);
    free(summary.addresses);
    kg_arena_free(&summary.arena);
    return good;
}
