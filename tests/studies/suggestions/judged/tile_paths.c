/* tile_paths.c: the cheapest path through each tile of a map. It leads from the north-west corner
 * to the south-east corner by steps to the east and to the south. */
#include "judged.h"

enum { TILES = 500, SIDE = 6, UNKNOWN = -1 };

struct tile {
    int costs[SIDE][SIDE];
};

struct state {
    double result;
    struct tile tiles[TILES];
};

static int least(int a, int b)
{
    return a < b ? a : b;
}

static ELSEWHERE int cheapest_from(const struct tile *tile, int row, int column)
{
    const int cost = tile->costs[row][column];
    if (row == SIDE - 1 && column == SIDE - 1)
        return cost;
    if (row == SIDE - 1)
        return cost + cheapest_from(tile, row, column + 1);
    if (column == SIDE - 1)
        return cost + cheapest_from(tile, row + 1, column);
    return cost + least(cheapest_from(tile, row, column + 1), cheapest_from(tile, row + 1, column));
}

/* Like cheapest_from, but stores each result in known. */
static ELSEWHERE int cheapest_known(const struct tile *tile, int row, int column,
                                    int known[SIDE][SIDE])
{
    if (known[row][column] != UNKNOWN)
        return known[row][column];
    int rest = 0;
    if (row == SIDE - 1 && column < SIDE - 1)
        rest = cheapest_known(tile, row, column + 1, known);
    else if (row < SIDE - 1 && column == SIDE - 1)
        rest = cheapest_known(tile, row + 1, column, known);
    else if (row < SIDE - 1)
        rest = least(cheapest_known(tile, row, column + 1, known),
                     cheapest_known(tile, row + 1, column, known));
    return known[row][column] = tile->costs[row][column] + rest;
}

static bool set_up(struct kgate_context *context, void **place)
{
    struct state *state = context->allocate(context, sizeof *state);
    if (!state)
        return refuse(context, "out of memory");
    uint64_t random = context->seed | 1;
    for (int i = 0; i < TILES; i++)
        for (int j = 0; j < SIDE * SIDE; j++)
            state->tiles[i].costs[j / SIDE][j % SIDE] = 1 + (int)below(&random, 9);
    *place = state;
    return true;
}

static void run_bad(void *place)
{
    struct state *state = place;
    state->result = 0;
    for (int i = 0; i < TILES; i++)
        state->result += cheapest_from(&state->tiles[i], 0, 0);
}

static void run_good(void *place)
{
    struct state *state = place;
    state->result = 0;
    for (int i = 0; i < TILES; i++) {
        int known[SIDE][SIDE];
        memset(known, 0xff, sizeof known); /* UNKNOWN in each */
        state->result += cheapest_known(&state->tiles[i], 0, 0, known);
    }
}

PAIR(tile_paths, 0, "The cheapest way through tiles.");
