#include "show/outcome.h"

#include <math.h>

#include "base/units.h"
#include "model/change.h"
#include "show/case_figures.h"
#include "show/cells.h"
#include "show/formats.h"
#include "why/advice_index.h"

/* --- Comparisons ------------------------------------------------------------------------------ */

static enum kg_outcome_kind kind_of_change(const struct kg_case_change *change)
{
    if (change->waived)
        return KG_OUTCOME_SKIPPED;
    if (change->change == KG_CHANGE_FAILED)
        return KG_OUTCOME_ERROR;
    if (change->fails)
        return KG_OUTCOME_FAILURE;
    return kg_changes[change->change].passes ? KG_OUTCOME_PASSED : KG_OUTCOME_SKIPPED;
}

/* "time 20.0 us -> 24.0 us, +20.0 % (+19.5 … +20.5 %, threshold ± 5.0 %)" */
static void metric_append(struct kg_arena *arena, const struct kg_metric *metric,
                          struct kg_text *text)
{
    const char *baseline = kg_cell_reference(arena, metric);
    const char *current = kg_cell_value(arena, metric, metric->current);
    const char *change = kg_cell_change(arena, metric);
    const char *interval = kg_cell_interval(arena, metric);
    const char *threshold = kg_cell_threshold(arena, metric);
    if (kg_metric_against(metric) == KG_AGAINST_BUDGET) {
        kg_text_printf(text, "%s %s, the budget asks %s", metric->name, current, baseline);
        return;
    }
    kg_text_append(text, metric->name);
    if (!isfinite(metric->ratio)) /* the reason names the missing figure */
        return;
    kg_text_printf(text, " %s -> %s, %s", baseline, current, change);
    if (*interval)
        kg_text_printf(text, " (%s%s%s)", interval, *threshold ? ", threshold " : "", threshold);
    if (kg_metric_against(metric) == KG_AGAINST_PIN)
        kg_text_printf(text, " against %s", metric->against);
}

static const char *change_message(struct kg_arena *arena, const struct kg_case_change *change)
{
    struct kg_text text = {0};
    const bool figures = change->metric_count && change->change != KG_CHANGE_NEW &&
                         change->change != KG_CHANGE_REMOVED;
    /* the reason of a budget already has the figures */
    const bool printed =
        figures && change->reason && kg_metric_against(change->metrics) == KG_AGAINST_BUDGET;
    if (figures && !printed && isfinite(change->metrics[0].ratio))
        metric_append(arena, change->metrics, &text);
    if (change->reason)
        kg_text_printf(&text, "%s%s", text.length ? "; " : "", change->reason);
    if (change->waiver)
        kg_text_printf(&text, "%s%s", text.length ? "; " : "", change->waiver);
    if (change->change == KG_CHANGE_REGRESSION && !change->fails && !change->waived)
        kg_text_printf(&text, "%sthe policy does not fail on it", text.length ? "; " : "");
    return kg_cell_take(arena, &text);
}

static const char *change_figures(struct kg_arena *arena, const struct kg_case_change *change)
{
    struct kg_text text = {0};
    for (size_t m = 0; m < change->metric_count && change->change != KG_CHANGE_NEW; m++) {
        metric_append(arena, &change->metrics[m], &text);
        kg_text_printf(&text, ": %s\n", kg_change_name(change->metrics[m].change));
    }
    if (change->figure_count)
        kg_text_printf(&text, "%s\n",
                       kg_cell_figures(arena, change->figures, change->figure_count));
    if (change->node)
        kg_text_printf(&text, "shard %zu, node %s\n", change->shard, change->node);
    return kg_cell_take(arena, &text);
}

/* Other compiler options and the place that explains the change; without a place, the first evidence. */
static const char *change_cause(struct kg_arena *arena, const struct kg_advice_index *advice,
                                const char *id)
{
    const struct kg_evidence_change *evidence;
    struct kg_text text = {0};
    for (size_t i = 0; (evidence = kg_advice_change(advice, id, i)); i++)
        if (!i || kg_evidence_is_place(evidence))
            kg_text_printf(&text, "%s%s", text.length ? "\n" : "", evidence->text);
    return kg_cell_take(arena, &text);
}

static struct kg_case_outcome of_change(struct kg_arena *arena,
                                        const struct kg_advice_index *advice,
                                        const struct kg_case_change *change)
{
    const enum kg_outcome_kind kind = kind_of_change(change);
    return (struct kg_case_outcome){.id = change->id,
                                    .workload = change->workload,
                                    .line = change->line,
                                    .kind = kind,
                                    .waived = change->waived != KG_WAIVER_NONE,
                                    .worth_noting = kind == KG_OUTCOME_PASSED
                                                        ? change->change == KG_CHANGE_IMPROVEMENT
                                                        : change->change != KG_CHANGE_SKIPPED ||
                                                              change->missing,
                                    .word = kg_change_name(change->change),
                                    .message = change_message(arena, change),
                                    .cause = change_cause(arena, advice, change->id),
                                    .figures = change_figures(arena, change),
                                    .tail = change->stderr_tail,
                                    .time_ns = change->time_ns};
}

/* --- Results ---------------------------------------------------------------------------------- */

/* The figures of a case, one per line: "time 20.0 us". */
static const char *result_figures(struct kg_arena *arena, const struct kg_case_result *result)
{
    struct kg_text text = {0};
    struct kg_tidy *figures;
    size_t count;
    char value[KG_UNIT_BYTES];
    kg_tidy_of(arena, result, &figures, &count);
    for (size_t i = 0; i < count; i++)
        kg_text_printf(&text, "%s %s\n", figures[i].name,
                       kg_value_format(figures[i].unit, figures[i].value, value));
    return kg_cell_take(arena, &text);
}

static struct kg_case_outcome of_result(struct kg_arena *arena, const struct kg_case_result *result)
{
    static const enum kg_outcome_kind kinds[] = {[KG_STATUS_OK] = KG_OUTCOME_PASSED,
                                                 [KG_STATUS_FAILED] = KG_OUTCOME_ERROR,
                                                 [KG_STATUS_SKIPPED] = KG_OUTCOME_SKIPPED,
                                                 [KG_STATUS_UNMEASURED] = KG_OUTCOME_SKIPPED,
                                                 [KG_STATUS_UNCHANGED] = KG_OUTCOME_PASSED};
    return (struct kg_case_outcome){
        .id = result->id,
        .workload = result->workload,
        .line = result->line,
        .kind = kinds[result->status],
        .worth_noting = result->status == KG_STATUS_UNMEASURED,
        .word = kg_status_names[result->status],
        .message = result->reason ? result->reason : "",
        .cause = "",
        .figures = result_figures(arena, result),
        .tail = result->status == KG_STATUS_FAILED ? result->stderr_tail : NULL,
        .time_ns = result->round_count ? result->summary.median_ns : NAN};
}

size_t kg_outcome_count(const struct kg_report_subject *subject)
{
    return subject->comparison ? subject->comparison->case_count : subject->results->case_count;
}

struct kg_case_outcome kg_outcome_of(struct kg_arena *arena,
                                     const struct kg_report_subject *subject,
                                     const struct kg_advice_index *advice, size_t index)
{
    return subject->comparison ? of_change(arena, advice, &subject->comparison->cases[index])
                               : of_result(arena, &subject->results->cases[index]);
}
