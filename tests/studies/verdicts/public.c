/* public: kgate's decisions on public noise, beside decisions of other tools.
 *
 *     public FORKS.csv RUNS.csv [GATES]
 *
 * FORKS: benchmarks with some processes each. The baseline has five random processes, the candidate
 * five others. RUNS: benchmarks with some runs each of one unchanged program. Five runs are stored,
 * with ten rounds each, and another run is compared with them. The program is unchanged, so each
 * failure is a false alarm. Slowdowns are made by multiplication. Benchmarks of even and of odd
 * number have separate tables: a rule developed on one half can be judged on the other. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "gate/calibrate.h"
#include "model/comparison.h"
#include "noise.h"
#include "rules.h"
#include "scene.h"

enum { STORED = 5, SLOWDOWNS = 5, RULES_MOST = 8 };
static const double slowdowns[SLOWDOWNS] = {0, 0.05, 0.10, 0.20, 1.00};
static const double THRESHOLD = 0.05;

/* Results of the gates of one setting. */
struct score {
    size_t gates;
    size_t alarms;    /* gates with a REGRESSION of unchanged code */
    size_t undecided; /* INCONCLUSIVE or SUSPECT cases of unchanged code */
    size_t caught[SLOWDOWNS];
    size_t cases;
    size_t rule_alarms[RULES_MOST], rule_caught[RULES_MOST][SLOWDOWNS];
};

static void comparison_count(const struct kg_comparison *comparison, size_t slowdown,
                             struct score *score)
{
    size_t caught = 0;
    for (size_t i = 0; i < comparison->case_count; i++) {
        caught += comparison->cases[i].change == KG_CHANGE_REGRESSION;
        if (!slowdown)
            score->undecided += comparison->cases[i].change != KG_CHANGE_REGRESSION &&
                                comparison->cases[i].change != KG_CHANGE_IMPROVEMENT &&
                                comparison->cases[i].change != KG_CHANGE_NO_CHANGE;
    }
    score->caught[slowdown] += caught;
    score->alarms += !slowdown && caught;
}

static void compare(const struct kg_baseline *baseline, struct scene *head, struct score *score)
{
    for (size_t s = 0; s < SLOWDOWNS; s++) {
        struct kg_comparison comparison;
        scene_scale(head, 1 + slowdowns[s]);
        kg_compare(baseline, &head->results, KG_STAGE_FINAL, &comparison);
        comparison_count(&comparison, s, score);
        kg_comparison_free(&comparison);
        scene_scale(head, 1 / (1 + slowdowns[s]));
    }
    score->gates++;
    score->cases += head->results.case_count;
}

/* --- Suites ----------------------------------------------------------------------------------- */

/* Indices of the benchmarks of a half (0: even, 1: odd), in random order; returns how many. */
static size_t half_draw(const struct noise *noise, size_t half, struct kg_random *random,
                        size_t *index)
{
    size_t count = 0;
    for (size_t i = 0; i < noise->count; i++)
        if (i % 2 == half)
            index[count++] = i;
    kg_random_shuffle(random, index, count);
    return count;
}

static size_t numbers_draw(struct kg_random *random, size_t count, size_t *index)
{
    for (size_t i = 0; i < count; i++)
        index[i] = i;
    kg_random_shuffle(random, index, count);
    return count;
}

/* Judges by other tools' rules, case by case. */
static void rules_judge(const struct noise_benchmark *benchmark, const size_t *processes,
                        size_t each, bool *alarmed, struct score *score)
{
    static double samples[2][ROUNDS_MOST * 64], medians[2][ROUNDS_MOST];
    struct rule_samples sides[2];
    for (size_t side = 0; side < 2; side++) {
        size_t count = 0;
        for (size_t p = 0; p < each; p++) {
            const struct noise_run *run = &benchmark->runs[processes[side * each + p]];
            for (size_t v = 0; v < run->count && v < 64; v++)
                samples[side][count++] = run->values[v];
            medians[side][p] = noise_median(run);
        }
        sides[side] = (struct rule_samples){samples[side], count, medians[side], each};
    }
    for (size_t s = 0; s < SLOWDOWNS; s++) {
        for (size_t v = 0; v < sides[1].count; v++)
            samples[1][v] *= 1 + slowdowns[s];
        for (size_t p = 0; p < each; p++)
            medians[1][p] *= 1 + slowdowns[s];
        for (size_t r = 0; r < rule_count && r < RULES_MOST; r++) {
            const bool slower = rules[r].judge(&sides[0], &sides[1]) == RULE_SLOWER;
            score->rule_caught[r][s] += slower;
            alarmed[r] = alarmed[r] || (!s && slower);
        }
        for (size_t v = 0; v < sides[1].count; v++)
            samples[1][v] /= 1 + slowdowns[s];
        for (size_t p = 0; p < each; p++)
            medians[1][p] /= 1 + slowdowns[s];
    }
}

