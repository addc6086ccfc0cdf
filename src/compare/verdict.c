#include "compare/verdict.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "compare/undecided.h"
#include "results/disturbance.h"
#include "results/throttle.h"
#include "util/units.h"

enum { NOTES_MOST = 24, REASONS_MOST = KG_CHANGE_COUNT + 6 };

static void counts_fill(struct kg_comparison *comparison, size_t counts[KG_CHANGE_COUNT])
{
    memset(counts, 0, KG_CHANGE_COUNT * sizeof *counts);
    for (size_t i = 0; i < comparison->case_count; i++)
        counts[comparison->cases[i].change]++;
    comparison->counts = (struct kg_change_counts){
        .improvement = counts[KG_CHANGE_IMPROVEMENT],
        .regression = counts[KG_CHANGE_REGRESSION],
        .no_change = counts[KG_CHANGE_NO_CHANGE],
        .suspect = counts[KG_CHANGE_SUSPECT],
        .inconclusive = counts[KG_CHANGE_INCONCLUSIVE],
        .new_case = counts[KG_CHANGE_NEW],
        .removed = counts[KG_CHANGE_REMOVED],
        .failed = counts[KG_CHANGE_FAILED],
        .skipped = counts[KG_CHANGE_SKIPPED],
    };
}

static bool policy_fails(const struct kg_results_policy *policy, enum kg_change change)
{
    return policy->fail_on & 1u << change ||
           (change == KG_CHANGE_SUSPECT && policy->undecided == KG_UNDECIDED_FAIL) ||
           (change == KG_CHANGE_SKIPPED && policy->missing_device == KG_MISSING_FAIL);
}

/* The exit status of a gate without a verdict, where the policy demands one. */
static enum kg_exit no_verdict(const struct kg_results_policy *policy)
{
    return policy->undecided == KG_UNDECIDED_FAIL ? KG_EXIT_REGRESSION : KG_EXIT_NO_VERDICT;
}

static enum kg_exit exit_for(const struct kg_results_policy *policy, enum kg_change change,
                             bool any_baseline)
{
    switch (change) {
    case KG_CHANGE_FAILED:
    case KG_CHANGE_SKIPPED:
        return KG_EXIT_FAILED;
    case KG_CHANGE_INCONCLUSIVE:
        return no_verdict(policy);
    case KG_CHANGE_NEW:
        return any_baseline ? KG_EXIT_REGRESSION : no_verdict(policy);
    default:
        return KG_EXIT_REGRESSION;
    }
}

/* "2 cases regressed: gemm/m=512/cpu +21.3 %, and 1 more" */
static const char *reason_make(struct kg_comparison *comparison, enum kg_change change,
                               size_t count)
{
    static const char *const words[KG_CHANGE_COUNT] = {
        [KG_CHANGE_IMPROVEMENT] = "improved",      [KG_CHANGE_REGRESSION] = "regressed",
        [KG_CHANGE_NO_CHANGE] = "unchanged",       [KG_CHANGE_SUSPECT] = "suspect",
        [KG_CHANGE_INCONCLUSIVE] = "inconclusive", [KG_CHANGE_NEW] = "without a baseline",
        [KG_CHANGE_REMOVED] = "removed",           [KG_CHANGE_FAILED] = "failed",
        [KG_CHANGE_SKIPPED] = "skipped",
    };
    char moved[KG_UNIT_BYTES] = "", more[48] = "";
    const struct kg_case_change *first = NULL;
    for (size_t i = 0; i < comparison->case_count && !first; i++)
        if (comparison->cases[i].change == change)
            first = &comparison->cases[i];
    if (!first)
        return NULL;
    if (count > 1)
        snprintf(more, sizeof more, ", and %zu more", count - 1);
    if (first->metric_count && first->metrics[0].doubt == KG_DOUBT_BUDGET_MISSED)
        return kg_arena_printf(&comparison->arena, "%zu %s %s: %s: %s%s", count,
                               count == 1 ? "case" : "cases", words[change], first->id,
                               first->reason, more);
    if (first->metric_count && (change == KG_CHANGE_REGRESSION || change == KG_CHANGE_SUSPECT ||
                                change == KG_CHANGE_IMPROVEMENT))
        kg_change_format(first->metrics[0].ratio, moved);
    return kg_arena_printf(&comparison->arena, "%zu %s %s: %s%s%s%s", count,
                           count == 1 ? "case" : "cases", words[change], first->id,
                           moved[0] ? " " : "", moved, more);
}

