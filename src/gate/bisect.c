/* bisect.c: the order of a search: ends, builds and pairs until the posterior is sure, proof. Every step ends with a
 * new bisect.json. */
#include <math.h>
#include <string.h>

#include "gate/bisect_parts.h"

/* A twentieth of the effect is no cause, however quiet the pairs are. */
static const double OFFSET_LEAST = 0.05;

/* --- The posterior of the search so far ------------------------------------------------------- */

/* Arrays for the posterior, by commit. */
struct view {
    struct kg_arena arena;
    struct kg_bisect_range range;
    struct kg_bisect_posterior posterior;
};

/* Prior weights. The commits between two builds of the same code cannot matter. */
static double *weights_make(const struct kg_bisect *bisect, struct kg_arena *arena)
{
    double *weights = kg_arena_alloc(arena, bisect->commit_count, sizeof *weights);
    size_t before = 0;
    for (size_t c = 1; c < bisect->commit_count; c++)
        weights[c] =
            bisect->commits[c].status == KG_BISECT_LEFT_OUT ? 0 : bisect->commits[c].weight;
    for (size_t c = 1; c < bisect->commit_count; c++) {
        if (bisect->commits[c].status != KG_BISECT_MEASURED &&
            bisect->commits[c].status != KG_BISECT_SAME)
            continue;
        const char *code = bisect->commits[c].code;
        if (code && kg_bisect_text_same(code, bisect->commits[before].code))
            for (size_t between = before + 1; between <= c; between++)
                weights[between] = 0;
        before = c;
    }
    return weights;
}

static struct kg_bisect_point point_of(const struct kg_bisect_commit *commit, size_t index,
                                       double deviation)
{
    const struct kg_bisect_level level =
        kg_bisect_level(commit->pairs, commit->pair_count, deviation);
    return (struct kg_bisect_point){index, level.mean, level.variance};
}

/* The commit's probabilities, the levels and the deviation from everything measured so far. */
static struct view view_make(struct kg_bisect *bisect)
{
    struct view view = {0};
    const size_t count = bisect->commit_count;
    enum kg_bisect_status *status = kg_arena_alloc(&view.arena, count, sizeof *status);
    struct kg_bisect_point *points = kg_arena_alloc(&view.arena, count, sizeof *points);
    size_t point_count = 0;
    bisect->deviation = kg_bisect_deviation(bisect);
    for (size_t c = 0; c < count; c++) {
        status[c] = bisect->commits[c].status;
        if (bisect->commits[c].pair_count)
            points[point_count++] = point_of(&bisect->commits[c], c, bisect->deviation);
    }
    view.range =
        (struct kg_bisect_range){.count = count - 1,
                                 .weights = weights_make(bisect, &view.arena),
                                 .status = status,
                                 .offset = fmax(bisect->offset, OFFSET_LEAST * bisect->effect),
                                 .effect = bisect->effect};
    view.posterior = kg_bisect_posterior(&view.range, points, point_count, &view.arena);
    return view;
}

static void probabilities_note(struct kg_bisect *bisect, const struct view *view,
                               const double *mass)
{
    bool *in = kg_arena_alloc(&bisect->arena, bisect->commit_count, sizeof *in);
    bisect->two = view->posterior.two;
    bisect->set = kg_bisect_set(&view->range, mass, in);
    for (size_t c = 0; c < bisect->commit_count; c++) {
        bisect->commits[c].probability = view->posterior.cause[c];
        bisect->commits[c].in_set = in[c];
    }
}

/* --- One build -------------------------------------------------------------------------------- */

/* Whether a built neighbour has the commit's code: the build then needs no pairs. */
static bool is_same(const struct kg_bisect *bisect, size_t index)
{
    const char *code = bisect->commits[index].code;
    const size_t older = kg_bisect_built_near(bisect, index - 1, -1);
    const size_t newer = kg_bisect_built_near(bisect, index + 1, 1);
    return code && (kg_bisect_text_same(code, bisect->commits[older].code) ||
                    kg_bisect_text_same(code, bisect->commits[newer].code));
}

