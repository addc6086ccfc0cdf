/* Suggestions and one explained case, as they are shown. */
#include "test_support.h"

#include "report/report.h"
#include "report/wrap.h"
#include "util/escape.h"

static void assert_has(const struct kg_text *text, const char *part)
{
    if (text->failed || !strstr(kg_text_string(text), part))
        fail_msg("expected '%s' in:\n%s", part, kg_text_string(text));
}

static void assert_has_not(const struct kg_text *text, const char *part)
{
    if (strstr(kg_text_string(text), part))
        fail_msg("did not expect '%s' in:\n%s", part, kg_text_string(text));
}

static struct kg_evidence_figure figure = {"cores_busy", "", 1.5, "cores busy: 1.50"};
static struct kg_suggestion list[2];
static struct kg_bound_finding findings[2];
static struct kg_evidence_change change;
static const char *notes[] = {"no profile"};

/* One that saves time and one about memory; of `operation`. */
static void suggestions_make(struct kg_suggestions *suggestions, const char *operation)
{
    list[0] = (struct kg_suggestion){.operation = operation,
                                     .kind = "case",
                                     .whole = operation,
                                     .device = "cpu",
                                     .rule = "unused_cores",
                                     .type = KG_TYPE_PARALLELIZATION,
                                     .priority = KG_PRIORITY_HIGH,
                                     .basis = KG_BASIS_MODELLED,
                                     .description = "One core of two is busy.",
                                     .hint = "Share the loop: `#pragma omp parallel for`.",
                                     .evidence = &figure,
                                     .evidence_count = 1,
                                     .current_ns = 4e6,
                                     .estimated_ns = 2e6,
                                     .saved_ns = 2e6,
                                     .speedup = 2,
                                     .whole_ns = 8e6,
                                     .whole_speedup = 8. / 6,
                                     .current_bytes = NAN,
                                     .estimated_bytes = NAN};
    list[1] = list[0];
    list[1].rule = "memory_workspace";
    list[1].type = KG_TYPE_MEMORY;
    list[1].basis = KG_BASIS_AT_MOST;
    list[1].priority = KG_PRIORITY_LOW;
    list[1].estimated_ns = list[1].saved_ns = list[1].speedup = NAN;
    list[1].current_bytes = 512 << 20;
    list[1].estimated_bytes = 128 << 20;
    findings[0] = (struct kg_bound_finding){.operation = operation,
                                            .kind = "case",
                                            .bound = KG_BOUND_MEMORY,
                                            .time_ns = 4e6,
                                            .share = 0.87,
                                            .text = "memory-bound: 87 % of the ceiling",
                                            .evidence = &figure,
                                            .evidence_count = 1};
    findings[1] = findings[0];
    findings[1].text = "unknown: no roof is near";
    findings[1].bound = KG_BOUND_UNKNOWN;
    change =
        (struct kg_evidence_change){operation, "bandwidth_share",
                                    "share",   0.82,
                                    0.41,      "bandwidth fell from 82 % to 41 % of its ceiling"};
    *suggestions = (struct kg_suggestions){.created = "2026-01-31T12:00:00Z",
                                           .kgate_version = "0.1.0",
                                           .suite = "suite",
                                           .source = "out dir/results.json",
                                           .settings = {.min_gain = 0.1},
                                           .changes = &change,
                                           .change_count = 1,
                                           .findings = findings,
                                           .finding_count = 2,
                                           .suggestions = list,
                                           .suggestion_count = 2,
                                           .notes = notes,
                                           .note_count = 1};
}

