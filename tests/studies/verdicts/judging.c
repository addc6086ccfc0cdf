#include "judging.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gate/calibrate.h"
#include "rules.h"

/* Results with the twenty cases of a recorded run. With `slow`, a slowed case replaces its plain
 * case. */
struct suite_view {
    struct kg_results results;
    struct kg_case_result cases[CASES];
};

static void view_make(const struct kg_results *run, size_t place, size_t slow,
                      struct suite_view *view)
{
    view->results = *run;
    memcpy(view->cases, run->cases, sizeof view->cases);
    if (slow < run->case_count) {
        const struct kg_case_result *plain = &run->cases[place];
        view->cases[place] = run->cases[slow];
        view->cases[place].id = plain->id;
        view->cases[place].definition_hash = plain->definition_hash;
    }
    view->results.cases = view->cases;
    view->results.case_count = CASES;
}

/* Leaves rounds.max of each case, like `gate --update-missing`: removes the confirming rounds at
 * the end. */
static void screening_only(struct suite_view *view)
{
    for (size_t i = 0; i < CASES; i++)
        while (view->cases[i].round_count &&
               view->cases[i].rounds[view->cases[i].round_count - 1].confirms)
            view->cases[i].round_count--;
}

/* Stores `stored` runs for the gate of `current`: other runs, from `first` on. */
static bool store_make(const struct recording *recording, size_t current, size_t first,
                       size_t stored, struct suite_view *views, struct kg_baseline *baseline,
                       struct kg_error *err)
{
    *baseline = (struct kg_baseline){.fingerprint = recording->runs[0].machine.fingerprint,
                                     .machine = recording->runs[0].machine};
    baseline->runs = kg_arena_alloc(&baseline->arena, stored, sizeof *baseline->runs);
    if (!baseline->runs)
        return kg_error_memory(err);
    for (size_t k = 0; baseline->run_count < stored && k < recording->run_count; k++) {
        const size_t i = (first + k) % recording->run_count;
        struct suite_view *view = &views[baseline->run_count];
        if (i == current)
            continue;
        view_make(&recording->runs[i], 0, SIZE_MAX, view);
        screening_only(view);
        kg_baseline_run_make(&baseline->arena, &view->results,
                             &baseline->runs[baseline->run_count++]);
    }
    return true;
}

static bool gate(const struct kg_baseline *baseline, const struct suite_view *view,
                 struct kg_comparison *comparison, struct kg_error *err)
{
    struct kg_round_limits limits[CASES];
    struct kg_replay replay;
    for (size_t i = 0; i < CASES; i++)
        limits[i] = (struct kg_round_limits){ROUNDS_LEAST, recorded_rounds[recorded_workload(i)]};
    kg_replay_start(&replay, &view->results, NULL);
    const bool good = kg_replay_run(&replay, limits, baseline, comparison, err);
    kg_replay_free(&replay);
    return good;
}

static void unchanged_note(const struct kg_comparison *comparison, struct score *score)
{
    size_t alarms = 0;
    for (size_t i = 0; i < comparison->case_count; i++) {
        alarms += comparison->cases[i].change == KG_CHANGE_REGRESSION;
        score->doubts += comparison->cases[i].change == KG_CHANGE_SUSPECT ||
                         comparison->cases[i].change == KG_CHANGE_INCONCLUSIVE;
        score->rounds += (double)comparison->cases[i].rounds;
    }
    score->gates++;
    score->gate_alarms += alarms > 0;
    score->case_alarms += alarms;
}

static void slowed_note(const struct kg_comparison *comparison, size_t w, size_t s,
                        struct score *score)
{
    score->tried[s][w]++;
    for (size_t i = 0; i < comparison->case_count; i++)
        if (comparison->cases[i].order == recorded_plain(w))
            score->caught[s][w] += comparison->cases[i].change == KG_CHANGE_REGRESSION;
}

