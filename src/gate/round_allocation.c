#include "gate/round_allocation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/statistics/allocation.h"
#include "run/run.h"

/* Limits for the measured time of one side. The minimum is enough for some samples and two slices of each build. The
 * maximum is a multiple of the suite's min_time. */
static const double LENGTH_LEAST_NS = 3e6, LENGTH_MOST = 4;
/* Share of the suite's min_time that the first pairs measure. A calm case needs no more. Other cases use the rest of
 * their time for rounds of the best length. */
static const double FIRST_SHARE = 0.2;
/* Minimum number of samples per round, so that the round has a useful median. */
static const double SAMPLES_LEAST = 10;
/* A new length must be shorter than the asked length by at least this factor. */
static const double CLEARLY = 2;
/* If rounds scatter by less than this share of the threshold, any length is good enough. */
static const double SCATTER_SHARE = 0.2;

/* Statistics of a case's rounds so far. */
struct rounds_seen {
    /* spread of the rounds, as a function of the time measured on both sides */
    struct kg_spread spread;
    double fixed_ns;   /* time per round besides the measured time */
    double sample_ns;  /* time of one sample of one side */
    double elapsed_ns; /* total time of all rounds */
    double sides;
};

static double relative_error(const struct kg_round *round)
{
    return round->median_error_ns / round->median_ns;
}

/* Describes a round of one build, or with `base` the pair of both builds. */
static struct kg_round_evidence evidence_of(const struct kg_round *round,
                                            const struct kg_round *base)
{
    struct kg_round_evidence evidence = {.log_value = log(round->median_ns),
                                         .error = relative_error(round),
                                         .measured_ns = round->wall_ns};
    if (!base)
        return evidence;
    /* if an error is unknown, the error of the pair is unknown */
    const double of_base = relative_error(base);
    evidence.log_value = log(round->base_ratio);
    evidence.error = evidence.error > 0 && of_base > 0 ? hypot(evidence.error, of_base) : NAN;
    evidence.measured_ns += base->wall_ns;
    return evidence;
}

static void rounds_see(const struct kg_run *head, const struct kg_run *base, size_t index,
                       struct rounds_seen *seen)
{
    const struct kg_case_result *result = &head->results.cases[index];
    const size_t count = result->round_count;
    struct kg_round_evidence *evidence = kg_alloc(count + 1, sizeof *evidence);
    double *scratch = kg_alloc(2 * count + 1, sizeof *scratch);
    double measured = 0, sample = 0;
    for (size_t i = 0; i < count; i++) {
        const struct kg_round *round = &result->rounds[i];
        evidence[i] = evidence_of(round, base ? &base->results.cases[index].rounds[i] : NULL);
        measured += evidence[i].measured_ns;
        sample = fmax(sample, (double)round->batch * round->median_ns);
        if (base)
            sample = fmax(sample, (double)round->batch * round->median_ns / round->base_ratio);
    }
    *seen = (struct rounds_seen){.elapsed_ns = head->elapsed_ns[index],
                                 .sample_ns = sample,
                                 .sides = base ? 2 : 1,
                                 .fixed_ns = (head->elapsed_ns[index] - measured) / (double)count};
    seen->spread = kg_spread_estimate(evidence, count, scratch);
    free(evidence);
    free(scratch);
}

/* Whether kgate knows the costs of the case's rounds and may choose their length. Counters of energy need the
 * suite's, and `iterations` fixes it. */
static bool has_costs(const struct kg_run *run, size_t index)
{
    const struct kg_case_result *result = &run->results.cases[index];
    const struct kg_case *planned = &run->plan->cases[index];
    const struct kg_settings *settings = &planned->spec->settings;
    if (settings->iterations || settings->metrics & 1u << KG_METRIC_ENERGY)
        return false;
    return result->round_count && result->status == KG_STATUS_OK && run->elapsed_ns[index] > 0;
}

/* has_costs for rounds of one build: cases on the GPU share a process, and have the suite's length. */
static bool has_own_costs(const struct kg_run *run, size_t index)
{
    return has_costs(run, index) && !kg_case_on_stream(&run->plan->cases[index]);
}

static double min_time_ns(const struct kg_run *run, size_t index)
{
    return run->plan->cases[index].spec->settings.min_time_ns;
}

/* Time that one side measures in a round of min_time: at least one sample, for a pair at least two. */
static double asked_ns(const struct kg_run *run, size_t index, const struct rounds_seen *seen)
{
    return fmax(min_time_ns(run, index), seen->sides * seen->sample_ns);
}

/* Shortest and longest allowed time for one side. */
static double length_least(const struct rounds_seen *seen, double asked)
{
    const double least = fmax(LENGTH_LEAST_NS, SAMPLES_LEAST * seen->sample_ns);
    return fmin(asked, fmax(least, seen->sides * seen->sample_ns));
}

static double length_most(double asked)
{
    return LENGTH_MOST * asked;
}

static void plan_fill(const struct rounds_seen *seen, double asked, double least, double most,
                      struct kg_round_plan *plan)
{
    *plan = (struct kg_round_plan){.elapsed_ns = seen->elapsed_ns,
                                   .fixed_ns = seen->fixed_ns,
                                   .asked_ns = seen->sides * asked,
                                   .least_ns = seen->sides * least,
                                   .most_ns = seen->sides * most,
                                   .spread = seen->spread};
}

