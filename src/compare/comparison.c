#include "compare/comparison.h"

#include <string.h>

const char *const kg_verdict_names[3] = {"PASS", "FAIL", NULL};

const char *const kg_against_names[5] = {"baseline", "base", "pin", "budget", NULL};

/* In the order of enum kg_doubt. */
const char *const kg_doubt_names[19] = {"none",
                                        "code_changed",
                                        "code_unchanged",
                                        "clock_explains",
                                        "unlike",
                                        "mean",
                                        "few_rounds",
                                        "clock_may",
                                        "cycles",
                                        "unconfirmed",
                                        "unproven",
                                        "effect",
                                        "noise",
                                        "crossing",
                                        "uncounted",
                                        "not_stored",
                                        "budget_unknown",
                                        "budget_missed",
                                        NULL};

#define OPTIONAL(type, member, field_kind)                                                         \
    {                                                                                              \
        .name = #member, .kind = (field_kind), .optional = true,                                   \
        .offset = offsetof(struct type, member)                                                    \
    }
#define LIST(type, member, count, field_kind)                                                      \
    {                                                                                              \
        .name = #member, .kind = (field_kind), .offset = offsetof(struct type, member),            \
        .count_offset = offsetof(struct type, count)                                               \
    }

#define METRIC(member, field_kind) KG_FIELD(struct kg_metric, member, field_kind)
static const struct kg_field metric_fields[] = {
    METRIC(name, KG_FIELD_STRING),
    METRIC(against, KG_FIELD_STRING),
    METRIC(unit, KG_FIELD_STRING),
    OPTIONAL(kg_metric, baseline, KG_FIELD_REAL),
    OPTIONAL(kg_metric, current, KG_FIELD_REAL),
    OPTIONAL(kg_metric, ratio, KG_FIELD_REAL),
    OPTIONAL(kg_metric, interval_low, KG_FIELD_REAL),
    OPTIONAL(kg_metric, interval_high, KG_FIELD_REAL),
    OPTIONAL(kg_metric, p_value, KG_FIELD_REAL),
    OPTIONAL(kg_metric, asked_threshold, KG_FIELD_REAL),
    METRIC(threshold, KG_FIELD_REAL),
    OPTIONAL(kg_metric, noise_floor, KG_FIELD_REAL),
    METRIC(min_effect, KG_FIELD_REAL),
    OPTIONAL(kg_metric, pace_shift, KG_FIELD_REAL),
    OPTIONAL(kg_metric, cycles_ratio, KG_FIELD_REAL),
    OPTIONAL(kg_metric, cycles_low, KG_FIELD_REAL),
    OPTIONAL(kg_metric, cycles_high, KG_FIELD_REAL),
    OPTIONAL(kg_metric, pace_exponent, KG_FIELD_REAL),
    OPTIONAL(kg_metric, pace_doubt, KG_FIELD_REAL),
    OPTIONAL(kg_metric, memory_doubt, KG_FIELD_REAL),
    {.name = "better",
     .kind = KG_FIELD_ENUM,
     .optional = true,
     .offset = offsetof(struct kg_metric, better),
     .names = kg_better_names},
    OPTIONAL(kg_metric, suspected, KG_FIELD_BOOL),
    {.name = "change",
     .kind = KG_FIELD_ENUM,
     .offset = offsetof(struct kg_metric, change),
     .names = kg_change_names},
    {.name = "doubt",
     .kind = KG_FIELD_ENUM,
     .optional = true,
     .offset = offsetof(struct kg_metric, doubt),
     .names = kg_doubt_names},
    OPTIONAL(kg_metric, base_rounds, KG_FIELD_SIZE),
    OPTIONAL(kg_metric, current_rounds, KG_FIELD_SIZE),
    OPTIONAL(kg_metric, least_rounds, KG_FIELD_SIZE),
    OPTIONAL(kg_metric, of_processes, KG_FIELD_BOOL),
    OPTIONAL(kg_metric, code_unchanged, KG_FIELD_BOOL),
    OPTIONAL(kg_metric, needed_p, KG_FIELD_REAL),
    OPTIONAL(kg_metric, mean_ratio, KG_FIELD_REAL),
    OPTIONAL(kg_metric, screened_ratio, KG_FIELD_REAL),
    OPTIONAL(kg_metric, screened_rounds, KG_FIELD_SIZE),
    OPTIONAL(kg_metric, cause, KG_FIELD_STRING),
    OPTIONAL(kg_metric, reason, KG_FIELD_STRING),
};
static const struct kg_record metric_record = KG_RECORD_OF(struct kg_metric, metric_fields);

static const struct kg_field figure_fields[] = {
    KG_FIELD(struct kg_figure, name, KG_FIELD_STRING),
    KG_FIELD(struct kg_figure, value, KG_FIELD_REAL),
};
static const struct kg_record figure_record = KG_RECORD_OF(struct kg_figure, figure_fields);

