#include "scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/comparison.h"

void scene_start(struct scene *scene, size_t cases, double threshold)
{
    memset(scene, 0, sizeof *scene);
    scene->results =
        (struct kg_results){.created = "2026-01-01T00:00:00Z",
                            .kgate_version = "0",
                            .suite = "public",
                            .policy = {.fail_on = 1U << KG_CHANGE_REGRESSION, .alpha = 0.01},
                            .complete = true,
                            .machine = {.fingerprint = "public", .cpu_model = "public"},
                            .ceilings = KG_CEILINGS_NONE,
                            .cpu_ceilings = KG_CPU_CEILINGS_NONE,
                            .cases = scene->cases,
                            .case_count = cases};
    for (size_t i = 0; i < cases; i++) {
        scene->series[i] = (struct kg_series){
            .name = "time", .source = KG_SERIES_OF_ROUNDS, .threshold = threshold};
        scene->cases[i] = (struct kg_case_result){.id = scene->ids[i],
                                                  .workload = "w",
                                                  .source = "command",
                                                  .device = "cpu",
                                                  .backend = "builtin",
                                                  .definition_hash = "0",
                                                  .status = KG_STATUS_OK,
                                                  .series = &scene->series[i],
                                                  .series_count = 1,
                                                  .breakdown = {NAN, NAN, NAN, NAN, NAN},
                                                  .memory = {KG_MEMORY_ON_CPU},
                                                  .work = KG_WORK_UNKNOWN,
                                                  .trace = KG_TRACE_NONE,
                                                  .look = KG_LOOK_NONE,
                                                  .check = {.error = NAN, .tolerance = NAN},
                                                  .rounds = scene->rounds[i]};
    }
}

void scene_round_add(struct scene *scene, size_t index, double ns, bool confirms)
{
    struct kg_case_result *result = &scene->cases[index];
    if (result->round_count < ROUNDS_MOST)
        scene->rounds[index][result->round_count++] = (struct kg_round){
            KG_ROUND_ON_CPU, .median_ns = ns,   .mean_ns = ns,       .cpu_ns = NAN,
            .pulse_ns = NAN, .base_ratio = NAN, .confirms = confirms};
}

void scene_scale(struct scene *scene, double factor)
{
    for (size_t i = 0; i < scene->results.case_count; i++)
        for (size_t r = 0; r < scene->cases[i].round_count; r++) {
            scene->rounds[i][r].median_ns *= factor;
            scene->rounds[i][r].mean_ns *= factor;
        }
}

void scene_store(struct scene *stored, size_t runs, struct kg_baseline *baseline)
{
    *baseline = (struct kg_baseline){
        .fingerprint = "public", .machine = stored[0].results.machine, .run_count = runs};
    baseline->runs = kg_arena_alloc(&baseline->arena, runs, sizeof *baseline->runs);
    for (size_t r = 0; r < runs; r++)
        if (!baseline->runs)
            exit(2);
        else
            kg_baseline_run_make(&baseline->arena, &stored[r].results, &baseline->runs[r]);
}
