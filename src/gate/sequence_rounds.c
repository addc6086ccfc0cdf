#include "gate/sequence.h"

#include <string.h>

#include "judge/metric.h"
#include "judge/pair_merge.h"
#include "judge/reference.h"
#include "judge/undecided.h"
#include "model/disturbance.h"

/* ROUNDS_LEAST rounds are enough for any test, if the suite allows as many. */
enum { ROUNDS_LEAST = 12, BUSY_ROUNDS = 5 };
static const double BUSY_NS = 30e9;

size_t kg_sequence_next(size_t rounds, double worth, size_t most)
{
    const double next = (double)rounds + fmax(1, ceil(worth / 2));
    return next < (double)most ? (size_t)next : most;
}

size_t kg_sequence_confirming(const struct kg_confirming *confirming)
{
    const size_t most = confirming->most;
    const double each = confirming->alpha / (double)(confirming->tests ? confirming->tests : 1);
    /* the selection of suspects overstates their effect */
    const double effect = (fabs(confirming->effect) + confirming->threshold) / 2;
    double wanted = 2 * (double)confirming->screened;
    if (confirming->variance > 0 && effect > 0)
        wanted =
            kg_allocation_rounds(confirming->variance, effect, each,
                                 confirming->paired ? INFINITY : (double)confirming->base_rounds);
    wanted = fmax(wanted, (double)confirming->least);
    return wanted < (double)most ? (size_t)wanted : most;
}

static void wanted_clear(struct kg_runner *runner)
{
    memset(runner->wanted, 0, runner->results->case_count * sizeof *runner->wanted);
}

static bool is_budget(const struct kg_metric *metric)
{
    return kg_metric_against(metric) == KG_AGAINST_BUDGET;
}

/* Whether other means will settle the metric or have settled it. */
static bool is_elsewhere(const struct kg_runner *runner, const struct kg_case_change *change,
                         const struct kg_metric *metric)
{
    const bool *cases = runner->asked ? runner->done : runner->sequence->expected;
    return cases && change->order < runner->results->case_count && cases[change->order] &&
           kg_metric_against(metric) == KG_AGAINST_BASELINE;
}

/* Whether a metric of the case is suspected. */
static bool suspect(const struct kg_runner *runner, const struct kg_case_change *change)
{
    for (size_t m = 0; m < change->metric_count; m++)
        if (change->metrics[m].suspected && !is_elsewhere(runner, change, &change->metrics[m]))
            return true;
    return false;
}

/* Whether separate processes measure the metric, and not the rounds. A workload's own counter has no row. */
static bool is_apart(const struct kg_metric *metric)
{
    const enum kg_metric_kind kind = kg_metric_kind_find(metric->name);
    return kind < KG_METRIC_KINDS && kg_metric_rows[kind].origin == KG_ORIGIN_APART;
}

/* Whether more rounds could make the metric clear. False if rounds do not measure the metric. Also false if its change
 * lies between the suite's threshold and the noise between runs. */
static bool rounds_help(const struct kg_metric *metric)
{
    if (metric->doubt == KG_DOUBT_BUSY || metric->doubt == KG_DOUBT_DISTURBED)
        return true;
    return !is_budget(metric) && isfinite(metric->ratio) && !is_apart(metric) &&
           kg_metric_rounds_settle(metric);
}

static bool undecided(const struct kg_metric *metric)
{
    return metric->change == KG_CHANGE_SUSPECT ||
           (metric->change == KG_CHANGE_INCONCLUSIVE && !metric->unasked);
}

/* Whether the machine was too busy for the case for so long that waiting will not help. Without a budget nobody asked
 * kgate to wait longer. */
static bool busy_throughout(const struct kg_runner *runner, const struct kg_case_change *change)
{
    if (change->order >= runner->results->case_count || isfinite(runner->sequence->budget_ns))
        return false;
    const struct kg_case_result *result = &runner->results->cases[change->order];
    const struct kg_disturbance found = kg_disturbance_of(result);
    double measured_ns = 0;
    for (size_t i = 0; i < result->round_count; i++)
        measured_ns += result->rounds[i].wall_ns;
    return kg_disturbance_too_busy(&found) && found.rounds >= BUSY_ROUNDS && measured_ns >= BUSY_NS;
}

