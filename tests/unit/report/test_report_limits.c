/* Reports of what is large, hostile or odd: sizes, alignment, what is left out and what never is.
 */
#include "report/report.h"
#include "test_support.h"
#include "util/escape.h"

enum { LONG = 10000 };

/* A text of LONG bytes that takes the most room that an escaped one can. */
static const char *long_text(void)
{
    static char text[LONG + 1];
    memset(text, '@', LONG);
    return text;
}

static void assert_has(const struct kg_text *text, const char *part)
{
    if (!strstr(kg_text_string(text), part))
        fail_msg("expected '%s' in:\n%.3000s", part, kg_text_string(text));
}

/* A comparison by hand of which every text is as long as can be. */
static void hostile_make(struct kg_comparison *comparison, size_t cases, size_t gpus)
{
    enum { PINS = 50, NOTES = 12, REASONS = 9 };
    static struct kg_metric metric;
    const char *text = long_text();
    *comparison = (struct kg_comparison){
        .created = text,
        .kgate_version = text,
        .suite = text,
        .verdict = KG_VERDICT_FAIL,
        .baseline_created = text,
        .verdict_reason_count = REASONS,
        .note_count = NOTES,
        .pin_count = PINS,
        .case_count = cases,
        .machine = {.fingerprint = text, .cpu_model = text, .gpu_count = gpus}};
    struct kg_arena *arena = &comparison->arena;
    const char **texts = kg_arena_alloc(arena, PINS, sizeof *texts);
    for (size_t i = 0; i < PINS; i++)
        texts[i] = text;
    comparison->verdict_reasons = comparison->notes = comparison->pins = texts;
    comparison->machine.gpus = kg_arena_alloc(arena, gpus, sizeof(struct kg_gpu));
    for (size_t i = 0; i < gpus; i++)
        comparison->machine.gpus[i].name = text;
    metric = (struct kg_metric){.name = "time",
                                .against = text,
                                .unit = "ns",
                                .baseline = 1,
                                .current = 2,
                                .ratio = 2,
                                .interval_low = 1.9,
                                .interval_high = 2.1};
    comparison->cases = kg_arena_alloc(arena, cases, sizeof *comparison->cases);
    for (size_t i = 0; i < cases; i++)
        comparison->cases[i] =
            (struct kg_case_change){.id = text,
                                    .workload = text,
                                    .device = "cpu",
                                    .change = i % 2 ? KG_CHANGE_NO_CHANGE : KG_CHANGE_FAILED,
                                    .reason = text,
                                    .stderr_tail = text,
                                    .metrics = &metric,
                                    .metric_count = 1};
}

static void markdown_of_the_longest_texts_fits_a_comment(void **state)
{
    static const size_t sizes[] = {0, 1, 2, 10, 100, 10000};
    (void)state;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        struct kg_comparison comparison;
        struct kg_text text = {0};
        hostile_make(&comparison, sizes[s], 64);
        kg_report_comparison_markdown(&comparison, NULL, 0, &text);
        if (text.length >= KG_MARKDOWN_MOST)
            fail_msg("%zu cases: %zu bytes", sizes[s], text.length);
        assert_has(&text, "Machine and policy");
        if (strcmp(text.data + text.length - 12, "\n</details>\n") != 0)
            fail_msg("%zu cases: the end is cut off", sizes[s]);
        kg_text_free(&text);
        kg_comparison_free(&comparison);
    }
}

static void markdown_of_many_results_fits_too(void **state)
{
    struct kg_results results;
    struct kg_gpu gpus[64];
    struct kg_text text = {0};
    (void)state;
    support_results(&results, 10000, 1, 1000);
    for (size_t i = 0; i < results.case_count; i += 2)
        results.cases[i].id = results.cases[i].reason = long_text();
    for (size_t i = 0; i < 64; i++)
        gpus[i] = (struct kg_gpu){.name = long_text()};
    results.machine.gpus = gpus;
    results.machine.gpu_count = 64;
    results.machine.cpu_model = long_text();
    kg_report_results_markdown(&results, &text);
    if (text.length >= KG_MARKDOWN_MOST)
        fail_msg("%zu bytes", text.length);
    assert_has(&text, "… and ");
    assert_has(&text, "machine: ");
    kg_text_free(&text);
    kg_results_free(&results);
}

