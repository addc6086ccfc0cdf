#include "judge/comparison_notes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"
#include "judge/environment_words.h"
#include "judge/metric.h"
#include "model/disturbance.h"
#include "model/throttle.h"

static void note(struct kg_comparison *comparison, const char *text)
{
    const size_t count = comparison->note_count;
    const char **notes = kg_arena_alloc(&comparison->arena, count + 1, sizeof *notes);
    if (count)
        memcpy(notes, comparison->notes, count * sizeof *notes);
    notes[comparison->note_count++] = text;
    comparison->notes = notes;
}

/* Notes a property that is not part of the fingerprint but may explain a changed time. */
static void note_difference(struct kg_comparison *comparison, const char *what, const char *before,
                            const char *now)
{
    if (strcmp(before ? before : "none", now ? now : "none") != 0)
        note(comparison,
             kg_arena_printf(&comparison->arena, "%s: the baseline had %s, this run has %s", what,
                             before ? before : "none", now ? now : "none"));
}

/* Like note_difference, but notes nothing if a side does not know the property. */
static void note_difference_known(struct kg_comparison *comparison, const char *what,
                                  const char *before, const char *now)
{
    if (before && now)
        note_difference(comparison, what, before, now);
}

static void note_clock(struct kg_comparison *comparison, const char *what, double before_hz,
                       double now_hz)
{
    char before[32], now[32];
    if (!(before_hz > 0 && now_hz > 0))
        return;
    snprintf(before, sizeof before, "%.0f MHz", before_hz * 1e-6);
    snprintf(now, sizeof now, "%.0f MHz", now_hz * 1e-6);
    note_difference(comparison, what, before, now);
}

/* Notes differences of the GPU that runs the CUDA cases. */
static void gpu_notes(struct kg_comparison *comparison, const struct kg_baseline_run *newest,
                      const struct kg_machine *machine)
{
    const struct kg_gpu *gpu = kg_machine_gpu(machine);
    if (!gpu)
        return;
    note_difference_known(comparison, "NVIDIA driver", newest->nvidia_driver,
                          machine->nvidia_driver);
    note_difference_known(comparison, "CUDA toolkit", newest->cuda_toolkit, machine->cuda_toolkit);
    note_difference_known(comparison, "ECC", newest->gpu_ecc, gpu->ecc);
    note_difference_known(comparison, "MIG", newest->gpu_mig, gpu->mig);
    note_clock(comparison, "highest SM clock", newest->gpu_sm_clock_hz, gpu->sm_clock_hz);
    note_clock(comparison, "highest memory clock", newest->gpu_memory_clock_hz,
               gpu->memory_clock_hz);
}

static void machine_notes(struct kg_comparison *comparison, const struct kg_baseline_run *newest,
                          const struct kg_machine *machine)
{
    note_difference(comparison, "kernel", newest->kernel, machine->kernel);
    note_difference(comparison, "governor", newest->governor, machine->governor);
    note_difference(comparison, "vectors", newest->vectors, machine->vectors);
    note_difference(comparison, "compiler", newest->compiler, machine->compiler);
    note_difference(comparison, "CUDA driver", newest->cuda_driver, machine->cuda_driver);
    gpu_notes(comparison, newest, machine);
}

/* "memory bandwidth of this machine is 12 % below the baseline's": change of a reading of the machine's probe.
 * worth  smallest change to note, as a share; larger than the usual scatter of the reading */
static void drift_note_one(struct kg_comparison *comparison, const char *what, double worth,
                           double before, double now)
{
    const double moved = now / before - 1;
    if (fabs(moved) >= worth) /* false if a reading is unknown (NaN) */
        note(comparison,
             kg_arena_printf(&comparison->arena, "%s of this machine is %.0f %% %s the baseline's",
                             what, 100 * fabs(moved), moved < 0 ? "below" : "above"));
}

static void drift_note(struct kg_comparison *comparison, const struct kg_baseline_run *newest,
                       const struct kg_results *current)
{
    const struct kg_probe_reading now = kg_results_probe(current);
    /* pulse_ns is a time; the clock is its inverse */
    drift_note_one(comparison, "the core clock", 0.03, 1 / newest->pulse_ns, 1 / now.pulse_ns);
    drift_note_one(comparison, "memory bandwidth", 0.05, newest->bandwidth_bytes_per_s,
                   now.bandwidth_bytes_per_s);
    drift_note_one(comparison, "memory latency", 0.15, newest->latency_ns, now.latency_ns);
}

/* A program may behave differently if its environment differs. */
static void environment_note(struct kg_comparison *comparison, const struct kg_baseline_run *newest,
                             const struct kg_results *current)
{
    const char *words = kg_environment_words(&comparison->arena, current, NULL, newest);
    if (words)
        note(comparison, kg_arena_printf(&comparison->arena, "environment: %s", words));
}

/* Notes disturbances of the GPU during the run. */
static void conditions_note(struct kg_comparison *comparison, const struct kg_results *current)
{
    char words[2][KG_CONDITION_WORDS];
    const struct kg_gpu_conditions conditions = kg_gpu_conditions(current);
    kg_gpu_conditions_words(&conditions, words[0], words[1], KG_CONDITION_WORDS);
    for (int i = 0; i < 2; i++)
        if (*words[i])
            kg_comparison_note(comparison, words[i]);
}

/* Notes the number of cases beyond the named ones. */
static void rest_note(struct kg_comparison *comparison, size_t count, const char *does,
                      const char *do_all)
{
    if (count)
        note(comparison, kg_arena_printf(&comparison->arena, "%zu more case%s %s", count,
                                         count == 1 ? "" : "s", count == 1 ? does : do_all));
}

