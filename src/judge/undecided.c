#include "judge/undecided.h"

#include <stdio.h>
#include <string.h>

#include "judge/metric.h"
#include "model/change.h"

/* A NEW case has metrics only if budgets judge it. It stays NEW only if it meets them. */
static bool meets_budgets(const struct kg_case_change *change)
{
    return change->change == KG_CHANGE_NEW && change->metric_count;
}

static bool is_compared(const struct kg_case_change *change)
{
    return meets_budgets(change) || kg_change_undecided(change) ||
           change->change == KG_CHANGE_IMPROVEMENT || change->change == KG_CHANGE_REGRESSION ||
           change->change == KG_CHANGE_NO_CHANGE;
}

/* Whether only the interval leaves the metric open, and not the clock, a busy machine or a missing value. */
static bool open_by_interval(const struct kg_metric *metric)
{
    switch (metric->doubt) {
    case KG_DOUBT_MEAN:
    case KG_DOUBT_CALL_CPU:
    case KG_DOUBT_UNCONFIRMED:
    case KG_DOUBT_ALL_DISTURBED:
    case KG_DOUBT_UNPROVEN:
    case KG_DOUBT_EFFECT:
    case KG_DOUBT_NOISE:
    case KG_DOUBT_CROSSING:
        return true;
    default:
        return false;
    }
}

bool kg_change_not_worse(const struct kg_case_change *change)
{
    if (change->change != KG_CHANGE_INCONCLUSIVE || !change->metric_count)
        return false;
    for (size_t m = 0; m < change->metric_count; m++) {
        const struct kg_metric *metric = &change->metrics[m];
        if (metric->change == KG_CHANGE_INCONCLUSIVE && !metric->unasked &&
            !(open_by_interval(metric) && kg_metric_not_worse(metric)))
            return false;
    }
    return true;
}

struct kg_decided kg_decided_count(const struct kg_comparison *comparison)
{
    const struct kg_change_counts *counts = &comparison->counts;
    size_t undecided = counts->of[KG_CHANGE_SUSPECT] + counts->of[KG_CHANGE_INCONCLUSIVE],
           suspect = counts->of[KG_CHANGE_SUSPECT];
    size_t compared = counts->of[KG_CHANGE_IMPROVEMENT] + counts->of[KG_CHANGE_REGRESSION] +
                      counts->of[KG_CHANGE_NO_CHANGE] + undecided;
    size_t not_worse = 0;
    for (size_t i = 0; i < comparison->case_count; i++) {
        const struct kg_case_change *change = &comparison->cases[i];
        compared += meets_budgets(change);
        if (change->waived == KG_WAIVER_NONE) {
            not_worse += kg_change_not_worse(change);
            continue;
        }
        undecided -= kg_change_undecided(change);
        suspect -= change->change == KG_CHANGE_SUSPECT;
        if (change->waived == KG_WAIVER_UNTRUSTED && is_compared(change))
            compared--;
    }
    return (struct kg_decided){.compared = compared,
                               .measured = compared - comparison->not_measured,
                               .undecided = undecided - not_worse,
                               .not_worse = not_worse,
                               .suspect = suspect};
}

bool kg_undecided_is_open(const struct kg_comparison *comparison)
{
    bool fails = comparison->verdict == KG_VERDICT_PASS;
    for (size_t i = 0; i < comparison->case_count && comparison->verdict == KG_VERDICT_FAIL; i++)
        fails = fails || comparison->cases[i].fails;
    return comparison->complete && !fails;
}

/* Number of undecided cases that cannot be compared because their rounds waited too long. */
static size_t busy_count(const struct kg_comparison *comparison)
{
    size_t count = 0;
    for (size_t i = 0; i < comparison->case_count; i++) {
        const struct kg_case_change *change = &comparison->cases[i];
        count += kg_change_undecided(change) && change->waived == KG_WAIVER_NONE &&
                 (!change->metric_count || change->metrics[0].doubt == KG_DOUBT_BUSY);
    }
    return count;
}

const char *kg_undecided_most(struct kg_comparison *comparison, const struct kg_decided *decided)
{
    const size_t suspect = decided->suspect, busy = busy_count(comparison);
    const size_t undecided = decided->undecided - busy, compared = decided->measured - busy;
    const char *worse = decided->not_worse ? ", and may be worse" : "";
    char others[96] = "";
    if (!undecided)
        return kg_arena_printf(&comparison->arena,
                               "%zu of %zu case%s could not be compared: the machine was too busy",
                               busy, decided->measured, decided->measured == 1 ? "" : "s");
    if (busy)
        snprintf(others, sizeof others,
                 ", and %zu other%s could not be compared: the machine was too busy", busy,
                 busy == 1 ? "" : "s");
    if (!suspect || suspect == undecided)
        return kg_arena_printf(&comparison->arena, "%zu of %zu compared case%s %s%s%s", undecided,
                               compared, compared == 1 ? " is" : "s are",
                               kg_change_name(suspect ? KG_CHANGE_SUSPECT : KG_CHANGE_INCONCLUSIVE),
                               worse, others);
    return kg_arena_printf(&comparison->arena, "%zu of %zu compared cases are %s or %s%s%s",
                           undecided, compared, kg_change_name(KG_CHANGE_SUSPECT),
                           kg_change_name(KG_CHANGE_INCONCLUSIVE), worse, others);
}