static void measured_note(const struct kg_bisect_search *search, size_t index)
{
    const struct kg_bisect_commit *commit = &search->bisect->commits[index];
    const struct kg_bisect_level level =
        kg_bisect_level(commit->pairs, commit->pair_count, search->bisect->deviation);
    if (commit->status == KG_BISECT_SAME)
        kg_bisect_note(search, "%.12s has the code of a neighbour", commit->hash);
    else if (commit->status == KG_BISECT_UNBUILDABLE)
        kg_bisect_note(search, "%.12s cannot be measured: %s", commit->hash, commit->reason);
    else
        kg_bisect_note(search, "%.12s: %+.1f %% in %zu pairs", commit->hash,
                       100 * expm1(level.mean), commit->pair_count);
}

/* Whether the good build can still be measured. If not, a failure beside it says nothing about a commit. */
static bool good_check(struct kg_bisect_search *search, const struct kg_build *good,
                       struct kg_bisect_levels levels, struct kg_error *err)
{
    struct kg_bisect_pairs pairs;
    if (!kg_bisect_pairs_measure(&search->one, good, good, levels, search->options->progress,
                                 &search->bisect->arena, &pairs, err))
        return false;
    return !pairs.failure || kg_error_set(err, KG_ERROR_MEASURE,
                                          "the good build can no longer be measured: %s. The same "
                                          "command continues the search",
                                          pairs.failure);
}

static bool commit_measure(struct kg_bisect_search *search, size_t index,
                           const struct kg_bisect_target *target, struct kg_error *err)
{
    struct kg_bisect *bisect = search->bisect;
    struct kg_bisect_commit *commit = &bisect->commits[index];
    struct kg_build good, build;
    struct kg_bisect_pairs pairs;
    const struct kg_bisect_levels levels = {target->good, target->bad, bisect->deviation};
    if (!kg_build_resolve(&bisect->arena, "the good build", bisect->commits[0].folder, &good,
                          err) ||
        !kg_build_resolve(&bisect->arena, "the build", commit->folder, &build, err))
        return false;
    commit->code = kg_bisect_code(&search->one, &build, &bisect->arena);
    if (is_same(bisect, index)) {
        commit->status = KG_BISECT_SAME;
        return true;
    }
    if (!kg_bisect_pairs_measure(&search->one, &good, &build, levels, search->options->progress,
                                 &bisect->arena, &pairs, err) ||
        (pairs.failure && !good_check(search, &good, levels, err)))
        return false;
    commit->status = pairs.failure ? KG_BISECT_UNBUILDABLE : KG_BISECT_MEASURED;
    commit->reason = pairs.failure;
    if (pairs.failure) {
        kg_bisect_build_remove(&search->builder, commit->folder);
        commit->folder = NULL;
    }
    commit->pairs = pairs.logs;
    commit->pair_count = pairs.count;
    return true;
}

/* Builds and measures one commit.
 * late  set: the budget ended the build */
static bool commit_try(struct kg_bisect_search *search, size_t index,
                       const struct kg_bisect_target *target, bool *late, struct kg_error *err)
{
    struct kg_bisect_commit *commit = &search->bisect->commits[index];
    if (!kg_bisect_commit_build(search, index, late, err))
        return false;
    if (*late || commit->status == KG_BISECT_UNBUILDABLE)
        return true;
    if (!commit_measure(search, index, target, err))
        return false;
    measured_note(search, index);
    return kg_bisect_save(search, err);
}

/* --- The search ------------------------------------------------------------------------------- */

/* Whether the budget has time for one more build of the usual duration. */
static bool has_time(const struct kg_bisect_search *search)
{
    double seconds = 0, count = 0;
    for (size_t c = 0; c < search->bisect->commit_count; c++)
        if (!isnan(search->bisect->commits[c].seconds)) {
            seconds += search->bisect->commits[c].seconds;
            count++;
        }
    return kg_bisect_has_build(search) &&
           kg_bisect_left_ns(search) > (count > 0 ? 1e9 * seconds / count : 0);
}

/* From one level to the next. */
struct step {
    double size;          /* log ratio */
    size_t before, after; /* number of builds with the levels */
};

static void cause_add(struct kg_bisect *bisect, struct kg_bisect_group group, struct step step)
{
    bisect->causes[bisect->cause_count++] =
        (struct kg_bisect_cause){.first = group.first,
                                 .last = group.last,
                                 .probability = fmin(group.mass, 1),
                                 .ratio = exp(step.size),
                                 .builds_before = step.before,
                                 .builds_after = step.after,
                                 .parent = kg_bisect_built_near(bisect, group.first - 1, -1),
                                 .proof_ratio = NAN,
                                 .proof_low = NAN,
                                 .proof_high = NAN,
                                 .revert_ratio = NAN};
}

