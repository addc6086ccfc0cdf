/* prior_noise: kgate's decisions on public noise, with the prior of a history and without.
 *
 *     prior_noise RUNS.csv [develop|report] [GATES [ROUNDS]]
 *
 * RUNS: benchmarks with some runs each of one unchanged program (noise.h). A suite has 100 cases. Each case is a
 * benchmark with an order of its runs: the first is the candidate, the next are stored, and all but the first are its
 * history. Each run keeps ROUNDS rounds (5). Benchmarks of even number are the develop half, the others the report
 * half. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "judge/prior.h"
#include "model/comparison.h"
#include "noise.h"
#include "scene.h"

enum { CASES = 100, EACH_MOST = 16, RUNS_MOST = 64, STORED_MOST = 5, SLOWDOWNS = 80 };
static size_t each_rounds = 5; /* of a run */
static const double THRESHOLD = 0.01;
/* Logarithm of the smallest slowdown, and the factor to the next one. */
static const double FIRST = 0.004, NEXT = 1.08;

/* One case: its runs in the case's order. */
struct drawn {
    double rounds[RUNS_MOST][EACH_MOST];
    size_t run_count;
};

struct score {
    size_t gates, alarms, improvements, undecided;
    size_t caught[3]; /* slowed by 5, 10 and 20 % */
    double *smallest; /* logarithm of the smallest slowdown called, per case; INFINITY: none */
    size_t smallest_count;
};
static const double shown[3] = {0.05, 0.10, 0.20};

/* --- Draws ------------------------------------------------------------------------------------ */

static void order_draw(struct kg_random *random, size_t count, size_t *order)
{
    for (size_t i = 0; i < count; i++)
        order[i] = i;
    kg_random_shuffle(random, order, count);
}

static void case_draw(struct kg_random *random, const struct noise_benchmark *benchmark,
                      struct drawn *drawn)
{
    size_t runs[RUNS_MOST], values[4096];
    order_draw(random, benchmark->run_count, runs);
    drawn->run_count = benchmark->run_count;
    for (size_t r = 0; r < benchmark->run_count; r++) {
        const struct noise_run *run = &benchmark->runs[runs[r]];
        order_draw(random, run->count, values);
        for (size_t i = 0; i < each_rounds; i++)
            drawn->rounds[r][i] = run->values[values[i % run->count]];
    }
}

/* Moves the rounds of the candidate away from the mean of the other runs. */
static void candidate_spread(struct drawn *drawn, double factor)
{
    double mean = 0;
    for (size_t r = 1; r < drawn->run_count; r++)
        for (size_t i = 0; i < each_rounds; i++)
            mean += log(drawn->rounds[r][i]) / (double)(each_rounds * (drawn->run_count - 1));
    for (size_t i = 0; i < each_rounds; i++)
        drawn->rounds[0][i] = exp(mean + factor * (log(drawn->rounds[0][i]) - mean));
}

static struct kg_prior_series prior_of(const struct drawn *drawn, const char *id)
{
    struct kg_history_level level = {0};
    struct kg_change_alarm alarm;
    double logs[EACH_MOST];
    for (size_t r = drawn->run_count; r-- > 1;) {
        const struct kg_location location = kg_log_location(drawn->rounds[r], each_rounds, logs);
        kg_history_append(&level, location.value,
                          (struct kg_variance){location.variance, location.freedom}, &alarm);
    }
    return (struct kg_prior_series){.suite = "public",
                                    .id_of_case = id,
                                    .definition_hash = "0",
                                    .metric = "time",
                                    .source = KG_SERIES_OF_ROUNDS,
                                    .runs = (size_t)level.runs,
                                    .between = kg_prior_between(&level),
                                    .within = kg_prior_within(&level)};
}

/* --- Gates ------------------------------------------------------------------------------------ */

/* Number of cases with each change. */
struct outcome {
    size_t of[KG_CHANGE_COUNT];
    bool slower[CASES];
};

/* Compares the suite, or each three cases apart: their noise then tells each other nothing (kg_variance_usual). All
 * count as parts of one suite of 100 tests. */
