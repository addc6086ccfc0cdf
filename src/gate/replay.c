#include "gate/calibrate.h"

#include <math.h>

#include "model/series.h"

/* Whether a series has one value per recorded round. */
static bool by_round(const struct kg_replay *replay, size_t index, size_t at)
{
    const struct kg_case_result *recorded = &replay->recorded->cases[index];
    const struct kg_series *series = &recorded->series[at];
    return kg_series_by_round(series) && series->value_count == recorded->round_count;
}

/* Series by round start empty and grow with the rounds. Other series are complete from the start. */
static void series_start(struct kg_replay *replay, size_t index)
{
    struct kg_case_result *shown = &replay->shown.cases[index];
    struct kg_series *series = kg_arena_alloc(&replay->arena, shown->series_count, sizeof *series);
    for (size_t c = 0; c < shown->series_count; c++) {
        series[c] = shown->series[c];
        if (!by_round(replay, index, c))
            continue;
        series[c].value_count = 0;
        series[c].values =
            kg_arena_alloc(&replay->arena, shown->series[c].value_count, sizeof *series[c].values);
    }
    shown->series = series;
}

void kg_replay_start(struct kg_replay *replay, const struct kg_results *recorded,
                     const double *factors)
{
    *replay = (struct kg_replay){.shown = *recorded, .recorded = recorded, .factors = factors};
    replay->shown.arena = (struct kg_arena){0};
    replay->shown.cases =
        kg_arena_alloc(&replay->arena, recorded->case_count, sizeof *replay->shown.cases);
    for (size_t i = 0; i < recorded->case_count; i++) {
        struct kg_case_result *shown = &replay->shown.cases[i];
        *shown = recorded->cases[i];
        shown->rounds = kg_arena_alloc(&replay->arena, shown->round_count, sizeof *shown->rounds);
        shown->round_count = 0;
        shown->code = (struct kg_code_identity){
            0}; /* otherwise the equal code would decide, and not the times */
        series_start(replay, i);
    }
}

static void round_show(struct kg_replay *replay, size_t index, size_t r)
{
    const struct kg_case_result *recorded = &replay->recorded->cases[index];
    struct kg_case_result *shown = &replay->shown.cases[index];
    const double factor = replay->factors ? replay->factors[index] : 1;
    struct kg_round *round = &shown->rounds[shown->round_count++];
    *round = recorded->rounds[r];
    round->median_ns *= factor;
    round->base_ratio *= factor;
    for (size_t c = 0; c < shown->series_count; c++)
        if (by_round(replay, index, c))
            shown->series[c].values[shown->series[c].value_count++] = recorded->series[c].values[r];
}

/* Shows further rounds of one kind until the case has `wanted` rounds. */
static void case_show(struct kg_replay *replay, size_t index, size_t wanted, bool confirm)
{
    const struct kg_case_result *recorded = &replay->recorded->cases[index];
    struct kg_case_result *shown = &replay->shown.cases[index];
    size_t of_kind = 0, seen = 0;
    for (size_t r = 0; r < shown->round_count; r++)
        of_kind += shown->rounds[r].confirms == confirm;
    for (size_t r = 0; r < recorded->round_count && shown->round_count < wanted; r++)
        if (recorded->rounds[r].confirms == confirm && seen++ >= of_kind)
            round_show(replay, index, r);
}

static bool measure(void *user, const size_t *wanted, bool confirm, struct kg_error *err)
{
    struct kg_replay *replay = user;
    (void)err;
    for (size_t i = 0; i < replay->shown.case_count; i++) {
        case_show(replay, i, wanted[i], confirm);
        kg_case_summarize(&replay->shown.cases[i]);
    }
    return true;
}

static double no_time(void *user)
{
    (void)user;
    return 0;
}

static bool never(void *user)
{
    (void)user;
    return false;
}

bool kg_replay_run(struct kg_replay *replay, const struct kg_round_limits *limits,
                   const struct kg_baseline *baseline, struct kg_comparison *comparison,
                   struct kg_error *err)
{
    const struct kg_sequence sequence = {.measure = measure,
                                         .elapsed_ns = no_time,
                                         .stopped = never,
                                         .user = replay,
                                         .limits = limits,
                                         .budget_ns = INFINITY};
    return kg_sequence_run(&sequence, baseline, &replay->shown, comparison, err);
}

void kg_replay_free(struct kg_replay *replay)
{
    kg_arena_free(&replay->arena);
    *replay = (struct kg_replay){0};
}