/* Whether more rounds could change the case's result. */
static bool doubtful(const struct kg_runner *runner, const struct kg_case_change *change)
{
    if (busy_throughout(runner, change))
        return false;
    if (change->change == KG_CHANGE_NEW)
        return runner->sequence->new_to_most;
    if (suspect(runner, change))
        return false;
    if (change->change == KG_CHANGE_INCONCLUSIVE && !change->metric_count)
        return true; /* a pair that waited too long */
    for (size_t m = 0; m < change->metric_count; m++)
        if (undecided(&change->metrics[m]) && rounds_help(&change->metrics[m]) &&
            !is_elsewhere(runner, change, &change->metrics[m]))
            return true;
    return false;
}

void kg_runner_references_count(struct kg_runner *runner)
{
    const struct kg_results *results = runner->results;
    struct kg_arena arena = {0};
    struct kg_reference_index index;
    kg_reference_index_make(&arena, runner->baseline, results->suite, &index);
    for (size_t i = 0; i < results->case_count; i++) {
        size_t count;
        const struct kg_reference_entry *entries =
            kg_reference_find(&index, results->cases[i].id, &count);
        runner->base_rounds[i] = 0;
        for (size_t e = 0; e < count; e++)
            if (!runner->baseline->runs[entries[e].run].pin)
                runner->base_rounds[i] += kg_baseline_rounds(entries[e].stored);
    }
    kg_arena_free(&arena);
}

void kg_runner_counts_take(struct kg_runner *runner)
{
    const size_t tests = kg_comparison_tests(runner->comparison);
    runner->tests = tests > runner->results->tests ? tests : runner->results->tests;
    runner->rounds = 0;
    for (size_t i = 0; i < runner->results->case_count; i++)
        runner->rounds += runner->results->cases[i].round_count;
}

static bool is_planned(const struct kg_round_plan *plan)
{
    return plan->fixed_ns + plan->asked_ns > 0;
}

/* Planned time of a round that measures `length_ns`. If the length is unknown (NaN) or there is no plan: mean time of
 * all rounds so far. */
static double cost_ns(const struct kg_runner *runner, size_t index, double length_ns)
{
    const size_t rounds = runner->rounds;
    if (is_planned(&runner->plans[index]) && !isnan(length_ns))
        return runner->plans[index].fixed_ns + length_ns;
    return rounds ? fmax(1, runner->sequence->elapsed_ns(runner->sequence->user) / (double)rounds)
                  : 1;
}

/* Total time for the rounds of a case before its judgement. Its confirming rounds may take as much time again. */
static double case_budget_ns(const struct kg_runner *runner, size_t index)
{
    const struct kg_round_plan *plan = &runner->plans[index];
    return (double)runner->sequence->limits[index].most * (plan->fixed_ns + plan->asked_ns);
}

/* Whether the budget limits the case instead of the suite's rounds.max. True while the case may be worse. A case that
 * paired rounds may settle waits for those first. */
static bool has_budget(const struct kg_runner *runner, const struct kg_case_change *change)
{
    const struct kg_sequence *sequence = runner->sequence;
    return isfinite(sequence->budget_ns) && (runner->asked || !sequence->settle) &&
           change->change != KG_CHANGE_NEW && !kg_change_not_worse(change);
}

/* Maximum number of rounds for a case: its present rounds plus the rounds of that length that `left_ns` pays for, at
 * most KG_SEQUENCE_ROUNDS_MOST. If the rounds are not longer than the suite asks, at least the suite's maximum. If the
 * budget limits the case, KG_SEQUENCE_ROUNDS_MOST or the suite's maximum if larger. */