static void what_changed_comes_first_then_what_to_try_then_what_holds_back(void **state)
{
    (void)state;
    struct kg_suggestions suggestions;
    struct kg_text text = {0};
    const struct kg_report_style style = {0};
    suggestions_make(&suggestions, "a/cpu");
    kg_report_suggestions_text(&suggestions, &style, &text);
    assert_has(&text, "suite suite, 2 operations looked at: 2 suggestions (1 of priority high or "
                      "above)\n");
    assert_has(&text, "    bandwidth fell from 82 % to 41 % of its ceiling\n");
    assert_has(&text, "  1. high  a/cpu: unused_cores, parallelization\n"
                      "     2.00x here, 1.33x overall, saves 2.00 ms of 4.00 ms (modelled)\n"
                      "     One core of two is busy.\n"
                      "     try: Share the loop: `#pragma omp parallel for`.\n"
                      "     evidence: cores busy: 1.50\n");
    assert_has(&text, "     peak memory 512 MiB -> 128 MiB (at most)\n");
    assert_has(&text, "    memory-bound: 87 % of the ceiling\n");
    assert_has(&text, "  note: no profile\n");
    const char *changed = strstr(text.data, "bandwidth fell"), *first = strstr(text.data, "1. ");
    assert_true(changed < first && first < strstr(text.data, "memory-bound"));
    assert_has_not(&text, "\x1b");
    kg_text_free(&text);
}

static void an_estimate_of_what_there_is_to_gain_at_most_says_so(void **state)
{
    (void)state;
    struct kg_suggestions suggestions;
    struct kg_text text = {0};
    const struct kg_report_style style = {0};
    suggestions_make(&suggestions, "a/cpu");
    list[0].basis = KG_BASIS_AT_MOST;
    kg_report_suggestions_text(&suggestions, &style, &text);
    assert_has(&text, "     at most 2.00x here, 1.33x overall, saves 2.00 ms of 4.00 ms\n");
    kg_text_free(&text);
}

static void rows_are_limited_and_the_rest_is_counted(void **state)
{
    (void)state;
    struct kg_suggestions suggestions;
    struct kg_text text = {0};
    const struct kg_report_style style = {.top = 1};
    suggestions_make(&suggestions, "a/cpu");
    kg_report_suggestions_text(&suggestions, &style, &text);
    assert_has(&text, "… and 1 more; --top 0 shows all\n");
    assert_has(&text, "… and 1 more, each faster; --verbose shows all\n");
    assert_has_not(&text, "memory_workspace");
    kg_text_free(&text);
}

static void where_there_is_nothing_to_suggest_it_says_why(void **state)
{
    (void)state;
    struct kg_suggestions suggestions;
    struct kg_text text = {0};
    const struct kg_report_style style = {0};
    suggestions_make(&suggestions, "a/cpu");
    suggestions.suggestion_count = 0;
    kg_report_suggestions_text(&suggestions, &style, &text);
    assert_has(&text, "nothing to suggest: no rule finds 10 % of an operation's time to save\n");
    kg_text_free(&text);
    suggestions.left_out_count = 4;
    kg_report_suggestions_text(&suggestions, &style, &text);
    assert_has(&text, "looked at: 0 of 4 suggestions\n");
    assert_has(&text, "4 suggestions, none of the priority and type that were asked for\n");
    assert_has_not(&text, "nothing to suggest");
    kg_text_free(&text);
    suggestions.left_out_count = 0;
    findings[0].bound = KG_BOUND_UNKNOWN;
    kg_report_suggestions_text(&suggestions, &style, &text);
    assert_has(&text, "nothing to suggest: what was measured does not say what holds anything");
    kg_text_free(&text);
    suggestions.finding_count = 0;
    kg_report_suggestions_markdown(&suggestions, 0, &text);
    assert_has(&text, "nothing to suggest: there is no time of any operation\n");
    kg_text_free(&text);
}

