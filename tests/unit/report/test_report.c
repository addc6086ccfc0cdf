#include "report/report.h"
#include "test_support.h"
#include "util/escape.h"

static struct kg_comparison compare(size_t cases, const char *hostile_id)
{
    struct kg_results stored, current;
    struct kg_baseline baseline;
    struct kg_comparison comparison;
    struct kg_error err;
    support_results(&stored, cases, 10, 10000);
    support_results(&current, cases, 10, 10000);
    for (size_t i = 0; i < cases; i += 2)
        support_slow(&current.cases[i], i % 4 ? 1.5 : 0.6);
    current.cases[1].status = KG_STATUS_FAILED;
    current.cases[1].reason = "crashed: signal 11";
    if (hostile_id)
        for (size_t i = 0; i < cases; i += 2) {
            stored.cases[i].id = current.cases[i].id =
                kg_arena_printf(&current.arena, "%s%zu", hostile_id, i);
        }
    assert_true(kg_baseline_from_results(&stored, &baseline, &err));
    assert_true(kg_compare(&baseline, &current, KG_STAGE_FINAL, &comparison, &err));
    kg_baseline_free(&baseline);
    kg_results_free(&stored);
    kg_results_free(&current);
    return comparison;
}

static void assert_has(const struct kg_text *text, const char *part)
{
    if (!strstr(kg_text_string(text), part))
        fail_msg("expected '%s' in:\n%s", part, kg_text_string(text));
}

static void assert_has_not(const struct kg_text *text, const char *part)
{
    if (strstr(kg_text_string(text), part))
        fail_msg("'%s' should not be in:\n%s", part, kg_text_string(text));
}

static void terminal_says_verdict_first_and_hides_unchanged(void **state)
{
    struct kg_comparison comparison = compare(6, NULL);
    struct kg_report_style style = {.top = 10};
    struct kg_text text = {0};
    (void)state;
    kg_report_comparison_text(&comparison, NULL, &style, &text);
    assert_memory_equal(text.data, "FAIL  suite, 6 cases: 1 failed, 1 regressed", 43);
    assert_has(&text, "w2/cpu");
    assert_has(&text, "+50.0 %");
    assert_has(&text, "crashed: signal 11");
    assert_has_not(&text, "w3/cpu");
    assert_has_not(&text, "\x1b");
    kg_text_free(&text);
    style.verbose = true;
    kg_report_comparison_text(&comparison, NULL, &style, &text);
    assert_has(&text, "w3/cpu");
    kg_text_free(&text);
    style = (struct kg_report_style){.quiet = true, .colour = true};
    kg_report_comparison_text(&comparison, NULL, &style, &text);
    assert_has(&text, "\x1b[31m");
    assert_has_not(&text, "IMPROVEMENT");
    kg_text_free(&text);
    kg_comparison_free(&comparison);
}

static void terminal_shows_the_top_of_each_kind(void **state)
{
    struct kg_comparison comparison = compare(100, NULL);
    const struct kg_report_style style = {.top = 3};
    struct kg_text text = {0};
    (void)state;
    kg_report_comparison_text(&comparison, NULL, &style, &text);
    assert_has(&text, "… and 44 more"); /* 25 regressed and 25 improved, 3 of each shown */
    kg_text_free(&text);
    kg_comparison_free(&comparison);
}

static void hostile_names_are_harmless(void **state)
{
    struct kg_comparison comparison =
        compare(4, "a|b\x1b[2J`<script>@team #1 *x* [l](http://e)\n\xff\xe2\x80\xae");
    const struct kg_report_style style = {0};
    struct kg_text text = {0};
    (void)state;
    kg_report_comparison_text(&comparison, NULL, &style, &text);
    assert_has_not(&text, "\x1b");
    assert_has(&text, "\\x1b[2J");
    assert_has(&text, "\\xff");
    kg_text_free(&text);
    kg_report_comparison_markdown(&comparison, NULL, 0, &text);
    assert_has_not(&text, "<script>");
    assert_has_not(&text, "@team");
    assert_has_not(&text, "a|b");
    assert_has_not(&text, " #1");
    assert_has_not(&text, "http://");
    assert_has_not(&text, "\x1b");
    assert_has_not(&text, "\xff");
    assert_has_not(&text, "\xe2\x80\xae");
    kg_text_free(&text);
    kg_comparison_free(&comparison);
}

static void markdown_opens_with_the_verdict_and_folds_the_rest(void **state)
{
    struct kg_comparison comparison = compare(6, NULL);
    struct kg_text text = {0};
    (void)state;
    kg_report_comparison_markdown(&comparison, NULL, 0, &text);
    assert_memory_equal(text.data, "**❌ kgate FAIL**", 18);
    assert_has(&text, "| w2/cpu | 29.9 us | 44.9 us | +50.0 % |");
    assert_has(&text, "<details><summary>2 other cases</summary>");
    assert_has(&text, "policy: fails on REGRESSION, FAILED");
    kg_text_free(&text);
    kg_comparison_free(&comparison);
}

