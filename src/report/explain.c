/* One case in full, for a terminal: what was measured, where its time goes, what is beside it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/advice.h"
#include "report/report.h"
#include "report/wrap.h"
#include "suggest/gather.h"
#include "util/escape.h"
#include "util/units.h"

enum { NAME_MOST = 100, BAR_CELLS = 24 };

struct printer {
    const struct kg_explanation *explanation;
    const struct kg_report_style *style;
    struct kg_arena arena;
    struct kg_text *text;
};

/* "  peak memory  " before what is measured. */
static void label(struct printer *printer, const char *words)
{
    enum { WIDE = 14 };
    kg_text_printf(printer->text, "  %-*s", WIDE, words);
}

/* A share as a bar, full from 1 on. */
static void bar(struct printer *printer, double share)
{
    const double cells = isfinite(share) ? fmin(fmax(share, 0), 1) * BAR_CELLS : 0;
    for (int i = 0; i < BAR_CELLS; i++)
        kg_text_append(printer->text, i + 0.5 < cells ? "█" : "░");
}

static void amount(struct printer *printer, const char *separator, enum kg_trait_unit unit,
                   double value, const char *after)
{
    kg_text_append(printer->text, separator);
    kg_trait_format(unit, value, printer->text);
    kg_text_append(printer->text, after);
}

/* --- What was measured ------------------------------------------------------------------------ */

static void headline_print(struct printer *printer)
{
    const struct kg_case_result *result = printer->explanation->result;
    const bool colour = printer->style->colour;
    struct kg_text *text = printer->text;
    kg_text_printf(text, "%s%s%s\n", colour ? "\x1b[1m" : "",
                   kg_advice_shown(&printer->arena, text, result->id, 0), colour ? "\x1b[0m" : "");
    label(printer, "workload");
    kg_escape_terminal(text, result->workload, NAME_MOST);
    if (result->target) {
        kg_text_printf(text, ": %s ", result->source);
        kg_escape_terminal(text, result->target, NAME_MOST);
    }
    kg_text_printf(text, " on %s\n", strcmp(result->device, "cuda") == 0 ? "the GPU" : "the CPU");
    if (result->status != KG_STATUS_OK || result->reason) {
        label(printer, kg_status_names[result->status]);
        kg_escape_terminal(text, result->reason ? result->reason : "", 400);
        kg_text_append(text, "\n");
    }
    if (result->note) {
        label(printer, "note");
        kg_escape_terminal(text, result->note, 400);
        kg_text_append(text, "\n");
    }
}

static void time_print(struct printer *printer)
{
    const struct kg_case_result *result = printer->explanation->result;
    const struct kg_summary *summary = &result->summary;
    char a[KG_UNIT_BYTES], b[KG_UNIT_BYTES], c[KG_UNIT_BYTES];
    uint64_t calls = 0;
    for (size_t i = 0; i < result->round_count; i++)
        calls += result->rounds[i].calls;
    label(printer, "time");
    kg_text_printf(printer->text, "%s a call, 95 %%: %s … %s; ",
                   kg_duration_format(summary->median_ns, a),
                   kg_duration_format(summary->interval_low_ns, b),
                   kg_duration_format(summary->interval_high_ns, c));
    kg_text_printf(printer->text, "min %s, p95 %s; %zu round%s, %llu calls\n",
                   kg_duration_format(summary->min_ns, a), kg_duration_format(summary->p95_ns, b),
                   result->round_count, result->round_count == 1 ? "" : "s",
                   (unsigned long long)calls);
}

/* "work a call   1.05 M flops, 2.00 MiB" and the rates: what is known of them. */
static void work_print(struct printer *printer)
{
    const struct kg_case_work *work = &printer->explanation->result->work;
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
        label(printer, "work a call");
        amount(printer, "", rows[i].amount_unit, rows[i].amount, rows[i].what);
        if (kg_known(rows[i].rate))
            amount(printer, ", ", rows[i].rate_unit, rows[i].rate,
                   rows[i].rate_unit == KG_TRAIT_COUNT ? " items/s" : "");
        kg_text_append(printer->text, "\n");
    }
}

static void memory_print(struct printer *printer)
{
    const struct kg_memory *memory = &printer->explanation->result->memory;
    char a[KG_UNIT_BYTES], b[KG_UNIT_BYTES];
    label(printer, "memory");
    kg_text_printf(printer->text, "peak %s, allocated %s",
                   kg_size_format((double)memory->peak_bytes, a),
                   kg_size_format((double)memory->allocated_bytes, b));
    if (isfinite(memory->device_peak_bytes))
        kg_text_printf(printer->text, "; on the device peak %s, allocated %s",
                       kg_size_format(memory->device_peak_bytes, a),
                       kg_size_format(memory->device_allocated_bytes, b));
    kg_text_append(printer->text, "\n");
}

