/* verdicts.c: how often kgate cries wolf and how much it misses, measured: runs of the same code
 * against each other, and against the same code made slower by known amounts, on a quiet machine
 * and beside a bursty neighbour. Other tools' rules judge the same rounds. Prints a markdown table;
 * writes verdicts.json and, for each state, power-STATE.txt for power.gnuplot.
 *     verdicts --plugins DIR [--runs N] [--ab N] [--output DIR]
 *     verdicts --judge DIR [--output DIR]       only judges the runs that an earlier call left */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "judging.h"
#include "neighbour.h"
#include "recording.h"
#include "rules.h"
#include "util/file.h"
#include "worker/worker.h"

enum { STATES = 2, SCORES_MOST = 16, STORED = 5 };
static const char *const state_names[STATES] = {"quiet", "neighbour"};

struct options {
    const char *plugins;
    const char *output;
    const char *judge; /* a folder of runs measured before: only judges them */
    const char *state; /* the only one, or NULL */
    size_t runs;
    size_t ab_runs;
};

/* What `ab` did: slowdown 0 is the code against itself. */
struct ab_score {
    size_t runs;
    size_t alarmed_runs;
    size_t caught[SLOWDOWNS][WORKLOADS];
    size_t one_per_cent; /* caught, of `runs`: compute-bound, at a threshold of 0.5 % */
    double seconds;      /* of all runs at the usual threshold, over their cases */
    double one_per_cent_seconds;
};

struct state {
    struct score scores[SCORES_MOST];
    size_t score_count;
    struct ab_score ab;
    double round_seconds;
};

static bool ab_state(const struct options *options, struct ab_score *score, struct kg_error *err)
{
    enum kg_change changes[WORKLOADS];
    double seconds;
    for (size_t r = 0; r < options->ab_runs; r++) {
        size_t alarms = 0;
        fprintf(stderr, "ab %zu of %zu\n", r + 1, options->ab_runs);
        if (!ab_measure(options->plugins, "0", "0", 0.05, -1, changes, &seconds, err))
            return false;
        for (size_t w = 0; w < WORKLOADS; w++)
            alarms += changes[w] == KG_CHANGE_REGRESSION || changes[w] == KG_CHANGE_IMPROVEMENT;
        score->alarmed_runs += alarms > 0;
        score->seconds += seconds / WORKLOADS / (double)(options->ab_runs * (SLOWDOWNS + 1));
        for (size_t s = 0; s < SLOWDOWNS; s++) {
            char head[16];
            snprintf(head, sizeof head, "%g", slowdowns[s]);
            if (!ab_measure(options->plugins, "0", head, 0.05, -1, changes, &seconds, err))
                return false;
            for (size_t w = 0; w < WORKLOADS; w++)
                score->caught[s][w] += changes[w] == KG_CHANGE_REGRESSION;
            score->seconds += seconds / WORKLOADS / (double)(options->ab_runs * (SLOWDOWNS + 1));
        }
        if (!ab_measure(options->plugins, "0", "1", 0.005, 0, changes, &seconds, err))
            return false;
        score->one_per_cent += changes[0] == KG_CHANGE_REGRESSION;
        score->one_per_cent_seconds += seconds / (double)options->ab_runs;
        score->runs++;
    }
    return true;
}

static bool judge_all(const struct recording *recording, struct state *state, struct kg_error *err)
{
    static const char *const own[] = {"kgate, one stored run", "kgate, five stored runs"};
    static const size_t stored[] = {1, STORED};
    for (size_t k = 0; k < 2; k++) {
        struct score *score = &state->scores[state->score_count++];
        *score = (struct score){.name = own[k]};
        if (!kgate_judge(recording, stored[k], score, err))
            return false;
    }
    for (size_t k = 0; k < rule_count && state->score_count < SCORES_MOST; k++) {
        struct score *score = &state->scores[state->score_count++];
        *score = (struct score){.name = rules[k].name};
        if (!rule_judge(recording, k, score, err))
            return false;
    }
    return true;
}

static bool state_measure(const struct options *options, size_t index, struct state *state,
                          struct kg_error *err)
{
    struct recording recording;
    struct neighbour neighbour;
    const bool noisy = index == 1 && !options->judge;
    if (noisy && !neighbour_start(&neighbour, 1))
        return kg_error_set(err, KG_ERROR_SYSTEM, "cannot start the neighbour");
    fprintf(stderr, "%s\n", state_names[index]);
    bool good = options->judge ? recording_load(&recording, options->judge, state_names[index], err)
                               : recording_make(&recording, options->plugins, options->output,
                                                state_names[index], options->runs, err);
    const bool recorded = good;
    good = good && (options->judge || ab_state(options, &state->ab, err));
    if (noisy)
        neighbour_stop(&neighbour);
    if (recorded) {
        state->round_seconds = recording.round_seconds;
        good = good && judge_all(&recording, state, err);
        recording_free(&recording);
    }
    return good;
}

