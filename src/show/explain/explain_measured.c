/* explain_measured.c: the measured figures of one case, and their distance from the machine's peaks. */
#include <math.h>
#include <string.h>

#include "base/units.h"
#include "show/explain/explain_parts.h"
#include "why/evidence/gather.h"

static void time_print(struct kg_document *document, const struct kg_explanation *explanation)
{
    const struct kg_case_result *result = explanation->result;
    const struct kg_summary *summary = &result->summary;
    char a[KG_UNIT_BYTES], b[KG_UNIT_BYTES], c[KG_UNIT_BYTES];
    struct kg_text text = {0};
    uint64_t calls = 0;
    /* a single round has no interval; beside other programs, one may count */
    const bool has_interval = summary->interval_low_ns < summary->interval_high_ns;
    for (size_t i = 0; i < result->round_count; i++)
        calls += result->rounds[i].calls;
    kg_text_printf(&text, "%s per call (median of rounds)%s",
                   kg_duration_format(summary->median_ns, a), has_interval ? ", " : "; ");
    if (has_interval)
        kg_text_printf(&text, "95 %%: %s … %s; ", kg_duration_format(summary->interval_low_ns, b),
                       kg_duration_format(summary->interval_high_ns, c));
    kg_text_printf(&text, "min %s, p95 %s; %zu round%s, %llu call%s",
                   kg_duration_format(summary->min_ns, a), kg_duration_format(summary->p95_ns, b),
                   result->round_count, result->round_count == 1 ? "" : "s",
                   (unsigned long long)calls, calls == 1 ? "" : "s");
    kg_part_take(document, KG_PART_FIGURE, "time", &text);
}

/* Adds the known amounts of work per call, each with its rate: "1.05 M flops", "2.00 MiB". */
static void work_print(struct kg_document *document, const struct kg_explanation *explanation)
{
    const struct kg_case_work *work = &explanation->result->work;
    const struct {
        double amount, rate;
        enum kg_trait_unit amount_unit, rate_unit;
        const char *what;
    } rows[] = {
        {work->flops, work->flops_per_second, KG_TRAIT_COUNT, KG_TRAIT_FLOPS_PER_S, " flops"},
        {work->bytes, work->bytes_per_second, KG_TRAIT_BYTES, KG_TRAIT_BYTES_PER_S, ""},
        {work->items, work->items_per_second, KG_TRAIT_COUNT, KG_TRAIT_COUNT, " items"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!kg_known(rows[i].amount))
            continue;
        kg_part_add(document, KG_PART_FIGURE, "work per call");
        kg_span_amount(document, "", rows[i].amount_unit, rows[i].amount, rows[i].what);
        if (kg_known(rows[i].rate))
            kg_span_amount(document, ", ", rows[i].rate_unit, rows[i].rate,
                           rows[i].rate_unit == KG_TRAIT_COUNT ? " items/s" : "");
    }
}

static void memory_print(struct kg_document *document, const struct kg_explanation *explanation)
{
    const struct kg_memory *memory = &explanation->result->memory;
    char a[KG_UNIT_BYTES], b[KG_UNIT_BYTES];
    struct kg_text text = {0};
    const double peak_bytes = kg_case_peak_bytes(explanation->result);
    if (isnan(peak_bytes) && !isfinite(memory->device_peak_bytes))
        return;
    kg_text_printf(&text, "peak %s, allocated %s", kg_size_format(peak_bytes, a),
                   kg_size_format((double)memory->allocated_bytes, b));
    if (isfinite(memory->malloc_cached_bytes))
        kg_text_printf(&text,
                       "; malloc after the first calls of another process: in use %s, cached %s",
                       kg_size_format(memory->malloc_used_bytes, a),
                       kg_size_format(memory->malloc_cached_bytes, b));
    if (isfinite(memory->device_peak_bytes))
        kg_text_printf(&text, "; on the device peak %s, allocated %s",
                       kg_size_format(memory->device_peak_bytes, a),
                       kg_size_format(memory->device_allocated_bytes, b));
    kg_part_take(document, KG_PART_FIGURE, "memory", &text);
}

static void check_print(struct kg_document *document, const struct kg_explanation *explanation)
{
    const struct kg_case_check *check = &explanation->result->check;
    kg_part_add(document, KG_PART_FIGURE, "check");
    if (check->checked)
        kg_span_text(document, "error %.3g, tolerance %.3g", check->error, check->tolerance);
    else
        kg_span_text(document, "none");
}

/* Adds the known counts on one line. */
static void counted_print(struct kg_document *document, const struct kg_explanation *explanation)
{
    static const char *const names[] = {
        "threads",    "cores_busy",        "instructions", "instructions_per_cycle",
        "line_bytes", "memory_line_bytes", "page_faults",  "waits",
        "launches",   "occupancy"};
    struct kg_text line = {0};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct kg_trait fact;
        const double value =
            kg_fact_find(names[i], &fact) ? kg_fact_get(&explanation->facts, &fact) : NAN;
        if (!isfinite(value))
            continue;
        kg_text_append(&line, line.length ? "; " : "");
        kg_fact_words(&fact, value, &line);
    }
    if (line.length)
        kg_part_take(document, KG_PART_FIGURE, "counted", &line);
}

