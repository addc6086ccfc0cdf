/* openmetrics.c: OpenMetrics 1.0 text, for Prometheus' textfile collector, a Pushgateway, or GitLab's metrics reports.
 * Values have base units and no timestamps; each family is contiguous. GitLab compares values as texts, so they have
 * only four significant digits: further digits are noise. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/escape.h"
#include "show/case_figures.h"
#include "show/format_parts.h"

/* Appends NAME="VALUE" with `"` and `\` escaped. Control characters of a terminal become \xNN. */
static void label(struct kg_text *text, const char *name, const char *value)
{
    struct kg_text shown = {0};
    const bool first = text->length && text->data[text->length - 1] == '{';
    kg_escape_terminal(&shown, value, SIZE_MAX);
    kg_text_printf(text, "%s%s=\"", first ? "" : ",", name);
    for (const char *s = kg_text_string(&shown); *s; s++) {
        if (*s == '"' || *s == '\\')
            kg_text_append(text, "\\");
        kg_text_append_bytes(text, s, 1);
    }
    kg_text_append(text, "\"");
    kg_text_free(&shown);
}

static void case_labels(struct kg_text *text, const char *family, const char *suite, const char *id,
                        const char *workload, const char *device)
{
    kg_text_printf(text, "%s{", family);
    label(text, "suite", suite);
    label(text, "case", id);
    label(text, "workload", workload);
    label(text, "device", device);
}

static void value_end(struct kg_text *text, double value)
{
    kg_text_printf(text, "} %.4g\n", value);
}

/* Begins a family. unit: name in OpenMetrics; "" for a plain number */
static void family_begin(struct kg_text *text, const char *name, const char *type, const char *unit,
                         const char *help)
{
    kg_text_printf(text, "# TYPE %s %s\n", name, type);
    if (*unit)
        kg_text_printf(text, "# UNIT %s %s\n", name, unit);
    kg_text_printf(text, "# HELP %s %s\n", name, help);
}

/* --- Results ---------------------------------------------------------------------------------- */

struct family {
    const char *name;
    const char *unit;
    const char *figure; /* name in struct kg_tidy; NULL: the workload's figures, with a label */
    size_t offset;      /* offset of the member in struct kg_tidy */
    double scale;       /* factor from the figure's unit to the base unit */
    const char *help;
};

#define OF(member) offsetof(struct kg_tidy, member)

static const struct family families[] = {
    {"kgate_time_seconds", "seconds", "time", OF(value), 1e-9,
     "Time per call, median of the rounds."},
    {"kgate_time_low_seconds", "seconds", "time", OF(interval_low), 1e-9,
     "Lower end of the 95 % interval of the time."},
    {"kgate_time_high_seconds", "seconds", "time", OF(interval_high), 1e-9,
     "Upper end of the 95 % interval of the time."},
    {"kgate_time_p95_seconds", "seconds", "time", OF(p95), 1e-9,
     "95th percentile of the time per call."},
    {"kgate_gpu_time_seconds", "seconds", "gpu_time", OF(value), 1e-9, "Time on the GPU."},
    {"kgate_cpu_time_seconds", "seconds", "cpu_time", OF(value), 1e-9, "CPU time of all threads."},
    {"kgate_transfer_time_seconds", "seconds", "transfer_time", OF(value), 1e-9,
     "Time of moving data to and from the GPU."},
    {"kgate_peak_memory_bytes", "bytes", "peak_memory", OF(value), 1, "Peak memory."},
    {"kgate_allocated_memory_bytes", "bytes", "allocated_memory", OF(value), 1,
     "Peak of memory from kgate's allocator."},
    {"kgate_device_peak_memory_bytes", "bytes", "device_peak_memory", OF(value), 1,
     "Peak memory on the GPU."},
    {"kgate_items_per_second", "", "items_per_second", OF(value), 1, "Items processed per second."},
    {"kgate_bytes_per_second", "", "bytes_per_second", OF(value), 1, "Bytes moved per second."},
    {"kgate_flops_per_second", "", "flops_per_second", OF(value), 1,
     "Floating-point operations per second."},
    {"kgate_instructions", "", "instructions", OF(value), 1, "Instructions per call."},
    {"kgate_energy_joules", "joules", "energy", OF(value), 1, "Energy per call."},
    {"kgate_figure", "", NULL, OF(value), 1, "Metric that the workload itself reports."},
};

struct case_figures {
    struct kg_tidy *figures;
    size_t count;
};

static bool belongs(const struct family *family, const struct kg_tidy *figure)
{
    return family->figure ? !figure->own && !strcmp(figure->name, family->figure) : figure->own;
}

static void family_print(const struct family *family, const struct kg_results *results,
                         const struct case_figures *all, struct kg_text *text)
{
    bool begun = false;
    for (size_t i = 0; i < results->case_count; i++)
        for (size_t f = 0; f < all[i].count; f++) {
            const struct kg_case_result *result = &results->cases[i];
            double value;
            memcpy(&value, (const char *)&all[i].figures[f] + family->offset, sizeof value);
            if (!belongs(family, &all[i].figures[f]) || !isfinite(value))
                continue;
            if (!begun)
                family_begin(text, family->name, "gauge", family->unit, family->help);
            begun = true;
            case_labels(text, family->name, results->suite, result->id, result->workload,
                        result->device);
            if (!family->figure)
                label(text, "figure", all[i].figures[f].name);
            value_end(text, value * family->scale);
        }
}

