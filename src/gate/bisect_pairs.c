/* bisect_pairs.c: one commit's build against the good build. The pairs are those of `ab`; only their number is decided
 * otherwise: the two levels are known, so a sequential test ends sooner than a comparison. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "base/process/interrupt.h"
#include "base/statistics/stats.h"
#include "gate/bisect_parts.h"
#include "gate/round_allocation.h"
#include "model/disturbance.h"
#include "model/series.h"
#include "run/case_result.h"
#include "run/pairing.h"

void kg_bisect_case_make(const struct kg_prepared_suite *what, size_t index,
                         struct kg_bisect_case *one)
{
    one->plan = (struct kg_plan){.cases = &what->plan->cases[index],
                                 .case_count = 1,
                                 .left_out = what->plan->case_count - 1};
    one->what = *what;
    one->what.plan = &one->plan;
}

static const double *values_of(struct kg_arena *arena, const struct kg_case_result *result,
                               const char *metric)
{
    for (size_t i = 0; i < result->series_count; i++)
        if (!strcmp(result->series[i].name, metric) && kg_series_by_round(&result->series[i]) &&
            kg_series_count(result, &result->series[i]) == result->round_count)
            return kg_series_values(arena, result, &result->series[i]);
    return NULL;
}

/* Log ratio of round i: of the time as the two processes alternated, of another metric by its two values. NaN: none. */
static double log_ratio(const struct kg_case_result *head, const double *base_values,
                        const double *head_values, size_t i)
{
    return head_values && base_values ? log(head_values[i] / base_values[i])
                                      : log(head->rounds[i].base_ratio);
}

/* Fills the log ratios of the judged rounds.
 * confirming  of the confirming rounds only */
static void logs_take(const struct kg_bisect_sides *sides, bool confirming, struct kg_arena *arena,
                      struct kg_bisect_pairs *pairs)
{
    const struct kg_case_result *base = sides->base, *head = sides->head;
    const bool time = !strcmp(sides->metric, "time");
    const double *base_values = time ? NULL : values_of(arena, base, sides->metric);
    const double *head_values = time ? NULL : values_of(arena, head, sides->metric);
    pairs->count = 0;
    pairs->logs = kg_arena_alloc(arena, head->round_count, sizeof *pairs->logs);
    if (!time && (!base_values || !head_values))
        return;
    for (size_t i = 0; i < head->round_count && i < base->round_count; i++) {
        const double ratio = log_ratio(head, base_values, head_values, i);
        if (isfinite(ratio) && kg_round_judged(head, i) &&
            (!confirming || head->rounds[i].confirms))
            pairs->logs[pairs->count++] = ratio;
    }
}

void kg_bisect_pairs_of(const struct kg_bisect_sides *sides, struct kg_arena *arena,
                        struct kg_bisect_pairs *pairs)
{
    *pairs = (struct kg_bisect_pairs){0};
    logs_take(sides, true, arena, pairs);
    if (pairs->count < 2)
        logs_take(sides, false, arena, pairs);
}

/* Whether no round counts, because all were disturbed. Such rounds say nothing about a build. */
static bool is_busy(const struct kg_case_result *head, struct kg_error *err)
{
    const struct kg_disturbance found = kg_disturbance_of(head);
    if (!found.spoilt || found.judged)
        return false;
    kg_error_set(err, KG_ERROR_UNDECIDED,
                 "the machine is too busy: %zu of %zu rounds waited too long for a CPU. The same "
                 "command continues the search",
                 found.spoilt, found.rounds);
    return true;
}

/* Measures until the pairs suffice. Disturbed rounds are not judged, so they do not count. */
static bool rounds_measure(struct kg_pairing *pairing, const struct kg_settings *settings,
                           const char *metric, struct kg_bisect_levels levels,
                           struct kg_arena *arena, struct kg_bisect_pairs *pairs,
                           struct kg_error *err)
{
    const struct kg_case_result *head = &pairing->head.results.cases[0];
    const struct kg_bisect_sides sides = {&pairing->base.results.cases[0], head, metric};
    for (size_t wanted = settings->rounds_min; head->status == KG_STATUS_OK || !head->round_count;
         wanted++) {
        if (!kg_pairing_rounds(pairing, &wanted, false, err))
            return false;
        if (kg_run_interrupted(&pairing->head))
            return kg_error_set(err, KG_ERROR_INTERRUPTED,
                                "interrupted; the same command continues the search");
        if (head->round_count < wanted)
            break;
        logs_take(&sides, false, arena, pairs);
        if (wanted >= settings->rounds_max ||
            (pairs->count &&
             kg_bisect_pairs_enough(levels.good, levels.bad,
                                    kg_bisect_level(pairs->logs, pairs->count, levels.deviation))))
            break;
    }
    if (!pairs->count && !head->reason && is_busy(head, err))
        return false;
    if (!pairs->count)
        pairs->failure =
            kg_arena_keep(arena, head->reason ? head->reason : "it cannot be measured");
    return true;
}

bool kg_bisect_pairs_measure(const struct kg_bisect_case *one, const struct kg_build *base,
                             const struct kg_build *head, struct kg_bisect_levels levels,
                             struct kg_progress progress, struct kg_arena *arena,
                             struct kg_bisect_pairs *pairs, struct kg_error *err)
{
    struct kg_pairing pairing;
    const struct kg_pairing_options options = {
        .progress = progress, .bases = &base, .heads = &head, .tests = 1};
    *pairs = (struct kg_bisect_pairs){0};
    if (!kg_pairing_begin(&pairing, &one->what, &options, err))
        return false;
    kg_allocate_pairs_first(&pairing);
    const bool good = rounds_measure(&pairing, &one->plan.cases[0].spec->settings, one->metric,
                                     levels, arena, pairs, err);
    kg_pairing_end(&pairing);
    kg_pairing_free(&pairing);
    return good;
}

const char *kg_bisect_code(const struct kg_bisect_case *one, const struct kg_build *build,
                           struct kg_arena *arena)
{
    struct kg_results results = {0};
    const char *digits = NULL;
    const bool skips = one->plan.cases[0].spec->settings.unchanged_code == KG_UNCHANGED_SKIP;
    kg_results_start(&results, one->what.suite, &one->plan, one->what.machine, NULL);
    kg_builds_apply(&build, &one->plan, &results);
    const struct kg_code_identity *code = &results.cases[0].code;
    if (code->hash &&
        (code->scope == KG_CODE_WITH_LIBRARIES || (skips && code->scope == KG_CODE_WITH_FILES))) {
        uint64_t hash = kg_hash_string(KG_HASH_START, code->hash);
        for (size_t i = 0; i < code->library_count; i++)
            hash = kg_hash_string(hash, code->libraries[i]);
        digits = kg_arena_printf(arena, "%016" PRIx64, hash);
    }
    kg_arena_free(&results.arena);
    return digits;
}