/* Adds a reason; the first that is not KG_EXIT_PASS sets the exit status. */
static bool reason_add(struct kg_comparison *comparison, const char *reason, enum kg_exit status)
{
    if (!reason)
        return false;
    comparison->verdict_reasons[comparison->verdict_reason_count++] = reason;
    if (comparison->exit_status == KG_EXIT_PASS)
        comparison->exit_status = status;
    return true;
}

/* The changes that the policy fails on, and whose exit status is that. */
static bool changes_judge(struct kg_comparison *comparison, const size_t counts[KG_CHANGE_COUNT],
                          bool any_baseline, enum kg_exit status)
{
    const struct kg_results_policy *policy = &comparison->policy;
    for (int c = 0; c < KG_CHANGE_COUNT; c++) {
        const enum kg_change change = (enum kg_change)c;
        if (counts[c] && policy_fails(policy, change) &&
            exit_for(policy, change, any_baseline) == status &&
            !reason_add(comparison, reason_make(comparison, change, counts[c]), status))
            return false;
    }
    return true;
}

/* What the policy lets pass is said all the same. */
static bool undecided_add(struct kg_comparison *comparison, const char *reason)
{
    if (reason && comparison->policy.undecided == KG_UNDECIDED_PASS)
        return reason_add(
            comparison, kg_arena_printf(&comparison->arena, "%s (passes: undecided: pass)", reason),
            KG_EXIT_PASS);
    return reason_add(comparison, reason, no_verdict(&comparison->policy));
}

/* A change must not pass by keeping a case from being measured. What the policy fails on is said
 * there. */
static bool missing_judge(struct kg_comparison *comparison)
{
    const struct kg_case_change *first = NULL;
    size_t count = 0;
    for (size_t i = 0; i < comparison->case_count; i++) {
        const struct kg_case_change *change = &comparison->cases[i];
        if (!change->missing || change->fails)
            continue;
        first = first ? first : change;
        count++;
    }
    return !count || undecided_add(comparison, kg_undecided_missing(comparison, first, count));
}

/* A PASS says that something was decided. Of a first run nothing can be. */
static bool undecided_judge(const struct kg_baseline *baseline, struct kg_comparison *comparison,
                            const struct kg_results *current, const struct kg_decided *decided,
                            bool first_run)
{
    const char *missed = comparison->policy.missing_device == KG_MISSING_UNDECIDED
                             ? kg_results_device_missed(current)
                             : NULL;
    if (missed && !undecided_add(comparison, kg_undecided_device(comparison, current, missed)))
        return false;
    const size_t suspect = comparison->counts.suspect;
    const bool named = policy_fails(&comparison->policy, KG_CHANGE_SUSPECT);
    if (suspect && !named &&
        !undecided_add(comparison, reason_make(comparison, KG_CHANGE_SUSPECT, suspect)))
        return false;
    if (first_run)
        return true;
    if (2 * decided->undecided > decided->measured && suspect < decided->undecided &&
        !undecided_add(comparison, kg_undecided_most(comparison, decided)))
        return false;
    if (!decided->compared && comparison->exit_status == KG_EXIT_PASS &&
        !undecided_add(comparison, kg_undecided_nothing(comparison, baseline->missing)))
        return false;
    return comparison->exit_status != KG_EXIT_PASS || missing_judge(comparison);
}

