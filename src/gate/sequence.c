#include "gate/sequence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare/metric.h"

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

size_t kg_sequence_confirming(size_t screened, size_t most)
{
    return 2 * screened < most ? 2 * screened : most;
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
    if (metric->doubt == KG_DOUBT_BUSY)
        return true;
    return !is_budget(metric) && isfinite(metric->ratio) && !is_apart(metric) &&
           kg_metric_rounds_settle(metric);
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

static size_t confirming(const struct runner *runner, const struct kg_case_change *change)
{
    return kg_sequence_confirming(change->rounds, runner->sequence->limits[change->order].most);
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
