#include "gate/history_confirm.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "base/units.h"
#include "judge/builds.h"
#include "model/metric_table.h"

struct confirming {
    struct kg_arena *arena;
    const struct kg_prepared_suite *what;
    const struct kg_confirm_options *options;
    struct kg_confirmation *rows;
    size_t count;
    uint64_t started_ns;
    int signal;
};

/* --- Available builds ------------------------------------------------------------------------- */

static const struct kg_case *case_find(const struct kg_plan *plan,
                                       const struct kg_history_suspect *suspect)
{
    for (size_t i = 0; i < plan->case_count; i++)
        if (!strcmp(plan->cases[i].id, suspect->change->id_of_case))
            return suspect->definition &&
                           !strcmp(plan->cases[i].definition_hash, suspect->definition)
                       ? &plan->cases[i]
                       : NULL;
    return NULL;
}

static const struct kg_history_build *
build_find(const char *store, const struct kg_history_suspect *suspect, size_t side)
{
    for (size_t i = 0; i < suspect->build_counts[side]; i++)
        if (kg_builds_has(store, suspect->builds[side][i].hash))
            return &suspect->builds[side][i];
    return NULL;
}

/* Name of a side in messages. */
static const char *side_name(struct kg_arena *arena, const struct kg_history_suspect *suspect,
                             size_t side)
{
    enum { COMMIT_SHOWN = 12 };
    const char *commit =
        side == KG_HISTORY_BEFORE ? suspect->change->commit_before : suspect->change->commit_after;
    return commit                      ? kg_arena_printf(arena, "%.*s", COMMIT_SHOWN, commit)
           : side == KG_HISTORY_BEFORE ? "the run before the change"
                                       : "the run after the change";
}

static void confirmation_make(struct kg_arena *arena, const struct kg_prepared_suite *what,
                              const char *store, struct kg_confirmation *row)
{
    row->planned = case_find(what->plan, row->suspect);
    row->outcome = KG_CONFIRMING_UNABLE;
    if (!row->planned) {
        row->reason = "the suite has no such case, or defines it otherwise";
        return;
    }
    for (size_t side = 0; side < KG_HISTORY_SIDES; side++) {
        row->builds[side] = build_find(store, row->suspect, side);
        if (!row->builds[side]) {
            row->reason = kg_arena_printf(arena, "no build of %s is kept in %.200s/builds",
                                          side_name(arena, row->suspect, side), store);
            return;
        }
    }
    row->outcome = KG_CONFIRMING_ABLE;
}

struct kg_confirmation *
kg_confirmations_make(struct kg_arena *arena, const struct kg_prepared_suite *what,
                      const char *store, const struct kg_history_suspect *suspects, size_t count)
{
    struct kg_confirmation *rows = kg_arena_alloc(arena, count, sizeof *rows);
    for (size_t i = 0; i < count; i++) {
        rows[i] = (struct kg_confirmation){.suspect = &suspects[i]};
        confirmation_make(arena, what, store, &rows[i]);
    }
    return rows;
}

/* --- Decision --------------------------------------------------------------------------------- */

static const struct kg_metric *metric_find(const struct kg_ab *ab, const char *name)
{
    const struct kg_comparison *comparison = &ab->comparison;
    for (size_t i = 0; i < comparison->case_count; i++)
        for (size_t m = 0; m < comparison->cases[i].metric_count; m++) {
            const struct kg_metric *metric = &comparison->cases[i].metrics[m];
            if (!strcmp(metric->name, name) && kg_metric_against(metric) == KG_AGAINST_BASE)
                return metric;
        }
    return NULL;
}

/* "+10.2 % (95 % interval +9.8 % to +10.6 %, p = 0.0003, 12 paired rounds)" */
static void numbers_append(const struct kg_metric *metric, size_t pairs, struct kg_text *text)
{
    char formatted[KG_UNIT_BYTES];
    kg_text_printf(text, "%s (", kg_change_format(metric->ratio, formatted));
    if (!isnan(metric->interval_low)) {
        kg_text_printf(text, "95 %% interval %s",
                       kg_change_format(metric->interval_low, formatted));
        kg_text_printf(text, " to %s, ", kg_change_format(metric->interval_high, formatted));
    }
    if (!isnan(metric->p_value))
        kg_text_printf(text, "p = %.2g, ", metric->p_value);
    kg_text_printf(text, "%zu paired round%s)", pairs, pairs == 1 ? "" : "s");
}

/* Appends the place in code that explains the change, if the profiles of both builds show one. */
static void place_append(const struct kg_ab *ab, struct kg_text *text)
{
    const struct kg_suggestions *made = &ab->suggestions;
    for (size_t i = 0; i < made->change_count; i++)
        if (kg_evidence_is_place(&made->changes[i]) && made->changes[i].text) {
            kg_text_printf(text, "; %s", made->changes[i].text);
            return;
        }
}

