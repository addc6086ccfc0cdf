/* From results to suggestions: what is asked of which rule is tested with the rules; here is what
 * is made of their answers, and that nonsense makes nothing. */
#include "test_support.h"

#include "suggest/explanation.h"
#include "suggest/gather.h"
#include "suggest/suggest.h"

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
    struct kg_error err;
    const struct kg_suggest_input input = {.source = "r.json", .results = results};
    assert_true(kg_suggest(&input, suggestions, &err));
}

static void the_slower_versions_are_told_by_time_saved(void **state)
{
    (void)state;
    struct kg_results results;
    struct kg_suggestions suggestions;
    results_make(&results);
    suggest(&results, &suggestions);
    kg_results_free(&results); /* nothing is borrowed */
    assert_int_equal(suggestions.suggestion_count, 2);
    const struct kg_suggestion *first = &suggestions.suggestions[0];
    assert_string_equal(first->operation, "work/n=2,version=slow/cpu");
    assert_string_equal(first->rule, "slower_version");
    assert_int_equal(first->basis, KG_BASIS_MEASURED);
    assert_float_equal(first->current_ns, 6e6, 1);
    assert_float_equal(first->estimated_ns, 2e6, 1);
    assert_float_equal(first->saved_ns, 4e6, 1);
    assert_float_equal(first->speedup, 3, 1e-6);
    assert_string_equal(suggestions.suggestions[1].operation, "work/n=1,version=slow/cpu");
    assert_non_null(strstr(first->hint, "work/n=2,version=fast/cpu"));
    assert_true(first->evidence_count > 0);
    kg_suggestions_free(&suggestions);
}

/* Amdahl: 4 of 12 ms are saved, if one call of every case is the whole. */
static void the_whole_is_one_call_of_every_case(void **state)
{
    (void)state;
    struct kg_results results;
    struct kg_suggestions suggestions;
    results_make(&results);
    suggest(&results, &suggestions);
    assert_float_equal(suggestions.suggestions[0].whole_ns, 12e6, 10);
    assert_float_equal(suggestions.suggestions[0].whole_speedup, 1.5, 1e-6);
    kg_suggestions_free(&suggestions);
    kg_results_free(&results);
}

static void every_case_with_times_has_a_finding_the_slowest_first(void **state)
{
    (void)state;
    struct kg_results results;
    struct kg_suggestions suggestions;
    results_make(&results);
    results.cases[0].status = KG_STATUS_FAILED;
    results.cases[0].round_count = 0;
    kg_case_summarize(&results.cases[0]);
    suggest(&results, &suggestions);
    assert_int_equal(suggestions.finding_count, 3);
    assert_string_equal(suggestions.findings[0].operation, "work/n=2,version=slow/cpu");
    assert_float_equal(suggestions.findings[0].time_ns, 6e6, 1);
    assert_string_equal(suggestions.findings[2].operation, "work/n=2,version=fast/cpu");
    assert_non_null(strstr(suggestions.notes[0], "1 of 4 cases have no times"));
    kg_suggestions_free(&suggestions);
    kg_results_free(&results);
}

static bool noted(const struct kg_suggestions *suggestions, const char *words)
{
    for (size_t i = 0; i < suggestions->note_count; i++)
        if (strstr(suggestions->notes[i], words))
            return true;
    return false;
}

static void what_is_missing_is_noted(void **state)
{
    (void)state;
    struct kg_results results;
    struct kg_suggestions suggestions;
    struct kg_error err;
    results_make(&results);
    suggest(&results, &suggestions);
    assert_true(noted(&suggestions, "no profile"));
    assert_false(noted(&suggestions, "no ceilings"));
    kg_suggestions_free(&suggestions);
    results.cpu_ceilings = (struct kg_cpu_ceilings)KG_CPU_CEILINGS_NONE;
    suggest(&results, &suggestions);
    assert_true(noted(&suggestions, "no ceilings of the CPU in these results: they were measured "
                                    "by an older kgate"));
    kg_suggestions_free(&suggestions);
    results.cpu_ceilings.reason = "the worker died";
    results.profile = "gone.kgprof";
    const struct kg_suggest_input input = {
        .source = "r.json", .results = &results, .note = "the profile is gone"};
    assert_true(kg_suggest(&input, &suggestions, &err));
    assert_true(noted(&suggestions, "no ceilings of the CPU in these results: the worker died"));
    assert_true(noted(&suggestions, "the profile is gone"));
    assert_false(noted(&suggestions, "no profile"));
    kg_suggestions_free(&suggestions);
    kg_results_free(&results);
}

