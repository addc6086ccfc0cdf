/* growth.c: what must take no more than in proportion to the number of cases, each on two suites.
 * Under Callgrind each step's instructions are written with its name and the number of cases, for
 * growth.py. Without Valgrind it prints nothing.
 *     growth CASES... */
#include "test_support.h"

#include <valgrind/callgrind.h>

#include "gate/calibrate.h"
#include "judge/waivers_apply.h"
#include "model/journal.h"
#include "model/suite.h"
#include "run/import/import.h"
#include "show/report.h"
#include "suite/plan.h"
#include "why/evidence/gather.h"
#include "why/suggest.h"

enum { ROUNDS = 6, SCREENED = 3, TEXT_MOST = 512, SWEEP = 8 };
static const double SLOWER = 1.5, FASTER = 0.3;

static struct kg_error err;

/* What a gate has of a suite whose every case became slower. */
struct scene {
    size_t cases;
    struct kg_results base, current;
    struct kg_baseline baseline;
    struct kg_comparison comparison;
    struct kg_suggestions suggestions;
};

static void need(bool good)
{
    if (good)
        return;
    fprintf(stderr, "%s\n", err.message);
    exit(EXIT_FAILURE);
}

/* One sweep of SWEEP sizes by two versions after the other: neighbours for suggestions. */
static void params_set(struct kg_arena *arena, struct kg_case_result *result, size_t index)
{
    struct kg_pair *params = kg_arena_alloc(arena, 2, sizeof *params);
    need(params != NULL);
    params[0] = (struct kg_pair){"version", index % 2 ? "fast" : "plain"};
    params[1] = (struct kg_pair){"size", kg_arena_printf(arena, "%zu", 1 + index / 2 % SWEEP)};
    result->params = params;
    result->param_count = 2;
    result->target = kg_arena_printf(arena, "t%zu", index / (2 * SWEEP));
}

static void results_make(struct kg_results *results, size_t cases, double factor)
{
    support_results(results, cases, ROUNDS, 1000);
    for (size_t i = 0; i < cases; i++) {
        struct kg_case_result *result = &results->cases[i];
        params_set(&results->arena, result, i);
        result->metrics = 1U << KG_METRIC_TIME;
        result->look.instructions = 1000 * factor;
        for (size_t r = 0; r < ROUNDS; r++)
            result->rounds[r].confirms = r >= SCREENED;
        support_slow(result, factor * (i % 2 ? FASTER : 1));
    }
}

/* --- The steps -------------------------------------------------------------------------------- */

static void suite_step(struct scene *scene)
{
    static const struct kg_machine machine = {.fingerprint = "f", .cuda_missing = "none"};
    static const struct kg_plan_options options = {0};
    char text[TEXT_MOST];
    struct kg_suite suite;
    struct kg_plan plan;
    const int length =
        snprintf(text, sizeof text,
                 "version: 1\nsuite: s\nworkloads:\n  - {name: w, command: ['true', '{i}'], "
                 "matrix: {i: {range: [1, %zu, 1]}}}\n",
                 scene->cases);
    need(kg_suite_parse("s.yaml", text, (size_t)length, NULL, 0, &suite, &err));
    need(kg_plan_make(&suite, &machine, &options, &plan, &err));
    need(plan.case_count == scene->cases);
    kg_plan_free(&plan);
    kg_suite_free(&suite);
}

static void baseline_step(struct scene *scene)
{
    kg_baseline_from_results(&scene->base, &scene->baseline);
}

/* Screened, suspected, confirmed, judged: all that `gate` decides. */
static void gate_step(struct scene *scene)
{
    struct kg_replay replay;
    struct kg_round_limits *limits = calloc(scene->cases, sizeof *limits);
    need(limits != NULL);
    for (size_t i = 0; i < scene->cases; i++)
        limits[i] = (struct kg_round_limits){SCREENED, ROUNDS};
    kg_replay_start(&replay, &scene->current, NULL);
    need(kg_replay_run(&replay, limits, &scene->baseline, &scene->comparison, &err));
    kg_replay_free(&replay);
    free(limits);
}

static int by_kind_and_id(const void *a, const void *b)
{
    const struct kg_waiver *x = a, *y = b;
    return x->kind != y->kind ? (x->kind > y->kind) - (x->kind < y->kind) : strcmp(x->id, y->id);
}

