/* Text about one undecided case of two builds. */
#include "show/pair_text.h"
#include "show/report.h"
#include "test_support.h"

/* Expects the terminal's text for one undecided metric with this interval. */
static void expect(const char *name, double low, double high, enum kg_change word,
                   const char *sentence)
{
    const struct kg_report_style style = {.width = 200};
    struct kg_metric metric = {.name = name,
                               .against = "base",
                               .unit = "ns",
                               .baseline = 100,
                               .current = 100 * sqrt(low * high),
                               .ratio = sqrt(low * high),
                               KG_METRIC_NOT_ESTIMATED,
                               .change = word,
                               .doubt = KG_DOUBT_CROSSING,
                               .reason = "why"};
    metric.interval_low = low;
    metric.interval_high = high;
    struct kg_case_change change = {
        .id = "w/cpu", .change = word, .metrics = &metric, .metric_count = 1};
    const struct kg_comparison comparison = {.cases = &change, .case_count = 1};
    struct kg_results base, head;
    struct kg_text text = {0};
    support_results(&base, 1, 5, 100);
    support_results(&head, 1, 5, 100);
    const struct kg_report_two two = {
        .names = {"old", "new"}, .results = {&base, &head}, .comparison = &comparison};
    kg_report_two(&two, &style, &text);
    if (!strstr(kg_text_string(&text), sentence))
        fail_msg("'%s' is not in '%s'", sentence, kg_text_string(&text));
    kg_text_free(&text);
    kg_results_free(&base);
    kg_results_free(&head);
}

static void which_way_it_moved_is_noted_where_the_interval_is_on_one_side(void **state)
{
    expect("time", 1.04, 1.2, KG_CHANGE_INCONCLUSIVE,
           "new is slower than old, but the amount is undecided: +11.7 %: why");
    expect("time", 0.8, 0.97, KG_CHANGE_INCONCLUSIVE,
           "new is faster than old, but the amount is undecided: -11.9 %: why");
    expect("peak_memory", 0.6, 0.92, KG_CHANGE_INCONCLUSIVE,
           "peak_memory of new is smaller than of old, but the amount is undecided: -25.7 %: why");
    expect("hits", 1.02, 1.3, KG_CHANGE_INCONCLUSIVE,
           "hits of new is larger than of old, but the amount is undecided: +15.2 %: why");
}

static void what_lacks_proof_only_looks_so(void **state)
{
    expect("time", 1.08, 1.56, KG_CHANGE_SUSPECT,
           "new looks slower than old, but this is not proven: +29.8 %: why");
}

static void an_interval_on_both_sides_leaves_both_open(void **state)
{
    expect("time", 0.96, 1.2, KG_CHANGE_INCONCLUSIVE,
           "undecided whether new is slower or faster than old in time: +7.3 %: why");
    expect("peak_memory", 0.96, 1.2, KG_CHANGE_INCONCLUSIVE,
           "undecided whether new is better or worse than old in peak_memory: +7.3 %: why");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(which_way_it_moved_is_noted_where_the_interval_is_on_one_side),
        cmocka_unit_test(what_lacks_proof_only_looks_so),
        cmocka_unit_test(an_interval_on_both_sides_leaves_both_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
