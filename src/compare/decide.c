#include "compare/decide.h"

#include <math.h>

#include "stats/stats.h"
#include "util/units.h"

/* Raises every threshold to its noise floor. What is usual among the times of the suite's cases
 * helps where one case has few runs; memory and counters have no usual noise. */
static bool thresholds_raise(struct kg_arena *scratch, struct kg_evidence *evidence, size_t count,
                             double alpha)
{
    size_t times = 0;
    struct kg_metric_state *states = kg_arena_alloc(scratch, count, sizeof *states);
    double *room = kg_arena_alloc(scratch, count, sizeof *room);
    if (!states || !room)
        return false;
    for (size_t i = 0; i < count; i++)
        if (evidence[i].kind == KG_EVIDENCE_TIME)
            states[times++] = evidence[i].state;
    const double usual = kg_metric_usual(states, times, room);
    for (size_t i = 0; i < count; i++)
        kg_metric_raise(evidence[i].metric, &evidence[i].state,
                        evidence[i].kind == KG_EVIDENCE_TIME ? usual : NAN, alpha, times);
    return true;
}

/* Whether the interval is proof enough. Peak memory repeats to the page, and counts do to a few in
 * a million: a test would ask of five equal figures a proof that only more rounds can give. They do
 * not cost the times their power either. */
static bool by_interval(const struct kg_evidence *evidence)
{
    return evidence->kind == KG_EVIDENCE_MEMORY ||
           (evidence->kind == KG_EVIDENCE_COUNTER && evidence->state.repeats);
}

/* Rounds that say nothing of their own scatter cannot say that nothing changed either. */
static bool too_few(const struct kg_evidence *evidence)
{
    enum { LEAST = 3, PAIRS_LEAST = 6 };
    if (evidence->paired)
        return evidence->current_rounds < PAIRS_LEAST;
    return evidence->kind == KG_EVIDENCE_TIME &&
           (evidence->base_rounds < LEAST || evidence->current_rounds < LEAST);
}

/* Whether a part of the calls changed that the median of a round does not see. */
static bool mean_moved(const struct kg_evidence *evidence, double alpha)
{
    const double above = 1 + evidence->metric->threshold;
    return evidence->mean_p <= alpha && evidence->mean_effect > evidence->metric->min_effect &&
           (evidence->mean_ratio > above || evidence->mean_ratio < 1 / above);
}

/* While rounds are still being added only a suspicion comes of them, and for that a p that is small
 * by itself is enough: what decides are the confirming rounds, which nobody has looked at. */
static void metric_decide(const struct kg_evidence *evidence, double adjusted, bool screening,
                          double alpha)
{
    struct kg_metric *metric = evidence->metric;
    const bool significant = by_interval(evidence) ? kg_metric_outside(metric)
                             : screening           ? metric->p_value <= alpha
                                                   : adjusted <= alpha;
    metric->p_value = adjusted;
    const bool confirmed = kg_metric_in_cycles(metric);
    metric->suspected =
        screening && significant && confirmed && kg_metric_large(metric) && !evidence->unlike;
    kg_metric_classify(metric, significant && confirmed && !screening);
    if (kg_metric_clock_moved(metric))
        metric->change = evidence->clock_governs ? KG_CHANGE_NO_CHANGE : KG_CHANGE_INCONCLUSIVE;
    if (metric->suspected || evidence->unlike ||
        (metric->change == KG_CHANGE_NO_CHANGE &&
         (too_few(evidence) || mean_moved(evidence, alpha))))
        metric->change = KG_CHANGE_INCONCLUSIVE;
}

/* Whether the evidence is of rounds that were looked at while they were added. */
static bool looked_at(const struct kg_evidence *evidence, enum kg_stage stage)
{
    return stage == KG_STAGE_SCREEN && !evidence->confirmed;
}

/* The p-values as the family of tests sees them. What was looked at on the way counts as a test,
 * but not as one that could be rejected: its p is not what it says any more, and must not make it
 * easier for the others. It is shown multiplied by the number of tests. */
static bool p_values_adjust(const struct kg_evidence *evidence, size_t count, enum kg_stage stage,
                            double *p)
{
    size_t tests = 0;
    for (size_t i = 0; i < count; i++) {
        const bool tested = !by_interval(&evidence[i]) && !evidence[i].unlike;
        tests += tested;
        p[i] = !tested ? NAN : looked_at(&evidence[i], stage) ? 1 : evidence[i].metric->p_value;
    }
    if (!kg_holm_adjust(p, count))
        return false;
    for (size_t i = 0; i < count; i++)
        if (!isnan(p[i]) && looked_at(&evidence[i], stage))
            p[i] = fmin(1, evidence[i].metric->p_value * (double)tests);
    return true;
}