#define CASE(member, field_kind) KG_FIELD(struct kg_case_change, member, field_kind)
static const struct kg_field case_fields[] = {
    CASE(id, KG_FIELD_STRING),
    CASE(workload, KG_FIELD_STRING),
    CASE(device, KG_FIELD_STRING),
    {.name = "change",
     .kind = KG_FIELD_ENUM,
     .offset = offsetof(struct kg_case_change, change),
     .names = kg_change_names},
    OPTIONAL(kg_case_change, reason, KG_FIELD_STRING),
    OPTIONAL(kg_case_change, stderr_tail, KG_FIELD_STRING),
    CASE(fails, KG_FIELD_BOOL),
    OPTIONAL(kg_case_change, order, KG_FIELD_SIZE),
    CASE(rounds, KG_FIELD_SIZE),
    OPTIONAL(kg_case_change, confirming_rounds, KG_FIELD_SIZE),
    OPTIONAL(kg_case_change, time_ns, KG_FIELD_REAL),
    {.name = "metrics",
     .kind = KG_FIELD_RECORDS,
     .offset = offsetof(struct kg_case_change, metrics),
     .count_offset = offsetof(struct kg_case_change, metric_count),
     .record = &metric_record},
    {.name = "figures",
     .kind = KG_FIELD_RECORDS,
     .optional = true,
     .offset = offsetof(struct kg_case_change, figures),
     .count_offset = offsetof(struct kg_case_change, figure_count),
     .record = &figure_record},
};
static const struct kg_record case_record = KG_RECORD_OF(struct kg_case_change, case_fields);

#define COUNT(member) KG_FIELD(struct kg_change_counts, member, KG_FIELD_SIZE)
static const struct kg_field counts_fields[] = {
    COUNT(improvement),
    COUNT(regression),
    COUNT(no_change),
    COUNT(inconclusive),
    {.name = "new", .kind = KG_FIELD_SIZE, .offset = offsetof(struct kg_change_counts, new_case)},
    COUNT(removed),
    COUNT(failed),
    COUNT(skipped),
};
static const struct kg_record counts_record = KG_RECORD_OF(struct kg_change_counts, counts_fields);

#define WHOLE(member, field_kind) KG_FIELD(struct kg_comparison, member, field_kind)
static const struct kg_field comparison_fields[] = {
    WHOLE(created, KG_FIELD_STRING),
    WHOLE(kgate_version, KG_FIELD_STRING),
    WHOLE(suite, KG_FIELD_STRING),
    {.name = "verdict",
     .kind = KG_FIELD_ENUM,
     .offset = offsetof(struct kg_comparison, verdict),
     .names = kg_verdict_names},
    WHOLE(exit_status, KG_FIELD_SIZE),
    LIST(kg_comparison, verdict_reasons, verdict_reason_count, KG_FIELD_STRINGS),
    {.name = "policy",
     .kind = KG_FIELD_RECORD,
     .offset = offsetof(struct kg_comparison, policy),
     .record = &kg_results_policy_record},
    WHOLE(complete, KG_FIELD_BOOL),
    OPTIONAL(kg_comparison, baseline_created, KG_FIELD_STRING),
    WHOLE(baseline_runs, KG_FIELD_SIZE),
    LIST(kg_comparison, pins, pin_count, KG_FIELD_STRINGS),
    {.name = "machine",
     .kind = KG_FIELD_RECORD,
     .offset = offsetof(struct kg_comparison, machine),
     .record = &kg_machine_record},
    LIST(kg_comparison, notes, note_count, KG_FIELD_STRINGS),
    {.name = "counts",
     .kind = KG_FIELD_RECORD,
     .offset = offsetof(struct kg_comparison, counts),
     .record = &counts_record},
    {.name = "cases",
     .kind = KG_FIELD_RECORDS,
     .offset = offsetof(struct kg_comparison, cases),
     .count_offset = offsetof(struct kg_comparison, case_count),
     .record = &case_record},
};
const struct kg_record kg_comparison_record = KG_RECORD_OF(struct kg_comparison, comparison_fields);

bool kg_comparison_write(const struct kg_comparison *comparison, const char *path,
                         struct kg_error *err)
{
    return kg_record_save(&kg_comparison_record, comparison, KG_COMPARISON_SCHEMA, path, err);
}

bool kg_comparison_load(const char *path, struct kg_comparison *comparison, struct kg_error *err)
{
    *comparison = (struct kg_comparison){0};
    if (kg_record_load(&kg_comparison_record, KG_COMPARISON_SCHEMA, path, &comparison->arena,
                       comparison, err))
        return true;
    kg_comparison_free(comparison);
    return false;
}

void kg_comparison_free(struct kg_comparison *comparison)
{
    kg_arena_free(&comparison->arena);
    *comparison = (struct kg_comparison){0};
}

enum kg_against kg_metric_against(const struct kg_metric *metric)
{
    for (int i = 0; kg_against_names[i]; i++)
        if (i != KG_AGAINST_PIN && !strcmp(metric->against, kg_against_names[i]))
            return (enum kg_against)i;
    return KG_AGAINST_PIN;
}

const char *kg_metric_pin(const struct kg_metric *metric)
{
    const size_t before = strlen(kg_against_names[KG_AGAINST_PIN]) + 1;
    return kg_metric_against(metric) == KG_AGAINST_PIN && strlen(metric->against) > before
               ? metric->against + before
               : NULL;
}