/* A suite of `size` benchmarks of a half: `each` processes against `each` others. A burst of the
 * given factor covers `disturbed` of the head's processes. */
static void forks_gate(const struct noise *noise, size_t half, size_t size, size_t each,
                       bool others, struct kg_random *random, struct score *score)
{
    static struct scene base, head;
    size_t index[1024], processes[64];
    bool alarmed[RULES_MOST] = {false};
    const size_t count = half_draw(noise, half, random, index);
    size = size < count ? size : count;
    scene_start(&base, size, THRESHOLD);
    scene_start(&head, size, THRESHOLD);
    for (size_t i = 0; i < size; i++) {
        const struct noise_benchmark *benchmark = &noise->benchmarks[index[i]];
        snprintf(base.ids[i], sizeof base.ids[i], "%s/cpu", benchmark->name);
        snprintf(head.ids[i], sizeof head.ids[i], "%s/cpu", benchmark->name);
        numbers_draw(random, benchmark->run_count, processes);
        for (size_t p = 0; p < each; p++) {
            scene_round_add(&base, i, noise_median(&benchmark->runs[processes[p]]), false);
            scene_round_add(&head, i, noise_median(&benchmark->runs[processes[each + p]]), false);
        }
        if (others)
            rules_judge(benchmark, processes, each, alarmed, score);
    }
    for (size_t r = 0; r < RULES_MOST; r++)
        score->rule_alarms[r] += alarmed[r];
    struct kg_baseline baseline;
    kg_baseline_from_results(&base.results, &baseline);
    compare(&baseline, &head, score);
    kg_baseline_free(&baseline);
}

/* Adds `count` rounds of a run in random order. */
static void run_add(struct scene *scene, size_t index, const struct noise_run *run, size_t count,
                    double factor, bool confirms, const size_t *order)
{
    for (size_t i = 0; i < count && i < run->count; i++)
        scene_round_add(scene, index, factor * run->values[order[i]], confirms);
}

/* Fills `stored` and the candidate with `rounds` rounds each, from runs drawn at random. With
 * `burst` all of the candidate's rounds are `burst` times slower. `rounds` confirming rounds
 * without the burst follow. */
static void runs_draw(const struct noise *noise, size_t half, size_t runs, size_t rounds,
                      double burst, struct kg_random *random, struct scene *stored,
                      struct scene *head)
{
    size_t index[1024], numbers[64], order[64];
    const size_t count = half < 2 ? half_draw(noise, half, random, index)
                                  : numbers_draw(random, noise->count, index);
    numbers_draw(random, noise->benchmarks[0].run_count, numbers);
    for (size_t r = 0; r <= runs; r++) {
        struct scene *scene = r < runs ? &stored[r] : head;
        scene_start(scene, count, THRESHOLD);
        for (size_t i = 0; i < count; i++) {
            const struct noise_benchmark *benchmark = &noise->benchmarks[index[i]];
            const struct noise_run *run = &benchmark->runs[numbers[r] % benchmark->run_count];
            snprintf(scene->ids[i], sizeof scene->ids[i], "%s/cpu", benchmark->name);
            const size_t values = numbers_draw(random, run->count < 64 ? run->count : 64, order);
            const size_t first = rounds < values / 2 || burst == 1 ? rounds : values / 2;
            run_add(scene, i, run, first, r < runs ? 1 : burst, false, order);
            if (r == runs && burst != 1)
                run_add(scene, i, run, values - first, 1, true, order + first);
        }
    }
}

static void runs_gate(const struct noise *noise, size_t half, size_t runs, size_t rounds,
                      struct kg_random *random, struct score *score)
{
    static struct scene stored[STORED], head;
    struct kg_baseline baseline;
    runs_draw(noise, half, runs, rounds, 1, random, stored, &head);
    scene_store(stored, runs, &baseline);
    compare(&baseline, &head, score);
    kg_baseline_free(&baseline);
}