static void check_print(struct printer *printer)
{
    const struct kg_case_check *check = &printer->explanation->result->check;
    label(printer, "check");
    if (check->checked)
        kg_text_printf(printer->text, "error %.3g, tolerance %.3g\n", check->error,
                       check->tolerance);
    else
        kg_text_append(printer->text, "none\n");
}

/* Counts that are worth a line where they are known. */
static void counted_print(struct printer *printer)
{
    static const char *const names[] = {
        "threads",    "cores_busy",        "instructions", "instructions_per_cycle",
        "line_bytes", "memory_line_bytes", "page_faults",  "waits",
        "launches",   "occupancy"};
    struct kg_text line = {0};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct kg_trait fact;
        const double value =
            kg_fact_find(names[i], &fact) ? kg_fact_get(&printer->explanation->facts, &fact) : NAN;
        if (!isfinite(value))
            continue;
        kg_text_append(&line, line.length ? "; " : "");
        kg_fact_words(&fact, value, &line);
    }
    if (line.length)
        kg_wrap(printer->text, "  counted       ", kg_text_string(&line), printer->style->width);
    kg_text_free(&line);
}

static void measured_print(struct printer *printer)
{
    if (!printer->explanation->result->round_count)
        return;
    kg_advice_heading(printer->text, printer->style, "measured");
    time_print(printer);
    work_print(printer);
    memory_print(printer);
    counted_print(printer);
    check_print(printer);
}

/* --- The roofline ----------------------------------------------------------------------------- */

static void roof_print(struct printer *printer, const char *name, double share, double ceiling,
                       enum kg_trait_unit unit, const char *of)
{
    label(printer, name);
    bar(printer, share);
    amount(printer, "  ", KG_TRAIT_SHARE, share, " of ");
    amount(printer, "", unit, ceiling, "");
    kg_text_printf(printer->text, "%s%s\n", *of ? ", " : "", of);
}

/* Flops a byte on a line from 1/64 to 1024, with the place where the roofs meet. */
static void intensity_print(struct printer *printer, double intensity, double ridge)
{
    enum { CELLS = 49 };
    static const double LOW = -6, HIGH = 10; /* powers of two */
    const double at[] = {log2(intensity), log2(ridge)};
    int cell[2];
    for (int i = 0; i < 2; i++)
        cell[i] = (int)((fmin(fmax(at[i], LOW), HIGH) - LOW) / (HIGH - LOW) * (CELLS - 1) + 0.5);
    label(printer, "intensity");
    for (int i = 0; i < CELLS; i++)
        kg_text_append(printer->text, i == cell[0]   ? "●"
                                      : i == cell[1] ? "┬"
                                      : i < cell[1]  ? "╱"
                                                     : "─");
    kg_text_append(printer->text, "\n");
    label(printer, "");
    kg_text_printf(
        printer->text, "● %.3g flops a byte; the roofs meet (┬) at %.3g: %s\n", intensity, ridge,
        intensity < ridge ? "moving data is the lower roof" : "arithmetic is the lower roof");
}

static void roofline_print(struct printer *printer)
{
    const struct kg_traits *traits = &printer->explanation->facts.traits;
    struct kg_text of = {0};
    if (!kg_known(traits->bandwidth_share) && !kg_known(traits->flops_share))
        return;
    kg_advice_heading(printer->text, printer->style, "roofline");
    if (isfinite(traits->level))
        kg_trait_format(KG_TRAIT_LEVEL, traits->level, &of);
    if (kg_known(traits->bandwidth_share))
        roof_print(printer, "bandwidth", traits->bandwidth_share,
                   traits->bandwidth_ceiling_bytes_per_s, KG_TRAIT_BYTES_PER_S,
                   kg_text_string(&of));
    if (kg_known(traits->flops_share))
        roof_print(printer, "arithmetic", traits->flops_share, traits->flops_ceiling_per_s,
                   KG_TRAIT_FLOPS_PER_S, "");
    if (kg_known(traits->intensity) && kg_known(traits->ridge))
        intensity_print(printer, traits->intensity, traits->ridge);
    if (kg_known(traits->working_set_bytes)) {
        label(printer, "working set");
        amount(printer, "", KG_TRAIT_BYTES, traits->working_set_bytes, "");
        kg_text_printf(printer->text, "%s%s\n", of.length ? ", in " : "", kg_text_string(&of));
    }
    if (kg_known(traits->roof_ns)) {
        label(printer, "at the roofs");
        amount(printer, "", KG_TRAIT_NS, traits->roof_ns, " a call\n");
    }
    kg_text_free(&of);
}

