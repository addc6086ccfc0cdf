#include "rules.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "base/statistics/stats.h"

/* A rule without memory has no answer, and any that it gave would be counted as the tool's. */
static double *allocate(size_t count)
{
    double *values = calloc(count ? count : 1, sizeof *values);
    if (!values)
        abort();
    return values;
}

static double *sorted_copy(const double *x, size_t n)
{
    double *copy = allocate(n);
    if (n)
        memcpy(copy, x, n * sizeof *x);
    kg_sort(copy, n);
    return copy;
}

static enum rule_answer answer_of(double difference)
{
    return difference > 0 ? RULE_SLOWER : difference < 0 ? RULE_FASTER : RULE_SAME;
}

/* --- A fixed threshold ------------------------------------------------------------------------ */

/* A change of the mean above 5 % in either direction. No tool has this default, but many CI scripts
 * use it. pytest-benchmark's documentation shows it, too: "Usage", --benchmark-compare-fail=EXPR
 * with the example min:5%. Here it applies to the mean, in both directions. */
static enum rule_answer fixed_threshold(const struct rule_samples *base,
                                        const struct rule_samples *current)
{
    static const double threshold = 0.05;
    if (!base->count || !current->count)
        return RULE_SAME;
    const double change = kg_mean(current->ns, current->count) / kg_mean(base->ns, base->count) - 1;
    return fabs(change) > threshold ? answer_of(change) : RULE_SAME;
}

/* --- Mann-Whitney U --------------------------------------------------------------------------- */

/* The largest samples whose U is compared with its exact distribution: go-moremath's
 * MannWhitneyExactLimit. scipy's limit is 8. Above 8 its p-values hardly differ from these. */
enum { EXACT_MOST = 50 };

struct u_test {
    double slower_pairs; /* U: pairs whose current value is the larger; a tie counts as half */
    double pairs;        /* all pairs */
    double tie_term;     /* the sum of t^3 - t over groups of t equal values */
    double p_value;      /* two-sided */
};

/* How many of the n sorted values at x, from `from` on, equal `value`. */
static size_t run_of(const double *x, size_t from, size_t n, double value)
{
    size_t end = from;
    while (end < n && x[end] == value)
        end++;
    return end - from;
}

static void count_pairs(const double *base, size_t base_count, const double *current,
                        size_t current_count, struct u_test *test)
{
    size_t i = 0, j = 0;
    while (i < base_count || j < current_count) {
        const bool from_base = j == current_count || (i < base_count && base[i] <= current[j]);
        const double value = from_base ? base[i] : current[j];
        const size_t in_base = run_of(base, i, base_count, value);
        const size_t in_current = run_of(current, j, current_count, value);
        const double tied = (double)(in_base + in_current);
        test->slower_pairs += (double)in_current * ((double)i + (double)in_base / 2);
        test->tie_term += tied * tied * tied - tied;
        i += in_base;
        j += in_current;
    }
    test->pairs = (double)base_count * (double)current_count;
}

/* P(U <= u) without ties, by the recurrence of Mann and Whitney (1947). The largest of n + m values
 * is one of the first n with probability n / (n + m). Then it exceeds all m of the second. Row n of
 * the table holds P(U = v) for the current m. */
static double exact_tail(size_t first_count, size_t second_count, size_t u)
{
    const size_t width = u + 1;
    double *table = allocate((first_count + 1) * width);
    for (size_t n = 0; n <= first_count; n++)
        table[n * width] = 1;
    for (size_t m = 1; m <= second_count; m++)
        for (size_t n = 1; n <= first_count; n++)
            for (size_t v = 0; v < width; v++) {
                const double largest = v >= m ? table[(n - 1) * width + v - m] : 0;
                double *cell = &table[n * width + v];
                *cell = ((double)n * largest + (double)m * *cell) / (double)(n + m);
            }
    double sum = 0;
    for (size_t v = 0; v < width; v++)
        sum += table[first_count * width + v];
    free(table);
    return sum;
}

/* The normal approximation with corrections for ties and for continuity. */
static double normal_p_value(const struct u_test *test, double n)
{
    const double variance = test->pairs / 12 * (n + 1 - test->tie_term / (n * (n - 1)));
    const double distance = fabs(test->slower_pairs - test->pairs / 2) - 0.5;
    /* No variance: all values are equal. No distance: the middle of the distribution. */
    if (!(variance > 0) || distance <= 0)
        return 1;
    return erfc(distance / sqrt(2 * variance));
}

static double u_p_value(const struct u_test *test, size_t base_count, size_t current_count)
{
    const bool few = base_count <= EXACT_MOST && current_count <= EXACT_MOST;
    if (!few || test->tie_term > 0)
        return normal_p_value(test, (double)(base_count + current_count));
    const double smaller = fmin(test->slower_pairs, test->pairs - test->slower_pairs);
    return fmin(1, 2 * exact_tail(base_count, current_count, (size_t)smaller));
}

