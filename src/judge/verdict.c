#include "judge/verdict.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "judge/compare_parts.h"
#include "judge/comparison_notes.h"
#include "judge/undecided.h"
#include "model/change.h"

/* --- The sentence about the cases with one change --------------------------------------------- */

/* Makes ", and 6 more (encode: 5 of 5 cases, copy: 1 of 8)" for seven cases. */
static const char *more_make(struct kg_comparison *comparison, enum kg_change change, size_t count)
{
    const char *spread = count > 2 ? kg_spread_words(comparison, change) : "";
    if (count < 2)
        return spread;
    return kg_arena_printf(&comparison->arena, ", and %zu more%s%s%s", count - 1,
                           *spread ? " (" : "", spread, *spread ? ")" : "");
}

/* Formats a value. A whole number without a unit keeps all its digits. */
static const char *value_format(const struct kg_metric *metric, double value,
                                char buffer[KG_UNIT_BYTES])
{
    static const double LARGE = 1e6;
    if (*metric->unit || value != floor(value) || !(fabs(value) < LARGE))
        return kg_value_format(metric->unit, value, buffer);
    snprintf(buffer, KG_UNIT_BYTES, "%.0f", value);
    return buffer;
}

/* Appends "1.00 -> 3.00 MiB", or all digits if both values round to the same text. */
static void values_append(struct kg_text *text, const struct kg_metric *metric)
{
    char before[KG_UNIT_BYTES], now[KG_UNIT_BYTES];
    value_format(metric, metric->baseline, before);
    value_format(metric, metric->current, now);
    if (!strcmp(before, now)) {
        kg_text_printf(text, "%.10g -> %.10g%s%s", metric->baseline, metric->current,
                       *metric->unit ? " " : "", metric->unit);
        return;
    }
    const char *unit = strrchr(before, ' '), *other = strrchr(now, ' ');
    const bool is_shared = unit && other && !strcmp(unit, other);
    kg_text_printf(text, "%.*s -> %s", is_shared ? (int)(unit - before) : (int)strlen(before),
                   before, now);
}

/* Whether the ratio of the metric's typical values does not show the change. Its reason does. */
static bool is_hidden(const struct kg_metric *metric)
{
    return metric->reason &&
           (metric->doubt == KG_DOUBT_WIDENED || metric->doubt == KG_DOUBT_MEAN ||
            metric->doubt == KG_DOUBT_CALL_CPU || metric->doubt == KG_DOUBT_BUDGET_MISSED);
}

/* Appends "peak memory +200 % (1.00 -> 3.00 MiB)". Names the direction if higher values are better, and the reference
 * if it is a pinned run. */
static void metric_append(struct kg_text *text, const struct kg_metric *metric)
{
    static const char WHOLE[] = ".0 %";
    char change[KG_UNIT_BYTES];
    if (is_hidden(metric)) {
        kg_text_append(text, metric->reason);
        return;
    }
    kg_change_format(metric->ratio, change);
    const size_t length = strlen(change);
    const bool is_whole = length > strlen(WHOLE) && !strcmp(change + length - strlen(WHOLE), WHOLE);
    const enum kg_metric_kind kind = kg_metric_kind_find(metric->name);
    kg_text_printf(text, "%.200s",
                   kind == KG_METRIC_KINDS ? metric->name : kg_metric_rows[kind].words);
    kg_text_printf(text, " %.*s%s (", (int)(is_whole ? length - strlen(WHOLE) : length), change,
                   is_whole ? " %" : "");
    values_append(text, metric);
    kg_text_printf(text, "%s", metric->better == KG_BETTER_HIGHER ? ", higher is better" : "");
    if (kg_metric_pin(metric))
        kg_text_printf(text, ", against %.100s", metric->against);
    kg_text_append(text, ")");
}

/* Whether an earlier metric of the case has the same name, for example against the baseline instead of a pin. */
static bool is_repeated(const struct kg_case_change *change, size_t index)
{
    for (size_t m = 0; m < index; m++)
        if (!strcmp(change->metrics[m].name, change->metrics[index].name))
            return true;
    return false;
}

