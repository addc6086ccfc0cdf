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

static const char *mean_words(struct kg_arena *arena, const struct kg_metric *metric)
{
    char moved[KG_UNIT_BYTES];
    return kg_arena_printf(arena,
                           "the median call did not change, but the mean is %s: some calls changed",
                           kg_change_format(metric->mean_ratio, moved));
}

static const char *call_cpu_words(struct kg_arena *arena, const struct kg_metric *metric)
{
    char moved[KG_UNIT_BYTES];
    return kg_arena_printf(
        arena, "CPU time per call is %s, but the median did not change: some calls cost %s",
        kg_change_format(metric->call_cpu_ratio, moved),
        metric->call_cpu_ratio > 1 ? "more" : "less");
}

static const char *few_rounds_words(struct kg_arena *arena, const struct kg_metric *metric)
{
    if (metric->of_processes)
        return "too few processes to call it unchanged: record at least three";
    if (kg_metric_in_pairs(metric))
        return kg_arena_printf(
            arena, "%zu paired round%s cannot show that nothing changed: `--set rounds.min=%zu`",
            metric->current_rounds, metric->current_rounds == 1 ? "" : "s", metric->least_rounds);
    return kg_arena_printf(
        arena, "%zu round%s against %zu cannot show that nothing changed: `--set rounds.min=%zu`",
        metric->current_rounds, metric->current_rounds == 1 ? "" : "s", metric->base_rounds,
        metric->least_rounds);
}

static const char *cycles_words(struct kg_arena *arena, const struct kg_metric *metric)
{
    char time[KG_UNIT_BYTES], cycles[KG_UNIT_BYTES];
    return kg_arena_printf(arena,
                           "the time is %s, but the GPU cycles are %s: lock the GPU clock "
                           "(`nvidia-smi -lgc`) or raise rounds.max",
                           kg_change_format(metric->ratio, time),
                           kg_change_format(metric->cycles_ratio, cycles));
}

static const char *clocks_words(struct kg_arena *arena, const struct kg_metric *metric)
{
    char time[KG_UNIT_BYTES], part[KG_UNIT_BYTES];
    return kg_arena_printf(arena,
                           "the time is %s, and the GPU's clocks may explain up to %s of "
                           "memory-bound work: lock them (`nvidia-smi -lgc`, `-lmc`)",
                           kg_change_format(metric->ratio, time),
                           kg_change_format(metric->clock_part, part));
}

/* "the GPU clock is -4.8 % at the power limit (612 W before, now 698 W)" */
static const char *limit_words(struct kg_arena *arena, const struct kg_metric *metric)
{
    char clock[KG_UNIT_BYTES];
    const char *before = metric->base_power_w > 0
                             ? kg_arena_printf(arena, "%.0f W before, now ", metric->base_power_w)
                             : "";
    return kg_arena_printf(arena, "the GPU clock is %s at the power limit (%s%.0f W)",
                           kg_change_format(exp(-metric->pace_shift), clock), before,
                           metric->power_w);
}

static const char *power_words(struct kg_arena *arena, const struct kg_metric *metric)
{
    return kg_arena_printf(arena,
                           "%s: code that draws more power is slower there. Compare `energy` too",
                           limit_words(arena, metric));
}

static const char *energy_words(struct kg_arena *arena, const struct kg_metric *metric)
{
    char energy[KG_UNIT_BYTES];
    return kg_arena_printf(arena, "%s, and the energy per call is %s", limit_words(arena, metric),
                           kg_change_format(metric->energy_ratio, energy));
}

