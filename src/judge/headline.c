/* headline.c: the sentence of a verdict about the cases with one change. It names the worst case with its metric, the
 * change and both values, because a percentage alone reads as a time. */
#include "judge/headline.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "judge/compare_parts.h"
#include "model/change.h"

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

const char *kg_headline_make(struct kg_comparison *comparison, enum kg_change change, size_t count)
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