static bool is_closed(const struct kg_case_result *result)
{
    return result->code.hash && result->code.scope == KG_CODE_WITH_LIBRARIES;
}

/* Whether the value of the newer build still lies on the far side of the change. */
static bool lasts(const struct kg_history_suspect *suspect, const struct kg_metric *metric)
{
    const double above = 1 + metric->asked_threshold;
    if (!(suspect->value > 0))
        return true;
    return suspect->change->ratio > 1 ? metric->current > above * suspect->value
                                      : above * metric->current < suspect->value;
}

/* Decides on a change whose builds are alike. Code or data that both builds load today may explain it if kgate has not
 * hashed all code and the values still differ. */
static void refute(const struct kg_ab *ab, const struct kg_metric *metric,
                   struct kg_confirmation *row, struct kg_text *proof)
{
    const bool hidden = !(is_closed(&ab->base->cases[0]) && is_closed(&ab->head->cases[0])) &&
                        lasts(row->suspect, metric);
    row->decision.state = "refuted";
    row->decision.cause = hidden ? "unknown" : "machine";
    if (hidden)
        kg_text_append(proof, "; code or files that both builds load today may be the cause");
}

static void confirm(const struct kg_ab *ab, const struct kg_metric *metric,
                    struct kg_confirmation *row, struct kg_text *proof)
{
    row->decision.state = "confirmed";
    row->decision.cause = "code";
    row->decision.culprit = row->suspect->adjacent ? row->suspect->change->commit_after : NULL;
    row->is_regression = metric->change == KG_CHANGE_REGRESSION;
    if (kg_metric_kind_find(metric->name) < KG_METRIC_KINDS && !strcmp(metric->unit, "ns"))
        place_append(ab, proof);
}

/* Half of the change in logarithms: paired rounds tell more than half of it from less. */
static double half_of(const struct kg_history_suspect *suspect)
{
    return sqrt(suspect->change->ratio);
}

/* Whether the interval, the only doubt, lies wholly on the near side of half the change. The pairs then exclude the
 * change, even if a smaller difference stays open. */
static bool is_excluded(const struct kg_history_suspect *suspect, const struct kg_metric *metric)
{
    if (metric->doubt != KG_DOUBT_CROSSING || isnan(metric->interval_low) ||
        isnan(metric->interval_high))
        return false;
    return suspect->change->ratio > 1 ? metric->interval_high < half_of(suspect)
                                      : metric->interval_low > half_of(suspect);
}

/* Decides by the metric, or gives the reason for no decision. */
static void metric_decide(struct kg_arena *arena, const struct kg_ab *ab, size_t pairs,
                          const struct kg_metric *metric, struct kg_confirmation *row)
{
    const bool changed =
        metric->change == KG_CHANGE_REGRESSION || metric->change == KG_CHANGE_IMPROVEMENT;
    const bool alike = metric->change == KG_CHANGE_NO_CHANGE;
    struct kg_text words = {0};
    if (isfinite(metric->ratio))
        numbers_append(metric, pairs, &words);
    if (changed && (metric->ratio > 1) == (row->suspect->change->ratio > 1))
        confirm(ab, metric, row, &words);
    else if (changed || alike || is_excluded(row->suspect, metric))
        refute(ab, metric, row, &words);
    row->outcome = row->decision.state ? KG_CONFIRMING_DECIDED : KG_CONFIRMING_OPEN;
    if (!row->decision.state)
        kg_text_printf(&words, "%sundecided%s%s", words.length ? ", " : "",
                       metric->reason ? ": " : "", metric->reason ? metric->reason : "");
    *(row->decision.state ? &row->decision.proof : &row->reason) =
        kg_arena_copy(arena, kg_text_string(&words));
    kg_text_free(&words);
}

static void decide(struct kg_arena *arena, const struct kg_ab *ab, struct kg_confirmation *row)
{
    const struct kg_case_change *change =
        ab->comparison.case_count ? &ab->comparison.cases[0] : NULL;
    const char *name = row->suspect->change->metric;
    const struct kg_metric *metric = metric_find(ab, name);
    if (change && metric) {
        metric_decide(arena, ab, change->rounds, metric, row);
        return;
    }
    row->outcome =
        change && change->change == KG_CHANGE_FAILED ? KG_CONFIRMING_FAILED : KG_CONFIRMING_UNABLE;
    row->reason = change && change->reason
                      ? kg_arena_copy(arena, change->reason)
                      : kg_arena_printf(arena, "the suite does not compare %.60s", name);
}

