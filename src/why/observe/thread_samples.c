#include "why/observe/sampler_state.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/memory.h"

static uint64_t hash_of(const kg_code_address *frames, size_t count)
{
    uint64_t hash = count;
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ frames[i]) * UINT64_C(0x9e3779b97f4a7c15) ^ (hash >> 29);
    return hash ^ (hash >> 31);
}

static uint32_t *slot(const struct kg_samples *samples, uint32_t *table, size_t room,
                      const kg_code_address *frames, size_t count)
{
    size_t at = (size_t)hash_of(frames, count) & (room - 1);
    for (; table[at]; at = (at + 1) & (room - 1)) {
        const struct kg_raw_stack *stack = &samples->stacks[table[at] - 1];
        /* before the first frame there is no pool */
        if (stack->count == count &&
            (!count || !memcmp(samples->pool + stack->start, frames, count * sizeof *frames)))
            break;
    }
    return &table[at];
}

static void table_grow(struct kg_samples *samples)
{
    enum { FIRST = 1024 };
    if (samples->stack_count * 2 < samples->table_room)
        return;
    const size_t room = samples->table_room ? samples->table_room * 2 : FIRST;
    uint32_t *table = kg_alloc(room, sizeof *table);
    for (size_t i = 0; i < samples->stack_count; i++)
        *slot(samples, table, room, samples->pool + samples->stacks[i].start,
              samples->stacks[i].count) = (uint32_t)i + 1;
    free(samples->table);
    samples->table = table;
    samples->table_room = room;
}

static void pool_append(struct kg_samples *samples, const kg_code_address *frames, size_t count)
{
    while (samples->pool_capacity < samples->pool_count + count)
        kg_grow(&samples->pool, samples->pool_capacity, &samples->pool_capacity,
                sizeof *samples->pool);
    if (count)
        memcpy(samples->pool + samples->pool_count, frames, count * sizeof *frames);
    samples->pool_count += count;
}

uint32_t kg_samples_stack(struct kg_samples *samples, const kg_code_address *frames, size_t count)
{
    table_grow(samples);
    kg_grow(&samples->stacks, samples->stack_count, &samples->stack_capacity,
            sizeof *samples->stacks);
    uint32_t *found = slot(samples, samples->table, samples->table_room, frames, count);
    if (*found)
        return *found - 1;
    const size_t start = samples->pool_count;
    pool_append(samples, frames, count);
    samples->stacks[samples->stack_count++] = (struct kg_raw_stack){start, count};
    *found = (uint32_t)samples->stack_count;
    return *found - 1;
}

void kg_samples_add(struct kg_samples *samples, const struct kg_stack_sample *sample)
{
    if (samples->count >= KG_STACK_SAMPLES_MOST)
        return;
    kg_grow(&samples->of, samples->count, &samples->capacity, sizeof *samples->of);
    samples->of[samples->count++] = *sample;
}

void kg_samples_free(struct kg_samples *samples)
{
    free(samples->of);
    free(samples->stacks);
    free(samples->pool);
    free(samples->table);
    *samples = (struct kg_samples){0};
}
