/* bisect_ends.c: the comparisons by `ab` at both ends of a search. It begins with good against bad, because a slowdown
 * that is gone needs no search. It ends with the culprit against its parent, and with the bad end without the
 * culprit. */
#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/statistics/stats.h"
#include "gate/ab.h"
#include "gate/bisect_parts.h"

/* Two builds to compare by `ab`, the baseline first. */
struct sides {
    const char *folders[2];
    const char *commits[2]; /* names for the reports: HEAD of the user's checkout is neither */
    const char *name;       /* folder of the reports within that of the search */
    double budget_ns;
};

static const char *short_hash(const struct kg_bisect_search *search, size_t index)
{
    return kg_arena_printf(&search->bisect->arena, "%.12s", search->bisect->commits[index].hash);
}

static struct sides sides_of(const struct kg_bisect_search *search, size_t base, size_t head,
                             const char *name)
{
    const struct kg_bisect_commit *commits = search->bisect->commits;
    return (struct sides){.folders = {commits[base].folder, commits[head].folder},
                          .commits = {short_hash(search, base), short_hash(search, head)},
                          .name = name,
                          .budget_ns = kg_bisect_left_ns(search)};
}

/* One comparison of two builds by `ab`. */
static bool compare(const struct kg_bisect_search *search, const struct kg_prepared_suite *what,
                    const struct sides *sides, struct kg_ab *ab, struct kg_error *err)
{
    struct kg_arena *arena = &search->bisect->arena;
    struct kg_build builds[2];
    for (size_t i = 0; i < 2; i++) {
        const char *label = kg_arena_printf(arena, "the build of %s", sides->commits[i]);
        if (!kg_build_resolve(arena, label, sides->folders[i], &builds[i], err))
            return false;
        builds[i].commit = sides->commits[i];
    }
    const struct kg_ab_options options = {
        .base_build = &builds[0],
        .head_build = &builds[1],
        .directory = kg_arena_printf(arena, "%s/%s", search->options->directory, sides->name),
        .budget_ns = sides->budget_ns,
        .progress = search->options->progress};
    if (!kg_ab_run(what, &options, ab, err))
        return false;
    return !ab->signal || kg_error_set(err, KG_ERROR_INTERRUPTED,
                                       "interrupted; the same command continues the search");
}

/* The searched metric of the one compared case; NULL: it was not compared. */
static const struct kg_metric *metric_of(const struct kg_ab *ab, const char *name)
{
    if (!ab->comparison.case_count)
        return NULL;
    const struct kg_case_change *change = &ab->comparison.cases[0];
    for (size_t m = 0; m < change->metric_count; m++)
        if (!strcmp(change->metrics[m].name, name) &&
            kg_metric_against(&change->metrics[m]) != KG_AGAINST_BUDGET)
            return &change->metrics[m];
    return NULL;
}

/* Whether `ab` measured no pairs, because both builds have the same code. */
static bool is_same_code(const struct kg_ab *ab)
{
    return ab->comparison.case_count && ab->comparison.cases[0].not_measured;
}

/* Effect of a change for the worse over the width of its interval; 0: none, or the metric has no value per round, or
 * more is better. */
static double clarity(const struct kg_ab *ab, const struct kg_case_change *change,
                      const struct kg_metric *metric)
{
    struct kg_arena scratch = {0};
    struct kg_bisect_pairs pairs;
    const struct kg_bisect_sides sides = {&ab->base->cases[change->order],
                                          &ab->head->cases[change->order], metric->name};
    if (metric->change != KG_CHANGE_REGRESSION || !(metric->ratio > 1) ||
        kg_metric_against(metric) == KG_AGAINST_BUDGET)
        return 0;
    kg_bisect_pairs_of(&sides, &scratch, &pairs);
    kg_arena_free(&scratch);
    if (pairs.count < 2)
        return 0;
    const double width = log(metric->interval_high / metric->interval_low);
    return log(metric->ratio) / (width > 1e-6 ? width : 1e-6);
}

/* The clearest change for the worse. */
struct choice {
    const struct kg_case_change *change; /* NULL: none */
    const struct kg_metric *metric;
    double clear;
    size_t cases; /* number of cases with one */
};

static struct choice case_choose(const struct kg_ab *ab)
{
    struct choice best = {0};
    for (size_t i = 0; i < ab->comparison.case_count; i++) {
        const struct kg_case_change *change = &ab->comparison.cases[i];
        bool any = false;
        for (size_t m = 0; m < change->metric_count; m++) {
            const double clear = clarity(ab, change, &change->metrics[m]);
            any = any || clear > 0;
            if (clear > best.clear)
                best = (struct choice){change, &change->metrics[m], clear, best.cases};
        }
        best.cases += any;
    }
    return best;
}