bool kg_evidence_decide(struct kg_arena *scratch, struct kg_evidence *evidence, size_t count,
                        enum kg_stage stage, double alpha)
{
    double *p = kg_arena_alloc(scratch, count, sizeof *p);
    if (!p || !thresholds_raise(scratch, evidence, count, alpha) ||
        !p_values_adjust(evidence, count, stage, p))
        return false;
    for (size_t i = 0; i < count; i++)
        metric_decide(&evidence[i], p[i], looked_at(&evidence[i], stage), alpha);
    return true;
}

/* The time moved, and in cycles not enough to be sure that it was not the clock. */
static const char *clock_doubt(struct kg_arena *arena, const struct kg_metric *metric)
{
    char time[KG_UNIT_BYTES], cycles[KG_UNIT_BYTES];
    return kg_arena_printf(arena,
                           "the time is %s, but in cycles of the GPU %s: lock its clock "
                           "(nvidia-smi -lgc), or take more rounds",
                           kg_change_format(metric->ratio, time),
                           kg_change_format(metric->cycles_ratio, cycles));
}

/* What the hashes of the code say beside a moved or doubtful time; NULL: nothing. */
static const char *code_words(const struct kg_evidence *evidence)
{
    if (evidence->kind != KG_EVIDENCE_TIME)
        return NULL;
    return evidence->code_unchanged ? "the code is unchanged: the machine moved, or a library"
           : evidence->code_changed ? "the code changed"
                                    : NULL;
}

/* Why a metric is judged as it is, where there is more to say than its figures do. */
static bool reason_add(struct kg_arena *arena, const struct kg_evidence *evidence, double alpha)
{
    struct kg_metric *metric = evidence->metric;
    const char *code = code_words(evidence);
    if (metric->change == KG_CHANGE_NO_CHANGE) {
        if (kg_metric_clock_moved(metric))
            metric->reason = "the time moved with the GPU's clock: in cycles nothing changed";
        return true;
    }
    if (metric->change != KG_CHANGE_INCONCLUSIVE) {
        if (code)
            metric->reason = code;
        return true;
    }
    if (evidence->unlike) {
        metric->reason =
            "its times are skewed, and were averaged over another number of calls than "
            "the baseline's: refresh the baseline with `kgate run -b`";
        return true;
    }
    if (!too_few(evidence) && mean_moved(evidence, alpha) && !kg_metric_large(metric)) {
        char moved[KG_UNIT_BYTES];
        metric->reason =
            kg_arena_printf(arena,
                            "the typical call is as before, but the mean is %s: a part "
                            "of the calls changed",
                            kg_change_format(evidence->mean_ratio, moved));
        return metric->reason != NULL;
    }
    if (too_few(evidence) && !kg_metric_large(metric) && evidence->processes) {
        metric->reason = "too few processes to say that nothing changed: record three at the least";
        return true;
    }
    if (too_few(evidence) && !kg_metric_large(metric)) {
        metric->reason = kg_arena_printf(arena,
                                         "%zu rounds against %zu cannot say that nothing changed: "
                                         "take %d at the least",
                                         evidence->current_rounds, evidence->base_rounds,
                                         evidence->paired ? 6 : 3);
        return metric->reason != NULL;
    }
    if (kg_metric_clock_moved(metric)) {
        metric->reason = "the GPU's clock moved as the time did, but the workload waits for memory "
                         "or the bus, or may do so: lock the clock (nvidia-smi -lgc)";
        return true;
    }
    if (kg_metric_large(metric) && !kg_metric_in_cycles(metric)) {
        metric->reason = clock_doubt(arena, metric);
        return metric->reason != NULL;
    }
    metric->reason = metric->suspected ? "suspected, but no later rounds were taken to confirm it"
                     : evidence->processes ? kg_metric_doubt_of_processes(arena, metric, alpha)
                                           : kg_metric_doubt(arena, metric, evidence->base_rounds,
                                                             evidence->current_rounds, alpha);
    if (metric->reason && evidence->code_unchanged && code)
        metric->reason = kg_arena_printf(arena, "%s; the code is unchanged", metric->reason);
    return metric->reason != NULL;
}

bool kg_evidence_explain(struct kg_arena *arena, const struct kg_evidence *evidence, size_t count,
                         double alpha)
{
    for (size_t i = 0; i < count; i++)
        if (!reason_add(arena, &evidence[i], alpha))
            return false;
    return true;
}
