/* policy_document.c: the end of a comparison's page: machine, policy behind the verdict, baseline and notes. */
#include <math.h>

#include "show/document.h"
#include "show/format_parts.h"

/* Whether any metric was judged against this kind of reference. */
static bool any_against(const struct kg_comparison *comparison, enum kg_against against)
{
    for (size_t i = 0; i < comparison->case_count; i++)
        for (size_t m = 0; m < comparison->cases[i].metric_count; m++)
            if (isfinite(comparison->cases[i].metrics[m].ratio) &&
                kg_metric_against(&comparison->cases[i].metrics[m]) == against)
                return true;
    return false;
}

/* The rate of false alarms is known in two cases. Several stored runs show the noise between runs; paired rounds
 * cancel it. */
static void alarms_add(struct kg_document *document, const struct kg_comparison *comparison,
                       bool pairs, bool stored)
{
    const bool unknown = comparison->baseline_runs == 1 && stored;
    if (!unknown || pairs)
        kg_span_text(document, "at most %g %% false alarms per run%s",
                     100 * comparison->policy.alpha, unknown ? " among paired rounds; " : "");
    if (unknown)
        kg_span_text(
            document,
            "the rate of false alarms%s is unknown with one stored run, because runs of the same "
            "code differ",
            pairs ? " among the rest" : "");
}

static void rules_add(struct kg_document *document, const struct kg_results_policy *policy)
{
    static const char *const undecided[] = {[KG_UNDECIDED_PASS] = "passes",
                                            [KG_UNDECIDED_FAIL] = "fails",
                                            [KG_UNDECIDED_REPORT] = "is reported"};
    static const char *const missing[] = {[KG_MISSING_FAIL] = "a failure",
                                          [KG_MISSING_UNDECIDED] = "undecided",
                                          [KG_MISSING_SKIP] = "skipped"};
    const char *separator = "fails on ";
    kg_part_add(document, KG_PART_ITEM, "policy");
    for (int c = 0; c < KG_CHANGE_COUNT; c++)
        if (policy->fail_on & 1u << c) {
            kg_span_text(document, "%s%s", separator, kg_change_names[c]);
            separator = ", ";
        }
    kg_span_text(document, "; an undecided result %s; a missing device is %s; ",
                 undecided[policy->undecided], missing[policy->missing_device]);
}

static void baseline_add(struct kg_document *document, const struct kg_comparison *comparison,
                         bool pairs, bool stored)
{
    enum { PINS_MOST = 8 };
    kg_part_add(document, KG_PART_ITEM, "baseline");
    if (pairs && !stored)
        kg_span_text(document, "the base, in paired rounds with the candidate");
    else if (comparison->baseline_runs && !stored)
        kg_span_text(document, "it has none of these cases");
    else
        kg_span_text(document, "%zu run%s", comparison->baseline_runs,
                     comparison->baseline_runs == 1 ? "" : "s");
    if (comparison->baseline_created && stored) {
        kg_span_text(document, ", the newest of ");
        kg_span_add(document, KG_SPAN_NAME, comparison->baseline_created);
    }
    for (size_t i = 0; i < comparison->pin_count && i < PINS_MOST; i++) {
        kg_span_text(document, i ? ", " : "; pinned: ");
        kg_span_add(document, KG_SPAN_NAME, comparison->pins[i]);
    }
    if (comparison->pin_count > PINS_MOST)
        kg_span_text(document, " and %zu more", comparison->pin_count - PINS_MOST);
}

void kg_policy_add(struct kg_document *document, const struct kg_comparison *comparison)
{
    /* a comparison of profiles has no machine; its profiles can come from several */
    const bool machine = comparison->machine.cpu_count > 0 || *comparison->machine.cpu_model;
    const bool pairs = any_against(comparison, KG_AGAINST_BASE);
    const bool stored = any_against(comparison, KG_AGAINST_BASELINE);
    kg_part_text(document, KG_PART_FOLD, NULL, machine ? "Machine and policy" : "Policy");
    if (machine)
        kg_part_machine(document, KG_PART_ITEM, &comparison->machine);
    rules_add(document, &comparison->policy);
    alarms_add(document, comparison, pairs, stored);
    baseline_add(document, comparison, pairs, stored);
    kg_part_text(document, KG_PART_ITEM, NULL, "kgate ");
    kg_span_add(document, KG_SPAN_NAME, comparison->kgate_version);
    kg_span_text(document, ", ");
    kg_span_add(document, KG_SPAN_NAME, comparison->created);
    for (size_t i = 0; i < comparison->note_count; i++)
        kg_part_prose(document, KG_PART_ITEM, "note", comparison->notes[i]);
    kg_part_add(document, KG_PART_FOLD_END, NULL);
}