static void judge(const struct kg_baseline *baseline, const struct scene *head, bool apart,
                  struct outcome *outcome)
{
    const size_t each = apart ? 3 : CASES;
    *outcome = (struct outcome){0};
    for (size_t first = 0; first + each <= CASES; first += each) {
        struct kg_comparison comparison;
        struct kg_results part = head->results;
        part.cases += first;
        part.case_count = each;
        part.tests = CASES;
        part.filter = "part";
        kg_compare(baseline, &part, KG_STAGE_FINAL, &comparison);
        for (size_t i = 0; i < comparison.case_count; i++) {
            const struct kg_case_change *change = &comparison.cases[i];
            outcome->of[change->change]++;
            outcome->slower[first + change->order] = change->change == KG_CHANGE_REGRESSION;
        }
        kg_comparison_free(&comparison);
    }
}

static void slowdowns_judge(const struct kg_baseline *baseline, struct scene *head, bool apart,
                            struct score *score)
{
    const size_t cases = apart ? CASES / 3 * 3 : CASES;
    double *smallest = score->smallest + score->smallest_count;
    score->smallest_count += cases;
    for (size_t i = 0; i < cases; i++)
        smallest[i] = INFINITY;
    for (size_t s = 0; s < SLOWDOWNS; s++) {
        struct outcome outcome;
        const double slowdown = FIRST * pow(NEXT, (double)s);
        scene_scale(head, exp(slowdown));
        judge(baseline, head, apart, &outcome);
        scene_scale(head, exp(-slowdown));
        for (size_t i = 0; i < cases; i++)
            if (outcome.slower[i] && slowdown < smallest[i])
                smallest[i] = slowdown;
    }
    for (size_t i = 0; i < cases; i++)
        for (size_t s = 0; s < 3; s++)
            score->caught[s] += smallest[i] <= log1p(shown[s]);
}

static void unchanged_judge(const struct kg_baseline *baseline, const struct scene *head,
                            bool apart, struct score *score)
{
    struct outcome outcome;
    judge(baseline, head, apart, &outcome);
    score->gates++;
    score->alarms += outcome.of[KG_CHANGE_REGRESSION] > 0;
    score->improvements += outcome.of[KG_CHANGE_IMPROVEMENT] > 0;
    score->undecided += outcome.of[KG_CHANGE_INCONCLUSIVE] + outcome.of[KG_CHANGE_SUSPECT];
}

struct setting {
    size_t half;
    size_t runs;   /* stored */
    double spread; /* factor of the candidate's noise */
    bool apart;
};

/* A gate without the prior, and the same one with it. */
static void gate(const struct noise *noise, const struct setting *setting, bool slowed,
                 struct kg_random *random, struct score *scores)
{
    static struct scene stored[STORED_MOST], head;
    static struct drawn drawn;
    struct kg_prior_series series[CASES];
    struct kg_stored_prior prior = {
        .fingerprint = "public", .series = series, .series_count = CASES};
    struct kg_baseline baseline;
    const size_t runs = setting->runs;
    for (size_t r = 0; r <= runs; r++)
        scene_start(r < runs ? &stored[r] : &head, CASES, THRESHOLD);
    for (size_t i = 0; i < CASES; i++) {
        const size_t which = 2 * (i % (noise->count / 2)) + setting->half;
        case_draw(random, &noise->benchmarks[which], &drawn);
        candidate_spread(&drawn, setting->spread);
        for (size_t r = 0; r <= runs; r++) {
            struct scene *scene = r ? &stored[r - 1] : &head;
            snprintf(scene->ids[i], sizeof scene->ids[i], "%s-%zu/cpu",
                     noise->benchmarks[which].name, i);
            for (size_t round = 0; round < each_rounds; round++)
                scene_round_add(scene, i, drawn.rounds[r][round], false);
        }
        series[i] = prior_of(&drawn, head.ids[i]);
    }
    kg_stored_prior_sort(&prior);
    scene_store(stored, runs, &baseline);
    for (size_t with = 0; with < 2; with++) {
        baseline.prior = with ? &prior : NULL;
        unchanged_judge(&baseline, &head, setting->apart, &scores[with]);
        if (slowed)
            slowdowns_judge(&baseline, &head, setting->apart, &scores[with]);
    }
    kg_baseline_free(&baseline);
}

/* --- Table ------------------------------------------------------------------------------------ */

static double percent(size_t part, size_t whole)
{
    return whole ? 100 * (double)part / (double)whole : 0;
}

