/* bisect_pairs.c: one commit's build against the good build. The pairs are those of `ab`; only their number is decided
 * otherwise: the two levels are known, so a sequential test ends sooner than a comparison. */
#include <inttypes.h>
#include <math.h>

#include "base/hash.h"
#include "base/process/interrupt.h"
#include "base/statistics/stats.h"
#include "gate/bisect_parts.h"
#include "gate/round_allocation.h"
#include "model/disturbance.h"
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

/* Appends the log ratios of the judged rounds.
 * confirming  of the confirming rounds only */
static void logs_take(const struct kg_case_result *head, bool confirming,
                      struct kg_bisect_pairs *pairs)
{
    pairs->count = 0;
    for (size_t i = 0; i < head->round_count; i++)
        if (head->rounds[i].base_ratio > 0 && kg_round_judged(head, i) &&
            (!confirming || head->rounds[i].confirms))
            pairs->logs[pairs->count++] = log(head->rounds[i].base_ratio);
}

void kg_bisect_pairs_of(const struct kg_case_result *head, struct kg_arena *arena,
                        struct kg_bisect_pairs *pairs)
{
    *pairs = (struct kg_bisect_pairs){
        .logs = kg_arena_alloc(arena, head->round_count, sizeof *pairs->logs)};
    logs_take(head, true, pairs);
    if (pairs->count < 2)
        logs_take(head, false, pairs);
}

/* Measures until the pairs suffice. Disturbed rounds are not judged, so they do not count. */
static bool rounds_measure(struct kg_pairing *pairing, const struct kg_settings *settings,
                           struct kg_bisect_levels levels, struct kg_arena *arena,
                           struct kg_bisect_pairs *pairs, struct kg_error *err)
{
    const struct kg_case_result *head = &pairing->head.results.cases[0];
    for (size_t wanted = settings->rounds_min; head->status == KG_STATUS_OK || !head->round_count;
         wanted++) {
        if (!kg_pairing_rounds(pairing, &wanted, false, err))
            return false;
        if (kg_run_interrupted(&pairing->head))
            return kg_error_set(err, KG_ERROR_INTERRUPTED,
                                "interrupted; the same command continues the search");
        if (head->round_count < wanted)
            break;
        pairs->logs = kg_arena_alloc(arena, head->round_count, sizeof *pairs->logs);
        logs_take(head, false, pairs);
        if (wanted >= settings->rounds_max ||
            (pairs->count &&
             kg_bisect_pairs_enough(levels.good, levels.bad, kg_mean(pairs->logs, pairs->count),
                                    pairs->count, levels.deviation)))
            break;
    }
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
    const bool good =
        rounds_measure(&pairing, &one->plan.cases[0].spec->settings, levels, arena, pairs, err);
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