static const char *unproven_words(struct kg_arena *arena, const struct kg_metric *metric)
{
    if (metric->of_processes)
        return kg_arena_printf(
            arena, "too few processes for a proof (p %.2g, needed %.2g): record more of both sides",
            metric->p_value, metric->needed_p);
    if (kg_metric_in_pairs(metric))
        return kg_arena_printf(
            arena, "%zu paired round%s too few for a proof (p %.2g, needed %.2g): %s",
            metric->current_rounds, metric->current_rounds == 1 ? " is" : "s are", metric->p_value,
            metric->needed_p,
            metric->out_of_budget ? "raise --budget" : "raise rounds.max or --budget");
    return kg_arena_printf(
        arena,
        "%zu round%s against %zu are too few for a proof (p %.2g, needed %.2g): raise rounds.max%s",
        metric->current_rounds, metric->current_rounds == 1 ? "" : "s", metric->base_rounds,
        metric->p_value, metric->needed_p,
        kg_metric_pin(metric) ? "" : " or add runs to the baseline (`kgate baseline record`)");
}

/* Also used for an improvement, which is no suspect. */
static const char *unconfirmed_change_words(struct kg_arena *arena, const struct kg_metric *metric)
{
    const bool better = metric->better == KG_BETTER_HIGHER ? metric->ratio > 1 : metric->ratio < 1;
    const char *looks = better ? "looks better" : "looks worse";
    if (metric->out_of_budget)
        return kg_arena_printf(
            arena, "%s, not confirmed: --budget ended before the later rounds. Raise --budget",
            looks);
    return kg_arena_printf(arena,
                           "%s, not confirmed: there are no later rounds. `kgate gate` and `kgate "
                           "ab` take them if --budget allows",
                           looks);
}

static const char *effect_words(struct kg_arena *arena, const struct kg_metric *metric)
{
    char widest[KG_UNIT_BYTES], counts[KG_UNIT_BYTES];
    return kg_arena_printf(
        arena,
        "the difference may be as large as %s, and more than %s counts: more %s would decide it",
        kg_value_format(metric->unit, kg_metric_widest_effect(metric), widest),
        kg_value_format(metric->unit, metric->min_effect, counts), rounds_name(metric));
}

static const char *noise_words(struct kg_arena *arena, const struct kg_metric *metric)
{
    char low[KG_UNIT_BYTES], high[KG_UNIT_BYTES];
    return kg_arena_printf(arena,
                           "could be %s to %s, threshold %.1f %%: the stored runs differ by %.1f "
                           "%% from each other. Decide it with `kgate ab` or on a quieter machine",
                           kg_change_format(metric->interval_low, low),
                           kg_change_format(metric->interval_high, high),
                           100 * metric->asked_threshold, 100 * metric->noise_floor);
}

/* Without a change of the code, the stored runs would not differ so much. The user must say which level is intended. */
static const char *stepped_words(struct kg_arena *arena, const struct kg_metric *metric)
{
    char step[KG_UNIT_BYTES], beyond[KG_UNIT_BYTES];
    return kg_arena_printf(arena,
                           "the baseline has a step: its newer runs are %s against its older runs. "
                           "This run is %s against the worse of both. Check it with `kgate ab`. If "
                           "the step is intended, `kgate accept` restarts the history",
                           kg_change_format(metric->step, step),
                           kg_change_format(metric->beyond, beyond));
}

static const char *widened_words(struct kg_arena *arena, const struct kg_metric *metric)
{
    char tail[KG_UNIT_BYTES], base[KG_UNIT_BYTES];
    return kg_arena_printf(arena,
                           "some %s became far slower: more than 1 in 10 takes %s or more over the "
                           "median. In the %s the slowest took %s",
                           rounds_name(metric), kg_change_format(metric->tail, tail),
                           metric->against, kg_change_format(metric->base_tail, base));
}

static const char *instructions_words(struct kg_arena *arena, const struct kg_metric *metric)
{
    char moved[KG_UNIT_BYTES];
    return kg_arena_printf(arena, "the code changed, and its instructions (%s) confirm the time",
                           kg_change_format(metric->instructions_ratio, moved));
}

static const char *uncounted_words(struct kg_arena *arena, const struct kg_metric *metric)
{
    (void)arena;
    return metric->cause;
}