static void lines_fit_the_terminal(void **state)
{
    (void)state;
    struct kg_text text = {0};
    kg_wrap(&text, "  try: ", "one two three four", 14);
    assert_string_equal(text.data, "  try: one two\n       three\n       four\n");
    kg_text_free(&text);
    kg_wrap(&text, "  ", "äöü äöü unbreakable", 9);
    assert_string_equal(text.data, "  äöü äöü\n  unbreakable\n");
    kg_text_free(&text);
    kg_wrap(&text, "- ", "one  two ", 0);
    assert_string_equal(text.data, "- one two\n");
    kg_text_free(&text);
    kg_text_append(&text, "1. ");
    kg_wrap_on(&text, 3, 2, "\x1b[1mone\x1b[0m two three", 10);
    assert_string_equal(text.data, "1. \x1b[1mone\x1b[0m two\n  three\n");
    kg_text_free(&text);
    kg_wrap(&text, "- ", "", 10);
    assert_string_equal(text.data, "- \n");
    kg_text_free(&text);
}

static void names_from_files_are_harmless(void **state)
{
    (void)state;
    struct kg_suggestions suggestions;
    struct kg_text text = {0};
    const struct kg_report_style style = {.colour = true, .id_most = 40};
    suggestions_make(&suggestions, "\x1b]0;x\x07 <b>@me</b> \xff");
    suggestions.suite = list[1].hint = change.text = findings[0].text = notes[0] =
        "\x1b]0;owned\x07<script>";
    kg_report_suggestions_text(&suggestions, &style, &text);
    notes[0] = "no profile";
    assert_has_not(&text, "\x1b]");
    assert_has_not(&text, "\x07");
    assert_has_not(&text, "\xff");
    kg_text_free(&text);
    suggestions_make(&suggestions, "\x1b]0;x\x07 <b>@me</b>");
    list[1].hint = change.text = findings[0].text = "<script> `a<b` `";
    kg_report_suggestions_markdown(&suggestions, 0, &text);
    assert_has_not(&text, "<script>");
    assert_has_not(&text, "<b>");
    assert_has_not(&text, "\x1b");
    assert_has(&text, "<code>a&lt;b</code> \\`");
    kg_text_free(&text);
}

/* Of `count`, all of the longest texts. */
static void hostile_make(struct kg_suggestions *suggestions, struct kg_arena *arena, size_t count)
{
    char *long_text = kg_arena_alloc(arena, 3001, 1);
    memset(long_text, '@', 3000);
    *suggestions = (struct kg_suggestions){.created = "2026-01-31T12:00:00Z",
                                           .kgate_version = "0.1.0",
                                           .suite = long_text,
                                           .source = long_text};
    suggestions_make(suggestions, long_text);
    suggestions->suite = long_text;
    list[0].rule = list[0].description = list[0].hint = figure.text = long_text;
    findings[0].text = change.text = long_text;
    suggestions->suggestions = kg_arena_alloc(arena, count, sizeof *suggestions->suggestions);
    suggestions->findings = kg_arena_alloc(arena, count, sizeof *suggestions->findings);
    suggestions->changes = kg_arena_alloc(arena, count, sizeof *suggestions->changes);
    suggestions->notes = kg_arena_alloc(arena, count, sizeof *suggestions->notes);
    for (size_t i = 0; i < count; i++) {
        suggestions->suggestions[i] = list[0];
        suggestions->findings[i] = findings[0];
        suggestions->changes[i] = change;
        suggestions->notes[i] = long_text;
    }
    suggestions->suggestion_count = suggestions->finding_count = suggestions->change_count =
        suggestions->note_count = count;
    figure.text = "cores busy: 1.50";
}

static void markdown_of_the_longest_texts_fits_a_comment(void **state)
{
    static const size_t sizes[] = {0, 1, 2, 5, 1000};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct kg_arena arena = {0};
        struct kg_suggestions suggestions;
        struct kg_text text = {0};
        hostile_make(&suggestions, &arena, sizes[i]);
        kg_report_suggestions_markdown(&suggestions, 0, &text);
        if (text.length >= KG_MARKDOWN_MOST)
            fail_msg("%zu suggestions: %zu bytes", sizes[i], text.length);
        kg_text_free(&text);
        kg_arena_free(&arena);
    }
}

/* --- Beside a regression ---------------------------------------------------------------------- */