static size_t rounds_most(const struct kg_runner *runner, const struct kg_case_change *change,
                          double length_ns, size_t has, double left_ns)
{
    const struct kg_round_plan *plan = &runner->plans[change->order];
    const size_t most = runner->sequence->limits[change->order].most;
    if (has_budget(runner, change))
        return most > KG_SEQUENCE_ROUNDS_MOST ? most : KG_SEQUENCE_ROUNDS_MOST;
    if (!is_planned(plan))
        return most;
    const double all = (double)has + floor(fmax(0, left_ns) / (plan->fixed_ns + length_ns));
    const size_t allowed = (size_t)fmin(KG_SEQUENCE_ROUNDS_MOST, all);
    return allowed < most && length_ns <= plan->asked_ns ? most : allowed;
}

/* Measured time of a doubtful case's next rounds, in ns: the best length for its spread, but short enough to leave
 * enough rounds for a test. If the spread is unknown: the length that the suite asks for. */
static double screening_length(const struct kg_runner *runner, size_t index)
{
    const struct kg_round_plan *plan = &runner->plans[index];
    const struct kg_round_limits *limits = &runner->sequence->limits[index];
    const size_t few = limits->least > ROUNDS_LEAST ? limits->least : ROUNDS_LEAST;
    const double each_ns =
        case_budget_ns(runner, index) / (double)(few < limits->most ? few : limits->most);
    const double most = fmax(plan->least_ns, fmin(plan->most_ns, each_ns - plan->fixed_ns));
    const double length = kg_allocation_length(&plan->spread, plan->fixed_ns, plan->least_ns, most);
    return isnan(length) ? fmin(plan->most_ns, fmax(plan->least_ns, plan->asked_ns)) : length;
}

/* Number of rounds of a doubtful case at the next interim analysis. */
static size_t screening_next(const struct kg_runner *runner, const struct kg_case_change *change,
                             double length_ns)
{
    const size_t index = change->order;
    const struct kg_round_plan *plan = &runner->plans[index];
    const double left = case_budget_ns(runner, index) - plan->elapsed_ns;
    const size_t most = rounds_most(runner, change, length_ns, change->rounds, left);
    const double worth = is_planned(plan) ? plan->elapsed_ns / cost_ns(runner, index, length_ns)
                                          : (double)change->rounds;
    if (change->change == KG_CHANGE_NEW)
        return most;
    /* beyond rounds.max, doubles the rounds: more interim analyses could make NO_CHANGE by chance */
    const bool beyond = change->rounds >= runner->sequence->limits[index].most;
    return kg_sequence_next(change->rounds, beyond ? 2 * worth : worth, most);
}

/* Returns the suspected time of a case; NULL if the suspected metric is another one. */
static const struct kg_metric *suspected_time(const struct kg_case_change *change)
{
    for (size_t m = 0; m < change->metric_count; m++)
        if (change->metrics[m].suspected &&
            kg_metric_kind_find(change->metrics[m].name) == KG_METRIC_TIME)
            return &change->metrics[m];
    return NULL;
}

/* Number and measured time of confirming rounds. */
struct confirming {
    size_t rounds;
    double length_ns;
    double cost_ns; /* total time of the rounds */
};

/* Plans confirming rounds that each measure `length_ns`. */
static struct confirming confirming_of(const struct kg_runner *runner,
                                       const struct kg_case_change *change, double length_ns)
{
    const size_t index = change->order;
    const struct kg_round_plan *plan = &runner->plans[index];
    const struct kg_metric *time = suspected_time(change);
    const double cost = cost_ns(runner, index, length_ns);
    const size_t rounds = kg_sequence_confirming(&(struct kg_confirming){
        .screened = change->rounds,
        .least = runner->sequence->limits[index].least,
        .most = rounds_most(runner, change, length_ns, 0, case_budget_ns(runner, index)),
        .base_rounds = runner->base_rounds[index],
        .tests = runner->tests,
        .alpha = runner->comparison->policy.alpha,
        .paired = change->metric_count && kg_metric_against(&change->metrics[0]) == KG_AGAINST_BASE,
        .variance = time ? kg_spread_variance(&plan->spread, length_ns) : NAN,
        .effect = time ? log(time->ratio) : NAN,
        .threshold = time ? log(1 + time->threshold) : NAN});
    return (struct confirming){rounds, length_ns, (double)rounds * cost};
}

