#include "gate/stored_pairs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "judge/builds.h"
#include "judge/comparison_notes.h"
#include "judge/pair_merge.h"
#include "model/baseline_index.h"

/* --- Available builds ------------------------------------------------------------------------- */

/* Returns the case from the newest ordinary run that has this definition; NULL if the case names no build. */
static const struct kg_baseline_case *stored_find(const struct kg_baseline_index *index,
                                                  const struct kg_case *planned)
{
    const struct kg_baseline_case *stored =
        kg_baseline_index_find(index, planned->id, planned->definition_hash);
    return stored && stored->build ? stored : NULL;
}

static bool same_machine(const struct kg_settling *settling)
{
    const char *stored = settling->baseline->fingerprint;
    return stored && !strcmp(stored, settling->what->machine->fingerprint);
}

void kg_settle_start(const struct kg_settling *settling, struct kg_settled *settled)
{
    const struct kg_plan *plan = settling->what->plan;
    struct kg_baseline_index index;
    *settled = (struct kg_settled){.build = "the baseline's build"};
    settled->expected = kg_arena_alloc(&settled->arena, plan->case_count, sizeof(bool));
    settled->stored = kg_arena_alloc(&settled->arena, plan->case_count, sizeof *settled->stored);
    kg_baseline_index_make(&settled->arena, settling->baseline, settling->what->suite->name, false,
                           &index);
    if (settling->base)
        settled->build = kg_arena_printf(&settled->arena, "'%s'", settling->base->given);
    for (size_t i = 0; i < plan->case_count && same_machine(settling); i++) {
        const struct kg_case *planned = &plan->cases[i];
        settled->stored[i] = stored_find(&index, planned);
        settled->expected[i] =
            settling->base
                ? kg_build_fits(settling->base, planned->spec->source)
                : settled->stored[i] && kg_builds_has(settling->store, settled->stored[i]->build);
    }
}

/* --- Choice of the cases ---------------------------------------------------------------------- */

/* Notes why kgate cannot use the build of a case. Each reason gets one note. */
static void note_add(struct kg_settled *settled, const char *id, const char *why)
{
    for (size_t i = 0; i < settled->note_count; i++)
        if (!strcmp(settled->notes[i].why, why)) {
            settled->notes[i].cases++;
            return;
        }
    const struct kg_settled_note note = {.why = kg_arena_copy(&settled->arena, why),
                                         .id = kg_arena_copy(&settled->arena, id),
                                         .cases = 1};
    kg_arena_grow(&settled->arena, &settled->notes, settled->note_count, &settled->note_capacity,
                  sizeof *settled->notes);
    settled->notes[settled->note_count++] = note;
}

/* Opens the kept build of a case. If kgate cannot use it, adds a note and sets `build` to NULL. */
static void kept_open(const struct kg_settling *settling, struct kg_settled *settled, size_t index,
                      const struct kg_build **build)
{
    const struct kg_case *planned = &settling->what->plan->cases[index];
    const struct kg_baseline_case *stored = settled->stored[index];
    struct kg_build *made = kg_arena_alloc(&settled->arena, 1, sizeof *made);
    struct kg_error why;
    const char *path;
    *build = NULL;
    if (!kg_builds_open(&settled->arena, settling->store, stored->build, &path, &why)) {
        note_add(settled, planned->id, why.message);
        return;
    }
    *made = kg_build_of_file("the stored build", path, planned->spec->source);
    made->stored = &stored->code;
    *build = made;
}

/* Estimates the time for a case's minimum number of pairs from the mean time of the rounds so far. */
static double pairs_cost_ns(const struct kg_run *run, size_t index)
{
    const struct kg_results *results = &run->results;
    size_t rounds = 0;
    for (size_t i = 0; i < results->case_count; i++)
        rounds += results->cases[i].round_count;
    const double each = kg_run_elapsed_ns(run) / (double)(rounds ? rounds : 1);
    return 2 * each * (double)run->plan->cases[index].spec->settings.rounds_min;
}