/* 300 cases that became slower, the first of them with advice. */
static void compared_make(struct kg_comparison *comparison, size_t cases)
{
    struct kg_results stored, current;
    struct kg_baseline baseline;
    struct kg_error err;
    support_results(&stored, cases, 10, 1e6);
    support_results(&current, cases, 10, 1e6);
    for (size_t i = 0; i < cases; i++)
        support_slow(&current.cases[i], 2);
    assert_true(kg_baseline_from_results(&stored, &baseline, &err));
    assert_true(kg_compare(&baseline, &current, KG_STAGE_FINAL, comparison, &err));
    kg_baseline_free(&baseline);
    kg_results_free(&stored);
    kg_results_free(&current);
}

static void a_regression_says_what_changed_and_what_to_try(void **state)
{
    (void)state;
    struct kg_comparison comparison;
    struct kg_suggestions suggestions;
    struct kg_text text = {0};
    struct kg_report_style style = {0};
    compared_make(&comparison, 2);
    suggestions_make(&suggestions, "w0/cpu");
    kg_report_comparison_text(&comparison, &suggestions, &style, &text);
    assert_has(&text, "REGRESSION\n"
                      "      bandwidth fell from 82 % to 41 % of its ceiling\n"
                      "      unused_cores: One core of two is busy.\n");
    assert_has(&text, "\n  2 suggestions (1 of priority high or above): kgate suggest "
                      "'out dir/results.json'\n");
    kg_text_free(&text);
    suggestions.base = "baselines/a b.json";
    comparison.cases[0].change = KG_CHANGE_INCONCLUSIVE;
    kg_report_comparison_text(&comparison, &suggestions, &style, &text);
    assert_has(&text, "'out dir/results.json' --base 'baselines/a b.json'\n");
    assert_has(&text, "INCONCLUSIVE\n"
                      "      bandwidth fell from 82 % to 41 % of its ceiling\n");
    assert_has_not(&text, "unused_cores");
    kg_text_free(&text);
    kg_report_comparison_markdown(&comparison, &suggestions, 0, &text);
    assert_has(&text, "| w0/cpu<br>↳ bandwidth fell");
    kg_text_free(&text);
    comparison.cases[0].change = KG_CHANGE_REGRESSION;
    kg_report_suggestions_markdown(&suggestions, 1, &text);
    assert_has(&text, "… and 1 more: <code>kgate suggest 'out dir/results.json' --base "
                      "'baselines/a b.json'</code> shows all.\n");
    kg_text_free(&text);
    style.quiet = true;
    kg_report_comparison_text(&comparison, &suggestions, &style, &text);
    assert_has_not(&text, "kgate suggest");
    kg_text_free(&text);
    kg_report_comparison_markdown(&comparison, &suggestions, 0, &text);
    assert_has(&text, "| w0/cpu<br>↳ bandwidth fell from 82 % to 41 % of its ceiling |");
    assert_has(&text, "| w1/cpu | ");
    assert_has(&text, "<details><summary>2 suggestions (1 of priority high or above)</summary>\n");
    assert_has(&text, "Share the loop: <code>");
    kg_text_free(&text);
    kg_comparison_free(&comparison);
}

static void without_suggestions_the_report_is_as_it_was(void **state)
{
    (void)state;
    struct kg_comparison comparison;
    struct kg_suggestions none;
    struct kg_text with = {0}, without = {0};
    compared_make(&comparison, 2);
    suggestions_make(&none, "w0/cpu");
    none.suggestion_count = none.change_count = 0;
    kg_report_comparison_markdown(&comparison, &none, 0, &with);
    kg_report_comparison_markdown(&comparison, NULL, 0, &without);
    assert_string_equal(with.data, without.data);
    kg_text_free(&with);
    kg_text_free(&without);
    kg_comparison_free(&comparison);
}