void kg_results_as_openmetrics(const struct kg_report_subject *subject, struct kg_text *text)
{
    const struct kg_results *results = subject->results;
    struct kg_arena arena = {0};
    struct case_figures *all = kg_arena_alloc(&arena, results->case_count, sizeof *all);
    for (size_t i = 0; i < results->case_count; i++)
        kg_tidy_of(&arena, &results->cases[i], &all[i].figures, &all[i].count);
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        family_print(&families[i], results, all, text);
    kg_text_append(text, "# EOF\n");
    kg_arena_free(&arena);
}

/* --- Comparisons ------------------------------------------------------------------------------ */

static void verdict_print(const struct kg_comparison *comparison, struct kg_text *text)
{
    family_begin(text, "kgate_verdict", "stateset", "", "What the gate decided.");
    for (int i = 0; kg_verdict_names[i]; i++) {
        kg_text_append(text, "kgate_verdict{");
        label(text, "suite", comparison->suite);
        label(text, "kgate_verdict", kg_verdict_names[i]);
        value_end(text, (int)comparison->verdict == i);
    }
}

static void counts_print(const struct kg_comparison *comparison, struct kg_text *text)
{
    size_t counts[KG_CHANGE_COUNT] = {0};
    for (size_t i = 0; i < comparison->case_count; i++)
        counts[comparison->cases[i].change]++;
    counts[KG_CHANGE_MISSING] += comparison->unnamed;
    family_begin(text, "kgate_cases", "gauge", "", "Number of cases, by change.");
    for (int i = 0; i < KG_CHANGE_COUNT; i++) {
        kg_text_append(text, "kgate_cases{");
        label(text, "suite", comparison->suite);
        label(text, "change", kg_change_names[i]);
        value_end(text, (double)counts[i]);
    }
}

static void change_labels(struct kg_text *text, const char *family,
                          const struct kg_comparison *comparison,
                          const struct kg_case_change *change)
{
    case_labels(text, family, comparison->suite, change->id, change->workload, change->device);
}

static void cases_print(const struct kg_comparison *comparison, struct kg_text *text)
{
    family_begin(text, "kgate_case_change", "info", "", "Change of the case.");
    for (size_t i = 0; i < comparison->case_count; i++) {
        change_labels(text, "kgate_case_change_info", comparison, &comparison->cases[i]);
        label(text, "change", kg_change_name(comparison->cases[i].change));
        if (comparison->cases[i].node)
            label(text, "node", comparison->cases[i].node);
        value_end(text, 1);
    }
    family_begin(text, "kgate_case_fails", "gauge", "", "Whether the policy fails on the case.");
    for (size_t i = 0; i < comparison->case_count; i++) {
        change_labels(text, "kgate_case_fails", comparison, &comparison->cases[i]);
        value_end(text, comparison->cases[i].fails);
    }
}

static void node_print(const struct kg_comparison *comparison, const char *family, const char *node,
                       double value, struct kg_text *text)
{
    kg_text_printf(text, "%s{", family);
    label(text, "suite", comparison->suite);
    label(text, "node", node);
    value_end(text, value);
}

/* The machines of a merged comparison. */
static void nodes_print(const struct kg_comparison *comparison, struct kg_text *text)
{
    if (!comparison->node_count)
        return;
    family_begin(text, "kgate_node_suspect", "gauge", "", "Whether the machine is suspect.");
    for (size_t n = 0; n < comparison->node_count; n++)
        node_print(comparison, "kgate_node_suspect", comparison->nodes[n].name,
                   comparison->nodes[n].suspect, text);
    family_begin(text, "kgate_node_missing_cases", "gauge", "",
                 "Number of cases without results in the shards of the machine.");
    for (size_t n = 0; n < comparison->node_count; n++)
        node_print(comparison, "kgate_node_missing_cases", comparison->nodes[n].name,
                   (double)comparison->nodes[n].missing, text);
}

/* Ratios of a metric to the baseline, and the allowed change. */
static const struct share {
    const char *name;
    size_t offset; /* in struct kg_metric */
    const char *help;
} shares[] = {
    {"kgate_change_ratio", offsetof(struct kg_metric, ratio), "Candidate over baseline."},
    {"kgate_change_low_ratio", offsetof(struct kg_metric, interval_low),
     "Lower end of the 95 % interval of candidate over baseline."},
    {"kgate_change_high_ratio", offsetof(struct kg_metric, interval_high),
     "Upper end of the 95 % interval of candidate over baseline."},
    {"kgate_threshold_ratio", offsetof(struct kg_metric, threshold),
     "Smallest relative change that counts."},
};

static void share_print(const struct share *share, const struct kg_comparison *comparison,
                        struct kg_text *text)
{
    family_begin(text, share->name, "gauge", "ratio", share->help);
    for (size_t i = 0; i < comparison->case_count; i++)
        for (size_t m = 0; m < comparison->cases[i].metric_count; m++) {
            const struct kg_metric *metric = &comparison->cases[i].metrics[m];
            double value;
            memcpy(&value, (const char *)metric + share->offset, sizeof value);
            /* a limit is no baseline, and a range has two limits of the same name */
            if (!isfinite(value) || kg_metric_against(metric) == KG_AGAINST_BUDGET)
                continue;
            change_labels(text, share->name, comparison, &comparison->cases[i]);
            label(text, "metric", metric->name);
            label(text, "against", metric->against);
            value_end(text, value);
        }
}

void kg_comparison_as_openmetrics(const struct kg_report_subject *subject, struct kg_text *text)
{
    const struct kg_comparison *comparison = subject->comparison;
    verdict_print(comparison, text);
    counts_print(comparison, text);
    cases_print(comparison, text);
    nodes_print(comparison, text);
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
        share_print(&shares[i], comparison, text);
    kg_text_append(text, "# EOF\n");
}
