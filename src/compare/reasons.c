#include "compare/reasons.h"

#include <math.h>
#include <string.h>

#include "compare/metric.h"
#include "stats/stats.h"
#include "util/units.h"

/* Degrees of freedom of what is as good as normal. */
static const double NORMAL = 1e9;

/* What a round of the metric is called. */
static const char *rounds_name(const struct kg_metric *metric)
{
    return metric->of_processes ? "processes" : "rounds";
}

static const char *mean_say(struct kg_arena *arena, const struct kg_metric *metric)
{
    char moved[KG_UNIT_BYTES];
    return kg_arena_printf(arena,
                           "the typical call is as before, but the mean is %s: a part of the calls "
                           "changed",
                           kg_change_format(metric->mean_ratio, moved));
}

static const char *few_rounds_say(struct kg_arena *arena, const struct kg_metric *metric)
{
    if (metric->of_processes)
        return "too few processes to say that nothing changed: record three at the least";
    return kg_arena_printf(arena,
                           "%zu rounds against %zu cannot say that nothing changed: take %zu at "
                           "the least",
                           metric->current_rounds, metric->base_rounds, metric->least_rounds);
}

static const char *cycles_say(struct kg_arena *arena, const struct kg_metric *metric)
{
    char time[KG_UNIT_BYTES], cycles[KG_UNIT_BYTES];
    return kg_arena_printf(arena,
                           "the time is %s, but in cycles of the GPU %s: lock its clock "
                           "(nvidia-smi -lgc), or take more rounds",
                           kg_change_format(metric->ratio, time),
                           kg_change_format(metric->cycles_ratio, cycles));
}

static const char *unproven_say(struct kg_arena *arena, const struct kg_metric *metric)
{
    if (metric->of_processes)
        return kg_arena_printf(arena,
                               "too few processes to be sure (p %.2g, needed %.2g): record more "
                               "processes of both",
                               metric->p_value, metric->needed_p);
    return kg_arena_printf(arena,
                           "%zu rounds against %zu are too few to be sure (p %.2g, needed %.2g): "
                           "raise rounds, or refresh the baseline with more",
                           metric->current_rounds, metric->base_rounds, metric->p_value,
                           metric->needed_p);
}

static const char *effect_say(struct kg_arena *arena, const struct kg_metric *metric)
{
    char widest[KG_UNIT_BYTES], counts[KG_UNIT_BYTES];
    return kg_arena_printf(arena,
                           "the difference may be as much as %s, but only more than %s counts: "
                           "more %s would settle it",
                           kg_value_format(metric->unit, kg_metric_widest_effect(metric), widest),
                           kg_value_format(metric->unit, metric->min_effect, counts),
                           rounds_name(metric));
}

static const char *noise_say(struct kg_arena *arena, const struct kg_metric *metric)
{
    char low[KG_UNIT_BYTES], high[KG_UNIT_BYTES];
    return kg_arena_printf(
        arena,
        "%s to %s crosses the threshold of %.1f %%: runs of the same code differ by %.1f %% here, "
        "so only `kgate ab`, or a quieter machine, would settle it",
        kg_change_format(metric->interval_low, low), kg_change_format(metric->interval_high, high),
        100 * metric->asked_threshold, 100 * metric->noise_floor);
}

/* How much narrower the interval has to be: until it lies within the asked threshold, or until the
 * change is proven. Not finite where nothing would do. */
static double narrower_needed(const struct kg_metric *metric)
{
    const double half = log(metric->interval_high / metric->interval_low) / 2;
    const double moved = fabs(log(metric->ratio));
    const double room = fmax(0, log1p(metric->asked_threshold) - moved);
    double proven = half / moved;
    if (metric->p_value < 0.5 && metric->needed_p < metric->p_value)
        proven = fmax(proven, kg_student_point(metric->needed_p, NORMAL) /
                                  kg_student_point(metric->p_value, NORMAL));
    return fmin(proven, half / room);
}

/* Rounds that would do if the interval narrows as the root of their number does, where only this
 * side has more of them. */