/* Lists the causes that are known so far, the larger step first. */
static void causes_note(struct kg_bisect *bisect, const struct view *view, double sure)
{
    const struct kg_bisect_posterior *posterior = &view->posterior;
    struct kg_bisect_group groups[2];
    bisect->causes = kg_arena_alloc(&bisect->arena, 2, sizeof *bisect->causes);
    bisect->cause_count = 0;
    if (!kg_bisect_is_two(posterior)) {
        groups[0] = kg_bisect_best(&view->range, posterior->cause);
        if (groups[0].mass >= sure)
            cause_add(bisect, groups[0],
                      (struct step){posterior->bad - posterior->good, posterior->good_builds,
                                    posterior->bad_builds});
        return;
    }
    const struct step steps[2] = {
        {posterior->middle - posterior->good, posterior->good_builds, posterior->middle_builds},
        {posterior->bad - posterior->middle, posterior->middle_builds, posterior->bad_builds}};
    groups[0] = kg_bisect_best(&view->range, posterior->first);
    groups[1] = kg_bisect_best(&view->range, posterior->second);
    for (size_t k = 0; k < 2; k++) {
        const size_t i = k == (steps[0].size < steps[1].size) ? 0 : 1;
        if (groups[i].mass >= sure)
            cause_add(bisect, groups[i], steps[i]);
    }
}

/* Whether commits between the ends fail and none is measured. The whole range is no finding. */
static bool is_unbuilt(const struct kg_bisect *bisect)
{
    bool any = false;
    for (size_t c = 1; c + 1 < bisect->commit_count; c++) {
        const enum kg_bisect_status status = bisect->commits[c].status;
        if (status == KG_BISECT_MEASURED || status == KG_BISECT_SAME)
            return false;
        any = any || status == KG_BISECT_UNBUILDABLE;
    }
    return any;
}

/* Takes one step: a build, or the end of the search. */
static bool step_take(struct kg_bisect_search *search, struct kg_error *err)
{
    struct kg_bisect *bisect = search->bisect;
    struct view view = view_make(bisect);
    const struct kg_bisect_choice choice = kg_bisect_choose(&view.range, &view.posterior);
    bool late = false, good = true;
    probabilities_note(bisect, &view, choice.target.mass);
    if (choice.next && has_time(search))
        good = commit_try(search, choice.next, &choice.target, &late, err);
    else
        late = choice.next != 0;
    if (late || !choice.next)
        bisect->state = choice.is_found ? KG_BISECT_FOUND
                        : late          ? KG_BISECT_BUDGET
                                        : KG_BISECT_SET_ONLY;
    if ((bisect->state == KG_BISECT_FOUND || bisect->state == KG_BISECT_SET_ONLY) &&
        is_unbuilt(bisect))
        bisect->state = KG_BISECT_UNBUILT;
    else if (bisect->state != KG_BISECT_SEARCHING)
        causes_note(bisect, &view, choice.sure);
    kg_arena_free(&view.arena);
    return good;
}

static bool case_find(struct kg_bisect_search *search, struct kg_error *err)
{
    const struct kg_plan *plan = search->what->plan;
    for (size_t i = 0; i < plan->case_count; i++)
        if (!strcmp(plan->cases[i].id, search->bisect->id_of_case)) {
            kg_bisect_case_make(search->what, i, &search->one);
            search->one.metric = search->bisect->metric;
            return !strcmp(plan->cases[i].definition_hash, search->bisect->definition) ||
                   kg_error_set(err, KG_ERROR_USAGE,
                                "the suite's definition of %.200s changed since the search began. "
                                "Give another -o, or remove its folder",
                                plan->cases[i].id);
        }
    return kg_error_set(err, KG_ERROR_USAGE, "the suite lacks the case %.200s of the search",
                        search->bisect->id_of_case);
}

/* The code of the ends, which middles may have, too. */
static bool ends_identify(struct kg_bisect_search *search, struct kg_error *err)
{
    struct kg_bisect *bisect = search->bisect;
    const size_t ends[2] = {0, bisect->commit_count - 1};
    for (size_t i = 0; i < 2; i++) {
        struct kg_bisect_commit *end = &bisect->commits[ends[i]];
        struct kg_build build;
        if (!kg_build_resolve(&bisect->arena, "the build", end->folder, &build, err))
            return false;
        end->code = kg_bisect_code(&search->one, &build, &bisect->arena);
    }
    return true;
}

