#include "judge/compare_parts.h"

#include <math.h>
#include <string.h>

#include "base/statistics/stats.h"
#include "judge/metric.h"
#include "judge/wait_bounds.h"

/* Whether the interval alone proves a change. Peak memory repeats to the page, and counts repeat to a few parts in a
 * million. A test of peaks or counts would demand more rounds without need, and would weaken the tests of times. */
static bool by_interval(const struct kg_evidence *evidence)
{
    return !evidence->state.tested;
}

/* Settles every metric with the usual noise of the suite's times. It helps a case with few rounds or few runs. Other
 * metrics have no usual noise.
 * family  as `tests` in kg_evidence_decide */
static void metrics_settle(struct kg_arena *scratch, struct kg_evidence *evidence, size_t count,
                           size_t family, double alpha, struct kg_student_points *points)
{
    static const struct kg_metric_usual unknown = {{NAN, 0}, {NAN, 0}};
    size_t times = 0, tests = 0;
    struct kg_metric_state *states = kg_arena_alloc(scratch, count, sizeof *states);
    struct kg_variance *room = kg_arena_alloc(scratch, count, sizeof *room);
    for (size_t i = 0; i < count; i++) {
        tests += !by_interval(&evidence[i]);
        if (evidence[i].row->timed)
            states[times++] = evidence[i].state;
    }
    tests = tests > family ? tests : family;
    const struct kg_metric_usual usual = kg_metric_usual(states, times, room);
    for (size_t i = 0; i < count; i++) {
        kg_metric_settle(evidence[i].metric, &evidence[i].state,
                         evidence[i].row->timed ? &usual : &unknown, alpha, tests, points);
        kg_metric_raise(evidence[i].metric);
    }
}

/* Number of rounds that each side needs before kgate may call the metric unchanged. Fewer rounds do not show their own
 * scatter. Peaks and counts repeat, so they need none. */
static size_t rounds_least(const struct kg_evidence *evidence)
{
    enum { LEAST = 3 };
    return evidence->paired || evidence->row->proof == KG_PROOF_TEST ? LEAST : 0;
}

static bool too_few(const struct kg_evidence *evidence)
{
    const size_t least = rounds_least(evidence);
    return evidence->current_rounds < least || (!evidence->paired && evidence->base_rounds < least);
}

/* Whether a shift exceeds the threshold plus the noise floor, and the smallest effect that counts. */
static bool shifted(const struct kg_metric *metric, const struct kg_shift *shift, double alpha)
{
    const double floor = metric->noise_floor > 0 ? metric->noise_floor : 0;
    const double above = 1 + metric->threshold + floor;
    return shift->p <= alpha && shift->effect > metric->min_effect &&
           (shift->ratio > above || shift->ratio < 1 / above);
}

/* Whether some calls changed in a way that the median of a round does not show. */
static bool mean_moved(const struct kg_evidence *evidence, double alpha)
{
    return shifted(evidence->metric, &evidence->means, alpha);
}

/* Whether the CPU time per call shifted, and by a relevant part of the time. A call that mostly waits may use a little
 * more CPU time. */
static bool cpu_moved(const struct kg_evidence *evidence, double alpha)
{
    const struct kg_metric *metric = evidence->metric;
    return shifted(metric, &evidence->cpu, alpha) &&
           evidence->cpu.effect > metric->threshold * metric->baseline;
}

/* Whether a time `times` as long differs by more than the smallest effect that counts. */
static bool counts(const struct kg_metric *metric, double times)
{
    return (times - 1) * metric->baseline > metric->min_effect;
}

/* Whether a few calls became so slow that the mean of the candidate's rounds exceeds every round of the reference. No
 * test finds this, because few rounds contain such a call. */
static bool is_dwarfed(const struct kg_evidence *evidence)
{
    const double above = KG_SHARED_MOST * (1 + evidence->metric->threshold);
    const double excess = fmax(evidence->least_means.excess, evidence->cpu.excess);
    return excess > above && counts(evidence->metric, excess);
}

/* Whether some rounds became far slower. */
static bool is_widened(const struct kg_evidence *evidence)
{
    return evidence->widening.widened && counts(evidence->metric, evidence->widening.tail);
}

/* Reason code of a changed metric: the environment, or for a time the change of the machine code. */
static enum kg_doubt code_doubt(const struct kg_evidence *evidence)
{
    if (evidence->metric->environment)
        return KG_DOUBT_ENVIRONMENT;
    if (!evidence->row->timed)
        return KG_DOUBT_NONE;
    switch (evidence->code) {
    case KG_CODE_OTHER:
        return KG_DOUBT_CODE_CHANGED;
    case KG_CODE_OTHER_LIBRARIES:
        return KG_DOUBT_LIBRARY_OTHER;
    case KG_CODE_SAME_FILE:
        return KG_DOUBT_CODE_ALONE;
    case KG_CODE_SAME_OPEN:
    case KG_CODE_SAME_READING:
        return KG_DOUBT_CODE_OPEN;
    case KG_CODE_SAME:
        return KG_DOUBT_CODE_UNCHANGED;
    default:
        return KG_DOUBT_NONE;
    }
}