/* Whether the ends may differ. A regression of a metric without a value per round cannot be searched. */
static bool is_unclear(enum kg_change change)
{
    return change == KG_CHANGE_SUSPECT || change == KG_CHANGE_INCONCLUSIVE ||
           change == KG_CHANGE_REGRESSION;
}

/* Takes an undecided change to report it, if it is the largest. */
static void unclear_note(struct kg_bisect *bisect, const struct kg_case_change *change)
{
    if (!is_unclear(change->change))
        return;
    bisect->state = KG_BISECT_UNCLEAR;
    for (size_t m = 0; m < change->metric_count; m++) {
        const struct kg_metric *metric = &change->metrics[m];
        if (kg_metric_against(metric) == KG_AGAINST_BUDGET || !(metric->ratio > 0) ||
            !is_unclear(metric->change) || log(metric->ratio) <= bisect->effect)
            continue;
        bisect->id_of_case = kg_arena_copy(&bisect->arena, change->id);
        bisect->metric = kg_arena_copy(&bisect->arena, metric->name);
        bisect->effect = log(metric->ratio);
        bisect->low = log(metric->interval_low);
        bisect->high = log(metric->interval_high);
    }
}

/* The state without a slower case. A case that one end cannot measure is an error. */
static bool absent_set(struct kg_bisect *bisect, const struct kg_comparison *comparison,
                       struct kg_error *err)
{
    bisect->state = KG_BISECT_ABSENT;
    for (size_t i = 0; i < comparison->case_count; i++) {
        const struct kg_case_change *change = &comparison->cases[i];
        if (change->change == KG_CHANGE_FAILED || change->unpaired)
            return kg_error_set(err, KG_ERROR_MEASURE, "%.200s cannot be measured at an end: %s",
                                change->id, change->reason ? change->reason : "it fails");
        unclear_note(bisect, change);
    }
    return true;
}

/* Starts the search with the pairs of the chosen case. */
static void case_take(struct kg_bisect_search *search, const struct choice *choice,
                      const struct kg_ab *ab)
{
    struct kg_bisect *bisect = search->bisect;
    struct kg_bisect_pairs pairs;
    const struct kg_case_change *change = choice->change;
    const struct kg_bisect_sides sides = {&ab->base->cases[change->order],
                                          &ab->head->cases[change->order], choice->metric->name};
    kg_bisect_pairs_of(&sides, &bisect->arena, &pairs);
    bisect->metric = kg_arena_copy(&bisect->arena, choice->metric->name);
    struct kg_bisect_commit *bad = &bisect->commits[bisect->commit_count - 1];
    bad->pairs = pairs.logs;
    bad->pair_count = pairs.count;
    bad->status = bisect->commits[0].status = KG_BISECT_MEASURED;
    bisect->id_of_case = kg_arena_copy(&bisect->arena, change->id);
    bisect->definition =
        kg_arena_copy(&bisect->arena, search->what->plan->cases[change->order].definition_hash);
    bisect->effect = log(choice->metric->ratio);
    bisect->state = KG_BISECT_SEARCHING;
}

bool kg_bisect_ends_measure(struct kg_bisect_search *search, struct kg_error *err)
{
    struct kg_bisect *bisect = search->bisect;
    struct kg_ab ab;
    struct sides sides = sides_of(search, 0, bisect->commit_count - 1, "ends");
    sides.budget_ns = INFINITY; /* without this comparison both builds are useless */
    kg_bisect_note(search, "comparing the ends");
    bool fine = compare(search, search->what, &sides, &ab, err);
    if (fine) {
        const struct choice choice = case_choose(&ab);
        bisect->others = choice.cases ? choice.cases - 1 : 0;
        if (choice.change) {
            case_take(search, &choice, &ab);
            kg_bisect_weigh(search, kg_suggestions_made(&ab.suggestions));
        } else
            fine = absent_set(bisect, &ab.comparison, err);
    }
    kg_ab_free(&ab);
    return fine && kg_bisect_save(search, err);
}

/* --- Proof ------------------------------------------------------------------------------------ */

size_t kg_bisect_built_near(const struct kg_bisect *bisect, size_t from, int step)
{
    for (size_t c = from; c < bisect->commit_count; c += (size_t)step)
        if (bisect->commits[c].folder)
            return c;
    return step < 0 ? 0 : bisect->commit_count - 1;
}

/* The place in the code that the differential profile names; NULL: none. */
static const char *place_of(struct kg_arena *arena, const struct kg_suggestions *suggestions)
{
    for (size_t i = 0; i < suggestions->change_count; i++)
        if (kg_evidence_is_place(&suggestions->changes[i]))
            return kg_arena_keep(arena, suggestions->changes[i].text);
    return NULL;
}