static void cases_choose(const struct kg_settling *settling, const struct kg_run *run,
                         const struct kg_comparison *comparison, struct kg_settled *settled)
{
    const struct kg_plan *plan = settling->what->plan;
    double left = settling->budget_ns - kg_run_elapsed_ns(run);
    for (size_t c = 0; c < comparison->case_count; c++) {
        const struct kg_case_change *change = &comparison->cases[c];
        const struct kg_build *build = settling->base;
        const size_t index = change->order;
        if (index >= plan->case_count || !settled->expected[index] || !kg_change_open(change))
            continue;
        const double cost = pairs_cost_ns(run, index);
        if (cost > left) {
            settled->unaffordable++;
            continue;
        }
        if (!build)
            kept_open(settling, settled, index, &build);
        if (!build)
            continue;
        left -= cost;
        settled->builds[settled->plan.case_count] = build;
        settled->order[settled->plan.case_count] = index;
        settled->plan.cases[settled->plan.case_count++] = plan->cases[index];
    }
}

/* --- Measurement ------------------------------------------------------------------------------ */

static bool pairs_measure(const struct kg_settling *settling, const struct kg_run *run,
                          const struct kg_comparison *comparison, struct kg_settled *settled,
                          struct kg_error *err)
{
    struct kg_ab *pairs = &settled->pairs;
    const struct kg_prepared_suite what = {.suite = settling->what->suite,
                                           .plan = &settled->plan,
                                           .machine = settling->what->machine,
                                           .shard = settling->what->shard};
    const size_t tests = kg_comparison_tests(comparison);
    const double elapsed = kg_run_elapsed_ns(run);
    const struct kg_pairing_options options = {
        .base_path = kg_arena_printf(&settled->arena, "%s/base.json", settling->directory),
        .head_path = kg_arena_printf(&settled->arena, "%s/head.json", settling->directory),
        .filter = "paired rounds of cases that the stored runs leave undecided",
        .progress = settling->progress,
        .bases = settled->builds,
        .tests = tests > run->results.tests ? tests : run->results.tests,
        .interrupt = run->launcher.interrupt};
    return kg_ab_measure(&what, &options, settling->budget_ns - elapsed, pairs, err) ||
           kg_error_wrap(err, "in paired rounds against %s", settled->build);
}

/* Marks the cases that the pairs decide instead of the stored runs. Notes why pairs could not run for the others. */
static void outcome_note(const struct kg_settling *settling, struct kg_settled *settled, bool *done)
{
    const struct kg_results *head = settled->pairs.head;
    for (size_t i = 0; i < head->case_count; i++) {
        const struct kg_case_result *result = &head->cases[i];
        const bool skipped = result->status == KG_STATUS_SKIPPED;
        done[settled->order[i]] = result->status == KG_STATUS_FAILED || result->round_count > 0;
        if (skipped)
            done[settled->order[i]] = false;
        if (skipped)
            note_add(settled, settling->what->plan->cases[settled->order[i]].id, result->reason);
    }
}

bool kg_settle_run(const struct kg_settling *settling, const struct kg_run *run,
                   const struct kg_comparison *comparison, struct kg_settled *settled, bool *done,
                   struct kg_error *err)
{
    const size_t count = settling->what->plan->case_count;
    struct kg_arena *arena = &settled->arena;
    settled->plan.cases = kg_arena_alloc(arena, count, sizeof *settled->plan.cases);
    settled->builds = kg_arena_alloc(arena, count, sizeof *settled->builds);
    settled->order = kg_arena_alloc(arena, count, sizeof *settled->order);
    cases_choose(settling, run, comparison, settled);
    if (!settled->plan.case_count)
        return true;
    settled->plan.left_out = count - settled->plan.case_count;
    if (!pairs_measure(settling, run, comparison, settled, err))
        return false;
    outcome_note(settling, settled, done);
    return true;
}

