/* verdicts.c: kgate's rules beside rules of other tools on the same rounds. It compares runs of the
 * same code, and runs of code made slower by known amounts, on a quiet machine and beside a bursty
 * neighbour. Prints a markdown table. Writes verdicts.json and, for each state, power-STATE.txt for
 * power.gnuplot.
 *     verdicts --plugins DIR [--runs N] [--output DIR]
 *     verdicts --judge DIR [--output DIR]       only judges the runs of an earlier call */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/file.h"
#include "base/json_print.h"
#include "judging.h"
#include "neighbour.h"
#include "recording.h"
#include "rules.h"
#include "run/worker/worker.h"

enum { STATES = 2, SCORES_MOST = 16, STORED = 5 };
static const char *const state_names[STATES] = {"quiet", "neighbour"};

struct options {
    const char *plugins;
    const char *output;
    const char *judge; /* a folder of runs measured before: only judges them */
    const char *state; /* the only one, or NULL */
    size_t runs;
};

struct state {
    struct score scores[SCORES_MOST];
    size_t score_count;
    double round_seconds;
};

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
}

static void workloads_print(const struct state *state)
{
    printf("\nkgate by workload, 10 %% caught with one stored run and five:\n\n"
           "| workload | one run | five runs |\n| :-- | --: | --: |\n");
    for (size_t w = 0; w < WORKLOADS; w++) {
        const size_t ten = 2;
        printf("| %s | %.0f %% | %.0f %% |\n", workload_names[w],
               100 * share(state->scores[0].caught[ten][w], state->scores[0].tried[ten][w]),
               100 * share(state->scores[1].caught[ten][w], state->scores[1].tried[ten][w]));
    }
    printf(
        "\nCases called INCONCLUSIVE without a change: %.1f %% (one stored run), %.1f %% (five).\n",
        100 * share(state->scores[0].doubts, state->scores[0].gates * CASES),
        100 * share(state->scores[1].doubts, state->scores[1].gates * CASES));
}

/* {"2": {"compute": share, …}, …} of two arrays [SLOWDOWNS][WORKLOADS]. */
static void caught_put(struct kg_json_writer *writer, const size_t *caught, const size_t *tried)
{
    kg_json_begin(writer, "caught", "{");
    for (size_t s = 0; s < SLOWDOWNS; s++) {
        char key[16];
        snprintf(key, sizeof key, "%g", slowdowns[s]);
        kg_json_begin(writer, key, "{");
        for (size_t w = 0; w < WORKLOADS; w++)
            kg_json_put_real(writer, workload_names[w],
                             share(caught[s * WORKLOADS + w], tried[s * WORKLOADS + w]));
        kg_json_finish(writer, "}");
    }
    kg_json_finish(writer, "}");
}

static void score_put(struct kg_json_writer *writer, const struct state *state,
                      const struct score *score)
{
    kg_json_begin(writer, NULL, "{");
    kg_json_put_string(writer, "rule", score->name);
    kg_json_put_whole(writer, "gates", (int64_t)score->gates);
    kg_json_put_whole(writer, "gate_alarms", (int64_t)score->gate_alarms);
    kg_json_put_whole(writer, "case_alarms", (int64_t)score->case_alarms);
    kg_json_put_whole(writer, "inconclusive", (int64_t)score->doubts);
    kg_json_put_real(writer, "seconds_a_case", seconds_a_case(state, score));
    caught_put(writer, score->caught[0], score->tried[0]);
    kg_json_finish(writer, "}");
}

static bool json_write(const struct options *options, const struct state *states,
                       struct kg_error *err)
{
    char path[4096];
    struct kg_text text = {0};
    struct kg_json_writer writer = {.text = &text};
    kg_json_begin(&writer, NULL, "{");
    for (size_t i = 0; i < STATES; i++) {
        kg_json_begin(&writer, state_names[i], "{");
        kg_json_begin(&writer, "rules", "[");
        for (size_t k = 0; k < states[i].score_count; k++)
            score_put(&writer, &states[i], &states[i].scores[k]);
        kg_json_finish(&writer, "]");
        kg_json_finish(&writer, "}");
    }
    kg_json_finish(&writer, "}");
    snprintf(path, sizeof path, "%s/verdicts.json", options->output);
    const bool good =
        text.failed ? kg_error_memory(err) : kg_file_write(path, text.data, text.length, err);
    kg_text_free(&text);
    return good;
}

/* The table that power.gnuplot draws. */
static bool power_write(const struct options *options, const struct state *state, const char *name,
                        struct kg_error *err)
{
    struct kg_text text = {0};
    char path[4096];
    kg_text_append(&text, "slowdown_percent");
    for (size_t k = 0; k < state->score_count; k++)
        kg_text_printf(&text, " \"%s\"", state->scores[k].name);
    kg_text_append(&text, "\n0");
    for (size_t k = 0; k < state->score_count; k++)
        kg_text_printf(&text, " %g",
                       share(state->scores[k].case_alarms, state->scores[k].gates * CASES));
    for (size_t s = 0; s < SLOWDOWNS; s++) {
        kg_text_printf(&text, "\n%g", slowdowns[s]);
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
    *options = (struct options){.output = ".", .runs = 3};
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
        else
            return false;
    }
    return (options->plugins || options->judge) && options->runs > 1;
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
        fprintf(stderr, "usage: verdicts --plugins DIR | --judge DIR [--runs N] [--state "
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