/* Builds a commit of the proof that the search did not need. Returns its index, or that of the nearest build. */
static bool proof_build(struct kg_bisect_search *search, size_t wanted, int step, size_t *index,
                        struct kg_error *err)
{
    struct kg_bisect *bisect = search->bisect;
    bool late;
    if (!bisect->commits[wanted].folder &&
        bisect->commits[wanted].status != KG_BISECT_UNBUILDABLE && kg_bisect_has_build(search) &&
        !kg_bisect_commit_build(search, wanted, &late, err))
        return false;
    *index = kg_bisect_built_near(bisect, wanted, step);
    return true;
}

static bool parent_compare(struct kg_bisect_search *search, struct kg_bisect_cause *cause,
                           const char *name, struct kg_error *err)
{
    struct kg_bisect *bisect = search->bisect;
    struct kg_ab ab;
    size_t culprit;
    if (!proof_build(search, cause->first - 1, -1, &cause->parent, err) ||
        !proof_build(search, cause->last, 1, &culprit, err))
        return false;
    if (kg_bisect_left_ns(search) <= 0)
        return true;
    kg_bisect_note(search, "proving: %.12s against %.12s", bisect->commits[culprit].hash,
                   bisect->commits[cause->parent].hash);
    const struct sides sides = sides_of(search, cause->parent, culprit, name);
    const bool good = compare(search, &search->one.what, &sides, &ab, err);
    const struct kg_metric *metric = good ? metric_of(&ab, bisect->metric) : NULL;
    if (metric) {
        cause->proof_ratio = metric->ratio;
        cause->proof_low = metric->interval_low;
        cause->proof_high = metric->interval_high;
        cause->proven = metric->change == KG_CHANGE_REGRESSION;
        cause->place = place_of(&bisect->arena, &ab.suggestions);
        cause->refuted =
            metric->change == KG_CHANGE_NO_CHANGE || metric->change == KG_CHANGE_IMPROVEMENT;
    }
    if (good && is_same_code(&ab)) {
        cause->proof_ratio = cause->proof_low = cause->proof_high = 1;
        cause->refuted = true;
    }
    kg_ab_free(&ab);
    return good;
}

/* Measures the bad end with the cause reverted. */
static bool reverted_compare(struct kg_bisect_search *search, struct kg_bisect_cause *cause,
                             const char *place, const char *name, struct kg_error *err)
{
    struct kg_bisect *bisect = search->bisect;
    struct kg_ab ab;
    const size_t bad = bisect->commit_count - 1;
    struct sides sides = sides_of(search, bad, bad, name);
    sides.folders[1] = place;
    sides.commits[1] = kg_arena_printf(&bisect->arena, "%s without %s", sides.commits[0],
                                       short_hash(search, cause->last));
    const bool good = compare(search, &search->one.what, &sides, &ab, err);
    const struct kg_metric *metric = good ? metric_of(&ab, bisect->metric) : NULL;
    if (metric) {
        cause->revert_ratio = metric->ratio;
        cause->revert = metric->change == KG_CHANGE_IMPROVEMENT ? KG_REVERT_FASTER : KG_REVERT_SAME;
    } else
        cause->revert = good && is_same_code(&ab) ? KG_REVERT_SAME : KG_REVERT_UNBUILDABLE;
    kg_ab_free(&ab);
    return good;
}

static bool revert_test(struct kg_bisect_search *search, struct kg_bisect_cause *cause,
                        const char *name, struct kg_error *err)
{
    struct kg_bisect *bisect = search->bisect;
    const struct kg_bisect_commit *bad = &bisect->commits[bisect->commit_count - 1];
    struct kg_bisect_build build;
    search->builder.left_ns = kg_bisect_left_ns(search);
    kg_bisect_note(search, "building %.12s without %.12s", bad->hash,
                   bisect->commits[cause->last].hash);
    if (!kg_bisect_build(&search->builder, bad->hash, bisect->commits[cause->last].hash, &build,
                         err))
        return false;
    bisect->builds += build.ran;
    cause->revert = build.outcome == KG_BISECT_CONFLICTS ? KG_REVERT_CONFLICTS
                    : build.outcome == KG_BISECT_FAILED  ? KG_REVERT_UNBUILDABLE
                                                         : KG_REVERT_UNTRIED;
    if (build.outcome != KG_BISECT_BUILT)
        return true;
    const bool good = reverted_compare(search, cause, build.place, name, err);
    kg_bisect_build_remove(&search->builder, build.place);
    return good;
}

bool kg_bisect_prove(struct kg_bisect_search *search, struct kg_bisect_cause *cause,
                     struct kg_error *err)
{
    struct kg_arena *arena = &search->bisect->arena;
    const size_t number = (size_t)(cause - search->bisect->causes) + 1;
    const char *proof = kg_arena_printf(arena, "proof-%zu", number);
    const char *revert = kg_arena_printf(arena, "revert-%zu", number);
    return parent_compare(search, cause, proof, err) &&
           (cause->first != cause->last || !kg_bisect_has_build(search) ||
            kg_bisect_left_ns(search) <= 0 || revert_test(search, cause, revert, err));
}
