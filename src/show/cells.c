#include "show/cells.h"

#include <math.h>
#include <string.h>

#include "base/units.h"
#include "model/change.h"
#include "model/series.h"
#include "show/advice_text.h"

const char *kg_cell_take(struct kg_arena *arena, struct kg_text *text)
{
    const char *copy = kg_arena_copy(arena, kg_text_string(text));
    kg_text_free(text);
    return copy;
}

const char *kg_cell_time(struct kg_arena *arena, double ns)
{
    char text[KG_UNIT_BYTES];
    return isfinite(ns) ? kg_arena_copy(arena, kg_duration_format(ns, text)) : "";
}

const char *kg_cell_per_cent(struct kg_arena *arena, double share)
{
    return isnan(share) ? "-" : kg_arena_printf(arena, "%.1f %%", 100 * share);
}

const char *kg_cell_value(struct kg_arena *arena, const struct kg_metric *metric, double value)
{
    char text[KG_UNIT_BYTES];
    if (isnan(value))
        return "-";
    return kg_arena_copy(arena, kg_value_format(metric->unit, value, text));
}

static bool is_budget(const struct kg_metric *metric)
{
    return kg_metric_against(metric) == KG_AGAINST_BUDGET;
}

const char *kg_cell_reference(struct kg_arena *arena, const struct kg_metric *metric)
{
    const char *value = kg_cell_value(arena, metric, metric->baseline);
    return is_budget(metric) ? kg_arena_printf(arena, "%s %s", kg_metric_relation(metric), value)
                             : value;
}

/* A budget has no change: the distance to a limit in per cent explains nothing for a rate or a speedup. */
const char *kg_cell_change(struct kg_arena *arena, const struct kg_metric *metric)
{
    char text[KG_UNIT_BYTES];
    return is_budget(metric) ? "" : kg_arena_copy(arena, kg_change_format(metric->ratio, text));
}

const char *kg_cell_change_factor(struct kg_arena *arena, const struct kg_metric *metric)
{
    static const double LARGE = 3; /* below it, per cent are as easy to read */
    const double ratio = metric->ratio, factor = ratio < 1 ? 1 / ratio : ratio;
    const bool timed = !strcmp(metric->unit, "ns");
    char text[KG_FACTOR_BYTES];
    const char *change = kg_cell_change(arena, metric);
    if (is_budget(metric) || !isfinite(factor) || factor < LARGE)
        return change;
    return kg_arena_printf(arena, "%s, %s %s", change, kg_advice_factor(factor, text),
                           ratio > 1 ? timed ? "slower" : "more"
                           : timed   ? "faster"
                                     : "less");
}

const char *kg_cell_interval(struct kg_arena *arena, const struct kg_metric *metric)
{
    if (!isfinite(metric->interval_low) || !isfinite(metric->interval_high))
        return "";
    return kg_arena_printf(arena, "%+.1f … %+.1f %%", 100 * (metric->interval_low - 1),
                           100 * (metric->interval_high - 1));
}

const char *kg_cell_threshold(struct kg_arena *arena, const struct kg_metric *metric)
{
    return is_budget(metric) || !(metric->threshold > 0)
               ? ""
               : kg_arena_printf(arena, "± %.1f %%", 100 * metric->threshold);
}

const char *kg_cell_estimator(const struct kg_comparison *comparison)
{
    enum kg_against last = KG_AGAINST_BUDGET;
    for (size_t i = 0; i < comparison->case_count && last == KG_AGAINST_BUDGET; i++)
        if (comparison->cases[i].metric_count && comparison->cases[i].change != KG_CHANGE_NEW &&
            kg_metric_kind_find(comparison->cases[i].metrics[0].name) == KG_METRIC_TIME)
            last = kg_metric_against(&comparison->cases[i].metrics[0]);
    if (last == KG_AGAINST_BUDGET)
        return "";
    if (comparison->overall_count && comparison->overall[0].of_program)
        return "times: trimmed means of the totals per process";
    return last == KG_AGAINST_BASE ? "times: trimmed means of the deciding paired rounds; medians "
                                     "in suggestions and `kgate run`"
                                   : "times: trimmed means at the baseline's CPU clock; "
                                     "uncorrected medians for new cases, "
                                     "suggestions and `kgate run`";
}

const char *kg_cell_metric(struct kg_arena *arena, const struct kg_metric *metric)
{
    const enum kg_against against = kg_metric_against(metric);
    const bool ordinary = against == KG_AGAINST_BASELINE || against == KG_AGAINST_BASE;
    if (kg_metric_kind_find(metric->name) == KG_METRIC_TIME && ordinary)
        return "";
    return kg_arena_printf(arena, "%s%s%s", metric->name, ordinary ? "" : " against ",
                           ordinary ? "" : metric->against);
}

