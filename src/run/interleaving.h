/* interleaving.h: two worker processes that measure a case turn by turn. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/process/process.h"

enum { KG_SIDES = 2 };

/* One of the processes. */
struct kg_player {
    struct kg_launch launch; /* filled before the start */
    struct kg_process process;
    struct kg_outcome outcome;
    bool started;
    bool ready;      /* it waits for its first turn */
    double spent_ns; /* measured in its turns so far */
};

/* Zero-initialise but for deadline and launches; kg_turns_free when done. */
struct kg_turns {
    struct kg_player players[KG_SIDES];
    uint64_t deadline_ns; /* of kg_clock_ns */
    uint64_t kills;       /* kg_out_of_memory_kills before the start */
    size_t block_count;
    size_t at_fault; /* the player whose process failed */
    enum kg_ending ending;
    bool
        keeps_setup; /* processes that were left before the first turn go on: `setup` started them */
};

/* Starts a player's process. */
bool kg_turns_start(struct kg_turns *turns, size_t side, struct kg_error *err);

/* Waits until a player has set up. Playing does it for players that are not ready. false: as below. */
bool kg_turns_ready(struct kg_turns *turns, size_t side);

/* Plays blocks of four turns until the first has measured so much time. Processes that the calls of
 * a turn leave end before the next turn: they would slow the other build. false where a process
 * failed: `at_fault` and `ending` say which, and how. */
bool kg_turns_play(struct kg_turns *turns, double min_time_ns);

/* Plays one side by itself until it has measured so much time: for builds that cannot run side by side. */
bool kg_turns_play_alone(struct kg_turns *turns, size_t side, double min_time_ns);

/* Asks for the round of a player, and waits for the end of its process, whose outcome is then
 * there. false where it could not be asked: it is at fault. */
bool kg_turns_finish(struct kg_turns *turns, size_t side);

/* Lets the process at fault come to its end, so that its outcome is there. */
void kg_turns_fail(struct kg_turns *turns);

void kg_turns_free(struct kg_turns *turns);