/* --- Where the time goes ---------------------------------------------------------------------- */

static void part_print(struct printer *printer, const char *name, double part_ns, double whole_ns)
{
    if (!kg_known(part_ns) || !kg_known(whole_ns))
        return;
    label(printer, name);
    bar(printer, part_ns / whole_ns);
    amount(printer, "  ", KG_TRAIT_SHARE, part_ns / whole_ns, ", ");
    amount(printer, "", KG_TRAIT_NS, part_ns, "\n");
}

static void breakdown_print(struct printer *printer)
{
    const struct kg_breakdown *breakdown = &printer->explanation->result->breakdown;
    const double threads = printer->explanation->facts.traits.threads;
    const bool on_cpu = strcmp(printer->explanation->result->device, "cpu") == 0;
    if (!kg_known(breakdown->wall_ns))
        return;
    kg_advice_heading(printer->text, printer->style, "where its time goes");
    part_print(printer, "GPU", breakdown->gpu_ns, breakdown->wall_ns);
    part_print(printer, "transfers", breakdown->transfer_ns, breakdown->wall_ns);
    if (on_cpu) /* of all threads, over what they could have */
        part_print(printer, "on the CPU", breakdown->cpu_ns, breakdown->wall_ns * threads);
    part_print(printer, "overhead", breakdown->overhead_ns, breakdown->wall_ns);
}

static void scopes_print(struct printer *printer)
{
    enum { MOST = 8 };
    const struct kg_explanation *explanation = printer->explanation;
    const size_t id = strlen(explanation->result->id);
    for (size_t i = 0; i < explanation->scope_count && i < MOST; i++) {
        const struct kg_facts *scope = &explanation->scopes[i];
        const bool inside =
            !strncmp(scope->operation, explanation->result->id, id) && scope->operation[id] == ';';
        if (!i)
            kg_advice_heading(printer->text, printer->style, "scopes, by the profile");
        kg_text_append(printer->text, "  ");
        bar(printer, scope->traits.time_ns / scope->whole_ns);
        amount(printer, "  ", KG_TRAIT_SHARE, scope->traits.time_ns / scope->whole_ns, "  ");
        kg_text_append(printer->text,
                       kg_advice_shown(&printer->arena, printer->text,
                                       scope->operation + (inside ? id + 1 : 0), NAME_MOST));
        amount(printer, ": ", KG_TRAIT_NS, scope->traits.time_ns, "");
        if (kg_known(scope->calls))
            amount(printer, " in ", KG_TRAIT_COUNT, scope->calls, " calls");
        kg_text_append(printer->text, "\n");
    }
}

/* What a call launches on the GPU, the longest first. */
static int kernel_compare(const void *left, const void *right)
{
    const struct kg_kernel_use *a = left, *b = right;
    const double times[] = {kg_known(a->gpu_ns) ? a->gpu_ns : 0,
                            kg_known(b->gpu_ns) ? b->gpu_ns : 0};
    return (times[0] < times[1]) - (times[0] > times[1]);
}

static void kernel_print(struct printer *printer, const struct kg_kernel_use *kernel)
{
    char time[KG_UNIT_BYTES];
    kg_text_printf(printer->text, "  %10s  ", kg_duration_format(kernel->gpu_ns, time));
    kg_escape_terminal(printer->text, kernel->name, NAME_MOST);
    kg_text_printf(printer->text, ": %g launch%s of %g x %g threads", kernel->launches,
                   kernel->launches == 1 ? "" : "es", kernel->blocks, kernel->threads);
    if (isfinite(kernel->registers))
        kg_text_printf(printer->text, ", %g registers", kernel->registers);
    if (isfinite(kernel->occupancy))
        kg_text_printf(printer->text, ", occupancy %.0f %%", 100 * kernel->occupancy);
    if (isfinite(kernel->waves))
        kg_text_printf(printer->text, ", %.3g waves", kernel->waves);
    kg_text_append(printer->text, "\n");
}

static void kernels_print(struct printer *printer)
{
    enum { MOST = 10 };
    const struct kg_trace *trace = &printer->explanation->result->trace;
    const size_t count = trace->kernel_count;
    struct kg_kernel_use *kernels = kg_arena_alloc(&printer->arena, count, sizeof *kernels);
    if (!kernels || !count) {
        printer->text->failed = printer->text->failed || !kernels;
        return;
    }
    memcpy(kernels, trace->kernels, count * sizeof *kernels);
    qsort(kernels, count, sizeof *kernels, kernel_compare);
    kg_advice_heading(printer->text, printer->style, "kernels of a call");
    for (size_t i = 0; i < count && i < MOST; i++)
        kernel_print(printer, &kernels[i]);
    if (count > MOST)
        kg_text_printf(printer->text, "  … and %zu more\n", count - MOST);
}

