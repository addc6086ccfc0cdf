/* From results to suggestions. The rules' own tests cover the rules. Here are the results of their
 * answers, and nonsense, which gives no suggestion. */
#include "base/json_tree.h"
#include "test_support.h"

#include "why/evidence/gather.h"
#include "why/explanation.h"
#include "why/suggest.h"

static const struct kg_cpu_ceiling one_thread = {1, 5e9, 40e9, 200e9, 80e9, 40e9, 10e9};
static const struct kg_cpu_ceiling all_threads = {2, 10e9, 80e9, 400e9, 160e9, 60e9, 16e9};

static void param_set(struct kg_results *results, struct kg_case_result *result, const char *id,
                      const char *n, const char *version)
{
    result->id = id;
    result->workload = result->target = "work";
    result->param_count = 2;
    result->params = kg_arena_alloc(&results->arena, 2, sizeof *result->params);
    result->params[0] = (struct kg_pair){"n", n};
    result->params[1] = (struct kg_pair){"version", version};
}

/* Four cases of one thread: two sizes in two versions, the second version three times as slow. */
static void results_make(struct kg_results *results)
{
    support_results(results, 4, 5, 1e6);
    results->cpu_ceilings.one = one_thread;
    results->cpu_ceilings.all = all_threads;
    results->cpu_ceilings.measured = "2026-01-31T12:00:00Z";
    param_set(results, &results->cases[0], "work/n=1,version=fast/cpu", "1", "fast");
    param_set(results, &results->cases[1], "work/n=2,version=fast/cpu", "2", "fast");
    param_set(results, &results->cases[2], "work/n=1,version=slow/cpu", "1", "slow");
    param_set(results, &results->cases[3], "work/n=2,version=slow/cpu", "2", "slow");
    support_slow(&results->cases[3], 1.5); /* 1, 2, 3, 6 ms */
    for (size_t i = 0; i < results->case_count; i++) {
        results->cases[i].threads = 1;
        for (size_t r = 0; r < results->cases[i].round_count; r++)
            results->cases[i].rounds[r].cpu_ns = results->cases[i].rounds[r].mean_ns =
                results->cases[i].rounds[r].median_ns;
    }
}

static void suggest(const struct kg_results *results, struct kg_suggestions *suggestions)
{
    const struct kg_suggest_input input = {.source = "r.json", .results = results};
    kg_suggest(&input, suggestions);
}

static void more_threads_than_cpus_are_no_more_than_these(void **state)
{
    struct kg_results results;
    struct kg_facts_list cases, scopes;
    struct kg_arena arena = {0};
    const struct kg_suggest_input input = {.source = "r.json", .results = &results};
    results_make(&results);
    results.machine.cpu_count = 2;
    results.cases[0].threads = 64;
    results.cases[1].threads = 2;
    kg_facts_gather(&input, &arena, &cases, &scopes);
    assert_true(cases.of[0].traits.threads == 2);
    assert_true(cases.of[0].thread_scaling == cases.of[1].thread_scaling);
    assert_true(cases.of[1].traits.threads == 2 && cases.of[2].traits.threads == 1);
    kg_arena_free(&arena);
    kg_results_free(&results);
}

static bool good(double value)
{
    return isnan(value) || (isfinite(value) && value >= 0);
}

static void no_figure_is_silly(const struct kg_suggestions *suggestions)
{
    for (size_t i = 0; i < suggestions->suggestion_count; i++) {
        const struct kg_suggestion *s = &suggestions->suggestions[i];
        assert_true(isfinite(s->current_ns) && s->current_ns > 0);
        assert_true(good(s->estimated_ns) && good(s->saved_ns) && good(s->whole_ns));
        assert_true(isnan(s->speedup) || (isfinite(s->speedup) && s->speedup > 1));
        assert_true(isnan(s->whole_speedup) ||
                    (isfinite(s->whole_speedup) && s->whole_speedup >= 1));
        assert_true(isfinite(s->saved_ns) || isfinite(s->estimated_bytes));
        for (size_t e = 0; e < s->evidence_count; e++)
            assert_true(isfinite(s->evidence[e].value));
    }
    for (size_t i = 0; i < suggestions->finding_count; i++)
        assert_true(isfinite(suggestions->findings[i].time_ns) &&
                    suggestions->findings[i].time_ns > 0);
}