/* Both counts at least 1. */
static struct u_test mann_whitney(const double *base, size_t base_count, const double *current,
                                  size_t current_count)
{
    struct u_test test = {0};
    double *sorted_base = sorted_copy(base, base_count);
    double *sorted_current = sorted_copy(current, current_count);
    count_pairs(sorted_base, base_count, sorted_current, current_count, &test);
    free(sorted_base);
    free(sorted_current);
    test.p_value = u_p_value(&test, base_count, current_count);
    return test;
}

/* Google Benchmark's compare.py: docs/tools.md, "Interpreting the output" and "U test" (different
 * if the p-value is less than alpha, 0.05 by default). And tools/gbench/report.py, calc_utest:
 * scipy's mannwhitneyu, two-sided, from 2 repetitions per side on. There is no minimum effect.
 *
 * Not the tool's own use: here the rule applies to iterations, while the tool takes repetitions and
 * asks for at least 9. On repetitions it is benchstat's rule below, with two differences: p < 0.05
 * instead of p <= 0.05, and another limit of the exact distribution. The tool reports a difference
 * and leaves the direction to the reader; here U gives the direction. */
static enum rule_answer u_test_on_iterations(const struct rule_samples *base,
                                             const struct rule_samples *current)
{
    static const double alpha = 0.05;
    static const size_t repetitions_least = 2;
    if (base->count < repetitions_least || current->count < repetitions_least)
        return RULE_SAME;
    const struct u_test test = mann_whitney(base->ns, base->count, current->ns, current->count);
    return test.p_value < alpha ? answer_of(test.slower_pairs - test.pairs / 2) : RULE_SAME;
}

/* benchstat (golang.org/x/perf/cmd/benchstat, second version): its package documentation, "Units"
 * ("median for summaries, and the Mann-Whitney U-test for A/B comparisons") and "Tips" (alpha 0.05,
 * at least 10 runs). And benchmath/anone.go and FormatDelta in benchmath/sample.go: "~" if p >
 * alpha, otherwise the change between the medians, however small. One sample is one run of -count:
 * here a round. Simplified: with ties, benchstat has the exact distribution for small samples; here
 * it is the normal approximation. */
static enum rule_answer benchstat(const struct rule_samples *base,
                                  const struct rule_samples *current)
{
    static const double alpha = 0.05;
    const size_t base_count = base->round_count, current_count = current->round_count;
    if (!base_count || !current_count)
        return RULE_SAME;
    const struct u_test test =
        mann_whitney(base->round_medians, base_count, current->round_medians, current_count);
    if (test.p_value > alpha)
        return RULE_SAME;
    double *sorted_base = sorted_copy(base->round_medians, base_count);
    double *sorted_current = sorted_copy(current->round_medians, current_count);
    const double difference =
        kg_median_sorted(sorted_current, current_count) - kg_median_sorted(sorted_base, base_count);
    free(sorted_base);
    free(sorted_current);
    return answer_of(difference);
}

/* --- Criterion.rs ----------------------------------------------------------------------------- */

enum { RESAMPLES = 2000 }; /* Criterion.rs: 100,000 unless told otherwise */

static void resample(struct kg_random *random, const double *pool, size_t pool_count,
                     double *sample, size_t count)
{
    for (size_t i = 0; i < count; i++)
        sample[i] = pool[kg_random_below(random, pool_count)];
}

/* Welch's t. Like the original, it is not finite if neither side has any scatter. */
static double welch_t(const double *base, size_t base_count, const double *current,
                      size_t current_count)
{
    const double base_deviation = kg_standard_deviation(base, base_count);
    const double current_deviation = kg_standard_deviation(current, current_count);
    return (kg_mean(current, current_count) - kg_mean(base, base_count)) /
           sqrt(base_deviation * base_deviation / (double)base_count +
                current_deviation * current_deviation / (double)current_count);
}

/* Both sides are drawn from the two samples together, as if they were one population. The p-value
 * is twice the share of the smaller side of t, as the original counts it. Infinite draws do not
 * count. */
static double criterion_p_value(const struct rule_samples *base, const struct rule_samples *current)
{
    const size_t n = base->count, all = base->count + current->count;
    const double t = welch_t(base->ns, n, current->ns, current->count);
    struct kg_random random = {.state = 1};
    double *pool = allocate(all), *sample = allocate(all);
    memcpy(pool, base->ns, n * sizeof *pool);
    memcpy(pool + n, current->ns, current->count * sizeof *pool);
    size_t finite = 0, below = 0;
    for (size_t i = 0; i < RESAMPLES; i++) {
        resample(&random, pool, all, sample, all);
        const double drawn = welch_t(sample, n, sample + n, current->count);
        finite += isfinite(drawn) ? 1 : 0;
        below += isfinite(drawn) && drawn < t ? 1 : 0;
    }
    free(pool);
    free(sample);
    const size_t above = finite - below;
    return finite ? 2 * (double)(below < above ? below : above) / (double)finite : 1;
}