static void a_report_with_the_longest_suggestions_fits_a_comment(void **state)
{
    static const size_t sizes[] = {1, 20, 2000};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct kg_arena arena = {0};
        struct kg_comparison comparison;
        struct kg_suggestions suggestions;
        struct kg_text text = {0};
        compared_make(&comparison, sizes[i]);
        hostile_make(&suggestions, &arena, 50);
        suggestions.changes[0].operation = comparison.cases[0].id;
        kg_report_comparison_markdown(&comparison, &suggestions, 0, &text);
        if (text.length >= KG_MARKDOWN_MOST)
            fail_msg("%zu cases: %zu bytes", sizes[i], text.length);
        assert_has(&text, "Machine and policy");
        kg_text_free(&text);
        kg_comparison_free(&comparison);
        kg_arena_free(&arena);
    }
}

/* --- One case --------------------------------------------------------------------------------- */

static void an_explained_case_shows_what_is_known_and_nothing_else(void **state)
{
    (void)state;
    struct kg_results results;
    struct kg_suggestions suggestions;
    struct kg_explanation explanation;
    struct kg_text text = {0};
    struct kg_error err;
    const struct kg_report_style style = {0};
    support_results(&results, 2, 5, 1e6);
    results.cases[0].work.bytes = 8e6;
    results.cases[0].work.flops = 1e6;
    results.cases[0].work.arithmetic = KG_ARITHMETIC_F32;
    results.cases[0].memory.allocated_bytes = 64 << 20;
    results.cases[0].threads = 1;
    kg_case_summarize(&results.cases[0]);
    results.cpu_ceilings.one = (struct kg_cpu_ceiling){1, 5e9, 40e9, 200e9, 80e9, 40e9, 10e9};
    results.cpu_ceilings.all = (struct kg_cpu_ceiling){2, 10e9, 80e9, 400e9, 160e9, 60e9, 16e9};
    results.cpu_ceilings.l1_bytes = 32768;
    results.cpu_ceilings.l2_bytes = 1 << 20;
    results.cpu_ceilings.l3_bytes = 2 << 20; /* what a call moves is more */
    const struct kg_suggest_input input = {.source = "r.json", .results = &results};
    assert_true(kg_suggest(&input, &suggestions, &err));
    assert_true(kg_explain(&input, 0, &suggestions, &explanation, &err));
    kg_report_explanation_text(&explanation, &style, &text);
    assert_has(&text, "w0/cpu\n");
    assert_has(&text, "  time          1.00 ms a call");
    assert_has(&text, "  bandwidth     ███████████████████░░░░░  80 % of 10.0 GB/s, memory\n");
    assert_has(&text, "  working set   7.63 MiB, in memory\n");
    assert_has(&text, "● 0.125 flops a byte; the roofs meet (┬) at 4: moving data is the lower");
    assert_has(&text, "what holds it back\n  memory-bound");
    assert_has(&text, "  perf stat -d kgate run -c suite.yaml --filter w0/cpu ");
    assert_has_not(&text, "nan");
    kg_text_free(&text);
    explanation.facts.traits.level = KG_LEVEL_L2; /* told from how fast data come */
    kg_report_explanation_text(&explanation, &style, &text);
    assert_has(&text, "  working set   7.63 MiB, as fast as from L2\n");
    kg_text_free(&text);
    kg_explanation_free(&explanation);
    kg_suggestions_free(&suggestions);
    assert_true(kg_suggest(&input, &suggestions, &err));
    assert_true(kg_explain(&input, 1, &suggestions, &explanation, &err));
    kg_report_explanation_text(&explanation, &style, &text);
    assert_has_not(&text, "roofline");
    assert_has_not(&text, "nan");
    kg_text_free(&text);
    kg_explanation_free(&explanation);
    kg_suggestions_free(&suggestions);
    kg_results_free(&results);
}