/* If the core clock changed by at least 1 %: "CPU clock 2.3 % lower than the baseline's (70 % of it corrected)". */
static const char *pace_words(struct kg_arena *arena, const struct kg_metric *metric)
{
    static const double WORTH_PRINTING = 0.01;
    const char *direction = metric->pace_shift > 0 ? "lower" : "higher";
    char cycles[KG_UNIT_BYTES];
    if (!(fabs(metric->pace_shift) >= WORTH_PRINTING))
        return "";
    if (metric->cycles_ratio > 0)
        return kg_arena_printf(arena, "GPU clock %.1f %% %s than the baseline's, in cycles %s",
                               100 * fabs(expm1(-metric->pace_shift)), direction,
                               kg_change_format(metric->cycles_ratio, cycles));
    return kg_arena_printf(
        arena, "CPU clock %.1f %% %s than the baseline's (%.0f %% of it corrected)",
        100 * fabs(expm1(metric->pace_shift)), direction, 100 * metric->pace_exponent);
}

/* If the threshold is not the suite's own: "noise floor 7.1 %", "threshold 7.0 % instead of 5.0 % (core clock
 * +2.0)". */
static const char *threshold_words(struct kg_arena *arena, const struct kg_metric *metric)
{
    static const double WORTH_PRINTING = 0.001;
    const struct {
        double share;
        const char *name;
    } parts[] = {{fmax(metric->pace_doubt, 0), "core clock"},
                 {fmax(metric->memory_doubt, 0), "memory bandwidth"},
                 {fmax(metric->wait_doubt, 0), "CPU contention"}};
    enum { PARTS = sizeof parts / sizeof *parts };
    struct kg_text text = {0}, raised = {0};
    double before = metric->threshold;
    for (int i = 0; i < PARTS; i++) {
        before -= parts[i].share;
        if (parts[i].share >= WORTH_PRINTING)
            kg_text_printf(&raised, "%s%s +%.1f", raised.length ? ", " : "", parts[i].name,
                           100 * parts[i].share);
    }
    if (metric->noise_floor > 0 && metric->noise_floor >= before * (1 - 1e-9))
        kg_text_printf(&text, "noise floor %.1f %%", 100 * metric->noise_floor);
    if (raised.length)
        kg_text_printf(&text, "%sthreshold %.1f %% instead of %.1f %% (%s)",
                       text.length ? ", " : "", 100 * metric->threshold, 100 * before,
                       kg_text_string(&raised));
    kg_text_free(&raised);
    return kg_cell_take(arena, &text);
}

/* Appends the changes of the metrics that did not decide, except peak memory and budgets: "instructions +0.0 %". */
static void others_append(struct kg_arena *arena, const struct kg_case_change *change,
                          struct kg_text *text)
{
    const struct kg_metric *deciding = &change->metrics[0];
    for (size_t m = 1; m < change->metric_count; m++) {
        const struct kg_metric *metric = &change->metrics[m];
        const enum kg_metric_kind kind = kg_metric_kind_find(metric->name);
        const bool worth = kind < KG_METRIC_KINDS && kind != KG_METRIC_PEAK_MEMORY;
        if (!worth || is_budget(metric) || !strcmp(metric->name, deciding->name) ||
            !isfinite(metric->ratio) ||
            (strcmp(metric->against, deciding->against) != 0 && !is_budget(deciding)))
            continue;
        kg_text_printf(text, "%s%s %s", text->length ? ", " : "", metric->name,
                       kg_cell_change(arena, metric));
    }
}

const char *kg_cell_circumstances(struct kg_arena *arena, const struct kg_case_change *change)
{
    struct kg_text text = {0};
    if (!change->metric_count || change->change == KG_CHANGE_NEW)
        return "";
    /* the reason of a budget already names the metric */
    const bool named = is_budget(&change->metrics[0]) && change->metrics[0].reason;
    const char *words[] = {named ? "" : kg_cell_metric(arena, &change->metrics[0]),
                           threshold_words(arena, &change->metrics[0]),
                           pace_words(arena, &change->metrics[0])};
    for (int i = 0; i < 3; i++)
        if (*words[i])
            kg_text_printf(&text, "%s%s", text.length ? ", " : "", words[i]);
    if (change->change != KG_CHANGE_NO_CHANGE)
        others_append(arena, change, &text);
    return kg_cell_take(arena, &text);
}

