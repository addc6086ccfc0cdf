/* replay.h: recorded rounds as the source of a sequence (sequence.h): the same decisions, on rounds
 * that were taken before. For calibrating a suite, for benchmarks and for tests. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "gate/sequence.h"

struct kg_replay {
    struct kg_results shown; /* what the sequence has asked for so far; grows */
    const struct kg_results *recorded;
    const double *factors; /* each case's times are multiplied by its own; NULL: by 1 */
    struct kg_arena arena;
};

/* Starts with no round shown. Screening rounds are those recorded that do not confirm, confirming
 * ones those that do, each in their order; where they run out there are no more. `recorded` and
 * `factors` must outlive the replay. false where memory is out. */
bool kg_replay_start(struct kg_replay *replay, const struct kg_results *recorded,
                     const double *factors);

/* Runs the sequence: `limits` as in struct kg_sequence. */
bool kg_replay_run(struct kg_replay *replay, const struct kg_round_limits *limits,
                   const struct kg_baseline *baseline, struct kg_comparison *comparison,
                   struct kg_error *err);

void kg_replay_free(struct kg_replay *replay);