/* A gate, with screening and confirming, whose screening a burst covers whole. */
static void burst_gate(const struct noise *noise, size_t runs, double burst,
                       struct kg_random *random, struct score *score)
{
    static struct scene stored[STORED], head;
    struct kg_round_limits limits[CASES_MOST];
    struct kg_comparison comparison;
    struct kg_baseline baseline;
    struct kg_replay replay;
    struct kg_error err;
    runs_draw(noise, 2, runs, 10, burst, random, stored, &head);
    scene_store(stored, runs, &baseline);
    for (size_t i = 0; i < CASES_MOST; i++)
        limits[i] = (struct kg_round_limits){5, 9};
    kg_replay_start(&replay, &head.results, NULL);
    if (!kg_replay_run(&replay, limits, &baseline, &comparison, &err))
        exit(2);
    comparison_count(&comparison, 0, score);
    score->gates++;
    score->cases += head.results.case_count;
    kg_comparison_free(&comparison);
    kg_replay_free(&replay);
    kg_baseline_free(&baseline);
}

/* --- Tables ----------------------------------------------------------------------------------- */

static double percent(size_t part, size_t whole)
{
    return whole ? 100 * (double)part / (double)whole : 0;
}

static void head_print(const char *title)
{
    printf("\n%s\n\n| rule | gates | alarm | undecided | 5 %% | 10 %% | 20 %% | 100 %% |\n"
           "| :-- | --: | --: | --: | --: | --: | --: | --: |\n",
           title);
}

static void row_print(const char *name, const struct score *score)
{
    printf("| %s | %zu | %.2f %% | %.1f %% |", name, score->gates,
           percent(score->alarms, score->gates), percent(score->undecided, score->cases));
    for (size_t s = 1; s < SLOWDOWNS; s++)
        printf(" %.1f %% |", percent(score->caught[s], score->cases));
    printf("\n");
}

static void rules_print(const struct score *score)
{
    for (size_t r = 0; r < rule_count && r < RULES_MOST; r++) {
        printf("| %s | %zu | %.2f %% | |", rules[r].name, score->gates,
               percent(score->rule_alarms[r], score->gates));
        for (size_t s = 1; s < SLOWDOWNS; s++)
            printf(" %.1f %% |", percent(score->rule_caught[r][s], score->cases));
        printf("\n");
    }
}

static const char *const halves[] = {"even", "odd"};

static void forks_table(const struct noise *noise, size_t size, size_t gates)
{
    char name[64];
    snprintf(name, sizeof name, "**Processes, 5 against 5, suites of %zu**", size);
    head_print(name);
    for (size_t half = 0; half < 2; half++) {
        struct kg_random random = {7 + half};
        struct score score = {0};
        const size_t others = gates / 20; /* Criterion.rs' bootstrap takes its time */
        for (size_t g = 0; g < gates; g++)
            forks_gate(noise, half, size, 5, false, &random, &score);
        snprintf(name, sizeof name, "kgate compare, %s half", halves[half]);
        row_print(name, &score);
        if (half == 0 || size != 20)
            continue;
        struct score rest = {0};
        for (size_t g = 0; g < others; g++)
            forks_gate(noise, half, size, 5, true, &random, &rest);
        rules_print(&rest);
    }
}

static void runs_table(const struct noise *noise, size_t gates)
{
    static const size_t counts[][2] = {{5, 10}, {3, 10}, {2, 10}, {1, 10}, {1, 5}};
    char name[96];
    head_print("**Runs of different days, against stored ones**");
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (size_t half = 0; half < 3; half++) {
            struct kg_random random = {17 + half};
            struct score score = {0};
            for (size_t g = 0; g < gates; g++)
                runs_gate(noise, half, counts[c][0], counts[c][1], &random, &score);
            snprintf(name, sizeof name, "%zu stored of %zu rounds, %s", counts[c][0], counts[c][1],
                     half < 2 ? halves[half] : "all");
            row_print(name, &score);
        }
    head_print("**A burst that covers all screening rounds of a gate**");
    for (size_t runs = 1; runs <= 5; runs += 4)
        for (double burst = 1.1; burst < 2.5; burst += 0.9) {
            struct kg_random random = {27};
            struct score score = {0};
            for (size_t g = 0; g < gates; g++)
                burst_gate(noise, runs, burst, &random, &score);
            snprintf(name, sizeof name, "%zu stored, %.1f times slower", runs, burst);
            row_print(name, &score);
        }
}

int main(int argc, char **argv)
{
    struct noise forks, runs;
    const size_t gates = argc > 3 ? (size_t)strtoul(argv[3], NULL, 10) : 400;
    if (argc < 3 || !gates) {
        fprintf(stderr, "usage: public FORKS.csv RUNS.csv [GATES]\n");
        return 2;
    }
    if (!noise_load(argv[1], &forks) || !noise_load(argv[2], &runs))
        return 2;
    forks_table(&forks, 20, gates);
    forks_table(&forks, 100, gates / 4 ? gates / 4 : 1);
    runs_table(&runs, gates / 2 ? gates / 2 : 1);
    return 0;
}
