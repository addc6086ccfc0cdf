/* quality_classes.c: parts on two conveyors, counted by quality, a thread for each conveyor. */
#include "judged.h"

enum { PARTS = 100000, CLASSES = 4, CONVEYORS = 2, LINE = 128 };

struct conveyor {
    uint32_t classes[CLASSES];
};

struct padded_conveyor {
    _Alignas(LINE) struct conveyor conveyor;
};

struct state {
    double result;
    int threads;
    _Alignas(LINE) struct conveyor side_by_side[CONVEYORS];
    struct padded_conveyor apart[CONVEYORS];
    uint16_t deviations[CONVEYORS][PARTS];
};

static ELSEWHERE void watch(struct conveyor *conveyor, const uint16_t *deviations)
{
    memset(conveyor, 0, sizeof *conveyor);
    for (int i = 0; i < PARTS; i++)
        conveyor->classes[deviations[i] * CLASSES >> 16]++;
}

static double fingerprint(const struct conveyor *conveyor)
{
    double sum = 0;
    for (int i = 0; i < CLASSES; i++)
        sum += (double)conveyor->classes[i] * (i + 1);
    return sum;
}

static bool set_up(struct kgate_context *context, void **place)
{
    char *memory = context->allocate(context, sizeof(struct state) + LINE);
    if (!memory)
        return refuse(context, "out of memory");
    struct state *state = (void *)(memory + (LINE - (uintptr_t)memory % LINE) % LINE);
    state->threads = (int)context->threads;
    uint64_t random = context->seed | 1;
    for (int i = 0; i < CONVEYORS; i++)
        for (int j = 0; j < PARTS; j++)
            state->deviations[i][j] = (uint16_t)below(&random, 65536);
    *place = state;
    return true;
}

static void run_bad(void *place)
{
    struct state *state = place;
#pragma omp parallel for num_threads(state->threads)
    for (int i = 0; i < CONVEYORS; i++)
        watch(&state->side_by_side[i], state->deviations[i]);
    state->result = fingerprint(&state->side_by_side[0]) + fingerprint(&state->side_by_side[1]);
}

static void run_good(void *place)
{
    struct state *state = place;
#pragma omp parallel for num_threads(state->threads)
    for (int i = 0; i < CONVEYORS; i++)
        watch(&state->apart[i].conveyor, state->deviations[i]);
    state->result = fingerprint(&state->apart[0].conveyor) + fingerprint(&state->apart[1].conveyor);
}

PAIR(quality_classes, 0, "Parts on two conveyors.");