/* Every case is accepted, and in quarantine. */
static void waive_step(struct scene *scene)
{
    struct kg_waivers waivers = {.path = "s.accepted.yaml"};
    const struct kg_waiving waiving = {.waivers = &waivers, .today = "2026-01-31"};
    waivers.waivers = kg_arena_alloc(&waivers.arena, 2 * scene->cases, sizeof *waivers.waivers);
    need(waivers.waivers != NULL);
    for (size_t kind = KG_WAIVER_ACCEPTED; kind <= KG_WAIVER_QUARANTINED; kind++)
        for (size_t i = 0; i < scene->cases; i++)
            waivers.waivers[waivers.count++] = (struct kg_waiver){
                .kind = (enum kg_waiver_kind)kind,
                .id = scene->current.cases[i].id,
                .metric = kind == KG_WAIVER_ACCEPTED ? kg_metric_kind_names[KG_METRIC_TIME] : NULL,
                .change = 1,
                .because = "known",
                .since = "2026-01-01T00:00:00Z"};
    qsort(waivers.waivers, waivers.count, sizeof *waivers.waivers, by_kind_and_id);
    CALLGRIND_ZERO_STATS; /* reading the file has sorted them */
    kg_comparison_waive(&scene->comparison, &scene->baseline, &scene->current, &waiving);
    kg_waivers_free(&waivers);
}

static void suggest_step(struct scene *scene)
{
    const struct kg_suggest_input input = {.source = "results.json",
                                           .results = &scene->current,
                                           .baseline = &scene->baseline,
                                           .comparison = &scene->comparison};
    kg_suggest(&input, &scene->suggestions);
    need(scene->suggestions.suggestion_count >= scene->cases / 4);
    need(scene->suggestions.change_count >= scene->cases / 4);
}

/* A recording of a call of each case, with a scope inside. */
static void profile_make(struct kg_profile *profile, const struct kg_results *results)
{
    enum { ROWS = 2 };
    const size_t cases = results->case_count;
    struct kg_arena *arena = &profile->arena;
    profile->processes = kg_arena_alloc(arena, cases, sizeof *profile->processes);
    profile->rows = kg_arena_alloc(arena, ROWS * cases, sizeof *profile->rows);
    profile->shares = kg_arena_alloc(arena, ROWS * cases, sizeof *profile->shares);
    need(profile->processes && profile->rows && profile->shares);
    for (size_t i = 0; i < cases; i++) {
        const char *id = results->cases[i].id;
        profile->processes[i] = (struct kg_profile_process){
            .label = id, .wall_ns = 1000, .sample = 1, .threads = 1, .complete = true};
        for (size_t depth = 0; depth < ROWS; depth++) {
            const size_t row = ROWS * i + depth;
            profile->rows[row].path = (struct kg_profile_path){
                .name = depth ? "part" : id, .parent = ROWS * i, .depth = depth, .device = "cpu"};
            profile->rows[row].figures = (struct kg_profile_figures){.calls = 1, .total_ns = 900};
            profile->shares[row] = (struct kg_profile_share){.row = row,
                                                             .process = i,
                                                             .thread = 1,
                                                             .calls = 1,
                                                             .total_ns = depth ? 800 : 1000,
                                                             .end_ns = 1000};
        }
    }
    profile->process_count = cases;
    profile->row_count = profile->share_count = ROWS * cases;
}

static void scopes_step(struct scene *scene)
{
    struct kg_profile profile = {0};
    struct kg_facts_list cases, scopes;
    struct kg_arena arena = {0};
    const struct kg_suggest_input input = {
        .source = "results.json", .results = &scene->current, .profile = &profile};
    profile_make(&profile, &scene->current);
    kg_facts_gather(&input, &arena, &cases, &scopes);
    need(scopes.count == scene->cases);
    kg_arena_free(&arena);
    kg_profile_free(&profile);
}

static void terminal_step(struct scene *scene)
{
    const struct kg_report_style style = {.verbose = true};
    struct kg_text text = {0};
    kg_report_comparison(&scene->comparison, &scene->suggestions, &style, &text);
    kg_report_suggestions(&scene->suggestions, &style, &text);
    need(!text.failed);
    kg_text_free(&text);
}

