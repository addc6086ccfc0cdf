#include "gate/calibrate.h"

#include <math.h>
#include <string.h>

#include "base/statistics/stats.h"
#include "model/series.h"

/* Largest change that the search tries. A case that cannot show such a change is useless for a gate. */
static const double CAUGHT_MOST = 0.5;
enum { BISECTIONS = 7 };

struct calibrator {
    const struct kg_results *runs;
    size_t count;
    const struct kg_round_limits *limits;
    struct kg_calibration *calibration;
    struct kg_error *err;
};

static bool alarmed(const struct kg_case_change *change)
{
    return change->change == KG_CHANGE_REGRESSION || change->change == KG_CHANGE_IMPROVEMENT;
}

/* Counts the outcome of a pair of runs of the same code. Returns whether any case alarmed. */
static bool pair_note(struct calibrator *calibrator, const struct kg_comparison *comparison)
{
    struct kg_calibration *calibration = calibrator->calibration;
    bool any = false;
    for (size_t i = 0; i < comparison->case_count; i++) {
        const struct kg_case_change *change = &comparison->cases[i];
        if (change->order >= calibration->case_count)
            continue;
        struct kg_calibrated_case *calibrated = &calibration->cases[change->order];
        calibrated->alarms += alarmed(change);
        calibrated->doubts +=
            change->change == KG_CHANGE_SUSPECT || change->change == KG_CHANGE_INCONCLUSIVE;
        calibrated->rounds += (double)change->rounds / (double)calibration->pairs;
        any = any || alarmed(change);
        for (size_t m = 0; m < change->metric_count; m++)
            if (!strcmp(change->metrics[m].name, "time"))
                calibrated->worst_ratio =
                    fmax(calibrated->worst_ratio,
                         fmax(change->metrics[m].ratio, 1 / change->metrics[m].ratio));
    }
    return any;
}

/* Runs the gate on recorded results against a baseline. */
static bool gate(struct calibrator *calibrator, const struct kg_baseline *baseline,
                 const struct kg_results *current, const struct kg_round_limits *limits,
                 const double *factors, struct kg_comparison *comparison)
{
    struct kg_replay replay;
    kg_replay_start(&replay, current, factors);
    const bool good = kg_replay_run(&replay, limits, baseline, comparison, calibrator->err);
    kg_replay_free(&replay);
    return good;
}

static bool pair_gate(struct calibrator *calibrator, size_t base, size_t current)
{
    struct kg_baseline baseline;
    struct kg_comparison comparison;
    kg_baseline_from_results(&calibrator->runs[base], &baseline);
    const bool good = gate(calibrator, &baseline, &calibrator->runs[current], calibrator->limits,
                           NULL, &comparison);
    if (good)
        calibrator->calibration->alarmed_pairs += pair_note(calibrator, &comparison);
    kg_comparison_free(&comparison);
    kg_baseline_free(&baseline);
    return good;
}

/* Compares a run with all other runs together, as if they were stored. */
static bool others_gate(struct calibrator *calibrator, size_t current)
{
    struct kg_baseline baseline = {.fingerprint = calibrator->runs[0].machine.fingerprint,
                                   .machine = calibrator->runs[0].machine};
    struct kg_comparison comparison = {0};
    bool any = false;
    baseline.runs = kg_arena_alloc(&baseline.arena, calibrator->count, sizeof *baseline.runs);
    for (size_t i = 0; i < calibrator->count; i++)
        if (i != current)
            kg_baseline_run_make(&baseline.arena, &calibrator->runs[i],
                                 &baseline.runs[baseline.run_count++]);
    const bool good = gate(calibrator, &baseline, &calibrator->runs[current], calibrator->limits,
                           NULL, &comparison);
    for (size_t i = 0; i < comparison.case_count; i++)
        any = any || alarmed(&comparison.cases[i]);
    calibrator->calibration->alarmed_runs += any;
    kg_comparison_free(&comparison);
    kg_baseline_free(&baseline);
    return good;
}