static double share(size_t part, size_t whole)
{
    return whole ? (double)part / (double)whole : 0;
}

static double caught_share(const struct score *score, size_t s)
{
    size_t caught = 0, tried = 0;
    for (size_t w = 0; w < WORKLOADS; w++) {
        caught += score->caught[s][w];
        tried += score->tried[s][w];
    }
    return share(caught, tried);
}

static double ab_caught_share(const struct ab_score *ab, size_t s)
{
    size_t caught = 0;
    for (size_t w = 0; w < WORKLOADS; w++)
        caught += ab->caught[s][w];
    return share(caught, ab->runs * WORKLOADS);
}

static double seconds_a_case(const struct state *state, const struct score *score)
{
    return score->rounds / (double)(score->gates * CASES) * state->round_seconds;
}

static void table_print(const struct state *state, const char *name)
{
    printf("\n%s\n\n| rule | gates of 20 that alarm | cases that alarm | 2 %% caught | 5 %% | "
           "10 %% | 20 %% | s a case |\n| :-- | --: | --: | --: | --: | --: | --: | --: |\n",
           name);
    for (size_t k = 0; k < state->score_count; k++) {
        const struct score *score = &state->scores[k];
        printf("| %s | %.1f %% | %.2f %%", score->name,
               100 * share(score->gate_alarms, score->gates),
               100 * share(score->case_alarms, score->gates * CASES));
        for (size_t s = 0; s < SLOWDOWNS; s++)
            printf(" | %.0f %%", 100 * caught_share(score, s));
        printf(" | %.2f |\n", seconds_a_case(state, score));
    }
    printf("| kgate ab | %.1f %% (of 4) | ", 100 * share(state->ab.alarmed_runs, state->ab.runs));
    for (size_t s = 0; s < SLOWDOWNS; s++)
        printf(" | %.0f %%", 100 * ab_caught_share(&state->ab, s));
    printf(" | %.2f |\n", state->ab.seconds);
}

static void workloads_print(const struct state *state)
{
    printf("\nkgate by workload, 10 %% caught with one stored run, five, and by ab:\n\n"
           "| workload | one run | five runs | ab |\n| :-- | --: | --: | --: |\n");
    for (size_t w = 0; w < WORKLOADS; w++) {
        const size_t ten = 2;
        printf("| %s | %.0f %% | %.0f %% | %.0f %% |\n", workload_names[w],
               100 * share(state->scores[0].caught[ten][w], state->scores[0].tried[ten][w]),
               100 * share(state->scores[1].caught[ten][w], state->scores[1].tried[ten][w]),
               100 * share(state->ab.caught[ten][w], state->ab.runs));
    }
    printf(
        "\nab, 1 %% slower, compute-bound, threshold 0.5 %%: caught %zu of %zu, %.2f s each. "
        "Cases called INCONCLUSIVE without a change: %.1f %% (one stored run), %.1f %% (five).\n",
        state->ab.one_per_cent, state->ab.runs, state->ab.one_per_cent_seconds,
        100 * share(state->scores[0].doubts, state->scores[0].gates * CASES),
        100 * share(state->scores[1].doubts, state->scores[1].gates * CASES));
}

/* {"2": {"compute": share, …}, …} of two arrays [SLOWDOWNS][WORKLOADS]. */
static json_t *caught_json(const size_t *caught, const size_t *tried)
{
    json_t *all = json_object();
    for (size_t s = 0; s < SLOWDOWNS; s++) {
        char key[16];
        json_t *each = json_object();
        snprintf(key, sizeof key, "%g", slowdowns[s]);
        for (size_t w = 0; w < WORKLOADS; w++)
            json_object_set_new(
                each, workload_names[w],
                json_real(share(caught[s * WORKLOADS + w], tried[s * WORKLOADS + w])));
        json_object_set_new(all, key, each);
    }
    return all;
}

static json_t *score_json(const struct state *state, const struct score *score)
{
    return json_pack("{s:s, s:I, s:I, s:I, s:I, s:f, s:o}", "rule", score->name, "gates",
                     (json_int_t)score->gates, "gate_alarms", (json_int_t)score->gate_alarms,
                     "case_alarms", (json_int_t)score->case_alarms, "inconclusive",
                     (json_int_t)score->doubts, "seconds_a_case", seconds_a_case(state, score),
                     "caught", caught_json(score->caught[0], score->tried[0]));
}

