#include "why/suggest_parts.h"

#include <string.h>

#include "why/evidence/gather.h"
#include "why/rules/rule_parts.h"

enum { NOTES_MOST = 8 };

struct maker {
    const struct kg_suggest_input *input;
    const struct kg_facts_list *cases;
    struct kg_suggestions *made;
};

static void note_add(struct maker *maker, const char *note)
{
    struct kg_suggestions *made = maker->made;
    if (made->note_count < NOTES_MOST)
        made->notes[made->note_count++] = note;
}

/* Number of cases with times on this device; NULL: on any device. */
static size_t measured_count(const struct maker *maker, const char *device)
{
    size_t count = 0;
    for (size_t i = 0; i < maker->cases->count; i++)
        count += kg_known(maker->cases->of[i].traits.time_ns) &&
                 (!device || !strcmp(maker->cases->of[i].device, device));
    return count;
}

/* Number of cases with several threads whose CPUs other programs used. */
static size_t disturbed_count(const struct maker *maker)
{
    struct kg_suggest_settings settings;
    size_t count = 0;
    kg_suggest_settings_of(maker->input, &settings);
    for (size_t i = 0; i < maker->cases->count; i++)
        count += kg_at_least(maker->cases->of[i].traits.threads, 2) &&
                 kg_cpus_taken(&maker->cases->of[i], &settings);
    return count;
}

static const char UNMEASURED[] =
    "they were measured by an older kgate or another harness, with `trace: no`, or without time "
    "for it (--budget)";

/* Whether samples and counts, without a profile, already showed repeated calls. */
static bool repeated_seen(const struct kg_suggestions *made)
{
    for (size_t i = 0; i < made->suggestion_count; i++)
        if (!strcmp(made->suggestions[i].rule, "repeated_work"))
            return true;
    return false;
}

/* Notes that peaks are missing. `kgate ab` measures none and needs none, so without a reason its results get no note. */
static void peaks_note(struct maker *maker, const char *of, const char *reason)
{
    if (!reason && maker->input->results->pair)
        return;
    note_add(maker, kg_arena_printf(&maker->made->arena, "these results have no %s peaks: %s", of,
                                    reason ? reason : UNMEASURED));
}

static void results_notes(struct maker *maker)
{
    const struct kg_results *results = maker->input->results;
    const struct kg_cpu_ceilings *cpu = &results->cpu_ceilings;
    const struct kg_ceilings *gpu = &results->ceilings;
    const size_t left = results->case_count - measured_count(maker, NULL);
    const size_t disturbed = disturbed_count(maker);
    struct kg_arena *arena = &maker->made->arena;
    if (disturbed)
        note_add(maker,
                 kg_arena_printf(
                     arena,
                     "other programs preempted the threads of %zu of %zu case%s, so their scaling "
                     "is unknown. Measure again on an idle machine",
                     disturbed, results->case_count, results->case_count == 1 ? "" : "s"));
    if (left)
        note_add(maker,
                 kg_arena_printf(arena,
                                 "%zu of %zu case%s %s no times, so there is no advice for "
                                 "%s",
                                 left, results->case_count, results->case_count == 1 ? "" : "s",
                                 left == 1 ? "has" : "have", left == 1 ? "it" : "them"));
    if (measured_count(maker, "cpu") && !kg_known(cpu->one.memory_bytes_per_s))
        peaks_note(maker, "CPU", cpu->reason);
    if (measured_count(maker, "cuda") && !kg_known(gpu->copy_bytes_per_s))
        peaks_note(maker, "GPU", gpu->reason);
    if (results->not_kept)
        note_add(maker, kg_arena_printf(arena, "the profiles are not kept for the next run: %s",
                                        results->not_kept));
    if (!maker->input->profile && results->profile && !maker->input->note)
        note_add(maker, "the recorded profile is not used here; `kgate suggest` of these results "
                        "uses it");
    if (measured_count(maker, NULL) && results->no_profile)
        note_add(maker, kg_arena_printf(arena, "no profile: %s", results->no_profile));
    else if (measured_count(maker, NULL) && !results->profile)
        note_add(maker,
                 kg_arena_printf(
                     arena,
                     "no profile: only `kgate run --profile` shows %swaits, parallel regions and "
                     "the balance of threads",
                     repeated_seen(maker->made) ? "" : "repeated calls, "));
}

void kg_notes_make(const struct kg_suggest_input *input, const struct kg_facts_list *cases,
                   const char *no_changes, struct kg_suggestions *made)
{
    struct maker maker = {input, cases, made};
    struct kg_arena *arena = &made->arena;
    made->notes = kg_arena_alloc(arena, NOTES_MOST, sizeof *made->notes);
    if (input->note)
        note_add(&maker, kg_arena_copy(arena, input->note));
    if (made->unwritable)
        note_add(&maker,
                 kg_arena_printf(
                     arena, "left out, because a figure is unknown or impossible: %s (%zu in all)",
                     made->unwritable, made->unwritable_count));
    if (no_changes)
        note_add(&maker, kg_arena_printf(arena,
                                         "no causes of changes, because the baseline cannot be "
                                         "used: %s",
                                         no_changes));
    if (made->alike_count)
        note_add(&maker,
                 kg_arena_printf(arena,
                                 "%zu suggestion%s for cases that became slower %s left out: the "
                                 "baseline has the same evidence",
                                 made->alike_count, made->alike_count == 1 ? "" : "s",
                                 made->alike_count == 1 ? "is" : "are"));
    if (input->results)
        results_notes(&maker);
    if (!input->results && !made->finding_count)
        note_add(&maker, "there are no scopes in this profile");
}