/* Whether kgate may call the metric unchanged. If the time moved with the GPU's clock, the clock must govern it, and
 * the code must not have lowered the clock at the power limit. */
static bool unchanged(const struct kg_evidence *evidence, double alpha)
{
    const struct kg_metric *metric = evidence->metric;
    const bool within = kg_metric_clock_moved(metric)
                            ? evidence->clock_governs && !(metric->power_w > 0 && metric->ratio > 1)
                            : metric->change == KG_CHANGE_NO_CHANGE;
    return within && !is_widened(evidence) && !metric->suspected && !too_few(evidence) &&
           !mean_moved(evidence, alpha) && !cpu_moved(evidence, alpha) && !is_dwarfed(evidence);
}

/* Returns the first reason code that explains why a metric is neither changed nor unchanged. */
static enum kg_doubt doubt_find(const struct kg_evidence *evidence, double alpha)
{
    const struct kg_metric *metric = evidence->metric;
    const bool large = kg_metric_large(metric);
    if (!large && too_few(evidence))
        return KG_DOUBT_FEW_ROUNDS;
    if (!large && mean_moved(evidence, alpha))
        return KG_DOUBT_MEAN;
    if (!large && cpu_moved(evidence, alpha))
        return KG_DOUBT_CALL_CPU;
    if (kg_metric_clock_moved(metric))
        return metric->power_w > 0 ? KG_DOUBT_POWER : KG_DOUBT_CLOCK_MAY;
    if (large && !kg_metric_in_cycles(metric))
        return metric->clock_part > 0 ? KG_DOUBT_CLOCKS : KG_DOUBT_CYCLES;
    if (metric->suspected)
        return evidence->unbacked ? KG_DOUBT_ALL_DISTURBED : KG_DOUBT_UNCONFIRMED;
    return kg_metric_doubt(metric);
}

/* Whether the machine was so busy that other programs also used its caches and memory. Then even rounds with a free CPU
 * are slower. Two programs on one memory, or two threads of a core, slow each other by less than KG_SHARED_MOST. A
 * larger ratio is a change. */
static bool may_be_the_machine(const struct kg_evidence *evidence)
{
    const double ratio = evidence->metric->ratio;
    return evidence->disturbed && ratio > 1 && ratio < KG_SHARED_MOST;
}

/* Whether the same code became worse by more than another load on the machine explains. The threshold includes the
 * waits of the rounds. If all rounds waited too long, their wait bounds decide instead. */
static bool beyond_load(const struct kg_evidence *evidence)
{
    const struct kg_metric *metric = evidence->metric;
    const double waits = evidence->pair_waits > 0 ? evidence->pair_waits : 0;
    return evidence->unchanged && !(evidence->busy && !evidence->beyond_waits) &&
           kg_metric_worse_by(metric, KG_SHARED_MOST * (1 + metric->threshold + waits)) &&
           kg_metric_in_cycles(metric) && !kg_metric_clock_moved(metric);
}

/* Whether some calls became slower by more than waits and another load explain. Chance causes this in at most one of 20
 * suites. */
static bool is_slower(const struct kg_evidence *evidence, const struct kg_shift *shift)
{
    static const double P_MOST = 0.05;
    const struct kg_metric *metric = evidence->metric;
    const double floor = metric->noise_floor > 0 ? metric->noise_floor : 0;
    const double load = evidence->disturbed || evidence->busy ? KG_SHARED_MOST : 1;
    return shift->p * (double)evidence->family <= P_MOST && shift->effect > metric->min_effect &&
           shift->ratio > load * (1 + 2 * metric->threshold + floor);
}

/* Returns why an undecided time is SUSPECT although its typical call is not; else KG_DOUBT_NONE. */
static enum kg_doubt hidden_find(const struct kg_evidence *evidence)
{
    if (is_widened(evidence))
        return KG_DOUBT_WIDENED;
    if (is_slower(evidence, &evidence->least_means) || is_dwarfed(evidence))
        return KG_DOUBT_MEAN;
    if (is_slower(evidence, &evidence->cpu) &&
        evidence->cpu.effect > evidence->metric->threshold * evidence->metric->baseline)
        return KG_DOUBT_CALL_CPU;
    return KG_DOUBT_NONE;
}