static bool same_machine(const struct kg_baseline *baseline, const struct kg_machine *machine)
{
    return baseline->fingerprint && !strcmp(baseline->fingerprint, machine->fingerprint);
}

/* Whether this is the first run of the suite on the machine, of which nothing is expected. */
static bool is_first_run(const struct kg_baseline *baseline, const struct kg_comparison *comparison,
                         const struct kg_decided *decided)
{
    const bool stored = comparison->baseline_runs + comparison->pin_count > 0;
    const bool here = !baseline->fingerprint || same_machine(baseline, &comparison->machine);
    return !stored && here && !baseline->expected &&
           decided->compared + comparison->counts.new_case > 0;
}

static enum kg_verdict verdict_of(size_t exit_status)
{
    return exit_status == KG_EXIT_PASS         ? KG_VERDICT_PASS
           : exit_status == KG_EXIT_NO_VERDICT ? KG_VERDICT_UNDECIDED
                                               : KG_VERDICT_FAIL;
}

/* What to do is said where nothing was decided, or nothing could be yet. */
static bool next_say(struct kg_comparison *comparison, const struct kg_results *current,
                     const struct kg_decided *decided, bool first_run)
{
    const bool open = comparison->verdict == KG_VERDICT_UNDECIDED && comparison->complete;
    if (first_run && comparison->verdict == KG_VERDICT_PASS)
        comparison->next = "later runs are compared with what this one records";
    if (!open)
        return true;
    comparison->next = kg_undecided_next(comparison, decided, current);
    return comparison->next != NULL;
}

/* When several hold, the first of 3, 1, 4 is the exit status; its reasons come first. */
static bool decide(const struct kg_baseline *baseline, const struct kg_results *current,
                   struct kg_comparison *comparison, const size_t counts[KG_CHANGE_COUNT])
{
    static const enum kg_exit order[] = {KG_EXIT_FAILED, KG_EXIT_REGRESSION, KG_EXIT_NO_VERDICT};
    const bool any_baseline = comparison->baseline_runs + comparison->pin_count > 0;
    const struct kg_decided decided = kg_decided_count(comparison);
    const bool first_run = is_first_run(baseline, comparison, &decided);
    comparison->verdict_reasons =
        kg_arena_alloc(&comparison->arena, REASONS_MOST, sizeof *comparison->verdict_reasons);
    if (!comparison->verdict_reasons)
        return false;
    for (size_t o = 0; o < 3; o++)
        if (!changes_judge(comparison, counts, any_baseline, order[o]))
            return false;
    if (!comparison->complete &&
        !reason_add(comparison, "the run was interrupted: not every case was measured",
                    no_verdict(&comparison->policy)))
        return false;
    if (!undecided_judge(baseline, comparison, current, &decided, first_run))
        return false;
    comparison->verdict = verdict_of(comparison->exit_status);
    return next_say(comparison, current, &decided, first_run);
}

static bool note(struct kg_comparison *comparison, const char *text)
{
    if (!text)
        return false;
    if (comparison->note_count < NOTES_MOST)
        comparison->notes[comparison->note_count++] = text;
    return true;
}

/* A fact that is not part of the fingerprint but may explain a moved time. */
static bool note_difference(struct kg_comparison *comparison, const char *what, const char *before,
                            const char *now)
{
    if (!strcmp(before ? before : "none", now ? now : "none"))
        return true;
    return note(comparison,
                kg_arena_printf(&comparison->arena, "%s: the baseline had %s, this run has %s",
                                what, before ? before : "none", now ? now : "none"));
}

/* The same of a fact that some files do not have: nothing where one of the two does not tell. */
static bool note_difference_known(struct kg_comparison *comparison, const char *what,
                                  const char *before, const char *now)
{
    return !before || !now || note_difference(comparison, what, before, now);
}