/* Sets each number of a case and of a machine, one per trial, to 0, NaN, infinity and a negative
 * value. */
static void nonsense_gives_no_silly_figure(void **state)
{
    static const double nonsense[] = {0, NAN, INFINITY, -1, -INFINITY, 1e308, 1e-308};
    struct kg_results results;
    struct kg_suggestions suggestions;
    results_make(&results);
    struct kg_case_result *victim = &results.cases[3];
    double *const figures[] = {&victim->summary.median_ns,
                               &victim->breakdown.wall_ns,
                               &victim->breakdown.cpu_ns,
                               &victim->work.bytes,
                               &victim->work.flops,
                               &victim->work.items,
                               &victim->work.bytes_per_second,
                               &victim->work.flops_per_second,
                               &victim->look.alone_ns,
                               &victim->look.line_bytes,
                               &victim->rounds[0].cpu_ns,
                               &victim->rounds[0].mean_ns,
                               &victim->rounds[0].wall_ns,
                               &victim->series[0].threshold,
                               &results.cpu_ceilings.one.vector_flops_per_s,
                               &results.cpu_ceilings.one.scalar_flops_per_s,
                               &results.cpu_ceilings.one.memory_bytes_per_s,
                               &results.cpu_ceilings.l1_bytes,
                               &results.cpu_ceilings.l3_bytes,
                               &results.cpu_ceilings.page_fault_ns,
                               &results.cpu_ceilings.clock_hz,
                               &results.suggest.min_gain,
                               &results.suggest.attainable};
    victim->work.bytes = 1e6;
    victim->work.flops = 1e6;
    for (size_t f = 0; f < sizeof figures / sizeof *figures; f++)
        for (size_t n = 0; n < sizeof nonsense / sizeof *nonsense; n++) {
            const double before = *figures[f];
            *figures[f] = nonsense[n];
            suggest(&results, &suggestions);
            no_figure_is_silly(&suggestions);
            kg_suggestions_free(&suggestions);
            *figures[f] = before;
        }
    kg_results_free(&results);
}

/* --- One case -------------------------------------------------------------------------------- */

static void an_explained_case_has_its_relatives_and_its_suggestions_alone(void **state)
{
    struct kg_results results;
    struct kg_suggestions suggestions;
    struct kg_explanation explanation;
    struct kg_error err;
    results_make(&results);
    suggest(&results, &suggestions);
    const struct kg_suggest_input input = {.source = "r.json", .results = &results};
    kg_explain(&input, 2, &suggestions, &explanation);
    assert_int_equal(suggestions.suggestion_count, 1);
    assert_int_equal(suggestions.finding_count, 1);
    assert_int_equal(explanation.relative_count, 2);
    assert_string_equal(explanation.relatives[0].differs, "n");
    assert_float_equal(explanation.relatives[0].ratio, 2, 1e-6);
    assert_string_equal(explanation.relatives[1].differs, "version");
    assert_float_equal(explanation.relatives[1].ratio, 1. / 3, 1e-6);
    struct kg_text text = {0};
    struct kg_arena arena = {0};
    kg_explanation_json(&explanation, &text);
    const struct kg_json *json = kg_json_read("text", text.data, text.length, &arena, &err);
    assert_float_equal(kg_json_real(kg_json_pointer_find(json, "/traits/time_ns")), 3e6, 1);
    kg_arena_free(&arena);
    kg_text_free(&text);
    kg_explanation_free(&explanation);
    kg_suggestions_free(&suggestions);
    kg_results_free(&results);
}

