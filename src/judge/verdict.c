#include "judge/verdict.h"

#include <stdio.h>
#include <string.h>

#include "judge/comparison_notes.h"
#include "judge/headline.h"
#include "judge/undecided.h"
#include "model/change.h"

enum { REASONS_MOST = KG_CHANGE_COUNT + 10 };

/* judged  counts of the cases without a waiver */
static void counts_fill(struct kg_comparison *comparison, size_t judged[KG_CHANGE_COUNT])
{
    comparison->counts = (struct kg_change_counts){0};
    memset(judged, 0, KG_CHANGE_COUNT * sizeof *judged);
    for (size_t i = 0; i < comparison->case_count; i++) {
        const struct kg_case_change *change = &comparison->cases[i];
        comparison->counts.of[change->change]++;
        judged[change->change] += change->waived == KG_WAIVER_NONE;
    }
}

static bool policy_fails(const struct kg_results_policy *policy, enum kg_change change)
{
    return policy->fail_on & 1u << change ||
           (change == KG_CHANGE_SUSPECT && policy->undecided == KG_UNDECIDED_FAIL) ||
           (change == KG_CHANGE_SKIPPED && policy->missing_device == KG_MISSING_FAIL);
}

/* Exit status of a gate without a verdict, by the policy. */
static enum kg_exit no_verdict(const struct kg_results_policy *policy)
{
    return policy->undecided == KG_UNDECIDED_FAIL ? KG_EXIT_REGRESSION : KG_EXIT_NO_VERDICT;
}

static enum kg_exit exit_for(const struct kg_results_policy *policy, enum kg_change change,
                             bool any_baseline)
{
    if (change == KG_CHANGE_NEW && any_baseline)
        return KG_EXIT_REGRESSION;
    const enum kg_exit status = kg_changes[change].exit;
    return status == KG_EXIT_NO_VERDICT ? no_verdict(policy) : status;
}

/* Adds a reason. The first status other than KG_EXIT_PASS becomes the exit status. */
static void reason_add(struct kg_comparison *comparison, const char *reason, enum kg_exit status)
{
    comparison->verdict_reasons[comparison->verdict_reason_count++] = reason;
    if (comparison->exit_status == KG_EXIT_PASS)
        comparison->exit_status = status;
}

/* Adds a reason for each change that the policy fails on with this exit status. */
static void changes_judge(struct kg_comparison *comparison, const size_t counts[KG_CHANGE_COUNT],
                          bool any_baseline, enum kg_exit status)
{
    const struct kg_results_policy *policy = &comparison->policy;
    for (int c = 0; c < KG_CHANGE_COUNT; c++) {
        const enum kg_change change = (enum kg_change)c;
        if (counts[c] && policy_fails(policy, change) &&
            exit_for(policy, change, any_baseline) == status)
            reason_add(comparison, kg_headline_make(comparison, change, counts[c]), status);
    }
}

/* If the policy lets undecided cases pass, the reason still appears. */
static void undecided_add(struct kg_comparison *comparison, const char *reason)
{
    if (comparison->policy.undecided == KG_UNDECIDED_PASS)
        reason_add(comparison,
                   kg_arena_printf(&comparison->arena, "%s (passes: undecided: pass)", reason),
                   KG_EXIT_PASS);
    else
        reason_add(comparison, reason, no_verdict(&comparison->policy));
}

/* A change must not pass because a case was not measured. If the policy fails on the case, changes_judge has the
 * reason. */
static void missing_judge(struct kg_comparison *comparison)
{
    const struct kg_case_change *first = NULL;
    size_t count = 0;
    for (size_t i = 0; i < comparison->case_count; i++) {
        const struct kg_case_change *change = &comparison->cases[i];
        if (!change->missing || change->fails || change->waived)
            continue;
        first = first ? first : change;
        count++;
    }
    if (count)
        undecided_add(comparison, kg_undecided_missing(comparison, first, count));
}

/* Cases without results in a merge. The policy accepts a share of them. */
static void lost_judge(struct kg_comparison *comparison)
{
    const size_t lost = comparison->counts.of[KG_CHANGE_MISSING] + comparison->unnamed;
    const size_t all = comparison->case_count + comparison->unnamed;
    const double accepted = comparison->policy.missing > 0 ? comparison->policy.missing : 0;
    if (!lost || policy_fails(&comparison->policy, KG_CHANGE_MISSING))
        return;
    const char *reason = kg_headline_make(comparison, KG_CHANGE_MISSING, lost);
    if ((double)lost > accepted * (double)all)
        undecided_add(comparison, reason);
    else
        reason_add(comparison, reason, KG_EXIT_PASS);
}