static void markdown_is_short_however_large_the_suite(void **state)
{
    char long_name[10001];
    struct kg_text text = {0};
    (void)state;
    memset(long_name, '|', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = '\0';
    struct kg_comparison comparison = compare(10000, NULL);
    kg_report_comparison_markdown(&comparison, NULL, 0, &text);
    assert_in_range(text.length, 40000, KG_MARKDOWN_MOST - 1);
    assert_has(&text, "more: they are in comparison.json");
    assert_has(&text, "Machine and policy");
    kg_text_free(&text);
    kg_comparison_free(&comparison);
    comparison = compare(300, long_name);
    kg_report_comparison_markdown(&comparison, NULL, 0, &text);
    assert_in_range(text.length, 1000, KG_MARKDOWN_MOST - 1);
    kg_text_free(&text);
    kg_comparison_free(&comparison);
}

static void cut_text_stays_whole_characters(void **state)
{
    struct kg_text text = {0};
    (void)state;
    kg_escape_terminal(&text, "äöüß", 2);
    assert_string_equal(kg_text_string(&text), "äö…");
    assert_int_equal(kg_text_width(kg_text_string(&text)), 3);
    kg_text_free(&text);
}

static void results_table_shows_failures_with_their_last_words(void **state)
{
    struct kg_results results;
    const struct kg_report_style style = {0};
    struct kg_text text = {0};
    (void)state;
    support_results(&results, 2, 5, 1000);
    results.cases[1].status = KG_STATUS_FAILED;
    results.cases[1].reason = "timed out after 1 s";
    results.cases[1].stderr_tail = "line one\nline two";
    results.complete = false;
    kg_report_results_text(&results, &style, &text);
    assert_has(&text, "1.00 us");
    assert_has(&text, "timed out after 1 s");
    assert_has(&text, "    | line two\n");
    assert_has(&text, "incomplete");
    kg_text_free(&text);
    kg_report_results_markdown(&results, &text);
    assert_has(&text, "| w0/cpu | 1.00 us |");
    kg_text_free(&text);
    kg_results_free(&results);
}

/* Three cases that differ at the end, and three that differ in the middle alone. */
static const char *const long_ids[] = {
    "batches/d_model=256,num_heads=4,seq_len=128,causal=yes,version=flash,batch=1/cpu",
    "batches/d_model=256,num_heads=4,seq_len=128,causal=yes,version=flash,batch=4/cpu",
    "batches/d_model=256,num_heads=4,seq_len=128,causal=yes,version=flash,batch=16/cpu",
    "batches/d_model=256,num_heads=4,seq_len=128,causal=yes,batch=1,version=flash,seq=5/cpu",
    "batches/d_model=256,num_heads=4,seq_len=128,causal=yes,batch=2,version=flash,seq=5/cpu",
    "batches/d_model=256,num_heads=4,seq_len=128,causal=yes,batch=3,version=flash,seq=5/cpu",
};

/* The table of `count` of them from the `first`. */
static struct kg_text ids_table(size_t first, size_t count, size_t id_most)
{
    struct kg_results results;
    struct kg_text text = {0};
    const struct kg_report_style style = {.id_most = id_most};
    support_results(&results, count, 5, 1000);
    for (size_t i = 0; i < count; i++)
        results.cases[i].id = long_ids[first + i];
    kg_report_results_text(&results, &style, &text);
    kg_results_free(&results);
    return text;
}

static void ids_are_whole_where_nothing_limits_them(void **state)
{
    struct kg_text text = ids_table(0, 6, 0);
    (void)state;
    for (size_t i = 0; i < 6; i++)
        assert_has(&text, long_ids[i]);
    assert_has_not(&text, "…");
    kg_text_free(&text);
}

static void ids_on_a_terminal_are_cut_in_the_middle(void **state)
{
    struct kg_text text = ids_table(0, 3, 40);
    (void)state;
    assert_has(&text, "  batches/d_model=256…on=flash,batch=1/cpu  ");
    assert_has(&text, "  batches/d_model=256…on=flash,batch=4/cpu  ");
    assert_has(&text, "  batches/d_model=256…n=flash,batch=16/cpu  ");
    kg_text_free(&text);
}

static void ids_that_would_become_the_same_are_cut_less(void **state)
{
    struct kg_text text = ids_table(3, 3, 40);
    (void)state;
    assert_has(&text, "…atch=1,version=flash,seq=5/cpu  ");
    assert_has(&text, "…atch=2,version=flash,seq=5/cpu  ");
    assert_has(&text, "…atch=3,version=flash,seq=5/cpu  ");
    kg_text_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(terminal_says_verdict_first_and_hides_unchanged),
        cmocka_unit_test(terminal_shows_the_top_of_each_kind),
        cmocka_unit_test(hostile_names_are_harmless),
        cmocka_unit_test(markdown_opens_with_the_verdict_and_folds_the_rest),
        cmocka_unit_test(markdown_is_short_however_large_the_suite),
        cmocka_unit_test(cut_text_stays_whole_characters),
        cmocka_unit_test(results_table_shows_failures_with_their_last_words),
        cmocka_unit_test(ids_are_whole_where_nothing_limits_them),
        cmocka_unit_test(ids_on_a_terminal_are_cut_in_the_middle),
        cmocka_unit_test(ids_that_would_become_the_same_are_cut_less),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
