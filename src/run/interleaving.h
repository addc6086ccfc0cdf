/* interleaving.h: two worker processes that measure a case in interleaved slices, called turns. */
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
    bool ready;          /* it waits for its first turn */
    double spent_ns;     /* time measured in its turns so far */
    uint64_t call_count; /* calls measured in its turns so far */
};

/* Zero-initialise except deadline, launches and calls_wanted; kg_turns_free when done. */
struct kg_turns {
    struct kg_player players[KG_SIDES];
    uint64_t deadline_ns;  /* by kg_clock_ns */
    uint64_t kills;        /* kg_out_of_memory_kills before the start */
    uint64_t calls_wanted; /* calls of each player; 0: a measured time decides */
    size_t block_count;
    size_t at_fault; /* the player whose process failed */
    enum kg_ending ending;
    bool keeps_setup; /* processes left over before the first turn stay: `setup` started them */
    bool serve; /* the processes serve further cases (group.h): they do not end with a round */
};

/* Starts a player's process. */
bool kg_turns_start(struct kg_turns *turns, size_t side, struct kg_error *err);

/* Waits until a player has set up. kg_turns_play does this for players that are not ready. Returns
 * false on the same failures as kg_turns_play. */
bool kg_turns_ready(struct kg_turns *turns, size_t side);

/* Plays blocks of four turns until both players together have measured twice min_time_ns, or each has made
 * calls_wanted calls. Processes left over by the calls of a turn are ended before the next turn: they would slow
 * the other build.
 * returns  false if a process failed: `at_fault` and `ending` say which, and how */
bool kg_turns_play(struct kg_turns *turns, double min_time_ns);

/* Plays one side alone to the same end: for builds that cannot run side by side. */
bool kg_turns_play_alone(struct kg_turns *turns, size_t side, double min_time_ns);

/* Requests a player's round and waits for the end of its process. Its `outcome` is then filled. If the
 * processes serve further cases: waits for the response, a line of `outcome`.
 * returns  false if the request failed, or if a serving process ended: this player is at fault */
bool kg_turns_finish(struct kg_turns *turns, size_t side);

/* The processes serve another case: its players have had no turn. */
void kg_turns_renew(struct kg_turns *turns);

/* Ends the process at fault and fills its outcome. A process that is about to exit may finish first. */
void kg_turns_fail(struct kg_turns *turns);

void kg_turns_free(struct kg_turns *turns);
