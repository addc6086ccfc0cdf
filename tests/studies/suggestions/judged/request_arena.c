/* request_arena.c: requests that decode their rows into an arena, thrown away at the end. */
#include "judged.h"

#include <sys/mman.h>

enum { REQUESTS = 6, ROWS = 2500, ARENA_BYTES = 2 << 20 };

struct arena {
    char *memory;
    size_t used;
};

struct row {
    uint32_t key, length;
    uint8_t bytes[248];
};

struct state {
    double result;
    struct arena kept;
    uint8_t input[ROWS + 256];
};

static bool arena_open(struct arena *arena)
{
    *arena = (struct arena){.memory = mmap(NULL, ARENA_BYTES, PROT_READ | PROT_WRITE,
                                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)};
    return arena->memory != MAP_FAILED;
}

static void arena_close(struct arena *arena)
{
    munmap(arena->memory, ARENA_BYTES);
}

static void *arena_take(struct arena *arena, size_t bytes)
{
    void *memory = arena->memory + arena->used;
    arena->used += bytes;
    return memory;
}

static ELSEWHERE struct row *decode_row(struct arena *arena, const uint8_t *input, uint32_t key)
{
    struct row *row = arena_take(arena, sizeof *row);
    row->key = key;
    row->length = input[0];
    memcpy(row->bytes, input, 128);
    return row;
}

static double serve(struct arena *arena, const uint8_t *input)
{
    double sum = 0;
    for (uint32_t i = 0; i < ROWS; i++)
        sum += decode_row(arena, input + i, i)->length;
    return sum;
}

static bool set_up(struct kgate_context *context, void **place)
{
    struct state *state = context->allocate(context, sizeof *state);
    if (!state || !arena_open(&state->kept))
        return refuse(context, "out of memory");
    memset(state->kept.memory, 0, ARENA_BYTES);
    uint64_t random = context->seed | 1;
    for (size_t i = 0; i < sizeof state->input; i++)
        state->input[i] = (uint8_t)below(&random, 256);
    *place = state;
    return true;
}

static void run_bad(void *place)
{
    struct state *state = place;
    state->result = 0;
    for (int i = 0; i < REQUESTS; i++) {
        struct arena arena;
        if (!arena_open(&arena))
            return;
        state->result += serve(&arena, state->input);
        arena_close(&arena);
    }
}

static void run_good(void *place)
{
    struct state *state = place;
    state->result = 0;
    for (int i = 0; i < REQUESTS; i++) {
        state->kept.used = 0;
        state->result += serve(&state->kept, state->input);
    }
}

PAIR(request_arena, 0, "Requests that use an arena.");