bool kg_undecided_is_new_pair(const struct kg_comparison *comparison,
                              const struct kg_results *current)
{
    return current->pair && comparison->counts.of[KG_CHANGE_NEW];
}

const char *kg_undecided_nothing(struct kg_comparison *comparison, const char *missing)
{
    static const enum kg_change listed[] = {KG_CHANGE_NEW, KG_CHANGE_SKIPPED, KG_CHANGE_FAILED,
                                            KG_CHANGE_REMOVED};
    struct kg_text text = {0};
    const char *separator = ": ";
    kg_text_append(&text, "nothing was compared");
    for (size_t i = 0; i < sizeof listed / sizeof *listed; i++)
        if (comparison->counts.of[listed[i]]) {
            kg_text_printf(&text, "%s%zu %s", separator, comparison->counts.of[listed[i]],
                           kg_changes[listed[i]].word);
            separator = ", ";
        }
    if (missing)
        kg_text_printf(&text, "; %s", missing);
    const char *copy = kg_arena_copy(&comparison->arena, kg_text_string(&text));
    kg_text_free(&text);
    return copy;
}

/* Whether the reference has the metric and this run does not. */
static bool is_blank(const struct kg_metric *metric)
{
    return metric->doubt == KG_DOUBT_BUSY ||
           (metric->doubt == KG_DOUBT_UNCOUNTED && isfinite(metric->baseline));
}

static const struct kg_metric *blank_find(const struct kg_case_change *change)
{
    for (size_t m = 0; m < change->metric_count; m++)
        if (is_blank(&change->metrics[m]))
            return &change->metrics[m];
    return NULL;
}

bool kg_change_blank(const struct kg_case_change *change)
{
    if (change->change == KG_CHANGE_NEW)
        return false;
    return blank_find(change) || (kg_change_undecided(change) && !change->metric_count);
}

/* "prog/cpu was SKIPPED", "prog/cpu: the machine was too busy" */
static const char *missing_words(struct kg_arena *arena, const struct kg_case_change *change)
{
    const struct kg_metric *blank = blank_find(change);
    if (change->unpaired)
        return kg_arena_printf(arena, "%.300s was %s: %.300s", change->id,
                               kg_change_name(change->change), change->reason);
    if (!kg_change_blank(change))
        return kg_arena_printf(arena, "%.300s was %s", change->id, kg_change_name(change->change));
    if (blank && blank->doubt == KG_DOUBT_UNCOUNTED)
        return kg_arena_printf(arena, "%.300s has no %s", change->id, blank->name);
    return kg_arena_printf(arena, "%.300s: the machine was too busy", change->id);
}

const char *kg_undecided_missing(struct kg_comparison *comparison,
                                 const struct kg_case_change *first, size_t count)
{
    const char *words = missing_words(&comparison->arena, first);
    char more[48] = "";
    if (count > 1)
        snprintf(more, sizeof more, ", and %zu more", count - 1);
    return kg_arena_printf(&comparison->arena, "%zu %scase%s %s not %s: %s%s", count,
                           first->unpaired ? "" : "stored ", count == 1 ? "" : "s",
                           count == 1 ? "was" : "were",
                           kg_change_blank(first) ? "compared" : "measured", words, more);
}

const char *kg_undecided_unrecorded(struct kg_comparison *comparison, size_t count)
{
    enum { NAMED = 5 };
    struct kg_text text = {0};
    size_t named = 0;
    kg_text_append(&text, "NOT recorded: ");
    for (size_t i = 0; i < comparison->case_count && named < NAMED; i++) {
        const struct kg_case_change *change = &comparison->cases[i];
        if (!change->unrecorded || change->waived)
            continue;
        kg_text_printf(&text, "%s%.300s (%s)", named++ ? ", " : "", change->id,
                       change->change == KG_CHANGE_FAILED ? "it failed"
                       : comparison->complete             ? "the machine was too busy"
                                                          : "the run was interrupted");
    }
    if (count > named)
        kg_text_printf(&text, ", and %zu more", count - named);
    kg_text_printf(&text, "; run %s again", count == 1 ? "it" : "them");
    const char *copy = kg_arena_copy(&comparison->arena, kg_text_string(&text));
    kg_text_free(&text);
    return copy;
}

const char *kg_undecided_device(struct kg_comparison *comparison, const struct kg_results *current,
                                const char *device)
{
    const char *reason = NULL;
    size_t count = 0;
    for (size_t i = 0; i < current->case_count; i++) {
        if (strcmp(current->cases[i].device, device) != 0)
            continue;
        count++;
        reason = reason ? reason : current->cases[i].reason;
    }
    return kg_arena_printf(&comparison->arena,
                           "no case on %s was measured: %zu skipped, first reason: %.200s "
                           "(`missing_device: undecided`)",
                           device, count, reason ? reason : "none given");
}
