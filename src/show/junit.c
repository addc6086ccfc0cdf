/* junit.c: JUnit XML for Jenkins, GitLab and other test viewers, one test per case. The elements and attributes follow
 * the schema of Jenkins' xUnit plugin. GitLab shows `classname` as the suite's name. */
#include <math.h>

#include "base/xml.h"
#include "show/format_parts.h"
#include "show/outcome.h"
#include "why/advice_index.h"

struct junit {
    struct kg_text cases;
    size_t count[KG_OUTCOME_KINDS];
};

/* The name of a test's child element; NULL: a passed test has none. */
static const char *const elements[KG_OUTCOME_KINDS] = {[KG_OUTCOME_FAILURE] = "failure",
                                                       [KG_OUTCOME_ERROR] = "error",
                                                       [KG_OUTCOME_SKIPPED] = "skipped"};

static void attribute(struct kg_text *text, const char *name, const char *value)
{
    kg_text_printf(text, " %s=\"", name);
    kg_xml_text(text, value);
    kg_text_append(text, "\"");
}

/* Appends seconds without an exponent, because readers accept only digits and a point. */
static void seconds_attribute(struct kg_text *text, double ns)
{
    if (isfinite(ns))
        kg_text_printf(text, " time=\"%.9f\"", ns / 1e9);
}

static void element(struct kg_text *text, const char *name, const char *content)
{
    kg_text_printf(text, "      <%s>", name);
    kg_xml_text(text, content);
    kg_text_printf(text, "</%s>\n", name);
}

/* Prints the figures. For a passed test the cause of a change goes here too: it has no other element. */
static void figures_print(struct kg_text *text, const struct kg_case_outcome *outcome)
{
    struct kg_text lines = {0};
    kg_text_append(&lines, outcome->figures);
    if (!elements[outcome->kind] && *outcome->cause)
        kg_text_printf(&lines, "%s\n", outcome->cause);
    if (lines.length)
        element(text, "system-out", kg_text_string(&lines));
    kg_text_free(&lines);
}

static void case_print(struct junit *junit, const char *suite,
                       const struct kg_case_outcome *outcome)
{
    struct kg_text *text = &junit->cases;
    junit->count[outcome->kind]++;
    kg_text_append(text, "    <testcase classname=\"");
    kg_xml_text(text, suite);
    kg_text_append(text, ".");
    kg_xml_text(text, outcome->workload);
    kg_text_append(text, "\"");
    attribute(text, "name", outcome->id);
    seconds_attribute(text, outcome->time_ns);
    kg_text_append(text, ">\n");
    if (elements[outcome->kind]) {
        kg_text_printf(text, "      <%s", elements[outcome->kind]);
        attribute(text, "type", outcome->word);
        attribute(text, "message", outcome->message);
        kg_text_append(text, ">");
        /* GitLab shows only the content, Jenkins content and message */
        kg_xml_text(text, outcome->message);
        kg_text_append(text, *outcome->cause ? "\n" : "");
        kg_xml_text(text, outcome->cause);
        kg_text_printf(text, "</%s>\n", elements[outcome->kind]);
    }
    figures_print(text, outcome);
    if (outcome->tail)
        element(text, "system-err", outcome->tail);
    kg_text_append(text, "    </testcase>\n");
}

struct property {
    const char *name;
    const char *value; /* NULL: unknown */
};

/* Prints the elements around the cases. file: path of the suite; NULL: unknown */
static void whole_print(struct junit *junit, const char *suite, const char *file,
                        const char *created, const struct property *properties, size_t count,
                        struct kg_text *text)
{
    const size_t failures = junit->count[KG_OUTCOME_FAILURE];
    const size_t errors = junit->count[KG_OUTCOME_ERROR];
    const size_t skipped = junit->count[KG_OUTCOME_SKIPPED];
    const size_t tests = failures + errors + skipped + junit->count[KG_OUTCOME_PASSED];
    kg_text_printf(text,
                   "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"kgate\" "
                   "tests=\"%zu\" failures=\"%zu\" errors=\"%zu\">\n  <testsuite",
                   tests, failures, errors);
    attribute(text, "name", suite);
    kg_text_printf(text, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\"", tests,
                   failures, errors, skipped);
    attribute(text, "timestamp", created);
    if (file && *file)
        attribute(text, "file", file);
    kg_text_append(text, ">\n    <properties>\n");
    for (size_t i = 0; i < count; i++) {
        if (!properties[i].value)
            continue;
        kg_text_append(text, "      <property");
        attribute(text, "name", properties[i].name);
        attribute(text, "value", properties[i].value);
        kg_text_append(text, "/>\n");
    }
    kg_text_append(text, "    </properties>\n");
    kg_text_append(text, kg_text_string(&junit->cases));
    kg_text_append(text, "  </testsuite>\n</testsuites>\n");
    kg_text_free(&junit->cases);
}

void kg_cases_as_junit(const struct kg_report_subject *subject, struct kg_text *text)
{
    const struct kg_comparison *comparison = subject->comparison;
    const struct kg_results *results = subject->results;
#define OF(member) (comparison ? comparison->member : results->member)
#define COMPARED(member) (comparison ? comparison->member : NULL)
    const struct property properties[] = {
        {"kgate", OF(kgate_version)},
        {"verdict", comparison ? kg_verdict_names[comparison->verdict] : NULL},
        {"reason",
         comparison && comparison->verdict_reason_count ? comparison->verdict_reasons[0] : NULL},
        {"next", COMPARED(next)},
        {"commit", OF(commit)},
        {"branch", OF(branch)},
        {"baseline_commit", COMPARED(baseline_commit)},
        {"baseline_branch", COMPARED(baseline_branch)},
        {"machine", OF(machine).fingerprint},
        {"cpu", OF(machine).cpu_model}};
    struct junit junit = {0};
    struct kg_arena scratch = {0};
    struct kg_advice_index advice;
    kg_advice_index_make(&scratch, subject->suggestions, &advice);
    for (size_t i = 0; i < kg_outcome_count(subject); i++) {
        struct kg_arena arena = {0};
        const struct kg_case_outcome outcome = kg_outcome_of(&arena, subject, &advice, i);
        case_print(&junit, OF(suite), &outcome);
        kg_arena_free(&arena);
    }
    whole_print(&junit, OF(suite), OF(suite_path), OF(created), properties,
                sizeof properties / sizeof *properties, text);
    kg_arena_free(&scratch);
}