/* Plans the cheapest sufficient confirming rounds. If the test needs many rounds in any case, rounds shorter than the
 * best length for the spread are enough. */
static struct confirming confirming(const struct kg_runner *runner,
                                    const struct kg_case_change *change)
{
    static const double STEP = 1.5;
    const struct kg_round_plan *plan = &runner->plans[change->order];
    struct confirming best = confirming_of(runner, change, screening_length(runner, change->order));
    if (isnan(plan->spread.between) || !suspected_time(change))
        return best;
    double length = best.length_ns / STEP;
    while (length >= plan->least_ns) {
        const struct confirming shorter = confirming_of(runner, change, length);
        if (shorter.cost_ns < best.cost_ns)
            best = shorter;
        length /= STEP;
    }
    return best;
}

static double left_ns(const struct kg_runner *runner)
{
    const struct kg_sequence *sequence = runner->sequence;
    return sequence->budget_ns - sequence->elapsed_ns(sequence->user);
}

/* Number of planned confirming rounds that the remaining time pays for; 0 if fewer than the case's minimum. The number
 * depends only on the time, not on the rounds' values. Fewer rounds detect less, but each analysis keeps its part of
 * alpha. */
static size_t payable(const struct kg_runner *runner, size_t index, const struct confirming *chosen,
                      double left)
{
    const size_t asked = runner->sequence->limits[index].least;
    const size_t least = asked < chosen->rounds ? asked : chosen->rounds;
    if (chosen->cost_ns <= left)
        return chosen->rounds;
    const double each_ns = chosen->cost_ns / (double)chosen->rounds;
    const size_t fit = (size_t)fmax(0, floor(left / each_ns));
    return fit >= least ? fit : 0;
}

/* Time that doubtful cases must leave for confirming the present suspects. If the suspects need more than is left: at
 * most half of the budget, so that neither group takes all of it. */
static double reserve_ns(const struct kg_runner *runner, double left)
{
    double ns = 0;
    for (size_t i = 0; i < runner->comparison->case_count; i++) {
        const struct kg_case_change *change = &runner->comparison->cases[i];
        if (!suspect(runner, change))
            continue;
        const struct confirming chosen = confirming(runner, change);
        if (payable(runner, change->order, &chosen, left))
            ns += chosen.cost_ns;
    }
    return ns <= left ? ns : fmin(left, runner->sequence->budget_ns / 2);
}

static void length_set(const struct kg_runner *runner, size_t index, double length_ns)
{
    if (is_planned(&runner->plans[index]) && runner->sequence->length_set)
        runner->sequence->length_set(runner->sequence->user, index, length_ns);
}

/* Gives the next rounds to doubtful cases without new rounds, in the report's order.
 * in_part  whether a case may get a part of its rounds if the time is short */
static bool doubtful_take(struct kg_runner *runner, bool in_part, double *left)
{
    bool any = false;
    for (size_t i = 0; i < runner->comparison->case_count; i++) {
        const struct kg_case_change *change = &runner->comparison->cases[i];
        const size_t index = change->order;
        if (change->change == KG_CHANGE_REMOVED || !doubtful(runner, change) ||
            runner->wanted[index])
            continue;
        const double length = screening_length(runner, index);
        const size_t next = screening_next(runner, change, length);
        if (next <= change->rounds)
            continue;
        const size_t more = next - change->rounds;
        const double each_ns = cost_ns(runner, index, length);
        const double fit = floor(fmax(0, *left) / each_ns);
        const size_t rounds = fit >= (double)more                            ? more
                              : in_part && 4 * fit >= (double)change->rounds ? (size_t)fit
                                                                             : 0;
        runner->cut[index] = rounds < more;
        if (!rounds)
            continue;
        length_set(runner, index, length);
        runner->wanted[index] = change->rounds + rounds;
        *left -= (double)rounds * each_ns;
        any = true;
    }
    return any;
}