static bool decision_store(const struct confirming *confirming, struct kg_confirmation *row,
                           struct kg_error *err)
{
    struct kg_history_database *database;
    bool stored = false;
    if (row->outcome == KG_CONFIRMING_UNABLE)
        return true;
    const bool good =
        kg_history_open(confirming->options->history, KG_HISTORY_CHANGE, &database, err) &&
        kg_history_decide(database, row->suspect->change->id, &row->decision, &stored, err);
    kg_history_close(database);
    if (good && !stored) {
        row->outcome = KG_CONFIRMING_UNABLE;
        row->reason = "another process has decided it";
        row->is_regression = false;
    }
    return good;
}

/* --- Measurement ------------------------------------------------------------------------------ */

/* Takes the stored decision into the change in memory. */
static void change_update(const struct kg_confirmation *row)
{
    struct kg_history_change *change = row->suspect->change;
    const struct kg_history_decision *decision = &row->decision;
    if (row->outcome != KG_CONFIRMING_UNABLE && decision->seconds > 0)
        change->seconds = decision->seconds + (isnan(change->seconds) ? 0 : change->seconds);
    if (row->outcome != KG_CONFIRMING_DECIDED)
        return;
    change->state = decision->state;
    change->cause = decision->cause;
    change->proof = decision->proof;
    change->culprit = decision->culprit;
}

static void row_end(const struct confirming *confirming, struct kg_confirmation *row)
{
    if (row->is_done)
        return;
    change_update(row);
    confirming->options->done(confirming->options->user, row);
    row->is_done = true;
}

/* Whether one measurement decides both. */
static bool shares(const struct kg_confirmation *a, const struct kg_confirmation *b)
{
    return a->planned == b->planned && !strcmp(a->builds[0]->hash, b->builds[0]->hash) &&
           !strcmp(a->builds[1]->hash, b->builds[1]->hash);
}

static double threshold_of(const struct kg_history_suspect *suspect)
{
    return fmax(half_of(suspect), 1 / half_of(suspect)) - 1;
}

/* Lowers the threshold of the change's metric. */
static void threshold_lower(const struct kg_history_suspect *suspect, struct kg_workload_spec *spec)
{
    const enum kg_metric_kind kind = kg_metric_kind_find(suspect->change->metric);
    const double most = threshold_of(suspect);
    if (kind < KG_METRIC_KINDS)
        spec->settings.thresholds[kind] = fmin(spec->settings.thresholds[kind], most);
    for (size_t i = 0; i < spec->counter_count; i++)
        if (!strcmp(spec->counters[i].name, suspect->change->metric))
            spec->counters[i].threshold = fmin(spec->counters[i].threshold, most);
}

/* The case with the thresholds of all changes that share the measurement. */
static struct kg_case case_make(const struct confirming *confirming, size_t first)
{
    const struct kg_confirmation *rows = confirming->rows;
    struct kg_case planned = *rows[first].planned;
    struct kg_workload_spec *spec = kg_arena_alloc(confirming->arena, 1, sizeof *spec);
    *spec = *planned.spec;
    spec->counters = kg_arena_alloc(confirming->arena, spec->counter_count, sizeof *spec->counters);
    for (size_t i = 0; i < spec->counter_count; i++)
        spec->counters[i] = planned.spec->counters[i];
    for (size_t i = first; i < confirming->count; i++)
        if (rows[i].outcome == KG_CONFIRMING_ABLE && shares(&rows[i], &rows[first]))
            threshold_lower(rows[i].suspect, spec);
    planned.spec = spec;
    return planned;
}

static bool builds_open(const struct confirming *confirming, const struct kg_confirmation *row,
                        struct kg_build builds[KG_HISTORY_SIDES], struct kg_error *err)
{
    for (size_t side = 0; side < KG_HISTORY_SIDES; side++) {
        const char *path;
        const char *label = kg_arena_printf(confirming->arena, "the build of %s",
                                            side_name(confirming->arena, row->suspect, side));
        if (!kg_builds_open(confirming->arena, confirming->options->store, row->builds[side]->hash,
                            &path, err))
            return kg_error_wrap(err, "%s", label);
        builds[side] = kg_build_of_file(label, path, row->planned->spec->source);
        builds[side].stored = &row->builds[side]->code;
    }
    return true;
}

/* Measurements that are still to be made, the one of row `first` included. */
static size_t measurements_count(const struct confirming *confirming, size_t first)
{
    size_t measurements = 0;
    for (size_t i = first; i < confirming->count; i++) {
        size_t earlier = first;
        if (confirming->rows[i].outcome != KG_CONFIRMING_ABLE)
            continue;
        while (confirming->rows[earlier].outcome != KG_CONFIRMING_ABLE ||
               !shares(&confirming->rows[earlier], &confirming->rows[i]))
            earlier++;
        measurements += earlier == i;
    }
    return measurements;
}

static size_t tests_count(const struct confirming *confirming)
{
    size_t tests = 0;
    for (size_t i = 0; i < confirming->count; i++)
        tests += confirming->rows[i].outcome != KG_CONFIRMING_UNABLE;
    return tests;
}

