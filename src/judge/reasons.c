#include "judge/reasons.h"

#include <math.h>
#include <string.h>

#include "base/units.h"
#include "judge/compare_parts.h"
#include "judge/metric.h"

/* Name of the metric's rounds. */
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

static const char *call_cpu_say(struct kg_arena *arena, const struct kg_metric *metric)
{
    char moved[KG_UNIT_BYTES];
    return kg_arena_printf(arena,
                           "CPU time a call is %s while the median did not change: some calls cost "
                           "%s",
                           kg_change_format(metric->call_cpu_ratio, moved),
                           metric->call_cpu_ratio > 1 ? "more" : "less");
}

static const char *few_rounds_say(struct kg_arena *arena, const struct kg_metric *metric)
{
    if (metric->of_processes)
        return "too few processes to say that nothing changed: record three at the least";
    if (kg_metric_in_pairs(metric))
        return kg_arena_printf(
            arena, "%zu pair%s cannot say that nothing changed: take %zu at the least",
            metric->current_rounds, metric->current_rounds == 1 ? "" : "s", metric->least_rounds);
    return kg_arena_printf(arena,
                           "%zu round%s against %zu cannot say that nothing changed: take %zu at "
                           "the least",
                           metric->current_rounds, metric->current_rounds == 1 ? "" : "s",
                           metric->base_rounds, metric->least_rounds);
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
    if (kg_metric_in_pairs(metric))
        return kg_arena_printf(
            arena, "%zu pair%s too few to be sure (p %.2g, needed %.2g): %s",
            metric->current_rounds, metric->current_rounds == 1 ? " is" : "s are", metric->p_value,
            metric->needed_p,
            metric->out_of_budget ? "give a longer --budget" : "raise rounds.max or --budget");
    return kg_arena_printf(arena,
                           "%zu round%s against %zu are too few to be sure (p %.2g, needed %.2g): "
                           "raise rounds%s",
                           metric->current_rounds, metric->current_rounds == 1 ? "" : "s",
                           metric->base_rounds, metric->p_value, metric->needed_p,
                           kg_metric_pin(metric) ? "" : ", or refresh the baseline with more");
}

/* Also used for an improvement, which is no suspect. */
static const char *unconfirmed_change_say(struct kg_arena *arena, const struct kg_metric *metric)
{
    const bool better = metric->better == KG_BETTER_HIGHER ? metric->ratio > 1 : metric->ratio < 1;
    const char *looks = better ? "looks better" : "suspected";
    if (metric->out_of_budget)
        return kg_arena_printf(arena,
                               "%s, but --budget left no time for later rounds to confirm it: give "
                               "a longer one",
                               looks);
    return kg_arena_printf(arena,
                           "%s, but no later rounds were taken to confirm it: `kgate gate` and "
                           "`kgate ab` take them, where a --budget leaves the time",
                           looks);
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
        "%s to %s crosses the threshold of %.1f %%: stored runs differ by %.1f %% from each other, "
        "so only `kgate ab`, or a quieter machine, would settle it",
        kg_change_format(metric->interval_low, low), kg_change_format(metric->interval_high, high),
        100 * metric->asked_threshold, 100 * metric->noise_floor);
}

/* Without a change of the code, the stored runs would not differ so much. The user must say which level is intended. */
static const char *stepped_say(struct kg_arena *arena, const struct kg_metric *metric)
{
    char step[KG_UNIT_BYTES], beyond[KG_UNIT_BYTES];
    return kg_arena_printf(
        arena,
        "the stored runs have two levels, the newer %s from the older, and this run is %s from the "
        "worse of them. Pairs of both builds (`kgate ab`) would settle it; if the newer level is "
        "meant, accept that change (`kgate accept`), so that runs before it count no more",
        kg_change_format(metric->step, step), kg_change_format(metric->beyond, beyond));
}

