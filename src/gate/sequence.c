#include "gate/sequence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/stats.h"

struct runner {
    const struct kg_sequence *sequence;
    const struct kg_baseline *baseline;
    const struct kg_results *results;
    struct kg_comparison *comparison;
    struct kg_error *err;
    size_t *wanted;
};

size_t kg_sequence_next(size_t rounds, size_t most)
{
    const size_t next = rounds + (rounds + 1) / 2;
    return next < most ? next : most;
}

size_t kg_sequence_confirming(size_t screened, size_t most, size_t base_rounds, size_t tests,
                              double alpha, bool paired)
{
    /* Half of it, so that the rounds need not all lie beyond all of the base's. */
    const double needed = alpha / (double)(tests ? tests : 1) / 2;
    size_t rounds = 2 * screened < most ? 2 * screened : most;
    while (rounds < most &&
           (paired ? kg_paired_least(rounds) : kg_mann_whitney_least(base_rounds, rounds)) > needed)
        rounds++;
    return rounds;
}

static bool stopped(const struct runner *runner)
{
    return runner->sequence->stopped(runner->sequence->user);
}

static bool look(struct runner *runner, enum kg_stage stage)
{
    kg_comparison_free(runner->comparison);
    return kg_compare(runner->baseline, runner->results, stage, runner->comparison, runner->err);
}

static void wanted_clear(struct runner *runner)
{
    memset(runner->wanted, 0, runner->results->case_count * sizeof *runner->wanted);
}

static bool is_budget(const struct kg_metric *metric)
{
    return kg_metric_against(metric) == KG_AGAINST_BUDGET;
}

/* Whether a metric of the case is suspected. */
static bool suspect(const struct kg_case_change *change)
{
    for (size_t m = 0; m < change->metric_count; m++)
        if (change->metrics[m].suspected)
            return true;
    return false;
}

/* Whether processes of their own measure it, not the rounds. A workload's figure has no row. */
static bool is_apart(const struct kg_metric *metric)
{
    const enum kg_metric_kind kind = kg_metric_kind_find(metric->name);
    return kind < KG_METRIC_KINDS && kg_metric_rows[kind].origin == KG_ORIGIN_APART;
}

/* Whether more rounds could make the metric clear. They cannot where rounds do not measure it, or
 * where its change lies between the suite's threshold and the noise between runs. */
static bool rounds_help(const struct kg_metric *metric)
{
    const double above = 1 + metric->threshold, asked = 1 + metric->asked_threshold;
    if (metric->doubt == KG_DOUBT_BUSY)
        return true;
    if (is_budget(metric) || !isfinite(metric->ratio) || is_apart(metric))
        return false;
    const bool in_noise = metric->interval_low > 1 / above && metric->interval_high < above;
    const bool beyond_asked = metric->ratio > asked || metric->ratio < 1 / asked;
    return !(in_noise && beyond_asked);
}

static bool undecided(const struct kg_metric *metric)
{
    return metric->change == KG_CHANGE_SUSPECT || metric->change == KG_CHANGE_INCONCLUSIVE;
}

/* Whether more rounds could change the case's result. */
static bool doubtful(const struct runner *runner, const struct kg_case_change *change)
{
    if (change->change == KG_CHANGE_NEW)
        return runner->sequence->new_to_most;
    if (suspect(change))
        return false;
    if (change->change == KG_CHANGE_INCONCLUSIVE && !change->metric_count)
        return true; /* a pair that waited too much */
    for (size_t m = 0; m < change->metric_count; m++)
        if (undecided(&change->metrics[m]) && rounds_help(&change->metrics[m]))
            return true;
    return false;
}

static size_t rounds_taken(const struct runner *runner)
{
    size_t rounds = 0;
    for (size_t i = 0; i < runner->results->case_count; i++)
        rounds += runner->results->cases[i].round_count;
    return rounds;
}

/* Mean time of a round so far. */
static double round_cost_ns(const struct runner *runner)
{
    const size_t rounds = rounds_taken(runner);
    return rounds ? runner->sequence->elapsed_ns(runner->sequence->user) / (double)rounds : 0;
}

/* How many tests are made together, as Holm's method counts them. */
static size_t tests_count(const struct kg_comparison *comparison)
{
    size_t count = 0;
    for (size_t i = 0; i < comparison->case_count; i++)
        for (size_t m = 0; m < comparison->cases[i].metric_count; m++)
            count += isnan(comparison->cases[i].metrics[m].p_value) ? 0 : 1;
    return count;
}

/* Rounds of the reference that a case is compared with. */
static size_t base_rounds(const struct runner *runner, const struct kg_case_result *result)
{
    size_t rounds = 0;
    for (size_t r = 0; r < runner->baseline->run_count; r++) {
        const struct kg_baseline_run *run = &runner->baseline->runs[r];
        for (size_t c = 0; c < run->case_count && !run->pin; c++)
            if (!strcmp(run->cases[c].id, result->id))
                rounds += kg_baseline_rounds(&run->cases[c]);
    }
    return rounds;
}