/* --- Notes ------------------------------------------------------------------------------------ */

/* Makes "no build is kept for 12 undecided cases: …" for open cases that name a build. */
static const char *lacking_words(const struct kg_settling *settling, struct kg_settled *settled,
                                 const struct kg_results *results,
                                 const struct kg_comparison *comparison)
{
    size_t lacking = 0;
    for (size_t c = 0; c < comparison->case_count; c++) {
        const struct kg_case_change *change = &comparison->cases[c];
        lacking += change->order < results->case_count && kg_change_open(change) &&
                   results->cases[change->order].build && !settled->expected[change->order];
    }
    if (settling->base && !same_machine(settling))
        return kg_arena_printf(&settled->arena,
                               "this machine has no baseline, so %s decides nothing: `kgate ab` "
                               "compares two builds without a baseline",
                               settled->build);
    if (!lacking)
        return NULL;
    const char *plural = lacking == 1 ? "" : "s";
    return settling->base
               ? kg_arena_printf(&settled->arena,
                                 "%s has no code of %zu undecided case%s: it cannot decide them",
                                 settled->build, lacking, plural)
               : kg_arena_printf(&settled->arena,
                                 "the store has no baseline build to measure %zu undecided case%s "
                                 "again: `kgate baseline update` stores builds",
                                 lacking, plural);
}

/* Makes "3 of 4 cases that the stored runs left open were settled by pairs against …". */
static const char *settled_words(struct kg_settled *settled, const struct kg_comparison *comparison)
{
    size_t measured = 0, decided = 0;
    for (size_t c = 0; c < comparison->case_count; c++) {
        measured += comparison->cases[c].pairs > 0;
        decided += kg_change_settled(&comparison->cases[c]);
    }
    return measured ? kg_arena_printf(&settled->arena,
                                      "%zu of %zu case%s that the stored runs left undecided %s "
                                      "decided by paired rounds against %s (base.json, head.json)",
                                      decided, measured, measured == 1 ? "" : "s",
                                      measured == 1 ? "was" : "were", settled->build)
                    : NULL;
}

static const char *unaffordable_words(struct kg_settled *settled)
{
    return settled->unaffordable
               ? kg_arena_printf(&settled->arena,
                                 "--budget left no time for paired rounds of %zu case%s against %s",
                                 settled->unaffordable, settled->unaffordable == 1 ? "" : "s",
                                 settled->build)
               : NULL;
}

/* Makes "json/cpu and 3 more cases: the baseline's build cannot be used: …". */
static const char *note_words(struct kg_settled *settled, const struct kg_settled_note *note)
{
    char more[48] = "";
    if (note->cases > 1)
        snprintf(more, sizeof more, " and %zu more case%s", note->cases - 1,
                 note->cases == 2 ? "" : "s");
    return kg_arena_printf(&settled->arena, "%.200s%s: %s cannot be used: %.600s", note->id, more,
                           settled->build, note->why);
}

void kg_settle_merge(const struct kg_settling *settling, struct kg_settled *settled,
                     const struct kg_results *results, struct kg_comparison *comparison)
{
    if (settled->pairs.base) {
        kg_comparison_settle(comparison, settling->baseline, results, &settled->pairs.comparison,
                             settled->build);
        kg_ab_apart_note(&settled->pairs, comparison);
    }
    for (size_t i = 0; i < settled->note_count; i++) {
        const char *note = note_words(settled, &settled->notes[i]);
        kg_comparison_note(comparison, note);
    }
    const char *texts[] = {settled_words(settled, comparison),
                           lacking_words(settling, settled, results, comparison),
                           unaffordable_words(settled)};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i])
            kg_comparison_note(comparison, texts[i]);
}

void kg_settled_free(struct kg_settled *settled)
{
    kg_ab_free(&settled->pairs);
    kg_arena_free(&settled->arena);
    *settled = (struct kg_settled){0};
}