static bool pairs_measure(struct confirming *confirming, size_t first, double budget_ns,
                          const struct kg_plan *plan, struct kg_ab *ab, struct kg_error *err)
{
    struct kg_build *builds = kg_arena_alloc(confirming->arena, KG_HISTORY_SIDES, sizeof *builds);
    const struct kg_prepared_suite what = {
        .suite = confirming->what->suite, .plan = plan, .machine = confirming->what->machine};
    *ab = (struct kg_ab){0};
    if (!builds_open(confirming, &confirming->rows[first], builds, err))
        return false;
    const struct kg_ab_options options = {.base_build = &builds[KG_HISTORY_BEFORE],
                                          .head_build = &builds[KG_HISTORY_AFTER],
                                          .tests = tests_count(confirming),
                                          .budget_ns = budget_ns,
                                          .left_out = "the case of a suspected change",
                                          .progress = confirming->options->progress};
    return kg_ab_run(&what, &options, ab, err);
}

static bool is_of(const struct kg_confirmation *row, const struct kg_confirmation *chosen)
{
    return row->outcome == KG_CONFIRMING_ABLE && shares(row, chosen);
}

/* Ends the changes of one measurement. Each takes an equal part of its seconds. */
static bool shared_end(struct confirming *confirming, size_t first, const struct kg_ab *ab,
                       const char *obstacle, double seconds, struct kg_error *err)
{
    const struct kg_confirmation chosen = confirming->rows[first];
    size_t count = 0;
    for (size_t i = first; i < confirming->count; i++)
        count += is_of(&confirming->rows[i], &chosen);
    for (size_t i = first; i < confirming->count; i++) {
        struct kg_confirmation *row = &confirming->rows[i];
        if (!is_of(row, &chosen))
            continue;
        row->outcome = KG_CONFIRMING_UNABLE;
        row->reason = obstacle;
        row->decision.seconds = seconds / (double)count;
        if (!obstacle)
            decide(confirming->arena, ab, row);
        if (!decision_store(confirming, row, err))
            return false;
        row_end(confirming, row);
    }
    return true;
}

static bool shared_measure(struct confirming *confirming, size_t first, double left_ns,
                           struct kg_error *err)
{
    struct kg_case planned = case_make(confirming, first);
    const struct kg_plan plan = {
        .cases = &planned, .case_count = 1, .left_out = confirming->what->plan->case_count - 1};
    const double budget_ns = left_ns / (double)measurements_count(confirming, first);
    struct kg_ab ab;
    const char *obstacle = NULL;
    const uint64_t started_ns = kg_clock_ns();
    bool good = pairs_measure(confirming, first, budget_ns, &plan, &ab, err);
    const double seconds = (double)(kg_clock_ns() - started_ns) / 1e9;
    confirming->signal = ab.signal;
    if (confirming->signal) {
        good = true;
    } else if (!good && err->kind == KG_ERROR_USAGE) {
        obstacle = kg_arena_copy(confirming->arena, err->message);
        good = true;
    }
    if (good && !confirming->signal)
        good = shared_end(confirming, first, &ab, obstacle, seconds, err);
    kg_ab_free(&ab);
    return good;
}

bool kg_confirmations_run(struct kg_arena *arena, const struct kg_prepared_suite *what,
                          const struct kg_confirm_options *options,
                          struct kg_confirmation *confirmations, size_t count, int *signal,
                          struct kg_error *err)
{
    struct confirming confirming = {arena, what, options, confirmations, count, kg_clock_ns(), 0};
    bool good = true;
    for (size_t i = 0; good && !confirming.signal && i < count; i++) {
        struct kg_confirmation *row = &confirmations[i];
        const double left_ns = options->budget_ns - (double)(kg_clock_ns() - confirming.started_ns);
        if (row->outcome == KG_CONFIRMING_ABLE && left_ns > 0) {
            good = shared_measure(&confirming, i, left_ns, err);
            continue;
        }
        if (row->outcome == KG_CONFIRMING_ABLE) {
            row->outcome = KG_CONFIRMING_OPEN;
            row->reason = "--budget left no time";
        }
        row_end(&confirming, row);
    }
    *signal = confirming.signal;
    return good;
}

int kg_confirmations_status(const struct kg_confirmation *rows, size_t count)
{
    bool failed = false, regressed = false, open = false;
    for (size_t i = 0; i < count; i++) {
        failed = failed || rows[i].outcome == KG_CONFIRMING_FAILED;
        regressed = regressed || rows[i].is_regression;
        open = open || rows[i].outcome == KG_CONFIRMING_OPEN;
    }
    return failed      ? KG_EXIT_FAILED
           : regressed ? KG_EXIT_REGRESSION
           : open      ? KG_EXIT_NO_VERDICT
                       : KG_EXIT_PASS;
}
