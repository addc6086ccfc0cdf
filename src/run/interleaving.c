#include "run/interleaving.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/process/descendants.h"
#include "run/worker/protocol.h"

bool kg_turns_start(struct kg_turns *turns, size_t side, struct kg_error *err)
{
    struct kg_player *player = &turns->players[side];
    player->started = true;
    return kg_process_start(&player->launch, &player->process, err);
}

/* Waits for a line of a player's output. false: no line came; `at_fault` names the player and `ending`
 * says how its process ended. */
static bool line_come(struct kg_turns *turns, struct kg_player *player)
{
    turns->ending = kg_process_wait(&player->launch, &player->process, turns->deadline_ns, true,
                                    &player->outcome);
    if (turns->ending == KG_ENDED_LINE)
        return true;
    turns->at_fault = (size_t)(player - turns->players);
    return false;
}

static bool ask(struct kg_turns *turns, struct kg_player *player, const char *what)
{
    if (kg_process_send(&player->process, what))
        return true;
    turns->ending = KG_ENDED_EXIT;
    turns->at_fault = (size_t)(player - turns->players);
    return false;
}

static bool has_enough(const struct kg_turns *turns, size_t side, double min_time_ns)
{
    const struct kg_player *player = &turns->players[side];
    return turns->calls_wanted ? player->call_count >= turns->calls_wanted
                               : player->spent_ns >= min_time_ns;
}

/* One turn. */
static bool turn(struct kg_turns *turns, size_t side)
{
    struct kg_player *player = &turns->players[side];
    char *end;
    if (!ask(turns, player, KG_TURN) || !line_come(turns, player))
        return false;
    kg_descendants_end_new();
    const double measured_ns = strtod(player->outcome.response.data, &end);
    /* the worker of an older build names no calls */
    if (measured_ns > 0 && (*end == ' ' || (*end == '\n' && !turns->calls_wanted))) {
        player->spent_ns += measured_ns;
        player->call_count = strtoull(end, NULL, 10);
        kg_outcome_line_take(&player->outcome, NULL, 0);
        return true;
    }
    turns->ending = KG_ENDED_EXIT; /* the line is a response that says why, or nonsense */
    turns->at_fault = side;
    return false;
}

/* Base, head, head, base, or the other way round: a steady drift cancels over the block. */
static bool block(struct kg_turns *turns)
{
    const size_t first = turns->block_count++ % 2;
    for (size_t i = 0; i < 4; i++) {
        const size_t side = i == 1 || i == 2 ? 1 - first : first;
        const bool complete = turns->calls_wanted && has_enough(turns, side, 0);
        if (!complete && !turn(turns, side))
            return false;
    }
    return true;
}

bool kg_turns_ready(struct kg_turns *turns, size_t side)
{
    struct kg_player *player = &turns->players[side];
    if (!line_come(turns, player))
        return false;
    player->ready = !strncmp(player->outcome.response.data, KG_TURN_READY, strlen(KG_TURN_READY));
    if (player->ready) {
        kg_outcome_line_take(&player->outcome, NULL, 0);
        return true;
    }
    turns->ending = KG_ENDED_EXIT; /* the line says why it cannot */
    turns->at_fault = side;
    return false;
}

/* By time both sides count: a far slower candidate must not make the round as many times longer. */
static bool both_have_enough(const struct kg_turns *turns, double min_time_ns)
{
    const struct kg_player *players = turns->players;
    return turns->calls_wanted
               ? has_enough(turns, 0, min_time_ns) && has_enough(turns, 1, min_time_ns)
               : players[0].spent_ns + players[1].spent_ns >= KG_SIDES * min_time_ns;
}

bool kg_turns_play(struct kg_turns *turns, double min_time_ns)
{
    for (size_t side = 0; side < KG_SIDES; side++)
        if (!turns->players[side].ready && !kg_turns_ready(turns, side))
            return false;
    if (turns->keeps_setup)
        kg_descendants_keep();
    else
        kg_descendants_end_new();
    do {
        if (!block(turns))
            return false;
    } while (!both_have_enough(turns, min_time_ns));
    return true;
}

bool kg_turns_play_alone(struct kg_turns *turns, size_t side, double min_time_ns)
{
    if (!kg_turns_ready(turns, side))
        return false;
    if (turns->keeps_setup)
        kg_descendants_keep();
    else
        kg_descendants_end_new();
    do {
        if (!turn(turns, side))
            return false;
    } while (!has_enough(turns, side, min_time_ns));
    return true;
}

bool kg_turns_finish(struct kg_turns *turns, size_t side)
{
    struct kg_player *player = &turns->players[side];
    if (!ask(turns, player, KG_TURN_END))
        return false;
    if (turns->serve)
        return line_come(turns, player);
    const enum kg_ending ending = kg_process_wait(&player->launch, &player->process,
                                                  turns->deadline_ns, false, &player->outcome);
    kg_process_finish(&player->process, ending, turns->kills, &player->outcome);
    return true;
}

void kg_turns_renew(struct kg_turns *turns)
{
    for (size_t side = 0; side < KG_SIDES; side++) {
        turns->players[side].ready = false;
        turns->players[side].spent_ns = 0;
        turns->players[side].call_count = 0;
        turns->players[side].outcome.tail[0] = '\0';
        turns->players[side].outcome.tail_length = 0;
    }
}

void kg_turns_fail(struct kg_turns *turns)
{
    struct kg_player *player = &turns->players[turns->at_fault];
    enum kg_ending ending = turns->ending;
    if (ending == KG_ENDED_EXIT) /* let it come to its end by itself */
        ending = kg_process_wait(&player->launch, &player->process, turns->deadline_ns, false,
                                 &player->outcome);
    kg_process_finish(&player->process, ending, turns->kills, &player->outcome);
}

void kg_turns_free(struct kg_turns *turns)
{
    for (size_t side = 0; side < KG_SIDES; side++) {
        struct kg_player *player = &turns->players[side];
        if (player->started)
            kg_process_end(&player->process);
        kg_outcome_free(&player->outcome);
    }
}
