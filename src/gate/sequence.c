#include "gate/sequence.h"

#include <stdlib.h>

#include "judge/pair_merge.h"

static bool stopped(const struct kg_runner *runner)
{
    return runner->sequence->stopped(runner->sequence->user);
}

/* Plans the next rounds of every case. */
static bool rounds_plan(struct kg_runner *runner)
{
    const struct kg_sequence *sequence = runner->sequence;
    for (size_t i = 0; i < runner->results->case_count; i++) {
        runner->plans[i] = (struct kg_round_plan)KG_ROUND_PLAN_UNKNOWN;
        if (sequence->plan && !sequence->plan(sequence->user, i, &runner->plans[i]))
            return kg_error_memory(runner->err);
    }
    return true;
}

static bool look(struct kg_runner *runner)
{
    kg_comparison_free(runner->comparison);
    if (!kg_compare(runner->baseline, runner->results, KG_STAGE_SCREEN, runner->comparison,
                    runner->err))
        return false;
    kg_runner_counts_take(runner);
    return rounds_plan(runner);
}

static bool measure(struct kg_runner *runner, bool confirm)
{
    return runner->sequence->measure(runner->sequence->user, runner->wanted, confirm, runner->err);
}

/* Looks again after more rounds, until nothing is doubtful. It ends too where a pass added no round:
 * asking again would not help. */
static bool refine(struct kg_runner *runner)
{
    for (size_t before = 0; !stopped(runner) && before < runner->rounds;) {
        before = runner->rounds;
        if (!kg_runner_more(runner))
            break;
        if (!measure(runner, false) || !look(runner))
            return false;
    }
    return true;
}

static bool screen(struct kg_runner *runner)
{
    for (size_t i = 0; i < runner->results->case_count; i++)
        runner->wanted[i] = runner->sequence->limits[i].least;
    if (!measure(runner, false) || !look(runner))
        return false;
    return refine(runner);
}

/* What other means cannot settle is screened as if there were none. */
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

/* After the last look nothing else knows what the budget was too short for. */
static bool cut_say(struct kg_runner *runner)
{
    bool any = false;
    for (size_t i = 0; i < runner->results->case_count; i++)
        any = any || runner->cut[i];
    return !any || kg_comparison_cut(runner->comparison, runner->baseline, runner->results,
                                     runner->cut, runner->err);
}

static bool run(struct kg_runner *runner)
{
    if (!screen(runner) || !settle(runner))
        return false;
    bool wanted = kg_runner_suspects(runner);
    for (int looks = 0; looks < KG_CONFIRMING_LOOKS && wanted && !stopped(runner); looks++) {
        if (!measure(runner, true) || !look(runner))
            return false;
        wanted = kg_runner_again(runner, looks + 2 == KG_CONFIRMING_LOOKS);
    }
    return cut_say(runner);
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
    runner.wanted = calloc(results->case_count + 1, sizeof *runner.wanted);
    runner.done = calloc(results->case_count + 1, sizeof *runner.done);
    runner.cut = calloc(results->case_count + 1, sizeof *runner.cut);
    runner.plans = calloc(results->case_count + 1, sizeof *runner.plans);
    runner.base_rounds = calloc(results->case_count + 1, sizeof *runner.base_rounds);
    const bool ready = runner.wanted && runner.done && runner.cut && runner.plans &&
                       runner.base_rounds && kg_runner_references_count(&runner);
    const bool good = ready ? run(&runner) : kg_error_memory(err);
    free(runner.wanted);
    free(runner.done);
    free(runner.cut);
    free(runner.plans);
    free(runner.base_rounds);
    if (!good)
        kg_comparison_free(comparison);
    return good;
}
