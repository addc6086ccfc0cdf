/* sample_tally.c: selects the samples of stacks that count, and sums them by function, line,
 * stack, call site and address. A thread that waits for work beside it must not count, or the
 * work would count twice. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "why/observe/sampler_state.h"

/* --- Selection of samples --------------------------------------------------------------------- */

enum { THREAD_RAN = 1, PROCESS_RAN = 2, FIRST_RAN = 4, KINDS = 4 };

static const struct kg_resolved_stack *resolved_of(const struct kg_sample_tally *tally,
                                                   const struct kg_stack_sample *sample)
{
    return &tally->resolved[(size_t)sample->stack * KINDS + sample->first * 2u + sample->root];
}

static void samples_resolve(struct kg_sample_tally *tally)
{
    struct kg_stack_sampler *sampler = tally->sampler;
    const struct kg_samples *samples = &sampler->samples;
    const size_t room = samples->stack_count * KINDS;
    tally->resolved = kg_arena_alloc(&tally->arena, room, sizeof *tally->resolved);
    tally->resolved_is = kg_arena_alloc(&tally->arena, room, sizeof *tally->resolved_is);
    tally->ticks = kg_arena_alloc(&tally->arena, sampler->ticks + 1u, 1);
    for (size_t i = 0; i < samples->count; i++) {
        const struct kg_stack_sample *sample = &samples->of[i];
        struct kg_resolved_stack *resolved =
            &tally->resolved[resolved_of(tally, sample) - tally->resolved];
        bool *done = &tally->resolved_is[resolved - tally->resolved];
        if (!*done)
            kg_stack_resolve(sampler, sample->stack, sample->first, sample->root, &tally->arena,
                             resolved);
        *done = true;
        if (resolved->role != KG_STACK_NONE && !sample->waiting)
            tally->ticks[sample->tick] |= sample->first  ? FIRST_RAN
                                          : sample->root ? THREAD_RAN
                                                         : PROCESS_RAN;
    }
}

/* Whether a waiting thread waits for work that runs beside it: then that work takes the time. If
 * a plugin waits for a program that it started, the wait counts. */
static bool waits_for_own(const struct kg_sample_tally *tally, const struct kg_stack_sample *sample)
{
    const unsigned char ran = tally->ticks[sample->tick];
    return ran & (tally->sampler->target.command ? THREAD_RAN | PROCESS_RAN : THREAD_RAN);
}

static bool counts(struct kg_sample_tally *tally, const struct kg_stack_sample *sample)
{
    const enum kg_stack_role role = resolved_of(tally, sample)->role;
    if (role == KG_STACK_NONE)
        return false;
    if (!sample->waiting)
        return true;
    if (role == KG_STACK_LOCKED || (role == KG_STACK_BARRIER && sample->first))
        return true;
    if (role == KG_STACK_BARRIER) /* idle threads wait there too */
        return !(tally->ticks[sample->tick] & (FIRST_RAN | THREAD_RAN));
    return sample->first && !waits_for_own(tally, sample);
}