static json_t *ab_json(const struct ab_score *ab)
{
    size_t tried[SLOWDOWNS][WORKLOADS];
    for (size_t s = 0; s < SLOWDOWNS; s++)
        for (size_t w = 0; w < WORKLOADS; w++)
            tried[s][w] = ab->runs;
    return json_pack("{s:I, s:I, s:I, s:f, s:f, s:o}", "runs", (json_int_t)ab->runs, "alarmed_runs",
                     (json_int_t)ab->alarmed_runs, "one_per_cent_caught",
                     (json_int_t)ab->one_per_cent, "one_per_cent_seconds", ab->one_per_cent_seconds,
                     "seconds_a_case", ab->seconds, "caught", caught_json(ab->caught[0], tried[0]));
}

static bool json_write(const struct options *options, const struct state *states,
                       struct kg_error *err)
{
    char path[4096];
    json_t *root = json_object();
    for (size_t i = 0; i < STATES; i++) {
        json_t *scores = json_array();
        for (size_t k = 0; k < states[i].score_count; k++)
            json_array_append_new(scores, score_json(&states[i], &states[i].scores[k]));
        json_object_set_new(root, state_names[i],
                            json_pack("{s:o, s:o}", "rules", scores, "ab", ab_json(&states[i].ab)));
    }
    char *text = json_dumps(root, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
    json_decref(root);
    snprintf(path, sizeof path, "%s/verdicts.json", options->output);
    const bool good = text ? kg_file_write(path, text, strlen(text), err) : kg_error_memory(err);
    free(text);
    return good;
}

/* The table that power.gnuplot draws. */
static bool power_write(const struct options *options, const struct state *state, const char *name,
                        struct kg_error *err)
{
    struct kg_text text = {0};
    char path[4096];
    kg_text_append(&text, "slowdown_percent \"kgate ab\"");
    for (size_t k = 0; k < state->score_count; k++)
        kg_text_printf(&text, " \"%s\"", state->scores[k].name);
    kg_text_printf(&text, "\n0 %g", share(state->ab.alarmed_runs, state->ab.runs * WORKLOADS));
    for (size_t k = 0; k < state->score_count; k++)
        kg_text_printf(&text, " %g",
                       share(state->scores[k].case_alarms, state->scores[k].gates * CASES));
    for (size_t s = 0; s < SLOWDOWNS; s++) {
        kg_text_printf(&text, "\n%g %g", slowdowns[s], ab_caught_share(&state->ab, s));
        for (size_t k = 0; k < state->score_count; k++)
            kg_text_printf(&text, " %g", caught_share(&state->scores[k], s));
    }
    kg_text_append(&text, "\n");
    snprintf(path, sizeof path, "%s/power-%s.txt", options->output, name);
    const bool good = kg_file_write(path, kg_text_string(&text), text.length, err);
    kg_text_free(&text);
    return good;
}

static bool options_read(int argc, char **argv, struct options *options)
{
    *options = (struct options){.output = ".", .runs = 3, .ab_runs = 2};
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--plugins"))
            options->plugins = argv[i + 1];
        else if (!strcmp(argv[i], "--output"))
            options->output = argv[i + 1];
        else if (!strcmp(argv[i], "--judge"))
            options->judge = argv[i + 1];
        else if (!strcmp(argv[i], "--state"))
            options->state = argv[i + 1];
        else if (!strcmp(argv[i], "--runs"))
            options->runs = strtoul(argv[i + 1], NULL, 10);
        else if (!strcmp(argv[i], "--ab"))
            options->ab_runs = strtoul(argv[i + 1], NULL, 10);
        else
            return false;
    }
    return (options->plugins || options->judge) && options->runs > 1 && options->ab_runs > 0;
}

int main(int argc, char **argv)
{
    struct options options;
    struct state states[STATES] = {0};
    struct kg_error err;
    bool good = true;
    if (argc > 1 && !strcmp(argv[1], "worker"))
        return kg_worker_main();
    if (!options_read(argc, argv, &options)) {
        fprintf(stderr, "usage: verdicts --plugins DIR | --judge DIR [--runs N] [--ab N] [--state "
                        "quiet|neighbour] "
                        "[--output DIR]\n");
        return 2;
    }
    for (size_t i = 0; i < STATES && good; i++)
        if (!options.state || !strcmp(options.state, state_names[i]))
            good = state_measure(&options, i, &states[i], &err);
    for (size_t i = 0; i < STATES && good; i++) {
        if (!states[i].score_count)
            continue;
        table_print(&states[i], state_names[i]);
        workloads_print(&states[i]);
        good = power_write(&options, &states[i], state_names[i], &err);
    }
    good = good && json_write(&options, states, &err);
    if (good)
        return 0;
    fprintf(stderr, "verdicts: %s\n", err.message);
    return 3;
}