/* --- What is beside it ------------------------------------------------------------------------ */

static void relative_print(struct printer *printer, const struct kg_relative_case *relative)
{
    char time[KG_UNIT_BYTES], factor[KG_FACTOR_BYTES];
    kg_text_printf(
        printer->text, "    %10s  %8s  %s\n", kg_duration_format(relative->time_ns, time),
        kg_advice_factor(relative->ratio, factor),
        kg_advice_shown(&printer->arena, printer->text, relative->id, printer->style->id_most));
}

/* Those that differ in one parameter: of many the ones that stand around the case. */
static void group_print(struct printer *printer, const struct kg_relative_case *group, size_t count)
{
    enum { MOST = 12 };
    const struct kg_explanation *explanation = printer->explanation;
    const size_t own = (size_t)(explanation->result - explanation->results->cases);
    size_t before = 0;
    while (before < count && group[before].index < own)
        before++;
    size_t first = before > MOST / 2 ? before - MOST / 2 : 0;
    if (first + MOST > count)
        first = count > MOST ? count - MOST : 0;
    const size_t last = first + MOST < count ? first + MOST : count;
    kg_text_printf(printer->text, "  %s\n",
                   kg_advice_shown(&printer->arena, printer->text, group->differs, NAME_MOST));
    if (first)
        kg_text_printf(printer->text, "    … %zu before\n", first);
    for (size_t i = first; i < last; i++)
        relative_print(printer, &group[i]);
    if (last < count)
        kg_text_printf(printer->text, "    … %zu after\n", count - last);
}

static void relatives_print(struct printer *printer)
{
    const struct kg_explanation *explanation = printer->explanation;
    const struct kg_relative_case *all = explanation->relatives;
    if (explanation->relative_count)
        kg_advice_heading(printer->text, printer->style, "beside it: the same but for one thing");
    for (size_t i = 0, count; i < explanation->relative_count; i += count) {
        for (count = 1; i + count < explanation->relative_count &&
                        !strcmp(all[i].differs, all[i + count].differs);
             count++) {
        }
        group_print(printer, &all[i], count);
    }
    if (kg_known(explanation->facts.time_growth) && explanation->facts.sweep_parameter) {
        kg_text_append(printer->text, "  over ");
        kg_escape_terminal(printer->text, explanation->facts.sweep_parameter, NAME_MOST);
        kg_text_printf(printer->text, " time grows as the work to the power of %.2f\n",
                       explanation->facts.time_growth);
    }
}

/* --- What to make of it ----------------------------------------------------------------------- */

static void advice_print(struct printer *printer)
{
    const struct kg_suggestions *suggestions = printer->explanation->suggestions;
    struct kg_text *text = printer->text;
    kg_advice_changes_text(suggestions, printer->style, text);
    kg_advice_heading(text, printer->style, "what holds it back");
    for (size_t i = 0; i < suggestions->finding_count; i++)
        kg_wrap(text, "  ",
                kg_advice_shown(&printer->arena, text, suggestions->findings[i].text, 0),
                printer->style->width);
    if (!suggestions->finding_count)
        kg_text_append(text, "  not known: it has no times\n");
    for (size_t i = 0; i < suggestions->note_count; i++)
        kg_wrap(text, "  note: ", kg_advice_shown(&printer->arena, text, suggestions->notes[i], 0),
                printer->style->width);
    kg_advice_heading(text, printer->style, "what to try");
    kg_advice_text(suggestions, printer->style, text);
}

static void deeper_print(struct printer *printer)
{
    const struct kg_explanation *explanation = printer->explanation;
    kg_advice_heading(printer->text, printer->style, "to look deeper");
    for (size_t i = 0; i < explanation->deeper_count; i++)
        kg_text_printf(
            printer->text, "  # %s\n  %s\n", explanation->deeper[i].shows,
            kg_advice_shown(&printer->arena, printer->text, explanation->deeper[i].command, 0));
}

void kg_report_explanation_text(const struct kg_explanation *explanation,
                                const struct kg_report_style *style, struct kg_text *text)
{
    struct printer printer = {.explanation = explanation, .style = style, .text = text};
    headline_print(&printer);
    measured_print(&printer);
    roofline_print(&printer);
    breakdown_print(&printer);
    kernels_print(&printer);
    scopes_print(&printer);
    relatives_print(&printer);
    advice_print(&printer);
    deeper_print(&printer);
    kg_arena_free(&printer.arena);
}