/* Whether a pair catches the case alone, slowed down by `change`. The case gets its share of alpha. This is as strict
 * as a full comparison that tests all other cases first. */
static bool pair_catches(struct calibrator *calibrator, size_t base, size_t current, size_t index,
                         double change, bool *caught)
{
    const size_t cases = calibrator->calibration->case_count;
    struct kg_results alone = calibrator->runs[current], reference = calibrator->runs[base];
    const double factor = 1 + change;
    struct kg_baseline baseline;
    struct kg_comparison comparison;
    alone.cases = &calibrator->runs[current].cases[index];
    alone.case_count = 1;
    alone.policy.alpha /= (double)cases;
    reference.cases = &calibrator->runs[base].cases[index];
    reference.case_count = 1;
    kg_baseline_from_results(&reference, &baseline);
    const bool good =
        gate(calibrator, &baseline, &alone, &calibrator->limits[index], &factor, &comparison);
    *caught = good && comparison.case_count && comparison.cases[0].change == KG_CHANGE_REGRESSION;
    kg_comparison_free(&comparison);
    kg_baseline_free(&baseline);
    return good;
}

static bool all_catch(struct calibrator *calibrator, size_t index, double change, bool *all)
{
    *all = true;
    for (size_t i = 0; i < calibrator->count && *all; i++)
        for (size_t j = 0; j < calibrator->count && *all; j++)
            if (i != j && !pair_catches(calibrator, i, j, index, change, all))
                return false;
    return true;
}

/* kgate can simulate a slowdown of times only. */
static bool times_compared(const struct kg_case_result *result)
{
    const struct kg_series *time = kg_case_series(result, KG_METRIC_TIME);
    return time && kg_series_compared(result, time);
}

/* Finds the smallest change that every pair catches, by bisection. */
static bool caught_find(struct calibrator *calibrator, size_t index)
{
    struct kg_calibrated_case *calibrated = &calibrator->calibration->cases[index];
    double low = 0, high = CAUGHT_MOST;
    bool all;
    calibrated->caught = NAN;
    if (!times_compared(&calibrator->runs[0].cases[index]))
        return true;
    if (!all_catch(calibrator, index, high, &all))
        return false;
    if (!all)
        return true;
    for (int i = 0; i < BISECTIONS; i++) {
        const double middle = (low + high) / 2;
        if (!all_catch(calibrator, index, middle, &all))
            return false;
        if (all)
            high = middle;
        else
            low = middle;
    }
    calibrated->caught = high;
    return true;
}

/* Sets the scatter of the runs' locations, and of the rounds within a run. */
static void scatter_find(struct calibrator *calibrator, size_t index)
{
    struct kg_arena scratch = {0};
    struct kg_calibrated_case *calibrated = &calibrator->calibration->cases[index];
    double *locations = kg_arena_alloc(&scratch, calibrator->count, sizeof *locations);
    double squares = 0;
    calibrated->run_scatter = calibrated->round_scatter = NAN;
    for (size_t r = 0; r < calibrator->count; r++) {
        const struct kg_case_result *result = &calibrator->runs[r].cases[index];
        double *logs = kg_arena_alloc(&scratch, result->round_count + 1, sizeof *logs);
        if (!result->round_count) {
            kg_arena_free(&scratch);
            return;
        }
        for (size_t i = 0; i < result->round_count; i++)
            logs[i] = log(result->rounds[i].median_ns);
        const double deviation = kg_standard_deviation(logs, result->round_count);
        squares += deviation * deviation;
        kg_sort(logs, result->round_count);
        locations[r] = exp(kg_quantile_sorted(logs, result->round_count, 0.25));
    }
    calibrated->run_scatter = kg_log_deviation(locations, calibrator->count);
    calibrated->round_scatter = sqrt(squares / (double)calibrator->count);
    kg_arena_free(&scratch);
}

/* Rounds a share up to whole per cents, a small share to half per cents. */
static double rounded_up(double share)
{
    const double step = share < 0.05 ? 0.005 : 0.01;
    return ceil(share / step - 1e-9) * step;
}