static void commands_are_of_the_device_and_safe_to_paste(void **state)
{
    struct kg_results results;
    struct kg_deeper *deeper;
    struct kg_arena arena = {0};
    size_t count;
    results_make(&results);
    results.suite_path = "my suite.yaml";
    results.cases[0].id = "it's/[a]=*?/cpu";
    results.cases[0].metrics = 1U << KG_METRIC_TIME;
    kg_deeper_find(&results, &results.cases[0], &arena, &deeper, &count);
    for (size_t i = 0; i < count; i++) {
        /* perf must see the calls, but no simulation */
        const bool perf = strncmp(deeper[i].command, "perf ", 5) == 0;
        assert_true(perf == (strstr(deeper[i].command, " --set metrics=time ") != NULL));
        assert_true(perf == (strstr(deeper[i].command, " --set min_time=1s ") != NULL));
        assert_true(perf == (strstr(deeper[i].shows, "set-up and check") != NULL));
        assert_null(strstr(deeper[i].shows, "counting"));
        assert_non_null(strstr(deeper[i].command, "kgate run -c 'my suite.yaml' --filter "
                                                  "'it'\\''s/\\[a\\]=\\*\\?/cpu'"));
        assert_null(strstr(deeper[i].command, "ncu "));
    }
    results.cases[0].metrics |= 1U << KG_METRIC_INSTRUCTIONS;
    kg_deeper_find(&results, &results.cases[0], &arena, &deeper, &count);
    assert_non_null(strstr(deeper[1].shows, "includes kgate's counting"));
    results.cases[0].device = "cuda";
    results.machine.gpu_chosen = 1;
    struct kg_kernel_use kernels[] = {{.name = "fill", .gpu_ns = 1},
                                      {.name = "ns::copy_plain<float, 4>", .gpu_ns = 2}};
    results.cases[0].trace.kernels = kernels;
    results.cases[0].trace.kernel_count = 2;
    kg_deeper_find(&results, &results.cases[0], &arena, &deeper, &count);
    size_t ncu = 0;
    for (size_t i = 0; i < count; i++) {
        assert_non_null(strstr(deeper[i].command, " --device cuda:1 "));
        assert_null(strstr(deeper[i].command, "perf "));
        ncu += strstr(deeper[i].command, "ncu --target-processes all ") &&
               strstr(deeper[i].command, " --kernel-name regex:copy_plain kgate run ");
    }
    assert_int_equal(ncu, 1);
    kg_arena_free(&arena);
    kg_results_free(&results);
}

static void what_is_brief_has_the_same_suggestions_and_no_findings(void **state)
{
    struct kg_results results;
    struct kg_suggestions whole, brief;
    const struct kg_suggest_input input = {.source = "r.json", .results = &results, .brief = true};
    results_make(&results);
    suggest(&results, &whole);
    kg_suggest(&input, &brief);
    assert_int_equal(whole.finding_count, 4);
    assert_int_equal(brief.finding_count, 0);
    assert_true(whole.suggestion_count > 0);
    assert_int_equal(brief.suggestion_count, whole.suggestion_count);
    for (size_t i = 0; i < whole.suggestion_count; i++) {
        assert_string_equal(brief.suggestions[i].operation, whole.suggestions[i].operation);
        assert_string_equal(brief.suggestions[i].description, whole.suggestions[i].description);
    }
    kg_suggestions_free(&whole);
    kg_suggestions_free(&brief);
    kg_results_free(&results);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(more_threads_than_cpus_are_no_more_than_these),
        cmocka_unit_test(nonsense_gives_no_silly_figure),
        cmocka_unit_test(an_explained_case_has_its_relatives_and_its_suggestions_alone),
        cmocka_unit_test(what_is_brief_has_the_same_suggestions_and_no_findings),
        cmocka_unit_test(commands_are_of_the_device_and_safe_to_paste),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