/* If kgate cannot store a new case, no gate would ever judge it. */
static void unrecorded_judge(struct kg_comparison *comparison)
{
    size_t count = 0;
    for (size_t i = 0; i < comparison->case_count; i++)
        count += comparison->cases[i].unrecorded && !comparison->cases[i].waived;
    if (count)
        undecided_add(comparison, kg_undecided_unrecorded(comparison, count));
}

/* A PASS means that kgate decided something. A first run has nothing to decide. */
static void undecided_judge(const struct kg_baseline *baseline, struct kg_comparison *comparison,
                            const struct kg_results *current, const struct kg_decided *decided,
                            bool first_run)
{
    const size_t suspect = decided->suspect;
    const char *missed = comparison->policy.missing_device == KG_MISSING_UNDECIDED
                             ? kg_results_device_missed(current)
                             : NULL;
    if (missed)
        undecided_add(comparison, kg_undecided_device(comparison, current, missed));
    const bool named = policy_fails(&comparison->policy, KG_CHANGE_SUSPECT);
    if (suspect && !named)
        undecided_add(comparison, kg_headline_make(comparison, KG_CHANGE_SUSPECT, suspect));
    lost_judge(comparison);
    unrecorded_judge(comparison);
    if (first_run)
        return;
    if (2 * decided->undecided > decided->measured && suspect < decided->undecided)
        undecided_add(comparison, kg_undecided_most(comparison, decided));
    const char *missing = kg_undecided_is_new_pair(comparison, current)
                              ? "the baseline build has none of these cases"
                              : baseline->missing;
    if (!decided->compared && comparison->exit_status == KG_EXIT_PASS)
        undecided_add(comparison, kg_undecided_nothing(comparison, missing));
    if (comparison->exit_status == KG_EXIT_PASS)
        missing_judge(comparison);
}

/* Adds "2 cases cannot fail the gate: gemm/cpu REGRESSION, accepted up to …, and 1 more". */
static void waived_add(struct kg_comparison *comparison)
{
    const struct kg_case_change *first = NULL;
    char more[48] = "";
    size_t count = 0;
    for (size_t i = 0; i < comparison->case_count; i++) {
        const struct kg_case_change *change = &comparison->cases[i];
        if (change->waived != KG_WAIVER_ACCEPTED && change->waived != KG_WAIVER_QUARANTINED)
            continue;
        first = first ? first : change;
        count++;
    }
    if (count > 1)
        snprintf(more, sizeof more, ", and %zu more", count - 1);
    if (count)
        reason_add(comparison,
                   kg_arena_printf(&comparison->arena,
                                   "%zu case%s cannot fail the gate: %s %s, %s%s", count,
                                   count == 1 ? "" : "s", first->id, kg_change_name(first->change),
                                   first->waiver, more),
                   KG_EXIT_PASS);
}

static bool same_machine(const struct kg_baseline *baseline, const struct kg_machine *machine)
{
    return baseline->fingerprint && !strcmp(baseline->fingerprint, machine->fingerprint);
}

/* Whether any case can become a reference. A case from a machine that was too busy cannot. */
static bool any_recordable(const struct kg_results *current)
{
    for (size_t i = 0; i < current->case_count; i++)
        if (current->cases[i].status == KG_STATUS_OK)
            return true;
    return false;
}

/* Whether this is the first run of the suite on the machine, and nobody expected a baseline. */
static bool is_first_run(const struct kg_baseline *baseline, const struct kg_comparison *comparison,
                         const struct kg_results *current)
{
    const bool stored = comparison->baseline_runs + comparison->pin_count > 0;
    const bool here = !baseline->fingerprint || same_machine(baseline, &comparison->machine);
    return !stored && here && !baseline->expected && any_recordable(current);
}

static enum kg_verdict verdict_of(size_t exit_status)
{
    return exit_status == KG_EXIT_PASS         ? KG_VERDICT_PASS
           : exit_status == KG_EXIT_NO_VERDICT ? KG_VERDICT_UNDECIDED
                                               : KG_VERDICT_FAIL;
}