/* Appends the deciding metric and the other metrics of the case with the same change. */
static void metrics_append(struct kg_text *text, const struct kg_case_change *change)
{
    enum { NAMED = 3 };
    size_t named = 0;
    for (size_t m = 0; m < change->metric_count && named < NAMED; m++) {
        const struct kg_metric *metric = &change->metrics[m];
        if (metric->change != change->change || is_repeated(change, m))
            continue;
        kg_text_append(text, named++ ? ", " : ": ");
        metric_append(text, metric);
    }
}

/* Whether an earlier case has the same change and shard. */
static bool has_earlier(const struct kg_comparison *comparison, size_t index)
{
    const struct kg_case_change *cases = comparison->cases;
    for (size_t i = 0; i < index; i++)
        if (cases[i].change == cases[index].change && cases[i].shard == cases[index].shard)
            return true;
    return false;
}

/* Appends the reason of the first MISSING case. If the cases of its shard are unknown, other shards follow. */
static void missing_append(struct kg_text *text, struct kg_comparison *comparison,
                           const struct kg_case_change *first, size_t count)
{
    size_t shards = 0;
    if (!kg_change_is_shard(first)) {
        kg_text_printf(text, "%s (%s)%s", first->id, first->reason,
                       more_make(comparison, KG_CHANGE_MISSING, count));
        return;
    }
    for (size_t i = 0; i < comparison->case_count; i++)
        shards += comparison->cases[i].change == KG_CHANGE_MISSING && !has_earlier(comparison, i);
    kg_text_append(text, first->reason);
    if (shards > 1)
        kg_text_printf(text, "; and %zu more shard%s", shards - 1, shards == 2 ? "" : "s");
}

/* Returns "2 cases regressed: gemm/m=512/cpu: time +21.3 % (1.00 -> 1.21 ms), and 1 more". The sentence names the first
 * such case, with each metric that has the change. In the comparison's arena.
 * count  number of cases with that change and without a waiver; at least 1 */
static const char *headline_make(struct kg_comparison *comparison, enum kg_change change,
                                 size_t count)
{
    struct kg_text text = {0};
    const struct kg_case_change *first = comparison->cases;
    while (first->change != change || first->waived != KG_WAIVER_NONE)
        first++;
    kg_text_printf(&text, "%zu %s %s: ", count, count == 1 ? "case" : "cases",
                   kg_changes[change].done);
    if (change == KG_CHANGE_MISSING)
        missing_append(&text, comparison, first, count);
    else
        kg_text_printf(&text, "%s", first->id);
    if (change == KG_CHANGE_REGRESSION || change == KG_CHANGE_SUSPECT ||
        change == KG_CHANGE_IMPROVEMENT)
        metrics_append(&text, first);
    if (change != KG_CHANGE_MISSING)
        kg_text_append(&text, more_make(comparison, change, count));
    const char *copy = kg_arena_copy(&comparison->arena, kg_text_string(&text));
    kg_text_free(&text);
    return copy;
}

/* --- Reasons and exit status ------------------------------------------------------------------ */

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
            reason_add(comparison, headline_make(comparison, change, counts[c]), status);
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
    const char *reason = headline_make(comparison, KG_CHANGE_MISSING, lost);
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
        undecided_add(comparison, headline_make(comparison, KG_CHANGE_SUSPECT, suspect));
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

static bool any_redefined(const struct kg_comparison *comparison)
{
    for (size_t i = 0; i < comparison->case_count; i++)
        if (comparison->cases[i].redefined)
            return true;
    return false;
}

/* Whether this is the first run of these cases on the machine, and nobody expected a baseline. Other cases of the suite may
 * be stored: another shard or --filter recorded them. */
static bool is_first_run(const struct kg_baseline *baseline, const struct kg_comparison *comparison,
                         const struct kg_results *current, const struct kg_decided *decided)
{
    const bool stored = comparison->baseline_runs + comparison->pin_count > 0;
    const bool is_new = baseline->records && comparison->counts.of[KG_CHANGE_NEW] &&
                        !comparison->counts.of[KG_CHANGE_REMOVED] && !decided->compared &&
                        !any_redefined(comparison);
    const bool here = !baseline->fingerprint || same_machine(baseline, &comparison->machine);
    return (!stored || is_new) && here && !baseline->expected && any_recordable(current);
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
    const bool first_run = is_first_run(baseline, comparison, current, &decided);
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