/* One run against one store: unchanged, and each workload at each slowdown. */
static bool run_judge(const struct recording *recording, const struct kg_baseline *baseline,
                      size_t current, struct score *score, struct kg_error *err)
{
    struct kg_comparison comparison;
    struct suite_view view;
    view_make(&recording->runs[current], 0, SIZE_MAX, &view);
    if (!gate(baseline, &view, &comparison, err))
        return false;
    unchanged_note(&comparison, score);
    kg_comparison_free(&comparison);
    for (size_t w = 0; w < WORKLOADS; w++)
        for (size_t s = 0; s < SLOWDOWNS; s++) {
            view_make(&recording->runs[current], recorded_plain(w), recorded_slow(w, s), &view);
            if (!gate(baseline, &view, &comparison, err))
                return false;
            slowed_note(&comparison, w, s, score);
            kg_comparison_free(&comparison);
        }
    return true;
}

bool kgate_judge(const struct recording *recording, size_t stored, struct score *score,
                 struct kg_error *err)
{
    struct suite_view *views = calloc(stored, sizeof *views);
    bool good = views || kg_error_memory(err);
    for (size_t j = 0; j < recording->run_count && good; j++)
        for (size_t i = 0; i < recording->run_count && good; i++) {
            struct kg_baseline baseline = {0};
            if (i == j)
                continue;
            good = store_make(recording, j, i, stored, views, &baseline, err) &&
                   run_judge(recording, &baseline, j, score, err);
            kg_baseline_free(&baseline);
        }
    free(views);
    return good;
}

enum { SAMPLES_MOST = ROUNDS_MOST * KG_ROUND_SAMPLES_MOST };

/* The samples of a recorded case as a rule takes them. */
struct flat {
    double ns[SAMPLES_MOST];
    double medians[ROUNDS_MOST];
    struct rule_samples samples;
};

static void flat_make(const struct kg_case_result *result, struct flat *flat)
{
    size_t count = 0, rounds = 0;
    for (size_t r = 0; r < result->round_count && rounds < ROUNDS_MOST; r++) {
        const struct kg_round *round = &result->rounds[r];
        if (round->confirms)
            continue;
        flat->medians[rounds++] = round->median_ns;
        for (size_t i = 0; i < round->sample_count; i++)
            flat->ns[count++] = round->samples_ns[i];
    }
    flat->samples = (struct rule_samples){flat->ns, count, flat->medians, rounds};
}

bool rule_judge(const struct recording *recording, size_t index, struct score *score,
                struct kg_error *err)
{
    const size_t runs = recording->run_count, cases = recording->runs[0].case_count;
    struct flat *flats = calloc(runs * cases, sizeof *flats);
    if (!flats)
        return kg_error_memory(err);
    for (size_t r = 0; r < runs; r++)
        for (size_t c = 0; c < cases; c++)
            flat_make(&recording->runs[r].cases[c], &flats[r * cases + c]);
    for (size_t i = 0; i < runs; i++)
        for (size_t j = 0; j < runs; j++) {
            size_t alarms = 0;
            if (i == j)
                continue;
            for (size_t c = 0; c < CASES; c++)
                alarms += rules[index].judge(&flats[i * cases + c].samples,
                                             &flats[j * cases + c].samples) == RULE_SLOWER;
            score->gates++;
            score->gate_alarms += alarms > 0;
            score->case_alarms += alarms;
            for (size_t c = 0; c < CASES; c++)
                score->rounds += (double)flats[j * cases + c].samples.round_count;
            for (size_t w = 0; w < WORKLOADS; w++)
                for (size_t s = 0; s < SLOWDOWNS; s++) {
                    score->tried[s][w]++;
                    score->caught[s][w] +=
                        rules[index].judge(&flats[i * cases + recorded_plain(w)].samples,
                                           &flats[j * cases + recorded_slow(w, s)].samples) ==
                        RULE_SLOWER;
                }
        }
    free(flats);
    return true;
}