/* The 95 % percentile interval of the relative change of the mean, each side drawn from its own. */
static struct kg_interval criterion_change(const struct rule_samples *base,
                                           const struct rule_samples *current)
{
    struct kg_random random = {.state = 2};
    double *base_sample = allocate(base->count), *current_sample = allocate(current->count);
    double *changes = allocate(RESAMPLES);
    for (size_t i = 0; i < RESAMPLES; i++) {
        resample(&random, base->ns, base->count, base_sample, base->count);
        resample(&random, current->ns, current->count, current_sample, current->count);
        changes[i] =
            kg_mean(current_sample, current->count) / kg_mean(base_sample, base->count) - 1;
    }
    kg_sort(changes, RESAMPLES);
    const struct kg_interval interval = {kg_quantile_sorted(changes, RESAMPLES, 0.025),
                                         kg_quantile_sorted(changes, RESAMPLES, 0.975)};
    free(base_sample);
    free(current_sample);
    free(changes);
    return interval;
}

/* Criterion.rs (as of 0.5): its book, "Analysis Process", Comparison, and "Command-Line Output",
 * Change. And src/analysis/compare.rs (t_test, estimates), src/stats/mod.rs (p_value) and
 * src/report.rs (compare_to_threshold). There is no change unless the bootstrapped p-value of t is
 * below significance_level 0.05. Then there is a change only if the whole 95 % interval of the
 * mean's relative change lies beyond noise_threshold. This is 1 % in the documentation of the
 * function Criterion::noise_threshold and in the book's Analysis Process. Command-Line Output says
 * 2 %.
 *
 * Simplified: 2,000 resamples, and every pair of resamples is new. The original draws the square
 * root of this number from one side, and pairs each with as many from the other. A sample is one
 * recorded time; in the original it is the mean of ever more iterations. */
static enum rule_answer criterion(const struct rule_samples *base,
                                  const struct rule_samples *current)
{
    static const double significance_level = 0.05, noise_threshold = 0.01;
    if (base->count < 2 || current->count < 2)
        return RULE_SAME;
    if (!(criterion_p_value(base, current) < significance_level))
        return RULE_SAME;
    const struct kg_interval change = criterion_change(base, current);
    if (change.low > noise_threshold)
        return RULE_SLOWER;
    return change.high < -noise_threshold ? RULE_FASTER : RULE_SAME;
}

/* --- NVBench ---------------------------------------------------------------------------------- */

/* From the smallest value to the third quartile: the nearest rank, halves up (percentile_rank). */
static struct kg_interval nvbench_interval(const struct rule_samples *samples)
{
    double *sorted = sorted_copy(samples->ns, samples->count);
    const struct kg_interval interval = {sorted[0], sorted[(75 * (samples->count - 1) + 50) / 100]};
    free(sorted);
    return interval;
}

/* NVBench's nvbench-compare-robust (2026): docs/nvbench_compare_robust.md, "Time Estimates And
 * Intervals" and "Decision Tree", 1. And python/scripts/nvbench_compare_robust.py,
 * compare_intervals_for_clear_gap. The answer is FAST or SLOW if the intervals [min, q3] leave a
 * large enough gap: clear_gap.relative = 0.5 % of the lower interval's upper end. SAME and AMBG
 * need noise limits and overlaps to separate them, but both let a gate pass.
 *
 * Simplified: the tool also requires the gap in clock cycles, and answers AMBG without clock rates.
 * Here are no clock rates: a gap in time counts as confirmed. */
static enum rule_answer nvbench(const struct rule_samples *base, const struct rule_samples *current)
{
    static const double clear_gap = 0.005;
    if (!base->count || !current->count)
        return RULE_SAME;
    const struct kg_interval before = nvbench_interval(base), now = nvbench_interval(current);
    if (now.low > before.high && (now.low - before.high) / before.high >= clear_gap)
        return RULE_SLOWER;
    if (now.high < before.low && (before.low - now.high) / now.high >= clear_gap)
        return RULE_FASTER;
    return RULE_SAME;
}

const struct rule rules[] = {
    {"fixed 5 %", "mean beyond 5 %; as pytest-benchmark, Usage, --benchmark-compare-fail",
     fixed_threshold},
    {"U test on iterations", "Google Benchmark, docs/tools.md, U test; applied to iterations",
     u_test_on_iterations},
    {"benchstat", "golang.org/x/perf/cmd/benchstat, Units and Tips; on the medians of rounds",
     benchstat},
    {"Criterion.rs", "Criterion.rs book, Analysis Process, Comparison; 2,000 resamples", criterion},
    {"NVBench", "NVBench, docs/nvbench_compare_robust.md, Decision Tree, 1; without clock rates",
     nvbench},
};
const size_t rule_count = sizeof rules / sizeof *rules;
