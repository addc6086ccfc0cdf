#include "why/suggest_parts.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "why/evidence/gather.h"
#include "why/rules/rule_parts.h"

enum { NOTES_MOST = 8 };

struct maker {
    const struct kg_suggest_input *input;
    const struct kg_facts_list *cases;
    struct kg_suggestions *made;
};

__attribute__((format(printf, 2, 3))) static bool note_add(struct maker *maker, const char *format,
                                                           ...)
{
    struct kg_suggestions *made = maker->made;
    va_list arguments, again;
    if (made->note_count == NOTES_MOST)
        return true;
    va_start(arguments, format);
    va_copy(again, arguments);
    const int length = vsnprintf(NULL, 0, format, arguments);
    char *note = length < 0 ? NULL : kg_arena_alloc(&made->arena, (size_t)length + 1, 1);
    if (note)
        vsnprintf(note, (size_t)length + 1, format, again);
    va_end(again);
    va_end(arguments);
    made->notes[made->note_count] = note;
    return made->notes[made->note_count++] != NULL;
}

/* How many cases have times, on that device or, with NULL, on any. */
static size_t measured_count(const struct maker *maker, const char *device)
{
    size_t count = 0;
    for (size_t i = 0; i < maker->cases->count; i++)
        count += kg_known(maker->cases->of[i].traits.time_ns) &&
                 (!device || !strcmp(maker->cases->of[i].device, device));
    return count;
}

/* How many cases have several threads whose CPUs others had. */
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
    "they were measured by an older kgate or another harness, by a run with `trace: no`, or by one "
    "that had no time to look around (--budget)";

/* Some repeated calls are seen without a profile: by who samples and counts the instructions. */
static bool repeated_seen(const struct kg_suggestions *made)
{
    for (size_t i = 0; i < made->suggestion_count; i++)
        if (!strcmp(made->suggestions[i].rule, "repeated_work"))
            return true;
    return false;
}

static bool results_notes(struct maker *maker)
{
    const struct kg_results *results = maker->input->results;
    const struct kg_cpu_ceilings *cpu = &results->cpu_ceilings;
    const struct kg_ceilings *gpu = &results->ceilings;
    const size_t left = results->case_count - measured_count(maker, NULL);
    const size_t disturbed = disturbed_count(maker);
    bool good = true;
    if (disturbed)
        good =
            note_add(maker,
                     "the threads of %zu of %zu case%s were preempted by other programs: how well "
                     "they share the work is not known. Measure again when less else runs on "
                     "this machine",
                     disturbed, results->case_count, results->case_count == 1 ? "" : "s");
    if (good && left)
        good = note_add(maker, "%zu of %zu case%s %s no times: nothing is said of %s", left,
                        results->case_count, results->case_count == 1 ? "" : "s",
                        left == 1 ? "has" : "have", left == 1 ? "it" : "them");
    if (good && measured_count(maker, "cpu") && !kg_known(cpu->one.memory_bytes_per_s))
        good = note_add(maker, "no ceilings of the CPU in these results: %s",
                        cpu->reason ? cpu->reason : UNMEASURED);
    if (good && measured_count(maker, "cuda") && !kg_known(gpu->copy_bytes_per_s))
        good = note_add(maker, "no ceilings of the GPU in these results: %s",
                        gpu->reason ? gpu->reason : UNMEASURED);
    if (good && results->not_kept)
        good = note_add(maker, "what was seen of the cases is not kept for the next run: %s",
                        results->not_kept);
    if (good && !maker->input->profile && results->profile && !maker->input->note)
        good =
            note_add(maker, "the profile of these results is not looked at here: `kgate suggest` "
                            "of them does");
    if (good && measured_count(maker, NULL) && results->no_profile)
        good = note_add(maker, "no profile: %s", results->no_profile);
    else if (good && measured_count(maker, NULL) && !results->profile)
        good = note_add(maker,
                        "no profile: %swaits, parallel regions and the balance of threads are seen "
                        "by `kgate run --profile` only",
                        repeated_seen(maker->made) ? "" : "repeated calls, ");
    return good;
}

bool kg_notes_make(const struct kg_suggest_input *input, const struct kg_facts_list *cases,
                   const char *no_changes, struct kg_suggestions *made, struct kg_error *err)
{
    struct maker maker = {input, cases, made};
    made->notes = kg_arena_alloc(&made->arena, NOTES_MOST, sizeof *made->notes);
    bool good = made->notes != NULL;
    if (good && input->note)
        good = note_add(&maker, "%s", input->note);
    if (good && made->unwritable)
        good =
            note_add(&maker, "left out, since a figure is not known or cannot be: %s (%zu in all)",
                     made->unwritable, made->unwritable_count);
    if (good && no_changes)
        good = note_add(&maker, "what changed is not told, the baseline cannot be used: %s",
                        no_changes);
    if (good && input->results)
        good = results_notes(&maker);
    if (good && !input->results && !made->finding_count)
        good = note_add(&maker, "there are no scopes in this profile");
    return good ? true : kg_error_memory(err);
}