static void row_print(const char *name, struct score *score)
{
    printf("| %s | %zu | %.1f %% | %.1f %% | %.1f %% |", name, score->gates,
           percent(score->alarms, score->gates), percent(score->improvements, score->gates),
           percent(score->undecided, score->gates * CASES));
    if (!score->smallest_count) {
        printf(" | | | |\n");
        return;
    }
    kg_sort(score->smallest, score->smallest_count);
    printf(" %.1f %% |", 100 * expm1(kg_median_sorted(score->smallest, score->smallest_count)));
    for (size_t s = 0; s < 3; s++)
        printf(" %.0f %% |", percent(score->caught[s], score->smallest_count));
    printf("\n");
}

/* One gate in `EVERY` is also slowed. */
static void rows_print(const struct noise *noise, const struct setting *setting, size_t gates)
{
    enum { EVERY = 10 };
    struct kg_random random = {41 + setting->runs};
    struct score scores[2] = {{0}};
    char name[96];
    for (size_t with = 0; with < 2; with++)
        scores[with].smallest = calloc((gates / EVERY + 1) * CASES, sizeof *scores[with].smallest);
    if (!scores[0].smallest || !scores[1].smallest)
        exit(3);
    for (size_t g = 0; g < gates; g++)
        gate(noise, setting, g % EVERY == 0 && setting->spread == 1, &random, scores);
    for (size_t with = 0; with < 2; with++) {
        snprintf(name, sizeof name, "%s, %zu stored, noise x %.3g, %s",
                 setting->apart ? "apart" : "together", setting->runs, setting->spread,
                 with ? "prior" : "no prior");
        row_print(name, &scores[with]);
        free(scores[with].smallest);
    }
}

/* Median over the benchmarks of the smallest slowdown that a test calls in half of its trials if it knows the variance of
 * a run exactly: the bound for every estimate of that variance. */
static void known_print(const struct noise *noise, size_t half)
{
    enum { DRAWS = 100 };
    static struct drawn drawn;
    struct kg_random random = {5};
    double *deviations = calloc(noise->count + 1, sizeof *deviations);
    size_t count = 0;
    if (!deviations)
        exit(3);
    for (size_t which = half; which < noise->count; which += 2, count++) {
        double variance = 0;
        for (size_t draw = 0; draw < DRAWS; draw++) {
            double logs[EACH_MOST], locations[RUNS_MOST];
            case_draw(&random, &noise->benchmarks[which], &drawn);
            for (size_t r = 0; r < drawn.run_count; r++)
                locations[r] = kg_log_location(drawn.rounds[r], each_rounds, logs).value;
            variance += pow(kg_standard_deviation(locations, drawn.run_count), 2) / DRAWS;
        }
        deviations[count] = sqrt(variance);
    }
    kg_sort(deviations, count);
    const double median = kg_median_sorted(deviations, count);
    const double point = kg_student_point(0.01 / CASES, 1e9);
    for (size_t runs = 1; runs <= STORED_MOST; runs += STORED_MOST - 1)
        printf("variance known, %zu stored: %.1f %%\n", runs,
               100 * expm1(point * median * sqrt(1 + 1 / (double)runs)));
    free(deviations);
}

int main(int argc, char **argv)
{
    static const double spreads[] = {1, 1.5, 2};
    struct noise noise;
    struct setting setting = {.half = argc > 2 && !strcmp(argv[2], "report")};
    const size_t gates = argc > 3 ? (size_t)strtoul(argv[3], NULL, 10) : 400;
    if (argc > 4)
        each_rounds = (size_t)strtoul(argv[4], NULL, 10);
    if (argc < 2 || !gates || each_rounds < 2 || each_rounds > EACH_MOST) {
        fprintf(stderr, "usage: prior_noise RUNS.csv [develop|report] [GATES [ROUNDS]]\n");
        return 2;
    }
    if (!noise_load(argv[1], &noise))
        return 2;
    printf(
        "| cases | gates | alarm | false improvement | undecided | smallest slowdown | 5 %% | 10 "
        "%% | 20 %% |\n| :-- | --: | --: | --: | --: | --: | --: | --: | --: |\n");
    for (int apart = 0; apart < 2; apart++)
        for (size_t runs = 1; runs <= STORED_MOST; runs += STORED_MOST - 1)
            for (size_t s = 0; s < sizeof spreads / sizeof *spreads; s++) {
                setting.apart = apart;
                setting.runs = runs;
                setting.spread = spreads[s];
                rows_print(&noise, &setting, gates);
            }
    printf("\nsmallest slowdown that half of the cases could call:\n");
    known_print(&noise, setting.half);
    return 0;
}
