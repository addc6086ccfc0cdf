/* scene.h: results and stored runs made of recorded rounds, for kg_compare. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "model/baseline.h"
#include "model/results.h"

enum { CASES_MOST = 128, ROUNDS_MOST = 64 };

/* Rounds of every case of a suite. */
struct scene {
    struct kg_results results;
    struct kg_case_result cases[CASES_MOST];
    struct kg_series series[CASES_MOST];
    struct kg_round rounds[CASES_MOST][ROUNDS_MOST];
    char ids[CASES_MOST][48];
};

/* Empties the scene. The caller then names the cases in `ids`. */
void scene_start(struct scene *scene, size_t cases, double threshold);
/* Adds a round of `ns` to a case; beyond ROUNDS_MOST it is left out. */
void scene_round_add(struct scene *scene, size_t index, double ns, bool confirms);
/* Multiplies the times of all cases. */
void scene_scale(struct scene *scene, double factor);
/* Makes a baseline of `runs` scenes, oldest first. Its strings are the scenes'. */
void scene_store(struct scene *stored, size_t runs, struct kg_baseline *baseline);