/* Saves the end, and removes the builds except those of the causes and their parents, for `ab` and debuggers. The file
 * comes first: a killed removal must not cost the result. */
static bool builds_remove(struct kg_bisect_search *search, struct kg_error *err)
{
    struct kg_bisect *bisect = search->bisect;
    const char **removed = kg_arena_alloc(&bisect->arena, bisect->commit_count, sizeof *removed);
    for (size_t c = 0; c < bisect->commit_count; c++) {
        bool is_kept = !bisect->commits[c].folder;
        for (size_t i = 0; i < bisect->cause_count; i++)
            is_kept = is_kept || c == bisect->causes[i].parent ||
                      c == kg_bisect_built_near(bisect, bisect->causes[i].last, 1);
        removed[c] = is_kept ? NULL : bisect->commits[c].folder;
        if (removed[c])
            bisect->commits[c].folder = NULL;
    }
    if (!kg_bisect_save(search, err))
        return false;
    for (size_t c = 0; c < bisect->commit_count; c++)
        if (removed[c])
            kg_bisect_build_remove(&search->builder, removed[c]);
    return true;
}

/* Takes back the left-out commits of a refuted search: the dependency files may cover only a part of the build. */
static bool left_out_return(struct kg_bisect *bisect)
{
    bool any = false;
    for (size_t c = 0; c < bisect->commit_count; c++)
        if (bisect->commits[c].status == KG_BISECT_LEFT_OUT) {
            bisect->commits[c].status = KG_BISECT_UNTRIED;
            any = true;
        }
    bisect->keeps_all = bisect->keeps_all || any;
    return any;
}

/* Proves the causes. The state in the file stays `searching` until the proof is whole. */
static bool causes_prove(struct kg_bisect_search *search, struct kg_error *err)
{
    struct kg_bisect *bisect = search->bisect;
    enum kg_bisect_state state = bisect->state;
    bisect->state = KG_BISECT_SEARCHING;
    for (size_t i = 0; i < bisect->cause_count && state != KG_BISECT_BUDGET; i++) {
        const struct kg_bisect_cause *cause = &bisect->causes[i];
        if (kg_bisect_left_ns(search) > 0 && !kg_bisect_prove(search, &bisect->causes[i], err))
            return false;
        if (cause->refuted)
            state = KG_BISECT_REFUTED;
        else if (!cause->proven && kg_bisect_left_ns(search) <= 0)
            state = KG_BISECT_BUDGET;
    }
    bisect->state = state;
    return true;
}

/* Ends the search, or sets the state to KG_BISECT_SEARCHING after a proof that refuted it. */
static bool search_end(struct kg_bisect_search *search, struct kg_error *err)
{
    struct kg_bisect *bisect = search->bisect;
    if (bisect->cause_count && bisect->state != KG_BISECT_BUDGET && !causes_prove(search, err))
        return false;
    if (bisect->state == KG_BISECT_REFUTED && left_out_return(bisect)) {
        kg_bisect_note(search, "refuted: the search goes on with the left-out commits");
        bisect->state = KG_BISECT_SEARCHING;
        bisect->cause_count = 0;
    }
    return kg_bisect_is_over(bisect) ? builds_remove(search, err) : kg_bisect_save(search, err);
}

bool kg_bisect_run(struct kg_bisect_search *search, const struct kg_prepared_suite *what,
                   struct kg_error *err)
{
    struct kg_bisect *bisect = search->bisect;
    search->what = what;
    if (bisect->state == KG_BISECT_ENDS && !kg_bisect_ends_measure(search, err))
        return false;
    if (bisect->state != KG_BISECT_SEARCHING)
        return search_end(search, err);
    if (!case_find(search, err) || !ends_identify(search, err))
        return false;
    if (!bisect->keeps_all)
        kg_bisect_leave_out(&search->builder, bisect);
    while (bisect->state == KG_BISECT_SEARCHING)
        if (!step_take(search, err) ||
            (bisect->state != KG_BISECT_SEARCHING && !search_end(search, err)))
            return false;
    return true;
}