void kg_explain_measured(struct kg_document *document, const struct kg_explanation *explanation)
{
    if (!explanation->result->round_count)
        return;
    kg_part_heading(document, "measured");
    time_print(document, explanation);
    work_print(document, explanation);
    memory_print(document, explanation);
    counted_print(document, explanation);
    check_print(document, explanation);
}

/* --- The roofline ----------------------------------------------------------------------------- */

static void roof_print(struct kg_document *document, const char *name, double share, double ceiling,
                       enum kg_trait_unit unit, const char *of)
{
    kg_part_add(document, KG_PART_FIGURE, name);
    kg_explain_bar(document, share);
    kg_span_amount(document, "  ", KG_TRAIT_SHARE, share, " of ");
    kg_span_amount(document, "", unit, ceiling, "");
    kg_span_text(document, "%s%s", *of ? ", " : "", of);
}

/* Draws FLOP/byte on a logarithmic line from 1/64 to 1024, with the ridge point. */
static void intensity_print(struct kg_document *document, double intensity, double ridge)
{
    enum { CELLS = 49, CELLS_NARROW = 25 };
    static const double LOW = -6, HIGH = 10; /* powers of two */
    const double at[] = {log2(intensity), log2(ridge)};
    const int cells = kg_explain_narrow(document) ? CELLS_NARROW : CELLS;
    struct kg_text line = {0}, words = {0};
    int cell[2];
    for (int i = 0; i < 2; i++)
        cell[i] = (int)((fmin(fmax(at[i], LOW), HIGH) - LOW) / (HIGH - LOW) * (cells - 1) + 0.5);
    for (int i = 0; i < cells; i++)
        kg_text_append(&line, i == cell[0] ? "●" : i == cell[1] ? "┬" : i < cell[1] ? "╱" : "─");
    kg_part_take(document, KG_PART_FIGURE, "intensity", &line);
    kg_text_printf(&words, "● %.3g FLOP/byte; ridge point (┬) at %.3g: %s", intensity, ridge,
                   intensity < ridge ? "the bandwidth peak is lower"
                                     : "the arithmetic peak is lower");
    kg_part_take(document, KG_PART_FIGURE, "", &words);
}

/* Whether the working set exceeds the cache level whose bandwidth matches the case's data rate. */
static bool too_large(const struct kg_explanation *explanation)
{
    const struct kg_traits *traits = &explanation->facts.traits;
    const struct kg_cpu_ceilings *cpu = &explanation->results->cpu_ceilings;
    const double threads = kg_known(traits->threads) ? fmax(traits->threads, 1) : 1;
    const double bytes[] = {[KG_LEVEL_L1] = (double)cpu->l1_bytes * threads,
                            [KG_LEVEL_L2] = (double)cpu->l2_bytes * threads,
                            [KG_LEVEL_L3] = (double)cpu->l3_bytes * threads};
    const size_t level = (size_t)traits->level;
    return strcmp(explanation->result->device, "cpu") == 0 &&
           level < sizeof bytes / sizeof *bytes && traits->working_set_bytes > bytes[level];
}

void kg_explain_roofline(struct kg_document *document, const struct kg_explanation *explanation)
{
    const struct kg_traits *traits = &explanation->facts.traits;
    struct kg_text of = {0};
    if (!kg_known(traits->bandwidth_share) && !kg_known(traits->flops_share))
        return;
    kg_part_heading(document, "roofline");
    if (isfinite(traits->level))
        kg_trait_format(KG_TRAIT_LEVEL, traits->level, &of);
    if (kg_known(traits->bandwidth_share))
        roof_print(document, "bandwidth", traits->bandwidth_share,
                   traits->bandwidth_ceiling_bytes_per_s, KG_TRAIT_BYTES_PER_S,
                   kg_text_string(&of));
    if (kg_known(traits->flops_share))
        roof_print(document, "arithmetic", traits->flops_share, traits->flops_ceiling_per_s,
                   KG_TRAIT_FLOPS_PER_S, "");
    if (kg_known(traits->intensity) && kg_known(traits->ridge))
        intensity_print(document, traits->intensity, traits->ridge);
    if (kg_known(traits->working_set_bytes)) {
        kg_part_add(document, KG_PART_FIGURE, "working set");
        kg_span_amount(document, "", KG_TRAIT_BYTES, traits->working_set_bytes, "");
        kg_span_text(document, "%s%s",
                     !of.length               ? ""
                     : too_large(explanation) ? ", as fast as from "
                                              : ", in ",
                     kg_text_string(&of));
    }
    if (kg_known(traits->roof_ns)) {
        kg_part_add(document, KG_PART_FIGURE, "at the peak");
        kg_span_amount(document, "", KG_TRAIT_NS, traits->roof_ns, " per call");
    }
    kg_text_free(&of);
}