static size_t confirming(const struct runner *runner, const struct kg_case_change *change)
{
    const struct kg_round_limits *limits = &runner->sequence->limits[change->order];
    const struct kg_case_result *result = &runner->results->cases[change->order];
    const bool paired =
        change->metric_count && kg_metric_against(&change->metrics[0]) == KG_AGAINST_BASE;
    return kg_sequence_confirming(change->rounds, limits->most, base_rounds(runner, result),
                                  tests_count(runner->comparison), runner->comparison->policy.alpha,
                                  paired);
}

/* Time that confirming the present suspects will take. Doubtful cases must leave it. */
static double reserve_ns(const struct runner *runner)
{
    size_t rounds = 0;
    for (size_t i = 0; i < runner->comparison->case_count; i++)
        if (suspect(&runner->comparison->cases[i]))
            rounds += confirming(runner, &runner->comparison->cases[i]);
    return (double)rounds * round_cost_ns(runner);
}

/* Rounds that the rest of the budget pays for. */
static double affordable(const struct runner *runner)
{
    const struct kg_sequence *sequence = runner->sequence;
    const double left =
        sequence->budget_ns - sequence->elapsed_ns(sequence->user) - reserve_ns(runner);
    return left > 0 ? left / fmax(1, round_cost_ns(runner)) : 0;
}

/* Sets the rounds that doubtful cases get next, in the report's order: where the budget is short,
 * the worst cases come first. */
static bool more_wanted(struct runner *runner)
{
    double left = affordable(runner);
    bool any = false;
    wanted_clear(runner);
    for (size_t i = 0; i < runner->comparison->case_count; i++) {
        const struct kg_case_change *change = &runner->comparison->cases[i];
        if (change->change == KG_CHANGE_REMOVED || !doubtful(runner, change))
            continue;
        const struct kg_round_limits *limits = &runner->sequence->limits[change->order];
        const size_t next = change->change == KG_CHANGE_NEW
                                ? limits->most
                                : kg_sequence_next(change->rounds, limits->most);
        const double more = (double)next - (double)change->rounds;
        if (more <= 0 || more > left)
            continue;
        runner->wanted[change->order] = next;
        left -= more;
        any = true;
    }
    return any;
}

/* Sets the suspects' confirming rounds in the report's order, as far as the budget allows. */
static bool suspects_wanted(struct runner *runner)
{
    const struct kg_sequence *sequence = runner->sequence;
    double left = (sequence->budget_ns - sequence->elapsed_ns(sequence->user)) /
                  fmax(1, round_cost_ns(runner));
    bool any = false;
    wanted_clear(runner);
    for (size_t i = 0; i < runner->comparison->case_count; i++) {
        const struct kg_case_change *change = &runner->comparison->cases[i];
        if (!suspect(change))
            continue;
        const size_t rounds = confirming(runner, change);
        if ((double)rounds > left)
            continue;
        runner->wanted[change->order] = change->rounds + rounds;
        left -= (double)rounds;
        any = true;
    }
    return any;
}

static bool measure(struct runner *runner, bool confirm)
{
    return runner->sequence->measure(runner->sequence->user, runner->wanted, confirm, runner->err);
}

static bool screen(struct runner *runner)
{
    for (size_t i = 0; i < runner->results->case_count; i++)
        runner->wanted[i] = runner->sequence->limits[i].least;
    if (!measure(runner, false) || !look(runner, KG_STAGE_SCREEN))
        return false;
    /* It ends too where a pass added no round: asking again would not help. */
    for (size_t before = 0; !stopped(runner) && before < rounds_taken(runner);) {
        before = rounds_taken(runner);
        if (!more_wanted(runner))
            break;
        if (!measure(runner, false) || !look(runner, KG_STAGE_SCREEN))
            return false;
    }
    return true;
}

static bool run(struct runner *runner)
{
    if (!screen(runner))
        return false;
    if (stopped(runner) || !suspects_wanted(runner))
        return true;
    return measure(runner, true) && look(runner, KG_STAGE_SCREEN);
}

bool kg_sequence_run(const struct kg_sequence *sequence, const struct kg_baseline *baseline,
                     const struct kg_results *results, struct kg_comparison *comparison,
                     struct kg_error *err)
{
    struct runner runner = {.sequence = sequence,
                            .baseline = baseline,
                            .results = results,
                            .comparison = comparison,
                            .err = err};
    *comparison = (struct kg_comparison){0};
    runner.wanted = calloc(results->case_count + 1, sizeof *runner.wanted);
    if (!runner.wanted)
        return kg_error_memory(err);
    const bool good = run(&runner);
    free(runner.wanted);
    if (!good)
        kg_comparison_free(comparison);
    return good;
}