static void markdown_step(struct scene *scene)
{
    const struct kg_report_style style = {.page = true, .verbose = true};
    struct kg_text text = {0};
    kg_report_comparison(&scene->comparison, &scene->suggestions, &style, &text);
    need(!text.failed && text.length < KG_MARKDOWN_MOST);
    kg_text_free(&text);
}

static void journal_read(const char *path)
{
    struct kg_results results;
    need(kg_results_load(path, &results, &err));
    need(results.case_count && results.cases[0].round_count == 1);
    kg_results_free(&results);
}

/* A run's journal, and its results read back from it, as after a kill. It comes last: the results
 * lose their rounds. */
static void journal_step(struct scene *scene)
{
    struct kg_journal journal;
    char path[96];
    const char *folder = support_folder();
    snprintf(path, sizeof path, "%s/r.json", folder);
    for (size_t i = 0; i < scene->cases; i++)
        scene->current.cases[i].round_count = 0;
    need(kg_journal_open(path, &scene->current, &journal, &err));
    for (size_t i = 0; i < scene->cases; i++)
        need(kg_journal_round(&journal, i, &scene->current.cases[i].rounds[0], &err));
    kg_journal_close(&journal);
    journal_read(journal.path);
    support_remove(folder);
}

/* Two files of a Google Benchmark program: two rounds of as many cases. */
static void import_step(struct scene *scene)
{
    enum { FILES = 2 };
    static const struct kg_import_options options = {0};
    char paths[FILES][96];
    const char *const operands[FILES] = {paths[0], paths[1]};
    const char *folder = support_folder();
    struct kg_results results;
    for (size_t f = 0; f < FILES; f++) {
        snprintf(paths[f], sizeof paths[f], "%s/%zu.json", folder, f);
        FILE *file = fopen(paths[f], "w");
        need(file != NULL);
        fprintf(file,
                "{\"context\": {\"library_build_type\": \"release\", \"num\": %zu}, "
                "\"benchmarks\": [",
                f);
        for (size_t i = 0; i < scene->cases; i++)
            fprintf(file,
                    "%s{\"name\": \"BM_copy/%zu\", \"run_name\": \"BM_copy/%zu\", \"run_type\": "
                    "\"iteration\", \"iterations\": 9, \"real_time\": 5.5, \"cpu_time\": 5.5, "
                    "\"time_unit\": \"ns\"}",
                    i ? ", " : "", i, i);
        fputs("]}", file);
        need(fclose(file) == 0);
    }
    need(kg_import(operands, FILES, &options, &results, &err));
    need(results.case_count == scene->cases && results.cases[0].round_count == FILES);
    kg_results_free(&results);
    support_remove(folder);
}

/* --- All of them ------------------------------------------------------------------------------ */

/* In their order: a step needs what those before it made. */
static const struct step {
    const char *name;
    void (*take)(struct scene *scene);
} steps[] = {
    {"suite and plan", suite_step}, {"baseline", baseline_step},   {"gate", gate_step},
    {"waivers", waive_step},        {"suggestions", suggest_step}, {"scopes", scopes_step},
    {"terminal", terminal_step},    {"markdown", markdown_step},   {"journal", journal_step},
    {"import", import_step}};

/* Takes every step on a suite of so many cases. Without `counted` no counts are written. */
static void scene_count(size_t cases, bool counted)
{
    struct scene scene = {.cases = cases};
    results_make(&scene.base, cases, 1);
    results_make(&scene.current, cases, SLOWER);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s: %zu", steps[i].name, cases);
        CALLGRIND_ZERO_STATS;
        steps[i].take(&scene);
        if (counted)
            CALLGRIND_DUMP_STATS_AT(name);
    }
    kg_suggestions_free(&scene.suggestions);
    kg_comparison_free(&scene.comparison);
    kg_baseline_free(&scene.baseline);
    kg_results_free(&scene.base);
    kg_results_free(&scene.current);
}

int main(int count, char **words)
{
    /* The first use of a library costs once: that cost must not fall on the smallest suite. */
    scene_count(1, false);
    for (int i = 1; i < count; i++)
        scene_count(strtoul(words[i], NULL, 10), true);
    return EXIT_SUCCESS;
}