static void cpus_that_others_had_are_noted(void **state)
{
    (void)state;
    struct kg_results results;
    struct kg_suggestions suggestions;
    results_make(&results);
    results.cases[1].threads = 2;
    for (size_t r = 0; r < results.cases[1].round_count; r++) {
        struct kg_round *round = &results.cases[1].rounds[r];
        round->calls = 1;
        round->wall_ns = round->cpu_ns;
        round->involuntary_switches = 0;
    }
    suggest(&results, &suggestions);
    assert_false(noted(&suggestions, "other programs"));
    kg_suggestions_free(&suggestions);
    for (size_t r = 0; r < results.cases[1].round_count; r++)
        results.cases[1].rounds[r].involuntary_switches = 3;
    suggest(&results, &suggestions);
    assert_true(noted(&suggestions, "other programs had the CPUs of 1 of 4 cases"));
    kg_suggestions_free(&suggestions);
    kg_results_free(&results);
}

static void more_threads_than_cpus_are_no_more_than_these(void **state)
{
    (void)state;
    struct kg_results results;
    struct kg_facts_list cases, scopes;
    struct kg_arena arena = {0};
    struct kg_error err;
    const struct kg_suggest_input input = {.source = "r.json", .results = &results};
    results_make(&results);
    results.machine.cpu_count = 2;
    results.cases[0].threads = 64;
    results.cases[1].threads = 2;
    assert_true(kg_facts_gather(&input, &arena, &cases, &scopes, &err));
    assert_true(cases.of[0].traits.threads == 2);
    assert_true(cases.of[0].thread_scaling == cases.of[1].thread_scaling);
    assert_true(cases.of[1].traits.threads == 2 && cases.of[2].traits.threads == 1);
    kg_arena_free(&arena);
    kg_results_free(&results);
}