static const char *not_stored_words(struct kg_arena *arena, const struct kg_metric *metric)
{
    if (!strcmp(metric->cause, KG_SERIES_OF_ROUNDS))
        return kg_arena_printf(arena, "the %s has no %s: run `kgate baseline record`",
                               metric->against, metric->name);
    return kg_arena_printf(arena, "the %s has no %s counted by '%s': run `kgate baseline record`",
                           metric->against, metric->name, metric->cause);
}

static const char *budget_unknown_words(struct kg_arena *arena, const struct kg_metric *metric)
{
    return kg_arena_printf(arena, "the budget for %s was not checked: %s", metric->name,
                           metric->cause);
}

/* "speedup_over_cpu is 0.80, the budget asks >= 1.00" */
static const char *budget_missed_words(struct kg_arena *arena, const struct kg_metric *metric)
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

static const char *library_other_words(struct kg_arena *arena, const struct kg_metric *metric)
{
    return kg_arena_copy(arena, code_of(metric));
}

static const char *code_alone_words(struct kg_arena *arena, const struct kg_metric *metric)
{
    return kg_arena_printf(arena, "%s. Likely cause: the machine or a library", code_of(metric));
}

static const char *code_open_words(struct kg_arena *arena, const struct kg_metric *metric)
{
    return kg_arena_printf(arena,
                           "%s. Likely cause: the input, the environment, the machine, or code "
                           "that kgate did not check",
                           code_of(metric));
}

static const char *code_unchanged_words(struct kg_arena *arena, const struct kg_metric *metric)
{
    if (!kg_metric_large(metric)) /* a wide interval does not show a change */
        return kg_arena_copy(arena, code_of(metric));
    return kg_arena_printf(
        arena, "%s. Likely cause: the machine, the environment or the input, not this change",
        code_of(metric));
}

static const char *unseen_words(struct kg_arena *arena, const struct kg_metric *metric)
{
    const bool timed = kg_metric_kind_find(metric->name) == KG_METRIC_TIME;
    const double ratio = metric->better == KG_BETTER_LOWER ? metric->ratio : 1 / metric->ratio;
    return kg_arena_printf(arena,
                           "%.1f times %s, although %s. Likely cause: another machine, or code or "
                           "files that kgate does not see",
                           ratio, timed ? "slower" : "worse", code_of(metric));
}

/* A script has no code hash, and so no words about its code. */
static const char *environment_words(struct kg_arena *arena, const struct kg_metric *metric)
{
    return kg_arena_printf(arena, "possible cause: %s%s%s", metric->environment,
                           metric->code ? "; " : "", metric->code ? metric->code : "");
}

/* Appended to an unsure reason if the code is unchanged. */
static const char *beside_words(struct kg_arena *arena, const struct kg_metric *metric)
{
    return metric->environment ? environment_words(arena, metric) : code_of(metric);
}