void kg_allocate_alike(struct kg_run *run, size_t index, struct kg_round_plan *plan)
{
    const struct kg_session session = kg_run_session(run);
    struct rounds_seen seen;
    *plan = (struct kg_round_plan)KG_ROUND_PLAN_UNKNOWN;
    if (!has_own_costs(run, index))
        return;
    rounds_see(run, NULL, index, &seen);
    const double length = kg_session_round_ns(&session, index);
    plan_fill(&seen, asked_ns(run, index, &seen), length, length, plan);
}

void kg_allocate_pairs_first(struct kg_pairing *pairing)
{
    for (size_t i = 0; i < pairing->head.results.case_count; i++) {
        const double asked = min_time_ns(&pairing->head, i);
        const double first = fmax(LENGTH_LEAST_NS, FIRST_SHARE * asked);
        if (first < asked && !pairing->head.plan->cases[i].spec->settings.iterations &&
            !kg_pairing_alone(pairing, i))
            kg_pairing_round_set(pairing, i, first);
    }
}

void kg_allocate_pairs(const struct kg_pairing *pairing, size_t index, struct kg_round_plan *plan)
{
    struct rounds_seen seen;
    *plan = (struct kg_round_plan)KG_ROUND_PLAN_UNKNOWN;
    if (kg_pairing_alone(pairing, index) || !has_costs(&pairing->head, index))
        return;
    rounds_see(&pairing->head, &pairing->base, index, &seen);
    const double asked = asked_ns(&pairing->head, index, &seen);
    plan_fill(&seen, asked, length_least(&seen, asked), length_most(asked), plan);
}

/* --- First rounds ----------------------------------------------------------------------------- */

/* Chooses the round length of a case without stored rounds, at most the asked length. NaN if the asked length is good
 * enough, because it is as efficient or the rounds scatter little. */
static double length_choose(const struct kg_run *run, size_t index, const struct rounds_seen *seen)
{
    const double asked = asked_ns(run, index, seen);
    const double counts =
        SCATTER_SHARE * run->plan->cases[index].spec->settings.thresholds[KG_METRIC_TIME];
    if (!(kg_spread_variance(&seen->spread, asked) > counts * counts))
        return NAN;
    const double best =
        kg_allocation_length(&seen->spread, seen->fixed_ns, length_least(seen, asked), asked);
    return best <= asked / CLEARLY ? best : NAN;
}

/* First rounds of a case. */
struct first {
    size_t tried;    /* number of rounds for the choice of the length */
    double tried_ns; /* total time of the tried rounds */
    size_t all;      /* number of all rounds, with the tried ones */
};

static void first_more(struct kg_run *run, size_t index, size_t wanted, bool is_stored,
                       struct first *first)
{
    struct kg_case_result *result = &run->results.cases[index];
    struct rounds_seen seen;
    *first = (struct first){.all = wanted};
    if (!wanted || !has_own_costs(run, index))
        return;
    rounds_see(run, NULL, index, &seen);
    if (!is_stored) {
        result->round_ns = length_choose(run, index, &seen);
        first->tried = result->round_ns > 0 ? result->round_count : 0;
        first->tried_ns = seen.elapsed_ns;
    }
    if (!(result->round_ns > 0))
        return;
    const double time = (double)wanted * (seen.fixed_ns + asked_ns(run, index, &seen));
    const double rounds = floor(time / (seen.fixed_ns + result->round_ns));
    first->all = first->tried + (size_t)fmin(KG_SEQUENCE_ROUNDS_MOST, fmax((double)wanted, rounds));
}

/* Keeps the rounds of one length. If the user stopped kgate before all rounds of the new length were taken, keeps the
 * tried rounds. */
static void first_settle(struct kg_run *run, size_t index, const struct first *first)
{
    struct kg_case_result *result = &run->results.cases[index];
    const size_t tried = first->tried, found = result->round_count;
    if (!tried || !found || result->status != KG_STATUS_OK)
        return;
    if (found >= first->all) {
        kg_run_rounds_keep(run, index, tried, found - tried);
        run->elapsed_ns[index] -= first->tried_ns;
        return;
    }
    kg_run_rounds_keep(run, index, 0, tried);
    run->elapsed_ns[index] = first->tried_ns;
    result->round_ns = NAN;
}

static bool first_measure(struct kg_run *run, const size_t *wanted, const double *round_ns,
                          struct first *firsts, size_t *all, struct kg_error *err)
{
    const size_t count = run->results.case_count;
    if (!kg_run_rounds(run, wanted, false, err))
        return false;
    for (size_t i = 0; i < count; i++) {
        first_more(run, i, wanted[i], round_ns && round_ns[i] > 0, &firsts[i]);
        all[i] = firsts[i].all;
    }
    const bool good = kg_run_rounds(run, all, false, err);
    for (size_t i = 0; i < count; i++)
        first_settle(run, i, &firsts[i]);
    return good;
}

bool kg_allocate_first(struct kg_run *run, const size_t *wanted, const double *round_ns,
                       struct kg_error *err)
{
    const size_t count = run->results.case_count;
    struct first *firsts = kg_alloc(count + 1, sizeof *firsts);
    size_t *all = kg_alloc(count + 1, sizeof *all);
    const bool good = first_measure(run, wanted, round_ns, firsts, all, err);
    free(firsts);
    free(all);
    return good;
}

bool kg_allocate_fewest(struct kg_run *run, const struct kg_plan *plan, const double *round_ns,
                        struct kg_error *err)
{
    size_t *wanted = kg_alloc(plan->case_count + 1, sizeof *wanted);
    for (size_t i = 0; i < plan->case_count; i++)
        wanted[i] = (size_t)plan->cases[i].spec->settings.rounds_min;
    const bool good = kg_allocate_first(run, wanted, round_ns, err);
    free(wanted);
    return good;
}