static bool note_clock(struct kg_comparison *comparison, const char *what, double before_hz,
                       double now_hz)
{
    char before[32], now[32];
    if (!(before_hz > 0 && now_hz > 0))
        return true;
    snprintf(before, sizeof before, "%.0f MHz", before_hz * 1e-6);
    snprintf(now, sizeof now, "%.0f MHz", now_hz * 1e-6);
    return note_difference(comparison, what, before, now);
}

/* Of the GPU that CUDA cases run on. */
static bool gpu_notes(struct kg_comparison *comparison, const struct kg_baseline_run *newest,
                      const struct kg_machine *machine)
{
    const struct kg_gpu *gpu = kg_machine_gpu(machine);
    if (!gpu)
        return true;
    return note_difference_known(comparison, "NVIDIA driver", newest->nvidia_driver,
                                 machine->nvidia_driver) &&
           note_difference_known(comparison, "CUDA toolkit", newest->cuda_toolkit,
                                 machine->cuda_toolkit) &&
           note_difference_known(comparison, "ECC", newest->gpu_ecc, gpu->ecc) &&
           note_difference_known(comparison, "MIG", newest->gpu_mig, gpu->mig) &&
           note_clock(comparison, "highest SM clock", newest->gpu_sm_clock_hz, gpu->sm_clock_hz) &&
           note_clock(comparison, "highest memory clock", newest->gpu_memory_clock_hz,
                      gpu->memory_clock_hz);
}

/* "memory bandwidth of this machine is 12 % below the baseline's": of what the probe read. `worth`
 * is how much is worth saying: more than a reading moves by itself. */
static bool drift_note_one(struct kg_comparison *comparison, const char *what, double worth,
                           double before, double now)
{
    const double moved = now / before - 1;
    if (!(fabs(moved) >= worth)) /* nor where one of them is not known */
        return true;
    return note(comparison, kg_arena_printf(&comparison->arena,
                                            "%s of this machine is %.0f %% %s the baseline's", what,
                                            100 * fabs(moved), moved < 0 ? "below" : "above"));
}

static bool drift_note(struct kg_comparison *comparison, const struct kg_baseline_run *newest,
                       const struct kg_results *current)
{
    const struct kg_probe_reading now = kg_results_probe(current);
    /* the pace is a time: the clock is its inverse */
    return drift_note_one(comparison, "the clock", 0.03, 1 / newest->pulse_ns, 1 / now.pulse_ns) &&
           drift_note_one(comparison, "memory bandwidth", 0.05, newest->bandwidth_bytes_per_s,
                          now.bandwidth_bytes_per_s) &&
           drift_note_one(comparison, "memory latency", 0.15, newest->latency_ns, now.latency_ns);
}

/* What disturbed the GPU while this was measured. */
static bool conditions_note(struct kg_comparison *comparison, const struct kg_results *current)
{
    char words[2][KG_CONDITION_WORDS];
    const struct kg_gpu_conditions conditions = kg_gpu_conditions(current);
    kg_gpu_conditions_words(&conditions, words[0], words[1], KG_CONDITION_WORDS);
    for (int i = 0; i < 2; i++)
        if (*words[i] && !note(comparison, kg_arena_copy(&comparison->arena, words[i])))
            return false;
    return true;
}

/* Cases of which more rounds were disturbed than others were measured for. Where the machine was
 * too busy the case itself says so. */
static bool disturbances_note(struct kg_comparison *comparison, const struct kg_results *current)
{
    enum { MOST = 4 };
    char words[KG_DISTURBANCE_WORDS];
    size_t count = 0;
    for (size_t i = 0; i < current->case_count && count < MOST; i++) {
        const struct kg_disturbance found = kg_disturbance_of(&current->cases[i]);
        if (!*kg_disturbance_words(&found, words) || kg_disturbance_too_busy(&found))
            continue;
        count++;
        if (!note(comparison,
                  kg_arena_printf(&comparison->arena, "%.200s: %s", current->cases[i].id, words)))
            return false;
    }
    return true;
}