/* Chooses the advice for a case. */
static void advise(struct calibrator *calibrator, size_t index)
{
    struct kg_calibrated_case *c = &calibrator->calibration->cases[index];
    struct kg_arena *arena = &calibrator->calibration->arena;
    const size_t rounds = calibrator->runs[0].cases[index].round_count;
    /* 1.5 times the worst of these pairs, because a later pair will be worse */
    const double wanted = rounded_up(1.5 * (c->worst_ratio - 1));
    const bool rounds_help =
        c->run_scatter < 2 * c->round_scatter / sqrt(rounds ? (double)rounds : 1);
    if (!times_compared(&calibrator->runs[0].cases[index]))
        c->advice = "its time is not compared";
    else if (isnan(c->run_scatter))
        c->advice = "it was not measured in every run";
    else if (isnan(c->caught))
        c->advice =
            rounds_help
                ? "misses even a change of 50 %: raise rounds, min_time or iterations, or leave "
                  "it out"
                : "misses even a change of 50 %: leave it out, or use `kgate ab` or "
                  "`metrics: [instructions]`";
    else if (c->alarms)
        c->advice = kg_arena_printf(
            arena, "alarms without a change: raise its threshold to %g %%%s", 100 * wanted,
            rounds_help ? ", or its rounds" : "; more rounds would not help, runs differ");
    else if (c->doubts > calibrator->calibration->pairs / 10)
        c->advice = kg_arena_printf(arena, "often undecided: %s, or raise its threshold to %g %%",
                                    rounds_help ? "raise rounds.max, min_time or iterations"
                                                : "runs differ, so use `kgate ab`",
                                    100 * fmax(wanted, rounded_up(1.5 * c->threshold)));
    else if (wanted > 0 && 2 * wanted <= c->threshold)
        c->advice = kg_arena_printf(arena, "quiet enough for a threshold of %g %%", 100 * wanted);
}

static void cases_start(struct calibrator *calibrator)
{
    struct kg_calibration *calibration = calibrator->calibration;
    const struct kg_results *first = &calibrator->runs[0];
    calibration->created = kg_timestamp(&calibration->arena);
    calibration->kgate_version = KGATE_VERSION;
    calibration->suite = kg_arena_copy(&calibration->arena, first->suite);
    calibration->runs = calibrator->count;
    calibration->pairs = calibrator->count * (calibrator->count - 1);
    calibration->alpha = first->policy.alpha;
    calibration->cases =
        kg_arena_alloc(&calibration->arena, first->case_count, sizeof *calibration->cases);
    kg_machine_copy(&calibration->arena, &first->machine, &calibration->machine);
    for (size_t i = 0; i < first->case_count; i++) {
        const struct kg_series *time = kg_case_series(&first->cases[i], KG_METRIC_TIME);
        calibration->cases[i] = (struct kg_calibrated_case){
            .id = kg_arena_copy(&calibration->arena, first->cases[i].id),
            .threshold = time ? time->threshold : NAN,
            .worst_ratio = 1};
    }
    calibration->case_count = first->case_count;
}

static bool calibrate(struct calibrator *calibrator)
{
    cases_start(calibrator);
    for (size_t i = 0; i < calibrator->count; i++)
        for (size_t j = 0; j < calibrator->count; j++)
            if (i != j && !pair_gate(calibrator, i, j))
                return false;
    for (size_t j = 0; j < calibrator->count; j++)
        if (!others_gate(calibrator, j))
            return false;
    for (size_t c = 0; c < calibrator->calibration->case_count; c++) {
        scatter_find(calibrator, c);
        if (!caught_find(calibrator, c))
            return false;
        advise(calibrator, c);
    }
    return true;
}

bool kg_calibrate(const struct kg_results *runs, size_t count, const struct kg_round_limits *limits,
                  struct kg_calibration *calibration, struct kg_error *err)
{
    struct calibrator calibrator = {runs, count, limits, calibration, err};
    *calibration = (struct kg_calibration){0};
    if (calibrate(&calibrator))
        return true;
    kg_calibration_free(calibration);
    return false;
}