/* Decides `change` and `doubt` together, so that they cannot contradict each other. */
static void change_decide(const struct kg_evidence *evidence, bool proven, double alpha)
{
    struct kg_metric *metric = evidence->metric;
    kg_metric_classify(metric, proven);
    const bool by_clock = kg_metric_clock_moved(metric);
    const bool machine = may_be_the_machine(evidence);
    const bool changed =
        !by_clock && !machine &&
        (metric->change == KG_CHANGE_REGRESSION || metric->change == KG_CHANGE_IMPROVEMENT);
    if (changed) {
        metric->doubt = code_doubt(evidence);
    } else if (unchanged(evidence, alpha)) {
        metric->change = KG_CHANGE_NO_CHANGE;
        metric->doubt = by_clock ? KG_DOUBT_CLOCK_EXPLAINS : KG_DOUBT_NONE;
    } else {
        metric->change = kg_metric_undecided(metric);
        metric->doubt = machine && proven ? KG_DOUBT_DISTURBED : doubt_find(evidence, alpha);
        const enum kg_doubt hidden = hidden_find(evidence);
        if (metric->change == KG_CHANGE_INCONCLUSIVE && hidden) {
            metric->change = KG_CHANGE_SUSPECT;
            metric->doubt = hidden;
        }
    }
    if (beyond_load(evidence)) {
        metric->change = KG_CHANGE_SUSPECT;
        metric->doubt = KG_DOUBT_UNSEEN;
    } else if (evidence->unchanged && metric->change != KG_CHANGE_NO_CHANGE) {
        metric->change = KG_CHANGE_NO_CHANGE;
        metric->doubt = KG_DOUBT_CODE_UNCHANGED;
    }
}

/* Stores the input of the decision in the metric. kg_reason_make needs nothing else. */
static void grounds_store(const struct kg_evidence *evidence, double alpha)
{
    struct kg_metric *metric = evidence->metric;
    metric->base_rounds = evidence->base_rounds;
    metric->current_rounds = evidence->current_rounds;
    metric->least_rounds = rounds_least(evidence);
    metric->of_processes = evidence->processes;
    metric->code_unchanged = evidence->row->timed && evidence->code >= KG_CODE_OTHER_LIBRARIES;
    metric->code_same = evidence->row->timed && kg_code_is_same(evidence->code);
    metric->needed_p = isnan(metric->p_value) ? NAN : alpha;
    /* few slow calls: the location of the rounds understates the least cost of such calls */
    metric->mean_ratio = is_dwarfed(evidence)
                             ? fmax(evidence->means.ratio, evidence->least_means.excess)
                             : evidence->means.ratio;
    metric->call_cpu_ratio = evidence->cpu.ratio;
    metric->tail = is_widened(evidence) ? evidence->widening.tail : NAN;
    metric->base_tail = is_widened(evidence) ? evidence->widening.base_tail : NAN;
    metric->screened_ratio = NAN;
}

/* During screening a metric can only become a suspect, and an unadjusted p-value is enough. Confirming rounds decide,
 * because no interim analysis used them.
 * adjusted   the metric's p-value after the adjustment.
 * screening  true if an interim analysis used the rounds.
 * alpha      limit for an unadjusted p-value.
 * level      limit for an adjusted p-value. */
static void metric_decide(const struct kg_evidence *evidence, double adjusted, bool screening,
                          double alpha, double level)
{
    struct kg_metric *metric = evidence->metric;
    const bool significant = by_interval(evidence) ? kg_metric_outside(metric)
                             : screening           ? metric->p_value <= alpha
                                                   : adjusted <= level;
    const bool confirmed = significant && kg_metric_in_cycles(metric);
    metric->p_value = adjusted;
    metric->suspected = screening && confirmed && kg_metric_large(metric) &&
                        (!evidence->unchanged || beyond_load(evidence));
    grounds_store(evidence, level);
    change_decide(evidence, confirmed && !screening, alpha);
}

/* Whether an interim analysis used these rounds. If all confirming rounds were disturbed, the evidence is from
 * screening rounds at every stage. */
static bool looked_at(const struct kg_evidence *evidence, enum kg_stage stage)
{
    return evidence->unbacked || (stage == KG_STAGE_SCREEN && !evidence->confirmed);
}

/* Adjusts the p-values for the family of tests. A test after an interim analysis counts, but with p = 1. Its own
 * p-value is too small and must not make other tests easier. It stores its p-value times the number of tests. */