const char *kg_cell_figures(struct kg_arena *arena, const struct kg_figure *figures, size_t count)
{
    struct kg_text text = {0};
    char value[KG_UNIT_BYTES];
    for (size_t i = 0; i < count; i++)
        kg_text_printf(
            &text, "%s%s %s", i ? ", " : "", figures[i].name,
            kg_value_format(figures[i].unit ? figures[i].unit : "", figures[i].value, value));
    return kg_cell_take(arena, &text);
}

const char *kg_cell_reported(struct kg_arena *arena, const struct kg_case_result *result)
{
    struct kg_figure *figures;
    size_t count;
    kg_case_figures(arena, result, &figures, &count);
    return kg_cell_figures(arena, figures, count);
}

const char *kg_cell_verdict(struct kg_arena *arena, const struct kg_case_change *change)
{
    return change->waived ? kg_arena_printf(arena, "%s, %s", kg_change_name(change->change),
                                            kg_waiver_words[change->waived])
                          : kg_change_name(change->change);
}

/* The outermost scopes of a program. */
static void program_print(const struct kg_overall *overall, struct kg_text *text)
{
    char before[KG_UNIT_BYTES], after[KG_UNIT_BYTES], change[KG_UNIT_BYTES];
    kg_text_printf(text, "%zu outermost scope%s %s -> %s per process, %s", overall->cases,
                   overall->cases == 1 ? "" : "s", kg_duration_format(overall->baseline_ns, before),
                   kg_duration_format(overall->current_ns, after),
                   kg_change_format(overall->geometric_ratio, change));
}

static void decided_print(const struct kg_overall *overall, struct kg_text *text)
{
    char mean[KG_UNIT_BYTES], before[KG_UNIT_BYTES], after[KG_UNIT_BYTES], change[KG_UNIT_BYTES];
    kg_text_printf(text, "geometric mean %s over %zu of %zu case%s; one call of each %s -> %s, %s",
                   kg_change_format(overall->geometric_ratio, mean), overall->counted,
                   overall->cases, overall->cases == 1 ? "" : "s",
                   kg_duration_format(overall->baseline_ns, before),
                   kg_duration_format(overall->current_ns, after),
                   kg_change_format(overall->current_ns / overall->baseline_ns, change));
}

void kg_cell_overall(const struct kg_overall *overall, struct kg_text *text)
{
    /* A few decided cases do not represent the others. */
    const bool few = 2 * overall->counted < overall->compared;
    char mean[KG_UNIT_BYTES];
    if (overall->of_program)
        program_print(overall, text);
    else if (few && overall->counted)
        kg_text_printf(text, "geometric mean of all %zu compared cases %s, %zu of them decided",
                       overall->compared, kg_change_format(overall->compared_ratio, mean),
                       overall->counted);
    else if (few)
        kg_text_printf(text, "geometric mean of all %zu compared case%s %s, not decided",
                       overall->compared, overall->compared == 1 ? "" : "s",
                       kg_change_format(overall->compared_ratio, mean));
    else if (overall->counted)
        decided_print(overall, text);
    else
        kg_text_append(text, "no time was compared");
}

void kg_cell_counts(const struct kg_comparison *comparison, struct kg_text *text)
{
    const char *separator = ": ";
    const size_t all = comparison->case_count + comparison->unnamed;
    kg_text_printf(text, "%zu case%s", all, all == 1 ? "" : "s");
    for (int rank = 0; rank < KG_CHANGE_COUNT; rank++) {
        const enum kg_change change = kg_change_ranked(rank);
        const struct kg_change_row *row = &kg_changes[change];
        const size_t count = comparison->counts.of[change] +
                             (change == KG_CHANGE_MISSING ? comparison->unnamed : 0) -
                             (change == KG_CHANGE_NO_CHANGE ? comparison->not_measured : 0);
        if (!count)
            continue;
        kg_text_printf(text, "%s%zu %s", separator, count,
                       change == KG_CHANGE_NEW ? row->word : row->done);
        separator = ", ";
    }
    if (comparison->not_measured)
        kg_text_printf(text, "%s%zu not measured (code unchanged)", separator,
                       comparison->not_measured);
}

void kg_cell_commit(const char *commit, const char *branch, struct kg_text *text)
{
    kg_text_append(text, commit ? commit : "");
    if (commit && branch)
        kg_text_printf(text, " (%s)", branch);
}

void kg_cell_commits(const struct kg_comparison *comparison, struct kg_text *text)
{
    if (comparison->commit) {
        kg_text_append(text, "commit ");
        kg_cell_commit(comparison->commit, comparison->branch, text);
    }
    if (comparison->baseline_commit) {
        kg_text_append(text, comparison->commit ? ", baseline " : "commit of the baseline ");
        kg_cell_commit(comparison->baseline_commit, comparison->baseline_branch, text);
    }
}
