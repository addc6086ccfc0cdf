/* history_replay.h: rebuilds change detectors. For the files of this folder. */
#pragma once
#include "judge/history/history_database.h"

/* Replays the runs of one suite and machine as if one run had never been added. Changes that were found before that run
 * stay, and so do confirmed ones. A change that is found again keeps its decision. A series with pruned points keeps its
 * state, and all changes that other runs found. Takes as long as adding these runs.
 * removed  id of the run: its row is there, its points are gone */
bool kg_history_replay(struct kg_history_database *database, int64_t removed, struct kg_error *err);