/* Names cases with more disturbed rounds than kgate measured replacements for. If the machine was too busy, the case's
 * own reason says so. */
static void disturbances_note(struct kg_comparison *comparison, const struct kg_results *current)
{
    enum { MOST = 4 };
    char words[KG_DISTURBANCE_WORDS];
    size_t count = 0;
    for (size_t i = 0; i < current->case_count; i++) {
        const struct kg_disturbance found = kg_disturbance_of(&current->cases[i]);
        if (!*kg_disturbance_words(&found, words) || kg_disturbance_too_busy(&found))
            continue;
        if (count++ < MOST)
            note(comparison,
                 kg_arena_printf(&comparison->arena, "%.200s: %s", current->cases[i].id, words));
    }
    rest_note(comparison, count > MOST ? count - MOST : 0, "had CPU contention too",
              "had CPU contention too");
}

/* Notes the warnings of cases. Each different text appears once. */
static void cases_note(struct kg_comparison *comparison, const struct kg_results *current)
{
    enum { MOST = 4 };
    const char *texts[MOST];
    size_t count = 0, rest = 0;
    for (size_t i = 0; i < current->case_count; i++) {
        const struct kg_case_result *result = &current->cases[i];
        size_t same = 0;
        while (result->note && same < count && strcmp(texts[same], result->note) != 0)
            same++;
        rest += result->note && same == MOST;
        if (!result->note || same < count || count == MOST)
            continue;
        texts[count++] = result->note;
        note(comparison,
             kg_arena_printf(&comparison->arena, "%.200s: %.300s", result->id, result->note));
    }
    rest_note(comparison, rest, "has another note", "have other notes");
}

/* Names cases whose metric moved although no code changed, which kgate therefore calls unchanged. */
static void moved_note(struct kg_comparison *comparison)
{
    enum { MOST = 4 };
    char moved[KG_UNIT_BYTES];
    size_t count = 0;
    for (size_t i = 0; i < comparison->case_count; i++) {
        const struct kg_case_change *change = &comparison->cases[i];
        const struct kg_metric *metric = change->metrics;
        if (!change->metric_count || metric->change != KG_CHANGE_NO_CHANGE ||
            metric->doubt != KG_DOUBT_CODE_UNCHANGED || !kg_metric_large(metric))
            continue;
        if (count++ < MOST)
            note(comparison,
                 kg_arena_printf(&comparison->arena, "%.200s: %s %s: %.300s", change->id,
                                 metric->name, kg_change_format(metric->ratio, moved),
                                 metric->reason));
    }
    rest_note(comparison, count > MOST ? count - MOST : 0, "moved likewise", "moved likewise");
}

/* Notes that the noise is not only of the stored runs, or that a prior fits no case. */
static void prior_note(const struct kg_baseline *baseline, struct kg_comparison *comparison)
{
    const size_t cases = comparison->prior_cases;
    if (!baseline->prior || !comparison->baseline_runs)
        return;
    note(comparison,
         cases ? kg_arena_printf(&comparison->arena,
                                 "prior of %zu run%s: the noise of %zu case%s comes from the "
                                 "history, too",
                                 comparison->prior_runs, comparison->prior_runs == 1 ? "" : "s",
                                 cases, cases == 1 ? "" : "s")
               : "the prior beside the baseline fits no case: other definitions, or noise that it "
                 "does not know; `kgate history export --format prior` renews it");
}

void kg_comparison_notes_make(const struct kg_baseline *baseline, const struct kg_results *current,
                              struct kg_comparison *comparison)
{
    const struct kg_machine *machine = &current->machine;
    const struct kg_baseline_run *newest = NULL;
    for (size_t i = 0; i < baseline->run_count; i++)
        if (!baseline->runs[i].pin && !strcmp(baseline->runs[i].suite, current->suite))
            newest = &baseline->runs[i];
    if (baseline->fingerprint && strcmp(baseline->fingerprint, machine->fingerprint) != 0)
        note(comparison,
             kg_arena_printf(&comparison->arena,
                             "the baseline is from another machine (%s): nothing was compared",
                             baseline->fingerprint));
    else if (newest)
        machine_notes(comparison, newest, machine);
    if (newest && baseline->fingerprint && !strcmp(baseline->fingerprint, machine->fingerprint)) {
        environment_note(comparison, newest, current);
        drift_note(comparison, newest, current);
    }
    conditions_note(comparison, current);
    disturbances_note(comparison, current);
    cases_note(comparison, current);
    moved_note(comparison);
    prior_note(baseline, comparison);
    if (comparison->baseline_runs == 1 && !comparison->prior_cases && !current->pair)
        note(comparison, "the baseline has one run, so the noise between runs is unknown; `kgate "
                         "baseline record` adds runs");
    if (current->filter)
        note(comparison, kg_arena_printf(&comparison->arena,
                                         "cases were left out (%s), so no case counts as REMOVED",
                                         current->filter));
    if (!current->complete)
        note(comparison, "the run did not finish, so no case counts as REMOVED");
}

void kg_comparison_note(struct kg_comparison *comparison, const char *text)
{
    note(comparison, kg_arena_copy(&comparison->arena, text));
}

static void advice_keep(void *user, const char *text)
{
    kg_comparison_note(user, text);
}

struct kg_advice kg_comparison_advice(struct kg_comparison *comparison)
{
    return (struct kg_advice){.keep = advice_keep, .user = comparison};
}

void kg_comparison_stands(const struct kg_comparison *comparison)
{
    kg_memory_end_process(
        (int)comparison->exit_status,
        "kgate: out of memory after the verdict. The verdict stands; suggestions or "
        "reports are missing.");
}