bool kg_runner_more(struct kg_runner *runner)
{
    double left = left_ns(runner);
    left -= isfinite(left) ? reserve_ns(runner, left) : 0;
    wanted_clear(runner);
    const bool whole = doubtful_take(runner, false, &left);
    return doubtful_take(runner, true, &left) || whole;
}

/* Gives confirming rounds to suspects without new rounds, in the report's order.
 * in_part  whether a suspect may get a part of its planned rounds if the time is short */
static bool suspects_take(struct kg_runner *runner, bool in_part, double *left)
{
    bool any = false;
    for (size_t i = 0; i < runner->comparison->case_count; i++) {
        const struct kg_case_change *change = &runner->comparison->cases[i];
        if (!suspect(runner, change) || runner->wanted[change->order])
            continue;
        const struct confirming chosen = confirming(runner, change);
        const size_t rounds =
            in_part || chosen.cost_ns <= *left ? payable(runner, change->order, &chosen, *left) : 0;
        runner->cut[change->order] = !rounds;
        if (!rounds)
            continue;
        length_set(runner, change->order, chosen.length_ns);
        runner->wanted[change->order] = change->rounds + rounds;
        *left -= chosen.cost_ns * (double)rounds / (double)chosen.rounds;
        any = true;
    }
    return any;
}

bool kg_runner_suspects(struct kg_runner *runner)
{
    double left = left_ns(runner);
    wanted_clear(runner);
    const bool planned = suspects_take(runner, false, &left);
    return suspects_take(runner, true, &left) || planned;
}

/* Time of a confirming round. */
static double confirming_ns(const struct kg_runner *runner, const struct kg_case_change *change)
{
    const struct kg_round_plan *plan = &runner->plans[change->order];
    return is_planned(plan) ? plan->elapsed_ns / (double)change->rounds
                            : cost_ns(runner, change->order, NAN);
}

/* Remaining time of a case for all of its rounds, in ns. */
static double case_left_ns(const struct kg_runner *runner, const struct kg_case_change *change)
{
    const struct kg_round_plan *plan = &runner->plans[change->order];
    return is_planned(plan) && !has_budget(runner, change)
               ? 2 * case_budget_ns(runner, change->order) - plan->elapsed_ns
               : INFINITY;
}

/* Whether confirming rounds leave the case open, and its change may be large enough to count. */
static bool is_open(const struct kg_case_change *change)
{
    const struct kg_metric *first = change->metric_count ? change->metrics : NULL;
    return change->confirming_rounds && first && undecided(first) && rounds_help(first) &&
           kg_metric_large(first);
}

/* Number of confirming rounds for the next analysis: as many again. At the last analysis: all that the case's share of
 * the budget pays for. The number depends only on the time, not on the rounds' values. */
static size_t again(const struct kg_runner *runner, const struct kg_case_change *change, bool last,
                    double share_ns)
{
    const size_t has = change->confirming_rounds;
    if (!last || !has_budget(runner, change))
        return has;
    const double fit = floor(fmax(0, share_ns) / confirming_ns(runner, change));
    return (size_t)fmax((double)has, fmin(fit, KG_SEQUENCE_ROUNDS_MOST));
}

bool kg_runner_again(struct kg_runner *runner, bool last)
{
    double left = left_ns(runner);
    size_t open = 0;
    bool any = false;
    wanted_clear(runner);
    for (size_t i = 0; i < runner->comparison->case_count; i++)
        open += is_open(&runner->comparison->cases[i]);
    for (size_t i = 0; i < runner->comparison->case_count && open; i++) {
        const struct kg_case_change *change = &runner->comparison->cases[i];
        if (!is_open(change))
            continue;
        const size_t rounds = again(runner, change, last, left / (double)open--);
        const double ns = (double)rounds * confirming_ns(runner, change);
        runner->cut[change->order] = ns > left;
        if (ns > left || ns > case_left_ns(runner, change))
            continue;
        runner->wanted[change->order] = change->rounds + rounds;
        left -= ns;
        any = true;
    }
    return any;
}
