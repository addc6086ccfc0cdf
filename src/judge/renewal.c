#include "judge/renewal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/memory.h"
#include "base/statistics/stats.h"
#include "base/units.h"
#include "model/baseline_index.h"

enum { DAY_LENGTH = 10, WORDS_MOST = 300 };
static const char TIME[] = "time";

/* The acceptances of a case, checked against a new run. */
struct finding {
    const char *newest; /* `since` of the newest acceptance that counts; NULL: none */
    bool time_noted;
    double further;         /* first ratio beyond its accepted change; NaN: none */
    const char *further_of; /* metric of `further` */
    double limit;      /* accepted change of that metric, as a share; NaN: no change accepted */
    const char *early; /* `since` of an acceptance made after the run; NULL: none */
    const char *over;  /* last day of an acceptance that ended before the run; NULL: none */
};

/* Returns the median of a case's series; NaN without values. */
static double median_of(const struct kg_baseline_series *series)
{
    double *scratch = kg_alloc(series->value_count, sizeof *scratch);
    const double median = kg_median_of(series->values, series->value_count, scratch);
    free(scratch);
    return median;
}

/* Returns the ratio of a metric to its stored value if the ratio exceeds the accepted change, else NaN. NOISE allows
 * for the difference between runs of the same code. */
static double further_find(const struct kg_baseline_case *run,
                           const struct kg_baseline_case *stored, const char *metric, double change)
{
    static const double NOISE = 0.05;
    for (size_t i = 0; stored && i < run->series_count; i++) {
        const struct kg_baseline_series *now = &run->series[i];
        const struct kg_baseline_series *before =
            strcmp(now->name, metric) != 0
                ? NULL
                : kg_baseline_series_find(stored, now->name, now->source);
        if (!before)
            continue;
        const double ratio = median_of(now) / median_of(before), limit = 1 + change;
        if (change >= 0 ? ratio > limit * (1 + NOISE) : ratio < limit / (1 + NOISE))
            return ratio;
    }
    return NAN;
}

static void further_note(struct finding *finding, double ratio, const struct kg_waiver *waiver)
{
    if (isnan(ratio) || !isnan(finding->further))
        return;
    finding->further = ratio;
    finding->further_of = waiver ? waiver->metric : TIME;
    finding->limit = waiver ? waiver->change : NAN;
}

/* Returns the newest stored case from before the acceptance. A case stored later may already have the new level, so
 * every run would agree with it. If all stored cases are later, returns the newest one. */
static const struct kg_baseline_case *stored_before(const struct kg_baseline *baseline,
                                                    const struct kg_baseline_index *index,
                                                    const struct kg_baseline_case *stored,
                                                    const char *since)
{
    for (size_t i = 0; stored && i < index->count; i++) {
        const struct kg_baseline_entry *entry = &index->entries[i];
        if (!strcmp(entry->stored->id, stored->id) &&
            !strcmp(entry->stored->definition_hash, stored->definition_hash) &&
            strcmp(baseline->runs[entry->run].created, since) < 0)
            return entry->stored;
    }
    return stored;
}

static struct finding acceptances_look(const struct kg_waivers *waivers,
                                       const struct kg_baseline *baseline,
                                       const struct kg_baseline_index *index,
                                       const struct kg_baseline_case *run,
                                       const struct kg_baseline_case *stored, const char *created)
{
    const char *before = stored ? stored->accepted : NULL;
    struct finding finding = {.further = NAN, .limit = NAN};
    size_t count = 0;
    const struct kg_waiver *those =
        waivers ? kg_waivers_of(waivers, KG_WAIVER_ACCEPTED, run->id, &count) : NULL;
    for (size_t i = 0; i < count; i++) {
        const struct kg_waiver *waiver = &those[i];
        if (waiver->until && strncmp(created, waiver->until, DAY_LENGTH) > 0) {
            finding.over = before && strcmp(before, waiver->since) >= 0 ? NULL : waiver->until;
            continue;
        }
        if (strcmp(waiver->since, created) > 0) {
            finding.early = waiver->since;
            continue;
        }
        const bool spent = before && strcmp(before, waiver->since) >= 0;
        const struct kg_baseline_case *then =
            spent ? stored : stored_before(baseline, index, stored, waiver->since);
        further_note(&finding, further_find(run, then, waiver->metric, waiver->change), waiver);
        finding.time_noted = finding.time_noted || !strcmp(waiver->metric, TIME);
        if (!finding.newest || strcmp(finding.newest, waiver->since) < 0)
            finding.newest = waiver->since;
    }
    if (finding.newest && !finding.time_noted)
        further_note(
            &finding,
            further_find(run, stored_before(baseline, index, stored, finding.newest), TIME, 0),
            NULL);
    return finding;
}