/* What `explain` says of a case whose rounds took `cpu_ns` of CPU time in 1 ms. */
static void explained_in(struct kg_text *text, uint64_t threads, double cpu_ns, size_t width)
{
    struct kg_results results;
    struct kg_suggestions suggestions;
    struct kg_explanation explanation;
    struct kg_error err;
    const struct kg_report_style style = {.width = width};
    support_results(&results, 1, 5, 1e6);
    results.cases[0].threads = threads;
    for (size_t i = 0; i < results.cases[0].round_count; i++) {
        struct kg_round *round = &results.cases[0].rounds[i];
        round->wall_ns = (double)round->calls * 1e6;
        round->cpu_ns = cpu_ns;
    }
    kg_case_summarize(&results.cases[0]);
    results.cases[0].breakdown.cpu_ns = 3 * cpu_ns; /* that of the whole process, say */
    results.cases[0].breakdown.overhead_ns = 7.3e-7 * 1e6;
    const struct kg_suggest_input input = {.source = "r.json", .results = &results};
    assert_true(kg_suggest(&input, &suggestions, &err));
    assert_true(kg_explain(&input, 0, &suggestions, &explanation, &err));
    kg_report_explanation_text(&explanation, &style, text);
    kg_explanation_free(&explanation);
    kg_suggestions_free(&suggestions);
    kg_results_free(&results);
}

static void explained(struct kg_text *text, uint64_t threads, double cpu_ns)
{
    explained_in(text, threads, cpu_ns, 0);
}

static void a_page_fits_a_narrow_terminal_but_for_commands(void **state)
{
    enum { WIDTH = 60 };
    (void)state;
    struct kg_text text = {0};
    explained_in(&text, 2, 54e3, WIDTH);
    for (char *line = strtok(text.data, "\n"); line; line = strtok(NULL, "\n"))
        if (kg_text_width(line) > WIDTH && !strstr(line, "kgate run "))
            fail_msg("%zu characters: %s", kg_text_width(line), line);
    kg_text_free(&text);
}

static void the_parts_of_a_cases_time_add_up(void **state)
{
    (void)state;
    struct kg_text busy = {0}, asleep = {0}, two = {0};
    explained(&busy, 1, 1.002e6);
    assert_has(&busy, "where its time goes\n");
    assert_has(&busy, "100.0 %, 1.00 ms\n");
    assert_has_not(&busy, "waiting  ");
    assert_has_not(&busy, "overhead");
    explained(&asleep, 1, 54e3);
    assert_has(&asleep, "  on the CPU    █░░░░░░░░░░░░░░░░░░░░░░░  5.4 %, 54.0 us\n");
    assert_has(&asleep, "  94.6 %, 946 us, or others had the CPU\n");
    explained(&two, 2, 1e6);
    assert_has(&two, "where its time goes: that of 2 threads, each 1.00 ms\n");
    assert_has(&two, "  on the CPU    ████████████░░░░░░░░░░░░  50.0 %, 1.00 ms\n");
    kg_text_free(&busy);
    kg_text_free(&asleep);
    kg_text_free(&two);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_changed_comes_first_then_what_to_try_then_what_holds_back),
        cmocka_unit_test(an_estimate_of_what_there_is_to_gain_at_most_says_so),
        cmocka_unit_test(rows_are_limited_and_the_rest_is_counted),
        cmocka_unit_test(where_there_is_nothing_to_suggest_it_says_why),
        cmocka_unit_test(lines_fit_the_terminal),
        cmocka_unit_test(names_from_files_are_harmless),
        cmocka_unit_test(markdown_of_the_longest_texts_fits_a_comment),
        cmocka_unit_test(a_regression_says_what_changed_and_what_to_try),
        cmocka_unit_test(without_suggestions_the_report_is_as_it_was),
        cmocka_unit_test(a_report_with_the_longest_suggestions_fits_a_comment),
        cmocka_unit_test(an_explained_case_shows_what_is_known_and_nothing_else),
        cmocka_unit_test(the_parts_of_a_cases_time_add_up),
        cmocka_unit_test(a_page_fits_a_narrow_terminal_but_for_commands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