static double rounds_needed(const struct kg_metric *metric, double narrower)
{
    const bool paired = kg_metric_against(metric) == KG_AGAINST_BASE;
    const double stored = paired || !metric->base_rounds ? 0 : 1 / (double)metric->base_rounds;
    const double now = 1 / (double)metric->current_rounds;
    const double wanted = (now + stored) / pow(narrower, 2) - stored;
    return wanted > 0 ? ceil(1 / wanted) : INFINITY;
}

/* "about 12 more rounds", without a number where as many as there are should have done; NULL where
 * there is no saying how many. */
static const char *more_rounds(struct kg_arena *arena, const struct kg_metric *metric)
{
    enum { MANY = 200 };
    const double now = (double)metric->current_rounds, narrower = narrower_needed(metric);
    const double alone = rounds_needed(metric, narrower), both = ceil(now * pow(narrower, 2));
    const double needed = fmax(alone <= MANY ? alone : both, (double)metric->least_rounds);
    if (!(needed <= MANY))
        return NULL;
    if (needed - now < 1)
        return "more rounds";
    return kg_arena_printf(arena, "about %.0f more round%s%s", needed - now,
                           needed - now < 2 ? "" : "s", alone <= MANY ? "" : " on both sides");
}

static const char *crossing_say(struct kg_arena *arena, const struct kg_metric *metric)
{
    char low[KG_UNIT_BYTES], high[KG_UNIT_BYTES];
    const double threshold = 100 * metric->threshold;
    const double wide = fmax(metric->interval_high, 1 / metric->interval_low) - 1;
    const char *more = more_rounds(arena, metric);
    kg_change_format(metric->interval_low, low);
    kg_change_format(metric->interval_high, high);
    if (metric->of_processes)
        return kg_arena_printf(arena,
                               "%s to %s is not within the threshold of %.1f %%: more processes, a "
                               "quieter machine, or a larger --threshold would settle it",
                               low, high, threshold);
    if (!more)
        return kg_arena_printf(arena,
                               "the interval %s to %s crosses the threshold of %.1f %%: only a "
                               "quieter machine,%s or a threshold of %.0f %% would settle it",
                               low, high, threshold,
                               kg_metric_against(metric) == KG_AGAINST_BASE ? "" : " `kgate ab`,",
                               ceil(100 * wide));
    return kg_arena_printf(arena,
                           "the interval %s to %s crosses the threshold of %.1f %%: %s, or a "
                           "quieter machine, would settle it",
                           low, high, threshold, more);
}

static const char *uncounted_say(struct kg_arena *arena, const struct kg_metric *metric)
{
    (void)arena;
    return metric->cause;
}

static const char *not_stored_say(struct kg_arena *arena, const struct kg_metric *metric)
{
    if (!strcmp(metric->cause, KG_SERIES_OF_ROUNDS))
        return kg_arena_printf(arena, "the %s has no %s: refresh it", metric->against,
                               metric->name);
    return kg_arena_printf(arena, "the %s has no %s counted by '%s': refresh it", metric->against,
                           metric->name, metric->cause);
}

static const char *budget_unknown_say(struct kg_arena *arena, const struct kg_metric *metric)
{
    return kg_arena_printf(arena, "there is a budget for %s, but %s", metric->name, metric->cause);
}

/* "speedup_over_cpu is 0.80, the budget asks >= 1.00" */
static const char *budget_missed_say(struct kg_arena *arena, const struct kg_metric *metric)
{
    char value[KG_UNIT_BYTES], limit[KG_UNIT_BYTES];
    const char *relation = kg_metric_relation(metric);
    kg_value_format(metric->unit, metric->current, value);
    kg_value_format(metric->unit, metric->baseline, limit);
    if (!strcmp(value, limit)) /* rounded to the same digits, but not the same */
        return kg_arena_printf(arena, "%s is %.10g, the budget asks %s %.10g", metric->name,
                               metric->current, relation, metric->baseline);
    return kg_arena_printf(arena, "%s is %s, the budget asks %s %s", metric->name, value, relation,
                           limit);
}

/* What the code did, in words. */
static const char *code_of(const struct kg_metric *metric)
{
    return metric->code ? metric->code : "the code is unchanged";
}

static const char *library_other_say(struct kg_arena *arena, const struct kg_metric *metric)
{
    return kg_arena_copy(arena, code_of(metric));
}

static const char *code_alone_say(struct kg_arena *arena, const struct kg_metric *metric)
{
    return kg_arena_printf(arena, "%s: the machine moved, or a library", code_of(metric));
}