/* Returns why the acceptance does not renew the baseline, as the end of a sentence about the case. */
static const char *why_not(struct kg_arena *arena, const struct finding *finding,
                           const char *created)
{
    char moved[KG_UNIT_BYTES], limit[KG_UNIT_BYTES];
    if (isnan(finding->further))
        return finding->early
                   ? kg_arena_printf(arena,
                                     "was measured at %s, before the change was accepted at %s",
                                     created, finding->early)
                   : kg_arena_printf(arena, "was accepted until %s, which has passed",
                                     finding->over);
    kg_change_format(finding->further, moved);
    return isnan(finding->limit)
               ? kg_arena_printf(arena,
                                 "is further from the baseline (%s %s), and no change of %s "
                                 "is accepted",
                                 finding->further_of, moved, finding->further_of)
               : kg_arena_printf(
                     arena, "is further from the baseline than accepted (%s %s, accepted %s)",
                     finding->further_of, moved, kg_change_format(1 + finding->limit, limit));
}

static void renewal_add(struct kg_renewals *renewals, const struct finding *finding,
                        const struct kg_baseline_case *run, const char *created, bool renewed)
{
    struct kg_renewal *renewal = NULL;
    for (size_t i = 0; i < renewals->count && !renewal; i++)
        if (!strcmp(renewals->renewals[i].id, run->id))
            renewal = &renewals->renewals[i];
    if (!renewal) {
        kg_arena_grow(&renewals->arena, &renewals->renewals, renewals->count, &renewals->capacity,
                      sizeof *renewals->renewals);
        renewal = &renewals->renewals[renewals->count];
        *renewal = (struct kg_renewal){.id = kg_arena_copy(&renewals->arena, run->id)};
        renewals->count++;
    }
    renewal->why_not = renewed ? NULL : why_not(&renewals->arena, finding, created);
}

void kg_renewals_mark(const struct kg_baseline *baseline, const struct kg_waivers *waivers,
                      struct kg_baseline_run *run, struct kg_renewals *renewals)
{
    struct kg_arena scratch = {0};
    struct kg_baseline_index index;
    kg_baseline_index_make(&scratch, baseline, run->suite, false, &index);
    for (size_t i = 0; i < run->case_count; i++) {
        struct kg_baseline_case *new_case = &run->cases[i];
        const struct kg_baseline_case *stored =
            kg_baseline_index_find(&index, new_case->id, new_case->definition_hash);
        const struct finding finding =
            acceptances_look(waivers, baseline, &index, new_case, stored, run->created);
        const char *before = stored ? stored->accepted : NULL;
        const bool unspent = finding.newest && (!before || strcmp(before, finding.newest) < 0);
        const bool renewed = unspent && isnan(finding.further);
        new_case->accepted = renewed ? finding.newest : before;
        if (renewals && stored && (unspent || finding.early || finding.over))
            renewal_add(renewals, &finding, new_case, run->created, renewed);
    }
    kg_arena_free(&scratch);
}

/* The history of the case now begins with the acceptance, so the entry covers nothing more. */
static void spent_append(const struct kg_renewal *renewal, const struct kg_waivers *waivers,
                         const char *suite, struct kg_text *text)
{
    kg_text_append(text, "; its entry in ");
    kg_escape_terminal(text, waivers->path, WORDS_MOST);
    kg_text_append(text, " is no longer needed: kgate accept '");
    kg_escape_terminal(text, renewal->id, WORDS_MOST);
    kg_text_append(text, "'");
    if (suite && *suite) {
        kg_text_append(text, " -c ");
        kg_escape_terminal(text, suite, WORDS_MOST);
    }
    kg_text_append(text, " --remove");
}

void kg_renewals_text(const struct kg_renewals *renewals, const struct kg_waivers *waivers,
                      const char *suite, struct kg_text *text)
{
    for (size_t i = 0; i < renewals->count; i++) {
        const struct kg_renewal *renewal = &renewals->renewals[i];
        kg_text_append(text, renewal->why_not ? "not renewed: " : "renewed: ");
        kg_escape_terminal(text, renewal->id, WORDS_MOST);
        if (renewal->why_not) {
            kg_text_append(text, " ");
            kg_escape_terminal(text, renewal->why_not, WORDS_MOST);
        } else if (waivers && waivers->path)
            spent_append(renewal, waivers, suite, text);
        kg_text_append(text, "\n");
    }
}

void kg_renewals_free(struct kg_renewals *renewals)
{
    kg_arena_free(&renewals->arena);
    *renewals = (struct kg_renewals){0};
}