static void p_values_adjust(const struct kg_evidence *evidence, size_t count, enum kg_stage stage,
                            size_t family, double *p)
{
    size_t tests = 0;
    for (size_t i = 0; i < count; i++) {
        const bool tested = !by_interval(&evidence[i]);
        tests += tested;
        p[i] = !tested ? NAN : looked_at(&evidence[i], stage) ? 1 : evidence[i].metric->p_value;
    }
    const size_t others = family > tests ? family - tests : 0;
    kg_holm_adjust(p, count, others);
    for (size_t i = 0; i < count; i++)
        if (!isnan(p[i]) && looked_at(&evidence[i], stage))
            p[i] = fmin(1, evidence[i].metric->p_value * (double)(tests + others));
}

/* --- Times that instructions confirm ---------------------------------------------------------- */

/* Whether the code changed and the time's interval lies beyond its threshold without proof. */
static bool looks_changed(const struct kg_evidence *evidence)
{
    const struct kg_metric *metric = evidence->metric;
    const bool other = evidence->code == KG_CODE_OTHER || evidence->code == KG_CODE_OTHER_LIBRARIES;
    const bool open =
        metric->change == KG_CHANGE_SUSPECT || metric->change == KG_CHANGE_INCONCLUSIVE;
    return evidence->row->timed && other && open && !isnan(metric->interval_low) &&
           kg_metric_outside(metric) &&
           fabs(metric->current - metric->baseline) > metric->min_effect;
}

/* Whether the instructions changed in the same direction, and the time by half to twice as much (in logarithms). */
static bool agree(const struct kg_metric *time, const struct kg_metric *instructions)
{
    const double share = log(time->ratio) / log(instructions->ratio);
    return (instructions->change == KG_CHANGE_REGRESSION ||
            instructions->change == KG_CHANGE_IMPROVEMENT) &&
           share >= 0.5 && share <= 2;
}

/* The metric of that kind, of the same case and against the same reference as `time`. */
static const struct kg_metric *metric_beside(const struct kg_evidence *evidence, size_t count,
                                             const struct kg_evidence *time,
                                             enum kg_metric_kind kind)
{
    for (size_t i = 0; i < count; i++)
        if (evidence[i].row == &kg_metric_rows[kind] && evidence[i].result == time->result &&
            !strcmp(evidence[i].metric->against, time->metric->against))
            return evidence[i].metric;
    return NULL;
}

/* Instructions do not depend on waits or on the state of the machine. If they changed too, the code is the cause. */
static void times_confirm(struct kg_evidence *evidence, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct kg_metric *time = evidence[i].metric;
        const struct kg_metric *instructions =
            looks_changed(&evidence[i])
                ? metric_beside(evidence, count, &evidence[i], KG_METRIC_INSTRUCTIONS)
                : NULL;
        if (!instructions || !agree(time, instructions))
            continue;
        time->change = time->ratio > 1 ? KG_CHANGE_REGRESSION : KG_CHANGE_IMPROVEMENT;
        time->doubt = KG_DOUBT_INSTRUCTIONS;
        time->suspected = false;
        time->instructions_ratio = instructions->ratio;
    }
}

/* --- Times that the energy confirms ----------------------------------------------------------- */

/* A GPU at its power limit lowers its clock for code that draws more power. If the energy per call rose too, the code
 * is the cause of the longer time. */
static void powers_confirm(struct kg_evidence *evidence, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct kg_metric *time = evidence[i].metric;
        if (time->doubt != KG_DOUBT_POWER || !kg_metric_outside(time) || evidence[i].unchanged)
            continue;
        const struct kg_metric *energy =
            metric_beside(evidence, count, &evidence[i], KG_METRIC_ENERGY);
        if (!energy || energy->change != KG_CHANGE_REGRESSION)
            continue;
        time->change = KG_CHANGE_REGRESSION;
        time->doubt = KG_DOUBT_ENERGY;
        time->suspected = false;
        time->energy_ratio = energy->ratio;
    }
}

/* Probability beyond one end of the 95 % interval. If a one-sided p is larger, the interval includes "no change". */
static const double INTERVAL_TAIL = 0.025;

void kg_evidence_decide(struct kg_arena *scratch, struct kg_evidence *evidence, size_t count,
                        enum kg_stage stage, size_t tests, double asked_alpha,
                        struct kg_student_points *points)
{
    const double alpha = fmin(asked_alpha, INTERVAL_TAIL);
    double *p = kg_arena_alloc(scratch, count, sizeof *p);
    metrics_settle(scratch, evidence, count, tests, alpha, points);
    p_values_adjust(evidence, count, stage, tests, p);
    const double level = stage == KG_STAGE_SCREEN ? alpha / KG_CONFIRMING_LOOKS : alpha;
    for (size_t i = 0; i < count; i++)
        evidence[i].family = tests > count ? tests : count;
    for (size_t i = 0; i < count; i++)
        metric_decide(&evidence[i], p[i], looked_at(&evidence[i], stage), alpha, level);
    times_confirm(evidence, count);
    powers_confirm(evidence, count);
}