/* Puts the sentence about a first run before the other reasons. */
static void first_run_add(struct kg_comparison *comparison, const struct kg_results *current)
{
    size_t count = 0;
    for (size_t i = 0; i < current->case_count; i++)
        count += current->cases[i].status == KG_STATUS_OK;
    reason_add(comparison, "", KG_EXIT_PASS);
    memmove(comparison->verdict_reasons + 1, comparison->verdict_reasons,
            (comparison->verdict_reason_count - 1) * sizeof *comparison->verdict_reasons);
    kg_verdict_recorded(comparison, count);
}

void kg_verdict_recorded(struct kg_comparison *comparison, size_t count)
{
    comparison->first_run = true;
    comparison->verdict_reasons[0] =
        kg_arena_printf(&comparison->arena, "BASELINE RECORDED: %zu case%s, nothing compared yet.",
                        count, count == 1 ? "" : "s");
    comparison->next = "the next `kgate gate` compares with this run";
}

/* Sets the next step if the gate decided nothing, or could not decide yet. */
static void next_add(struct kg_comparison *comparison, const struct kg_results *current,
                     const struct kg_decided *decided, bool first_run)
{
    if (first_run && comparison->verdict == KG_VERDICT_PASS)
        first_run_add(comparison, current);
    else if (kg_undecided_is_open(comparison) ||
             (comparison->counts.of[KG_CHANGE_MISSING] && comparison->verdict != KG_VERDICT_PASS))
        comparison->next = kg_undecided_next(comparison, decided, current);
}

/* If several statuses apply, the first of 3, 1, 4 is the exit status. Its reasons come first. */
static void decide(const struct kg_baseline *baseline, const struct kg_results *current,
                   struct kg_comparison *comparison, const size_t counts[KG_CHANGE_COUNT])
{
    static const enum kg_exit order[] = {KG_EXIT_FAILED, KG_EXIT_REGRESSION, KG_EXIT_NO_VERDICT};
    const bool any_baseline = comparison->baseline_runs + comparison->pin_count > 0;
    const struct kg_decided decided = kg_decided_count(comparison);
    const bool first_run = is_first_run(baseline, comparison, current);
    comparison->first_run = false;
    comparison->verdict_reasons =
        kg_arena_alloc(&comparison->arena, REASONS_MOST, sizeof *comparison->verdict_reasons);
    for (size_t o = 0; o < 3; o++)
        changes_judge(comparison, counts, any_baseline, order[o]);
    if (!comparison->complete)
        reason_add(comparison, "the run was interrupted before every case was measured",
                   no_verdict(&comparison->policy));
    undecided_judge(baseline, comparison, current, &decided, first_run);
    waived_add(comparison);
    comparison->verdict = verdict_of(comparison->exit_status);
    next_add(comparison, current, &decided, first_run);
}

/* Notes a missing baseline if it is not already a reason: in a first run, which becomes the baseline. */
static void missing_note(const struct kg_baseline *baseline, struct kg_comparison *comparison)
{
    if (baseline->missing && comparison->verdict != KG_VERDICT_UNDECIDED)
        kg_comparison_note(comparison, baseline->missing);
}

/* The comparison must not have a verdict yet. */
static void verdict_make(const struct kg_baseline *baseline, const struct kg_results *current,
                         struct kg_comparison *comparison)
{
    size_t judged[KG_CHANGE_COUNT];
    counts_fill(comparison, judged);
    for (size_t i = 0; i < comparison->case_count; i++) {
        struct kg_case_change *change = &comparison->cases[i];
        change->fails =
            change->waived == KG_WAIVER_NONE && policy_fails(&comparison->policy, change->change);
        if (change->change != KG_CHANGE_SKIPPED && change->change != KG_CHANGE_REMOVED)
            change->missing = kg_change_blank(change);
    }
    decide(baseline, current, comparison, judged);
}

void kg_verdict_decide(const struct kg_baseline *baseline, const struct kg_results *current,
                       struct kg_comparison *comparison)
{
    kg_comparison_notes_make(baseline, current, comparison);
    verdict_make(baseline, current, comparison);
    missing_note(baseline, comparison);
}

void kg_verdict_again(const struct kg_baseline *baseline, const struct kg_results *current,
                      struct kg_comparison *comparison)
{
    comparison->verdict = KG_VERDICT_PASS;
    comparison->exit_status = KG_EXIT_PASS;
    comparison->verdict_reason_count = 0;
    comparison->next = NULL;
    verdict_make(baseline, current, comparison);
}