static const char *code_open_say(struct kg_arena *arena, const struct kg_metric *metric)
{
    return kg_arena_printf(arena, "%s: the machine moved, or that", code_of(metric));
}

static const char *code_unchanged_say(struct kg_arena *arena, const struct kg_metric *metric)
{
    return kg_arena_printf(arena, "%s: the machine moved", code_of(metric));
}

/* A sentence as it stands, or what writes one; of KG_DOUBT_NONE neither. */
static const struct sentence {
    const char *text;
    const char *(*say)(struct kg_arena *arena, const struct kg_metric *metric);
    bool of_code; /* an unchanged code is worth a word more */
} sentences[] = {
    [KG_DOUBT_CODE_CHANGED] = {.text = "the code changed"},
    [KG_DOUBT_LIBRARY_OTHER] = {.say = library_other_say},
    [KG_DOUBT_CODE_ALONE] = {.say = code_alone_say},
    [KG_DOUBT_CODE_OPEN] = {.say = code_open_say},
    [KG_DOUBT_CODE_UNCHANGED] = {.say = code_unchanged_say},
    [KG_DOUBT_CLOCK_EXPLAINS] = {.text = "the time moved with the GPU's clock: in cycles nothing "
                                         "changed"},
    [KG_DOUBT_MEAN] = {.say = mean_say},
    [KG_DOUBT_FEW_ROUNDS] = {.say = few_rounds_say},
    [KG_DOUBT_CLOCK_MAY] = {.text = "the GPU's clock moved as the time did, but the workload waits "
                                    "for memory or the bus, or may do so: lock the clock "
                                    "(nvidia-smi -lgc)"},
    [KG_DOUBT_CYCLES] = {.say = cycles_say},
    [KG_DOUBT_UNCONFIRMED] = {.text = "suspected, but no later rounds were taken to confirm it",
                              .of_code = true},
    [KG_DOUBT_UNPROVEN] = {.say = unproven_say, .of_code = true},
    [KG_DOUBT_EFFECT] = {.say = effect_say, .of_code = true},
    [KG_DOUBT_NOISE] = {.say = noise_say, .of_code = true},
    [KG_DOUBT_CROSSING] = {.say = crossing_say, .of_code = true},
    [KG_DOUBT_UNCOUNTED] = {.say = uncounted_say},
    [KG_DOUBT_BUSY] = {.say = uncounted_say},
    [KG_DOUBT_DISTURBED] =
        {.text = "more than a third of its rounds waited for a CPU: who had it takes "
                 "caches and memory too, and may make the others up to twice as "
                 "slow"},
    [KG_DOUBT_NOT_STORED] = {.say = not_stored_say},
    [KG_DOUBT_BUDGET_UNKNOWN] = {.say = budget_unknown_say},
    [KG_DOUBT_BUDGET_MISSED] = {.say = budget_missed_say},
};

/* "not confirmed: +9.1 % in the first 10 rounds, +0.3 % in 10 later", with what else there is to
 * say behind it. */
static const char *unconfirmed_say(struct kg_arena *arena, const struct kg_metric *metric,
                                   const char *rest)
{
    char was[KG_UNIT_BYTES], is[KG_UNIT_BYTES];
    return kg_arena_printf(arena, "not confirmed: %s in the first %zu rounds, %s in %zu later%s%s",
                           kg_change_format(metric->screened_ratio, was), metric->screened_rounds,
                           kg_change_format(metric->ratio, is), metric->current_rounds,
                           rest ? "; " : "", rest ? rest : "");
}

bool kg_reason_make(struct kg_arena *arena, struct kg_metric *metric)
{
    const struct sentence *sentence = &sentences[metric->doubt];
    const char *reason = sentence->say ? sentence->say(arena, metric) : sentence->text;
    bool good = reason || !sentence->say;
    if (reason && sentence->of_code && metric->code_unchanged) {
        reason = kg_arena_printf(arena, "%s; %s", reason, code_of(metric));
        good = reason != NULL;
    }
    if (good && metric->screened_ratio > 0) {
        reason = unconfirmed_say(arena, metric, reason);
        good = reason != NULL;
    }
    metric->reason = reason;
    return good;
}