static void a_baseline_that_cannot_be_used_is_noted(void **state)
{
    (void)state;
    struct kg_results results;
    struct kg_suggestions suggestions;
    struct kg_baseline baseline;
    struct kg_error err;
    results_make(&results);
    assert_true(kg_baseline_from_results(&results, &baseline, &err));
    const struct kg_suggest_input input = {
        .source = "r.json", .results = &results, .baseline = &baseline};
    assert_true(kg_suggest(&input, &suggestions, &err));
    assert_false(noted(&suggestions, "the baseline cannot be used"));
    kg_suggestions_free(&suggestions);
    baseline.fingerprint = "elsewhere";
    assert_true(kg_suggest(&input, &suggestions, &err));
    assert_true(noted(&suggestions, "what changed is not told, the baseline cannot be used: it is "
                                    "of another machine, 'elsewhere'"));
    kg_suggestions_free(&suggestions);
    kg_baseline_free(&baseline);
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

/* Each of a case's and a machine's figures in turn made 0, NaN, infinite and negative. */
static void nonsense_gives_no_silly_figure(void **state)
{
    (void)state;
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
                               &victim->threshold,
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

static void without_any_time_there_is_nothing_and_it_is_said(void **state)
{
    (void)state;
    struct kg_results results;
    struct kg_suggestions suggestions;
    results_make(&results);
    for (size_t i = 0; i < results.case_count; i++)
        results.cases[i].summary.median_ns = 0;
    suggest(&results, &suggestions);
    assert_int_equal(suggestions.suggestion_count, 0);
    assert_int_equal(suggestions.finding_count, 0);
    assert_true(noted(&suggestions, "4 of 4 cases have no times"));
    kg_suggestions_free(&suggestions);
    kg_results_free(&results);
}

static void thresholds_are_those_of_the_results_unless_others_are_given(void **state)
{
    (void)state;
    struct kg_results results;
    struct kg_suggestions suggestions;
    struct kg_suggest_settings strict = {.min_gain = 0.9};
    struct kg_error err;
    results_make(&results);
    results.suggest.min_gain = 0.25;
    suggest(&results, &suggestions);
    assert_float_equal(suggestions.settings.min_gain, 0.25, 0);
    assert_int_equal(suggestions.suggestion_count, 2);
    kg_suggestions_free(&suggestions);
    const struct kg_suggest_input input = {
        .source = "r.json", .results = &results, .settings = &strict};
    assert_true(kg_suggest(&input, &suggestions, &err));
    assert_int_equal(suggestions.suggestion_count, 0);
    kg_suggestions_free(&suggestions);
    kg_results_free(&results);
}

/* --- One case -------------------------------------------------------------------------------- */

static void a_case_is_meant_by_its_id_a_glob_or_a_part(void **state)
{
    (void)state;
    struct kg_results results;
    struct kg_error err;
    size_t index;
    results_make(&results);
    assert_true(kg_explanation_find(&results, "work/n=2,version=fast/cpu", &index, &err));
    assert_int_equal(index, 1);
    assert_true(kg_explanation_find(&results, "*n=1*slow*", &index, &err));
    assert_int_equal(index, 2);
    assert_true(kg_explanation_find(&results, "n=2,version=slow", &index, &err));
    assert_int_equal(index, 3);
    assert_false(kg_explanation_find(&results, "n=2", &index, &err));
    assert_non_null(strstr(err.message, "is 2 cases"));
    assert_non_null(strstr(err.message, "work/n=2,version=fast/cpu"));
    assert_false(kg_explanation_find(&results, "wrk/n=2,version=fast/cpu", &index, &err));
    assert_non_null(strstr(err.message, "did you mean 'work/n=2,version=fast/cpu'?"));
    assert_int_equal(err.kind, KG_ERROR_USAGE);
    kg_results_free(&results);
}

static void an_explained_case_has_its_relatives_and_its_suggestions_alone(void **state)
{
    (void)state;
    struct kg_results results;
    struct kg_suggestions suggestions;
    struct kg_explanation explanation;
    struct kg_error err;
    results_make(&results);
    suggest(&results, &suggestions);
    const struct kg_suggest_input input = {.source = "r.json", .results = &results};
    assert_true(kg_explain(&input, 2, &suggestions, &explanation, &err));
    assert_int_equal(suggestions.suggestion_count, 1);
    assert_int_equal(suggestions.finding_count, 1);
    assert_int_equal(explanation.relative_count, 2);
    assert_string_equal(explanation.relatives[0].differs, "n");
    assert_float_equal(explanation.relatives[0].ratio, 2, 1e-6);
    assert_string_equal(explanation.relatives[1].differs, "version");
    assert_float_equal(explanation.relatives[1].ratio, 1. / 3, 1e-6);
    json_t *json = kg_explanation_json(&explanation);
    assert_non_null(json);
    assert_float_equal(json_real_value(json_object_get(json_object_get(json, "traits"), "time_ns")),
                       3e6, 1);
    json_decref(json);
    kg_explanation_free(&explanation);
    kg_suggestions_free(&suggestions);
    kg_results_free(&results);
}

static void commands_are_of_the_device_and_safe_to_paste(void **state)
{
    (void)state;
    struct kg_results results;
    struct kg_deeper *deeper;
    struct kg_arena arena = {0};
    size_t count;
    results_make(&results);
    results.suite_path = "my suite.yaml";
    results.cases[0].id = "it's/[a]=*?/cpu";
    results.cases[0].metrics = 1U << KG_METRIC_TIME;
    assert_true(kg_deeper_find(&results, &results.cases[0], &arena, &deeper, &count));
    for (size_t i = 0; i < count; i++) {
        /* perf is to see the calls, and no simulation of them */
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
    assert_true(kg_deeper_find(&results, &results.cases[0], &arena, &deeper, &count));
    assert_non_null(strstr(deeper[1].shows, "kgate's counting is seen too"));
    results.cases[0].device = "cuda";
    results.machine.gpu_chosen = 1;
    struct kg_kernel_use kernels[] = {{.name = "fill", .gpu_ns = 1},
                                      {.name = "ns::copy_plain<float, 4>", .gpu_ns = 2}};
    results.cases[0].trace.kernels = kernels;
    results.cases[0].trace.kernel_count = 2;
    assert_true(kg_deeper_find(&results, &results.cases[0], &arena, &deeper, &count));
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_slower_versions_are_told_by_time_saved),
        cmocka_unit_test(cpus_that_others_had_are_noted),
        cmocka_unit_test(more_threads_than_cpus_are_no_more_than_these),
        cmocka_unit_test(the_whole_is_one_call_of_every_case),
        cmocka_unit_test(every_case_with_times_has_a_finding_the_slowest_first),
        cmocka_unit_test(what_is_missing_is_noted),
        cmocka_unit_test(a_baseline_that_cannot_be_used_is_noted),
        cmocka_unit_test(nonsense_gives_no_silly_figure),
        cmocka_unit_test(without_any_time_there_is_nothing_and_it_is_said),
        cmocka_unit_test(thresholds_are_those_of_the_results_unless_others_are_given),
        cmocka_unit_test(a_case_is_meant_by_its_id_a_glob_or_a_part),
        cmocka_unit_test(an_explained_case_has_its_relatives_and_its_suggestions_alone),
        cmocka_unit_test(commands_are_of_the_device_and_safe_to_paste),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