/* A fixed sentence or a function that writes one. KG_DOUBT_NONE has neither. */
static const struct sentence {
    const char *text;
    const char *(*words)(struct kg_arena *arena, const struct kg_metric *metric);
    bool of_code; /* append the words about an unchanged code */
} sentences[] = {
    [KG_DOUBT_CODE_CHANGED] = {.text = "the code changed"},
    [KG_DOUBT_LIBRARY_OTHER] = {.words = library_other_words},
    [KG_DOUBT_CODE_ALONE] = {.words = code_alone_words},
    [KG_DOUBT_CODE_OPEN] = {.words = code_open_words},
    [KG_DOUBT_CODE_UNCHANGED] = {.words = code_unchanged_words},
    [KG_DOUBT_ENVIRONMENT] = {.words = environment_words},
    [KG_DOUBT_CLOCK_EXPLAINS] =
        {.text = "the time changed with the GPU clock, the GPU cycles did not change"},
    [KG_DOUBT_MEAN] = {.words = mean_words},
    [KG_DOUBT_CALL_CPU] = {.words = call_cpu_words},
    [KG_DOUBT_FEW_ROUNDS] = {.words = few_rounds_words},
    [KG_DOUBT_CLOCK_MAY] = {.text =
                                "the GPU clock changed like the time, but the workload may wait "
                                "for memory or the bus: lock the clock (`nvidia-smi -lgc`)"},
    [KG_DOUBT_CYCLES] = {.words = cycles_words},
    [KG_DOUBT_CLOCKS] = {.words = clocks_words},
    [KG_DOUBT_POWER] = {.words = power_words},
    [KG_DOUBT_ENERGY] = {.words = energy_words},
    [KG_DOUBT_UNCONFIRMED] = {.words = unconfirmed_change_words, .of_code = true},
    [KG_DOUBT_ALL_DISTURBED] = {.text = "looks worse, not confirmed: every later round waited too "
                                        "long for a CPU. Measure again when the machine is idle",
                                .of_code = true},
    [KG_DOUBT_UNPROVEN] = {.words = unproven_words, .of_code = true},
    [KG_DOUBT_EFFECT] = {.words = effect_words, .of_code = true},
    [KG_DOUBT_WIDENED] = {.words = widened_words, .of_code = true},
    [KG_DOUBT_INSTRUCTIONS] = {.words = instructions_words},
    [KG_DOUBT_UNSEEN] = {.words = unseen_words},
    [KG_DOUBT_STEPPED] = {.words = stepped_words, .of_code = true},
    [KG_DOUBT_NOISE] = {.words = noise_words, .of_code = true},
    [KG_DOUBT_CROSSING] = {.words = kg_crossing_words, .of_code = true},
    [KG_DOUBT_UNCOUNTED] = {.words = uncounted_words},
    [KG_DOUBT_BUSY] = {.words = uncounted_words},
    [KG_DOUBT_DRIFT] = {.words = uncounted_words},
    [KG_DOUBT_NODE] = {.words = uncounted_words},
    [KG_DOUBT_SAME_FILE] = {.text = "both sides are the same file"},
    [KG_DOUBT_DISTURBED] =
        {.text =
             "CPU contention: more than a third of its rounds waited for a CPU. The other programs "
             "may slow its other rounds up to twofold. Measure again when the machine is idle"},
    [KG_DOUBT_NOT_STORED] = {.words = not_stored_words},
    [KG_DOUBT_BUDGET_UNKNOWN] = {.words = budget_unknown_words},
    [KG_DOUBT_BUDGET_MISSED] = {.words = budget_missed_words},
};

/* Makes "not confirmed: +9.1 % in the first 10 rounds, +0.3 % in 10 later", followed by the other reason. */
static const char *unconfirmed_words(struct kg_arena *arena, const struct kg_metric *metric,
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

/* Makes "the change is within the threshold of 5.0 %, but its 95 % interval reaches +5.5 %", followed by the other
 * reason. */
static const char *reaching_words(struct kg_arena *arena, const struct kg_metric *metric,
                                  const char *rest)
{
    char most[KG_UNIT_BYTES];
    return kg_arena_printf(
        arena,
        "the change is within the threshold of %.1f %%, but its 95 %% interval reaches %s%s%s",
        100 * metric->threshold,
        kg_change_format(metric->ratio > 1 ? metric->interval_high : metric->interval_low, most),
        rest ? "; " : "", rest ? rest : "");
}

void kg_reason_make(struct kg_arena *arena, struct kg_metric *metric)
{
    const struct sentence *sentence = &sentences[metric->doubt];
    const char *reason = sentence->words ? sentence->words(arena, metric) : sentence->text;
    if (reason && sentence->of_code && metric->code_unchanged)
        reason = kg_arena_printf(arena, "%s; %s", reason, beside_words(arena, metric));
    if (reaches_threshold(metric))
        reason = reaching_words(arena, metric, reason);
    if (metric->screened_ratio > 0)
        reason = unconfirmed_words(arena, metric, reason);
    metric->reason = reason;
}
