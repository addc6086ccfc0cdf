/* A kgate built without npm's packages: the unit tests link this template instead of the library's,
 * so no unit test has a page. */
#include <unistd.h>

#include "show/format_parts.h"
#include "show/formats.h"
#include "show/page.h"
#include "test_support.h"
#include "why/suggest.h"

const char kg_page_template[] = "";

static void a_page_that_is_asked_for_is_refused_with_the_way_to_it(void **state)
{
    const struct kg_report_subject nothing = {0};
    struct kg_error err;
    assert_false(kg_report_as_html(&nothing, stdout, &err));
    assert_int_equal(err.kind, KG_ERROR_USAGE);
    assert_non_null(strstr(err.message, "built without the HTML page"));
    assert_non_null(strstr(err.message, "npm ci --ignore-scripts"));
}

static void a_gate_whose_suite_asks_for_it_goes_on_without(void **state)
{
    struct kg_results results;
    struct kg_baseline baseline;
    struct kg_comparison comparison;
    struct kg_suggestions suggestions;
    char *folder = support_folder(), path[128];
    support_results(&results, 2, 5, 1000);
    results.policy.reports = 1U << KG_REPORT_HTML | 1U << KG_REPORT_MARKDOWN;
    kg_baseline_from_results(&results, &baseline);
    kg_compare(&baseline, &results, KG_STAGE_FINAL, &comparison);
    const struct kg_suggest_input input = {
        .source = "r.json", .results = &results, .baseline = &baseline, .comparison = &comparison};
    kg_suggest(&input, &suggestions);
    const struct kg_report_subject subject = {
        .comparison = &comparison, .suggestions = &suggestions, .results = &results};
    struct kg_advice advice = {0};
    kg_report_files_write(&subject, folder, &advice);
    assert_int_equal(advice.notes, 0);
    snprintf(path, sizeof path, "%s/report.md", folder);
    assert_int_equal(access(path, F_OK), 0);
    snprintf(path, sizeof path, "%s/report.html", folder);
    assert_int_not_equal(access(path, F_OK), 0);
    kg_suggestions_free(&suggestions);
    kg_comparison_free(&comparison);
    kg_baseline_free(&baseline);
    kg_results_free(&results);
    support_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page_that_is_asked_for_is_refused_with_the_way_to_it),
        cmocka_unit_test(a_gate_whose_suite_asks_for_it_goes_on_without),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