/* One failed case among 10,000 that changed, and what it wrote. */
static void the_failed_case_and_its_last_words_are_never_left_out(void **state)
{
    struct kg_results stored, current;
    struct kg_baseline baseline;
    struct kg_comparison comparison;
    struct kg_error err;
    struct kg_text text = {0};
    const struct kg_report_style style = {.top = 3};
    (void)state;
    support_results(&stored, 10000, 10, 10000);
    support_results(&current, 10000, 10, 10000);
    for (size_t i = 0; i < 10000; i++)
        support_slow(&current.cases[i], 2);
    current.cases[9999].status = KG_STATUS_FAILED;
    current.cases[9999].reason = "crashed: signal 11";
    current.cases[9999].stderr_tail = "first line\nassertion \x1b[31m <failed>\n";
    assert_true(kg_baseline_from_results(&stored, &baseline, &err));
    assert_true(kg_compare(&baseline, &current, KG_STAGE_FINAL, &comparison, &err));
    kg_report_comparison_markdown(&comparison, NULL, 0, &text);
    assert_in_range(text.length, KG_MARKDOWN_MOST / 2, KG_MARKDOWN_MOST - 1);
    assert_has(&text, "- w9999/cpu: crashed: signal 11<br>it wrote last:<br>first line<br>"
                      "assertion �\\[31m &lt;failed&gt;\n");
    assert_has(&text, " more: they are in comparison.json");
    kg_text_free(&text);
    kg_report_comparison_text(&comparison, NULL, &style, &text);
    assert_has(&text, "  w9999/cpu wrote last:\n    | first line\n    | assertion \\x1b[31m <f");
    kg_text_free(&text);
    kg_comparison_free(&comparison);
    kg_baseline_free(&baseline);
    kg_results_free(&stored);
    kg_results_free(&current);
}

/* Whatever stands in a cell, the next column begins at the same place in every row. */
static void columns_are_aligned_whatever_the_characters(void **state)
{
    struct kg_results results;
    struct kg_text text = {0};
    const struct kg_report_style style = {0};
    size_t column = 0;
    (void)state;
    support_results(&results, 4, 5, 1000);
    results.cases[0].id = "größe/µ=時/cpu";
    results.cases[1].id = "\x1b\n/cpu";
    results.cases[2].id = "a/rather=long,name=of,a=case/cpu";
    kg_report_results_text(&results, &style, &text);
    char *line = strtok(text.data, "\n");
    for (int row = 0; row < 5; row++, line = strtok(NULL, "\n")) {
        char *status = strstr(line, row ? "OK" : "status");
        assert_non_null(status);
        *status = '\0';
        if (row && kg_text_width(line) != column)
            fail_msg("row %d: column %zu, not %zu", row, kg_text_width(line), column);
        column = kg_text_width(line);
    }
    kg_text_free(&text);
    kg_results_free(&results);
}

static void figures_that_are_not_known_are_dashes(void **state)
{
    struct kg_metric metric = {.name = "items_per_second",
                               .against = "budget",
                               .unit = "1/s",
                               .baseline = 1e6,
                               .current = NAN,
                               .ratio = NAN,
                               .interval_low = NAN,
                               .interval_high = NAN,
                               .p_value = NAN,
                               .noise_floor = NAN};
    struct kg_case_change change = {.id = "w/cpu",
                                    .workload = "w",
                                    .device = "cpu",
                                    .change = KG_CHANGE_INCONCLUSIVE,
                                    .reason = "not known",
                                    .metrics = &metric,
                                    .metric_count = 1,
                                    .time_ns = NAN};
    struct kg_comparison comparison = {.created = "",
                                       .kgate_version = "",
                                       .suite = "s",
                                       .cases = &change,
                                       .case_count = 1,
                                       .machine = {.fingerprint = "", .cpu_model = ""}};
    const struct kg_report_style style = {0};
    struct kg_text text = {0};
    (void)state;
    kg_report_comparison_text(&comparison, NULL, &style, &text);
    assert_has(&text, "1.00 M/s");
    assert_has(&text, "items_per_second against budget: not known");
    assert_null(strstr(kg_text_string(&text), "nan"));
    kg_text_free(&text);
    kg_report_comparison_markdown(&comparison, NULL, 0, &text);
    assert_has(&text, "| 1.00 M/s | - | - |  |");
    assert_null(strstr(kg_text_string(&text), "nan"));
    kg_text_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(markdown_of_the_longest_texts_fits_a_comment),
        cmocka_unit_test(markdown_of_many_results_fits_too),
        cmocka_unit_test(the_failed_case_and_its_last_words_are_never_left_out),
        cmocka_unit_test(columns_are_aligned_whatever_the_characters),
        cmocka_unit_test(figures_that_are_not_known_are_dashes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