/* Removes samples that do not count. Some totals include all samples. */
static void samples_narrow(struct kg_sample_tally *tally)
{
    struct kg_samples *samples = &tally->sampler->samples;
    size_t kept = 0;
    for (size_t i = 0; i < samples->count; i++) {
        const struct kg_stack_sample *sample = &samples->of[i];
        const struct kg_resolved_stack *resolved = resolved_of(tally, sample);
        const bool of_first = sample->first && resolved->role != KG_STACK_NONE;
        const bool relayed = tally->sampler->target.command && waits_for_own(tally, sample);
        tally->first += of_first;
        tally->first_waiting += of_first && sample->waiting && !relayed;
        if (!counts(tally, sample))
            continue;
        tally->counted++;
        tally->running += !sample->waiting;
        tally->system += !sample->waiting && sample->call >= 0;
        tally->unnamed += !resolved->frames[0].function;
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
    return kg_place_same(a, b);
}

static void place_add(struct kg_tally_places *places, const struct kg_place *place, size_t group,
                      bool innermost, double count)
{
    size_t i = 0;
    if (places->lines && !place->line)
        return;
    while (i < places->count && !same_place(&places->of[i].place, place, places->lines))
        i++;
    if (i == places->count) {
        kg_grow(&places->of, places->count, &places->capacity, sizeof *places->of);
        places->of[places->count++] = (struct kg_tally_place){.place = *place};
    }
    struct kg_tally_place *found = &places->of[i];
    if (found->last != group)
        found->total += count;
    found->last = group;
    found->self += innermost ? count : 0;
    if (count > found->best) {
        found->best = count;
        found->place = *place;
    }
}

static bool same_frames(const struct kg_resolved_stack *a, const struct kg_resolved_stack *b)
{
    if (a->frame_count != b->frame_count)
        return false;
    for (size_t i = 0; i < a->frame_count; i++)
        if (!kg_place_same(&a->frames[i], &b->frames[i]))
            return false;
    return true;
}

static void stack_add(struct kg_sample_tally *tally, const struct kg_stack_sample *sample,
                      const struct kg_resolved_stack *stack, double count)
{
    size_t i = 0;
    while (i < tally->stack_count &&
           (tally->stacks[i].waiting != sample->waiting || tally->stacks[i].call != sample->call ||
            !same_frames(tally->stacks[i].stack, stack)))
        i++;
    if (i == tally->stack_count) {
        kg_grow(&tally->stacks, tally->stack_count, &tally->stack_capacity, sizeof *tally->stacks);
        tally->stacks[tally->stack_count++] = (struct kg_tally_stack){
            .waiting = sample->waiting, .call = sample->call, .stack = stack};
    }
    struct kg_tally_stack *found = &tally->stacks[i];
    found->count += count;
    if (count > found->best) {
        found->best = count;
        found->stack = stack;
    }
}

static bool same_function(const struct kg_place *a, const struct kg_place *b)
{
    return a == b || (a && b && kg_place_same(a, b));
}

/* NULL: no frame has the index. */
static const struct kg_place *frame_at(const struct kg_resolved_stack *stack, size_t index)
{
    return index < stack->frame_count ? &stack->frames[index] : NULL;
}

static void site_add(struct kg_sample_tally *tally, const struct kg_stack_sample *sample,
                     const struct kg_resolved_stack *stack, double count)
{
    const struct kg_place *place = stack->frames + stack->own;
    const struct kg_place *caller = frame_at(stack, stack->caller);
    const struct kg_place *header = frame_at(stack, stack->header);
    const struct kg_place *callee = frame_at(stack, stack->callee);
    size_t i = 0;
    if (stack->own_module < KG_MODULES_MOST)
        tally->modules[stack->own_module] += count;
    while (i < tally->site_count &&
           (tally->sites[i].call != sample->call || !same_function(tally->sites[i].place, place) ||
            !same_function(tally->sites[i].caller, caller) ||
            !same_function(tally->sites[i].header, header) ||
            !same_function(tally->sites[i].callee, callee)))
        i++;
    if (i == tally->site_count) {
        kg_grow(&tally->sites, tally->site_count, &tally->site_capacity, sizeof *tally->sites);
        tally->sites[tally->site_count++] = (struct kg_tally_site){.place = place,
                                                                   .caller = caller,
                                                                   .header = header,
                                                                   .callee = callee,
                                                                   .call = sample->call};
    }
    struct kg_tally_site *found = &tally->sites[i];
    found->count += count;
    if (count > found->best) {
        found->best = count;
        found->place = place;
    }
}

static void address_add(struct kg_sample_tally *tally, const struct kg_resolved_stack *stack,
                        double count)
{
    size_t i = 0;
    while (i < tally->address_count && tally->addresses[i].stack->at != stack->at)
        i++;
    if (i == tally->address_count) {
        kg_grow(&tally->addresses, tally->address_count, &tally->address_capacity,
                sizeof *tally->addresses);
        tally->addresses[tally->address_count++] = (struct kg_tally_address){.stack = stack};
    }
    tally->addresses[i].count += count;
}

/* group  number of the group, from 1 */
static void group_add(struct kg_sample_tally *tally, const struct kg_stack_sample *sample,
                      size_t group, double count)
{
    const struct kg_resolved_stack *stack = resolved_of(tally, sample);
    for (size_t i = 0; i < stack->frame_count; i++) {
        place_add(&tally->functions, &stack->frames[i], group, i == 0, count);
        place_add(&tally->lines, &stack->frames[i], group, i == 0, count);
    }
    stack_add(tally, sample, stack, count);
    site_add(tally, sample, stack, count);
    if (!sample->waiting)
        address_add(tally, stack, count);
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

/* Sums equal samples together. */
static void samples_sum(struct kg_sample_tally *tally)
{
    struct kg_samples *samples = &tally->sampler->samples;
    if (samples->count)
        qsort(samples->of, samples->count, sizeof *samples->of, sample_order);
    for (size_t i = 0, next; i < samples->count; i = next) {
        for (next = i + 1; next < samples->count; next++)
            if (sample_order(&samples->of[i], &samples->of[next]) != 0)
                break;
        group_add(tally, &samples->of[i], i + 1, (double)(next - i));
    }
}

void kg_samples_tally(struct kg_stack_sampler *sampler, struct kg_sample_tally *tally)
{
    *tally = (struct kg_sample_tally){.sampler = sampler, .lines = {.lines = true}};
    samples_resolve(tally);
    samples_narrow(tally);
    samples_sum(tally);
}

void kg_sample_tally_free(struct kg_sample_tally *tally)
{
    free(tally->functions.of);
    free(tally->lines.of);
    free(tally->stacks);
    free(tally->sites);
    free(tally->addresses);
    kg_arena_free(&tally->arena);
}