/* What speaks against the figures of cases: once for each thing that does. */
static bool cases_note(struct kg_comparison *comparison, const struct kg_results *current)
{
    enum { MOST = 4 };
    const char *said[MOST];
    size_t count = 0;
    for (size_t i = 0; i < current->case_count && count < MOST; i++) {
        const struct kg_case_result *result = &current->cases[i];
        size_t same = 0;
        while (result->note && same < count && strcmp(said[same], result->note) != 0)
            same++;
        if (!result->note || same < count)
            continue;
        said[count++] = result->note;
        if (!note(comparison,
                  kg_arena_printf(&comparison->arena, "%.200s: %.300s", result->id, result->note)))
            return false;
    }
    return true;
}

static bool notes_make(const struct kg_baseline *baseline, const struct kg_results *current,
                       struct kg_comparison *comparison, struct kg_error *err)
{
    const struct kg_machine *machine = &current->machine;
    const struct kg_baseline_run *newest = NULL;
    bool good = true;
    comparison->notes = kg_arena_alloc(&comparison->arena, NOTES_MOST, sizeof *comparison->notes);
    if (!comparison->notes)
        return kg_error_memory(err);
    for (size_t i = 0; i < baseline->run_count; i++)
        if (!baseline->runs[i].pin && !strcmp(baseline->runs[i].suite, current->suite))
            newest = &baseline->runs[i];
    if (baseline->fingerprint && strcmp(baseline->fingerprint, machine->fingerprint) != 0)
        good =
            note(comparison, kg_arena_printf(&comparison->arena,
                                             "the baseline is of another machine (%s): nothing was "
                                             "compared",
                                             baseline->fingerprint));
    else if (newest)
        good =
            note_difference(comparison, "kernel", newest->kernel, machine->kernel) &&
            note_difference(comparison, "governor", newest->governor, machine->governor) &&
            note_difference(comparison, "vectors", newest->vectors, machine->vectors) &&
            note_difference(comparison, "BLAS", newest->blas, machine->blas) &&
            note_difference(comparison, "compiler", newest->compiler, machine->compiler) &&
            note_difference(comparison, "CUDA driver", newest->cuda_driver, machine->cuda_driver) &&
            gpu_notes(comparison, newest, machine);
    if (good && newest && same_machine(baseline, machine))
        good = drift_note(comparison, newest, current);
    good = good && conditions_note(comparison, current) && disturbances_note(comparison, current) &&
           cases_note(comparison, current);
    if (good && comparison->baseline_runs == 1 && !current->pair)
        good = note(comparison, "the baseline has one run, so the noise between runs is not known "
                                "yet; `kgate baseline update` adds more");
    if (good && current->filter)
        good =
            note(comparison, kg_arena_printf(&comparison->arena,
                                             "cases were left out (%s), so none is called REMOVED",
                                             current->filter));
    if (good && !current->complete)
        good = note(comparison, "the run did not finish, so no case is called REMOVED");
    return good ? true : kg_error_memory(err);
}

/* Where it is no reason of the verdict: of a first run that is recorded. */
static bool missing_note(const struct kg_baseline *baseline, struct kg_comparison *comparison)
{
    return !baseline->missing || comparison->verdict == KG_VERDICT_UNDECIDED ||
           note(comparison, kg_arena_copy(&comparison->arena, baseline->missing));
}

bool kg_verdict_decide(const struct kg_baseline *baseline, const struct kg_results *current,
                       struct kg_comparison *comparison, struct kg_error *err)
{
    size_t counts[KG_CHANGE_COUNT];
    counts_fill(comparison, counts);
    for (size_t i = 0; i < comparison->case_count; i++)
        comparison->cases[i].fails = policy_fails(&comparison->policy, comparison->cases[i].change);
    if (!notes_make(baseline, current, comparison, err))
        return false;
    if (!decide(baseline, current, comparison, counts))
        return kg_error_memory(err);
    return missing_note(baseline, comparison) ? true : kg_error_memory(err);
}