static const char *widened_say(struct kg_arena *arena, const struct kg_metric *metric)
{
    char tail[KG_UNIT_BYTES], base[KG_UNIT_BYTES];
    return kg_arena_printf(arena,
                           "some %s became far slower: more than one in ten takes %s or more over "
                           "the median, and the slowest of the %s took %s",
                           rounds_name(metric), kg_change_format(metric->tail, tail),
                           metric->against, kg_change_format(metric->base_tail, base));
}

static const char *instructions_say(struct kg_arena *arena, const struct kg_metric *metric)
{
    char moved[KG_UNIT_BYTES];
    return kg_arena_printf(arena, "the code changed, and its instructions (%s) confirm the time",
                           kg_change_format(metric->instructions_ratio, moved));
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
    if (!strcmp(value, limit)) /* different values can round to the same digits */
        return kg_arena_printf(arena, "%s is %.10g, the budget asks %s %.10g", metric->name,
                               metric->current, relation, metric->baseline);
    return kg_arena_printf(arena, "%s is %s, the budget asks %s %s", metric->name, value, relation,
                           limit);
}

/* Words for the change of the code. */
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
    return kg_arena_printf(arena, "%s: the machine moved, or one of these", code_of(metric));
}

static const char *code_unchanged_say(struct kg_arena *arena, const struct kg_metric *metric)
{
    if (!kg_metric_large(metric)) /* a wide interval does not show a change */
        return kg_arena_copy(arena, code_of(metric));
    return kg_arena_printf(arena, "%s: the machine moved", code_of(metric));
}

static const char *unseen_say(struct kg_arena *arena, const struct kg_metric *metric)
{
    const bool timed = kg_metric_kind_find(metric->name) == KG_METRIC_TIME;
    const double ratio = metric->better == KG_BETTER_LOWER ? metric->ratio : 1 / metric->ratio;
    return kg_arena_printf(arena,
                           "%.1f times %s although %s: the machine is another, or the case runs "
                           "or reads something that kgate does not see",
                           ratio, timed ? "slower" : "worse", code_of(metric));
}

/* A script has no code hash, and so no words about its code. */
static const char *environment_say(struct kg_arena *arena, const struct kg_metric *metric)
{
    return kg_arena_printf(arena, "%s: that may be why%s%s", metric->environment,
                           metric->code ? "; " : "", metric->code ? metric->code : "");
}

/* Appended to an unsure reason if the code is unchanged. */
static const char *beside_say(struct kg_arena *arena, const struct kg_metric *metric)
{
    return metric->environment ? environment_say(arena, metric) : code_of(metric);
}

