#include "gate/sequence.h"

#include <stdlib.h>

#include "base/memory.h"
#include "judge/pair_merge.h"

static bool stopped(const struct kg_runner *runner)
{
    return runner->sequence->stopped(runner->sequence->user);
}

static void rounds_plan(struct kg_runner *runner)
{
    const struct kg_sequence *sequence = runner->sequence;
    for (size_t i = 0; i < runner->results->case_count; i++) {
        runner->plans[i] = (struct kg_round_plan)KG_ROUND_PLAN_UNKNOWN;
        if (sequence->plan)
            sequence->plan(sequence->user, i, &runner->plans[i]);
    }
}

static void look(struct kg_runner *runner)
{
    kg_comparison_free(runner->comparison);
    kg_compare(runner->baseline, runner->results, KG_STAGE_SCREEN, runner->comparison);
    kg_runner_counts_take(runner);
    rounds_plan(runner);
}

static bool measure(struct kg_runner *runner, bool confirm)
{
    return runner->sequence->measure(runner->sequence->user, runner->wanted, confirm, runner->err);
}

/* Takes more rounds and compares again until no case is doubtful. Also ends after a pass without a new round, because
 * another pass would not add one either. */
static bool refine(struct kg_runner *runner)
{
    for (size_t before = 0; !stopped(runner) && before < runner->rounds;) {
        before = runner->rounds;
        if (!kg_runner_more(runner))
            break;
        if (!measure(runner, false))
            return false;
        look(runner);
    }
    return true;
}

static bool screen(struct kg_runner *runner)
{
    for (size_t i = 0; i < runner->results->case_count; i++)
        runner->wanted[i] = runner->sequence->limits[i].least;
    if (!measure(runner, false))
        return false;
    look(runner);
    return refine(runner);
}

/* Screening continues for cases that the other means did not settle. */
static bool settle(struct kg_runner *runner)
{
    const struct kg_sequence *sequence = runner->sequence;
    if (!sequence->settle || stopped(runner))
        return true;
    if (!sequence->settle(sequence->user, runner->comparison, runner->done, runner->err))
        return false;
    runner->asked = true;
    return stopped(runner) || refine(runner);
}

/* After the last interim analysis, only the runner knows which rounds the budget cut. */
static void cut_set(struct kg_runner *runner)
{
    bool any = false;
    for (size_t i = 0; i < runner->results->case_count; i++)
        any = any || runner->cut[i];
    if (any)
        kg_comparison_cut(runner->comparison, runner->baseline, runner->results, runner->cut);
}

static bool run(struct kg_runner *runner)
{
    if (!screen(runner) || !settle(runner))
        return false;
    bool wanted = kg_runner_suspects(runner);
    for (int looks = 0; looks < KG_CONFIRMING_LOOKS && wanted && !stopped(runner); looks++) {
        if (!measure(runner, true))
            return false;
        look(runner);
        wanted = kg_runner_again(runner, looks + 2 == KG_CONFIRMING_LOOKS);
    }
    cut_set(runner);
    return true;
}

bool kg_sequence_run(const struct kg_sequence *sequence, const struct kg_baseline *baseline,
                     const struct kg_results *results, struct kg_comparison *comparison,
                     struct kg_error *err)
{
    struct kg_runner runner = {.sequence = sequence,
                               .baseline = baseline,
                               .results = results,
                               .comparison = comparison,
                               .err = err};
    *comparison = (struct kg_comparison){0};
    runner.wanted = kg_alloc(results->case_count + 1, sizeof *runner.wanted);
    runner.done = kg_alloc(results->case_count + 1, sizeof *runner.done);
    runner.cut = kg_alloc(results->case_count + 1, sizeof *runner.cut);
    runner.plans = kg_alloc(results->case_count + 1, sizeof *runner.plans);
    runner.base_rounds = kg_alloc(results->case_count + 1, sizeof *runner.base_rounds);
    kg_runner_references_count(&runner);
    const bool good = run(&runner);
    free(runner.wanted);
    free(runner.done);
    free(runner.cut);
    free(runner.plans);
    free(runner.base_rounds);
    if (!good)
        kg_comparison_free(comparison);
    return good;
}