/* A fixed sentence or a function that writes one. KG_DOUBT_NONE has neither. */
static const struct sentence {
    const char *text;
    const char *(*say)(struct kg_arena *arena, const struct kg_metric *metric);
    bool of_code; /* append the words about an unchanged code */
} sentences[] = {
    [KG_DOUBT_CODE_CHANGED] = {.text = "the code changed"},
    [KG_DOUBT_LIBRARY_OTHER] = {.say = library_other_say},
    [KG_DOUBT_CODE_ALONE] = {.say = code_alone_say},
    [KG_DOUBT_CODE_OPEN] = {.say = code_open_say},
    [KG_DOUBT_CODE_UNCHANGED] = {.say = code_unchanged_say},
    [KG_DOUBT_ENVIRONMENT] = {.say = environment_say},
    [KG_DOUBT_CLOCK_EXPLAINS] = {.text = "the time moved with the GPU's clock: in cycles nothing "
                                         "changed"},
    [KG_DOUBT_MEAN] = {.say = mean_say},
    [KG_DOUBT_CALL_CPU] = {.say = call_cpu_say},
    [KG_DOUBT_FEW_ROUNDS] = {.say = few_rounds_say},
    [KG_DOUBT_CLOCK_MAY] = {.text = "the GPU's clock moved as the time did, but the workload waits "
                                    "for memory or the bus, or may do so: lock the clock "
                                    "(nvidia-smi -lgc)"},
    [KG_DOUBT_CYCLES] = {.say = cycles_say},
    [KG_DOUBT_UNCONFIRMED] = {.say = unconfirmed_change_say, .of_code = true},
    [KG_DOUBT_ALL_DISTURBED] =
        {.text =
             "suspected, but no later round was undisturbed enough to confirm it: measure again "
             "when less else runs on this machine",
         .of_code = true},
    [KG_DOUBT_UNPROVEN] = {.say = unproven_say, .of_code = true},
    [KG_DOUBT_EFFECT] = {.say = effect_say, .of_code = true},
    [KG_DOUBT_WIDENED] = {.say = widened_say, .of_code = true},
    [KG_DOUBT_INSTRUCTIONS] = {.say = instructions_say},
    [KG_DOUBT_UNSEEN] = {.say = unseen_say},
    [KG_DOUBT_STEPPED] = {.say = stepped_say, .of_code = true},
    [KG_DOUBT_NOISE] = {.say = noise_say, .of_code = true},
    [KG_DOUBT_CROSSING] = {.say = kg_crossing_say, .of_code = true},
    [KG_DOUBT_UNCOUNTED] = {.say = uncounted_say},
    [KG_DOUBT_BUSY] = {.say = uncounted_say},
    [KG_DOUBT_DRIFT] = {.say = uncounted_say},
    [KG_DOUBT_DISTURBED] =
        {.text = "more than a third of its rounds waited for a CPU: programs that preempt it use "
                 "caches and memory too, and may make its other rounds up to twice as slow. "
                 "Measure again when less else runs on this machine"},
    [KG_DOUBT_NOT_STORED] = {.say = not_stored_say},
    [KG_DOUBT_BUDGET_UNKNOWN] = {.say = budget_unknown_say},
    [KG_DOUBT_BUDGET_MISSED] = {.say = budget_missed_say},
};

/* Makes "not confirmed: +9.1 % in the first 10 rounds, +0.3 % in 10 later", followed by the other reason. */
static const char *unconfirmed_say(struct kg_arena *arena, const struct kg_metric *metric,
                                   const char *rest)
{
    char was[KG_UNIT_BYTES], is[KG_UNIT_BYTES];
    return kg_arena_printf(arena, "not confirmed: %s in the first %zu round%s, %s in %zu later%s%s",
                           kg_change_format(metric->screened_ratio, was), metric->screened_rounds,
                           metric->screened_rounds == 1 ? "" : "s",
                           kg_change_format(metric->ratio, is), metric->current_rounds,
                           rest ? "; " : "", rest ? rest : "");
}

/* Whether the metric counts as changed although its estimate lies within the threshold, because its interval reaches
 * beyond. */
static bool reaches_threshold(const struct kg_metric *metric)
{
    const double above = 1 + metric->threshold;
    return (metric->change == KG_CHANGE_REGRESSION || metric->change == KG_CHANGE_IMPROVEMENT) &&
           metric->ratio <= above && metric->ratio >= 1 / above &&
           (metric->interval_high > above || metric->interval_low < 1 / above);
}

/* Makes "may be as much as +5.5 %, the threshold is 5.0 %", followed by the other reason. */
static const char *reaching_say(struct kg_arena *arena, const struct kg_metric *metric,
                                const char *rest)
{
    char most[KG_UNIT_BYTES];
    return kg_arena_printf(
        arena, "may be as much as %s, the threshold is %.1f %%%s%s",
        kg_change_format(metric->ratio > 1 ? metric->interval_high : metric->interval_low, most),
        100 * metric->threshold, rest ? "; " : "", rest ? rest : "");
}

void kg_reason_make(struct kg_arena *arena, struct kg_metric *metric)
{
    const struct sentence *sentence = &sentences[metric->doubt];
    const char *reason = sentence->say ? sentence->say(arena, metric) : sentence->text;
    if (reason && sentence->of_code && metric->code_unchanged)
        reason = kg_arena_printf(arena, "%s; %s", reason, beside_say(arena, metric));
    if (reaches_threshold(metric))
        reason = reaching_say(arena, metric, reason);
    if (metric->screened_ratio > 0)
        reason = unconfirmed_say(arena, metric, reason);
    metric->reason = reason;
}
